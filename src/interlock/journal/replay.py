"""Decides recorded decisions again, under another contract or other thresholds, without asking a judge.

Pure over records, and streams: no more than one record is held. Each decision is decided on the frame it was
recorded with; what a changed action would have led to is not known.
Source: journal and safety specification, replay.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from interlock.contract.compiled import Decision
from interlock.journal.basis import Bases, Basis
from interlock.journal.comparable import Comparison, compare, record_difference, what_differs
from interlock.journal.records import EventType, Record
from interlock.journal.replay_read import Recorded, read_recorded
from interlock.pipeline.gating import ENFORCE, gap_policy
from interlock.pipeline.outcome import outcome_of, refused
from interlock.policy.evaluate import evaluate
from interlock.policy.rules import Mode, Outcome

__all__ = ["CHANGES", "REPLAYED", "Comparisons", "Pending", "Redecided", "Status", "pend", "redecide", "resettle"]

REPLAYED: tuple[EventType, ...] = ("run_started", "decision")
"""The types of records that are read; others may be left out."""

Status: TypeAlias = Literal["same", "changed", "fresh", "gone", "unjudged", "discarded", "unknown"]
"""`fresh` needs a judgement that is not on record; `gone` is not in the new contract; `unjudged` was settled by mode
or code, and still is; `discarded` was asked early and never acted; `unknown` is of a run that holds no contract, where
none was named."""
CHANGES: frozenset[Status] = frozenset(("changed", "fresh", "gone"))
"""After one of these a run might have gone another way."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Redecided:
    """One recorded decision under the new contract."""

    run_id: str
    seq: int
    step: int
    decision: str
    status: Status
    mode: Mode
    was: str | None
    """The action its policy came to; None when nothing was judged."""
    outcome: Outcome | None = None
    """What its policy comes to now; None where that is not known, or nothing is judged."""
    reason: str | None = None
    """Why a judgement is needed."""
    request: str | None = None
    """The request that brings it, named within the run; None where none is needed."""
    tokens: int | None = None
    """What that request took when it was made; None when the judge did not tell, or it was not made."""
    follows_a_change: bool = False
    """True when an earlier decision of its run is another one now: the run might not have come here."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pending:
    """A recorded decision whose record holds all that its decision under the new contract is decided from."""

    recorded: Recorded
    new: Decision
    """As the contract has it, with the thresholds of the basis."""
    refuses: bool
    """True when a gap keeps the judge from being asked now."""


class Comparisons:
    """Versions of one decision, compared once."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, str, str], Comparison] = {}

    def __call__(self, basis: Basis, digest: str, new: Decision) -> Comparison | None:
        """Return what changed since the contract with `digest`; None when that contract is not known."""
        key = (digest, "" if basis.new is None else basis.new.digest, new.id)
        old = basis.known.get(digest)
        before = None if old is None else old.decisions.get(new.id)
        if before is not None and key not in self._known:
            self._known[key] = compare(before, new)
        return self._known.get(key)


def redecide(records: Iterable[Record], bases: Bases) -> Iterator[Redecided]:
    """Yield every recorded decision as it is decided now, in the order of `records`, which hold whole runs.

    Raises:
        JournalError: a record cannot be read.
        SettingsError: a threshold set from outside does not exist.
        ContractError: a contract does not compile with the thresholds that are set.
    """
    comparisons = Comparisons()
    run_id: str | None = None
    for record in records:
        if record.run_id != run_id:
            run_id, changed, basis = record.run_id, False, bases.of_run(record)
        if record.type == "decision":
            pending = pend(read_recorded(record), basis, comparisons)
            found = resettle(pending, pending.new) if isinstance(pending, Pending) else pending
            yield replace(found, follows_a_change=True) if changed else found
            changed = changed or found.status in CHANGES


def pend(recorded: Recorded, basis: Basis, comparisons: Comparisons) -> Pending | Redecided:
    """Return what became of a record where no policy decides it again, and else what one decides it from.

    Nothing here depends on a threshold of `basis`.
    """
    if basis.new is None:
        return _said(recorded, "unknown")
    new = basis.new.decisions.get(recorded.decision)
    settled = _settled(recorded, new)
    if settled is not None or new is None:
        return _said(recorded, settled or "gone")
    reason = _why_fresh(recorded, basis, comparisons, new)
    if reason is not None:
        return _said(recorded, "fresh", reason=reason, asks=new.frame is not None)
    return Pending(recorded=recorded, new=new, refuses=_refuses(recorded, basis, new))


def resettle(pending: Pending, new: Decision) -> Redecided:
    """Return the decision under `new`, which differs in thresholds at most from the decision that it was pended for."""
    outcome = _outcome(pending, new)
    same = outcome.action == pending.recorded.action
    return _said(pending.recorded, "same" if same else "changed", outcome=outcome)


def _said(
    recorded: Recorded,
    status: Status,
    *,
    outcome: Outcome | None = None,
    reason: str | None = None,
    asks: bool = False,
) -> Redecided:
    return Redecided(
        run_id=recorded.run_id,
        seq=recorded.seq,
        step=recorded.step,
        decision=recorded.decision,
        status=status,
        mode=recorded.mode,
        was=recorded.action,
        outcome=outcome,
        reason=reason,
        request=(recorded.request or str(recorded.seq)) if asks else None,
        tokens=recorded.tokens if asks else None,
    )


def _settled(recorded: Recorded, new: Decision | None) -> Status | None:
    """Return what becomes of a decision that no policy decides again; None when one does."""
    if recorded.discarded:
        return "discarded"
    if new is None:
        return "gone"
    if recorded.action is None and (recorded.mode == "off" or new.frame is None):
        return "unjudged"
    return None


def _why_fresh(recorded: Recorded, basis: Basis, comparisons: Comparisons, new: Decision) -> str | None:
    """Return why the record does not hold the judgement that `new` needs; None when it does."""
    if new.frame is None:
        return "the host's code decides it now" if recorded.framed else None
    if not recorded.framed:
        return "a judge answers it now"
    comparison = comparisons(basis, recorded.contract_digest, new)
    if comparison is None:
        found = record_difference(recorded.body, new)
    elif comparison.settled and not recorded.was_open:
        found = None
    else:
        found = what_differs(recorded.body, comparison)
    if found is None and recorded.gap_refused and not _refuses(recorded, basis, new):
        return "a gap kept the judge from being asked, and does no more"
    return found


def _outcome(pending: Pending, new: Decision) -> Outcome:
    """Return what the policy of `new` makes of the recorded answers."""
    recorded = pending.recorded
    if not recorded.framed:
        return evaluate(new.policy, {}) if recorded.by_rule else refused(new, "the host's code failed")
    if pending.refuses:
        return refused(new, f"gap in the frame: {', '.join(recorded.gaps)}")
    return outcome_of(new, recorded.readings, recorded.floors, recorded.call)


def _refuses(recorded: Recorded, basis: Basis, new: Decision) -> bool:
    """Tell whether a gap keeps the judge from being asked now.

    Where a run does not say how its gap policies were set, what was not the default is taken to be set still.
    """
    if not recorded.gaps or not recorded.was_open:
        return False
    if basis.gating is not None:
        return gap_policy(basis.gating, new) == "refuse"
    old = basis.known.get(recorded.contract_digest)
    before = None if old is None else old.decisions.get(recorded.decision)
    if before is None or (gap_policy(ENFORCE, before) == "refuse") != recorded.gap_refused:
        return recorded.gap_refused
    return gap_policy(ENFORCE, new) == "refuse"
