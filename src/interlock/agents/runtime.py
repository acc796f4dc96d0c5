"""What model calls run on: a text model, perhaps a judge, tools, a session, and who may approve.

Source: next-step specification, sections 2 and 17.
"""

from __future__ import annotations

import functools
import math
import mimetypes
import secrets
import time
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from interlock.agents.approving import Approver, check_approver
from interlock.agents.binding import Scope, before_deadline, current, entered
from interlock.agents.colour import awaited, finished, refuse_async_in_loop
from interlock.agents.content import Items, PromptContent, shown
from interlock.agents.journaling import NodeWriter
from interlock.agents.options import CONTEXT_NAMES
from interlock.agents.session import Session
from interlock.agents.toolset import ToolOffer, check_tools, select_tools
from interlock.agents.turn import run_turn
from interlock.agents.turns import take_turn, turn_request
from interlock.errors import ModelError
from interlock.functions.metadata import RenderRange
from interlock.functions.visibility import Node, render_nodes, visible_nodes
from interlock.journal.base import Journal
from interlock.journal.recording import Recorder
from interlock.journal.records import make_run_id
from interlock.judge.base import Judge
from interlock.messages import ImagePart, Message, Part, TextPart
from interlock.models.base import NOT_TEXT, TextModel, TextReply, TextRequest
from interlock.models.closing import close
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
        journal: Journal | None = None,
        approver: Approver | None = None,
        context_name: str = "unattended",
        timeout_s: float | None = None,
    ) -> None:
        if context_name not in CONTEXT_NAMES:
            raise ValueError(f"context_name is {context_name!r}; write one of {', '.join(CONTEXT_NAMES)}")
        check_approver(approver)
        _check_part(model, "generate", "model is a text model; make one with interlock.wiring.make_text_model")
        _check_part(judge, "answer", "judge is a judge; make one with interlock.wiring.make_judge")
        _check_part(journal, "append", "journal is a journal; open one with interlock.journal.open_journal")
        self.model = model
        self.judge = judge
        self.system = system
        self.approver = approver
        self.context_name = context_name
        self.timeout_s = _check_seconds(timeout_s)
        self.tools = check_tools(tools)
        self.run_id = make_run_id(datetime.now(UTC), secrets.token_hex(3))
        """Under which `journal` keeps the nodes of this Runtime."""
        writer = None if journal is None else NodeWriter(Recorder(journal, self.run_id, clock=_utc_now))
        self.session = Session(now=time.monotonic, on_node=writer)

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
        request = turn_request(
            self,
            content,
            tools=tools,
            toolset=toolset,
            choices=choices,
            response_format=response_format,
            timeout_s=_check_seconds(timeout_s),
        )
        refuse_async_in_loop(request.options, None, instead="aexec")
        step = run_anywhere(functools.partial(take_turn, self, request))
        return finished(step())

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
        request = turn_request(
            self,
            content,
            tools=tools,
            toolset=toolset,
            choices=choices,
            response_format=response_format,
            timeout_s=_check_seconds(timeout_s),
        )
        return await awaited((await take_turn(self, request))())

    def close(self) -> None:
        """Let go of what plain calls opened: connections of the model and the judge, or a loaded model file."""
        run_anywhere(self.aclose)

    async def aclose(self) -> None:
        """Let go of what calls of this event loop opened."""
        await close(self.model, self.judge)

    def context_text(self) -> str:
        """Return the part of the session that a model call made here is shown."""
        frame = current().frame(self)
        seq, shown_range = (None, RenderRange()) if frame is None else (frame.seq, frame.render_range)
        return render_nodes(visible_nodes(self.nodes, seq, shown_range))

    def frame(self) -> int | None:
        """Return the `seq` of the open function's node, None at the top."""
        frame = current().frame(self)
        return None if frame is None else frame.seq

    def bounded(self, timeout_s: float | None = None) -> AbstractContextManager[Scope]:
        """Bind the deadline of what happens in the block; None is the Runtime's own limit."""
        limit_s = self.timeout_s if timeout_s is None else timeout_s
        ends_s = math.inf if limit_s is None else self.session.now() + limit_s
        return entered(ends_s=min(current().ends_s, ends_s))

    def offer(
        self, tools: Sequence[object] | None, toolset: str | None, context: Mapping[str, object] | None = None
    ) -> ToolOffer:
        """Return the tools that a call made here offers; `context` fills their hidden parameters."""
        scope = current()
        return select_tools(
            (*self.tools, *scope.agent_tools),
            tools=tools,
            toolset=toolset,
            outer=scope.offer,
            context_name=self.context_name,
            context=context or {},
        )

    async def turn(self, items: Items, offer: ToolOffer, *, seen: str) -> str | None:
        """Run one full turn; return the reply's text, None when it was not text.

        `seen`: the session as the call is shown it.
        """
        messages = self._messages(items, seen)
        with entered(runtime=self, offer=offer):

            async def generate(asked: tuple[Message, ...], specs: tuple[Mapping[str, Any], ...]) -> TextReply:
                return await self._generate(TextRequest(messages=asked, tools=specs), items)

            reply = await run_turn(
                messages, offer, context_name=self.context_name, generate=generate, now=self.session.now
            )
        return _text(reply)

    async def say(self, items: Items, *, seen: str, schema: JsonSchema | None = None) -> str | None:
        """Make one model call without tools; return the reply's text, None when it was not text."""
        return _text(await self._generate(TextRequest(messages=self._messages(items, seen), schema=schema), items))

    def _messages(self, items: Items, seen: str) -> tuple[Message, ...]:
        """Return what is sent: system prompt, the session as context, the content."""
        scope = current()
        own = scope.system or self.system or ""
        prompt = "\n\n".join(part for part in (own, scope.skills) if part)
        content = _parts(items, f"Context:\n{seen}" if seen else "")
        head = (Message(role="system", content=prompt),) if prompt else ()
        return (*head, Message(role="user", content=content))

    async def _generate(self, request: TextRequest, items: Items) -> TextReply:
        """Make one model call within the enclosing deadline and record it.

        Raises:
            FunctionTimeout: the deadline is over.
            ModelError: the call failed as a whole.
        """
        if self.model is None:
            raise TypeError("this Runtime has no text model; pass Runtime(model)")
        opened = self.session.enter("llm", "llm", caller=self.frame(), given=shown(items))
        try:
            async with before_deadline(self.session.now):
                reply = await self.model.generate(request)
        except BaseException as error:
            self.session.fail(opened, error)
            raise
        failure = reply.failure
        if failure is None:
            self.session.exit(opened, "ok", reply.text, _facts(reply))
        else:
            self.session.exit(opened, "error", failure.reason, _facts(reply))
        if failure is not None and failure.reason != NOT_TEXT:
            detail = "" if failure.status is None else f" (status {failure.status})"
            raise ModelError(
                f"{reply.requested_model}: the model call failed: {failure.reason}{detail}",
                reason=failure.reason,
                retryable=failure.retryable,
            )
        return reply


