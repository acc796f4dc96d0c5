"""The journal that a command line means."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from interlock.journal import JournalView, MemoryJournal, read_journal
from interlock.journal.base import Store
from interlock.journal.place import open_journal
from interlock.settings import load_settings

__all__ = ["reading", "writing"]


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


@contextmanager
def writing(place: str | None, *, must_exist: bool) -> Iterator[Store]:
    """Yield the journal at `place`, or where the settings say it is; it is made when missing and may be.

    Raises:
        SettingsError: a setting is unknown.
        JournalError: there is no journal, or it cannot be written.
    """
    settings = load_settings(directory=Path(), environ=os.environ, flags={"journal": place})
    if must_exist:
        with read_journal(settings.journal):
            pass
    with closing(open_journal(settings.journal)) as store:
        yield store
