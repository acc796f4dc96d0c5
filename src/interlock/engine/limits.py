"""What a run may use, what it has used, and the name of the limit it has reached.

Pure: it is told what was used and never measures it.
Source: decision-engine specification, depth.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Literal, TypeAlias

from interlock.models.base import TextReply, TextRequest
from interlock.questions import Json

__all__ = ["Limit", "Limits", "Prices", "Used", "budget_left", "reached", "used_by"]

Limit: TypeAlias = Literal["max_steps", "max_tool_calls", "max_tokens", "max_cost_usd"]

BYTES_PER_TOKEN = 3.5
"""For estimates where a backend reports no tokens."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """The limits of one run; None is no limit."""

    max_steps: int = 6
    """Decisions."""
    max_tool_calls: int = 3
    max_tokens: int | None = None
    """Of all model calls together, failed attempts included."""
    max_cost_usd: Decimal | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Prices:
    """What a model costs where it does not say so itself."""

    input_usd_per_million: Decimal
    output_usd_per_million: Decimal


@dataclass(frozen=True, slots=True, kw_only=True)
class Used:
    """What was used so far."""

    steps: int = 0
    tool_calls: int = 0
    model_calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    tokens_estimated: bool = False
    """True when a backend reported no tokens and some were counted by length."""
    cost_usd: Decimal | None = Decimal(0)
    """None once the cost of a call could not be known."""

    @property
    def tokens(self) -> int:
        """Input and output together."""
        return self.input_tokens + self.output_tokens

    def plus(self, other: Used) -> Used:
        """Return both together."""
        known = None if self.cost_usd is None or other.cost_usd is None else self.cost_usd + other.cost_usd
        return Used(
            steps=self.steps + other.steps,
            tool_calls=self.tool_calls + other.tool_calls,
            model_calls=self.model_calls + other.model_calls,
            input_tokens=self.input_tokens + other.input_tokens,
            output_tokens=self.output_tokens + other.output_tokens,
            tokens_estimated=self.tokens_estimated or other.tokens_estimated,
            cost_usd=known,
        )

    def since(self, earlier: Used) -> Used:
        """Return what was used after `earlier`."""
        known = None if self.cost_usd is None or earlier.cost_usd is None else self.cost_usd - earlier.cost_usd
        return Used(
            steps=self.steps - earlier.steps,
            tool_calls=self.tool_calls - earlier.tool_calls,
            model_calls=self.model_calls - earlier.model_calls,
            input_tokens=self.input_tokens - earlier.input_tokens,
            output_tokens=self.output_tokens - earlier.output_tokens,
            tokens_estimated=self.tokens_estimated,
            cost_usd=known,
        )


def used_by(request: TextRequest, reply: TextReply, prices: Prices | None) -> Used:
    """Return what one model call used; tokens are estimated from lengths where they are not reported."""
    counted = _counted(request, reply)
    reported = None if reply.usage is None else reply.usage.cost_usd
    return replace(counted, cost_usd=_priced(counted, prices) if reported is None else reported)


def _counted(request: TextRequest, reply: TextReply) -> Used:
    usage = reply.usage
    if usage is not None and usage.input_tokens is not None and usage.output_tokens is not None:
        return Used(model_calls=1, input_tokens=usage.input_tokens, output_tokens=usage.output_tokens)
    sent = sum(len(str(message.content).encode("utf-8", "replace")) for message in request.messages)
    wrote = len(reply.text.encode("utf-8", "replace")) + sum(len(call.arguments) for call in reply.tool_calls)
    return Used(model_calls=1, input_tokens=_estimated(sent), output_tokens=_estimated(wrote), tokens_estimated=True)


def reached(limits: Limits, used: Used) -> Limit | None:
    """Return the limit that forbids another model call; None when none does.

    A cost that cannot be known counts as reached: a limit that is not watched is no limit.
    """
    if used.steps >= limits.max_steps:
        return "max_steps"
    return spent(limits, used)


def spent(limits: Limits, used: Used) -> Limit | None:
    """Return the limit on tokens or cost that is reached; None when none is."""
    if limits.max_tokens is not None and used.tokens >= limits.max_tokens:
        return "max_tokens"
    if limits.max_cost_usd is not None and (used.cost_usd is None or used.cost_usd >= limits.max_cost_usd):
        return "max_cost_usd"
    return None


def budget_left(limits: Limits, used: Used) -> dict[str, Json]:
    """Return what is left, as a model is shown it."""
    tokens = None if limits.max_tokens is None else max(0, limits.max_tokens - used.tokens)
    cost = None
    if limits.max_cost_usd is not None:
        cost = float(max(Decimal(0), limits.max_cost_usd - (used.cost_usd or Decimal(0))))
    return {
        "max_steps": max(0, limits.max_steps - used.steps),
        "max_tool_calls": max(0, limits.max_tool_calls - used.tool_calls),
        "max_tokens": tokens,
        "max_cost_usd": cost,
    }


def _estimated(size_bytes: int) -> int:
    return -int(-size_bytes // BYTES_PER_TOKEN)


def _priced(counted: Used, prices: Prices | None) -> Decimal | None:
    if prices is None:
        return None
    million = Decimal(1_000_000)
    return (
        counted.input_tokens * prices.input_usd_per_million + counted.output_tokens * prices.output_usd_per_million
    ) / million
