"""The registries that a command line means, and a pack from layers that it names."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import click

from interlock.errors import PromptError
from interlock.prompts import LAYERS
from interlock.registry import STANDARD_LAYERS, DatabaseRegistry, FileRegistry, open_registry, shipped_registry

__all__ = ["DIRECTORY", "layer_options", "opened", "own_registry", "place_option"]

DIRECTORY = "prompts"
"""Where a project keeps its prompts unless another place is named."""

F = TypeVar("F", bound=Callable[..., Any])

place_option = click.option(
    "--prompts",
    "place",
    metavar="PLACE",
    help=f"The registry: a directory, or a file ending in .db; ./{DIRECTORY} unless given. The shipped prompts stand "
    "behind it.",
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
        PromptError: there is no registry at the named place, or it cannot hold one.
    """
    if place is None and not Path(DIRECTORY).is_dir():
        yield (shipped_registry(),)
        return
    if place is not None and "://" not in place and not Path(place).expanduser().exists():
        raise PromptError(f"registry `{place}`: there is none; publish into it first, or name another")
    with own_registry(place) as own:
        yield (own, shipped_registry())


@contextmanager
def own_registry(place: str | None) -> Iterator[FileRegistry | DatabaseRegistry]:
    """Yield the registry that may be changed.

    Raises:
        PromptError: the place cannot hold a registry.
    """
    registry = open_registry(place or DIRECTORY)
    try:
        yield registry
    finally:
        if isinstance(registry, DatabaseRegistry):
            registry.close()
