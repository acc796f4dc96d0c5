"""The functions an agent's methods call: a full turn with or without a decision, and one plain model call.

Source: next-step specification, section 2.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from interlock.agents.content import PromptContent, read_content
from interlock.agents.deciding import DecisionRequest, decide, respond
from interlock.agents.runtime import Runtime, bound_runtime
from interlock.agents.toolset import ToolOffer
from interlock.errors import DecisionError
from interlock.pipeline.sharedloop import run_anywhere

__all__ = ["aagent", "agent", "allm", "llm"]

Fallback = Callable[[DecisionError[Any]], Any]


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
        RuntimeError: no Runtime is given or bound.
        TypeError: an argument is not of a known form; `context` or `fallback` without `choices`.
        DecisionError: no valid pick after one re-pick, and no `fallback`.
        ModelError: a model call failed as a whole.
    """
    call = functools.partial(
        _turned, prompt, choices, bound_runtime(runtime), context, fallback, tools=tools, toolset=toolset
    )
    step = run_anywhere(call)
    result = step()
    return run_anywhere(functools.partial(_awaited, result)) if inspect.isawaitable(result) else result


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
    step = await _turned(prompt, choices, bound_runtime(runtime), context, fallback, tools=tools, toolset=toolset)
    result = step()
    return await result if inspect.isawaitable(result) else result


def llm(content: PromptContent, *, system: str | None = None, response_format: object = None) -> Any:  # noqa: ANN401  (text, or the filled object)
    """Make one model call without tools on the bound Runtime; return its text, or the object it fills.

    Raises:
        RuntimeError: no Runtime is bound.
        DecisionError: `response_format` is given and no reply fits it.
        ModelError: the call failed as a whole.
    """
    return run_anywhere(functools.partial(allm, content, system=system, response_format=response_format))


async def allm(content: PromptContent, *, system: str | None = None, response_format: object = None) -> Any:  # noqa: ANN401  (text, or the filled object)
    """The coroutine form of `llm`."""
    runtime = bound_runtime(None)
    items = read_content(content)
    if response_format is not None:
        return await respond(runtime, items, response_format, ToolOffer(offered=()), None)
    return await runtime.say(items, system=system)


async def _turned(
    prompt: PromptContent,
    choices: object,
    runtime: Runtime,
    context: Mapping[str, object] | None,
    fallback: Fallback | None,
    **tools: Any,  # noqa: ANN401  (`tools` and `toolset`)
) -> Callable[[], Any]:
    """Run the turn; return what gives its result when called, in the thread or loop of the caller."""
    items = read_content(prompt)
    if choices is None:
        if context is not None or fallback is not None:
            raise TypeError("context and fallback belong to a decision; pass choices with them")
        text = await runtime.turn(items, runtime.offer(tools["tools"], tools["toolset"]))
        return lambda: text
    check_fallback(fallback)
    offer = runtime.offer(tools["tools"], tools["toolset"])
    request = DecisionRequest(items=items, options=choices, context=context or {}, offer=offer)
    return await picked_or_fallback(runtime, request, fallback)


async def picked_or_fallback(
    runtime: Runtime, request: DecisionRequest, fallback: Fallback | None
) -> Callable[[], Any]:
    """Return what resolves the pick, or what calls the fallback when there is none.

    Raises:
        DecisionError: there is no pick and no fallback.
    """
    try:
        pick = await decide(runtime, request)
    except DecisionError as error:
        if fallback is None:
            raise
        return functools.partial(fallback, error)
    return pick.result


def check_fallback(fallback: object) -> None:
    """Refuse a fallback that cannot be called.

    Raises:
        TypeError: it is neither None nor callable.
    """
    if fallback is not None and not callable(fallback):
        raise TypeError(f"fallback is a function of the DecisionError, got {fallback!r}")


async def _awaited(result: Any) -> Any:  # noqa: ANN401  (whatever the next step returns)
    return await result
