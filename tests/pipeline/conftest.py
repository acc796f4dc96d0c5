"""One small host and contract, built by hand: a noul, a dynamic choice, a mixed gate and a rule."""

from __future__ import annotations

import pytest

from interlock.contract.capabilities import Capabilities, Cell, FloorSpec, ProjectionSpec, ProviderSpec
from interlock.contract.compiled import Contract, Decision, Dynamic
from interlock.frame import CellType, FrameField, FrameSpec, Provenance
from interlock.pipeline import Cells, Host
from interlock.policy import Policy, Predicate, PredicateKind, Rule, rule_text
from interlock.questions import Choice, Content, Noul, Score

RISKS = {"list": 0, "write": 1, "remove": 3}


def _field(key: str, kind: CellType = "text", provenance: Provenance = "host") -> FrameField:
    return FrameField(
        key=key,
        bound=60,
        cell=key,
        projection=None,
        type=kind,
        provenance=provenance,
        default=None,
        has_default=False,
        may_be_absent=False,
        reason="needed",
    )


def _rule(kind: PredicateKind, question: str | None, threshold: float | None, action: str) -> Rule:
    predicate = Predicate(
        kind=kind,
        question=question,
        comparison=None if threshold is None else ">=",
        threshold=threshold,
        option=None,
    )
    return Rule(predicate=predicate, action=action, text=rule_text(predicate, action), line=0)


def _candidates(cells: Cells) -> dict[str, Content | None]:
    files = cells["files"]
    assert isinstance(files, list)
    return {str(name): f"read {name}" for name in files}


def _frame(*fields: FrameField) -> FrameSpec:
    return FrameSpec(fields=fields, exclusions=())


TASK = _field("task", provenance="caller")
OK = Decision(
    id="ok",
    kind="noul",
    position="after-tool",
    purpose=None,
    dynamic=None,
    questions={"done": Noul(instructions="Did it work?")},
    frame=_frame(_field("output", provenance="tool")),
    policy=Policy(
        rules=(_rule("prob", "done", 0.6, "continue"), _rule("else", None, None, "stop")), on_missing="escalate"
    ),
    line=1,
)
PICK = Decision(
    id="pick",
    kind="choice",
    position="input-choice",
    purpose=None,
    dynamic=Dynamic(provider="options", reads=("files",), output="candidates", reason=None),
    questions={"file": Choice(instructions="Which file?", criteria={"a.py": "the main one"})},
    frame=_frame(TASK),
    policy=Policy(
        rules=(_rule("top", "file", 0.5, "use"), _rule("else", None, None, "escalate")), on_missing="escalate"
    ),
    line=1,
)
GRADE = Decision(
    id="grade",
    kind="mixed",
    position="before-call",
    purpose=None,
    dynamic=None,
    questions={
        "risk": Score(instructions="How risky?", criteria=["none", "some", "much", "all"]),
        "auth": Noul(instructions="Must a person agree?"),
    },
    frame=_frame(_field("tool"), TASK),
    policy=Policy(
        rules=(
            _rule("score", "risk", 2, "ask_human"),
            _rule("prob", "auth", 0.5, "ask_human"),
            _rule("score", "risk", 1, "auto_audit"),
            _rule("else", None, None, "auto"),
        ),
        on_missing="ask_human",
    ),
    line=1,
)
ROUTE = Decision(
    id="route",
    kind="rule",
    position="step-start",
    purpose=None,
    dynamic=None,
    questions={},
    frame=None,
    policy=Policy(rules=(_rule("else", None, None, "answer"),), on_missing="escalate"),
    line=1,
)
CAPABILITIES = Capabilities(
    cells={
        "task": Cell(type="text", provenance="caller"),
        "files": Cell(type="list", provenance="tool"),
        "tool": Cell(type="text", provenance="host"),
        "output": Cell(type="text", provenance="tool"),
    },
    projections={"toolRisk": ProjectionSpec(cell="tool", shape="number", absent=True)},
    providers={"options": ProviderSpec(reads=("files",))},
    positions={
        "after-tool": ("continue", "stop"),
        "input-choice": ("use",),
        "before-call": ("auto", "auto_audit", "ask_human"),
        "step-start": ("use_tool", "answer"),
    },
    rules=("route",),
    safe_defaults={"ok": "stop", "grade": "ask_human", "route": "answer"},
    floors={"grade.risk": FloorSpec(projection="toolRisk", absent=2)},
)


@pytest.fixture
def host() -> Host:
    return Host(
        capabilities=CAPABILITIES,
        projections={"toolRisk": lambda tool: RISKS.get(str(tool))},
        providers={"options": _candidates},
        rules={"route": lambda cells: "use_tool" if cells.get("tool") else None},
    )


@pytest.fixture
def contract() -> Contract:
    return Contract(
        title="test",
        schema="decision-contract/v1",
        decisions={decision.id: decision for decision in (OK, PICK, GRADE, ROUTE)},
        generator=None,
        capabilities=CAPABILITIES,
        diagnostics=(),
        digest="c0ffee",
    )


@pytest.fixture
def state() -> dict[str, object]:
    return {"task": "look at b.py", "files": ["a.py", "b.py", "c.py"], "tool": "list", "output": "3 files"}
