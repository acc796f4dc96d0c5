"""What a run has observed, planned and failed at, and when it goes in circles.

Pure: it is told what happened.
Source: decision-engine specification, depth; reference loop specification, breaker.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from interlock.actions import ActionDecision, Observation, call_key
from interlock.engine.result import FailedPlan
from interlock.engine.tools import ToolOutcome
from interlock.questions import Json

__all__ = ["Progress"]

MAX_SAME_RESULTS = 3
"""The same call giving the same result this often ends a run."""
MAX_REPLANS = 2
"""So many replans without a tool call between them end a run."""


@dataclass(slots=True, kw_only=True)
class Progress:
    """The memory of one run while it goes on."""

    observations: list[Observation] = field(default_factory=list)
    failed_calls: dict[str, str] = field(default_factory=dict)
    """`call_key` → the error of the call."""
    plan: str | None = None
    failed_plans: list[FailedPlan] = field(default_factory=list)
    last_error: str | None = None
    """The error of the newest observation; None when it was none."""
    _results: Counter[tuple[str, str]] = field(default_factory=Counter)
    _replans: int = 0

    def memory(self, given: str) -> str:
        """Return what the caller gave to remember, and the plan that failed last."""
        failed = [f"Failed plan: {item.plan}\nIt failed because: {item.reason}" for item in self.failed_plans[-1:]]
        return "\n\n".join(text for text in (given, *failed) if text)

    def called(self, tool: str, arguments: Mapping[str, Json], outcome: ToolOutcome) -> str | None:
        """Take in a tool call; return why the run goes in circles, None to go on."""
        self._replans = 0
        self.observed(tool, outcome, arguments)
        key = call_key(tool, arguments)
        if outcome.failed:
            self.failed_calls[key] = outcome.text.partition("\n")[0]
            return None
        self._results[key, outcome.text] += 1
        return "same_result" if self._results[key, outcome.text] >= MAX_SAME_RESULTS else None

    def observed(self, name: str, outcome: ToolOutcome, arguments: Mapping[str, Json] | None = None) -> None:
        """Take in what a tool, a person or the host brought."""
        number = 1 + sum(item.name == name for item in self.observations)
        self.observations.append(
            Observation(name=name, number=number, text=outcome.text, failed=outcome.failed, tool_input=arguments)
        )
        self.last_error = outcome.text if outcome.failed else None

    def replanned(self, decision: ActionDecision) -> str | None:
        """Take in a new plan and keep the old one as failed; return why the run goes in circles, None to go on."""
        if self.plan is not None:
            reason = self.last_error or decision.thought or "the model gave no reason"
            self.failed_plans.append(FailedPlan(plan=self.plan, reason=reason))
        self.plan = decision.final
        self._replans += 1
        return "replan" if self._replans >= MAX_REPLANS else None
