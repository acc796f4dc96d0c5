"""Decisions on a Runtime: the menu's texts joined to its model calls.

Source: next-step specification, sections 2, 8, 11 and 12.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from typing import Any, Protocol, TypeAlias, cast

from interlock.agents.binding import before_deadline, call_bound
from interlock.agents.content import Items, read_content, text_of, with_text
from interlock.agents.session import Session
from interlock.agents.toolset import ToolOffer
from interlock.errors import DecisionError
from interlock.judge.base import Judge
from interlock.menu.make import MenuJudge, Pick, Question, pick_by_judge, pick_by_text
from interlock.menu.options import Option, read_options
from interlock.menu.resolve import check_context
from interlock.models.base import TextModel
from interlock.schema import JsonSchema

__all__ = [
    "DecisionRequest",
    "Fallback",
    "Speaker",
    "check_fallback",
    "check_retries",
    "decide",
    "picked_or_fallback",
    "read_context",
    "read_request",
]

Fallback: TypeAlias = Callable[[DecisionError[Any]], Any]


class Speaker(Protocol):
    """What a decision needs of a Runtime."""

    model: TextModel | None
    judge: Judge | None
    session: Session

    async def turn(self, items: Items, offer: ToolOffer, *, seen: str) -> str | None:
        """Run one full turn."""
        ...

    async def say(self, items: Items, *, seen: str, schema: JsonSchema | None = None) -> str | None:
        """Make one model call without tools."""
        ...

    def context_text(self) -> str:
        """Return the session as a call made here is shown it."""
        ...

    def frame(self) -> int | None:
        """Return the `seq` of the open function's node."""
        ...

    def bounded(self, timeout_s: float | None) -> AbstractContextManager[object]:
        """Bind the deadline of what happens in the block."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionRequest:
    """One decision, checked."""

    items: Items
    options: tuple[Option, ...]
    context: Mapping[str, object]
    max_retries: int
    fallback: Fallback | None
    offer: ToolOffer | None = None
    """The tools of the turn that comes first; None when the decision is all that is asked."""
    timeout_s: float | None = None


def read_request(
    speaker: Speaker,
    prompt: object,
    options: object,
    *,
    context: object = None,
    max_retries: object = 1,
    fallback: object = None,
    has_turn: bool = False,
) -> DecisionRequest:
    """Return the request; everything a programmer got wrong is refused here, before any call.

    Raises:
        TypeError: an argument, a container, a name, a schema or a signature is wrong, or nothing can answer.
        ValueError: names are empty or repeated, there are no options, or `max_retries` is negative.
        MissingContextError: nothing fills a hidden parameter.
    """
    items = read_content(prompt)
    retries, called = check_retries(max_retries), check_fallback(fallback)
    listed = read_options(options)
    given = read_context(context)
    check_context(listed, given)
    if speaker.judge is None or has_turn:
        _check_model(speaker)
    else:
        _check_judged(speaker, items, listed)
    return DecisionRequest(items=items, options=listed, context=given, max_retries=retries, fallback=called)


def check_retries(max_retries: object) -> int:
    """Return the count.

    Raises:
        TypeError: it is no whole number.
        ValueError: it is negative.
    """
    if isinstance(max_retries, bool) or not isinstance(max_retries, int):
        raise TypeError(f"max_retries is a count, got {max_retries!r}")
    if max_retries < 0:
        raise ValueError(f"max_retries is {max_retries}; write 0 or more")
    return max_retries


def check_fallback(fallback: object) -> Fallback | None:
    """Return the fallback.

    Raises:
        TypeError: it is neither None nor callable.
    """
    if fallback is not None and not callable(fallback):
        raise TypeError(f"fallback is a function of the DecisionError, got {fallback!r}")
    return cast("Fallback | None", fallback)


def read_context(context: object) -> Mapping[str, object]:
    """Return the values of hidden parameters.

    Raises:
        TypeError: it is no dict.
    """
    if context is None:
        return {}
    if not isinstance(context, Mapping):
        raise TypeError(f"context is a dict of hidden parameters, got {context!r}")
    return dict(context)


def _check_model(speaker: Speaker) -> None:
    if speaker.model is None:
        raise TypeError("this Runtime has no text model; pass Runtime(model)")


def _check_judged(speaker: Speaker, items: Items, options: tuple[Option, ...]) -> None:
    """Refuse what a judge cannot see, and what it leaves to a text model that is not there."""
    if any(item["type"] == "image" for item in items):
        raise TypeError("the judge of this Runtime reads text only; write the prompt without images")
    if speaker.model is None:
        unfilled = next((item.name for item in options if any(given.required for given in item.fields)), None)
        if unfilled is not None:
            raise TypeError(
                f"option `{unfilled}` has fields that only a text model can fill; pass Runtime(model, judge=…)"
            )


async def picked_or_fallback(speaker: Speaker, request: DecisionRequest) -> Callable[[], Any]:
    """Return what resolves the pick, or what calls the fallback when there is none.

    Raises:
        DecisionError: there is no pick and no fallback.
    """
    try:
        pick = await decide(speaker, request)
    except DecisionError as error:
        if request.fallback is None:
            raise
        return functools.partial(call_bound, speaker, request.fallback, error)
    return pick.result


async def decide(speaker: Speaker, request: DecisionRequest) -> Pick:
    """Return the pick, recorded as a decision node; what it leads to runs with `speaker` bound.

    Raises:
        DecisionError: no valid pick after every attempt.
        FunctionTimeout: the time is over.
    """
    names, seen = [option.name for option in request.options], speaker.context_text()
    opened = speaker.session.enter("decision", "decision", caller=speaker.frame(), given=text_of(request.items))
    try:
        with speaker.bounded(request.timeout_s):
            pick = await _picked(speaker, request, seen)
    except DecisionError as error:
        facts = {"options": names, "attempts": len(error.attempts)}
        speaker.session.exit(opened, "error", f"no valid pick ({error.kind})", facts)
        raise
    except BaseException as error:
        speaker.session.fail(opened, error, {"options": names})
        raise
    facts = {
        "options": names,
        "pick": pick.name,
        "way": pick.way,
        "attempts": len(pick.attempts) + 1,
        "probabilities": pick.probabilities,
    }
    speaker.session.exit(opened, "ok", {"call": pick.name, "args": dict(pick.args)}, facts)
    return pick


async def _picked(speaker: Speaker, request: DecisionRequest, seen: str) -> Pick:
    """`seen`: the session before the decision, so that no attempt is shown the ones before it twice."""
    offer = request.offer
    question = Question(
        options=tuple(_bound(speaker, option) for option in request.options),
        context=request.context,
        runtime=speaker,
        max_retries=request.max_retries,
        finish=offer is not None,
        now=speaker.session.now,
    )

    async def ask(addition: str, *, first: bool, schema: JsonSchema) -> object:
        items = with_text(request.items, addition)
        if first and offer is not None:
            return await speaker.turn(items, offer, seen=seen)
        return await speaker.say(items, seen=seen, schema=schema)

    if speaker.judge is None or offer is not None:
        return await pick_by_text(question, ask)
    judge = MenuJudge(judge=speaker.judge, state=seen)
    fill = None if speaker.model is None else ask
    async with before_deadline(speaker.session.now):
        return await pick_by_judge(question, judge, text_of(request.items), fill)


def _bound(speaker: Speaker, option: Option) -> Option:
    """Return the option with what it calls bound to the Runtime that decides."""
    handler = option.handler
    if not callable(handler) or (option.function is None and option.kind != "abstain"):
        return option
    return replace(option, handler=functools.partial(call_bound, speaker, handler))
