"""Any OpenAI-compatible chat endpoint, through the official SDK.

Makes one attempt per request; failures are values and keep no text of the server.
Source: backends specification, section 8.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from typing import Literal, TypeAlias, TypeVar

import openai
from openai.types.chat import ChatCompletion, ChatCompletionChunk

from interlock.models.base import Delta, Done, Failure, TextEvent, TextReply, TextRequest
from interlock.models.bounded import TooLargeError, bound
from interlock.models.certificates import is_certificate_error
from interlock.models.failures import error_type_of, request_id_of, status_failure
from interlock.models.openai_values import (
    Gathered,
    finish_of,
    first_token_of,
    format_of,
    messages_of,
    text_of,
    tool_calls_of,
    tools_of,
    usage_of,
)
from interlock.models.patience import Clock, within
from interlock.models.perloop import PerLoop
from interlock.models.secret import Secret

__all__ = ["OpenAIChat"]

STALL_S = 15.0
"""A stream in which nothing arrives for so long has failed."""

V = TypeVar("V")
Chunks: TypeAlias = openai.AsyncStream[ChatCompletionChunk]


class OpenAIChat:
    """Asks one model at one endpoint; connections stay open between requests of one event loop."""

    def __init__(self, *, model: str, base: str, key: Secret | None, budget_s: float, now: Clock, wall: Clock) -> None:
        self._model = model
        self._base = base
        self._key = key
        self._budget_s = budget_s
        self._now = now
        self._wall = wall
        self._clients = PerLoop(self._client, openai.AsyncOpenAI.close)

    async def generate(self, request: TextRequest) -> TextReply:
        """Return the whole reply."""
        reply = await within(self._budget_s, self._now, self._generate(request))
        return self._failed(Failure(reason="deadline")) if reply is None else reply

    async def stream(self, request: TextRequest) -> AsyncIterator[TextEvent]:
        """Yield pieces as they arrive, then the whole reply; one that is cut keeps its pieces and has no usage."""
        ends = self._now() + self._budget_s
        opened = await within(self._budget_s, self._now, self._open(request))
        if opened is None or isinstance(opened, Failure):
            yield Done(reply=self._failed(opened or Failure(reason="deadline")))
            return
        gathered = Gathered()
        try:
            while not gathered.ended:
                piece = gathered.add(await self._next(opened, ends))
                if piece:
                    yield Delta(text=piece)
        finally:
            await opened.close()
        yield Done(reply=gathered.reply(self._model))

    async def aclose(self) -> None:
        """Close the connections."""
        await self._clients.aclose()

    def _client(self) -> openai.AsyncOpenAI:
        return openai.AsyncOpenAI(
            api_key="unused" if self._key is None else self._key.reveal(),
            base_url=self._base,
            max_retries=0,
            timeout=self._budget_s,
            default_headers={"accept-encoding": "identity"},
            http_client=openai.DefaultAsyncHttpxClient(
                follow_redirects=False, timeout=self._budget_s, event_hooks={"response": [bound]}
            ),
        )

    async def _generate(self, request: TextRequest) -> TextReply:
        try:
            completion = await self._clients.get().chat.completions.create(
                model=self._model,
                messages=messages_of(request.messages),
                response_format=format_of(request),
                tools=tools_of(request.tools),
                tool_choice="required" if request.must_call else openai.omit,
                max_tokens=_given(request.max_tokens),
                temperature=_given(request.temperature),
                stop=_given(list(request.stop) or None),
                seed=_given(request.seed),
                logprobs=_given(None if request.top_logprobs is None else True),
                top_logprobs=_given(request.top_logprobs),
                extra_headers=self._headers(),
            )
        except (openai.OpenAIError, ValueError, RecursionError) as error:
            return self._failed(self._failure(error))
        return self._read(completion)

    async def _open(self, request: TextRequest) -> Chunks | Failure:
        try:
            return await self._clients.get().chat.completions.create(
                model=self._model,
                messages=messages_of(request.messages),
                response_format=format_of(request),
                tools=tools_of(request.tools),
                tool_choice="required" if request.must_call else openai.omit,
                max_tokens=_given(request.max_tokens),
                temperature=_given(request.temperature),
                stop=_given(list(request.stop) or None),
                seed=_given(request.seed),
                stream=True,
                stream_options={"include_usage": True},
                extra_headers=self._headers(),
            )
        except (openai.OpenAIError, ValueError, RecursionError) as error:
            return self._failure(error)

    async def _next(self, chunks: Chunks, ends: float) -> ChatCompletionChunk | Failure | Literal["end"]:
        """Return what the stream brings next."""
        left_s = ends - self._now()
        try:
            chunk = await within(min(STALL_S, left_s), self._now, anext(chunks, "end"))
        except (openai.OpenAIError, ValueError, RecursionError) as error:
            return self._failure(error)
        if chunk is None:
            return Failure(reason="timeout" if left_s > STALL_S else "deadline")
        return "end" if isinstance(chunk, str) else chunk

    def _headers(self) -> Mapping[str, str | openai.Omit]:
        """Return what removes the key's header where there is no key."""
        return {"Authorization": openai.omit} if self._key is None else {}

    def _read(self, completion: object) -> TextReply:
        """Return the reply of a body that the SDK took without looking."""
        if not isinstance(completion, ChatCompletion):
            return self._failed(Failure(reason="not-json"))
        first = next(iter(completion.choices or ()), None)
        if first is None or first.message is None:
            return self._failed(Failure(reason="envelope"))
        return TextReply(
            text=text_of(first.message.content),
            finish="refusal" if first.message.refusal else finish_of(first.finish_reason),
            usage=usage_of(completion.usage),
            requested_model=self._model,
            served_model=text_of(completion.model) or None,
            request_id=request_id_of(completion.id),
            tool_calls=tool_calls_of(first.message),
            first_token=first_token_of(first.logprobs),
        )

    def _failed(self, failure: Failure) -> TextReply:
        return TextReply(
            text="",
            finish="error",
            usage=None,
            requested_model=self._model,
            served_model=None,
            request_id=None,
            failure=failure,
        )

    def _failure(self, error: openai.OpenAIError | ValueError | RecursionError) -> Failure:
        match error:
            case openai.APIStatusError():
                type_ = error_type_of({"error": {"type": error.type}})
                return status_failure(error.status_code, error.response.headers, wall_s=self._wall(), error_type=type_)
            case openai.APITimeoutError():
                return Failure(reason="timeout", retryable=True)
            case openai.APIConnectionError() if isinstance(error.__cause__, TooLargeError):
                return Failure(reason="oversize")
            case openai.APIConnectionError():
                return Failure(reason="connect", retryable=not is_certificate_error(error))
            case openai.APIError():
                return Failure(reason="server", retryable=True)
            case _:
                return Failure(reason="not-json")


def _given(value: V | None) -> V | openai.Omit:
    return openai.omit if value is None else value
