"""What model calls run on: a text model, perhaps a judge, tools, a session, and who may approve.

Source: next-step specification, sections 2 and 17.
"""

from __future__ import annotations

import asyncio
import functools
import math
import mimetypes
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from interlock.agents.approving import Approver
from interlock.agents.binding import current, entered, remaining_s
from interlock.agents.content import Items, PromptContent, read_content
from interlock.agents.deciding import DecisionRequest, decide, respond
from interlock.agents.session import Session
from interlock.agents.toolset import ToolOffer, as_tool, select_tools
from interlock.agents.turn import run_turn
from interlock.errors import FunctionTimeout, ModelError
from interlock.functions.metadata import RenderRange
from interlock.functions.visibility import Node, render_nodes, visible_nodes
from interlock.judge.base import Judge
from interlock.messages import ImagePart, Message, Part, TextPart
from interlock.models.base import NOT_TEXT, TextModel, TextReply, TextRequest
from interlock.pipeline.sharedloop import run_anywhere
from interlock.schema import JsonSchema

__all__ = ["Runtime", "bound_runtime"]


class Runtime:
    """Runs model calls and keeps their session graph; safe to share between threads and event loops."""

    def __init__(
        self,
        model: TextModel | None = None,
        *,
        judge: Judge | None = None,
        tools: Sequence[object] = (),
        system: str | None = None,
        approver: Approver | None = None,
        context_name: str = "unattended",
        timeout_s: float | None = None,
    ) -> None:
        self.model = model
        self.judge = judge
        self.system = system
        self.approver = approver
        self.context_name = context_name
        self.timeout_s = timeout_s
        self.tools = tuple(as_tool(item) for item in tools)
        self.session = Session(now=time.monotonic)

    @property
    def nodes(self) -> tuple[Node, ...]:
        """The session graph so far."""
        return self.session.nodes

    def exec(
        self,
        content: PromptContent,
        *,
        tools: Sequence[object] | None = None,
        toolset: str | None = None,
        choices: object = None,
        response_format: object = None,
        timeout_s: float | None = None,
    ) -> Any:  # noqa: ANN401  (whatever the next step returns)
        """Run one full turn: its text, the result of the option it picks, or the object it fills.

        `choices`: options, as for `decision.make`. `response_format`: a schema, `{field: type}`.

        Raises:
            TypeError: the content, the tools, `choices` or `response_format` are not of a known form.
            DecisionError: no valid pick or object after one more attempt.
            ModelError: a model call failed as a whole.
            FunctionTimeout: the time was over.
        """
        call = functools.partial(
            self.aexec,
            content,
            tools=tools,
            toolset=toolset,
            choices=choices,
            response_format=response_format,
            timeout_s=timeout_s,
        )
        return run_anywhere(call)

    async def aexec(
        self,
        content: PromptContent,
        *,
        tools: Sequence[object] | None = None,
        toolset: str | None = None,
        choices: object = None,
        response_format: object = None,
        timeout_s: float | None = None,
    ) -> Any:  # noqa: ANN401  (whatever the next step returns)
        """The coroutine form of `exec`."""
        items = read_content(content)
        if choices is not None and response_format is not None:
            raise TypeError("choices and response_format exclude each other; write one of them")
        offer = self.offer(tools, toolset)
        if choices is not None:
            request = DecisionRequest(items=items, options=choices, max_retries=1, offer=offer, timeout_s=timeout_s)
            return await (await decide(self, request)).aresolve()
        if response_format is not None:
            return await respond(self, items, response_format, offer, timeout_s)
        return await self.turn(items, offer, timeout_s)

    def context_text(self) -> str:
        """Return the part of the session that a model call made here is shown."""
        scope = current()
        is_own = scope.runtime is self
        frame = scope.frame if is_own else None
        shown = scope.render_range if is_own else RenderRange()
        return render_nodes(visible_nodes(self.nodes, frame, shown))

    def offer(self, tools: Sequence[object] | None, toolset: str | None) -> ToolOffer:
        """Return the tools that a call made here offers."""
        scope = current()
        registered = (*self.tools, *(as_tool(item) for item in scope.agent_tools))
        return select_tools(registered, tools=tools, toolset=toolset, outer=scope.offer, context_name=self.context_name)

    async def turn(self, items: Items, offer: ToolOffer, timeout_s: float | None = None) -> str | None:
        """Run one full turn; return the reply's text, None when it was not text."""
        messages = self.messages(items)
        with entered(offer=offer, **self._deadline(timeout_s)):

            async def generate(asked: tuple[Message, ...], specs: tuple[Mapping[str, Any], ...]) -> TextReply:
                return await self._generate(TextRequest(messages=asked, tools=specs), items)

            reply = await run_turn(messages, offer, self.context_name, generate)
        return _text(reply)

    async def say(self, items: Items, schema: JsonSchema | None = None, system: str | None = None) -> str | None:
        """Make one model call without tools; return the reply's text, None when it was not text."""
        with entered(**self._deadline(None)):
            request = TextRequest(messages=self.messages(items, system), schema=schema)
            return _text(await self._generate(request, items))

    def messages(self, items: Items, system: str | None = None) -> tuple[Message, ...]:
        """Return what is sent: system prompt, the session as context, the content."""
        scope = current()
        own = system or scope.system or self.system or ""
        prompt = "\n\n".join(part for part in (own, scope.skills) if part)
        context = self.context_text()
        content = _parts(items, f"Context:\n{context}" if context else "")
        head = (Message(role="system", content=prompt),) if prompt else ()
        return (*head, Message(role="user", content=content))

    def _deadline(self, timeout_s: float | None) -> dict[str, float]:
        limit_s = self.timeout_s if timeout_s is None else timeout_s
        ends_s = math.inf if limit_s is None else self.session.now() + limit_s
        return {"ends_s": min(current().ends_s, ends_s)}

    async def _generate(self, request: TextRequest, items: Items) -> TextReply:
        """Make one model call within the enclosing deadline and record it.

        Raises:
            FunctionTimeout: the deadline is over.
            ModelError: the call failed as a whole.
        """
        if self.model is None:
            raise TypeError("this Runtime has no text model; pass Runtime(model)")
        left_s = remaining_s(self.session.now)
        opened = self.session.enter("llm", "llm", caller=self.frame(), given=_shown(items))
        try:
            async with asyncio.timeout(None if math.isinf(left_s) else left_s) as scope:
                reply = await self.model.generate(request)
        except TimeoutError as error:
            self.session.exit(opened, "timeout", None)
            if not scope.expired():
                raise
            raise FunctionTimeout("the time of the enclosing call is over", still_running=False) from error
        except BaseException as error:
            cancelled = isinstance(error, asyncio.CancelledError)
            self.session.exit(opened, "cancelled" if cancelled else "error", type(error).__name__)
            raise
        failure = reply.failure
        self.session.exit(
            opened, "ok" if failure is None else "error", reply.text if failure is None else failure.reason
        )
        if failure is not None and failure.reason != NOT_TEXT:
            status = "" if failure.status is None else f" (status {failure.status})"
            raise ModelError(
                f"{reply.requested_model}: the model call failed: {failure.reason}{status}",
                reason=failure.reason,
                retryable=failure.retryable,
            )
        return reply

    def frame(self) -> int | None:
        """Return the `seq` of the open function's node, None at the top."""
        scope = current()
        return scope.frame if scope.runtime is self else None


