"""Decisions that the host's code answers are decided again as far as a policy had a part in them."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path

import pytest

from interlock.contract.compile import compile_contract
from interlock.contract.declaration import capabilities_from_json
from interlock.journal import MemoryJournal, Recorder
from interlock.journal.basis import Bases
from interlock.journal.replay import Redecided, redecide
from interlock.journal.replay_report import report
from interlock.judge.scripted import ScriptedJudge
from interlock.pipeline import Host, decide

CONFORMANCE = Path(__file__).parents[2] / "spec" / "conformance"
CAPABILITIES = capabilities_from_json(json.loads((CONFORMANCE / "capabilities.json").read_text(encoding="utf-8")))
TEXT = (CONFORMANCE / "valid" / "every-kind.md").read_text(encoding="utf-8")
CODE = TEXT[TEXT.index("## within_budget") : TEXT.index("## grade")]
JUDGED = TEXT[TEXT.index("## done") : TEXT.index("## within_budget")].replace("done", "within_budget")

Rule = Callable[[Mapping[str, object]], str | None]


def _fails(cells: Mapping[str, object]) -> str | None:
    raise LookupError(str(cells))


def _again(old: str, new: str, rule: Rule) -> Redecided:
    """Return `within_budget`, decided under one text, as another one decides it."""
    contract = compile_contract(old, CAPABILITIES)
    host = Host(
        capabilities=CAPABILITIES,
        projections={name: lambda value: value for name in CAPABILITIES.projections},
        providers={name: lambda _: {} for name in CAPABILITIES.providers},
        rules={"within_budget": rule},
    )
    judge = ScriptedJudge({"within_budget": 0.9})
    result = decide(contract, "within_budget", {"task": "t", "output": "o"}, judge, host=host)
    journal = MemoryJournal()
    Recorder(journal, "r", clock=lambda: datetime(2026, 1, 2, tzinfo=UTC), contract=contract).decision(result)
    bases = Bases(CAPABILITIES, contract=compile_contract(new, CAPABILITIES), gates={}, earlier=[contract])
    (found,) = redecide(journal.records("r"), bases)
    return found


@pytest.mark.parametrize(
    ("new", "rule", "status", "now"),
    [
        pytest.param(TEXT, lambda _: "use_tool", "unjudged", None, id="code-answered"),
        pytest.param(TEXT, lambda _: None, "same", "use_tool", id="fell-to-the-policy"),
        pytest.param(
            TEXT.replace(CODE, CODE.replace("else → use_tool", "else → answer")), lambda _: None, "changed", "answer",
            id="fell-to-another-policy",
        ),
        pytest.param(TEXT, _fails, "same", "escalate", id="code-failed"),
    ],
)  # fmt: skip
def test_code_is_not_asked_again(new: str, rule: Rule, status: str, now: str | None) -> None:
    found = _again(TEXT, new, rule)
    assert (found.status, found.outcome and found.outcome.action) == (status, now)


def test_what_passes_from_code_to_a_judge_needs_a_request_and_back_needs_none() -> None:
    judged = TEXT.replace(CODE, JUDGED)
    to_judge, to_code = _again(TEXT, judged, lambda _: "use_tool"), _again(judged, TEXT, lambda _: None)
    assert (to_judge.status, to_judge.reason) == ("fresh", "a judge answers it now")
    assert (to_code.status, to_code.reason) == ("fresh", "the host's code decides it now")
    assert (report([to_judge]).cost.requests, report([to_code]).cost.requests) == (1, 0)
