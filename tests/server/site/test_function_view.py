"""Which functions the page offers, why some cannot be called, and how a form is read."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, Literal

import pytest

from interlock import Agent
from interlock.functions import form_model
from interlock.server.site.function_view import entry_of, groups_of, read_given, selectable


def plain(x: int, word: Literal["a", "b"] = "a", loud: bool = False) -> str:
    """Say a word."""
    return word * x


def needs(token: str, x: int) -> None:
    """Need what only code has."""


needs.input_meta = {"token": {"hidden": True}}  # type: ignore[attr-defined]


def odd(x: object, y: Callable[[], None]) -> None:
    """Take what JSON cannot carry."""


def chooser(which: str) -> None:
    """Take a function."""


chooser.input_meta = {"which": {"options_from": "functions"}}  # type: ignore[attr-defined]


class Clerk(Agent):
    """Works at a desk.

    And more.
    """

    method_options: ClassVar[Any] = {
        "elsewhere": {"unsafe_in": ("page",)},
        "closed": {"available_if": lambda: False},
        "careful": {"requires_approval": True, "timeout": 2.0},
    }

    def elsewhere(self) -> None:
        """Stay away."""

    def closed(self) -> None:
        """Be closed."""

    def careful(self) -> None:
        """Ask first."""


CLERK = Clerk()


@pytest.mark.parametrize(
    ("function", "refusal"),
    [
        pytest.param(plain, "", id="plain"),
        pytest.param(needs, "context", id="hidden-without-default"),
        pytest.param(odd, "form", id="no-json"),
        pytest.param(CLERK.elsewhere, "here", id="unsafe-in-page"),
        pytest.param(CLERK.closed, "here", id="not-available"),
        pytest.param(CLERK.careful, "", id="asks"),
    ],
)
def test_what_cannot_be_called_says_why(function: Callable[..., Any], refusal: str) -> None:
    entry = entry_of(function.__name__, function)

    assert entry.refusal == refusal
    assert "token" not in repr(entry)
    assert (entry.needs_approval, entry.timeout_s) == ((True, 2.0) if function == CLERK.careful else (False, None))


def test_functions_stand_with_their_agent_or_module() -> None:
    groups = groups_of({"plain": plain, "careful": CLERK.careful, "needs": needs, "closed": CLERK.closed})

    assert [(group.title, [entry.name for entry in group.entries]) for group in groups] == [
        ("test_function_view", ["plain", "needs"]),
        ("Clerk", ["careful", "closed"]),
    ]
    assert groups[1].says == "Works at a desk."


def test_a_function_of_the_package_or_on_functions_is_not_offered_to_choose() -> None:
    functions: dict[str, Callable[..., Any]] = {
        "plain": plain,
        "chooser": chooser,
        "form_model": form_model,
        "careful": CLERK.careful,
    }

    assert selectable(functions) == ("plain", "careful")
    assert read_given(chooser, {"which": "plain"}, functions).errors == {}
    assert "none of the functions" in read_given(chooser, {"which": "form_model"}, functions).errors["which"]


@pytest.mark.parametrize(
    ("given", "values", "wrong"),
    [
        pytest.param({"x": "3"}, {"x": 3}, [], id="optional-left-out"),
        pytest.param({"x": "3", "loud": "yes", "word": "b"}, {"x": 3, "loud": True, "word": "b"}, [], id="all"),
        pytest.param({"x": "3", "loud": "no"}, {"x": 3, "loud": False}, [], id="no"),
        pytest.param({"x": "12abc"}, {}, ["x"], id="not-a-number"),
        pytest.param({"x": ""}, {}, ["x"], id="required"),
        pytest.param({"x": "3", "word": "c"}, {"x": 3}, ["word"], id="beside-a-closed-list"),
        pytest.param({"x": "3", "loud": "maybe"}, {"x": 3}, ["loud"], id="neither-yes-nor-no"),
        pytest.param({"x": "3", "other": "1"}, {"x": 3}, [], id="unknown-field"),
    ],
)
def test_a_form_is_read_field_by_field(given: dict[str, str], values: dict[str, object], wrong: list[str]) -> None:
    read = read_given(plain, given, {})

    assert (dict(read.values), list(read.errors)) == (values, wrong)
