"""Tools from a module that a command line names; the module is imported.

Source: decision-engine specification; product specification, the command line.
"""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import TypeAlias

from interlock.cli._output import USAGE, fail

__all__ = ["load_tools"]

TOOLS = "TOOLS"
"""The attribute that lists a module's tools."""

Takes: TypeAlias = Callable[[object], bool]


def load_tools(place: str, *, flag: str = "--tools", takes: Takes = inspect.isfunction) -> list[object]:
    """Return the tools of `MODULE`, `FILE.py`, `MODULE:NAME` or `FILE.py:NAME`.

    NAME is a tool or a list of them; without one, the list `TOOLS` is meant, else what `takes` accepts of `__all__`.
    `flag` is what named the place.
    Ends the program when there is no such module or no tool in it.
    """
    before, separator, after = place.rpartition(":")
    module_name, name = (before, after) if separator and after.isidentifier() else (place, None)
    module = _imported(module_name, flag)
    found = _listed(module, takes) if name is None else getattr(module, name, None)
    if found is None:
        what = f"no `{name}`" if name else f"neither `{TOOLS}` nor functions in `__all__`"
        fail(f"{flag} {place}: the module has {what}", USAGE)
    if isinstance(found, Mapping):
        return list(found.values())
    return list(found) if isinstance(found, Sequence) and not isinstance(found, str) else [found]


def _listed(module: ModuleType, takes: Takes) -> object:
    named = [getattr(module, name, None) for name in getattr(module, "__all__", ())]
    return getattr(module, TOOLS, None) or [item for item in named if takes(item)] or None


def _imported(name: str, flag: str) -> ModuleType:
    """Return the module; the working directory is searched first."""
    directory = str(Path.cwd())
    sys.path.insert(0, directory)
    try:
        return _from_file(Path(name), flag) if name.endswith(".py") else importlib.import_module(name)
    except ModuleNotFoundError as problem:
        fail(f"{flag} {name}: no module `{problem.name}`", USAGE)
    except Exception as problem:  # noqa: BLE001 -- the module is foreign code
        fail(f"{flag} {name}: cannot be imported: {type(problem).__name__}: {problem}", USAGE)
    finally:
        sys.path.remove(directory)


def _from_file(path: Path, flag: str) -> ModuleType:
    if not path.is_file():
        fail(f"{flag} {path}: no such file", USAGE)
    spec = importlib.util.spec_from_file_location(f"interlock_tools_{path.stem}", path)
    if spec is None or spec.loader is None:
        fail(f"{flag} {path}: is no Python file", USAGE)
    module = importlib.util.module_from_spec(spec)
    sys.modules[module.__name__] = module
    spec.loader.exec_module(module)
    return module
