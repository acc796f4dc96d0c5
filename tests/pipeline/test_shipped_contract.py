"""The shipped contract through the pipeline: a judge without information opens nothing, whatever it is shown."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from interlock.contract import compile_contract
from interlock.frame.build import SHOWN, UNTRUSTED
from interlock.judge.base import Caps, Reading
from interlock.judge.scripted import Scripted, ScriptedJudge
from interlock.loop.capabilities import REFERENCE
from interlock.loop.reference import reference_host, shipped_contract, shipped_text
from interlock.pipeline import ENFORCE, DecisionResult, Host, decide, plan_contract, prepare
from interlock.pipeline.request import Asking, requests_for
from interlock.policy import CallFacts
from interlock.questions import Choice, Content, Noul, Question

DECISIONS = tuple(shipped_contract().decisions)
OPENING = {"continue", "finish", "deliver", "call", "auto"}
FULL: dict[str, object] = {
    "task": "copy totalOf from alpha.py to summary.py and delete beta.py",
    "earlier": "list the files",
    "cwd": "/project",
    "canWrite": True,
    "canDelete": True,
    "files": ["alpha.py", "beta.py", "gamma.py"],
    "readFiles": ["gamma.py"],
    "history": [
        {"step": 1, "tool": "read_file", "input": "gamma.py", "result": "x = 1"},
        {"step": 2, "tool": "delete_file", "input": "beta.py", "result": None},
    ],
    "lastTool": "delete_file",
    "lastResult": "x = 1",
    "draft": "It is done.",
    "facts": ["alpha.py exists"],
}
JUNK = st.one_of(
    st.none(), st.booleans(), st.integers(), st.text(max_size=9), st.lists(st.text(max_size=5), max_size=4)
)
STATES = st.fixed_dictionaries({}, optional={cell: st.one_of(st.just(value), JUNK) for cell, value in FULL.items()})


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> Host:
    return reference_host(tmp_path_factory.mktemp("project"))


def even(_: Content, __: str, question: Question) -> Scripted:
    """Answer 0.5 or uniformly."""
    if isinstance(question, Noul):
        return 0.5
    share = 1 / len(question.criteria)
    if isinstance(question, Choice):
        return dict.fromkeys(question.criteria, share)
    return {str(level): share for level in range(len(question.criteria))}


def asked(result: DecisionResult) -> bool:
    """Tell whether a judge, not the lack of alternatives, decided."""
    return not any(reading.reason == "single-option" for reading in result.readings.values())


@given(
    state=STATES, decision=st.sampled_from(DECISIONS), degraded=st.booleans(), risk=st.sampled_from([None, 0, 1, 2, 3])
)
def test_a_judge_without_information_opens_nothing(
    host: Host, state: Mapping[str, object], decision: str, degraded: bool, risk: int | None
) -> None:
    """On any state, whole, partial or of the wrong types."""
    judge = ScriptedJudge(even, degraded=degraded)
    call = CallFacts(base_risk=risk, leaves_root=False)

    result = decide(shipped_contract(), decision, state, judge, host=host, call_facts=call)

    assert result.action not in OPENING or not asked(result)


@pytest.mark.parametrize("decision", DECISIONS)
@pytest.mark.parametrize(
    "reading",
    [
        pytest.param(Reading(kind="transport_error", reason="timeout", answer=None, judge="t"), id="timeout"),
        pytest.param(Reading(kind="refused", reason="refusal", answer=None, judge="t"), id="refused"),
        pytest.param(Reading(kind="unscored", reason="abstained", answer=None, judge="t"), id="abstained"),
        pytest.param(Reading(kind="invalid_response", reason="sum", answer=None, judge="t"), id="invalid"),
        pytest.param(Reading(kind="not_asked", reason="over-caps", answer=None, judge="t"), id="over-caps"),
    ],
)
def test_no_answer_escalates_at_every_decision(host: Host, decision: str, reading: Reading) -> None:
    """Before a call a person is asked."""
    result = decide(shipped_contract(), decision, FULL, ScriptedJudge(lambda *_: reading), host=host)

    assert result.action == ("ask_human" if decision == "grade_risk" else "escalate")
    assert result.picked is None


@pytest.mark.parametrize(
    ("decision", "answers", "action"),
    [
        pytest.param("needs_tool", {"needs_tool": 0.9}, "use_tool", id="needs-a-tool"),
        pytest.param("needs_tool", {"needs_tool": 0.1}, "answer", id="needs-none"),
        pytest.param("pick_tool", {"pick_tool": "read_file"}, "call", id="picks-a-tool"),
        pytest.param("pick_input", {"pick_input": "alpha.py"}, "use", id="picks-an-input"),
        pytest.param("grade_risk", {"grade_risk.risk": 0.0, "grade_risk.needs_auth": 0.0}, "ask_human", id="deletes"),
        pytest.param("step_ok", {"step_ok": 0.9}, "continue", id="the-step-worked"),
        pytest.param("is_done", {"is_done": 0.9}, "finish", id="is-done"),
        pytest.param(
            "can_deliver", {"can_deliver.deliverable": 0.9, "can_deliver.unsupported": 0.1}, "deliver", id="delivers"
        ),
        pytest.param(
            "can_deliver", {"can_deliver.deliverable": 0.9, "can_deliver.unsupported": 0.6}, "revise", id="unsupported"
        ),
    ],
)
def test_an_informed_judge_moves_on(host: Host, decision: str, answers: Mapping[str, Scripted], action: str) -> None:
    """The gates are not simply closed; a destructive call asks whatever the judge says."""
    assert decide(shipped_contract(), decision, FULL, ScriptedJudge(answers), host=host).action == action


def test_raising_the_risk_bar_leaves_the_other_gate(host: Host) -> None:
    """Two independent rules ask a person; overriding one does not override the other."""
    raised = compile_contract(shipped_text(), REFERENCE, overrides={"grade_risk.risk[0]": 3})
    judge = ScriptedJudge({"grade_risk.risk": 2.0, "grade_risk.needs_auth": 0.5})
    state = FULL | {"lastTool": "move_file"}

    result = decide(raised, "grade_risk", state, judge, host=host)

    assert result.action == "ask_human"
    assert result.outcome is not None
    assert result.outcome.rule_text == "prob:needs_auth >= 0.5 → ask_human"


@pytest.mark.parametrize(
    ("listed", "read", "together"),
    [
        pytest.param(15, 10, True, id="as-much-as-both-see"),
        pytest.param(16, 0, False, id="more-files-than-one-of-them-sees"),
        pytest.param(15, 11, False, id="more-read-than-the-other-sees"),
    ],
)
def test_two_decisions_share_a_request_while_both_see_the_same(
    host: Host, listed: int, read: int, together: bool
) -> None:
    """The bounds of `files_known` and `already_read` differ between the two."""
    files = [f"f{at}.py" for at in range(listed)]
    state = FULL | {"files": files, "readFiles": files[:read]}
    contract = shipped_contract()
    items = [
        Asking(cells=state, prepared=prepare(contract, name, state, host=host, caps=Caps(), gating=ENFORCE))
        for name in ("needs_tool", "pick_tool")
    ]

    requests = requests_for(items, plan_contract(contract, Caps(), name="fused"))

    assert len(requests) == (1 if together else 2)


@given(state=STATES)
def test_no_request_of_any_state_holds_what_one_of_its_decisions_excludes(
    host: Host, state: Mapping[str, object]
) -> None:
    """Whole, partial or of the wrong types: all seven decisions in one wave."""
    contract = shipped_contract()
    prepared = [
        prepare(contract, name, state, host=host, caps=Caps(), gating=ENFORCE, call_facts=None) for name in DECISIONS
    ]
    items = [Asking(cells=state, prepared=one) for one in prepared if one.ask]

    for request in requests_for(items, plan_contract(contract, Caps(), name="full")):
        frames = [one.frame for one in request.members if one.frame is not None]
        hidden = {exclusion.cell for frame in frames for exclusion in frame.exclusions}
        seen = {entry.cell for frame in frames for entry in frame.entries}
        assert len(frames) == 1 or not seen & hidden
        for frame in frames:
            for entry in frame.entries:
                if entry.status in SHOWN:
                    home = request.state[UNTRUSTED] if entry.provenance == "tool" else request.state
                    assert isinstance(home, Mapping)
                    assert home[entry.key] == entry.value
