"""The runs that this server works on: each in a thread with an event loop of its own, so that no page waits for one.

Knows nothing of pages, contracts or journals.
"""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TypeAlias

from interlock.errors import InterlockError
from interlock.journal.recording import OnEvent
from interlock.journal.records import Record
from interlock.server.site.people import People

__all__ = ["Runner", "Work"]

Work: TypeAlias = Callable[[OnEvent], Awaitable[object]]
"""Works on one run, and tells of its records."""

MAX_AT_ONCE = 32
"""Runs that one server works on at once; a run that waits for an approval is not worked on."""
_PATIENCE_S = 30.0
_MOMENT_S = 3.0

log = logging.getLogger("interlock.page")


@dataclass(slots=True)
class _Job:
    begun: threading.Event = field(default_factory=threading.Event)
    ended: threading.Event = field(default_factory=threading.Event)
    run_id: str | None = None
    failure: InterlockError | None = None
    loop: asyncio.AbstractEventLoop | None = None
    task: asyncio.Task[object] | None = None


class Runner:
    """Starts and stops work; what a run came to is read from its journal."""

    def __init__(self) -> None:
        self._jobs: dict[str, _Job] = {}
        self._working = 0
        self._lock = threading.Lock()
        self.people = People()
        """Where runs put questions that a person answers."""

    def start(self, work: Work, *, run_id: str | None = None) -> str:
        """Begin `work` and return the id of its run, once there is a record of it or it has failed.

        `run_id`: the run that goes on; None for one that begins.

        Raises:
            InterlockError: it could not begin, another part of this server works on the run, or on too many.
        """
        job = _Job(run_id=run_id)
        self._enter(job)
        threading.Thread(target=self._work, args=(work, job), name="interlock-run", daemon=True).start()
        job.begun.wait(_PATIENCE_S)
        if job.failure is not None:
            raise job.failure
        if job.run_id is None:
            raise InterlockError("the run has not begun in time; look for it in the list of runs")
        return job.run_id

    def is_working(self, run_id: str) -> bool:
        """Tell whether this server works on a run."""
        return run_id in self._jobs

    def stop(self, run_id: str) -> bool:
        """Cancel the work on a run, wait for its end, and tell whether there was any; what is on record stays."""
        job = self._cancelled(run_id)
        return job is not None and job.ended.wait(_PATIENCE_S)

    def stop_all(self) -> None:
        """Cancel all work, and wait a moment for its ends to be on record."""
        cancelled = [self._cancelled(run_id) for run_id in tuple(self._jobs)]
        for job in cancelled:
            if job is not None:
                job.ended.wait(_MOMENT_S)

    def _cancelled(self, run_id: str) -> _Job | None:
        job = self._jobs.get(run_id)
        if job is None or job.loop is None or job.task is None:
            return None
        with suppress(RuntimeError):  # its loop has ended meanwhile
            job.loop.call_soon_threadsafe(job.task.cancel)
        return job

    def _enter(self, job: _Job) -> None:
        with self._lock:
            if job.run_id in self._jobs:
                raise InterlockError(f"run `{job.run_id}`: goes on already")
            if self._working >= MAX_AT_ONCE:
                raise InterlockError(f"{MAX_AT_ONCE} runs are at work already; wait until one has ended, or stop one")
            self._working += 1
            if job.run_id is not None:
                self._jobs[job.run_id] = job

    def _leave(self, job: _Job) -> None:
        with self._lock:
            self._working -= 1
            if job.run_id is not None:
                self._jobs.pop(job.run_id, None)

    def _work(self, work: Work, job: _Job) -> None:
        try:
            asyncio.run(self._performed(work, job))
        except asyncio.CancelledError:
            log.info("run %s was stopped", job.run_id)
        except InterlockError as error:
            job.failure = error
            log.warning("run %s ended with an error: %s", job.run_id, type(error).__name__)
        except Exception as error:
            job.failure = InterlockError("the run ended with an error that nobody foresaw; the server's log names it")
            log.exception("run %s ended with `%s`", job.run_id, type(error).__name__)
        finally:
            self._leave(job)
            job.begun.set()
            job.ended.set()

    async def _performed(self, work: Work, job: _Job) -> None:
        job.loop, job.task = asyncio.get_running_loop(), asyncio.current_task()

        def heard(record: Record) -> None:
            if not job.begun.is_set():
                if job.run_id is None:
                    job.run_id = record.run_id
                    self._jobs[record.run_id] = job
                job.begun.set()

        await work(heard)
