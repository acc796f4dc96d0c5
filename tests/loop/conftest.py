"""What the tests of whole runs share: a small project, and a judge that says yes to a sensible run."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from interlock.journal.chain import Head
from interlock.journal.records import Body, EventType, Record
from interlock.journal.store_memory import MemoryJournal
from interlock.testing import Scripted, ScriptedJudge

Judges: TypeAlias = Callable[..., ScriptedJudge]
Mortal: TypeAlias = Callable[..., MemoryJournal]

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


class _Dying(MemoryJournal):
    def __init__(self, dies: Callable[[int, EventType], bool], *, stored: bool) -> None:
        super().__init__()
        self._dies: Callable[[int, EventType], bool] | None = dies
        self._stored = stored

    def append(
        self, run_id: str, kind: EventType, body: Body, *, ts: str, durable: bool = False, expected: Head | None = None
    ) -> Record:
        head = self.head(run_id)
        dies = self._dies is not None and self._dies(1 if head is None else head.seq + 1, kind)
        if dies:
            self._dies = None
        if dies and not self._stored:
            raise SystemExit(kind)
        record = super().append(run_id, kind, body, ts=ts, durable=durable, expected=expected)
        if dies:
            raise SystemExit(kind)
        return record


@pytest.fixture
def mortal() -> Mortal:
    """Return what makes a journal whose process dies once: at a record, as it is stored or just before."""

    def make(*, at: int | None = None, kind: EventType | None = None, stored: bool) -> MemoryJournal:
        return _Dying(lambda seq, of: seq == at or of == kind, stored=stored)

    return make
