"""The runs of a journal in short, and the run that a person means.

Pure over a view of a journal.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from interlock.errors import JournalError
from interlock.journal.approvals import approvals_of
from interlock.journal.base import JournalView
from interlock.journal.chain import LEDGER
from interlock.journal.records import Body, EventType, read_row
from interlock.questions import Json

__all__ = ["LAST", "RunSummary", "find_run", "kept_runs", "summarize", "summary_json"]

LAST = "last"
"""Names the newest run of a journal."""

_SHOWN_MATCHES = 5
_ENDS: Mapping[EventType, Literal["started", "ended"]] = {
    "run_started": "started",
    "run_ended": "ended",
    "engine_started": "started",
    "engine_ended": "ended",
}
"""Record → which end of a run it is; runs of the engine have their own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSummary:
    """One run in short; what its records do not say, or say in rows that cannot be read, is None."""

    run_id: str
    task: str | None
    started: str | None
    ended: str | None
    """None while it runs, and when it was killed."""
    halt: str | None
    waiting: Literal["answer", "resume"] | None
    """What a run that has not ended waits for: that somebody answers an approval, or that it is resumed with the
    answer; None when it waits for neither."""
    delivered: bool | None
    degraded: bool | None
    answer: str | None
    """What was delivered; None when nothing was."""
    decisions: int
    imported: bool
    """True for decision records that were taken in from elsewhere: they were never a run of this journal."""
    records: int
    """How many rows the head counts."""
    head: str | None
    """The hash of the last row, as the journal's head names it."""


def summarize(view: JournalView, run_id: str) -> RunSummary:
    """Return one run in short; rows other than its first and last kind are only counted."""
    found: dict[str, Body] = {}
    times: dict[str, str] = {}
    for row in view.rows(run_id, list(_ENDS)):
        try:
            record = read_row(row)
        except JournalError:  # a damaged row is `verify`'s to name
            continue
        found[_ENDS[record.type]], times[_ENDS[record.type]] = record.body, record.ts
    head, ended = view.head(run_id), found.get("ended", {})
    imported = view.count(run_id, "decision_record")
    return RunSummary(
        run_id=run_id,
        task=_text(found.get("started", {}), "task"),
        started=times.get("started"),
        ended=times.get("ended"),
        halt=_text(ended, "halt"),
        waiting=None if "ended" in found else _waiting(view, run_id),
        delivered=_flag(ended, "delivered"),
        degraded=_flag(ended, "degraded"),
        answer=_text(ended, "answer"),
        decisions=view.count(run_id, "decision") + view.count(run_id, "action") + imported,
        imported=imported > 0,
        records=0 if head is None else head.seq,
        head=None if head is None else head.hash,
    )


def summary_json(summary: RunSummary) -> dict[str, Json]:
    """Return a run in short as it is printed for machines."""
    return {
        "run_id": summary.run_id,
        "task": summary.task,
        "started": summary.started,
        "ended": summary.ended,
        "halt": summary.halt,
        "waiting": summary.waiting,
        "delivered": summary.delivered,
        "degraded": summary.degraded,
        "answer": summary.answer,
        "decisions": summary.decisions,
        "imported": summary.imported,
        "records": summary.records,
        "head": summary.head,
    }


def kept_runs(view: JournalView) -> tuple[str, ...]:
    """Return every run, oldest first; the record of deleted runs is none."""
    return tuple(run_id for run_id in view.run_ids() if run_id != LEDGER)


def find_run(view: JournalView, named: str) -> str:
    """Return the run that `named` means: its id, the beginning of one id only, or `last`.

    Raises:
        JournalError: no run, or more than one, is meant.
    """
    known = kept_runs(view)
    if named in known or (named == LEDGER and named in view.run_ids()):
        return named
    if named == LAST and known:
        return known[-1]
    matches = [run_id for run_id in known if named and run_id.startswith(named)]
    if len(matches) == 1:
        return matches[0]
    if not matches:
        raise JournalError(f"journal `{view.place}`: no run `{named}`; `interlock runs list` names them")
    shown = ", ".join(f"`{run_id}`" for run_id in matches[:_SHOWN_MATCHES])
    more = "" if len(matches) <= _SHOWN_MATCHES else f" and {len(matches) - _SHOWN_MATCHES} more"
    raise JournalError(f"journal `{view.place}`: `{named}` begins {shown}{more}; write more of one")


def _waiting(view: JournalView, run_id: str) -> Literal["answer", "resume"] | None:
    try:
        asked = approvals_of(view, run_id)
    except JournalError:  # a damaged row is `verify`'s to name
        return None
    if not asked or asked[-1].used is not None:
        return None
    return "answer" if asked[-1].answer is None else "resume"


def _text(body: Mapping[str, Json], key: str) -> str | None:
    found = body.get(key)
    return found if isinstance(found, str) else None


def _flag(body: Mapping[str, Json], key: str) -> bool | None:
    found = body.get(key)
    return found if isinstance(found, bool) else None
