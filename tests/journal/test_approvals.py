"""An approval covers one call, once, for a while; each thing that is not so is refused with its own reason."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from interlock.errors import ApprovalError, JournalError
from interlock.journal import (
    BoundCall,
    Journal,
    MemoryJournal,
    Recorder,
    SqliteJournal,
    ToolCall,
    open_journal,
    run_ended_body,
)
from interlock.journal.approval_bodies import approval_answered_body
from interlock.journal.approval_desk import approve, deny, every_approval, open_approvals
from interlock.journal.approval_steps import answer_approval, consume_approval, request_approval
from interlock.journal.approvals import Approval, approvals_of, find_approval
from interlock.journal.base import Store
from interlock.journal.bodies import Accounting
from interlock.journal.verify_chain import chain_problem
from interlock.questions import Json

START = datetime(2026, 1, 2, 3, 4, 5, 6, tzinfo=UTC)
CALL = ToolCall(step=2, tool="delete_file", input="a.txt", arguments={"path": "a.txt", "deep": {"b": 1, "a": 2}})
BOUND = BoundCall(call=CALL, cwd="/project", contract_digest="c" * 64, frame_digest="f" * 16)
TTL = timedelta(hours=1)


class Clock:
    """Stands still until it is moved."""

    def __init__(self) -> None:
        self.now = START

    def __call__(self) -> datetime:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def recorder(any_store: Store, clock: Clock) -> Recorder:
    return _run(any_store, "run-1", clock)


def _run(journal: Journal, run_id: str, clock: Clock) -> Recorder:
    made = Recorder(journal, run_id, clock=clock)
    made.record("run_started", {"task": "t"})
    return made


def _ask(recorder: Recorder, bound: BoundCall = BOUND) -> Approval:
    return request_approval(recorder, bound, ttl=TTL, base_risk=3, reason="it deletes", judgement={"action": "x"})


def _approved(recorder: Recorder) -> Approval:
    return answer_approval(recorder, _ask(recorder).id, approved=True, by="ada", note="fine", saw="delete_file a.txt")


def _all(recorder: Recorder) -> tuple[Approval, ...]:
    with recorder.journal.snapshot() as view:
        return approvals_of(view, recorder.run_id)


def test_an_approval_goes_from_asked_to_answered_to_used_and_the_journal_says_who_when_and_what(
    recorder: Recorder, clock: Clock
) -> None:
    asked = _ask(recorder)
    assert (asked.state(clock()), asked.expires) == ("waiting", "2026-01-02T04:04:05.000006Z")
    clock.now += timedelta(minutes=5)
    answered = answer_approval(recorder, asked.id, approved=True, by="ada", note="fine", saw="delete_file a.txt")
    assert answered.state(clock()) == "approved"
    used = consume_approval(recorder, asked.id, BOUND)
    assert used.state(clock()) == "used"
    assert used.answer is not None
    assert (used.answer.by, used.answer.note, used.answer.saw) == ("ada", "fine", "delete_file a.txt")
    assert used.answer.at == "2026-01-02T03:09:05.000006Z"
    assert used.judgement == {"action": "x"}
    with recorder.journal.snapshot() as view:
        assert [row.type for row in view.rows("run-1")] == [
            "run_started",
            "approval_requested",
            "approval_answered",
            "approval_consumed",
        ]
        assert chain_problem(view, "run-1") is None


def test_the_order_in_which_arguments_are_given_is_no_difference(recorder: Recorder) -> None:
    approval = _approved(recorder)
    same = replace(CALL, arguments={"deep": {"a": 2, "b": 1}, "path": "a.txt"})
    assert consume_approval(recorder, approval.id, replace(BOUND, call=same)).used is not None


@pytest.mark.parametrize(
    ("bound", "kind", "says"),
    [
        pytest.param(
            replace(BOUND, call=replace(CALL, arguments={"path": "b.txt"})),
            "arguments",
            "for other arguments",
            id="path",
        ),
        pytest.param(
            replace(BOUND, call=replace(CALL, arguments={**CALL.arguments, "force": True})),
            "arguments",
            "for other arguments",
            id="one-argument-more",
        ),
        pytest.param(
            replace(BOUND, call=replace(CALL, tool="move_file")), "tool", "not for `move_file`", id="another-tool"
        ),
        pytest.param(replace(BOUND, cwd="/elsewhere"), "directory", "not for `/elsewhere`", id="another-directory"),
        pytest.param(replace(BOUND, contract_digest="d" * 64), "contract", "for another contract", id="contract"),
        pytest.param(replace(BOUND, frame_digest="e" * 16), "frame", "graded on another frame", id="frame"),
        pytest.param(replace(BOUND, frame_digest=None), "frame", "graded on another frame", id="no-frame"),
    ],
)
def test_another_call_is_refused_and_the_difference_named(
    recorder: Recorder, bound: BoundCall, kind: str, says: str
) -> None:
    approval = _approved(recorder)
    with pytest.raises(ApprovalError, match=says) as refused:
        consume_approval(recorder, approval.id, bound)
    assert refused.value.kind == kind
    assert _all(recorder)[0].used is None
    assert consume_approval(recorder, approval.id, BOUND).used is not None, "a refusal uses nothing up"


def test_an_approval_is_used_once(recorder: Recorder) -> None:
    approval = _approved(recorder)
    consume_approval(recorder, approval.id, BOUND)
    with pytest.raises(ApprovalError, match="was used by record 4; it covers one call, once") as refused:
        consume_approval(recorder, approval.id, BOUND)
    assert refused.value.kind == "used"
    assert len(list(recorder.journal.records("run-1"))) == 4


def test_an_approval_runs_out_and_the_journal_says_so_once(recorder: Recorder, clock: Clock) -> None:
    approval = _approved(recorder)
    clock.now += TTL
    for _ in range(2):
        with pytest.raises(ApprovalError, match=r"expired at 2026-01-02T04:04:05\.000006Z") as refused:
            consume_approval(recorder, approval.id, BOUND)
        assert refused.value.kind == "expired"
    assert [record.type for record in recorder.journal.records("run-1")][3:] == ["approval_expired"]
    assert _all(recorder)[0].state(clock()) == "expired"


def test_what_ran_out_stays_so_when_the_clock_is_set_back(recorder: Recorder, clock: Clock) -> None:
    approval = _approved(recorder)
    clock.now += TTL
    with pytest.raises(ApprovalError, match="expired"):
        consume_approval(recorder, approval.id, BOUND)
    clock.now = START
    with pytest.raises(ApprovalError, match="expired"):
        consume_approval(recorder, approval.id, BOUND)


def test_a_clock_that_stands_before_the_request_gives_no_more_time(recorder: Recorder, clock: Clock) -> None:
    approval = _approved(recorder)
    clock.now = START - timedelta(days=1)
    with pytest.raises(ApprovalError, match=r"the clock stands before 2026-01-02T03:04:05\.000006Z") as refused:
        consume_approval(recorder, approval.id, BOUND)
    assert refused.value.kind == "clock"
    clock.now = START - timedelta(seconds=2)
    assert consume_approval(recorder, approval.id, BOUND).used is not None, "two machines may differ by a little"


def test_nobody_answers_after_the_time_is_up(recorder: Recorder, clock: Clock) -> None:
    asked = _ask(recorder)
    clock.now += TTL + timedelta(seconds=1)
    with pytest.raises(ApprovalError, match="expired at"):
        answer_approval(recorder, asked.id, approved=True, by="ada")
    assert _all(recorder)[0].answer is None


@pytest.mark.parametrize("approved", [pytest.param(True, id="approved"), pytest.param(False, id="denied")])
def test_the_first_answer_stands(recorder: Recorder, approved: bool) -> None:
    asked = _ask(recorder)
    answer_approval(recorder, asked.id, approved=approved, by="ada")
    with pytest.raises(ApprovalError, match=r"was (approved|denied) by `ada` at 2026") as refused:
        answer_approval(recorder, asked.id, approved=not approved, by="bob")
    assert refused.value.kind == "answered"


def test_what_nobody_answered_or_somebody_denied_is_not_used(recorder: Recorder) -> None:
    asked = _ask(recorder)
    with pytest.raises(ApprovalError, match="nobody has answered"):
        consume_approval(recorder, asked.id, BOUND)
    answer_approval(recorder, asked.id, approved=False, by="ada")
    with pytest.raises(ApprovalError, match="was denied by `ada`"):
        consume_approval(recorder, asked.id, BOUND)


def test_a_run_that_asks_again_drops_what_it_asked_before(recorder: Recorder, clock: Clock) -> None:
    first = _approved(recorder)
    second = _ask(recorder)
    with pytest.raises(ApprovalError, match=f"the run asked again, as `{second.id[:16]}`"):
        consume_approval(recorder, first.id, BOUND)
    third = _ask(recorder)
    with pytest.raises(ApprovalError, match=f"the run asked again, as `{third.id[:16]}`"):
        answer_approval(recorder, second.id, approved=True, by="ada")
    assert [one.state(clock()) for one in _all(recorder)] == ["replaced", "replaced", "waiting"]
    assert _all(recorder)[0].replaced_by == second.id


def test_two_equal_calls_are_two_requests(recorder: Recorder) -> None:
    first = _approved(recorder)
    consume_approval(recorder, first.id, BOUND)
    second = _ask(recorder)
    assert first.id != second.id
    with pytest.raises(ApprovalError, match="nobody has answered"):
        consume_approval(recorder, second.id, BOUND)


def test_the_approval_of_another_run_is_refused(recorder: Recorder, clock: Clock) -> None:
    other = _run(recorder.journal, "run-2", clock)
    approval = _approved(other)
    _ask(recorder)
    with pytest.raises(ApprovalError, match="is of run `run-2`, not of `run-1`") as refused:
        consume_approval(recorder, approval.id, BOUND)
    assert refused.value.kind == "other-run"
    with pytest.raises(ApprovalError, match="is of run `run-2`"):
        answer_approval(recorder, approval.id, approved=True, by="ada")


@pytest.mark.parametrize("named", ["", "0" * 64, "not an id"])
def test_an_unknown_approval_is_refused(recorder: Recorder, named: str) -> None:
    _ask(recorder)
    with pytest.raises(ApprovalError, match=f"no approval `{named}`") as refused:
        consume_approval(recorder, named, BOUND)
    assert refused.value.kind == "unknown"


def test_a_run_that_has_ended_asks_no_more(recorder: Recorder, clock: Clock) -> None:
    approval = _approved(recorder)
    counters = Accounting(
        decisions=0, questions=0, requests=0, waves=0, discarded=0, writer_calls=0, tokens=None, wall_s=0.0
    )
    ended = run_ended_body(
        halt="cancelled",
        delivered=False,
        answer=None,
        draft=None,
        degraded=False,
        steps=0,
        reason=None,
        accounting=counters,
    )
    recorder.record("run_ended", ended)
    with pytest.raises(ApprovalError, match="run `run-1` has ended"):
        consume_approval(recorder, approval.id, BOUND)


def test_one_id_is_found_by_its_beginning_and_a_damaged_run_hides_no_other(clock: Clock) -> None:
    journal = MemoryJournal()
    approvals = [_ask(_run(journal, f"run-{number}", clock)) for number in range(40)]
    journal.append("broken", "approval_requested", {"tool": 1}, ts="2026")
    with journal.snapshot() as view:
        assert find_approval(view, approvals[7].id[:12]) == approvals[7]
        first = sorted(approval.id[0] for approval in approvals)
        shared = next(digit for digit in first if first.count(digit) > 1)
        with pytest.raises(ApprovalError, match=f"`{shared}` begins more than one approval"):
            find_approval(view, shared)


@pytest.mark.parametrize(
    "statement",
    [
        pytest.param(
            "INSERT INTO events SELECT run_id, 3, ts, 'approval_answered', :body, hash, '{zeros}' FROM events "
            "WHERE run_id = 'run-1' AND seq = 2",
            id="an-answer-without-its-hash",
        ),
        pytest.param(
            "INSERT INTO events SELECT run_id, 3, ts, 'approval_answered', :body, hash, '{zeros}' FROM events "
            "WHERE run_id = 'run-1' AND seq = 2; UPDATE heads SET seq = 3, hash = '{zeros}' WHERE run_id = 'run-1'",
            id="and-the-head-moved",
        ),
        pytest.param(
            "UPDATE events SET body = replace(body, 'a.txt', 'b.txt') WHERE seq = 2", id="the-request-itself-changed"
        ),
        pytest.param("UPDATE events SET ts = '2099' WHERE seq = 2", id="its-time-changed"),
        pytest.param("UPDATE events SET body = replace(body, '2026-01-02T04', '2036-01-02T04')", id="a-later-expiry"),
    ],
)
def test_an_approval_that_was_put_into_the_file_by_hand_is_refused(
    tmp_path: Path, clock: Clock, statement: str
) -> None:
    with closing(SqliteJournal(tmp_path / "journal.db")) as journal:
        recorder = _run(journal, "run-1", clock)
        asked = _ask(recorder)
        body = approval_answered_body(
            request=asked.id, binding=BOUND.binding, approved=True, by="mallory", note=None, saw=None
        )
        text = str(body).replace("'", '"').replace("True", "true").replace("None", "null")
        with closing(sqlite3.connect(tmp_path / "journal.db", isolation_level=None)) as forger:
            for part in statement.replace("{zeros}", "0" * 64).split("; "):
                forger.execute(part, {"body": text} if ":body" in part else {})
        with pytest.raises(ApprovalError, match=r"its record does not hold: .*; no approval in it is taken") as refused:
            consume_approval(recorder, asked.id, BOUND)
        assert refused.value.kind == "forged"
        with pytest.raises(ApprovalError, match="does not hold"):
            answer_approval(recorder, asked.id, approved=True, by="ada")


def test_an_answer_that_was_appended_for_no_request_cannot_be_read(recorder: Recorder) -> None:
    asked = _ask(recorder)
    body = approval_answered_body(request="0" * 64, binding=asked.binding, approved=True, by="x", note=None, saw=None)
    recorder.record("approval_answered", body)
    with pytest.raises(JournalError, match="`request` names no approval of this run before it"):
        consume_approval(recorder, asked.id, BOUND)


RACER = """
import sys
from datetime import UTC, datetime
from interlock.errors import ApprovalError
from interlock.journal import BoundCall, Recorder, ToolCall, open_journal
from interlock.journal.approval_steps import consume_approval
place, named = sys.argv[1:]
recorder = Recorder(open_journal(place), "run-1", clock=lambda: datetime.now(UTC))
call = ToolCall(step=1, tool="t", input="i", arguments={})
bound = BoundCall(call=call, cwd="/", contract_digest="c", frame_digest=None)
print("ready", flush=True)
sys.stdin.readline()
try:
    consume_approval(recorder, named, bound)
    print("won", flush=True)
