"""The questions of one decision as they will be asked, with a provider's candidates filled in.

Calls the host's provider and no judge.
Source: reference loop specification, candidates.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from interlock.contract.compiled import Decision, Dynamic
from interlock.frame.spec import Frame
from interlock.judge.base import Reading
from interlock.pipeline.candidates import Offer, offer
from interlock.pipeline.host import Cells, Host
from interlock.pipeline.readings import no_options, single_option
from interlock.questions import Choice, Question

__all__ = ["Menu", "fill_menu"]

_log = logging.getLogger("interlock.pipeline")

_TASK = "task"
"""The key of the frame field by which candidates are ordered."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Menu:
    """Questions by the contract's ids, and what is known of them without a judge."""

    questions: Mapping[str, Question]
    settled: Mapping[str, Reading] = field(default_factory=dict)
    listed: tuple[int, int] | None = None
    warnings: tuple[str, ...] = ()

    @property
    def open(self) -> tuple[str, ...]:
        """The questions that only a judge can answer, in order."""
        return tuple(name for name in self.questions if name not in self.settled)


def fill_menu(decision: Decision, host: Host, state: Cells, frame: Frame, *, cap: int | None) -> Menu:
    """Return the decision's questions; where it is dynamic, its first choice is over the provider's candidates.

    `cap`: the most options the judge takes. A provider that raises has nothing to offer.
    """
    if decision.dynamic is not None:
        for name, asked in decision.questions.items():
            if isinstance(asked, Choice):
                made = _offered(decision.dynamic, asked, host, state, task=_task(frame), cap=cap)
                return _filled(decision, name, made)
    return Menu(questions=decision.questions)


def _filled(decision: Decision, name: str, made: Offer) -> Menu:
    settled: dict[str, Reading] = {}
    match len(made.question.criteria):
        case 0:
            settled[name] = no_options()
        case 1:
            settled[name] = single_option(made.question)
    return Menu(
        questions={**decision.questions, name: made.question},
        settled=settled,
        listed=made.listed,
        warnings=made.warnings,
    )


def _offered(dynamic: Dynamic, asked: Choice, host: Host, state: Cells, *, task: str, cap: int | None) -> Offer:
    cells = {cell: state[cell] for cell in dynamic.reads if cell in state}
    try:
        return offer(asked, host.providers[dynamic.provider](cells), task=task, cap=cap)
    except Exception as cause:  # noqa: BLE001 - a host's function; whatever goes wrong, it has nothing to offer
        name = type(cause).__name__
        _log.warning("provider %s raised %s", dynamic.provider, name)
        nothing = replace(asked, criteria={})
        return Offer(question=nothing, listed=(0, 0), warnings=(f"provider `{dynamic.provider}` failed: {name}",))


def _task(frame: Frame) -> str:
    for entry in frame.entries:
        if entry.key == _TASK and isinstance(entry.value, str):
            return entry.value
    return ""
