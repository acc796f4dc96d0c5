"""What the tests of whole runs share: a small project, and a judge that says yes to a sensible run."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from interlock.journal.base import Journal
from interlock.journal.store_memory import MemoryJournal
from interlock.testing import Scripted, ScriptedJudge

Judges: TypeAlias = Callable[..., ScriptedJudge]
Cut: TypeAlias = Callable[..., MemoryJournal]

READ_THEN_ANSWER: dict[str, Any] = {
    "needs_tool": 0.9,
    "pick_tool": ["list_dir", "read_file"],
    "pick_input": "a.ts",
    "grade_risk.risk": 0.0,
    "grade_risk.needs_auth": 0.1,
    "step_ok": 0.9,
    "is_done": [0.1, 0.9],
    "can_deliver.deliverable": 0.9,
    "can_deliver.unsupported": 0.1,
}
"""Lists, reads `a.ts`, answers, delivers."""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Return a directory with two files in it."""
    root = tmp_path / "project"
    root.mkdir()
    (root / "a.ts").write_text("export function totalOf() { return 1 }\n", encoding="utf-8")
    (root / "b.ts").write_text("export function taxOf() { return 2 }\n", encoding="utf-8")
    return root


@pytest.fixture
def judge() -> Judges:
    """Return what makes a judge that reads and answers, with the answers in `changes` changed."""

    def make(**changes: Scripted | list[Scripted]) -> ScriptedJudge:
        renamed = {name.replace("__", "."): answer for name, answer in changes.items()}
        return ScriptedJudge({**READ_THEN_ANSWER, **renamed})

    return make


@pytest.fixture
def cut() -> Cut:
    """Return what makes a journal that ends where a process died: with a record, or just before one."""

    def make(journal: Journal, run_id: str, *, at: int, stored: bool = True) -> MemoryJournal:
        made = MemoryJournal()
        made.restore(tuple(record for record in journal.records(run_id) if record.seq < at + stored))
        return made

    return make
