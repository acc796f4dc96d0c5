"""One wave: what is fused on built frames, what a failure costs, what is cancelled, and what each decision hears."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import replace

import pytest

from interlock.contract.compiled import Contract, Decision
from interlock.errors import QuestionError
from interlock.frame.spec import Exclusion, FrameField, FrameSpec
from interlock.judge.base import Caps, Failure, JudgeReply, QuestionId
from interlock.judge.readings import Identity, failed_reply
from interlock.pipeline import ENFORCE, Cells, Host, decide_wave, prepare
from interlock.pipeline.plan import plan_contract
from interlock.pipeline.prepare import Prepared
from interlock.pipeline.request import Asking, Request, requests_for, unlike
from interlock.pipeline.wave import launch
from interlock.questions import Content, Json, Question
from interlock.testing import ScriptedJudge

ANSWERS = {"ok": 0.9, "again": 0.8, "grade.risk": 1.0, "grade.auth": 0.1}
State = dict[str, object]


def _twin(decision: Decision, **bounds: int) -> Decision:
    """Return a decision like `ok` that sees the task too."""
    assert decision.frame is not None
    task = replace(decision.frame.fields[0], key="task", cell="task", provenance="caller", bound=bounds.get("task", 60))
    output = replace(decision.frame.fields[0], bound=bounds.get("output", 60))
    return replace(decision, id="again", frame=FrameSpec(fields=(output, task), exclusions=()))


def _with(contract: Contract, *decisions: Decision) -> Contract:
    return replace(contract, decisions={**contract.decisions, **{decision.id: decision for decision in decisions}})


@pytest.fixture
def both(contract: Contract) -> Contract:
    """The contract with `ok` and a twin of it that may share its request."""
    return _with(contract, _twin(contract.decisions["ok"]))


def _prepared(contract: Contract, name: str, state: Cells, host: Host) -> Prepared:
    return prepare(contract, name, state, host=host, caps=Caps(), gating=ENFORCE)


def _requests(contract: Contract, names: list[str], state: Cells, host: Host) -> list[tuple[str, ...]]:
    plan = plan_contract(contract, Caps(), name="fused")
    items = [Asking(cells=state, prepared=_prepared(contract, name, state, host)) for name in names]
    return [request.decisions for request in requests_for(items, plan)]


def test_decisions_share_a_request_when_their_frames_agree(both: Contract, host: Host, state: State) -> None:
    assert _requests(both, ["ok", "again"], state, host) == [("ok", "again")]


def test_the_state_of_a_shared_request_is_the_union_with_what_never_changes_first(
    both: Contract, host: Host, state: State
) -> None:
    plan = plan_contract(both, Caps(), name="fused")
    items = [Asking(cells=state, prepared=_prepared(both, name, state, host)) for name in ("ok", "again")]
    (request,) = requests_for(items, plan)
    assert list(request.state) == ["task", "untrusted_tool_output"]
    assert request.state == {"task": "look at b.py", "untrusted_tool_output": {"output": "3 files"}}
    assert list(request.questions) == ["ok", "again"]


@pytest.mark.parametrize(
    ("output", "together"),
    [
        pytest.param("short", True, id="bounds-that-cut-nothing-agree"),
        pytest.param("x" * 60, False, id="a-bound-that-cuts-one-of-them-does-not"),
    ],
)
def test_an_equality_is_checked_on_the_frames_as_built(
    contract: Contract, host: Host, state: State, output: str, together: bool
) -> None:
    narrow = _with(contract, _twin(contract.decisions["ok"], output=20))
    found = _requests(narrow, ["ok", "again"], {**state, "output": output}, host)
    assert found == ([("ok", "again")] if together else [("ok",), ("again",)])


def test_a_field_that_only_one_of_them_shows_keeps_them_apart(both: Contract, host: Host, state: State) -> None:
    """Not supplied for one decision and wrong for the other would show the first what it was not meant to see."""
    first = _prepared(both, "ok", state, host).frame
    second = _prepared(both, "again", {**state, "output": 7}, host).frame
    assert first is not None
    assert second is not None
    assert unlike(first, second) == "output"


def test_a_cell_that_one_excludes_is_never_in_a_request_with_it(both: Contract, host: Host, state: State) -> None:
    blind = both.decisions["ok"]
    assert blind.frame is not None
    blind = replace(blind, frame=replace(blind.frame, exclusions=(Exclusion(cell="task", reason="no"),)))
    assert _requests(_with(both, blind), ["ok", "again"], state, host) == [("ok",), ("again",)]


def test_decisions_on_different_states_do_not_share_a_request(both: Contract, host: Host, state: State) -> None:
    plan = plan_contract(both, Caps(), name="fused")
    other = {**state, "files": []}
    items = [
        Asking(cells=state, prepared=_prepared(both, "ok", state, host)),
        Asking(cells=other, prepared=_prepared(both, "again", other, host)),
    ]
    assert len(requests_for(items, plan)) == 2


def test_numbers_that_python_takes_for_equal_are_not(both: Contract, host: Host, state: State) -> None:
    """`1` and `true` are one key apart on the wire."""
    number = FrameField(
        key="n",
        bound=1,
        cell="n",
        projection=None,
        type="number",
        provenance="host",
        default=None,
        has_default=False,
        may_be_absent=False,
        reason="",
    )
    spec = FrameSpec(fields=(number,), exclusions=())
    flag = FrameSpec(fields=(replace(number, type="bool"),), exclusions=())
    contract = _with(both, replace(both.decisions["ok"], frame=spec), replace(both.decisions["again"], frame=flag))
    frames = [
        _prepared(contract, name, {**state, "n": value}, host).frame for name, value in (("ok", 1), ("again", True))
    ]
    assert frames[0] is not None
    assert frames[1] is not None
    assert unlike(frames[0], frames[1]) == "n"


class Watching:
    """Answers from a script; fails what `fails` says, after `pace` turns of the loop."""

    id = "watching"
    caps = Caps()

    def __init__(self, *, fails: frozenset[str] = frozenset(), raises: bool = False, hangs: str = "") -> None:
        self.asked: list[tuple[str, ...]] = []
        self.cancelled: list[tuple[str, ...]] = []
        self._inner = ScriptedJudge(ANSWERS)
        self._fails, self._raises, self._hangs = fails, raises, hangs

    async def answer(self, frame_state: Content, questions: Mapping[QuestionId, Question]) -> JudgeReply:
        ids = tuple(questions)
        self.asked.append(ids)
        try:
            await asyncio.sleep(3600 if self._hangs in ids else 0)
        except asyncio.CancelledError:
            self.cancelled.append(ids)
            raise
        if "+".join(ids) in self._fails:
            if self._raises:
                raise QuestionError("too many")
            identity = Identity(judge=self.id, model=self.id)
            return failed_reply(identity, frame_state, questions, Failure(reason="busy"), elapsed_s=0.0)
        return await self._inner.answer(frame_state, questions)


@pytest.mark.anyio
async def test_every_decision_keeps_its_own_frame_answers_and_digests(both: Contract, host: Host, state: State) -> None:
    judge = Watching()
    wave = await decide_wave(both, ["ok", "again", "route"], state, judge, host=host)
    assert judge.asked == [("ok", "again")]
    assert {name: one.result.action for name, one in wave.items()} == {
        "ok": "continue",
        "again": "continue",
        "route": "use_tool",
    }
    assert (wave["ok"].fused_with, wave["again"].fused_with) == (("again",), ("ok",))
    ok, again = wave["ok"].result, wave["again"].result
    assert ok.frame is not None
    assert again.frame is not None
    assert (list(ok.frame.sent), list(again.frame.sent)) == (
        ["untrusted_tool_output"],
        ["task", "untrusted_tool_output"],
    )
    assert ok.frame.digest != again.frame.digest
    assert ok.reply is not None
    assert (list(ok.reply.readings), ok.reply.usage) == (["ok"], None)
    assert list(ok.readings) == ["done"]


@pytest.mark.anyio
@pytest.mark.parametrize("raises", [pytest.param(False, id="fails"), pytest.param(True, id="raises")])
async def test_a_shared_request_that_fails_is_asked_again_apart(
    both: Contract, host: Host, state: State, raises: bool
) -> None:
    judge = Watching(fails=frozenset({"ok+again", "again"}), raises=raises)
    if raises:
        judge = Watching(fails=frozenset({"ok+again"}), raises=True)
    wave = await decide_wave(both, ["ok", "again"], state, judge, host=host)
    assert judge.asked == [("ok", "again"), ("ok",), ("again",)]
    assert wave["ok"].fused_with == ()
    assert wave["ok"].result.action == "continue"
    assert wave["again"].result.action == ("continue" if raises else "escalate")


@pytest.mark.anyio
async def test_what_is_dropped_is_cancelled_at_the_judge_once_nobody_waits(
    both: Contract, host: Host, state: State
) -> None:
    items = [Asking(cells=state, prepared=_prepared(both, name, state, host)) for name in ("ok", "again")]
    judge = Watching(hangs="again")
    first, second = launch(requests_for(items, plan_contract(both, Caps(), name="fused")), judge)
    await asyncio.sleep(0.01)
    assert await first.drop() is None
    assert judge.cancelled == []
    assert await second.drop() is None
    assert judge.cancelled == [("ok", "again")]


@pytest.mark.anyio
async def test_what_had_come_back_when_it_was_dropped_is_returned(both: Contract, host: Host, state: State) -> None:
    (inquiry,) = launch(
        requests_for(
            [Asking(cells=state, prepared=_prepared(both, "ok", state, host))],
            plan_contract(both, Caps(), name="fused"),
        ),
        Watching(),
    )
    await inquiry.heard()
    heard = await inquiry.drop()
    assert heard is not None
    assert list(heard.reply.readings) == ["ok"]


class Clerk:
    """Writes down what it is told."""

    def __init__(self) -> None:
        self.told: list[Json] = []

    def asked(self, request: Request) -> int:
        self.told.append(["asked", *request.decisions])
        return len(self.told)

    def replied(self, number: int, request: Request, reply: JudgeReply | None) -> None:
        self.told.append(["nothing" if reply is None else "replied", *request.decisions])


@pytest.mark.anyio
async def test_a_witness_hears_of_every_request_also_of_those_that_were_cancelled(
    both: Contract, host: Host, state: State
) -> None:
    clerk = Clerk()
    items = [Asking(cells=state, prepared=_prepared(both, name, state, host)) for name in ("ok", "grade")]
    requests = requests_for(items, plan_contract(both, Caps(), name="sequential"))
    first, second = launch(requests, Watching(hangs="grade.risk"), clerk)
    await first.heard()
    await second.drop()
    assert clerk.told == [["asked", "ok"], ["asked", "grade"], ["replied", "ok"], ["nothing", "grade"]]


@pytest.mark.anyio
async def test_a_wave_that_is_cancelled_leaves_nothing_under_way(both: Contract, host: Host, state: State) -> None:
    judge = Watching(hangs="grade.risk")
    task = asyncio.create_task(decide_wave(both, ["ok", "grade"], state, judge, host=host))
    await asyncio.sleep(0.01)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert judge.cancelled == [("ok", "grade.risk", "grade.auth")]
