"""Verifies a journal: the chain of every run, and every record that can be computed again from what it holds.

Pure over a view of a journal. Whoever rewrites a whole chain, head included, is found only by a head kept elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias

from interlock.errors import JournalError
from interlock.journal.base import JournalView
from interlock.journal.binding import call_binding
from interlock.journal.chain import Head
from interlock.journal.decision_read import RecordedDecision, read_decision
from interlock.journal.decision_record import check_record
from interlock.journal.fields import optional_text, text
from interlock.journal.records import Body, Record, Row, read_row
from interlock.journal.redactions import RedactedRow, redactions
from interlock.journal.verify_calls import GatedCalls, call_of_body
from interlock.journal.verify_chain import ChainWalk
from interlock.journal.verify_decision import Checked, check_decision
from interlock.journal.verify_request import SharedRequests

__all__ = ["Finding", "Rederiver", "RunCheck", "Verdict", "head_problem", "verify_run", "worst"]

Verdict: TypeAlias = Literal["verified", "partial", "mismatch"]


class Rederiver(Protocol):
    """Derives again what a record alone cannot prove, for one run; it brings the host that the run had."""

    def start(self, body: Body) -> Checked:
        """Take the body of `run_started`, and check its contract."""
        ...

    def decision(self, recorded: RecordedDecision) -> Checked:
        """Check one decision of the run."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing that is wrong or could not be checked."""

    verdict: Literal["partial", "mismatch"]
    seq: int | None
    """The row; None for the end of the run."""
    type: str | None
    decision: str | None
    """The decision's id; None for a row of another type."""
    what: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RunCheck:
    """One run as verified."""

    run_id: str
    verdict: Verdict
    head: Head | None
    counts: Mapping[Verdict, int]
    """Verdict → how many records came to it."""
    decisions: int
    findings: tuple[Finding, ...]

    @property
    def records(self) -> int:
        """How many rows the run has."""
        return sum(self.counts.values())


def verify_run(view: JournalView, run_id: str, *, rederiver: Rederiver | None = None) -> RunCheck:
    """Return the verdict on every record of one run, and on its chain."""
    walk, content, head = ChainWalk(redacted=redactions(view, run_id)), _Content(rederiver), view.head(run_id)
    findings: list[Finding] = []
    counts: dict[Verdict, int] = {"verified": 0, "partial": 0, "mismatch": 0}
    for row in view.rows(run_id):
        chain = walk.follow(row)
        without = walk.redacted[row.seq] if walk.was_redacted(row) else None
        found = _findings(row, content.check(row, without), chain)
        counts[worst(item.verdict for item in found)] += 1
        findings += found
    findings += [Finding(verdict="mismatch", seq=None, type=None, decision=None, what=what) for what in walk.end(head)]
    return RunCheck(
        run_id=run_id,
        verdict=worst(item.verdict for item in findings),
        head=head,
        counts=counts,
        decisions=content.decisions,
        findings=tuple(findings),
    )


def worst(verdicts: Iterable[Verdict]) -> Verdict:
    """Return the verdict on a whole by those on its parts."""
    found = set(verdicts)
    if "mismatch" in found:
        return "mismatch"
    return "partial" if "partial" in found else "verified"


def head_problem(view: JournalView, run_id: str, kept: str) -> str | None:
    """Return why `kept`, a head noted elsewhere, is not the head of the run; None when it is."""
    head = view.head(run_id)
    if head is not None and head.hash == kept:
        return None
    for row in view.rows(run_id):
        if row.hash == kept:
            return f"the head that was kept is that of row {row.seq}: rows were added after it"
    return "the head that was kept is that of no row: the run was written anew, or the head is that of another run"


@dataclass(slots=True, kw_only=True)
class _Said:
    """What a row says, as far as it could be read and checked."""

    checked: Checked
    decision: str | None = None


class _Content:
    """What the rows of one run say, checked in order."""

    def __init__(self, rederiver: Rederiver | None) -> None:
        self.decisions = 0
        self._rederiver = rederiver
        self._contract_digest: str | None = None
        self._shared = SharedRequests()
        self._calls = GatedCalls()

    def check(self, row: Row, without: RedactedRow | None) -> _Said:
        """Check one row; `without` says what was taken out of it, None when it reads as it was written."""
        try:
            said = self._check(read_row(row), redacted=without is not None)
        except JournalError as cause:
            return _Said(checked=Checked(wrong=[f"cannot be read: {cause}"]))
        if without is not None:
            parts = ", ".join(f"`{part}`" for part in without.what)
            said.checked.unchecked.append(f"redacted: {parts} by {without.by}, see row {without.told_by}")
        return said

    def _check(self, record: Record, *, redacted: bool) -> _Said:
        said = self._check_alone(record, redacted=redacted)
        said.checked.wrong += [what for what in self._calls.take(record) if what not in said.checked.wrong]
        return said

    def _check_alone(self, record: Record, *, redacted: bool) -> _Said:
        match record.type:
            case "run_started" if record.body.get("kind") != "gateway":  # which has a judge and no contract
                self._contract_digest = text(record.body, "contract_digest")
                return _Said(checked=Checked() if self._rederiver is None else self._rederiver.start(record.body))
            case "judge_request" | "judge_reply" if not redacted:
                return _Said(checked=Checked(wrong=self._shared.take(record.type, record.body)))
            case "decision":
                self.decisions += 1
                return self._check_decision(record, redacted=redacted)
            case "decision_record":
                self.decisions += 1
                return _Said(checked=check_record(record.body), decision=text(record.body, "node"))
            case "approval_requested" if not redacted:
                return _Said(checked=_check_binding(record.body))
            case _:
                return _Said(checked=Checked())

    def _check_decision(self, record: Record, *, redacted: bool) -> _Said:
        recorded = read_decision(record.body)
        self._calls.decided(recorded)
        checked = check_decision(recorded, self._shared, redacted=redacted)
        if self._contract_digest is not None and recorded.result.contract_digest != self._contract_digest:
            checked.wrong.append("contract digest: is not that of the run")
        if self._rederiver is not None and not redacted:
            more = self._rederiver.decision(recorded)
            checked.wrong += more.wrong
            checked.unchecked += more.unchecked
        return _Said(checked=checked, decision=recorded.result.decision)


def _check_binding(body: Body) -> Checked:
    bound = call_binding(
        call_of_body(body),
        cwd=text(body, "cwd"),
        contract_digest=text(body, "contract_digest"),
        frame_digest=optional_text(body, "frame_digest"),
    )
    return Checked(wrong=[] if bound == text(body, "binding") else ["`binding` is not that of the call"])


def _findings(row: Row, said: _Said, chain: list[str]) -> list[Finding]:
    wrong = [_finding(row, said, "mismatch", what) for what in (*chain, *said.checked.wrong)]
    return wrong + [_finding(row, said, "partial", what) for what in said.checked.unchecked]


def _finding(row: Row, said: _Said, verdict: Literal["partial", "mismatch"], what: str) -> Finding:
    return Finding(verdict=verdict, seq=row.seq, type=row.type, decision=said.decision, what=what)
