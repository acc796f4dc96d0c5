"""Reads what a judge's requests may hold from JSON: the fields of `Caps`, every one optional.

Source: backends specification, section 2.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import get_args

from interlock.diagnostics import did_you_mean
from interlock.errors import SettingsError
from interlock.judge.base import Caps, QuestionKind
from interlock.questions import Basis, Json

__all__ = ["caps_from_json"]

_KINDS: tuple[QuestionKind, ...] = get_args(QuestionKind)
_BASES: tuple[Basis, ...] = get_args(Basis)
_FLAGS = ("joint_reads", "refusal")


def caps_from_json(value: Json) -> Caps:
    """Return the capabilities that `value` spells; a key that is not given has its default.

    Raises:
        SettingsError: a key is unknown or its value is of another type; the message names it.
    """
    if not isinstance(value, Mapping):
        raise SettingsError("judge caps: not an object; write `{}` or some of the keys of `Caps`")
    known = [field.name for field in fields(Caps)]
    for key in value:
        if key not in known:
            raise SettingsError(f"judge caps: no key `{key}`; {did_you_mean(key, known)}")
    return Caps(**{key: _read(key, item) for key, item in value.items()})  # type: ignore[arg-type] # by key


def _read(key: str, value: Json) -> object:
    if key == "kinds":
        kinds = [kind for kind in _KINDS if isinstance(value, list | tuple) and kind in value]
        if not isinstance(value, list | tuple) or len(kinds) != len(value):
            raise SettingsError(f"judge caps: `kinds` is not a list of {', '.join(f'`{kind}`' for kind in _KINDS)}")
        return frozenset(kinds)
    if key == "basis":
        if value not in _BASES:
            raise SettingsError(f"judge caps: no basis `{value}`; {did_you_mean(str(value), _BASES)}")
        return value
    if key in _FLAGS:
        if not isinstance(value, bool):
            raise SettingsError(f"judge caps: `{key}` is not true or false")
        return value
    if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < 1):
        raise SettingsError(f"judge caps: `{key}` is not a whole number of at least 1; null is no limit")
    return value
