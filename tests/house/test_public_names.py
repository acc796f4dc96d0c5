"""The public names of the package are a promise: they exist, they are typed, and they load late."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import interlock

STUB = Path(interlock.__file__).with_suffix(".pyi")
HEAVY = ("pydantic", "anyio", "asyncio", "sqlite3", "ssl", "socket", "httpx2", "openai", "click", "rich", "yaml")


def test_every_public_name_is_what_its_type_says() -> None:
    """The stub imports each name from where it lives, and the package hands out the same object."""
    imported = {
        alias.name: node.module
        for node in ast.parse(STUB.read_text(encoding="utf-8")).body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }

    assert sorted(imported) == sorted(interlock.__all__)
    for name, home in imported.items():
        module = __import__(str(home), fromlist=[name])
        assert getattr(interlock, name) is getattr(module, name), name


def test_names_are_listed_in_order() -> None:
    assert interlock.__all__ == sorted(interlock.__all__, key=lambda name: (not name[0].isupper(), name))
    assert set(interlock.__all__) <= set(dir(interlock))


def test_importing_the_package_loads_nothing_heavy() -> None:
    """No network, web, database or validation library before a name is used."""
    probe = f"import sys, interlock; print([name for name in {HEAVY!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "[]"
