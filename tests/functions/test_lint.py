"""The style rules, each by what breaks it and what keeps it."""

from __future__ import annotations

from pathlib import Path

import pytest

from interlock.functions import lint
from interlock.functions.lint_rules import RULES

GOOD = '''
from typing import Literal

from interlock import Agent


class Shop(Agent):
    method_options = {
        "refund_order": {
            "tool": True,
            "input": {
                "order": {"description": "Which order", "placeholder": "A-17"},
                "reason": {"description": "One of the known reasons", "options": ["late", "broken"]},
                "speed": {"description": "one of slow or fast"},
                "session": {"hidden": True},
            },
        }
    }

    def refund_order(self, order: str, reason: str, speed: Literal["slow", "fast"], session: object) -> str:
        """Give the money of an order back.

        At length, and with the session.
        """

    def _helper(self, anything):
        return anything


def list_orders(since: str) -> list[str]:
    """List the orders since a day."""


list_orders.input_meta = {"since": {"description": "First day"}}


def helper(db, runtime):
    return db
'''


def method(
    *, doc: str = '"""Do the thing."""', params: str = "", said: str = "{}", name: str = "do_thing", more: str = ""
) -> str:
    """A class of one method; its options stand in line 2, the method in line 3, the docstring in line 4."""
    options = f'method_options = {{"{name}": {{"input": {said}{more}}}}}'
    return f"class A(Agent):\n    {options}\n    def {name}(self{params}):\n        {doc}\n"


def found(source: str) -> list[tuple[str, str, int]]:
    return [(item.code, item.severity, item.span.line) for item in lint(source)]


def test_good_style_has_no_findings() -> None:
    assert lint(GOOD) == []


X = ', x: str", {"x": {"description": "An x"}}'


