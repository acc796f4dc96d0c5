"""Filled objects on a Runtime: a reply that fits a schema, asked for once more when it does not.

Source: next-step specification, sections 2 and 4.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, cast

from interlock.agents.content import Items, with_text
from interlock.agents.deciding import Speaker
from interlock.agents.toolset import ToolOffer
from interlock.errors import DecisionError
from interlock.menu.attempts import HEAD_CHARS, Attempt, Rejected, attempt_of
from interlock.menu.prompts import SHOWN_REPLY_CHARS
from interlock.menu.reply import read_fields
from interlock.models.ask import Asked, Try, ask_until
from interlock.models.repair import RepeatedKeyError, read_object
from interlock.models.reply import SEARCHED_CHARS
from interlock.models.spans import find_spans
from interlock.schema import Field, Problem, ProblemKind, hoisted

__all__ = ["respond"]


async def respond(speaker: Speaker, items: Items, fields: Sequence[Field], offer: ToolOffer) -> dict[str, Any]:
    """Return the object that the turn's reply fills.

    Raises:
        DecisionError: no reply fits after one more attempt.
    """
    seen, schema = speaker.context_text(), _object_schema(fields)
    has_tools = bool(offer.offered or offer.deferred)
    wanted = "Reply with one JSON object of this schema and nothing else:\n" + json.dumps(schema, ensure_ascii=False)

    async def send(before: Try[Rejected] | None) -> object:
        if before is None and has_tools:
            return await speaker.turn(with_text(items, wanted), offer, seen=seen)
        said = wanted if before is None else _again(before, wanted)
        return await speaker.say(with_text(items, said), seen=seen, schema=schema)

    asked: Asked[Mapping[str, object], Rejected] = await ask_until(
        send, lambda reply: _filled(reply, fields), Rejected, max_retries=1, now=speaker.session.now
    )
    if asked.accepted is None:
        raise _no_object(asked.tries, fields)
    return dict(asked.accepted)


def _again(before: Try[Rejected], wanted: str) -> str:
    previous = before.reply[-SHOWN_REPLY_CHARS:] if isinstance(before.reply, str) else "(not text)"
    return f"Previous reply:\n{previous}\n\nProblem ({before.rejected.kind}): {before.rejected.message}\n\n{wanted}"


def _filled(reply: object, fields: Sequence[Field]) -> Mapping[str, object] | Rejected:
    """Return the values of the last object in `reply` that names a field."""
    if not isinstance(reply, str):
        return _rejected("no_action", "the reply is not text")
    if not fields:
        return {}
    found = _found(reply[-SEARCHED_CHARS:], tuple(item.name for item in fields))
    return found if isinstance(found, Rejected) else read_fields(fields, found)


def _found(text: str, names: tuple[str, ...]) -> Mapping[str, object] | Rejected:
    spans = find_spans(text, names)
    if spans.broken:
        return _rejected("no_action", "the last object with these fields is cut off or not valid JSON")
    if spans.last is None:
        return _rejected("no_action", "no JSON object with these fields was found")
    try:
        value, _ = read_object(text[spans.last.start : spans.last.end])
    except RepeatedKeyError:
        return _rejected("ambiguous", "the object names a key twice; name each key once")
    except ValueError:
        return _rejected("no_action", "the last object with these fields is not valid JSON")
    return cast("Mapping[str, object]", value)


def _rejected(kind: ProblemKind, message: str) -> Rejected:
    return Rejected(kind=kind, message=message, problems=(Problem(kind=kind, path="", message=message),), picked=None)


def _no_object(tries: Sequence[Try[Rejected]], fields: Sequence[Field]) -> DecisionError[Attempt]:
    attempts = [attempt_of(item) for item in tries]
    last = attempts[-1]
    head = "" if last.reply is None else f"; last reply: {last.reply[:HEAD_CHARS]!r}"
    message = f"no valid object after {len(attempts)} attempts ({last.kind}): {last.message}{head}"
    return DecisionError(
        " ".join(message.splitlines()),
        last.kind,
        attempts,
        [item.reply for item in attempts],
        [item.name for item in fields],
    )


def _object_schema(fields: Sequence[Field]) -> dict[str, Any]:
    found = hoisted([item.schema for item in fields])
    properties = {item.name: _described(node, item) for item, node in zip(fields, found.nodes, strict=True)}
    schema = {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}
    return {**schema, "$defs": found.definitions} if found.definitions else schema


def _described(node: Mapping[str, Any], item: Field) -> Mapping[str, Any]:
    return node if item.description is None else {**node, "description": item.description}
