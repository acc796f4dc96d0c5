"""The base class of agents: its methods run on a Runtime, with the options written beside them.

Source: next-step specification, sections 2, 13 and 14.
"""

from __future__ import annotations

import functools
import inspect
import sys
import types
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, TypeAlias, TypeGuard

from interlock.agents.binding import current
from interlock.agents.cache import ResultCache
from interlock.agents.method import MethodCall, acall_method, call_method
from interlock.agents.options import check_options
from interlock.agents.runtime import Runtime
from interlock.functions.input_meta import check_input
from interlock.functions.metadata import AUTO_INJECTED, FunctionMetadata
from interlock.functions.reflect import METHOD_OPTIONS_ATTRIBUTE, describe
from interlock.functions.skills import skills_block

__all__ = ["Agent"]

_WRITTEN = "interlock_written"
"""On a wrapped method: its `_Written`."""
_TOOLS = "interlock_tools"
"""On a class: the names of its tool methods."""

Given: TypeAlias = tuple[tuple[object, ...], Mapping[str, object]]
"""The positional and the named arguments of one call."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Written:
    """One method as its author wrote it, and the options it is wrapped with in one class."""

    attribute: str
    body: Callable[..., Any]
    signature: inspect.Signature
    options: Mapping[str, Any]
    is_copy: bool
    """True in a class that changes options of a method it inherits."""
    cache: ResultCache = field(default_factory=ResultCache)
    described: list[FunctionMetadata] = field(default_factory=list)
    """The metadata, once a call has read it; it names no agent."""


class Agent:
    """Methods of a subclass run on its Runtime, or on their caller's when it has none."""

    method_options: ClassVar[Mapping[str, Mapping[str, Any]]] = {}

    def __init__(self, runtime: Runtime | None = None) -> None:
        if runtime is not None and not isinstance(runtime, Runtime):
            raise TypeError(f"runtime is a Runtime, got {runtime!r}")
        self.runtime = runtime

    def __init_subclass__(cls, **kwargs: Any) -> None:  # noqa: ANN401  (of other base classes)
        super().__init_subclass__(**kwargs)
        merged = _merged_options(cls)
        methods = _methods(cls, merged)
        for name, options in merged.items():
            _check(cls, methods, name, options)
        for name, member in methods.items():
            options = merged.get(name, {})
            if not _is_wrapped(cls, name, member, options):
                setattr(cls, name, _wrapped(cls, name, member, options))
        names = tuple(sorted(name for name in methods if merged.get(name, {}).get("tool")))
        setattr(cls, _TOOLS, names)


def _methods(cls: type[Agent], merged: Mapping[str, object]) -> dict[str, Callable[..., Any]]:
    """Return what each name means in `cls`: the first of the MRO that an author wrote, when it is a method.

    A class that is no Agent gives the methods that options name.
    """
    found: dict[str, object] = {}
    for owner in cls.__mro__:
        if owner in (Agent, object):
            continue
        for name, member in vars(owner).items():
            is_ours = issubclass(owner, Agent) or name in merged
            if is_ours and not getattr(_written(member), "is_copy", False):
                found.setdefault(name, member)
    return {name: member for name, member in sorted(found.items()) if _is_method(member, name)}


def _is_method(member: object, name: str) -> TypeGuard[Callable[..., Any]]:
    is_dunder = name.startswith("__") and name.endswith("__")
    is_generator = inspect.isgeneratorfunction(member) or inspect.isasyncgenfunction(member)
    return isinstance(member, types.FunctionType) and not is_dunder and not is_generator


def _merged_options(cls: type[Agent]) -> dict[str, dict[str, Any]]:
    merged: dict[str, dict[str, Any]] = {}
    for owner in reversed(cls.__mro__):
        written = vars(owner).get("method_options", {})
        if not isinstance(written, Mapping):
            raise TypeError(f"`{cls.__name__}`: method_options is a dict of method names, got {written!r}")
        for name, options in written.items():
            if not isinstance(options, Mapping):
                raise TypeError(f"`{cls.__name__}`: method_options of `{name}` is a dict, got {options!r}")
            merged.setdefault(name, {}).update(options)
    return merged


def _check(cls: type[Agent], methods: Mapping[str, Callable[..., Any]], name: str, options: Mapping[str, Any]) -> None:
    """Refuse options that speak of no method, in unknown words, or of unknown parameters.

    Raises:
        TypeError: an unknown method, key, parameter or value.
        ValueError: an unknown `expose` or `render_range`.
    """
    if name not in methods:
        raise TypeError(f"`{cls.__name__}`: method_options names `{name}`, which is not a method that can be wrapped")
    place = f"{cls.__name__}.{name}"
    check_options(place, options)
    written = _written(methods[name])
    signature = inspect.signature(methods[name]) if written is None else written.signature
    check_input(place, options.get("input", {}), list(signature.parameters)[1:])


