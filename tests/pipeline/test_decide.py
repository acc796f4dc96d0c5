"""One decision from state to action: what is asked, what is read back, and what never approves."""

from __future__ import annotations

import logging
import math
from collections.abc import Mapping
from dataclasses import replace
from typing import cast

import anyio
import pytest

from interlock.contract.compiled import Contract
from interlock.errors import HostError, QuestionError
from interlock.frame import UNTRUSTED
from interlock.judge.base import Caps, Failure, Judge, JudgeReply, Reading
from interlock.judge.scripted import ScriptedJudge
from interlock.pipeline import DecisionResult, Host, adecide, decide
from interlock.policy import CallFacts, Floor
from interlock.questions import Answer, ChoiceAnswer, Content, NoulAnswer, Question, ScoreAnswer

State = dict[str, object]
READ_ONLY = CallFacts(base_risk=0, leaves_root=False)


class BrokenJudge:
    """Raises instead of answering."""

    caps = Caps()

    def __init__(self, cause: BaseException) -> None:
        self._cause = cause

    async def answer(self, frame_state: Content, questions: Mapping[str, Question]) -> JudgeReply:
        raise self._cause


class SilentJudge:
    """Returns something that is no reply."""

    caps = Caps()

    async def answer(self, frame_state: Content, questions: Mapping[str, Question]) -> JudgeReply:
        return cast("JudgeReply", None)


def test_a_decision_asks_the_frame_and_takes_the_policys_action(contract: Contract, host: Host, state: State) -> None:
    """One question goes under the decision's own id; the result holds all that a journal needs."""
    judge = ScriptedJudge({"ok": 0.9})

    result = decide(contract, "ok", state, judge, host=host)

    assert judge.seen[0].frame_state == {UNTRUSTED: {"output": "3 files"}}
    assert judge.seen[0].questions == {"ok": contract.decisions["ok"].questions["done"]}
    assert (result.decision, result.position, result.action, result.mode) == ("ok", "after-tool", "continue", "enforce")
    assert result.outcome is not None
    assert (result.outcome.rule_text, result.outcome.value) == ("prob:done >= 0.6 → continue", 0.9)
    assert result.readings["done"].answer == NoulAnswer(noul=0.9, basis="scripted")
    assert result.frame is not None
    assert result.interchange_digest is not None
    assert (len(result.frame.digest), len(result.interchange_digest)) == (16, 16)
    assert (result.contract_digest, result.would_be, result.picked, result.listed) == ("c0ffee", None, None, None)
    assert result.elapsed_s >= 0


def test_several_questions_are_asked_under_decision_and_question(contract: Contract, host: Host, state: State) -> None:
    """And read back under the contract's own ids, in its order."""
    judge = ScriptedJudge({"grade.risk": 1.0, "grade.auth": 0.1})

    result = decide(contract, "grade", state, judge, host=host)

    assert list(judge.seen[0].questions) == ["grade.risk", "grade.auth"]
    assert list(result.readings) == ["risk", "auth"]
    assert result.action == "auto_audit"


@pytest.mark.parametrize(
    ("tool", "floor", "action"),
    [
        pytest.param("list", 0.0, "auto", id="read-only"),
        pytest.param("write", 1.0, "auto_audit", id="a-write-is-audited-whatever-the-judge-says"),
        pytest.param("remove", 3.0, "ask_human", id="destructive"),
        pytest.param("unheard_of", 2.0, "ask_human", id="unknown-takes-the-value-for-absent"),
    ],
)
def test_the_hosts_fact_bounds_the_score(
    contract: Contract, host: Host, state: State, *, tool: str, floor: float, action: str
) -> None:
    """A judge that calls everything harmless opens nothing that the tool table closes."""
    judge = ScriptedJudge({"grade.risk": 0.0, "grade.auth": 0.0})

    result = decide(contract, "grade", state | {"tool": tool}, judge, host=host)

    assert result.floors == (Floor(question="risk", value=floor),)
    assert result.action == action


def test_a_floor_without_its_cell_is_absent(contract: Contract, host: Host, state: State) -> None:
    """Nothing known of the call is not harmless."""
    result = decide(contract, "grade", {"task": state["task"]}, ScriptedJudge({}), host=host)

    assert result.floors == (Floor(question="risk", value=2),)


def _raise(_: object) -> object:
    raise KeyError


@pytest.mark.parametrize(
    "projected",
    [
        pytest.param(_raise, id="raises"),
        pytest.param(lambda _: "1", id="text"),
        pytest.param(lambda _: False, id="a-boolean"),
        pytest.param(lambda _: math.nan, id="nan"),
        pytest.param(lambda _: 17, id="beyond-the-levels"),
    ],
)
def test_a_floor_that_cannot_be_computed_is_the_highest_level(
    contract: Contract, host: Host, state: State, projected: object
) -> None:
    """A broken fact closes."""
    broken = replace(host, projections={"toolRisk": projected})  # type: ignore[dict-item]  # a host may bring anything

    result = decide(contract, "grade", state, ScriptedJudge({"grade.risk": 0.0, "grade.auth": 0.0}), host=broken)

    assert result.floors == (Floor(question="risk", value=3.0),)
    assert result.action == "ask_human"


