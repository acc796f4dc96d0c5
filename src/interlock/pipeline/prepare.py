"""Everything about one decision that is settled before a judge is asked: mode, frame, candidates, gaps, floors.

Calls the host's functions and no judge.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import TypeAlias

from interlock.contract.compiled import Contract, Decision
from interlock.diagnostics import did_you_mean
from interlock.errors import HostError
from interlock.frame.build import build_frame
from interlock.frame.digest import interchange_digest
from interlock.frame.gaps import gaps
from interlock.frame.spec import Frame, FrameSpec, StateView
from interlock.judge.base import Caps, QuestionId
from interlock.pipeline.floors import floors_for
from interlock.pipeline.gating import Gating, gap_policy, require_gating, safe_action
from interlock.pipeline.host import Cells, Host
from interlock.pipeline.menu import Menu, fill_menu
from interlock.pipeline.outcome import refused
from interlock.pipeline.readings import judge_ids
from interlock.policy.degraded import CallFacts
from interlock.policy.evaluate import evaluate
from interlock.policy.rules import Floor, Mode, Outcome
from interlock.questions import Question

__all__ = ["Prepared", "prepare"]

_log = logging.getLogger("interlock.pipeline")


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """One decision, ready to be asked or settled without a judge."""

    decision: Decision
    contract_digest: str
    mode: Mode
    safe: str | None
    """The safe default; None in mode `enforce`."""
    call: CallFacts | None
    code: str | None = None
    """The action that the host's code gave for a `rule`; None when it gave none."""
    ended: Outcome | None = None
    """The outcome where no judge is needed: a gap refused the call, or a `rule` fell to its policy."""
    frame: Frame | None = None
    menu: Menu = field(default_factory=lambda: Menu(questions={}))
    ids: Mapping[str, QuestionId] = field(default_factory=dict)
    """Contract question id → id at a judge, for the questions it is asked."""
    floors: tuple[Floor, ...] = ()
    gaps: tuple[str, ...] = ()
    gap_refused: bool = False
    interchange_digest: str | None = None

    @property
    def ask(self) -> dict[QuestionId, Question]:
        """What a judge is to be asked; empty when it is not called."""
        return {at_judge: self.menu.questions[name] for name, at_judge in self.ids.items()}


_Make: TypeAlias = Callable[..., Prepared]
"""Fills in what is known of a decision before its state is looked at."""


def prepare(
    contract: Contract,
    decision_id: str,
    state: Cells,
    *,
    host: Host,
    caps: Caps,
    gating: Gating,
    call_facts: CallFacts | None = None,
) -> Prepared:
    """Return the decision ready to be asked.

    Raises:
        HostError: the contract has no such decision or was compiled for another host, the host cannot carry out a
            mode, or its code gives an action of another position.
        SettingsError: `gating` names a decision that the contract does not have.
        FrameError: the frame cannot be built as declared.
    """
    decision = _find(contract, decision_id)
    _require_same_host(contract, host)
    require_gating(gating, contract, host.capabilities)
    mode = gating.modes.get(decision_id, "enforce")
    make = partial(
        Prepared,
        decision=decision,
        contract_digest=contract.digest,
        mode=mode,
        safe=None if mode == "enforce" else safe_action(decision_id, mode, host.capabilities),
        call=call_facts,
    )
    if mode == "off":
        return make()
    if decision.frame is None:
        return _by_code(make, decision, host, state)
    return _by_judge(make, decision, decision.frame, host, state, cap=caps.max_options, gating=gating)


def _find(contract: Contract, decision_id: str) -> Decision:
    decision = contract.decisions.get(decision_id)
    if decision is None:
        known = list(contract.decisions)
        raise HostError(f"contract: no decision `{decision_id}`; {did_you_mean(decision_id, known)}")
    return decision


def _require_same_host(contract: Contract, host: Host) -> None:
    if contract.capabilities is not host.capabilities and contract.capabilities != host.capabilities:
        raise HostError("host: the contract was compiled for other capabilities; compile it with those of this host")


def _by_judge(
    make: _Make, decision: Decision, spec: FrameSpec, host: Host, state: Cells, *, cap: int | None, gating: Gating
) -> Prepared:
    frame = build_frame(decision.id, spec, StateView(cells=state, projections=host.projections))
    menu = fill_menu(decision, host, state, frame, cap=cap)
    found = gaps(frame)
    gap_refused = bool(found) and bool(menu.open) and gap_policy(gating, decision) == "refuse"
    ids = judge_ids(decision.id, menu.questions)
    return make(
        ended=refused(decision, f"gap in the frame: {', '.join(found)}") if gap_refused else None,
        frame=frame,
        menu=menu,
        ids={} if gap_refused else {name: ids[name] for name in menu.open},
        floors=floors_for(decision, host, state),
        gaps=found,
        gap_refused=gap_refused,
        interchange_digest=interchange_digest(frame.digest, menu.questions),
    )


def _by_code(make: _Make, decision: Decision, host: Host, state: Cells) -> Prepared:
    """Return what the host's code gives for a `rule`; without an action its policy decides."""
    try:
        action = host.rules[decision.id](state)
    except Exception as cause:  # noqa: BLE001 - a host's function; no answer is never read as "no"
        name = type(cause).__name__
        _log.warning("rule %s raised %s", decision.id, name)
        return make(ended=refused(decision, f"rule `{decision.id}` failed: {name}"))
    if action is None:
        return make(ended=evaluate(decision.policy, {}))
    handled = (*host.capabilities.positions.get(decision.position, ()), "escalate")
    if action not in handled:
        raise HostError(
            f"rule `{decision.id}`: action `{action}` is not handled at `{decision.position}`; "
            f"{did_you_mean(action, handled)}"
        )
    return make(code=action)
