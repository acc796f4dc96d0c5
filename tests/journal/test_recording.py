"""The recorder writes first and tells afterwards, whoever listens."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone

import pytest

from interlock.contract.compiled import Contract
from interlock.errors import JournalError
from interlock.journal import Head, MemoryJournal, Record, Recorder, make_run_id, timestamp
from interlock.journal.decision_read import read_decision
from interlock.journal.recording import BEFORE_EFFECT
from interlock.journal.records import Body, EventType
from interlock.journal.verify_chain import chain_problem
from interlock.pipeline.decide import OnDecision
from interlock.pipeline.result import DecisionResult

NOW = datetime(2026, 1, 2, 3, 4, 5, 6789, tzinfo=UTC)


def _clock() -> datetime:
    return NOW


class Watched(MemoryJournal):
    """Remembers which records were asked to outlast a loss of power."""

    def __init__(self) -> None:
        super().__init__()
        self.durable: list[EventType] = []

    def append(
        self, run_id: str, kind: EventType, body: Body, *, ts: str, durable: bool = False, expected: Head | None = None
    ) -> Record:
        if durable:
            self.durable.append(kind)
        return super().append(run_id, kind, body, ts=ts, durable=durable, expected=expected)


def test_a_listener_is_told_of_every_record_once_it_is_stored() -> None:
    journal, heard = MemoryJournal(), []

    def listen(record: Record) -> None:
        assert journal.head("r") is not None
        heard.append(record)

    recorder = Recorder(journal, "r", clock=_clock, on_event=listen)
    written = [recorder.record("run_started", {"task": "t"}), recorder.record("run_ended", {})]
    assert heard == written == list(journal.records("r"))


def test_a_listener_that_raises_does_not_break_the_run_and_its_text_is_not_logged(
    caplog: pytest.LogCaptureFixture,
) -> None:
    def listen(record: Record) -> None:
        raise RuntimeError(f"canary {record.body}")

    recorder = Recorder(MemoryJournal(), "r", clock=_clock, on_event=listen)
    with caplog.at_level(logging.DEBUG, "interlock"):
        assert recorder.record("run_started", {"task": "secret"}).seq == 1
    assert "the callback raised `RuntimeError` on a `run_started` record" in caplog.text
    assert "canary" not in caplog.text
    assert "secret" not in caplog.text


def test_records_that_precede_an_effect_outlast_a_loss_of_power() -> None:
    journal = Watched()
    recorder = Recorder(journal, "r", clock=_clock)
    kinds: list[EventType] = ["run_started", "decision", "audit", "tool_about_to_run", "tool_result", "run_ended"]
    for kind in kinds:
        recorder.record(kind, {})
    assert journal.durable == [kind for kind in kinds if kind in BEFORE_EFFECT]
    assert "tool_about_to_run" in journal.durable
    assert "tool_result" not in journal.durable


def test_a_body_that_cannot_be_stored_is_an_error_and_nobody_is_told() -> None:
    heard: list[Record] = []
    recorder = Recorder(MemoryJournal(), "r", clock=_clock, on_event=heard.append)
    with pytest.raises(JournalError, match="cannot be written as JSON"):
        recorder.record("budget", {"used": float("inf")})
    assert heard == []


def test_a_decision_is_recorded_with_its_policy_and_with_state_only_when_asked(
    decisions: dict[str, DecisionResult], contract: Contract
) -> None:
    for record_state in (False, True):
        recorder = Recorder(MemoryJournal(), "r", clock=_clock, contract=contract, record_state=record_state)
        stored = read_decision(recorder.decision(decisions["answered"], step=3, cells={"task": "t"}).body)
        assert stored.policy == contract.decisions["ready"].policy
        assert stored.step == 3
        assert stored.cells == ({"task": "t"} if record_state else None)


def test_a_recorder_without_a_contract_records_no_policy(decisions: dict[str, DecisionResult]) -> None:
    stored = Recorder(MemoryJournal(), "r", clock=_clock).decision(decisions["answered"])
    assert read_decision(stored.body).policy is None


def test_times_are_utc_with_microseconds() -> None:
    assert timestamp(NOW.astimezone(timezone(timedelta(hours=-7)))) == "2026-01-02T03:04:05.006789Z"
    assert timestamp(NOW.replace(microsecond=0)) == "2026-01-02T03:04:05.000000Z"


def _moments() -> Iterator[datetime]:
    for step in (1, 999, 1_000, 60_000, 86_400_000, 400 * 86_400_000):
        yield NOW + timedelta(milliseconds=step)


def test_run_ids_sort_by_time() -> None:
    assert make_run_id(NOW, "9f3a1c") == "20260102T030405.006Z-9f3a1c"
    ids = [make_run_id(moment, token) for moment, token in zip(_moments(), "fedcba", strict=True)]
    assert ids == sorted(ids)


def test_a_recorder_listens_to_single_decisions(decisions: dict[str, DecisionResult]) -> None:
    """A loop of one's own hands `recorder.decision` to `decide` as `on_event`."""
    journal = MemoryJournal()
    listen: OnDecision = Recorder(journal, "r", clock=_clock).decision
    listen(decisions["answered"])
    assert [record.type for record in journal.records("r")] == ["decision"]


def test_a_clock_that_jumps_back_changes_no_order_and_breaks_no_chain() -> None:
    moments = [NOW, NOW - timedelta(days=400), NOW + timedelta(days=1), NOW - timedelta(days=1)]
    journal = MemoryJournal()
    recorder = Recorder(journal, "r", clock=iter(moments).__next__)
    for _ in moments:
        recorder.record("audit", {})
    with journal.snapshot() as view:
        assert [row.seq for row in view.rows("r")] == [1, 2, 3, 4]
        assert chain_problem(view, "r") is None
    assert [record.ts for record in journal.records("r")] == [timestamp(moment) for moment in moments]
