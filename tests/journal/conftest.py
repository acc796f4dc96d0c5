"""One small host with three decisions, and a run of it that leaves a record of every kind."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Literal

import pytest

from interlock.contract.capabilities import Capabilities, Cell, FloorSpec, ProjectionSpec, ProviderSpec
from interlock.contract.compiled import Contract, Decision, Dynamic
from interlock.frame.spec import CellType, Exclusion, FrameField, FrameSpec, Provenance
from interlock.journal import (
    Accounting,
    BoundCall,
    Journal,
    Recorder,
    ToolCall,
    approval_answered_body,
    approval_consumed_body,
    approval_requested_body,
    audit_body,
    run_ended_body,
    run_started_body,
    tool_about_to_run_body,
    tool_result_body,
)
from interlock.judge.base import Judge, JudgeReply
from interlock.judge.scripted import Scripted, ScriptedJudge
from interlock.pipeline.decide import decide
from interlock.pipeline.gating import Gating
from interlock.pipeline.host import Host
from interlock.pipeline.result import DecisionResult
from interlock.policy.degraded import CallFacts
from interlock.policy.rules import Policy, Predicate, PredicateKind, Rule
from interlock.questions import Choice, Content, Json, Noul, NoulCriteria, Question, Score

START = datetime(2026, 1, 2, 3, 4, 5, 6, tzinfo=UTC)

Record = Callable[..., str]


class Ticking:
    """A clock that moves by one second at every look."""

    def __init__(self) -> None:
        self._now = START - timedelta(seconds=1)

    def __call__(self) -> datetime:
        self._now += timedelta(seconds=1)
        return self._now


def _field(key: str, bound: int, type_: CellType, provenance: Provenance) -> FrameField:
    return FrameField(
        key=key,
        bound=bound,
        cell=key,
        projection=None,
        type=type_,
        provenance=provenance,
        default=None,
        has_default=False,
        may_be_absent=False,
        reason="it is needed",
    )


FRAME = FrameSpec(
    fields=(
        _field("task", 40, "text", "caller"),
        _field("log", 3, "list", "tool"),
        _field("draft", 9, "text", "model"),
    ),
    exclusions=(Exclusion(cell="secret", reason="it is not the judge's"),),
)


def _rule(kind: PredicateKind, question: str | None, threshold: float | None, action: str) -> Rule:
    text = "else" if question is None else f"{kind}:{question} >= {threshold}"
    comparison: Literal[">="] | None = None if question is None else ">="
    predicate = Predicate(kind=kind, question=question, comparison=comparison, threshold=threshold, option=None)
    return Rule(predicate=predicate, action=action, text=f"{text} → {action}", line=7)


READY = Decision(
    id="ready",
    kind="noul",
    position="step-start",
    purpose=None,
    dynamic=None,
    questions={"ready": Noul(instructions="Is a tool needed?", criteria=NoulCriteria(true="something is unknown"))},
    frame=FRAME,
    policy=Policy(
        rules=(_rule("prob", "ready", 0.6, "use_tool"), _rule("else", None, None, "answer")), on_missing="escalate"
    ),
    line=3,
)
PICK = Decision(
    id="pick",
    kind="choice",
    position="tool-choice",
    purpose="which one",
    dynamic=Dynamic(provider="offers", reads=("log",), output="candidates", reason=None),
    questions={"pick": Choice(instructions="Which one?", criteria={"done": "nothing is left"})},
    frame=FRAME,
    policy=Policy(
        rules=(_rule("top", "pick", 0.4, "call"), _rule("else", None, None, "escalate")), on_missing="escalate"
    ),
    line=20,
)
RISK = Decision(
    id="risk",
    kind="mixed",
    position="before-call",
    purpose=None,
    dynamic=None,
    questions={
        "level": Score(instructions="How risky?", criteria=["reads", "can be undone", "cannot be undone"]),
        "auth": Noul(instructions="Must a person know?"),
    },
    frame=FRAME,
    policy=Policy(
        rules=(
            _rule("score", "level", 2.0, "ask_human"),
            _rule("prob", "auth", 0.5, "ask_human"),
            _rule("score", "level", 1.0, "auto_audit"),
            _rule("else", None, None, "auto"),
        ),
        on_missing="ask_human",
    ),
    line=30,
)
CAPABILITIES = Capabilities(
    cells={
        "task": Cell(type="text", provenance="caller"),
        "log": Cell(type="list", provenance="tool"),
        "draft": Cell(type="text", provenance="model"),
        "base": Cell(type="number", provenance="host"),
        "secret": Cell(type="text", provenance="host"),
    },
    projections={"base": ProjectionSpec(cell="base", shape="number", absent=True)},
    providers={"offers": ProviderSpec(reads=("log",))},
    positions={"step-start": ("use_tool", "answer"), "tool-choice": ("call",), "before-call": ("auto", "ask_human")},
    safe_defaults={"ready": "use_tool"},
    floors={"risk.level": FloorSpec(projection="base", absent=2)},
)
CONTRACT = Contract(
    title="A test",
    schema="decision-contract/v1",
    decisions={decision.id: decision for decision in (READY, PICK, RISK)},
    generator=None,
    capabilities=CAPABILITIES,
    diagnostics=(),
    digest="c" * 64,
)
HOST = Host(
    capabilities=CAPABILITIES,
    projections={"base": lambda value: value},
    providers={"offers": lambda cells: dict.fromkeys([str(line) for line in _lines(cells)] + ["done"], "it is there")},
)
CELLS: Mapping[str, object] = {
    "task": "Read the file `naïve.txt` and say what 它 holds | then stop",
    "log": ["a.txt", "b.txt", "c.txt", "d.txt"],
    "draft": "x",
    "base": 1,
    "secret": "never sent",
}
ANSWERS: Mapping[str, Scripted] = {
    "ready": 0.9,
    "pick": {"a.txt": 0.7, "b.txt": 0.1, "c.txt": 0.1, "d.txt": 0.05, "done": 0.05},
    "risk.level": 0.5,
    "risk.auth": 0.1,
}
CALL = ToolCall(step=1, tool="write_file", input="a.txt\nhello", arguments={"path": "a.txt", "content": "hello"})


def _lines(cells: Mapping[str, object]) -> list[object]:
    found = cells["log"]
    assert isinstance(found, list)
    return found


def take(
    decision: str,
    judge: Judge | None = None,
    *,
    cells: Mapping[str, object] = CELLS,
    gating: Gating | None = None,
    call: CallFacts | None = None,
) -> DecisionResult:
    """Return one decision as the pipeline takes it."""
    return decide(
        CONTRACT,
        decision,
        cells,
        judge or ScriptedJudge(ANSWERS),
        host=HOST,
        gating=gating or Gating(),
        call_facts=call,
    )


def results() -> dict[str, DecisionResult]:
    """Return decisions that end in every way a decision can end."""
    known = CallFacts(base_risk=1, leaves_root=False)
    return {
        "answered": take("ready"),
        "picked": take("pick"),
        "one option": take("pick", cells={**CELLS, "log": []}),
        "floor and audit": take("risk", call=known),
        "degraded": take("risk", ScriptedJudge(ANSWERS, degraded=True)),
        "gap refused": take("risk", cells={"task": "t", "log": ["x"]}, call=known),
        "gap recorded": take("ready", cells={"task": "t"}),
        "no answer": take("ready", ScriptedJudge({})),
        "judge raised": take("risk", _Broken(ANSWERS)),
        "shadow": take("ready", gating=Gating(modes={"ready": "shadow"})),
        "off": take("ready", gating=Gating(modes={"ready": "off"})),
    }


class _Broken(ScriptedJudge):
    async def answer(self, frame_state: Content, questions: Mapping[str, Question]) -> JudgeReply:
        raise TimeoutError


@pytest.fixture
def decisions() -> dict[str, DecisionResult]:
    return results()


@pytest.fixture
def contract() -> Contract:
    return CONTRACT


@pytest.fixture
def write_run(decisions: dict[str, DecisionResult]) -> Record:
    """Write one whole run into a journal and return the hash of its last record."""

    def write(journal: Journal, run_id: str = "run-1", *, record_state: bool = False) -> str:
        recorder = Recorder(journal, run_id, clock=Ticking(), contract=CONTRACT, record_state=record_state)
        recorder.record("run_started", _started())
        for result in decisions.values():
            recorder.decision(result, step=1, cells=CELLS)
        _call(recorder, decisions["judge raised"])
        return recorder.record("run_ended", _ended()).hash

    return write


def _started() -> dict[str, Json]:
    return run_started_body(
        task="Read the file",
        cwd="/somewhere",
        contract_digest=CONTRACT.digest,
        contract_text="# A test\n",
        judge="scripted",
        writer="extractive",
        plan="sequential",
        budgets={"max_steps": 12, "max_tokens": None},
        overrides={"risk.level[0]": 2.0},
        modes={},
        can_write=True,
        can_delete=False,
        tools={"write_file": 1},
        after=None,
        version="0",
    )


def _call(recorder: Recorder, graded: DecisionResult) -> None:
    assert graded.frame is not None
    bound = BoundCall(call=CALL, cwd="/somewhere", contract_digest=CONTRACT.digest, frame_digest=graded.frame.digest)
    body = approval_requested_body(
        bound, base_risk=1, reason="r", judgement=None, expires="2026-01-03T03:04:05.000006Z"
    )
    asked = recorder.record("approval_requested", body).hash
    said = approval_answered_body(
        request=asked, binding=bound.binding, approved=True, by="Ann", note=None, saw="write_file a.txt"
    )
    answer = recorder.record("approval_answered", said).hash
    used = approval_consumed_body(request=asked, answer=answer, binding=bound.binding)
    recorder.record("approval_consumed", used)
    recorder.record("audit", audit_body(CALL, target="a.txt", rule="score:level >= 1 → auto_audit", value=1.0))
    recorder.record("tool_about_to_run", tool_about_to_run_body(CALL, approved_by="Ann", idempotent=False, targets=()))
    recorder.record("tool_result", tool_result_body(CALL, result="wrote 5 bytes", failed=False, elapsed_s=0.01))
    generated: dict[str, Json] = {"writer": "extractive", "purpose": "answer", "degraded": True, "failure": None}
    recorder.record("generation", {**generated, "text": "done: ```x```"})


def _ended() -> dict[str, Json]:
    counters = Accounting(
        decisions=11, questions=9, requests=8, waves=8, discarded=0, writer_calls=1, tokens=None, wall_s=1.5
    )
    return run_ended_body(
        halt="task_done",
        delivered=True,
        answer="done",
        draft="done",
        degraded=True,
        steps=1,
        reason=None,
        accounting=counters,
    )
