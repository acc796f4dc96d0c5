"""What a run works with: everything that is fixed before its first event."""

from __future__ import annotations

from dataclasses import dataclass

from interlock.contract.compiled import Contract
from interlock.journal.recording import Recorder
from interlock.judge.base import Judge
from interlock.loop.accounting import Ledger
from interlock.loop.approval import Approver
from interlock.loop.writer import Writer
from interlock.pipeline.gating import Gating
from interlock.pipeline.host import Host

__all__ = ["Setup"]


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
    """None: nobody can be asked, so a call that needs a person is refused."""
