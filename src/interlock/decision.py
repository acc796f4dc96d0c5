"""Decisions from a menu: the model picks one option, and the next step's result comes back.

Source: next-step specification, sections 1, 2, 11 and 12.
"""

from __future__ import annotations

import asyncio
import functools
import inspect
from collections.abc import Callable, Mapping
from typing import Any

from interlock.agents.calls import Fallback, check_fallback, picked_or_fallback
from interlock.agents.content import Items, PromptContent, TextItem, read_content
from interlock.agents.deciding import DecisionRequest, checked_request, decide
from interlock.agents.runtime import Runtime, bound_runtime
from interlock.errors import DecisionError, MissingContextError
from interlock.menu.attempts import Attempt, Chosen, Rejected, attempt_of, decision_error
from interlock.menu.make import Pick
from interlock.menu.options import Option, abstain, read_options
from interlock.menu.prompts import DECISION_FINISH_INSTRUCTION, repick_text
from interlock.menu.render import render_menu
from interlock.menu.reply import read_reply
from interlock.menu.reply_schema import reply_schema
from interlock.menu.resolve import Abstained, arguments, check_context, resolve
from interlock.models.ask import Asked, Try, ask_until
from interlock.models.reply import extract_action
from interlock.pipeline.sharedloop import run_anywhere
from interlock.schema import Problem

__all__ = [
    "DECISION_FINISH_INSTRUCTION",
    "Abstained",
    "Attempt",
    "DecisionError",
    "MissingContextError",
    "Pick",
    "Problem",
    "abstain",
    "amake",
    "apick",
    "extract_action",
    "make",
    "parse_args",
    "pick",
    "render_options",
    "resolve_decision",
]


def make(
    prompt: PromptContent,
    options: object,
    *,
    runtime: Runtime | None = None,
    context: Mapping[str, object] | None = None,
    max_retries: int = 1,
    fallback: Fallback | None = None,
) -> Any:  # noqa: ANN401  (whatever the next step returns)
    """Ask for one of `options` and return the next step's result.

    `context`: values of hidden parameters. `fallback`: called with the `DecisionError`; its result is returned.

    Raises:
        RuntimeError: no Runtime is given or bound, or an option is async while an event loop runs here.
        TypeError: an argument or an option is not of a known form.
        ValueError: there are no options, a name is empty or repeated, or `max_retries` is negative.
        MissingContextError: nothing fills a hidden parameter.
        DecisionError: no valid pick after every attempt, and no `fallback`.
        ModelError: a model call failed as a whole.
    """
    found, request = _request(prompt, options, runtime, context, max_retries=max_retries, fallback=fallback)
    _refuse_async_in_loop(found, request)
    step = run_anywhere(functools.partial(picked_or_fallback, found, request, fallback))
    result = step()
    return run_anywhere(functools.partial(_awaited, result)) if inspect.isawaitable(result) else result


async def amake(
    prompt: PromptContent,
    options: object,
    *,
    runtime: Runtime | None = None,
    context: Mapping[str, object] | None = None,
    max_retries: int = 1,
    fallback: Fallback | None = None,
) -> Any:  # noqa: ANN401  (whatever the next step returns)
    """The coroutine form of `make`; async options and fallbacks are awaited."""
    found, request = _request(prompt, options, runtime, context, max_retries=max_retries, fallback=fallback)
    result = (await picked_or_fallback(found, request, fallback))()
    return await result if inspect.isawaitable(result) else result


def pick(
    prompt: PromptContent,
    options: object,
    *,
    runtime: Runtime | None = None,
    context: Mapping[str, object] | None = None,
    max_retries: int = 1,
) -> Pick:
    """Ask for one of `options` and return the pick, unresolved; errors are those of `make`."""
    found, request = _request(prompt, options, runtime, context, max_retries=max_retries, fallback=None)
    return run_anywhere(functools.partial(decide, found, request))


