"""Endpoints over what is on record: deciding again at other thresholds, and verifying a run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from pydantic import Field

from interlock.errors import JournalError
from interlock.journal.replay_report import report, report_json
from interlock.journal.verify import head_problem
from interlock.server.site.api.endpoint import Closed, Endpoint, Failed, Given
from interlock.server.site.api.models import Name, ThisRun
from interlock.server.site.api.runs import named_run
from interlock.server.site.desk import Desk
from interlock.server.site.held_runs import HeldRuns
from interlock.server.site.verdict import verdict_of

__all__ = ["endpoints"]


class ReplayQuery(Closed):
    runs: list[Name] = Field(default=[], max_length=200, description="The runs; all when there is none.")
    contract: str = Field(default="", max_length=300, description="One on offer; empty for that of each run.")
    gates: dict[Name, Annotated[float, Field(allow_inf_nan=False)]] = Field(
        default={}, max_length=200, description="Threshold, spelt as for `--gate`, and what it is to be."
    )


class ReplayMove(Closed):
    decision: str
    was: str | None
    now: str | None
    records: int


class ReplayedDecision(Closed):
    run_id: str
    seq: int
    step: int
    decision: str
    status: str
    mode: str
    was: str | None
    now: str | None
    rule: str | None
    value: float | None
    threshold: float | None
    margin: float | None
    reason: str | None
    follows_a_change: bool = Field(description="True when an earlier decision of its run is another one now.")


class ReplayCost(Closed):
    requests: int
    tokens: int
    tokens_known_for: int


class ReplayReport(Closed):
    runs: int
    decisions: int
    counts: dict[str, dict[str, int]] = Field(description="Decision, status, and how many records came to it.")
    moves: list[ReplayMove]
    changed: list[ReplayedDecision]
    fresh: list[ReplayedDecision] = Field(description="What needs a judgement that is not on record.")
    cost: ReplayCost
    left_out: int = Field(description="Older runs that were not read, since a bound was reached.")
    damaged: list[str] = Field(description="Runs that cannot be read.")
    cut: list[str] = Field(description="Runs of which only the first decisions were read, since a bound was reached.")


class VerifyQuery(ThisRun):
    head: str = Field(
        default="", pattern="^([0-9a-f]{64})?$", description="The head of the run as it was kept elsewhere."
    )


class VerifyFinding(Closed):
    verdict: str
    seq: int | None
    type: str | None
    decision: str | None
    what: str


class RunVerdict(Closed):
    run_id: str
    verdict: str = Field(description="`verified`, `partial` where something could not be checked, or `mismatch`.")
    head: str | None
    head_problem: str | None = Field(description="What is wrong with the head that was given.")
    records: int
    decisions: int
    counts: dict[str, int]
    findings: list[VerifyFinding]


def endpoints(desk: Desk, held: HeldRuns) -> Sequence[Endpoint]:
    """Return the endpoints."""
    room = _Room(desk, held)
    return [
        Endpoint(
            method="POST", path="/api/v1/replay", name="replay",
            says="Decides recorded decisions again at other thresholds, without a judge.", tag="replay",
            takes=ReplayQuery, gives=ReplayReport, handle=room.replay, refusals=(404,),
        ),
        Endpoint(
            method="GET", path="/api/v1/runs/{run_id}/verify", name="verifyRun",
            says="Checks chain, digests and outcomes of a run.", tag="runs", takes=VerifyQuery, gives=RunVerdict,
            handle=room.verify, is_heavy=True,
        ),
    ]  # fmt: skip


class _Room:
    def __init__(self, desk: Desk, held: HeldRuns) -> None:
        self._desk = desk
        self._held = held

    def replay(self, asked: ReplayQuery) -> Given:
        if asked.contract and asked.contract not in self._desk.contracts:
            raise Failed(404, "this server does not offer such a contract")
        try:
            chosen = self._held.choose(asked.runs, asked.contract)
        except JournalError as problem:
            raise Failed(404, str(problem)) from problem
        told = report_json(report(chosen.held.decide(asked.gates)))
        return {**told, "left_out": len(chosen.left), "damaged": list(chosen.damaged), "cut": list(chosen.cut)}

    def verify(self, asked: VerifyQuery) -> Given:
        with named_run(self._desk, asked.run_id) as (view, run_id):
            check = verdict_of(view, run_id)
            problem = head_problem(view, run_id, asked.head) if asked.head else None
        return {
            "run_id": check.run_id,
            "verdict": "mismatch" if problem else check.verdict,
            "head": None if check.head is None else check.head.hash,
            "head_problem": problem,
            "records": check.records,
            "decisions": check.decisions,
            "counts": {verdict: check.counts[verdict] for verdict in check.counts},
            "findings": [
                {
                    "verdict": each.verdict,
                    "seq": each.seq,
                    "type": each.type,
                    "decision": each.decision,
                    "what": each.what,
                }
                for each in check.findings
            ],
        }