def _written(member: object) -> _Written | None:
    found: _Written | None = getattr(member, _WRITTEN, None)
    return found


def _is_wrapped(cls: type[Agent], name: str, member: object, options: Mapping[str, Any]) -> bool:
    """True when the class already has the method, wrapped with these options."""
    now, written = _written(inspect.getattr_static(cls, name)), _written(member)
    if now is None or written is None:
        return False
    return now.body is written.body and now.options == options and now.attribute == name


def _wrapped(cls: type[Agent], name: str, member: Callable[..., Any], options: Mapping[str, Any]) -> Callable[..., Any]:
    """Return the method that runs `member` with its options."""
    earlier = _written(member)
    written = _Written(
        attribute=name,
        body=member if earlier is None else earlier.body,
        signature=inspect.signature(member),
        options=options,
        is_copy=name not in cls.__dict__,
    )
    wrapper = _async_wrapper(written) if inspect.iscoroutinefunction(written.body) else _plain_wrapper(written)
    setattr(wrapper, METHOD_OPTIONS_ATTRIBUTE, {"tool": False, **options})
    setattr(wrapper, _WRITTEN, written)
    wrapper.input_meta = options.get("input", {})  # type: ignore[attr-defined]  # functions carry attributes
    return wrapper


def _async_wrapper(written: _Written) -> Callable[..., Any]:
    @functools.wraps(written.body)
    async def run(self: Agent, *args: object, **kwargs: object) -> object:
        if _continues(self, written, run):
            return await written.body(self, *args, **kwargs)
        return await acall_method(_call(self, written, run, (args, kwargs)))

    return run


def _plain_wrapper(written: _Written) -> Callable[..., Any]:
    @functools.wraps(written.body)
    def run(self: Agent, *args: object, **kwargs: object) -> object:
        if _continues(self, written, run):
            return written.body(self, *args, **kwargs)
        return call_method(_call(self, written, run, (args, kwargs)))

    return run


def _continues(owner: Agent, written: _Written, wrapper: object) -> bool:
    """True for `super().METHOD(…)` inside METHOD: the same call goes on, with the options it began with."""
    opened = current().method
    is_open = opened is not None and opened[0] is owner and opened[1] == written.attribute
    return is_open and inspect.getattr_static(type(owner), written.attribute) is not wrapper


def _call(owner: Agent, written: _Written, wrapper: Callable[..., Any], given: Given) -> MethodCall:
    """Return the call with its arguments bound: those the caller gave, injected ones, defaults."""
    own = getattr(owner, "runtime", None)
    runtime = current().runtime if own is None else own
    bound = _bound(written, runtime, (owner, *given[0]), given[1])
    names = list(written.signature.parameters)
    return MethodCall(
        described=_described(written, wrapper, owner),
        owner=owner,
        attribute=written.attribute,
        runtime=runtime,
        body=functools.partial(written.body, *bound.args, **bound.kwargs),
        values={name: _value(bound, name) for name in names[1:] if name not in AUTO_INJECTED},
        cache=written.cache,
        agent_tools=tuple(getattr(owner, name) for name in getattr(type(owner), _TOOLS) if name != written.attribute),
        skills=skills_block(sys.modules.get(type(owner).__module__)),
    )


def _described(written: _Written, wrapper: Callable[..., Any], owner: Agent) -> FunctionMetadata:
    if not written.described:
        written.described.append(replace(describe(types.MethodType(wrapper, owner)), function=wrapper))
    return written.described[0]


def _bound(
    written: _Written, runtime: object, args: tuple[object, ...], kwargs: Mapping[str, object]
) -> inspect.BoundArguments:
    """Return every argument.

    Raises:
        TypeError: one is missing, repeated or unknown.
    """
    bound = written.signature.bind_partial(*args, **kwargs)
    catch_all = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    for name, param in written.signature.parameters.items():
        if name in bound.arguments or param.kind in catch_all:
            continue
        if name in AUTO_INJECTED:
            bound.arguments[name] = runtime
        elif param.default is inspect.Parameter.empty:
            raise TypeError(f"{written.body.__name__}() lacks the argument `{name}`")
    bound.apply_defaults()
    return bound


def _value(bound: inspect.BoundArguments, name: str) -> object:
    """Return one argument; those a catch-all took are a list."""
    value = bound.arguments[name]
    is_catch_all = bound.signature.parameters[name].kind is inspect.Parameter.VAR_POSITIONAL
    return list(value) if is_catch_all else value
