"""What `method_options` may say, key by key; a gate that is misspelt is refused and never left open.

Source: next-step specification, section 14.
"""

from __future__ import annotations

import inspect
import math
import re
from collections.abc import Callable, Mapping
from typing import TypeAlias

from interlock.functions.visibility import check_expose, check_render_range

__all__ = ["CONTEXT_NAMES", "METHOD_OPTION_KEYS", "check_options"]

CONTEXT_NAMES = ("terminal", "page", "gateway", "unattended")
"""Where a Runtime may run, as `context_name=` says."""
RESERVED_TOOLSETS = ("default", "none")
_TOOL_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")

Check: TypeAlias = Callable[[object, str], None]


def _flag(value: object, place: str) -> None:
    if not isinstance(value, bool):
        raise TypeError(f"{place} is True or False, got {value!r}")


def _text(value: object, place: str) -> None:
    if value is not None and (not isinstance(value, str) or not value.strip()):
        raise TypeError(f"{place} is text, got {value!r}")


def _tool_name(value: object, place: str) -> None:
    if value is not None and not (isinstance(value, str) and _TOOL_NAME.fullmatch(value)):
        raise TypeError(f"{place} is at most 64 letters, digits, `_` or `-`, got {value!r}")


def _toolset(value: object, place: str) -> None:
    _text(value, place)
    if value in RESERVED_TOOLSETS:
        raise TypeError(f"{place} is {value!r}, which already means something else; write another name")


def _contexts(value: object, place: str) -> None:
    listed = value if isinstance(value, tuple | list | set | frozenset) else None
    if listed is None:
        raise TypeError(f"{place} is a tuple of {', '.join(CONTEXT_NAMES)}, got {value!r}")
    unknown = [item for item in listed if item not in CONTEXT_NAMES]
    if unknown:
        raise TypeError(f"{place} names `{unknown[0]}`; write one of {', '.join(CONTEXT_NAMES)}")


def _condition(value: object, place: str) -> None:
    if value is not None and not callable(value):
        raise TypeError(f"{place} is a function without arguments, got {value!r}")
    if inspect.iscoroutinefunction(value):
        raise TypeError(f"{place} is async; write a plain function")


def _seconds(value: object, place: str) -> None:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if value is not None and not (is_number and 0 < float(str(value)) < math.inf):
        raise TypeError(f"{place} is a positive number of seconds, got {value!r}")


def _mapping(value: object, place: str) -> None:
    if not isinstance(value, Mapping):
        raise TypeError(f"{place} is a dict of parameters, got {value!r}")


_CHECKS: Mapping[str, Check] = {
    "tool": _flag,
    "name": _tool_name,
    "description": _text,
    "input": _mapping,
    "system": _text,
    "expose": check_expose,
    "render_range": check_render_range,
    "toolset": _toolset,
    "unsafe_in": _contexts,
    "available_if": _condition,
    "check_fn": _condition,
    "requires_approval": _flag,
    "defer": _flag,
    "cache": _flag,
    "cache_ttl": _seconds,
    "timeout": _seconds,
}
METHOD_OPTION_KEYS = frozenset(_CHECKS)


def check_options(place: str, options: Mapping[str, object]) -> None:
    """Refuse an unknown key or a value that its reader could not use; `place` is `Class.method`.

    Raises:
        TypeError: an unknown key, or a value of another form.
        ValueError: an unknown `expose` or `render_range`.
    """
    for key, value in options.items():
        check = _CHECKS.get(key)
        if check is None:
            raise TypeError(f"`{place}`: unknown option `{key}`; write one of {', '.join(sorted(METHOD_OPTION_KEYS))}")
        check(value, place if check in (check_expose, check_render_range) else f"`{place}`: {key}")
