"""Decisions and filled objects on a Runtime: the menu's texts joined to its model calls.

Source: next-step specification, sections 2, 4, 8 and 12.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from interlock.agents.content import Items, with_text
from interlock.agents.session import Session
from interlock.agents.toolset import ToolOffer
from interlock.errors import DecisionError
from interlock.judge.base import Judge
from interlock.menu.attempts import Attempt, Rejected, attempt_of
from interlock.menu.make import MenuJudge, Pick, Question, pick_by_judge, pick_by_text
from interlock.menu.options import Option, read_options
from interlock.menu.reply import read_fields
from interlock.menu.resolve import check_context
from interlock.models.ask import Asked, Try, ask_until
from interlock.models.base import TextModel
from interlock.models.repair import read_object
from interlock.models.spans import find_spans
from interlock.questions import Content
from interlock.schema import Field, JsonSchema, Problem, schema_fields, without_defaults

__all__ = ["DecisionRequest", "Speaker", "checked_request", "decide", "respond"]


class Speaker(Protocol):
    """What a decision needs of a Runtime."""

    model: TextModel | None
    judge: Judge | None
    session: Session

    async def turn(self, items: Items, offer: ToolOffer, timeout_s: float | None = None) -> str | None:
        """Run one full turn."""
        ...

    async def say(self, items: Items, schema: JsonSchema | None = None) -> str | None:
        """Make one model call without tools."""
        ...

    def context_text(self) -> str:
        """Return the session as a call made here is shown it."""
        ...

    def frame(self) -> int | None:
        """Return the `seq` of the open function's node."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionRequest:
    """One decision as a caller asked for it."""

    items: Items
    options: object
    context: Mapping[str, object] = field(default_factory=dict)
    max_retries: int = 1
    offer: ToolOffer | None = None
    """The tools of the turn that comes first; None when the decision is all that is asked."""
    timeout_s: float | None = None


def checked_request(speaker: Speaker, request: DecisionRequest) -> tuple[Option, ...]:
    """Return the options; everything a programmer got wrong is refused here, before any call.

    Raises:
        TypeError: a container, name, schema or signature is wrong, or nothing can fill an option's arguments.
        ValueError: names are empty or repeated, or there are no options.
        MissingContextError: nothing fills a hidden parameter.
    """
    options = read_options(request.options)
    check_context(options, request.context)
    if speaker.model is None:
        if speaker.judge is None or request.offer is not None:
            raise TypeError("this Runtime has no text model; pass Runtime(model)")
        unfilled = next((item.name for item in options if any(given.required for given in item.fields)), None)
        if unfilled is not None:
            raise TypeError(
                f"option `{unfilled}` has fields that only a text model can fill; pass Runtime(model, judge=…)"
            )
    return options


async def decide(speaker: Speaker, request: DecisionRequest) -> Pick:
    """Return the pick, recorded as a decision node.

    Raises:
        DecisionError: no valid pick after every attempt.
    """
    options = checked_request(speaker, request)
    names = [option.name for option in options]
    opened = speaker.session.enter("decision", "decision", caller=speaker.frame(), given=_text(request.items))
    try:
        pick = await _picked(speaker, request, options)
    except DecisionError as error:
        facts = {"options": names, "attempts": len(error.attempts)}
        speaker.session.exit(opened, "error", f"no valid pick ({error.kind})", facts)
        raise
    except BaseException as error:
        speaker.session.exit(opened, "error", type(error).__name__, {"options": names})
        raise
    facts = {
        "options": names,
        "pick": pick.name,
        "attempts": len(pick.attempts) + 1,
        "probabilities": pick.probabilities,
    }
    speaker.session.exit(opened, "ok", {"call": pick.name, "args": dict(pick.args)}, facts)
    return pick


async def _picked(speaker: Speaker, request: DecisionRequest, options: tuple[Option, ...]) -> Pick:
    offer = request.offer
    question = Question(
        options=options,
        context=request.context,
        runtime=speaker,
        max_retries=request.max_retries,
        finish=offer is not None,
        now=speaker.session.now,
    )

    async def ask(addition: str, *, first: bool, schema: JsonSchema) -> object:
        items = with_text(request.items, addition)
        if first and offer is not None:
            return await speaker.turn(items, offer, request.timeout_s)
        return await speaker.say(items, schema)

    if speaker.judge is not None and offer is None:
        asked = MenuJudge(judge=speaker.judge, state=speaker.context_text())
        return await pick_by_judge(
            question, asked, _instructions(request.items), None if speaker.model is None else ask
        )
    return await pick_by_text(question, ask)


async def respond(
    speaker: Speaker, items: Items, response_format: object, offer: ToolOffer, timeout_s: float | None
) -> dict[str, Any]:
    """Return the object that the turn's reply fills, asked for once more when it does not fit.

    Raises:
        TypeError: `response_format` is not written in the field language.
        DecisionError: no reply fits.
    """
    fields = schema_fields(response_format)
    schema = _object_schema(fields)
    wanted = "Reply with one JSON object of this schema and nothing else:\n" + json.dumps(schema, ensure_ascii=False)

    async def send(before: Try[Rejected] | None) -> object:
        if before is None:
            return await speaker.turn(with_text(items, wanted), offer, timeout_s)
        problem = f"Problem ({before.rejected.kind}): {before.rejected.message}"
        said = f"Previous reply:\n{before.reply}\n\n{problem}\n\n{wanted}"
        return await speaker.say(with_text(items, said), schema)

    asked: Asked[Mapping[str, object], Rejected] = await ask_until(
        send, lambda reply: _filled(reply, fields), Rejected, max_retries=1, now=speaker.session.now
    )
    if asked.accepted is None:
        raise _no_object(asked.tries, fields)
    return dict(asked.accepted)


def _filled(reply: object, fields: Sequence[Field]) -> Mapping[str, object] | Rejected:
    """Return the values of the last object in `reply` that names a field."""
    if not fields:
        return {}
    if not isinstance(reply, str):
        return _rejected("the reply is not text")
    spans = find_spans(reply, tuple(item.name for item in fields))
    if spans.last is None:
        return _rejected("no JSON object with these fields was found")
    try:
        value, _ = read_object(reply[spans.last.start : spans.last.end])
    except ValueError as error:
        return _rejected(f"the object is not valid JSON: {error}")
    return read_fields(fields, value) if isinstance(value, dict) else _rejected("the reply is not an object")


def _rejected(message: str) -> Rejected:
    problem = Problem(kind="no_action", path="", message=message)
    return Rejected(kind="no_action", message=message, problems=(problem,), picked=None)


def _no_object(tries: Sequence[Try[Rejected]], fields: Sequence[Field]) -> DecisionError[Attempt]:
    attempts = [attempt_of(item) for item in tries]
    last = attempts[-1]
    return DecisionError(
        f"no valid object after {len(attempts)} attempts ({last.kind}): {last.message}",
        last.kind,
        attempts,
        [item.reply for item in attempts],
        [item.name for item in fields],
    )


def _object_schema(fields: Sequence[Field]) -> dict[str, Any]:
    properties = {item.name: _property(item) for item in fields}
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


def _property(item: Field) -> dict[str, Any]:
    node: dict[str, Any] = dict(without_defaults(item.schema))
    return node if item.description is None else {**node, "description": item.description}


def _text(items: Items) -> str:
    return "\n".join(item["text"] for item in items if item["type"] == "text")


def _instructions(items: Items) -> Content:
    return _text(items)
