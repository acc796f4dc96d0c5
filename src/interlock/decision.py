"""Decisions from a menu: the model picks one option, and the next step's result comes back.

Source: next-step specification, sections 1, 2, 11 and 12.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Any

from interlock.agents.colour import awaited, finished, refuse_async_in_loop
from interlock.agents.content import PromptContent, TextItem
from interlock.agents.deciding import Fallback, check_retries, decide, picked_or_fallback, read_context, read_request
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
    found = bound_runtime(runtime)
    request = read_request(found, prompt, options, context=context, max_retries=max_retries, fallback=fallback)
    refuse_async_in_loop(request.options, fallback, instead="amake")
    step = run_anywhere(functools.partial(picked_or_fallback, found, request))
    return finished(step())


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
    found = bound_runtime(runtime)
    request = read_request(found, prompt, options, context=context, max_retries=max_retries, fallback=fallback)
    return await awaited((await picked_or_fallback(found, request))())


def pick(
    prompt: PromptContent,
    options: object,
    *,
    runtime: Runtime | None = None,
    context: Mapping[str, object] | None = None,
    max_retries: int = 1,
) -> Pick:
    """Ask for one of `options` and return the pick, unresolved; errors are those of `make`."""
    found = bound_runtime(runtime)
    request = read_request(found, prompt, options, context=context, max_retries=max_retries)
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
    found = bound_runtime(runtime)
    request = read_request(found, prompt, options, context=context, max_retries=max_retries)
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
    found, retries = bound_runtime(runtime), check_retries(max_retries)
    listed, given = read_options(options), read_context(context)
    check_context(listed, given)
    chosen = run_anywhere(functools.partial(_parsed, reply, listed, found, retries))
    option = chosen.option
    picked = option.handler if option.function is not None and callable(option.handler) else option.name
    return picked, arguments(option, chosen.args, given, found)


def resolve_decision(chosen: Callable[..., Any] | str, kwargs: Mapping[str, object], options: object) -> Any:  # noqa: ANN401
    """Return the next step's result of what `parse_args` gave; an async function gives its awaitable.

    Raises:
        ValueError: `chosen` is none of the options.
    """
    listed = read_options(options)
    found = next((item for item in listed if _is_chosen(item, chosen)), None)
    if found is None:
        raise ValueError(f"{chosen!r} is none of the options: {', '.join(item.name for item in listed)}")
    return resolve(found, kwargs)


async def _parsed(reply: object, options: tuple[Option, ...], runtime: Runtime, max_retries: int) -> Chosen:
    menu, schema, seen = render_menu(options), reply_schema(options), runtime.context_text()

    async def send(before: Try[Rejected] | None) -> object:
        if before is None:
            return reply
        text = repick_text(before.reply, before.rejected, menu)
        return await runtime.say((TextItem(type="text", text=text),), seen=seen, schema=schema)

    asked: Asked[Chosen, Rejected] = await ask_until(
        send, lambda text: read_reply(text, options), Rejected, max_retries=max_retries, now=runtime.session.now
    )
    if asked.accepted is None:
        raise decision_error([attempt_of(item) for item in asked.tries], options)
    return asked.accepted


def _is_chosen(option: Option, chosen: object) -> bool:
    """True for the option of that name, or with that function; a method is another object each time it is read."""
    return (
        option.name == chosen if isinstance(chosen, str) else option.function is not None and option.handler == chosen
    )
