"""Watching a run: whoever asks for what is not there yet, or comes late, takes nothing from the others."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import anyio
import pytest

from interlock.errors import JournalError
from interlock.journal.place import open_journal
from interlock.journal.recording import Recorder
from interlock.server.site.desk import Desk
from interlock.server.site.watch import PIECE, Batch, Watches
from interlock.settings import load_settings

pytestmark = pytest.mark.anyio

RUN = "20260102T030405.000Z-00000001"


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    place = str(tmp_path / "journal.db")
    with closing(open_journal(place)):
        pass
    return Desk(
        journal=place,
        settings=load_settings(directory=tmp_path, environ={}, flags={"journal": place}),
        roots=(),
        judges=(),
        writers=(),
        contracts={},
        functions={},
        prompts=None,
        reports=(),
        key=None,
        hosts=frozenset(),
        clock=lambda: datetime.now(UTC),
        environ={},
    )


def record(desk: Desk, count: int) -> None:
    """Add records to the run; the first of all is its start."""
    with closing(open_journal(desk.journal)) as store:
        recorder = Recorder(store, RUN, clock=lambda: datetime.now(UTC))
        for number in range(count):
            recorder.record("error", {"message": f"number {number}"})


async def told(batches: AsyncIterator[Batch], until: Callable[[Sequence[int]], bool]) -> list[int]:
    """Return the numbers of the records that come, until they are enough."""
    seen: list[int] = []
    with anyio.fail_after(10):
        async for batch in batches:
            seen += [each.seq for each in batch.records]
            if until(seen):
                return seen
    raise AssertionError("the stream ended")


async def test_a_long_run_is_told_in_pieces_each_record_once(desk: Desk) -> None:
    count = 12 * PIECE + 7
    record(desk, count)
    watches = Watches(desk)

    assert await told(watches.follow(RUN, 0), lambda seen: len(seen) >= count) == list(range(1, count + 1))
    assert await told(watches.follow(RUN, count - 2), lambda seen: len(seen) == 2) == [count - 1, count]


async def test_who_waits_for_a_record_that_is_far_away_does_not_silence_the_others(desk: Desk) -> None:
    record(desk, 1)
    watches, heard = Watches(desk), dict[str, list[int]]()

    async def listen(name: str, after: int, last: int) -> None:
        heard[name] = await told(watches.follow(RUN, after), lambda seen: last in seen)

    async with anyio.create_task_group() as group:
        group.start_soon(listen, "ahead", 4, 5)
        await anyio.sleep(0.1)
        group.start_soon(listen, "in step", 1, 5)
        await anyio.sleep(0.4)
        with closing(open_journal(desk.journal)) as store:
            recorder = Recorder(store, RUN, clock=lambda: datetime.now(UTC), last=store.head(RUN))
            for _ in range(4):
                recorder.record("error", {"message": "later"})

    assert heard == {"ahead": [5], "in step": [2, 3, 4, 5]}


async def test_a_journal_that_goes_away_ends_the_stream(desk: Desk) -> None:
    record(desk, 1)
    stream = Watches(desk).follow(RUN, 0)
    assert await told(stream, lambda seen: len(seen) == 1) == [1]
    for file in Path(desk.journal).parent.glob("journal.db*"):
        file.unlink()

    with pytest.raises(JournalError, match="journal"):
        await told(stream, lambda seen: False)
