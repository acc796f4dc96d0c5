"""Finds a backend by name when it is asked for, so that nothing else pays for a heavy library."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module

from interlock.diagnostics import did_you_mean
from interlock.errors import SettingsError

__all__ = ["load"]

_EXTRAS: Mapping[str, str] = {"openai": "openai", "xllamacpp": "local"}
"""Package → the extra that brings it."""


def load(place: str) -> Callable[..., object]:
    """Return what `module:attribute` names.

    Raises:
        SettingsError: the module, the attribute or an extra is missing.
    """
    module_name, _, attribute = place.partition(":")
    try:
        module = import_module(module_name)
    except ModuleNotFoundError as error:
        extra = _EXTRAS.get(error.name or "")
        if extra is not None:
            raise SettingsError(f'`{error.name}` is not installed: pip install "interlock[{extra}]"') from error
        raise SettingsError(f"`{place}`: no module `{error.name}`") from error
    except ValueError as error:
        raise SettingsError(f"`{place}` names no module; write `module:attribute`") from error
    found: object = getattr(module, attribute, None)
    if not callable(found):
        raise SettingsError(f"`{place}`: no callable `{attribute}`; {did_you_mean(attribute, sorted(vars(module)))}")
    return found
