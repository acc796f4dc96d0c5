"""Our values and the chat dicts of llama.cpp, in both directions."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias, assert_never

from interlock.messages import ImagePart, Message, Part, TextPart, ToolCall
from interlock.models.base import Failure, Finish, TextReply, TextRequest, TokenLogprob, Usage

__all__ = ["MAX_TOKENS", "Gathered", "body_of"]

MAX_TOKENS = 1024
"""Most tokens of a reply whose request names no limit: a small model may never end by itself."""

Raw: TypeAlias = Mapping[str, Any]
_FINISHES: Mapping[str, Finish] = {"stop": "stop", "tool_calls": "stop", "length": "length"}


def body_of(request: TextRequest) -> dict[str, Any]:
    """Return the request as llama.cpp takes it: streamed, at temperature 0 unless another is named."""
    body: dict[str, Any] = {
        "messages": [_message(message) for message in request.messages],
        "max_tokens": MAX_TOKENS if request.max_tokens is None else request.max_tokens,
        "temperature": 0.0 if request.temperature is None else request.temperature,
        "stream": True,
        "stream_options": {"include_usage": True},
    }
    if request.stop:
        body["stop"] = list(request.stop)
    if request.seed is not None:
        body["seed"] = request.seed
    if request.schema is not None:
        schema = {"name": "reply", "schema": dict(request.schema)}
        body["response_format"] = {"type": "json_schema", "json_schema": schema}
    if request.tools:
        body["tools"] = [{"type": "function", "function": dict(spec)} for spec in request.tools]
    if request.must_call:
        body["tool_choice"] = "required"
    if request.top_logprobs is not None:
        body |= {"logprobs": True, "top_logprobs": request.top_logprobs}
    return body


@dataclass(slots=True, kw_only=True)
class Gathered:
    """What a stream has brought so far."""

    ended: bool = False
    _pieces: list[str] = field(default_factory=list)
    _calls: dict[int, list[str]] = field(default_factory=dict)
    """Index → id, name and arguments of a tool call."""
    _finish: Finish | None = None
    _usage: Usage | None = None
    _id: str | None = None
    _first_token: tuple[TokenLogprob, ...] | None = None
    _failure: Failure | None = None

    def add(self, event: Raw | Failure | None) -> str:
        """Take in the next chunk and return the text it brings; None is the end."""
        if event is None or isinstance(event, Failure):
            self.ended = True
            self._failure = event if self._failure is None else self._failure
            return ""
        if "error" in event:
            self._failure = _failure(event["error"])
            return ""
        return self._chunk(event)

    def reply(self, requested: str) -> TextReply:
        """Return the whole reply; one that ended without saying why was stopped."""
        failure = self._failure
        if failure is None and self._finish is None:
            failure = Failure(reason="server")
        calls = [ToolCall(id=parts[0], name=parts[1], arguments=parts[2]) for _, parts in sorted(self._calls.items())]
        return TextReply(
            text="".join(self._pieces),
            finish="error" if failure is not None or self._finish is None else self._finish,
            usage=None if failure is not None else self._usage,
            requested_model=requested,
            served_model=None if failure is not None else requested,
            request_id=self._id,
            failure=failure,
            tool_calls=tuple(calls),
            first_token=self._first_token,
        )

    def _chunk(self, chunk: Raw) -> str:
        self._id = self._id or chunk.get("id")
        if chunk.get("usage"):
            self._usage = _usage(chunk["usage"])
        for choice in chunk.get("choices", ()):
            reason = choice.get("finish_reason")
            self._finish = self._finish if reason is None else _FINISHES.get(reason, "error")
            if self._first_token is None:
                self._first_token = _first_token(choice.get("logprobs") or {})
            return self._delta(choice.get("delta") or {})
        return ""

    def _delta(self, delta: Raw) -> str:
        for call in delta.get("tool_calls") or ():
            parts = self._calls.setdefault(call.get("index", 0), ["", "", ""])
            named = call.get("function") or {}
            for at, piece in enumerate((call.get("id"), named.get("name"), named.get("arguments"))):
                parts[at] += piece or ""
        piece = delta.get("content") or ""
        self._pieces.append(piece)
        return piece


def _failure(error: Raw) -> Failure:
    too_large = error.get("type") == "exceed_context_size_error"
    return Failure(reason="too-large" if too_large else "bad-request", status=error.get("code"))


def _usage(usage: Raw) -> Usage:
    return Usage(
        input_tokens=usage.get("prompt_tokens"),
        output_tokens=usage.get("completion_tokens"),
        cached_input_tokens=(usage.get("prompt_tokens_details") or {}).get("cached_tokens"),
    )


def _first_token(logprobs: Raw) -> tuple[TokenLogprob, ...] | None:
    first: Raw = next(iter(logprobs.get("content") or ()), {})
    given = [TokenLogprob(token=item["token"], logprob=item["logprob"]) for item in first.get("top_logprobs", ())]
    return tuple(sorted(given, key=lambda item: -item.logprob)) or None


def _message(message: Message) -> dict[str, Any]:
    said: dict[str, Any] = {"role": message.role, "content": _content(message)}
    if message.tool_calls:
        said["tool_calls"] = [
            {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
            for call in message.tool_calls
        ]
    if message.tool_call_id is not None:
        said["tool_call_id"] = message.tool_call_id
    return said


def _content(message: Message) -> str | list[dict[str, Any]]:
    if isinstance(message.content, str):
        return message.content
    return [_part(part) for part in message.content]


def _part(part: Part) -> dict[str, Any]:
    match part:
        case TextPart():
            return {"type": "text", "text": part.text}
        case ImagePart():
            data = base64.b64encode(part.data).decode("ascii")
            return {"type": "image_url", "image_url": {"url": f"data:{part.media_type};base64,{data}"}}
        case _:
            assert_never(part)
