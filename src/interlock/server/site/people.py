"""Questions of runs that wait for a person on the page: put there by a run's thread, answered from another one.

A question is answered once; it goes when its run is stopped. Knows nothing of pages or journals.
"""

from __future__ import annotations

import asyncio
import secrets
import threading
from collections.abc import Callable
from dataclasses import dataclass

from interlock.journal.recording import OnEvent
from interlock.journal.records import Record
from interlock.judge.human import Asked, Said

__all__ = ["People", "Seat", "Waiting"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """One question that nobody has answered yet."""

    id: str
    run_id: str
    asked: Asked


@dataclass(frozen=True, slots=True, kw_only=True)
class _Open:
    waiting: Waiting
    give: Callable[[Said], object]
    """Hands an answer to the thread that waits."""


class People:
    """The questions of all runs of this server."""

    def __init__(self) -> None:
        self._open: dict[str, _Open] = {}
        self._lock = threading.Lock()

    def seat(self, run_id: str = "") -> Seat:
        """Return where the judge of one run puts its questions; a run that begins has no id yet."""
        return Seat(self, run_id)

    def waiting(self, run_id: str) -> tuple[Waiting, ...]:
        """Return the questions of a run, oldest first."""
        with self._lock:
            return tuple(each.waiting for each in self._open.values() if each.waiting.run_id == run_id)

    def asking(self) -> tuple[str, ...]:
        """Return the runs that wait for an answer, each once."""
        with self._lock:
            return tuple(dict.fromkeys(each.waiting.run_id for each in self._open.values()))

    def answer(self, run_id: str, id_: str, said: Said) -> bool:
        """Hand an answer to the run that waits for it, and tell whether it still did; of several the first counts."""
        with self._lock:
            found = self._open.get(id_)
            if found is None or found.waiting.run_id != run_id:
                return False
            del self._open[id_]
        try:
            found.give(said)
        except RuntimeError:  # its event loop was closed meanwhile
            return False
        return True

    async def put(self, run_id: str, asked: Asked) -> Said:
        """Return what a person answers; the question goes when the caller is cancelled."""
        loop = asyncio.get_running_loop()
        answered: asyncio.Future[Said] = loop.create_future()

        def take(said: Said) -> None:
            if not answered.done():
                answered.set_result(said)

        id_ = secrets.token_hex(8)
        waiting = Waiting(id=id_, run_id=run_id, asked=asked)
        with self._lock:
            self._open[id_] = _Open(waiting=waiting, give=lambda said: loop.call_soon_threadsafe(take, said))
        try:
            return await answered
        finally:
            with self._lock:
                self._open.pop(id_, None)


class Seat:
    """The place of one run, which has an id from its first record on."""

    def __init__(self, people: People, run_id: str) -> None:
        self._people = people
        self._run_id = run_id

    def listening(self, further: OnEvent) -> OnEvent:
        """Return what learns from records which run it is, and passes them on."""

        def heard(record: Record) -> None:
            self._run_id = record.run_id
            further(record)

        return heard

    async def ask(self, asked: Asked) -> Said:
        """Put a question to whoever looks at the run."""
        return await self._people.put(self._run_id, asked)
