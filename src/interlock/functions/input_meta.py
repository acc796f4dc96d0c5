"""What `input={"x": {…}}` may say of a function's parameters.

Source: next-step specification, sections 13 and 14.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from interlock.diagnostics import did_you_mean
from interlock.functions.metadata import INPUT_KEYS

__all__ = ["OPTIONS_SOURCES", "check_input"]

OPTIONS_SOURCES = ("functions",)
"""What `options_from` may name."""

_TYPES: Mapping[str, type] = {
    "description": str,
    "placeholder": str,
    "options_from": str,
    "hidden": bool,
    "multiline": bool,
}
_WORDS: Mapping[type, str] = {str: "text", bool: "True or False"}


def check_input(name: str, said: object, params: Sequence[str]) -> None:
    """Refuse `input=` that names an unknown parameter or key, or says what cannot be.

    Raises:
        TypeError: which parameter or key, and what would be right.
    """
    if not isinstance(said, Mapping):
        raise TypeError(f"`{name}`: input is a dict of parameter names to dicts, got {said!r}")
    for param, keys in said.items():
        if param not in params:
            raise TypeError(f"`{name}`: input names `{param}`, which is not a parameter; {did_you_mean(param, params)}")
        if not isinstance(keys, Mapping):
            raise TypeError(f"`{name}`: input of `{param}` is a dict, got {keys!r}")
        for key, value in keys.items():
            _check_key(f"`{name}`: input of `{param}`", key, value)


def _check_key(place: str, key: object, value: Any) -> None:  # noqa: ANN401  (an author may write anything)
    if key not in INPUT_KEYS:
        raise TypeError(f"{place} has the unknown key `{key}`; write one of {', '.join(sorted(INPUT_KEYS))}")
    if value is None:
        return
    wanted = _TYPES.get(str(key))
    if wanted is not None and not isinstance(value, wanted):
        raise TypeError(f"{place}: `{key}` is {_WORDS[wanted]}, got {value!r}")
    if key == "options_from" and value not in OPTIONS_SOURCES:
        raise TypeError(f"{place}: `options_from` is {value!r}; write {' or '.join(map(repr, OPTIONS_SOURCES))}")
    if key == "options":
        _check_options(place, value)


def _check_options(place: str, value: object) -> None:
    if not isinstance(value, list | tuple) or not value:
        raise TypeError(f"{place}: `options` is a list of one value or more, got {value!r}")
    try:
        json.dumps(value, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise TypeError(
            f"{place}: `options` holds what JSON cannot express; write text, numbers or booleans"
        ) from error
