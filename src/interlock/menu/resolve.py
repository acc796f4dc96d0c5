"""Turns a pick into the next step: calls the function, or gives the value or the filled schema.

Source: next-step specification, section 12.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from interlock.errors import MissingContextError
from interlock.functions.bind import bind, missing_context
from interlock.menu.options import Option

__all__ = ["Abstained", "arguments", "check_context", "resolve"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Abstained:
    """The result of an abstain option that leads nowhere else."""

    option: str
    reason: str | None


def check_context(options: Sequence[Option], context: Mapping[str, object]) -> None:
    """Refuse a menu with a hidden parameter that nothing fills.

    Raises:
        MissingContextError: names the option and the parameters; meant for the programmer, never for a model.
    """
    for option in options:
        missing = [] if option.function is None else missing_context(option.function, context)
        if missing:
            named = ", ".join(f"`{name}`" for name in missing)
            raise MissingContextError(f"option `{option.name}`: context lacks {named}, which has no default")


def arguments(
    option: Option, args: Mapping[str, object], context: Mapping[str, object], runtime: object
) -> dict[str, object]:
    """Return every argument of the option by name, those that Python fills included."""
    if option.function is None:
        return dict(args)
    call = bind(option.function, args, context, runtime)
    positional = [param.name for param in option.function.params if param.kind == "positional_only"]
    return {**dict(zip(positional, call.args, strict=True)), **call.kwargs}


def resolve(option: Option, values: Mapping[str, object]) -> Any:  # noqa: ANN401  (whatever the next step returns)
    """Return the next step's result; an async function gives its awaitable."""
    if option.function is not None:
        return _called(option, values)
    if option.kind == "schema":
        return {"decision": option.name, **values}
    if option.kind == "abstain":
        return _abstained(option, cast("str | None", values.get("reason")))
    return option.handler


def _called(option: Option, values: Mapping[str, object]) -> object:
    params = () if option.function is None else option.function.params
    args = [values[param.name] for param in params if param.kind == "positional_only" and param.name in values]
    named = [param.name for param in params if param.kind != "positional_only" and param.name in values]
    return cast("Callable[..., object]", option.handler)(*args, **{name: values[name] for name in named})


def _abstained(option: Option, reason: str | None) -> object:
    if option.handler is None:
        return Abstained(option=option.name, reason=reason)
    if callable(option.handler):
        return option.handler(reason)
    return option.handler