def bound_runtime(runtime: Runtime | None) -> Runtime:
    """Return `runtime`, else the one bound by the enclosing Agent call.

    Raises:
        RuntimeError: there is none.
    """
    found = runtime if runtime is not None else current().runtime
    if found is None:
        raise RuntimeError("no Runtime is bound here; pass runtime=… or call from a method of Agent(runtime=…)")
    if not isinstance(found, Runtime):
        raise TypeError(f"runtime is a Runtime, got {found!r}")
    return found


def _text(reply: TextReply) -> str | None:
    return None if reply.failure is not None else reply.text


def _shown(items: Items) -> str:
    return "\n".join(item["text"] if item["type"] == "text" else f"(image {item['path']})" for item in items)


def _parts(items: Items, before: str) -> str | tuple[Part, ...]:
    if all(item["type"] == "text" for item in items):
        return "\n\n".join([*([before] if before else []), *(_shown((item,)) for item in items)])
    parts: list[Part] = [TextPart(text=before)] if before else []
    parts += [TextPart(text=item["text"]) if item["type"] == "text" else _image(item["path"]) for item in items]
    return tuple(parts)


def _image(path: str) -> ImagePart:
    media_type = mimetypes.guess_type(path)[0] or "application/octet-stream"
    return ImagePart(data=Path(path).read_bytes(), media_type=media_type)
