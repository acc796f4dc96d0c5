"""What one case came to in one arm, as a value and as a line of JSON.

Source: decision-engine specification, experiments.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from decimal import Decimal
from typing import Any

from interlock.actions import ASK_USER
from interlock.engine import CHECKS, Decided
from interlock.errors import ExperimentError
from interlock.experiments.arms import ARMS, ArmName
from interlock.experiments.cases import Case, calls_expected, is_expected
from interlock.questions import Json

__all__ = ["Outcome", "failed_outcome", "outcome_json", "outcome_of", "read_outcome"]


MOST = 10**12
"""No number of tokens or seconds of one decision is larger."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """One decision of an experiment."""

    arm: ArmName
    case: str
    action: str | None
    """None when the model could not be reached."""
    tool: str | None
    valid_at_first: bool
    valid: bool
    """False when the fallback had to be taken."""
    expected: bool | None
    """Whether it is the step that is right; None when nobody said which is."""
    expected_tool: bool | None
    """Whether it calls the tool that is right, or rightly none; None when nobody said which is."""
    checks: tuple[int, ...]
    """The checks that failed attempts failed, in order."""
    mode: str | None
    input_tokens: int
    output_tokens: int
    tokens_estimated: bool
    cost_usd: str | None
    """A decimal number as text; None where it is not known."""
    elapsed_s: float
    failure: str | None = None
    """Why the model could not be reached; such an outcome is no answer and counts for nothing."""

    @property
    def asked(self) -> bool:
        """True when it asks the user, be it as the fallback."""
        return self.action == ASK_USER

    @property
    def cost(self) -> Decimal | None:
        """The cost as a number."""
        return None if self.cost_usd is None else Decimal(self.cost_usd)


def outcome_of(arm: ArmName, case: Case, decided: Decided) -> Outcome:
    """Return what a decision came to."""
    decision, used = decided.decision, decided.used
    return Outcome(
        arm=arm,
        case=case.id,
        action=decision.action,
        tool=decision.tool,
        valid_at_first=decided.valid_at_first,
        valid=not decision.fallback,
        expected=is_expected(case, decision),
        expected_tool=calls_expected(case, decision),
        checks=tuple(attempt.check for attempt in decision.attempts if attempt.check is not None),
        mode=decided.mode,
        input_tokens=used.input_tokens,
        output_tokens=used.output_tokens,
        tokens_estimated=used.tokens_estimated,
        cost_usd=None if used.cost_usd is None else str(used.cost_usd),
        elapsed_s=decided.elapsed_s,
    )


def failed_outcome(arm: ArmName, case: Case, failure: str) -> Outcome:
    """Return what stands for a decision that could not be made."""
    return Outcome(
        arm=arm,
        case=case.id,
        action=None,
        tool=None,
        valid_at_first=False,
        valid=False,
        expected=None,
        expected_tool=None,
        checks=(),
        mode=None,
        input_tokens=0,
        output_tokens=0,
        tokens_estimated=False,
        cost_usd=None,
        elapsed_s=0.0,
        failure=failure,
    )


def outcome_json(outcome: Outcome) -> dict[str, Json]:
    """Return an outcome as it is written."""
    return {**asdict(outcome), "checks": list(outcome.checks)}


def read_outcome(value: object, place: str) -> Outcome:
    """Return the outcome that was written.

    Raises:
        ExperimentError: a part is missing or of another form.
    """
    if not isinstance(value, Mapping) or set(value) != set(_TYPES) or value["arm"] not in ARMS:
        raise ExperimentError(f"{place}: is no outcome of an experiment")
    wrong = next((key for key, types in _TYPES.items() if not _is(value[key], types)), None)
    if wrong is not None:
        raise ExperimentError(f"{place}: `{wrong}` is not what an experiment writes")
    wrong = next((key for key, holds in _LIMITS.items() if not holds(value[key])), None)
    if wrong is not None:
        raise ExperimentError(f"{place}: `{wrong}` is not what an experiment writes")
    read: dict[str, Any] = {**value, "checks": tuple(value["checks"])}
    return Outcome(**read)


_DECIMAL = re.compile(r"[0-9]{1,12}(?:\.[0-9]{1,30})?(?:E[+-]?[0-9]{1,2})?")
_LIMITS: Mapping[str, Callable[[Any], bool]] = {
    "checks": lambda checks: all(type(check) is int and check in CHECKS for check in checks),
    "cost_usd": lambda cost: cost is None or _DECIMAL.fullmatch(cost) is not None,
    "input_tokens": lambda tokens: 0 <= tokens <= MOST,
    "output_tokens": lambda tokens: 0 <= tokens <= MOST,
    "elapsed_s": lambda elapsed: 0 <= elapsed <= MOST,
}
"""What else a value must be, where its type is right."""
_TEXT = (str,)
_OPTIONAL_TEXT = (str, type(None))
_TYPES: Mapping[str, tuple[type, ...]] = {
    "arm": _TEXT,
    "case": _TEXT,
    "action": _OPTIONAL_TEXT,
    "tool": _OPTIONAL_TEXT,
    "valid_at_first": (bool,),
    "valid": (bool,),
    "expected": (bool, type(None)),
    "expected_tool": (bool, type(None)),
    "checks": (list,),
    "mode": _OPTIONAL_TEXT,
    "input_tokens": (int,),
    "output_tokens": (int,),
    "tokens_estimated": (bool,),
    "cost_usd": _OPTIONAL_TEXT,
    "elapsed_s": (int, float),
    "failure": _OPTIONAL_TEXT,
}


def _is(value: object, types: tuple[type, ...]) -> bool:
    return isinstance(value, types) and (bool in types or not isinstance(value, bool))
