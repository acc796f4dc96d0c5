"""What a pick leads to, and what Python must bring for it."""

from __future__ import annotations

import functools
from typing import Any

import pytest

from interlock.errors import DecisionError, MissingContextError
from interlock.menu import Abstained, abstain, read_options
from interlock.menu.resolve import arguments, check_context, resolve


def placed(a: int, b: int = 2, /, c: int = 3, *rest: int, d: int = 4, **more: int) -> list[object]:
    """Place."""
    return [a, b, c, rest, d, more]


def lookup(query: str, session: str, tenant: str = "public", runtime: object = None) -> list[object]:
    """Look up."""
    return [query, session, tenant, runtime]


lookup.input_meta = {"session": {"hidden": True}, "tenant": {"hidden": True}}  # type: ignore[attr-defined]


def positional(secret: str, q: str, /) -> str:
    """Ask."""
    return secret + q


positional.input_meta = {"secret": {"hidden": True}}  # type: ignore[attr-defined]


class Holder:
    """Hold."""

    def __init__(self, x: int) -> None:
        self.x = x


def resolved(handler: object, args: dict[str, object], context: dict[str, object] | None = None) -> Any:
    (option,) = read_options({"name": handler})
    return resolve(option, arguments(option, args, context or {}, "RUNTIME"))


@pytest.mark.parametrize(
    ("handler", "args", "want"),
    [
        pytest.param(placed, {"a": 1}, [1, 2, 3, (), 4, {}], id="defaults"),
        pytest.param(placed, {"a": 1, "c": 9, "d": 8}, [1, 2, 9, (), 8, {}], id="a-gap-before-a-name"),
        pytest.param(functools.partial(placed, 1, d=7), {"b": 5}, [1, 5, 3, (), 7, {}], id="partial"),
        pytest.param(("V", "value"), {}, "V", id="value"),
        pytest.param(None, {}, None, id="none"),
        pytest.param(("S", {"x": int}), {"x": 1}, {"decision": "name", "x": 1}, id="schema"),
        pytest.param(("S", {}), {}, {"decision": "name"}, id="empty-schema"),
        pytest.param(abstain("A"), {"reason": "r"}, Abstained(option="name", reason="r"), id="abstain"),
        pytest.param(abstain("A"), {}, Abstained(option="name", reason=None), id="abstain-without-a-reason"),
        pytest.param(abstain("A", then="ASK"), {"reason": "r"}, "ASK", id="abstain-then-a-value"),
        pytest.param(abstain("A", then=0), {}, 0, id="abstain-then-a-falsy-value"),
        pytest.param(abstain("A", then=lambda why: [why]), {"reason": "r"}, ["r"], id="abstain-then-a-function"),
    ],
)
def test_a_pick_leads_to_its_result(handler: object, args: dict[str, object], want: object) -> None:
    assert resolved(handler, args) == want


def test_a_class_leads_to_its_instance() -> None:
    made = resolved(Holder, {"x": 3})

    assert isinstance(made, Holder)
    assert made.x == 3


def test_context_fills_hidden_parameters_and_nothing_else() -> None:
    context: dict[str, object] = {"session": "S", "query": "EVIL", "runtime": "EVIL", "unused": 1}

    assert resolved(lookup, {"query": "q"}, context) == ["q", "S", "public", "RUNTIME"]
    assert resolved(lookup, {"query": "q"}, {**context, "tenant": "acme"}) == ["q", "S", "acme", "RUNTIME"]
    assert resolved(positional, {"q": "q"}, {"secret": "s"}) == "sq"


def test_a_hidden_parameter_that_nothing_fills_is_named_before_any_call() -> None:
    options = read_options({"a": "A", "find": lookup, "ask": positional})

    with pytest.raises(MissingContextError, match="option `find`: context lacks `session`") as missing:
        check_context(options, {"tenant": "acme"})

    assert isinstance(missing.value, TypeError)
    assert not isinstance(missing.value, ValueError | DecisionError)
    check_context(options, {"session": None, "secret": ""})


def test_what_a_function_raises_reaches_the_caller_unchanged() -> None:
    def boom() -> None:
        """Fail."""
        raise KeyError("inner")

    with pytest.raises(KeyError, match="inner"):
        resolved(boom, {})
