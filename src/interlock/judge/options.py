"""What a judge is asked for beside its id: how answers are read, checked, kept and recorded."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

__all__ = [
    "DEFAULTS",
    "MEMORY",
    "OFF",
    "ORDERS",
    "READOUTS",
    "REFUSALS",
    "JudgeOptions",
    "OrderMode",
    "ReadoutName",
    "Refusals",
]

OrderMode: TypeAlias = Literal["as_given", "reversed_check", "balanced"]
ORDERS: tuple[OrderMode, ...] = get_args(OrderMode)
ReadoutName: TypeAlias = Literal["json", "logprobs", "options", "decisions"]
READOUTS: tuple[ReadoutName, ...] = get_args(ReadoutName)
Refusals: TypeAlias = Literal["keep", "pass-on"]
REFUSALS: tuple[Refusals, ...] = get_args(Refusals)

OFF = "off"
MEMORY = "memory"


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeOptions:
    """One set of options for a judge and the judges behind it."""

    readout: ReadoutName | None = None
    """How the answer of a text model is read; None: no text model may judge."""
    order: OrderMode = "as_given"
    """In which orders a choice is asked."""
    cache: str = OFF
    """`off`, `memory`, or the path of a file that keeps answers."""
    record: str | None = None
    """The path of a file to which every request and reply is added as a line; None records nothing."""
    refusals: Refusals = "keep"
    """Whether a question that one judge refused goes to the next."""
    timeout_s: float = 10.0
    """The budget of one request, retries and further judges included."""
    max_in_flight: int | None = None
    """Requests under way at once; None is no limit, as for the two below."""
    requests_per_minute: int | None = None
    tokens_per_minute: int | None = None
    profiles: str | None = None
    """The path of a file with measured profiles; None: only those of the package."""
    locks: str | None = None
    """The path of a file with the questions that were tried, and with which models; None: none was."""


DEFAULTS = JudgeOptions()
