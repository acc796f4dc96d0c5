"""The functions an agent's methods call: a full turn with or without a decision, and one plain model call.

Source: next-step specification, section 2.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import Any

from interlock.agents.binding import current, entered
from interlock.agents.colour import awaited, finished, refuse_async_in_loop
from interlock.agents.content import PromptContent, read_content
from interlock.agents.deciding import Fallback
from interlock.agents.responding import respond
from interlock.agents.runtime import Runtime, bound_runtime
from interlock.agents.toolset import ToolOffer
from interlock.agents.turns import reply_text, take_turn, turn_request
from interlock.pipeline.sharedloop import run_anywhere
from interlock.schema import schema_fields

__all__ = ["aagent", "agent", "allm", "llm"]


def agent(
    prompt: PromptContent,
    *,
    choices: object = None,
    runtime: Runtime | None = None,
    context: Mapping[str, object] | None = None,
    fallback: Fallback | None = None,
    tools: Sequence[object] | None = None,
    toolset: str | None = None,
) -> Any:  # noqa: ANN401  (whatever the next step returns)
    """Run one full turn, then the decision among `choices`; without them return the reply's text.

    Raises:
        RuntimeError: no Runtime is given or bound, or a choice is async while an event loop runs here.
        TypeError: an argument is not of a known form; `context` or `fallback` without `choices`.
        MissingContextError: nothing fills a hidden parameter.
        DecisionError: no valid pick after one re-pick, and no `fallback`.
        ModelError: a model call failed as a whole.
        FunctionTimeout: the time was over.
    """
    found = bound_runtime(runtime)
    request = turn_request(
        found, prompt, choices=choices, context=context, fallback=fallback, tools=tools, toolset=toolset
    )
    refuse_async_in_loop(request.options, request.fallback, instead="aagent")
    step = run_anywhere(functools.partial(take_turn, found, request))
    return finished(step())


async def aagent(
    prompt: PromptContent,
    *,
    choices: object = None,
    runtime: Runtime | None = None,
    context: Mapping[str, object] | None = None,
    fallback: Fallback | None = None,
    tools: Sequence[object] | None = None,
    toolset: str | None = None,
) -> Any:  # noqa: ANN401  (whatever the next step returns)
    """The coroutine form of `agent`."""
    found = bound_runtime(runtime)
    request = turn_request(
        found, prompt, choices=choices, context=context, fallback=fallback, tools=tools, toolset=toolset
    )
    return await awaited((await take_turn(found, request))())


def llm(content: PromptContent, *, system: str | None = None, response_format: object = None) -> Any:  # noqa: ANN401  (text, or the filled object)
    """Make one model call without tools on the bound Runtime; return its text, or the object it fills.

    Raises:
        RuntimeError: no Runtime is bound.
        DecisionError: `response_format` is given and no reply fits it.
        ModelError: the call failed as a whole.
        FunctionTimeout: the time was over.
    """
    return run_anywhere(functools.partial(allm, content, system=system, response_format=response_format))


async def allm(content: PromptContent, *, system: str | None = None, response_format: object = None) -> Any:  # noqa: ANN401  (text, or the filled object)
    """The coroutine form of `llm`."""
    runtime = bound_runtime(None)
    items = read_content(content)
    fields = None if response_format is None else schema_fields(response_format)
    with entered(system=system or current().system), runtime.bounded():
        if fields is not None:
            return await respond(runtime, items, fields, ToolOffer(offered=()))
        return reply_text(await runtime.say(items, seen=runtime.context_text()))
