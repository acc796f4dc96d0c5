"""What a run works with: everything that is fixed before its first event."""

from __future__ import annotations

from dataclasses import dataclass

from interlock.contract.compiled import Contract
from interlock.journal.approvals import Approval
from interlock.journal.recording import Recorder
from interlock.judge.base import Judge
from interlock.loop.accounting import Ledger
from interlock.loop.approval import ApprovalTerms, Approver
from interlock.loop.writer import Writer
from interlock.pipeline.gating import Gating
from interlock.pipeline.host import Host
from interlock.pipeline.plan import PlanName
from interlock.pipeline.result import DecisionResult

__all__ = ["Setup", "TakenUp"]


@dataclass(frozen=True, slots=True, kw_only=True)
class TakenUp:
    """What an interrupted run had already settled about its pending call."""

    graded: DecisionResult | None = None
    """How the call was graded; it is not asked again."""
    approval: Approval | None = None
    """What a person was asked, and answered; None when nobody was asked about this call."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Setup:
    """The collaborators of one run."""

    contract: Contract
    host: Host
    judge: Judge
    writer: Writer
    gating: Gating
    recorder: Recorder
    ledger: Ledger
    approver: Approver | None
    """None: nobody can be asked, so a call that needs a person is refused, or waits."""
    terms: ApprovalTerms
    plan: PlanName = "next"
    taken_up: TakenUp = TakenUp()