async def apick(
    prompt: PromptContent,
    options: object,
    *,
    runtime: Runtime | None = None,
    context: Mapping[str, object] | None = None,
    max_retries: int = 1,
) -> Pick:
    """The coroutine form of `pick`."""
    found, request = _request(prompt, options, runtime, context, max_retries=max_retries, fallback=None)
    return await decide(found, request)


def render_options(options: object) -> str:
    """Return the menu of `options` as a model reads it."""
    return render_menu(read_options(options))


def parse_args(
    reply: object,
    options: object,
    *,
    runtime: Runtime | None,
    context: Mapping[str, object] | None = None,
    max_retries: int = 1,
) -> tuple[Callable[..., Any] | str, dict[str, object]]:
    """Return what a reply picks, the original function or the option's name, and every argument by name.

    A reply that is no pick is asked for again on `runtime`, up to `max_retries` times.

    Raises:
        ValueError: there is no runtime.
        DecisionError: no valid pick after every attempt.
    """
    if runtime is None:
        raise ValueError("parse_args needs a runtime to ask again on; pass runtime=…")
    _check_retries(max_retries)
    listed, given = read_options(options), dict(context or {})
    check_context(listed, given)
    chosen = run_anywhere(functools.partial(_parsed, reply, listed, runtime, max_retries))
    option = chosen.option
    picked = option.handler if option.function is not None and callable(option.handler) else option.name
    return picked, arguments(option, chosen.args, given, runtime)


def resolve_decision(chosen: Callable[..., Any] | str, kwargs: Mapping[str, object], options: object) -> Any:  # noqa: ANN401
    """Return the next step's result of what `parse_args` gave; an async function gives its awaitable.

    Raises:
        ValueError: `chosen` is none of the options.
    """
    listed = read_options(options)
    found = next((item for item in listed if item.name == chosen or item.handler is chosen), None)
    if found is None:
        raise ValueError(f"{chosen!r} is none of the options: {', '.join(item.name for item in listed)}")
    return resolve(found, kwargs)


async def _parsed(reply: object, options: tuple[Option, ...], runtime: Runtime, max_retries: int) -> Chosen:
    menu, schema = render_menu(options), reply_schema(options)

    async def send(before: Try[Rejected] | None) -> object:
        if before is None:
            return reply
        text = repick_text(before.reply, before.rejected, menu)
        return await runtime.say((TextItem(type="text", text=text),), schema)

    asked: Asked[Chosen, Rejected] = await ask_until(
        send, lambda text: read_reply(text, options), Rejected, max_retries=max_retries, now=runtime.session.now
    )
    if asked.accepted is None:
        raise decision_error([attempt_of(item) for item in asked.tries], options)
    return asked.accepted


def _request(
    prompt: PromptContent,
    options: object,
    runtime: Runtime | None,
    context: Mapping[str, object] | None,
    *,
    max_retries: int,
    fallback: object,
) -> tuple[Runtime, DecisionRequest]:
    """Return the Runtime and the checked request; nothing is asked before every argument is right."""
    found = bound_runtime(runtime)
    items: Items = read_content(prompt)
    _check_retries(max_retries)
    check_fallback(fallback)
    request = DecisionRequest(items=items, options=options, context=dict(context or {}), max_retries=max_retries)
    checked_request(found, request)
    return found, request


def _check_retries(max_retries: object) -> None:
    if isinstance(max_retries, bool) or not isinstance(max_retries, int):
        raise TypeError(f"max_retries is a count, got {max_retries!r}")
    if max_retries < 0:
        raise ValueError(f"max_retries is {max_retries}; write 0 or more")


def _refuse_async_in_loop(runtime: Runtime, request: DecisionRequest) -> None:
    """Refuse an async option where its result could not be awaited.

    Raises:
        RuntimeError: an event loop runs in this thread and an option is async.
    """
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return
    for option in checked_request(runtime, request):
        if option.function is not None and option.function.is_async:
            raise RuntimeError(f"option `{option.name}` is async and an event loop is running; write `await amake(…)`")


async def _awaited(result: Any) -> Any:  # noqa: ANN401  (whatever the next step returns)
    return await result
