"""The seam every text model stands behind, and what every backend reports about a call.

Source: backends specification, sections 1 and 8.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal, Protocol, TypeAlias

from interlock.messages import Message, ToolCall
from interlock.questions import Json

__all__ = [
    "NOT_TEXT",
    "Delta",
    "Done",
    "Failure",
    "Finish",
    "TextEvent",
    "TextModel",
    "TextReply",
    "TextRequest",
    "TokenLogprob",
    "Usage",
]

NOT_TEXT = "not-text"
"""The failure reason of a reply that came but is not text; a caller may ask again."""

Finish: TypeAlias = Literal["stop", "length", "refusal", "filtered", "error"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """Tokens and cost as the backend reported them; None where it did not."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    cached_input_tokens: int | None = None
    cost_usd: Decimal | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """Why a call as a whole failed; holds no text of the request or of the server."""

    reason: str
    status: int | None = None
    error_type: str | None = None
    retryable: bool = False
    retry_after_s: float | None = None
    at: str | None = None
    """`questions.ID` when the server named one question that was asked; None otherwise."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TextRequest:
    """What a text model is asked to write."""

    messages: tuple[Message, ...]
    schema: Mapping[str, Json] | None = None
    """JSON Schema the reply is asked to fit; the reply is still to be checked."""
    tools: tuple[Mapping[str, Json], ...] = ()
    """Specs of the native tools on offer: `name`, `description`, `parameters`."""
    must_call: bool = False
    """True: the reply shall call one of `tools`; it is still to be checked."""
    strict: bool = False
    """True: the backend shall let nothing pass that does not fit `schema`."""
    max_tokens: int | None = None
    """Most tokens of the reply; None leaves it to the backend."""
    temperature: float | None = None
    """None leaves it to the backend."""
    stop: tuple[str, ...] = ()
    """Texts before which the reply ends; they are no part of it."""
    seed: int | None = None
    """The same one makes the same reply likelier where the backend draws; None leaves it to the backend."""
    top_logprobs: int | None = None
    """How many candidates of the first token to report; None asks for none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenLogprob:
    """One candidate for a token, with its natural logarithm of probability over the whole vocabulary."""

    token: str
    logprob: float


@dataclass(frozen=True, slots=True, kw_only=True)
class TextReply:
    """What came back; with `failure` set, `text` holds what arrived before it."""

    text: str
    finish: Finish
    usage: Usage | None
    requested_model: str
    served_model: str | None
    request_id: str | None
    failure: Failure | None = None
    tool_calls: tuple[ToolCall, ...] = ()
    """The native tool calls it asks for; `text` may be empty then."""
    first_token: tuple[TokenLogprob, ...] | None = None
    """The candidates of the first token, most probable first; None when they were not asked for or not reported."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Delta:
    """The next piece of a streamed text."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """The end of a stream, with the whole reply."""

    reply: TextReply


TextEvent: TypeAlias = Delta | Done


class TextModel(Protocol):
    """Writes text."""

    async def generate(self, request: TextRequest) -> TextReply:
        """Return one reply; a backend's failure is a value, never an exception."""
        ...

    def stream(self, request: TextRequest) -> AsyncIterator[TextEvent]:
        """Yield pieces as they arrive, then exactly one `Done`; a failure is in its reply."""
        ...
