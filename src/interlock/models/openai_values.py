"""Our values and those of the chat SDK, in both directions.

The SDK builds its values without checking them, so every field is read as if it might be missing.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, assert_never, cast

import openai
from openai.types import CompletionUsage
from openai.types.chat import (
    ChatCompletionAssistantMessageParam,
    ChatCompletionChunk,
    ChatCompletionContentPartParam,
    ChatCompletionFunctionToolParam,
    ChatCompletionMessage,
    ChatCompletionMessageFunctionToolCall,
    ChatCompletionMessageParam,
    ChatCompletionSystemMessageParam,
    ChatCompletionToolMessageParam,
    ChatCompletionUserMessageParam,
)
from openai.types.chat.chat_completion import ChoiceLogprobs
from openai.types.chat.chat_completion_chunk import ChoiceDelta
from openai.types.shared_params import ResponseFormatJSONSchema
from openai.types.shared_params.response_format_json_schema import JSONSchema

from interlock.messages import ImagePart, Message, Part, TextPart, ToolCall
from interlock.models.base import Failure, Finish, TextReply, TextRequest, TokenLogprob, Usage
from interlock.models.failures import request_id_of
from interlock.questions import Json

__all__ = [
    "Gathered",
    "finish_of",
    "first_token_of",
    "format_of",
    "messages_of",
    "text_of",
    "tool_calls_of",
    "tools_of",
    "usage_of",
]

_FINISHES: Mapping[str, Finish] = {
    "stop": "stop",
    "tool_calls": "stop",
    "length": "length",
    "content_filter": "filtered",
}


def messages_of(messages: Sequence[Message]) -> list[ChatCompletionMessageParam]:
    """Return the messages as the SDK takes them."""
    return [_message(message) for message in messages]


def format_of(request: TextRequest) -> ResponseFormatJSONSchema | openai.Omit:
    """Return the request for a reply that fits the schema, or what leaves it out."""
    if request.schema is None:
        return openai.omit
    wanted: JSONSchema = {"name": "reply", "schema": dict(request.schema)}
    if request.strict:
        wanted["strict"] = True
    return {"type": "json_schema", "json_schema": wanted}


def first_token_of(logprobs: ChoiceLogprobs | None) -> tuple[TokenLogprob, ...] | None:
    """Return the candidates of the first token; None when none are reported."""
    first = next(iter((logprobs.content if logprobs is not None else None) or ()), None)
    if first is None:
        return None
    given = [TokenLogprob(token=text_of(item.token), logprob=item.logprob) for item in first.top_logprobs or ()]
    return tuple(sorted(given, key=lambda item: -item.logprob)) or None


def finish_of(reason: str | None) -> Finish:
    """Return why the reply ended; `error` for a reason that is not known."""
    return _FINISHES.get(reason or "", "error")


def text_of(content: str | None) -> str:
    """Return the text, a lone surrogate replaced so that every store can keep it."""
    return (content or "").encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def usage_of(usage: CompletionUsage | None) -> Usage | None:
    """Return what was reported, None when nothing was."""
    if usage is None:
        return None
    details = usage.prompt_tokens_details
    return Usage(
        input_tokens=usage.prompt_tokens,
        output_tokens=usage.completion_tokens,
        cached_input_tokens=None if details is None else details.cached_tokens,
    )


@dataclass(slots=True, kw_only=True)
class Gathered:
    """What a stream has brought so far."""

    pieces: list[str] = field(default_factory=list)
    finish: Finish | None = None
    usage: Usage | None = None
    model: str | None = None
    id: str | None = None
    failure: Failure | None = None
    ended: bool = False

    def add(self, event: ChatCompletionChunk | Failure | Literal["end"]) -> str:
        """Take in the next event and return the text it brings; a stream that stops unfinished was cut."""
        if isinstance(event, Failure):
            self.ended, self.failure = True, event
            return ""
        if isinstance(event, str):
            self.ended = True
            self.failure = Failure(reason="connect", retryable=True) if self.finish is None else None
            return ""
        return self._chunk(event)

    def reply(self, requested: str) -> TextReply:
        """Return the whole reply."""
        return TextReply(
            text="".join(self.pieces),
            finish="error" if self.failure is not None or self.finish is None else self.finish,
            usage=None if self.failure is not None else self.usage,
            requested_model=requested,
            served_model=self.model,
            request_id=request_id_of(self.id),
            failure=self.failure,
        )

    def _chunk(self, chunk: ChatCompletionChunk) -> str:
        self.model, self.id = text_of(chunk.model) or self.model, chunk.id or self.id
        self.usage = usage_of(chunk.usage) or self.usage
        first = next(iter(chunk.choices or ()), None)
        if first is None:
            return ""
        if first.finish_reason is not None and self.finish is None:
            self.finish = finish_of(first.finish_reason)
        delta: ChoiceDelta | None = first.delta
        if delta is not None and delta.refusal:
            self.finish = "refusal"
        piece = "" if delta is None else text_of(delta.content)
        self.pieces.append(piece)
        return piece


def tools_of(specs: Sequence[Mapping[str, Json]]) -> list[ChatCompletionFunctionToolParam] | openai.Omit:
    """Return the tools on offer as the SDK takes them, or what leaves them out."""
    if not specs:
        return openai.omit
    return [cast("ChatCompletionFunctionToolParam", {"type": "function", "function": dict(spec)}) for spec in specs]


def tool_calls_of(message: ChatCompletionMessage) -> tuple[ToolCall, ...]:
    """Return the tool calls that a reply asks for."""
    return tuple(
        ToolCall(id=call.id, name=call.function.name, arguments=call.function.arguments)
        for call in message.tool_calls or ()
        if isinstance(call, ChatCompletionMessageFunctionToolCall)
    )


def _message(message: Message) -> ChatCompletionMessageParam:
    match message.role:
        case "system":
            return ChatCompletionSystemMessageParam(role="system", content=_text(message))
        case "user":
            return ChatCompletionUserMessageParam(role="user", content=_user_content(message))
        case "assistant":
            return _assistant(message)
        case "tool":
            return ChatCompletionToolMessageParam(
                role="tool", content=_text(message), tool_call_id=message.tool_call_id or ""
            )
        case _:
            assert_never(message.role)


def _assistant(message: Message) -> ChatCompletionAssistantMessageParam:
    said = ChatCompletionAssistantMessageParam(role="assistant", content=_text(message))
    if message.tool_calls:
        said["tool_calls"] = [
            {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
            for call in message.tool_calls
        ]
    return said


def _text(message: Message) -> str:
    if isinstance(message.content, str):
        return message.content
    return "\n".join(part.text for part in message.content if isinstance(part, TextPart))


def _user_content(message: Message) -> str | list[ChatCompletionContentPartParam]:
    if isinstance(message.content, str):
        return message.content
    return [_part(part) for part in message.content]


def _part(part: Part) -> ChatCompletionContentPartParam:
    match part:
        case TextPart():
            return {"type": "text", "text": part.text}
        case ImagePart():
            data = base64.b64encode(part.data).decode("ascii")
            return {"type": "image_url", "image_url": {"url": f"data:{part.media_type};base64,{data}"}}
        case _:
            assert_never(part)
