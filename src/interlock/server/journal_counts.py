"""The counts of a journal for whoever scrapes a server: each scrape reads what was added since the one before.

Source: journal and safety specification, journal.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from threading import Lock

from interlock.errors import JournalError
from interlock.journal.base import JournalView
from interlock.journal.metrics import ROWS_PER_LOOK, JournalCounts

__all__ = ["ScrapedJournal"]

log = logging.getLogger("interlock.gateway")


class ScrapedJournal:
    """One journal and what of it was counted so far; a long one is caught up with over several scrapes.

    `look` gives the journal as it is at one moment.
    """

    def __init__(
        self, look: Callable[[], AbstractContextManager[JournalView]], *, rows_per_scrape: int = ROWS_PER_LOOK
    ) -> None:
        self._view = look
        self._rows = rows_per_scrape
        self._counts = JournalCounts()
        self._lock = Lock()

    def __call__(self) -> Sequence[str]:
        """Return the lines of the exposition format; of a journal that cannot be read, those of the last scrape."""
        with self._lock:
            up = self._look()
            return [
                *self._counts.lines(),
                "# HELP interlock_journal_up Whether the journal could be read at this scrape.",
                "# TYPE interlock_journal_up gauge",
                f"interlock_journal_up {up:d}",
            ]

    def _look(self) -> bool:
        try:
            with self._view() as view:
                self._counts.look(view, rows=self._rows)
        except JournalError as error:
            log.warning("metrics: %s", error)
            return False
        return True