@pytest.mark.parametrize(
    ("judge", "kind", "reason"),
    [
        pytest.param(BrokenJudge(TimeoutError()), "transport_error", "timeout", id="timeout"),
        pytest.param(BrokenJudge(ConnectionRefusedError()), "transport_error", "connect", id="refused"),
        pytest.param(BrokenJudge(ValueError("secret text")), "transport_error", "server", id="a-bug-in-a-judge"),
        pytest.param(SilentJudge(), "invalid_response", "envelope", id="no-reply"),
        pytest.param(
            ScriptedJudge([Failure(reason="busy", retryable=True)]), "transport_error", "busy", id="a-failed-call"
        ),
        pytest.param(ScriptedJudge({"ok": None}), "unscored", "abstained", id="abstained"),
        pytest.param(ScriptedJudge({}), "not_asked", "no-recording", id="not-in-the-script"),
    ],
)
def test_a_judge_that_fails_approves_nothing(
    contract: Contract, host: Host, state: State, *, judge: Judge, kind: str, reason: str
) -> None:
    """The failure is a reading, the action the policy's for a missing answer, the reason in the outcome."""
    result = decide(contract, "ok", state, judge, host=host)

    reading = result.readings["done"]
    assert (reading.kind, reading.reason, reading.answer) == (kind, reason, None)
    assert result.action == "escalate"
    assert result.outcome is not None
    assert result.outcome.reason == f"no answer to `done`: {kind}/{reason}"
    assert result.reply is not None
    assert len(result.reply.request_digest) == 64
    assert "secret" not in repr(result)


def test_a_question_that_cannot_be_asked_is_the_callers_error(contract: Contract, host: Host, state: State) -> None:
    """It is not a failure of the backend."""
    with pytest.raises(QuestionError, match="criteria: broken"):
        decide(contract, "ok", state, BrokenJudge(QuestionError("criteria: broken")), host=host)


@pytest.mark.anyio
async def test_cancelling_a_decision_is_not_a_judgement(contract: Contract, host: Host, state: State) -> None:
    """Cancellation passes through and nothing is decided."""
    taken: list[DecisionResult] = []

    class SlowJudge:
        caps = Caps()

        async def answer(self, frame_state: Content, questions: Mapping[str, Question]) -> JudgeReply:
            await anyio.sleep_forever()
            raise AssertionError

    with anyio.move_on_after(0.02) as scope:
        await adecide(contract, "ok", state, SlowJudge(), host=host, on_event=taken.append)

    assert scope.cancelled_caught
    assert taken == []


def reading(answer: Answer | None, **changes: object) -> Reading:
    base = Reading(kind="answered", reason="ok", answer=answer, judge="odd")
    return replace(base, **changes)  # type: ignore[arg-type]  # a row of a table


NOUL = NoulAnswer(noul=0.9, basis="decision_model")


@pytest.mark.parametrize(
    ("decision", "given", "kind", "reason"),
    [
        pytest.param("ok", None, "invalid_response", "answer-ids", id="the-id-is-missing"),
        pytest.param(
            "ok",
            reading(ScoreAnswer(score=1.0, probabilities=(0.0, 1.0), basis="rule")),
            "invalid_response",
            "answer-type",
            id="another-type",
        ),
        pytest.param("ok", reading(None), "invalid_response", "answer-type", id="answered-with-nothing"),
        pytest.param(
            "ok", reading(cast("Answer", "yes")), "invalid_response", "answer-type", id="something-that-is-no-answer"
        ),
        pytest.param(
            "ok", reading(NoulAnswer(noul=math.nan, basis="rule")), "invalid_response", "noul-range", id="not-a-number"
        ),
        pytest.param(
            "ok", reading(NOUL, kind="transport_error", reason="timeout"), "transport_error", "timeout", id="too-late"
        ),
        pytest.param("ok", reading(NOUL, kind="unscored", reason="low-mass"), "unscored", "low-mass", id="low-mass"),
        pytest.param(
            "pick",
            reading(ChoiceAnswer(choice="z.py", probabilities={"z.py": 1.0}, basis="rule")),
            "invalid_response",
            "option-keys",
            id="options-of-its-own",
        ),
        pytest.param(
            "pick",
            reading(ChoiceAnswer(choice="z.py", probabilities={"a.py": 1.0, "b.py": 0.0, "c.py": 0.0}, basis="rule")),
            "invalid_response",
            "not-an-option",
            id="not-offered",
        ),
        pytest.param(
            "pick",
            reading(ChoiceAnswer(choice="z.py", probabilities=None, basis="label_only"), kind="unscored"),
            "invalid_response",
            "not-an-option",
            id="a-label-that-was-not-offered",
        ),
    ],
)
def test_what_was_not_asked_is_not_an_answer(
    contract: Contract,
    host: Host,
    state: State,
    *,
    decision: str,
    given: Reading | None,
    kind: str,
    reason: str,
) -> None:
    """A reply is checked against its question whatever judge it came from; a label not offered is never picked."""

    class OddJudge(ScriptedJudge):
        async def answer(self, frame_state: Content, questions: Mapping[str, Question]) -> JudgeReply:
            reply = await super().answer(frame_state, questions)
            return replace(reply, readings={} if given is None else dict.fromkeys(questions, given))

    result = decide(contract, decision, state, OddJudge({}), host=host)

    (found,) = result.readings.values()
    assert (found.kind, found.reason, found.answer) == (kind, reason, None)
    assert (result.action, result.picked) == ("escalate", None)


