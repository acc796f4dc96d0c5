"""One full turn: the text model and its tools, until it answers with text.

Tool results are data: a failed, refused or unknown call becomes the text that the model reads.
Source: next-step specification, sections 2 and 14.
"""

from __future__ import annotations

import functools
import inspect
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Protocol

from interlock.agents.binding import before_deadline
from interlock.agents.colour import awaited
from interlock.agents.recorded import as_recorded
from interlock.agents.session import error_text
from interlock.agents.threads import arun_apart, arun_in_thread
from interlock.agents.toolset import FIND_TOOLS, AgentTool, ToolOffer, find_tools, matching, may_offer
from interlock.errors import ApprovalDenied, FunctionTimeout, ModelError, ToolError
from interlock.messages import Message, ToolCall
from interlock.models.base import TextReply
from interlock.models.repair import read_object
from interlock.pipeline.sharedloop import on_shared_loop

__all__ = ["MAX_TURN_CALLS", "Generate", "run_turn"]

MAX_TURN_CALLS = 50
"""Model calls after which a turn that goes on asking for tools is ended."""


class Generate(Protocol):
    """Makes one recorded model call."""

    async def __call__(self, messages: tuple[Message, ...], tools: tuple[Mapping[str, Any], ...], /) -> TextReply:
        """Return the reply; a failed call raises."""
        ...


@dataclass(slots=True)
class _Tools:
    """What the model may call now; finding deferred tools adds to it."""

    offer: ToolOffer
    context_name: str
    has_finder: bool

    def usable(self) -> list[AgentTool]:
        return [*self.offer.offered, *([find_tools(self.offer)] if self.has_finder else [])]

    def reveal(self, given: Mapping[str, Any]) -> None:
        found = matching(self.offer, given)
        rest = tuple(tool for tool in self.offer.deferred if tool not in found)
        self.offer = replace(self.offer, offered=(*self.offer.offered, *found), deferred=rest)


async def run_turn(
    messages: tuple[Message, ...],
    offer: ToolOffer,
    *,
    context_name: str,
    generate: Generate,
    now: Callable[[], float],
) -> TextReply:
    """Return the reply that asks for no more tools.

    Raises:
        FunctionTimeout: the enclosing deadline is over; a tool that is plain code runs on in its thread.
        ModelError: the turn did not end within its model calls.
    """
    tools = _Tools(offer=offer, context_name=context_name, has_finder=bool(offer.deferred))
    for _ in range(MAX_TURN_CALLS):
        reply = await generate(messages, tuple(tool.spec for tool in tools.usable()))
        if not reply.tool_calls:
            return reply
        said = Message(role="assistant", content=reply.text, tool_calls=reply.tool_calls)
        answers: list[Message] = []
        for call in reply.tool_calls:
            async with before_deadline(now):
                text = await _result(call, tools)
            answers.append(Message(role="tool", content=text, tool_call_id=call.id))
        messages = (*messages, said, *answers)
    raise ModelError(
        f"the turn did not end within {MAX_TURN_CALLS} model calls", reason="turn-too-long", retryable=False
    )


async def _result(call: ToolCall, tools: _Tools) -> str:
    usable = tools.usable()
    tool = next((item for item in usable if item.name == call.name), None)
    if tool is None:
        names = ", ".join(item.name for item in usable) or "none"
        return f"error: no tool `{call.name}`; the tools are: {names}"
    given = _arguments(call.arguments)
    if given is None:
        return "error: the arguments must be one JSON object"
    if not may_offer(tool, tools.context_name):
        return f"error: `{call.name}` is not available now"
    text = await _ran(tool, given)
    if tool.name == FIND_TOOLS:
        tools.reveal(given)
    return text


def _arguments(text: str) -> dict[str, Any] | None:
    try:
        read, _ = read_object(text or "{}")
    except (ValueError, RecursionError):
        return None
    return read if isinstance(read, dict) else None


async def _ran(tool: AgentTool, given: Mapping[str, Any]) -> str:
    """Run a tool where it cannot hold up others: plain code in a thread, and no coroutine in a shared loop.

    Every failure is text.
    """
    try:
        result = await arun_in_thread(lambda: tool.execute(given))
        if inspect.isawaitable(result):
            result = await (arun_apart(functools.partial(awaited, result)) if on_shared_loop() else result)
    except (ToolError, FunctionTimeout, ApprovalDenied) as error:
        return f"error: {error}"
    except Exception as error:  # noqa: BLE001  (whatever a tool raises is told to the model by type and text)
        return f"error: {error_text(error)}"
    return result if isinstance(result, str) else json.dumps(as_recorded(result), ensure_ascii=False)
