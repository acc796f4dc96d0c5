"""The registries that a command line means, and a pack from layers that it names."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import click

from interlock.errors import PromptError
from interlock.prompts import LAYERS
from interlock.registry import STANDARD_LAYERS, DatabaseRegistry, FileRegistry, open_registry, shipped_registry
from interlock.settings import load_settings

__all__ = ["layer_options", "opened", "own_registry", "place_option"]

F = TypeVar("F", bound=Callable[..., Any])

place_option = click.option(
    "--prompts",
    "place",
    metavar="PLACE",
    help="The registry: a directory, a file ending in .db, or postgresql://HOST/DATABASE; that of the settings unless "
    "given, which is ./prompts unless set. The shipped prompts stand behind it.",
)


def layer_options(function: F) -> F:
    """Add the options that name the three layers."""
    for layer in reversed(LAYERS):
        function = click.option(
            f"--{layer}",
            metavar="NAME[@VERSION]",
            default=STANDARD_LAYERS[layer],
            show_default=True,
            help=f"The {layer} layer; a label may stand for the version.",
        )(function)
    return function


@contextmanager
def opened(place: str | None) -> Iterator[tuple[FileRegistry | DatabaseRegistry, ...]]:
    """Yield the registries to look into, one's own before the shipped one.

    Raises:
        SettingsError: a setting is unknown.
        PromptError: there is no registry at the named place, or it cannot hold one.
    """
    settings = load_settings(directory=Path(), environ=os.environ, flags={"prompts": place})
    is_there = "://" in settings.prompts or Path(settings.prompts).expanduser().exists()
    if not is_there and settings.origins["prompts"] == "default":
        yield (shipped_registry(),)
        return
    if not is_there:
        raise PromptError(f"registry `{settings.prompts}`: there is none; publish into it first, or name another")
    with own_registry(place) as own:
        yield (own, shipped_registry())


@contextmanager
def own_registry(place: str | None) -> Iterator[FileRegistry | DatabaseRegistry]:
    """Yield the registry that may be changed: the one at `place`, or where the settings say it is.

    Raises:
        SettingsError: a setting is unknown.
        PromptError: the place cannot hold a registry.
    """
    registry = open_registry(load_settings(directory=Path(), environ=os.environ, flags={"prompts": place}).prompts)
    try:
        yield registry
    finally:
        if isinstance(registry, DatabaseRegistry):
            registry.close()
