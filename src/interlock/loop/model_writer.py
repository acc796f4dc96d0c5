"""A writer that asks a text model for answers and for the arguments of tools.

Knows nothing of providers. What a model writes is a draft; nothing here decides whether it may go out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from interlock._text import clip
from interlock.judge.wire import parse_json
from interlock.loop.writer import Draft, ProvidedInput, WriteRequest
from interlock.loop.writer_prompts import answer_messages, correction, input_messages
from interlock.models.base import TextModel, TextReply, TextRequest
from interlock.models.closing import close
from interlock.models.failures import describe
from interlock.models.patience import Clock, within
from interlock.models.usage import total_usage
from interlock.questions import Json
from interlock.schema.conforms import misfit
from interlock.tools.base import Tool

__all__ = ["ModelWriter"]

MAX_REASON_CHARS = 200
MAX_REPLY_CHARS = 200_000
"""A longer reply is no answer to a person; it is neither judged nor recorded."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Filled:
    """One reply about arguments, read."""

    arguments: Mapping[str, Json] | None
    unclear: str | None
    """What the model says is missing; None when the reply could not be used."""
    problem: str | None
    """Why the reply could not be used; None when it could."""


class ModelWriter:
    """Writes through one text model; a call for arguments gets one corrective retry."""

    def __init__(self, model: TextModel, *, writer: str, budget_s: float, now: Clock) -> None:
        self._model = model
        self._id = writer
        self._budget_s = budget_s
        self._now = now

    @property
    def id(self) -> str:
        """Such as `openai:MODEL`."""
        return self._id

    async def write(self, request: WriteRequest) -> Draft:
        """Return the model's text; an empty, declined or filtered one is a failure."""
        reply = await self._model.generate(TextRequest(messages=answer_messages(request)))
        problem = self._problem(reply)
        return Draft(
            text="" if problem else reply.text.strip(),
            degraded=False,
            usage=reply.usage,
            failure=problem,
            truncated=reply.finish == "length",
        )

    async def provide(self, tool: Tool, request: WriteRequest) -> ProvidedInput:
        """Return arguments that fit the tool's schema, or None with the reason."""
        provided = await within(self._budget_s, self._now, self._provide(tool, request))
        if provided is None:
            return ProvidedInput(arguments=None, reason=f"{self._id}: deadline", usage=None)
        return provided

    async def aclose(self) -> None:
        """Close the model."""
        await close(self._model)

    async def _provide(self, tool: Tool, request: WriteRequest) -> ProvidedInput:
        messages = input_messages(tool, request)
        reply = await self._model.generate(TextRequest(messages=messages, schema=_reply_schema(tool)))
        used = [reply.usage]
        filled = self._filled(reply, tool)
        if filled.problem is not None and _worth_another(reply):
            messages = messages if reply.failure else messages + correction(reply.text, filled.problem)
            reply = await self._model.generate(TextRequest(messages=messages))
            used.append(reply.usage)
            filled = self._filled(reply, tool)
        reason = filled.unclear or filled.problem
        return ProvidedInput(arguments=filled.arguments, reason=reason, usage=total_usage(used))

    def _filled(self, reply: TextReply, tool: Tool) -> _Filled:
        problem = self._problem(reply)
        if problem is not None:
            return _Filled(arguments=None, unclear=None, problem=problem)
        if reply.finish == "length":
            return _Filled(arguments=None, unclear=None, problem="the reply was cut off")
        return _read(reply.text, tool)

    def _problem(self, reply: TextReply) -> str | None:
        """Return in one sentence why there is no text to use."""
        if reply.failure is not None:
            return describe(self._id, reply.failure, reply.request_id)
        if reply.finish in {"refusal", "filtered", "error"}:
            return f"{self._id}: the reply ended with `{reply.finish}`"
        if len(reply.text) > MAX_REPLY_CHARS:
            return f"{self._id}: the reply is longer than {MAX_REPLY_CHARS:,} characters"
        return None if reply.text.strip() else f"{self._id}: the reply is empty"


def _worth_another(reply: TextReply) -> bool:
    """Tell whether asking again, without a schema, may help: the server may not take schemas."""
    return reply.failure is None or reply.failure.reason == "bad-request"


def _read(text: str, tool: Tool) -> _Filled:
    try:
        value = parse_json(_unfenced(text))
    except ValueError:
        return _Filled(arguments=None, unclear=None, problem="the reply is not one JSON object")
    if not isinstance(value, Mapping) or "arguments" not in value:
        return _Filled(arguments=None, unclear=None, problem="the reply has no `arguments`")
    arguments, unclear = value["arguments"], value.get("unclear")
    if arguments is None and isinstance(unclear, str) and unclear.strip():
        return _Filled(arguments=None, unclear=clip(unclear.strip(), MAX_REASON_CHARS), problem=None)
    if not isinstance(arguments, Mapping):
        return _Filled(arguments=None, unclear=None, problem="`arguments` must be an object")
    problem = misfit(arguments, {"additionalProperties": False, **tool.parameters, "type": "object"})
    return _Filled(arguments=None if problem else arguments, unclear=None, problem=problem)


def _unfenced(text: str) -> str:
    """Return the text inside a code fence around the whole reply, else the reply."""
    lines = text.strip().splitlines()
    fenced = len(lines) > 2 and lines[0].startswith("```") and lines[-1].strip() == "```"
    return "\n".join(lines[1:-1]) if fenced else text


def _reply_schema(tool: Tool) -> Mapping[str, Json]:
    """Return the schema of a reply: arguments, or what is missing; so a constrained model may still decline."""
    return {
        "type": "object",
        "properties": {
            "arguments": {"anyOf": [tool.parameters, {"type": "null"}]},
            "unclear": {"type": ["string", "null"]},
        },
        "required": ["arguments", "unclear"],
        "additionalProperties": False,
    }
