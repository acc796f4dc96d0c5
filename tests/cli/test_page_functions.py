"""What `interlock serve` gives the page: what a module lists and nothing else of it, and whose prompts."""

from __future__ import annotations

from pathlib import Path

import pytest

from interlock.cli._page import functions_of, registry_of
from interlock.settings import load_settings

AGENT = """
from interlock import Agent
from interlock.functions import form_model

class Clerk(Agent):
    '''Works.'''
    method_options = {"renamed": {"name": "other_name"}}
    def write(self, text: str) -> str:
        '''Write.'''
        return text
    def renamed(self) -> None:
        '''Do it.'''
    def _inner(self) -> None:
        '''Stay inside.'''
    @property
    def costly(self) -> str:
        raise AssertionError("a property was read")
    @staticmethod
    def loose() -> None:
        '''Belong to nobody.'''

class Needs(Agent):
    def __init__(self, what):
        super().__init__()
        self.what = what
    def use(self) -> str:
        '''Use it.'''
        return self.what

def listed() -> None:
    '''Be listed.'''

def unlisted() -> None:
    '''Be somewhere.'''

needs = Needs("it")
"""


@pytest.mark.parametrize(
    ("listing", "names"),
    [
        pytest.param('__all__ = ["listed"]', ["listed"], id="function"),
        pytest.param('__all__ = ["Clerk", "listed"]', ["other_name", "write", "listed"], id="class"),
        pytest.param('__all__ = ["needs"]', ["use"], id="instance"),
        pytest.param("clerk = Clerk()\nTOOLS = [clerk.write, listed]", ["write", "listed"], id="tools"),
        pytest.param('__all__ = ["Clerk"]\nCONSTANT = 3', ["other_name", "write"], id="nothing-else"),
    ],
)
def test_what_a_module_lists_can_be_called_and_nothing_else(listing: str, names: list[str], tmp_path: Path) -> None:
    module = tmp_path / "shop_functions.py"
    module.write_text(f"{AGENT}\n{listing}\n", encoding="utf-8")

    assert list(functions_of([str(module)])) == names


def test_one_function_of_a_module_is_named(tmp_path: Path) -> None:
    module = tmp_path / "shop_functions.py"
    module.write_text(AGENT, encoding="utf-8")

    assert list(functions_of([f"{module}:Clerk"])) == ["other_name", "write"]
    assert list(functions_of([f"{module}:listed", f"{module}:needs"])) == ["listed", "use"]


@pytest.mark.parametrize(
    ("listing", "told"),
    [
        pytest.param('__all__ = ["Needs"]', "`Needs()` cannot be made", id="class-with-arguments"),
        pytest.param("TOOLS = [3]", "`int` is no function", id="number"),
        pytest.param("TOOLS = [Clerk.write]", "without its agent", id="method-of-a-class"),
        pytest.param('__all__ = ["CONSTANT"]\nCONSTANT = 3', "neither `TOOLS` nor functions", id="nothing"),
        pytest.param("TOOLS = [Clerk(), Clerk()]", "more than one", id="twice"),
    ],
)
def test_what_cannot_be_called_is_refused(
    listing: str, told: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    module = tmp_path / "shop_functions.py"
    module.write_text(f"{AGENT}\n{listing}\n", encoding="utf-8")

    with pytest.raises(SystemExit, match="2"):
        functions_of([str(module)])
    assert told in capsys.readouterr().err


def test_prompts_are_those_of_the_flag_else_of_the_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    plain = load_settings(directory=tmp_path, environ={})
    named = load_settings(directory=tmp_path, environ={"INTERLOCK_PROMPTS": "mine.db"})

    assert registry_of(None, plain) is None
    assert registry_of(None, named) == "mine.db"
    assert registry_of("other", named) == "other"
    (tmp_path / "prompts").mkdir()
    assert registry_of(None, plain) == "prompts"