def test_a_label_without_probabilities_is_a_pick_without_a_number(contract: Contract, host: Host, state: State) -> None:
    """It is recorded as picked and no bar lets it through."""
    answer = ChoiceAnswer(choice="b.py", probabilities={"b.py": 1.0}, basis="decision_model")
    judge = ScriptedJudge({"pick": reading(answer, kind="unscored", reason="no-probabilities")})

    result = decide(contract, "pick", state, judge, host=host)

    assert result.readings["file"].answer == ChoiceAnswer(choice="b.py", probabilities=None, basis="label_only")
    assert (result.picked, result.action) == ("b.py", "escalate")


def test_a_judge_may_take_a_single_option_itself(contract: Contract, host: Host, state: State) -> None:
    """Such a reading has an answer although nothing was asked."""
    answer = ChoiceAnswer(choice="b.py", probabilities={"a.py": 0.0, "b.py": 1.0, "c.py": 0.0}, basis="single")
    judge = ScriptedJudge({"pick": reading(answer, kind="not_asked", reason="single-option")})

    result = decide(contract, "pick", state, judge, host=host)

    assert (result.picked, result.action) == ("b.py", "use")


@pytest.mark.parametrize(
    ("call", "action"),
    [
        pytest.param(READ_ONLY, "auto", id="reading"),
        pytest.param(CallFacts(base_risk=1, leaves_root=False), "ask_human", id="a-write-without-audit"),
        pytest.param(None, "ask_human", id="nothing-known"),
    ],
)
def test_a_degraded_answer_does_not_open_the_gate(
    contract: Contract, host: Host, state: State, call: CallFacts | None, action: str
) -> None:
    """Beyond harmless calls a person is asked, and the reason is on record."""
    judge = ScriptedJudge({"grade.risk": 0.0, "grade.auth": 0.0}, degraded=True)

    result = decide(contract, "grade", state, judge, host=host, call_facts=call)

    assert (result.action, result.degraded, result.call_facts) == (action, True, call)
    assert result.outcome is not None
    assert (result.outcome.reason is None) is (action == "auto")


def test_elsewhere_a_degraded_answer_acts_and_is_marked(contract: Contract, host: Host, state: State) -> None:
    """Only the gate before a call is limited."""
    result = decide(contract, "ok", state, ScriptedJudge({"ok": 0.95}, degraded=True), host=host)

    assert (result.action, result.degraded) == ("continue", True)


def test_an_event_and_a_log_line_tell_of_the_decision_without_its_state(
    contract: Contract, host: Host, state: State, caplog: pytest.LogCaptureFixture
) -> None:
    """The callback gets the result; the log gets names only."""
    taken: list[DecisionResult] = []
    caplog.set_level(logging.DEBUG, logger="interlock")

    result = decide(
        contract, "ok", state | {"output": "hunter2"}, BrokenJudge(OSError()), host=host, on_event=taken.append
    )

    assert taken == [result]
    assert caplog.messages == ["judge BrokenJudge raised OSError on ok", "decision ok at after-tool: escalate"]


def test_a_result_does_not_change_with_the_state(contract: Contract, host: Host, state: State) -> None:
    """The caller may go on with its lists."""
    result = decide(contract, "pick", state, ScriptedJudge({"pick": "b.py"}), host=host)
    before = repr(result)

    cast("list[str]", state["files"]).append("d.py")

    assert repr(result) == before


def test_a_decision_that_does_not_exist_is_refused_with_the_nearest(
    contract: Contract, host: Host, state: State
) -> None:
    """Nothing is asked."""
    with pytest.raises(HostError, match="contract: no decision `grad`; did you mean `grade`"):
        decide(contract, "grad", state, ScriptedJudge({}), host=host)


def test_a_contract_compiled_for_another_host_is_refused(contract: Contract, host: Host, state: State) -> None:
    """Its provenance and floors would be those of the other one."""
    other = replace(contract, capabilities=replace(contract.capabilities, floors={}))

    with pytest.raises(HostError, match="compiled for other capabilities"):
        decide(other, "ok", state, ScriptedJudge({}), host=host)
    same = replace(contract, capabilities=replace(contract.capabilities))
    assert decide(same, "ok", state, ScriptedJudge({"ok": 0.9}), host=host).action == "continue"


@pytest.mark.anyio
async def test_the_plain_door_says_what_to_await_inside_a_loop(contract: Contract, host: Host, state: State) -> None:
    """Blocking there would stop everything else."""
    with pytest.raises(HostError, match="decide: an event loop is already running here; write `await adecide"):
        decide(contract, "ok", state, ScriptedJudge({}), host=host)