except ApprovalError as error:
    print("lost" if error.kind == "used" else error.kind, flush=True)
"""


def test_of_processes_that_race_for_one_approval_exactly_one_gets_it(shared_place: str) -> None:
    call = ToolCall(step=1, tool="t", input="i", arguments={})
    bound = BoundCall(call=call, cwd="/", contract_digest="c", frame_digest=None)
    with closing(open_journal(shared_place)) as journal:
        recorder = Recorder(journal, "run-1", clock=lambda: datetime.now(UTC))
        recorder.record("run_started", {"task": "t"})
        asked = request_approval(recorder, bound, ttl=TTL, base_risk=1, reason=None, judgement=None)
        answer_approval(recorder, asked.id, approved=True, by="ada")
        command = [sys.executable, "-c", RACER, shared_place, asked.id]
        racers = [
            subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
            for _ in range(3)
        ]
        for racer in racers:
            assert racer.stdout is not None
            assert racer.stdout.readline() == "ready\n"
        for racer in racers:
            assert racer.stdin is not None
            racer.stdin.write("go\n")
        assert sorted(racer.communicate(timeout=60)[0].strip() for racer in racers) == ["lost", "lost", "won"]
        assert [record.type for record in journal.records("run-1")].count("approval_consumed") == 1


def test_of_threads_that_race_for_one_approval_exactly_one_gets_it(recorder: Recorder) -> None:
    approval = _approved(recorder)

    def attempt(_: int) -> str:
        try:
            consume_approval(recorder, approval.id, BOUND)
        except ApprovalError as error:
            return error.kind
        return "won"

    with ThreadPoolExecutor(8) as pool:
        assert sorted(pool.map(attempt, range(16))) == ["used"] * 15 + ["won"]


def test_whoever_holds_a_journal_lists_and_answers_what_waits_in_it(any_store: Store, clock: Clock) -> None:
    first, second = (_ask(_run(any_store, run_id, clock)) for run_id in ("run-1", "run-2"))
    any_store.append("broken", "approval_requested", {"tool": 1}, ts="2026")
    unread: list[str] = []
    with any_store.snapshot() as view:
        assert open_approvals(view, now=clock()) == (first, second)
        assert list(every_approval(view, unread=lambda problem: unread.append(str(problem)))) == [first, second]
    assert len(unread) == 1
    assert "run `broken` row 1" in unread[0]
    given = approve(any_store, f" {first.id[:14].upper()} ", by=" ada ", note="n", saw="s", clock=clock)
    assert given.answer is not None
    assert (given.answer.approved, given.answer.by, given.answer.note, given.answer.saw) == (True, "ada", "n", "s")
    assert deny(any_store, second.id, by="bob", clock=clock).state(clock()) == "denied"
    consume_approval(Recorder(any_store, "run-1", clock=clock), first.id, BOUND)
    with any_store.snapshot() as view:
        assert [one.id for one in open_approvals(view, now=clock())] == [second.id]
        assert open_approvals(view, now=clock() + 2 * TTL)[0].id == second.id, "a denial does not run out"


def test_nobody_answers_nothing_and_what_was_answered_stands(any_store: Store, clock: Clock) -> None:
    asked = _ask(_run(any_store, "run-1", clock))
    with pytest.raises(ApprovalError, match="by: is empty; say who answers") as refused:
        approve(any_store, asked.id, by="\t", clock=clock)
    assert refused.value.kind == "nobody"
    with pytest.raises(ApprovalError, match="no approval `ffff`"):
        approve(any_store, "ffff", by="ada", clock=clock)
    deny(any_store, asked.id, by="ada", clock=clock)
    with pytest.raises(ApprovalError, match="was denied by `ada`"):
        approve(any_store, asked.id, by="bob", clock=clock)
    other = _ask(_run(any_store, "run-2", clock))
    with pytest.raises(ApprovalError, match="expired at"):
        approve(any_store, other.id, by="ada")


def test_of_threads_that_race_to_answer_exactly_one_is_taken(recorder: Recorder) -> None:
    asked = _ask(recorder)

    def attempt(number: int) -> str:
        answer = approve if number % 2 else deny
        try:
            answer(recorder.journal, asked.id, by=f"person {number}", clock=recorder.now)
        except ApprovalError as error:
            return error.kind
        return "won"

    with ThreadPoolExecutor(4) as pool:
        assert sorted(pool.map(attempt, range(8))) == ["answered"] * 7 + ["won"]
    assert [record.type for record in recorder.journal.records("run-1")].count("approval_answered") == 1


def test_arguments_that_nothing_could_bind_are_not_asked_about(recorder: Recorder) -> None:
    deep: Json = []
    for _ in range(5000):
        deep = [deep]
    bound = replace(BOUND, call=replace(CALL, arguments={"deep": deep}))
    with pytest.raises(JournalError, match="`delete_file`: its arguments are nested too deep to be bound"):
        _ask(recorder, bound)
    assert _all(recorder) == ()
