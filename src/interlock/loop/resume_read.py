"""What `run_started` says of an interrupted run: everything that it goes on with.

Source: journal and safety specification, resume.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import get_args

from interlock.contract.capabilities import Capabilities
from interlock.contract.compile import compile_contract
from interlock.contract.compiled import Contract
from interlock.errors import ContractError, HostError, JournalError, SettingsError
from interlock.journal.base import JournalView
from interlock.journal.bodies import FORMAT
from interlock.journal.fields import (
    flag,
    number,
    one_of,
    optional_section,
    optional_text,
    optional_whole,
    section,
    text,
    whole,
)
from interlock.journal.records import Body, Record, read_rows
from interlock.journal.summary import find_run
from interlock.loop.approval import ApprovalTerms
from interlock.loop.budget import Budgets
from interlock.pipeline.gating import GapPolicy, Gating
from interlock.pipeline.host import Host
from interlock.pipeline.plan import PLANS, PlanName
from interlock.policy.rules import Mode
from interlock.questions import Json

__all__ = ["Started", "contract_of", "read_started", "require_same_tools", "started"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Started:
    """How a run was started."""

    run_id: str
    task: str
    cwd: str
    contract_text: str
    contract_digest: str
    overrides: Mapping[str, float]
    wired: Mapping[str, Json]
    """The settings by which judge and writer were made; their ids when a program made them otherwise."""
    gating: Gating
    budgets: Budgets
    plan: PlanName
    can_write: bool
    can_delete: bool
    tools: Mapping[str, int | None]
    """Name → base risk."""
    after: str | None
    record_state: bool
    terms: ApprovalTerms


def started(view: JournalView, named: str) -> Started:
    """Return how the run that `named` means was started: its id, the beginning of one, or `last`.

    Raises:
        JournalError: no run is meant, or its first record cannot be read.
    """
    run_id = find_run(view, named)
    first = next(read_rows(view.rows(run_id, ["run_started"])), None)
    if first is None:
        raise JournalError(f"run `{run_id}`: does not say how it was started")
    return read_started(first)


def read_started(record: Record) -> Started:
    """Return what the first record of a run says.

    Raises:
        JournalError: a field is missing or of another type, or a later release wrote it.
    """
    try:
        return _started(record.run_id, record.body)
    except JournalError as cause:
        raise JournalError(f"run `{record.run_id}` row {record.seq}: {cause}") from cause


def contract_of(run: Started, capabilities: Capabilities) -> Contract:
    """Return the contract of a run, compiled again from the text that the run was decided by.

    Raises:
        HostError: it does not come to the same contract with this host, or in this release.
    """
    try:
        contract = compile_contract(run.contract_text, capabilities, overrides=run.overrides)
    except (ContractError, SettingsError) as cause:
        raise HostError(f"run `{run.run_id}`: its contract does not compile for the host at hand: {cause}") from cause
    if contract.digest != run.contract_digest:
        raise HostError(
            f"run `{run.run_id}`: its contract was compiled for another host or by another release; start a new run"
        )
    return contract


def require_same_tools(run: Started, host: Host) -> None:
    """Refuse a host whose tools are not those of the run.

    Raises:
        HostError: a tool is missing, new, or declares another risk.
    """
    given = {name: tool.base_risk for name, tool in host.tools.items()}
    if given != dict(run.tools):
        differing = sorted(name for name in {*given, *run.tools} if given.get(name, -1) != run.tools.get(name, -1))
        names = ", ".join(f"`{name}`" for name in differing)
        raise HostError(f"run `{run.run_id}`: had other tools: {names}; resume it with the host that it had", differing)


def _started(run_id: str, body: Body) -> Started:
    if whole(body, "format") > FORMAT:
        raise JournalError("was written by a later release; upgrade interlock")
    overrides, tools = section(body, "overrides"), section(body, "tools")
    return Started(
        run_id=run_id,
        task=text(body, "task"),
        cwd=text(body, "cwd"),
        contract_text=text(body, "contract_text"),
        contract_digest=text(body, "contract_digest"),
        overrides={key: number(overrides, key) for key in overrides},
        wired=optional_section(body, "wired") or {"judge": text(body, "judge"), "writer": text(body, "writer")},
        gating=_gating(body),
        budgets=_budgets(section(body, "budgets")),
        plan=one_of(body, "plan", PLANS),
        can_write=flag(body, "can_write"),
        can_delete=flag(body, "can_delete"),
        tools={name: optional_whole(tools, name) for name in tools},
        after=optional_text(body, "after"),
        record_state=flag(body, "record_state"),
        terms=ApprovalTerms(ttl=timedelta(seconds=number(body, "approval_ttl_s")), park=flag(body, "park")),
    )


def _gating(body: Body) -> Gating:
    modes, gaps = section(body, "modes"), section(body, "gaps")
    return Gating(
        modes={name: one_of(modes, name, _MODES) for name in modes},
        gaps={name: one_of(gaps, name, _GAPS) for name in gaps},
    )


_MODES: tuple[Mode, ...] = get_args(Mode)
_GAPS: tuple[GapPolicy, ...] = get_args(GapPolicy)


def _budgets(body: Body) -> Budgets:
    return Budgets(
        max_steps=whole(body, "max_steps"),
        max_seconds=number(body, "max_seconds"),
        max_judge_calls=whole(body, "max_judge_calls"),
        max_writer_calls=whole(body, "max_writer_calls"),
        max_tokens=optional_whole(body, "max_tokens"),
    )
