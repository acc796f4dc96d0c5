"""A stream of states: in order or as they come, bounded, recorded, and taken up where it was cut short."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator, Mapping
from typing import Any

import pytest

from interlock import CallFacts, adecide_many, decide_many, reference_host
from interlock.errors import HostError, JournalError
from interlock.journal import MemoryJournal
from interlock.journal.verify import verify_run
from interlock.judge.base import Caps, JudgeReply, QuestionId
from interlock.loop.reference import shipped_contract
from interlock.loop.resume import resume
from interlock.loop.run import run
from interlock.loop.scripted import ScriptedWriter
from interlock.pipeline import Host
from interlock.questions import Content, Question
from interlock.testing import ScriptedJudge

CONTRACT = shipped_contract()
EVERY = list(CONTRACT.decisions)


@pytest.fixture
def host(tmp_path: Any) -> Host:
    return reference_host(tmp_path)


def state(index: int) -> dict[str, object]:
    return {
        "task": f"read f{index}.txt",
        "cwd": "/",
        "canWrite": False,
        "canDelete": False,
        "readFiles": [],
        "files": [f"f{index}.txt", "other.txt"],
        "history": [],
    }


def states(count: int) -> Iterator[dict[str, object]]:
    return map(state, range(count))


class Slow:
    """Answers late ones first, and counts who is under way."""

    id = "slow"
    caps = Caps()

    def __init__(self, *, hangs: bool = False) -> None:
        self.asked: list[str] = []
        self.most = 0
        self._now = 0
        self._hangs = hangs

    async def answer(self, frame_state: Content, questions: Mapping[QuestionId, Question]) -> JudgeReply:
        assert isinstance(frame_state, Mapping)
        self.asked.append(str(frame_state.get("task")))
        self._now += 1
        self.most = max(self.most, self._now)
        try:
            await asyncio.sleep(3600 if self._hangs and len(self.asked) > 5 else 0.02 / len(self.asked))
        finally:
            self._now -= 1
        return await ScriptedJudge(_answer).answer(frame_state, questions)


def _answer(_: Content, id_: QuestionId, question: Question) -> float | str:
    criteria = getattr(question, "criteria", None)
    if id_ in ("pick_tool", "pick_input"):
        return str(next(iter(criteria or {"": None})))
    return 0.9


@pytest.mark.anyio
@pytest.mark.parametrize("ordered", [pytest.param(True, id="in-order"), pytest.param(False, id="as-they-come")])
async def test_every_state_comes_once_and_no_more_are_under_way_than_asked_for(host: Host, ordered: bool) -> None:
    judge = Slow()
    found = [
        one
        async for one in adecide_many(
            CONTRACT, "needs_tool", states(40), judge, host=host, concurrency=5, ordered=ordered
        )
    ]
    indexes = [one.index for one in found]
    assert (indexes == list(range(40))) is ordered
    assert sorted(indexes) == list(range(40))
    assert judge.most == 5
    assert all(one.results["needs_tool"].action == "use_tool" and not one.recorded for one in found)
    assert all(f"f{one.index}.txt" in str(one.results["needs_tool"].frame) for one in found)


@pytest.mark.anyio
async def test_states_are_taken_as_there_is_room_for_them(host: Host) -> None:
    taken = 0

    async def endless() -> AsyncIterator[dict[str, object]]:
        nonlocal taken
        while True:
            taken += 1
            yield state(taken)

    stream = adecide_many(CONTRACT, "needs_tool", endless(), Slow(), host=host, concurrency=4)
    async for one in stream:
        if one.index == 20:
            break
    await stream.aclose()
    assert taken < 21 + 4 * 5


@pytest.mark.anyio
async def test_closing_the_stream_cancels_what_is_under_way(host: Host) -> None:
    judge = Slow(hangs=True)
    stream = adecide_many(CONTRACT, "needs_tool", states(40), judge, host=host, concurrency=4, ordered=False)
    await anext(stream)
    await stream.aclose()
    assert judge._now == 0


def test_plain_code_gets_the_same(host: Host) -> None:
    found = list(decide_many(CONTRACT, None, states(6), Slow(), host=host))
    assert [one.index for one in found] == list(range(6))
    assert [list(one.results) for one in found] == [EVERY] * 6
    assert found[3].results["pick_input"].picked == "f3.txt"


@pytest.mark.anyio
async def test_plain_code_may_run_inside_an_event_loop(host: Host) -> None:
    assert len(list(decide_many(CONTRACT, "needs_tool", states(3), Slow(), host=host))) == 3


def test_plain_code_that_stops_early_leaves_nothing_behind(host: Host) -> None:
    judge = Slow(hangs=True)
    stream = decide_many(CONTRACT, "needs_tool", states(40), judge, host=host, concurrency=4)
    next(stream)
    stream.close()
    assert judge._now == 0


def test_what_is_known_of_a_call_is_asked_for_each_state(host: Host) -> None:
    judge = ScriptedJudge({"grade_risk.risk": 0.0, "grade_risk.needs_auth": 0.1}, degraded=True)
    known = {"list_dir": CallFacts(base_risk=0, leaves_root=False)}

    def facts(cells: Mapping[str, object]) -> CallFacts | None:
        return known.get(str(cells.get("lastTool")))

    history = [{"step": 1, "tool": "x", "input": ".", "result": None}]
    rows = [{**state(at), "lastTool": tool, "history": history} for at, tool in enumerate(("list_dir", "unknown"))]
    found = list(decide_many(CONTRACT, "grade_risk", rows, judge, host=host, call_facts=facts))
    assert [one.results["grade_risk"].action for one in found] == ["auto", "ask_human"]


def test_a_stream_is_one_run_that_verifies(host: Host) -> None:
    journal = MemoryJournal()
    found = list(decide_many(CONTRACT, None, states(5), Slow(), host=host, journal=journal, record_state=True))
    with journal.snapshot() as view:
        (run_id,) = view.run_ids()
        check = verify_run(view, run_id)
    kinds = [record.type for record in journal.records(run_id)]
    assert (check.verdict, check.decisions) == ("verified", 5 * len(EVERY))
    assert (kinds[0], kinds[-1], kinds.count("judge_request")) == ("run_started", "run_ended", 5)
    shared = [record.body for record in journal.records(run_id) if record.body.get("decision") == "needs_tool"]
    assert all(body["plan"]["fused_with"] == ["pick_tool"] for body in shared)  # type: ignore[index,call-overload]
    assert len(found) == 5


@pytest.mark.parametrize("decision", [pytest.param("needs_tool", id="one"), pytest.param(None, id="whole-contract")])
def test_what_a_run_holds_is_not_asked_again(host: Host, decision: str | None) -> None:
    journal = MemoryJournal()
    cut = decide_many(CONTRACT, decision, _breaks(states(30), at=12), Slow(), host=host, journal=journal, concurrency=3)
    with pytest.raises(ZeroDivisionError):
        list(cut)
    (run_id,) = _runs(journal)
    before = {str(record.body["step"]) for record in journal.records(run_id) if record.type == "decision"}
    judge = Slow()
    found = list(decide_many(CONTRACT, decision, states(30), judge, host=host, journal=journal, resume=run_id))
    assert [one.index for one in found] == list(range(30))
    recorded = {str(one.index + 1) for one in found if one.recorded}
    assert recorded
    assert recorded <= before
    assert not {f"read f{int(step) - 1}.txt" for step in recorded} & set(judge.asked)
    again = list(decide_many(CONTRACT, decision, states(30), Slow(), host=host))
    assert [_actions(one) for one in found] == [_actions(one) for one in again]
    with pytest.raises(JournalError, match="has ended; start a new run"):
        list(decide_many(CONTRACT, decision, states(30), Slow(), host=host, journal=journal, resume=run_id))


def _breaks(rows: Iterator[dict[str, object]], *, at: int) -> Iterator[dict[str, object]]:
    for index, row in enumerate(rows):
        if index == at:
            raise ZeroDivisionError
        yield row


def _runs(journal: MemoryJournal) -> tuple[str, ...]:
    with journal.snapshot() as view:
        return view.run_ids()


def _actions(one: Any) -> list[tuple[str, str, str | None]]:
    return [(name, result.action, result.picked) for name, result in one.results.items()]


def test_other_states_than_those_of_the_run_are_refused(host: Host) -> None:
    journal = MemoryJournal()
    rows = _breaks(states(9), at=6)
    with pytest.raises(ZeroDivisionError):
        list(decide_many(CONTRACT, "needs_tool", rows, Slow(), host=host, journal=journal, concurrency=1))
    (run_id,) = _runs(journal)
    others = map(state, range(100, 109))
    with pytest.raises(JournalError, match="state 1: `needs_tool` is asked something else than what is on record"):
        list(decide_many(CONTRACT, "needs_tool", others, Slow(), host=host, journal=journal, resume=run_id))


def test_a_stream_goes_on_with_its_own_decisions_only(host: Host) -> None:
    journal = MemoryJournal()
    rows = _breaks(states(9), at=6)
    with pytest.raises(ZeroDivisionError):
        list(decide_many(CONTRACT, "needs_tool", rows, Slow(), host=host, journal=journal, concurrency=1))
    (run_id,) = _runs(journal)
    with pytest.raises(JournalError, match="its task was `decide needs_tool`, not `decide step_ok`"):
        list(decide_many(CONTRACT, "step_ok", states(9), Slow(), host=host, journal=journal, resume=run_id))


def test_a_run_of_the_loop_is_no_stream(host: Host) -> None:
    journal = MemoryJournal()
    result = run("x", judge=Slow(), writer=ScriptedWriter(["x"]), host=host, journal=journal)
    with pytest.raises(JournalError, match=f"run `{result.run_id}`: is no stream of states"):
        list(decide_many(CONTRACT, "needs_tool", states(1), Slow(), host=host, journal=journal, resume=result.run_id))


def test_what_the_judge_failed_on_is_asked_again_and_nothing_else(host: Host) -> None:
    """The run does not end before every state is decided."""

    class Down(Slow):
        down = True

        async def answer(self, frame_state: Content, questions: Mapping[QuestionId, Question]) -> JudgeReply:
            if self.down and "f3.txt" in str(frame_state):
                raise ConnectionResetError
            return await super().answer(frame_state, questions)

    journal, judge = MemoryJournal(), Down()
    found = list(decide_many(CONTRACT, None, states(6), judge, host=host, journal=journal))
    assert [one.index for one in found if one.failed] == [3]
    (run_id,) = _runs(journal)
    judge.down = False
    again = list(decide_many(CONTRACT, None, states(6), judge, host=host, journal=journal, resume=run_id))
    assert [one.index for one in again if not one.recorded] == [3]
    assert not any(one.failed for one in again)
    with journal.snapshot() as view:
        assert verify_run(view, run_id).verdict == "verified"
    with pytest.raises(JournalError, match="has ended"):
        list(decide_many(CONTRACT, None, states(6), judge, host=host, journal=journal, resume=run_id))


def test_a_stream_is_no_run_of_the_loop(host: Host) -> None:
    """Its first decision looks like the beginning of one."""
    journal = MemoryJournal()
    rows = _breaks(states(9), at=1)
    with pytest.raises(ZeroDivisionError):
        list(decide_many(CONTRACT, "needs_tool", rows, Slow(), host=host, journal=journal, concurrency=1))
    (run_id,) = _runs(journal)
    with pytest.raises(JournalError, match="it is not one of the loop"):
        resume(run_id, journal=journal, judge=Slow(), writer=ScriptedWriter(["x"]), host=host)


@pytest.mark.parametrize(
    ("decision", "options", "error", "says"),
    [
        pytest.param("needs_tol", {}, HostError, "did you mean `needs_tool`?", id="unknown-decision"),
        pytest.param("needs_tool", {"concurrency": 0}, ValueError, "from 1 to 1,024", id="nothing-at-once"),
        pytest.param("needs_tool", {"resume": "r"}, ValueError, "needs the journal", id="resume-from-nowhere"),
        pytest.param(
            "needs_tool", {"resume": "r", "journal": MemoryJournal()}, JournalError, "no run `r`", id="unknown-run"
        ),
    ],
)
def test_what_cannot_be_done_is_refused(
    host: Host, decision: str, options: dict[str, Any], error: type[Exception], says: str
) -> None:
    with pytest.raises(error, match=says):
        list(decide_many(CONTRACT, decision, states(2), Slow(), host=host, **options))
