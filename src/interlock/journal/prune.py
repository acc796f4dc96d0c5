"""Which runs are older than somebody wants to keep, and the record that stands for a run that was deleted.

Pure over a view. A chain belongs to one run, so a run can go as a whole without breaking another one; that it was
there, how long it was and what its head was stays in the chain of the run `LEDGER`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from interlock.errors import JournalError, UsageError
from interlock.journal.base import JournalView
from interlock.journal.chain import LEDGER, Head
from interlock.journal.fields import text
from interlock.journal.records import read_row, timestamp
from interlock.questions import Json

__all__ = ["OldRun", "old_runs", "parse_age", "pruned_body", "pruned_with_head"]

_UNITS = {"h": timedelta(hours=1), "d": timedelta(days=1), "w": timedelta(weeks=1)}


@dataclass(frozen=True, slots=True, kw_only=True)
class OldRun:
    """One run whose last record is older than the limit."""

    run_id: str
    head: Head
    first_ts: str
    last_ts: str


def parse_age(text: str) -> timedelta:
    """Return the age that `text` spells: a number and `h`, `d` or `w`, such as `30d`.

    Raises:
        UsageError: it spells none.
    """
    found = re.fullmatch(r"(\d{1,5})([hdw])", text.strip())
    if found is None:
        raise UsageError(f"age `{text}`: write a number of hours, days or weeks, such as `12h`, `30d` or `8w`")
    return int(found[1]) * _UNITS[found[2]]


def old_runs(view: JournalView, *, now: datetime, older_than: timedelta) -> Iterator[OldRun]:
    """Yield the runs whose last record was written before `now` less the age, oldest first.

    Two rows of each are read; all of them only where the end of a run was cut off.
    """
    limit, heads = timestamp(now - older_than), view.heads()
    for run_id in view.run_ids():
        head = heads.get(run_id)
        if run_id == LEDGER or head is None:
            continue
        last_ts = _last_ts(view, run_id, head)
        if last_ts < limit:
            first = next(view.rows(run_id), None)
            yield OldRun(run_id=run_id, head=head, first_ts="" if first is None else first.ts, last_ts=last_ts)


def _last_ts(view: JournalView, run_id: str, head: Head) -> str:
    for after in (head.seq - 1, None):
        last_ts = max((row.ts for row in view.rows(run_id, after=after)), default="")
        if last_ts:
            return last_ts
    return ""


def pruned_body(run: OldRun, *, by: str) -> dict[str, Json]:
    """Return the body of `pruned`: what was deleted, and who did it."""
    return {
        "run_id": run.run_id,
        "records": run.head.seq,
        "head": run.head.hash,
        "first_ts": run.first_ts,
        "last_ts": run.last_ts,
        "by": by,
    }


def pruned_with_head(view: JournalView, head: str) -> str | None:
    """Return the run with this head that was deleted, and when; None when none was."""
    for row in view.rows(LEDGER, ["pruned"]):
        try:
            record = read_row(row)
            if text(record.body, "head") == head:
                return f"the head that was kept is that of run `{text(record.body, 'run_id')}`, pruned at {record.ts}"
        except JournalError:  # `verify` names it
            continue
    return None
