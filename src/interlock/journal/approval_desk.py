"""Approvals for whoever answers them: what waits in a journal, and a yes or no to one of it.

Any process that can write the journal may answer; nothing runs here. There is no way to answer several at once.
Source: journal and safety specification, approvals.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime

from interlock.errors import ApprovalError, JournalError
from interlock.journal.approval_checks import require_intact
from interlock.journal.approval_steps import answer_approval
from interlock.journal.approvals import Approval, approvals_of, find_approval
from interlock.journal.base import Journal, JournalView
from interlock.journal.recording import Clock, Recorder
from interlock.journal.summary import kept_runs

__all__ = ["approve", "deny", "every_approval", "is_open", "open_approvals"]

_OPEN = ("waiting", "approved", "denied")
"""States in which somebody has something left to do: answer it, or resume the run."""


def _now() -> datetime:
    return datetime.now(UTC)


def open_approvals(view: JournalView, *, now: datetime | None = None) -> tuple[Approval, ...]:
    """Return what waits for an answer, and what is answered and waits for its run to go on, oldest run first.

    A run whose records cannot be read is passed over; `verify` names it.
    """
    moment = _now() if now is None else now
    return tuple(one for one in every_approval(view) if is_open(one, moment))


def every_approval(view: JournalView, *, unread: Callable[[JournalError], object] | None = None) -> Iterator[Approval]:
    """Yield every approval of a journal, oldest run first; `unread` is told of a run whose records cannot be read."""
    for run_id in kept_runs(view):
        try:
            yield from approvals_of(view, run_id)
        except JournalError as problem:
            if unread is not None:
                unread(problem)


def is_open(approval: Approval, now: datetime) -> bool:
    """Tell whether somebody has something left to do about it."""
    return not approval.ended and approval.state(now) in _OPEN


def approve(
    journal: Journal, named: str, *, by: str, note: str | None = None, saw: str | None = None, clock: Clock = _now
) -> Approval:
    """Let one call run, once, exactly as it was asked for, and return the approval; its run makes the call.

    `named` is an id or the beginning of one; `by` and `note` say who answers and why, `saw` what they were shown.

    Raises:
        ApprovalError: it may not be answered, or is not known; `kind` says why.
        JournalError: the answer could not be recorded.
    """
    return _answer(journal, named, approved=True, by=by, note=note, saw=saw, clock=clock)


def deny(
    journal: Journal, named: str, *, by: str, note: str | None = None, saw: str | None = None, clock: Clock = _now
) -> Approval:
    """Refuse one call, and return the approval; its run ends its steps there. The arguments are those of `approve`.

    Raises:
        ApprovalError: as `approve`.
        JournalError: as `approve`.
    """
    return _answer(journal, named, approved=False, by=by, note=note, saw=saw, clock=clock)


def _answer(
    journal: Journal, named: str, *, approved: bool, by: str, note: str | None, saw: str | None, clock: Clock
) -> Approval:
    name = by.strip()
    if not name:
        raise ApprovalError("nobody", "by: is empty; say who answers")
    with journal.snapshot() as view:
        approval = find_approval(view, named.strip().lower())
        require_intact(view, approval.run_id)
    recorder = Recorder(journal, approval.run_id, clock=clock)
    return answer_approval(recorder, approval.id, approved=approved, by=name, note=note, saw=saw)
