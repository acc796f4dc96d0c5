"""What happens to the loop, and what the loop asks to be done: two closed unions.

Knows nothing of who performs an effect.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from interlock.loop.state import PendingCall
from interlock.questions import Json
from interlock.tools.base import Tool

__all__ = [
    "Answered",
    "Ask",
    "Begun",
    "Call",
    "Cause",
    "CheckFacts",
    "Decided",
    "Drafted",
    "Effect",
    "Event",
    "FactsChecked",
    "Finish",
    "Generate",
    "InputProvided",
    "Node",
    "Parked",
    "Provide",
    "RequestApproval",
    "Returned",
    "Stopped",
    "Unapproved",
]

Node: TypeAlias = Literal["needs_tool", "pick_tool", "pick_input", "grade_risk", "step_ok", "is_done", "can_deliver"]
"""A decision that the loop asks, by its id in the contract."""

Cause: TypeAlias = Literal["policy", "unanswered", "not_an_option", "judge_down"]
"""Why a decision came to its action: a rule matched, an answer or a field was missing, the judge picked what was
not offered, or the judge failed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Begun:
    """The run starts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Decided:
    """A decision came to an action."""

    decision: Node
    action: str
    cause: Cause = "policy"
    picked: str | None = None
    """The label picked by a choice; untrusted."""
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class InputProvided:
    """The input of the pending call was generated; None with the reason when it is unclear."""

    arguments: Mapping[str, Json] | None
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """A person answered, or nobody could."""

    approved: bool
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Unapproved:
    """What was approved may not be used: a person is asked again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Parked:
    """Nobody can answer now: the run waits, and its process may end."""

    approval: str | None
    """The id of the request that waits; None when a person has to look at a call that may have happened."""
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Returned:
    """A tool came back."""

    result: str
    failed: bool
    listed: tuple[str, ...] | None = None
    """The paths in the result of a tool that lists; None for any other."""
    read: str | None = None
    """The path that a tool has read; None for any other."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Drafted:
    """The writer came back."""

    text: str
    failure: str | None = None
    cut: bool = False
    """True when its model stopped at the length it may write, not at the end."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FactsChecked:
    """The host looked at the world."""

    facts: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Stopped:
    """A budget does not allow the effect that was due."""

    halt: str


Event: TypeAlias = (
    Begun | Decided | InputProvided | Answered | Unapproved | Parked | Returned | Drafted | FactsChecked | Stopped
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """Ask one decision on the state."""

    decision: Node


@dataclass(frozen=True, slots=True, kw_only=True)
class Provide:
    """Generate the input of a tool."""

    tool: Tool


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestApproval:
    """Ask a person about the call that is about to run."""

    call: PendingCall


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """Run a tool."""

    call: PendingCall
    audit: bool
    """True: leave an audit row before it runs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Generate:
    """Have the writer draft an answer."""

    revision_of: str | None = None
    """The refused draft; None on the first one."""
    reason: str | None = None
    """Why it was refused."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckFacts:
    """Look at the world before the draft is judged."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finish:
    """The run is over."""


Effect: TypeAlias = Ask | Provide | RequestApproval | Call | Generate | CheckFacts | Finish
