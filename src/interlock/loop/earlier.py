"""The tasks of earlier turns, read back from a journal.

Source: reference loop specification, state cells.
"""

from __future__ import annotations

from interlock._text import clip
from interlock.errors import JournalError
from interlock.journal.base import Journal
from interlock.questions import Json

__all__ = ["MAX_TURNS", "MAX_TURN_CHARS", "earlier_tasks"]

MAX_TURNS = 5
MAX_TURN_CHARS = 400


def earlier_tasks(journal: Journal, after: str) -> str:
    """Return the tasks of run `after` and of those before it, newest first, one per line.

    Raises:
        JournalError: there is no such run.
    """
    found: list[str] = []
    seen: set[str] = set()
    run: str | None = after
    while run is not None and run not in seen and len(found) < MAX_TURNS:
        seen.add(run)
        started = _started(journal, run)
        if started is None:
            if run == after:
                raise JournalError(f"no run `{after}` in {journal.place}; `interlock runs list` names them")
            break
        found.append(clip(" ".join(str(started.get("task", "")).split()), MAX_TURN_CHARS))
        before = started.get("after")
        run = before if isinstance(before, str) else None
    return "\n".join(found)


def _started(journal: Journal, run: str) -> dict[str, Json] | None:
    first = next(iter(journal.records(run)), None)
    return dict(first.body) if first is not None and first.type == "run_started" else None
