"""What a command line gives the page, checked before a server starts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from interlock.cli._modules import load_tools
from interlock.cli._output import USAGE, fail
from interlock.functions import describe
from interlock.journal.place import MEMORY, open_journal

__all__ = ["checked_roots", "contracts_of", "functions_of", "require_journal", "some"]

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
    """Return name → function of every function in the modules; ends the program when one cannot have a form."""
    found: dict[str, Callable[..., Any]] = {}
    for place in places:
        for each in load_tools(place, flag="--functions"):
            if not callable(each):
                fail(f"--functions {place}: `{type(each).__name__}` is no function", USAGE)
            try:
                name = describe(each).name
            except TypeError as problem:
                fail(f"--functions {place}: {problem}", USAGE)
            if found.setdefault(name, each) is not each:
                fail(f"--functions {place}: there is more than one `{name}`", USAGE)
    return found


def require_journal(place: str) -> None:
    """Make the journal when there is none; ends the program for one that only this process would see."""
    if place == MEMORY:
        fail("serve: the page shows a journal that stays; name a file with --journal", USAGE)
    with closing(open_journal(place)):
        pass
