"""One full turn as a caller asked for it: its text, the step of the option it picks, or the object it fills.

Source: next-step specification, section 2.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from interlock.agents.content import Items, read_content
from interlock.agents.deciding import DecisionRequest, Fallback, Speaker, picked_or_fallback, read_request
from interlock.agents.responding import respond
from interlock.agents.toolset import ToolOffer
from interlock.errors import ModelError
from interlock.menu.options import Option
from interlock.models.base import NOT_TEXT
from interlock.schema import Field, schema_fields

__all__ = ["TurnRequest", "TurnTaker", "reply_text", "take_turn", "turn_request"]


class TurnTaker(Speaker, Protocol):
    """What a turn needs of a Runtime."""

    def offer(
        self, tools: Sequence[object] | None, toolset: str | None, context: Mapping[str, object] | None = None
    ) -> ToolOffer:
        """Return the tools that a call made here offers."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnRequest:
    """One turn, checked."""

    items: Items
    offer: ToolOffer
    timeout_s: float | None
    decision: DecisionRequest | None = None
    fields: tuple[Field, ...] | None = None
    """What `response_format` asks for."""

    @property
    def options(self) -> tuple[Option, ...]:
        """The options of its decision."""
        return () if self.decision is None else self.decision.options

    @property
    def fallback(self) -> Fallback | None:
        """The fallback of its decision."""
        return None if self.decision is None else self.decision.fallback


def turn_request(
    speaker: TurnTaker,
    prompt: object,
    *,
    tools: Sequence[object] | None,
    toolset: str | None,
    choices: object = None,
    response_format: object = None,
    context: object = None,
    fallback: object = None,
    timeout_s: float | None = None,
) -> TurnRequest:
    """Return the request; everything a programmer got wrong is refused here, before any call.

    Raises:
        TypeError: an argument is not of a known form, or stands without the one it belongs to.
        ValueError: there are no options, names are empty or repeated, or a toolset is unknown.
        MissingContextError: nothing fills a hidden parameter.
    """
    items = read_content(prompt)
    if choices is not None and response_format is not None:
        raise TypeError("choices and response_format exclude each other; write one of them")
    if choices is None:
        if context is not None or fallback is not None:
            raise TypeError("context and fallback belong to a decision; pass choices with them")
        fields = None if response_format is None else tuple(schema_fields(response_format))
        if speaker.model is None:
            raise TypeError("this Runtime has no text model; pass Runtime(model)")
        return TurnRequest(items=items, offer=speaker.offer(tools, toolset), timeout_s=timeout_s, fields=fields)
    decision = read_request(speaker, prompt, choices, context=context, fallback=fallback, has_turn=True)
    offer = speaker.offer(tools, toolset, decision.context)
    decision = replace(decision, offer=offer, timeout_s=timeout_s)
    return TurnRequest(items=items, offer=offer, timeout_s=timeout_s, decision=decision)


async def take_turn(speaker: TurnTaker, request: TurnRequest) -> Callable[[], Any]:
    """Take the turn; return what gives its result when called, in the thread or loop of the caller.

    Raises:
        DecisionError: no valid pick or object after one more attempt.
        ModelError: a model call failed as a whole, or its reply is not text where text is the result.
        FunctionTimeout: the time is over.
    """
    if request.decision is not None:
        return await picked_or_fallback(speaker, request.decision)
    result: object
    with speaker.bounded(request.timeout_s):
        if request.fields is not None:
            result = await respond(speaker, request.items, request.fields, request.offer)
        else:
            result = reply_text(await speaker.turn(request.items, request.offer, seen=speaker.context_text()))
    return lambda: result


def reply_text(text: str | None) -> str:
    """Return the text of a reply.

    Raises:
        ModelError: the reply was not text.
    """
    if text is None:
        raise ModelError("the reply is not text", reason=NOT_TEXT, retryable=True)
    return text
