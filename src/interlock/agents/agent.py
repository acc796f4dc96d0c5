"""The base class of agents: its methods run on a Runtime, with the options written beside them.

Source: next-step specification, sections 2, 13 and 14.
"""

from __future__ import annotations

import functools
import inspect
import sys
import types
from collections.abc import Callable, Mapping
from typing import Any, ClassVar

from interlock.agents.binding import current
from interlock.agents.cache import ResultCache
from interlock.agents.method import MethodCall, acall_method, call_method
from interlock.functions.metadata import AUTO_INJECTED
from interlock.functions.reflect import METHOD_OPTIONS_ATTRIBUTE, check_input, describe
from interlock.functions.skills import skills_block
from interlock.functions.visibility import check_expose, check_render_range

__all__ = ["METHOD_OPTION_KEYS", "Agent"]

METHOD_OPTION_KEYS = frozenset(
    {
        "tool",
        "name",
        "description",
        "input",
        "system",
        "expose",
        "render_range",
        "toolset",
        "unsafe_in",
        "available_if",
        "check_fn",
        "requires_approval",
        "defer",
        "cache",
        "cache_ttl",
        "timeout",
    }
)
CONTEXT_NAMES = ("terminal", "page", "gateway", "unattended")
_WRITTEN = "interlock_written"
"""On a wrapped method: the function as its author wrote it."""


class Agent:
    """Methods of a subclass run on its Runtime, or on their caller's when it has none."""

    method_options: ClassVar[Mapping[str, Mapping[str, Any]]] = {}

    def __init__(self, runtime: Any = None) -> None:  # noqa: ANN401  (a Runtime or None)
        self.runtime = runtime

    def __init_subclass__(cls, **kwargs: Any) -> None:  # noqa: ANN401  (of other base classes)
        super().__init_subclass__(**kwargs)
        merged = _merged_options(cls)
        for name, options in merged.items():
            _check_options(cls, name, options)
        for name in _method_names(cls):
            written = getattr(inspect.getattr_static(cls, name), _WRITTEN, None) or inspect.getattr_static(cls, name)
            is_changed = name in cls.__dict__ or name in cls.__dict__.get("method_options", {})
            if is_changed:
                setattr(cls, name, _wrapped(written, merged.get(name, {})))


def _method_names(cls: type[Agent]) -> list[str]:
    names = {name for owner in cls.__mro__ if issubclass(owner, Agent) and owner is not Agent for name in vars(owner)}
    return sorted(name for name in names if _is_method(name, inspect.getattr_static(cls, name)))


def _is_method(name: str, member: object) -> bool:
    is_dunder = name.startswith("__") and name.endswith("__")
    is_generator = inspect.isgeneratorfunction(member) or inspect.isasyncgenfunction(member)
    return isinstance(member, types.FunctionType) and not is_dunder and not is_generator


def _merged_options(cls: type[Agent]) -> dict[str, dict[str, Any]]:
    merged: dict[str, dict[str, Any]] = {}
    for owner in reversed(cls.__mro__):
        for name, options in vars(owner).get("method_options", {}).items():
            if not isinstance(options, Mapping):
                raise TypeError(f"`{cls.__name__}`: method_options of `{name}` is a dict, got {options!r}")
            merged.setdefault(name, {}).update(options)
    return merged


def _check_options(cls: type[Agent], name: str, options: Mapping[str, Any]) -> None:
    """Refuse options that speak of no method, or in unknown words.

    Raises:
        TypeError: an unknown method, key, parameter or context name.
        ValueError: an unknown `expose` or `render_range`.
    """
    place = f"{cls.__name__}.{name}"
    if name not in _method_names(cls):
        raise TypeError(f"`{cls.__name__}`: method_options names `{name}`, which is not a method that can be wrapped")
    for key in options:
        if key not in METHOD_OPTION_KEYS:
            raise TypeError(f"`{place}`: unknown option `{key}`; write one of {', '.join(sorted(METHOD_OPTION_KEYS))}")
    if "expose" in options:
        check_expose(options["expose"], place)
    if "render_range" in options:
        check_render_range(options["render_range"], place)
    unknown = [item for item in options.get("unsafe_in", ()) if item not in CONTEXT_NAMES]
    if unknown:
        raise TypeError(f"`{place}`: unsafe_in names `{unknown[0]}`; write one of {', '.join(CONTEXT_NAMES)}")
    written = inspect.getattr_static(cls, name)
    params = [item for item in inspect.signature(written).parameters if item != "self"]
    check_input(place, options.get("input", {}), params)


def _wrapped(written: Callable[..., Any], options: Mapping[str, Any]) -> Callable[..., Any]:
    """Return the method that runs `written` with its options."""
    signature = inspect.signature(written)
    cache = ResultCache()
    if inspect.iscoroutinefunction(written):

        @functools.wraps(written)
        async def arun(self: Agent, *args: object, **kwargs: object) -> object:
            return await acall_method(_call(self, written, signature, cache, (args, kwargs)))

        wrapper: Callable[..., Any] = arun
    else:

        @functools.wraps(written)
        def run(self: Agent, *args: object, **kwargs: object) -> object:
            return call_method(_call(self, written, signature, cache, (args, kwargs)))

        wrapper = run
    setattr(wrapper, METHOD_OPTIONS_ATTRIBUTE, {"tool": False, **options})
    setattr(wrapper, _WRITTEN, written)
    wrapper.input_meta = options.get("input", {})  # type: ignore[attr-defined]  # functions carry attributes
    return wrapper


def _call(
    owner: Agent,
    written: Callable[..., Any],
    signature: inspect.Signature,
    cache: ResultCache,
    given: tuple[tuple[object, ...], Mapping[str, object]],
) -> MethodCall:
    """Return the call with its arguments bound: those the caller gave, injected ones, defaults."""
    args, kwargs = given
    runtime = getattr(owner, "runtime", None) or current().runtime
    injected = {name: runtime for name in signature.parameters if name in AUTO_INJECTED and name not in kwargs}
    bound = signature.bind(owner, *args, **{**kwargs, **_unfilled(signature, owner, args, injected)})
    bound.apply_defaults()
    values = dict(list(bound.arguments.items())[1:])
    described = describe(getattr(owner, written.__name__))
    return MethodCall(
        described=described,
        owner=owner,
        runtime=runtime,
        body=functools.partial(written, *bound.args, **bound.kwargs),
        values={name: value for name, value in values.items() if name not in AUTO_INJECTED},
        cache=cache,
        agent_tools=tool_methods(owner, besides=written.__name__),
        skills=skills_block(sys.modules.get(type(owner).__module__)),
    )


def _unfilled(
    signature: inspect.Signature, owner: Agent, args: tuple[object, ...], injected: Mapping[str, object]
) -> dict[str, object]:
    """Return the injected values that the caller did not pass by position."""
    given = signature.bind_partial(owner, *args).arguments
    return {name: value for name, value in injected.items() if name not in given}


def tool_methods(owner: Agent, besides: str) -> tuple[Callable[..., Any], ...]:
    """Return the owner's methods with `tool: True`, but not the one that runs."""
    names = [name for name in _method_names(type(owner)) if name != besides]
    methods = [getattr(owner, name) for name in names]
    return tuple(method for method in methods if getattr(method, METHOD_OPTIONS_ATTRIBUTE, {}).get("tool"))
