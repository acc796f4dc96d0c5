"""What a command line gives the page, checked before a server starts."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, TypeGuard

from interlock.agents import Agent
from interlock.cli._modules import load_tools
from interlock.cli._output import USAGE, fail
from interlock.functions import describe
from interlock.functions.reflect import METHOD_OPTIONS_ATTRIBUTE
from interlock.journal.place import MEMORY, open_journal
from interlock.settings import Settings

__all__ = ["checked_roots", "contracts_of", "functions_of", "registry_of", "require_journal", "some"]

SHIPPED = "shipped"
"""The name under which the contract that ships with the package is offered."""


def some(given: Sequence[str], first: str) -> tuple[str, ...]:
    """Return what was named, or else what the settings say, each once."""
    return tuple(dict.fromkeys(given or (first,)))


def checked_roots(given: Sequence[str]) -> tuple[Path, ...]:
    """Return the directories, links followed; ends the program when one is none."""
    roots = []
    for name in given:
        path = Path(name)
        if not path.is_dir():
            fail(f"--root {name}: no such directory", USAGE)
        roots.append(path.resolve())
    return tuple(dict.fromkeys(roots))


def contracts_of(given: Sequence[str], configured: str | None) -> Mapping[str, Path | None]:
    """Return name → file of every contract on offer, the first one first; ends the program when a file is missing."""
    files = [*given] if given else [configured] if configured else []
    found: dict[str, Path | None] = {}
    for name in files:
        if not Path(name).is_file():
            fail(f"--contract {name}: no such file", USAGE)
        found[name] = Path(name).resolve()
    found[SHIPPED] = None
    return found


def functions_of(places: Sequence[str]) -> Mapping[str, Callable[..., Any]]:
    """Return name → function of every function and agent's method in the modules, and nothing else of them.

    Ends the program when one cannot be described.
    """
    found: dict[str, Callable[..., Any]] = {}
    for place in places:
        for item in load_tools(place, flag="--functions", takes=_is_listed):
            for each in _callables(item, place):
                try:
                    name = describe(each).name
                except TypeError as problem:
                    fail(f"--functions {place}: {problem}", USAGE)
                if found.setdefault(name, each) != each:
                    fail(f"--functions {place}: there is more than one `{name}`", USAGE)
    return found


def _is_listed(item: object) -> bool:
    return inspect.isfunction(item) or _is_agent_class(item) or isinstance(item, Agent) or _is_agent_method(item)


def _is_agent_class(item: object) -> TypeGuard[type[Agent]]:
    return inspect.isclass(item) and issubclass(item, Agent)


def _is_agent_method(item: object) -> bool:
    return hasattr(item, METHOD_OPTIONS_ATTRIBUTE)


def _callables(item: object, place: str) -> Sequence[Callable[..., Any]]:
    """Return a function itself, or the public methods of an agent; a class is made an agent first."""
    made = item
    if _is_agent_class(item):
        try:
            made = item()
        except Exception as problem:  # noqa: BLE001 -- the class is foreign code
            fail(f"--functions {place}: `{item.__name__}()` cannot be made: {problem}; list an instance", USAGE)
    if isinstance(made, Agent):
        kind = type(made)
        names = [name for name in dir(kind) if not name.startswith("_")]
        return [getattr(made, name) for name in names if _is_agent_method(inspect.getattr_static(kind, name))]
    if not callable(made):
        fail(f"--functions {place}: `{type(made).__name__}` is no function", USAGE)
    return [made]


def registry_of(given: str | None, settings: Settings) -> str | None:
    """Return the place of the prompts that are one's own; None where nobody named any and none are there."""
    if given is not None:
        return given
    is_there = settings.origins["prompts"] != "default" or Path(settings.prompts).expanduser().exists()
    return settings.prompts if is_there else None


def require_journal(place: str) -> None:
    """Make the journal when there is none; ends the program for one that only this process would see."""
    if place == MEMORY:
        fail("serve: the page shows a journal that stays; name a file with --journal", USAGE)
    with closing(open_journal(place)):
        pass
