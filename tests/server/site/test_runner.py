"""The runs of one server: how many at once, and that an end makes room."""

from __future__ import annotations

import asyncio
import time

import pytest

from interlock.errors import InterlockError
from interlock.journal.recording import OnEvent
from interlock.journal.records import Record
from interlock.server.site.runner import MAX_AT_ONCE, Runner


async def endless(run_id: str, on_event: OnEvent) -> None:
    """Begin a run, and work on it until it is stopped."""
    row = {"seq": 1, "ts": "2026-01-02T03:04:05.000Z", "text": "{}", "prev_hash": "0" * 64, "hash": "1" * 64}
    on_event(Record(run_id=run_id, type="run_started", body={}, **row))  # type: ignore[arg-type]
    await asyncio.Event().wait()


def test_no_more_runs_are_worked_on_than_fit_and_an_end_makes_room() -> None:
    runner = Runner()
    names = [f"run-{number}" for number in range(MAX_AT_ONCE)]
    assert [runner.start(lambda heard, name=name: endless(name, heard)) for name in names] == names  # type: ignore[misc]
    with pytest.raises(InterlockError, match="are at work already; wait until one has ended, or stop one"):
        runner.start(lambda heard: endless("one-more", heard))
    with pytest.raises(InterlockError, match="goes on already"):
        runner.start(lambda heard: endless("run-1", heard), run_id="run-1")

    assert runner.stop("run-0")
    assert runner.start(lambda heard: endless("one-more", heard)) == "one-more"
    runner.stop_all()
    deadline = time.monotonic() + 5
    while any(map(runner.is_working, [*names, "one-more"])) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not any(map(runner.is_working, [*names, "one-more"]))