@pytest.mark.parametrize(
    ("source", "want"),
    [
        pytest.param("def f(:\n", [("F00", "error", 1)], id="F00-no-python"),
        pytest.param("x = '\0'", [("F00", "error", 1)], id="F00-a-null-byte"),
        pytest.param("x = 1" + " + 1" * 100_000, [("F00", "error", 1)], id="F00-nested-beyond-all-bounds"),
        pytest.param(method(doc="pass"), [("F01", "error", 3)], id="F01-no-docstring"),
        pytest.param(method(doc='""" """'), [("F01", "error", 3)], id="F01-empty"),
        pytest.param(
            method(doc='"""Do the\n        thing.\n\n        More.\n        """'),
            [("F01", "warning", 4)],
            id="F01-lines",
        ),
        pytest.param(
            method(doc='"""Do it.\n\n        Args:\n            x: it\n        """'),
            [("F02", "warning", 6)],
            id="F02-args",
        ),
        pytest.param(
            method(doc='"""Do it.\n\n        Returns:\n            it\n        """'),
            [("F02", "warning", 6)],
            id="F02-returns",
        ),
        pytest.param(method(doc='"""Do it.\n\n        The args: none.\n        """'), [], id="F02-a-word-in-prose"),
        pytest.param(method(params=", x: str"), [("F03", "error", 3)], id="F03-not-described"),
        pytest.param(method(params=", x", said='{"x": {"description": ""}}'), [("F03", "error", 3)], id="F03-empty"),
        pytest.param(method(params=", *xs, **more"), [], id="F03-catch-alls-are-no-parameters"),
        pytest.param(
            method(params=", x", said='{"x": {"description": "fast | slow"}}'), [("F04", "warning", 2)], id="F04-bar"
        ),
        pytest.param(
            method(params=", x", said='{"x": {"description": "One of fast, slow"}}'),
            [("F04", "warning", 2)],
            id="F04-words",
        ),
        pytest.param(
            method(params=", x: bool", said='{"x": {"description": "one of yes and no"}}'),
            [],
            id="F04-a-boolean-is-closed",
        ),
        pytest.param(
            method(params=", user_id: str", said='{"user_id": {"description": "Who"}}'),
            [("F05", "warning", 3)],
            id="F05-a-name",
        ),
        pytest.param(
            "class Conn: ...\n" + method(params=", c: Conn", said='{"c": {"description": "C"}}'),
            [("F05", "warning", 4)],
            id="F05-a-class",
        ),
        pytest.param(
            method(params=", log: Logger | None", said='{"log": {"description": "L"}}'),
            [("F05", "warning", 3)],
            id="F05-a-type",
        ),
        pytest.param(method(params=", runtime=None"), [("F06", "error", 3)], id="F06-declared"),
        pytest.param(
            method(params=", runtime", said='{"runtime": {"hidden": True}}'),
            [("F06", "error", 2), ("F06", "error", 3)],
            id="F06-marked",
        ),
        pytest.param(
            "def do_thing(runtime):\n    'Do it.'\ndo_thing.input_meta = {}\n", [], id="F06-not-of-plain-functions"
        ),
        pytest.param(method(name="_do_thing"), [("F07", "warning", 3)], id="F07-private"),
        pytest.param(
            "class A(Agent):\n    def _do(self, x, runtime):\n        pass\n",
            [],
            id="F07-what-is-not-offered-has-no-name",
        ),
        pytest.param(method(name="go"), [("F07", "warning", 3)], id="F07-short"),
        *(
            pytest.param(method(name=name), [("F07", "warning", 3)], id=f"F07-{name}")
            for name in ("run", "handle", "process")
        ),
        pytest.param(method(doc='"""You are a clerk."""'), [("F08", "warning", 4)], id="F08-a-role"),
        pytest.param(
            method(doc='"""Do it.\n\n        Complete the task.\n        """'), [("F08", "warning", 6)], id="F08-empty"
        ),
        pytest.param(method(said="INPUT"), [("F09", "warning", 2)], id="F09-a-name"),
        pytest.param(
            method(params=", x, db", said="INPUT"), [("F09", "warning", 2)], id="F09-tells-nothing-of-parameters"
        ),
        pytest.param("build().input_meta = {}\n", [("F09", "warning", 1)], id="F09-of-no-function"),
        pytest.param(
            method(doc='"""Ask the db."""', params=", db", said='{"db": {"hidden": True}}'),
            [("F10", "error", 4)],
            id="F10-the-summary",
        ),
        pytest.param(
            method(doc='"""Ask.\n\n        The db.\n        """', params=", db", said='{"db": {"hidden": True}}'),
            [],
            id="F10-the-rest-of-the-docstring",
        ),
        pytest.param(
            method(params=", db", said='{"db": {"hidden": True}}', more=', "description": "Ask db"'),
            [("F10", "error", 2)],
            id="F10-the-description",
        ),
        pytest.param(
            method(
                params=", x, db",
                said='{"db": {"hidden": True}, "x": {"description": "As in db.", "placeholder": "db"}}',
            ),
            [("F10", "error", 2), ("F10", "error", 2)],
            id="F10-what-is-said-of-another",
        ),
        pytest.param(
            method(params=", db", said='{"db": {"hidden": True}}', more=', "description": "Ask d" "b"'),
            [("F10", "error", 2)],
            id="F10-a-name-in-two-pieces",
        ),
        pytest.param(
            method(doc='"""Ask dbs."""', params=", db", said='{"db": {"hidden": True}}'), [], id="F10-whole-words-only"
        ),
        pytest.param(
            method(params=", x: str", said='{"x": {"description": "An x", "type": "str", "required": True}}'),
            [("F11", "warning", 2), ("F11", "warning", 2)],
            id="F11-type-and-required",
        ),
    ],
)
def test_a_rule_finds_what_breaks_it(source: str, want: list[tuple[str, str, int]]) -> None:
    assert found(source) == want


def test_every_rule_is_shown_here() -> None:
    shown = {mark.id[:3] for mark in test_a_rule_finds_what_breaks_it.pytestmark[0].args[1]}  # type: ignore[attr-defined]

    assert shown == set(RULES)


def test_a_finding_has_place_words_and_fix() -> None:
    (item,) = lint("class Größe(Agent):\n    def zu(self, größe: str): 'Größe.'\n")[:1]
    assert (item.span.line, item.span.column, item.span.end_column) == (2, 9, 11)
    assert item.message == "the name `zu` is too short to tell what it does"
    assert item.fix == "write what it does and to what, such as `read_invoice`"

    (item,) = [
        item for item in lint("class Größe(Agent):\n    def zu(self, größe: str): 'Größe.'\n") if item.code == "F03"
    ]
    assert (item.layer, item.decision, item.span.column, item.span.end_column) == ("function", None, 18, 28)


def test_what_a_subclass_inherits_is_found_once() -> None:
    base = method(doc="pass")

    assert found(base + 'class B(A):\n    method_options = {"do_thing": {"tool": True}}\n') == [("F01", "error", 3)]


def test_a_file_is_read_where_a_path_is_given(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_bytes(b"\xef\xbb\xbf" + GOOD.encode())

    assert lint(path) == []
    assert lint("\ufeff" + GOOD) == []
    with pytest.raises(FileNotFoundError, match=r"none\.py"):
        lint(tmp_path / "none.py")
