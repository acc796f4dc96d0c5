"""The spec under which a provider's native tool call sees a function."""

from __future__ import annotations

import datetime as dt
import decimal
import json
from typing import Annotated, Any, Literal

import pydantic
import pytest

from interlock.functions import tool_spec


class Tree(pydantic.BaseModel):
    """A tree.

    With branches.
    """

    kids: list[Tree] = []


class Forest(pydantic.BaseModel):
    trees: list[Tree]


def spoken(
    q: str,
    n: Annotated[int, pydantic.Field(ge=1)] = 1,
    when: dt.date | None = None,
    mode: Literal["a", "b"] = "a",
    *,
    price: Annotated[decimal.Decimal, pydantic.Field(ge=decimal.Decimal("0.5"))] = decimal.Decimal(1),
    secret: str = "s",
    runtime: object = None,
) -> None:
    """Say it.

    Twice.
    """


spoken.input_meta = {  # type: ignore[attr-defined]
    "q": {"description": "What to say", "placeholder": "never shown beside a description"},
    "n": {"placeholder": "3"},
    "secret": {"hidden": True},
}


def growing(tree: Tree, trees: dict[str, Tree], forest: Forest) -> None:
    """Grow."""


def test_a_spec_has_the_visible_parameters_and_nothing_else() -> None:
    assert tool_spec(spoken) == {
        "name": "spoken",
        "description": "Say it.",
        "parameters": {
            "type": "object",
            "properties": {
                "q": {"type": "string", "description": "What to say"},
                "n": {"type": "integer", "minimum": 1, "description": "e.g. 3"},
                "when": {"anyOf": [{"type": "string", "format": "date"}, {"type": "null"}]},
                "mode": {"type": "string", "enum": ["a", "b"]},
                "price": {"anyOf": [{"type": "number", "minimum": 0.5}, {"type": "string"}]},
            },
            "required": ["q"],
        },
    }


def test_required_parameters_stand_in_signature_order() -> None:
    def fn(z: int, a: int, /, m: int, *, b: int) -> None:
        """Order."""

    assert tool_spec(fn)["parameters"]["required"] == ["z", "a", "m", "b"]


def test_nothing_required_is_not_said() -> None:
    def fn(a: int = 1) -> None: ...

    spec = tool_spec(fn)
    assert spec["description"] == "Call fn."
    assert spec["parameters"] == {"type": "object", "properties": {"a": {"type": "integer"}}}


def test_no_parameters_are_an_empty_object() -> None:
    def fn() -> None: ...

    assert tool_spec(fn)["parameters"] == {"type": "object", "properties": {}}


def test_a_type_that_holds_itself_is_defined_once_at_the_root() -> None:
    """References are resolved from `parameters`, which is the document a provider gets."""
    parameters = tool_spec(growing)["parameters"]

    assert list(parameters["$defs"]) == ["Tree"]
    assert "default" not in json.dumps(parameters)
    text = json.dumps(parameters["properties"])
    assert text.count('{"$ref": "#/$defs/Tree"}') == 3
    assert "$defs" not in json.dumps(parameters["properties"]).replace('"#/$defs/Tree"', "")
    assert parameters["properties"]["trees"]["additionalProperties"]["description"] == "A tree."


def test_a_spec_is_json() -> None:
    assert json.loads(json.dumps(tool_spec(growing), allow_nan=False)) == tool_spec(growing)


class Opaque: ...


@pytest.mark.parametrize(
    ("annotation", "options", "message"),
    [
        pytest.param(Opaque, None, "annotation of `x`: `Opaque` cannot be carried by JSON", id="no-json"),
        pytest.param(list[str], ["a"], "options go on the elements", id="options-of-a-list"),
        pytest.param(int, ["a"], "option 'a' is not of its type", id="an-option-of-another-type"),
    ],
)
def test_what_cannot_be_written_is_refused(annotation: Any, options: list[str] | None, message: str) -> None:
    def fn(x: int) -> None: ...

    fn.__annotations__["x"] = annotation
    fn.input_meta = {"x": {"options": options}}  # type: ignore[attr-defined]

    with pytest.raises(TypeError, match=f"`fn`: .*{message}"):
        tool_spec(fn)