def bound_runtime(runtime: Runtime | None) -> Runtime:
    """Return `runtime`, else the one bound by the enclosing Agent call.

    Raises:
        RuntimeError: there is none.
        TypeError: it is no Runtime.
    """
    found = runtime if runtime is not None else current().runtime
    if found is None:
        raise RuntimeError("no Runtime is bound here; pass runtime=… or call from a method of Agent(runtime=…)")
    if not isinstance(found, Runtime):
        raise TypeError(f"runtime is a Runtime, got {found!r}")
    return found


def _check_part(part: object, method: str, message: str) -> None:
    if part is not None and not callable(getattr(part, method, None)):
        raise TypeError(f"{message}, got {part!r}")


def _check_seconds(timeout_s: float | None) -> float | None:
    is_number = isinstance(timeout_s, int | float) and not isinstance(timeout_s, bool)
    if timeout_s is not None and not (is_number and 0 < timeout_s < math.inf):
        raise TypeError(f"timeout_s is a positive number of seconds, got {timeout_s!r}")
    return timeout_s


def _utc_now() -> datetime:
    return datetime.now(UTC)


def _text(reply: TextReply) -> str | None:
    return None if reply.failure is not None else reply.text


def _facts(reply: TextReply) -> dict[str, object]:
    return {
        "model": reply.served_model or reply.requested_model,
        "finish": reply.finish,
        "tool_calls": [call.name for call in reply.tool_calls],
        "usage": reply.usage,
    }


def _parts(items: Items, before: str) -> str | tuple[Part, ...]:
    if all(item["type"] == "text" for item in items):
        return "\n\n".join([*([before] if before else []), *(shown((item,)) for item in items)])
    parts: list[Part] = [TextPart(text=before)] if before else []
    parts += [TextPart(text=item["text"]) if item["type"] == "text" else _image(item["path"]) for item in items]
    return tuple(parts)


def _image(path: str) -> ImagePart:
    media_type = mimetypes.guess_type(path)[0] or "application/octet-stream"
    return ImagePart(data=Path(path).read_bytes(), media_type=media_type)
