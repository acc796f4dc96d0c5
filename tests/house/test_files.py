"""Rules of the house that a linter does not see."""

from __future__ import annotations

import ast
import re
import tomllib
from pathlib import Path

import pytest

REPO = Path(__file__).resolve().parents[2]
SRC = REPO / "src" / "interlock"
FILES = sorted(SRC.rglob("*.py"))
MAX_LINES = 300
MAX_FUNCTION_LINES = 60
LONG_ON_PURPOSE = tomllib.loads((REPO / "tests/house/long_on_purpose.toml").read_text(encoding="utf-8"))


def _name(file: Path) -> str:
    return file.relative_to(SRC).as_posix()


@pytest.mark.parametrize("file", FILES, ids=_name)
def test_a_file_is_one_thing(file: Path) -> None:
    """At most 300 lines, unless the file is listed with its reason."""
    lines = file.read_text(encoding="utf-8").count("\n")

    assert lines <= MAX_LINES or _name(file) in LONG_ON_PURPOSE, (
        f"{_name(file)} has {lines} lines; split it where its input or output type changes"
    )


@pytest.mark.parametrize("file", FILES, ids=_name)
def test_a_file_says_what_it_is_for(file: Path) -> None:
    """Every module opens with a docstring."""
    assert ast.get_docstring(ast.parse(file.read_text(encoding="utf-8")))


@pytest.mark.parametrize("file", FILES, ids=_name)
def test_imports_stand_at_the_top(file: Path) -> None:
    """No import inside a function and none behind TYPE_CHECKING: both hide direction."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    inside = [
        f"{node.lineno}"
        for function in ast.walk(tree)
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef)
        for node in ast.walk(function)
        if isinstance(node, ast.Import | ast.ImportFrom)
    ]

    assert not inside, f"{_name(file)}: imports inside a function at lines {', '.join(inside)}"
    assert "TYPE_CHECKING" not in file.read_text(encoding="utf-8")


@pytest.mark.parametrize("file", FILES, ids=_name)
def test_a_function_does_one_step(file: Path) -> None:
    """At most 60 lines."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    long = [
        f"{node.name} ({node.end_lineno - node.lineno + 1} lines)"
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and node.end_lineno is not None
        and node.end_lineno - node.lineno + 1 > MAX_FUNCTION_LINES
    ]

    assert not long, f"{_name(file)}: {', '.join(long)}"


@pytest.mark.parametrize("file", [f for f in FILES if f.name == "__init__.py" and f.parent != SRC], ids=_name)
def test_a_facade_holds_no_logic(file: Path) -> None:
    """`__init__.py` is a docstring, imports and `__all__`; the package's own loads its names late."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    for node in tree.body:
        is_docstring = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        is_all = isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
        assert is_docstring or is_all or isinstance(node, ast.Import | ast.ImportFrom), f"{_name(file)}:{node.lineno}"


def test_no_room_for_leftovers() -> None:
    """A folder or file called utils, helpers or common has no subject."""
    assert not [f for f in FILES if re.search(r"(^|/)(utils|helpers|common)(\.py|/)", _name(f))]


def test_the_long_list_holds_only_long_files() -> None:
    """An entry whose file has become short is deleted."""
    for name, reason in LONG_ON_PURPOSE.items():
        assert reason
        assert (SRC / name).read_text(encoding="utf-8").count("\n") > MAX_LINES, name


def test_agents_page_is_short() -> None:
    """AGENTS.md is read in full by every reader, so it stays under 60 lines."""
    assert (REPO / "AGENTS.md").read_text(encoding="utf-8").count("\n") < 60


def test_nothing_patches_a_module_in_tests() -> None:
    """Doubles stand at the seams; `mock` is not used."""
    patched = [
        file.name
        for file in (REPO / "tests").rglob("*.py")
        if re.search(
            r"^\s*(from unittest import mock|from unittest.mock|import mock)", file.read_text("utf-8"), re.MULTILINE
        )
    ]

    assert not patched
