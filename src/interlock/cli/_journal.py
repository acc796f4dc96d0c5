"""The journal that a command line means, for verbs that only read."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from interlock.journal import JournalView, MemoryJournal, read_journal
from interlock.settings import load_settings

__all__ = ["reading"]


@contextmanager
def reading(place: str | None, *, may_be_missing: bool = False) -> Iterator[JournalView]:
    """Yield a view of the journal at `place`, or where the settings say it is.

    With `may_be_missing`, a journal that nobody named and that was never written reads as one without runs.

    Raises:
        SettingsError: a setting is unknown.
        JournalError: there is no journal, or it cannot be read.
    """
    settings = load_settings(directory=Path(), environ=os.environ, flags={"journal": place})
    never_written = settings.origins["journal"] == "default" and not Path(settings.journal).exists()
    if never_written and may_be_missing:
        with MemoryJournal().snapshot() as view:
            yield view
        return
    with read_journal(settings.journal) as view:
        yield view
