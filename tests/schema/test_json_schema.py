"""The JSON Schema of a type, as providers and menus read it."""

# ruff: noqa: PYI061, UP007, UP045 -- authors write unions in both spellings
from __future__ import annotations

import dataclasses
import decimal
import enum
from collections.abc import Mapping
from typing import Annotated, Any, Literal, Optional, Union

import jsonschema
import pydantic
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from interlock.schema import ABSENT, field_for, hoisted, read_value, schema_of, without_defaults
from interlock.schema.annotation import adapter_for


class Node(pydantic.BaseModel):
    value: int
    kids: list[Node] = []


class Left(pydantic.BaseModel):
    right: Optional[Right] = None


class Right(pydantic.BaseModel):
    lefts: list[Left] = []


class Titled(pydantic.BaseModel):
    """A thing with a title.

    And with a default.
    """

    title: str
    default: int = 3


class Shelf(pydantic.BaseModel):
    things: list[Titled]
    best: Titled = pydantic.Field(description="the best one", default=Titled(title="x"))


class Cat(pydantic.BaseModel):
    kind: Literal["cat"]


class Dog(pydantic.BaseModel):
    kind: Literal["dog"]


class Color(enum.Enum):
    RED = "red"
    BLUE = "blue"


class Size(enum.IntEnum):
    SMALL = 1
    LARGE = 2


@dataclasses.dataclass
class Point:
    x: Annotated[int, pydantic.Field(ge=-5, le=5)]
    color: Color = Color.RED


def shown(annotation: object) -> Mapping[str, Any]:
    schema: Mapping[str, Any] = without_defaults(schema_of(adapter_for(annotation)))
    return schema


@pytest.mark.parametrize(
    ("annotation", "schema"),
    [
        pytest.param(Literal["a"], {"type": "string", "enum": ["a"]}, id="one-value-is-an-enum-not-a-constant"),
        pytest.param(
            Literal["a", 1, None],
            {"anyOf": [{"type": "string", "enum": ["a"]}, {"type": "integer", "enum": [1]}, {"type": "null"}]},
            id="mixed-values-are-one-enum-per-type",
        ),
        pytest.param(
            Optional[Literal["a", 1]],
            {"anyOf": [{"type": "string", "enum": ["a"]}, {"type": "integer", "enum": [1]}, {"type": "null"}]},
            id="a-union-in-a-union-is-flat",
        ),
        pytest.param(list, {"type": "array", "items": {}}, id="an-array-always-has-items"),
        pytest.param(set[int], {"type": "array", "items": {"type": "integer"}}, id="a-set-is-a-list"),
        pytest.param(
            tuple[int, str],
            {
                "type": "array", "prefixItems": [{"type": "integer"}, {"type": "string"}], "items": {},
                "minItems": 2, "maxItems": 2,
            },
            id="a-tuple-has-items-too",
        ),
        pytest.param(
            Annotated[Union[Cat, Dog], pydantic.Field(discriminator="kind")],
            {
                "anyOf": [
                    {"type": "object", "properties": {"kind": {"type": "string", "enum": [name]}}, "required": ["kind"]}
                    for name in ("cat", "dog")
                ]
            },
            id="a-discriminated-union-is-any-of",
        ),
        pytest.param(
            Titled,
            {
                "type": "object", "description": "A thing with a title.\n\nAnd with a default.",
                "properties": {"title": {"type": "string"}, "default": {"type": "integer"}}, "required": ["title"],
            },
            id="fields-named-title-and-default-stay",
        ),
        pytest.param(Optional[int], {"anyOf": [{"type": "integer"}, {"type": "null"}]}, id="null-stays"),
        pytest.param(Any, {}, id="any"),
    ],
)  # fmt: skip
def test_a_schema_says_the_type_and_nothing_else(annotation: object, schema: Mapping[str, Any]) -> None:
    assert shown(annotation) == schema


def test_references_are_replaced_by_what_they_name() -> None:
    """A class inside says its first paragraph, and what a field says of it goes before."""
    properties = shown(Shelf)["properties"]

    assert properties["things"]["items"]["description"] == "A thing with a title."
    assert properties["best"]["description"] == "the best one"
    assert "$ref" not in str(shown(Shelf))


@pytest.mark.parametrize(("annotation", "names"), [(Node, {"Node"}), (Left, {"Left"}), (list[Right], {"Right"})])
def test_only_a_type_that_holds_itself_keeps_definitions(annotation: object, names: set[str]) -> None:
    assert set(shown(annotation)["$defs"]) == names


def test_definitions_of_one_name_are_kept_apart() -> None:
    class Other(pydantic.BaseModel):
        text: str
        kids: list[Other] = []

    Other.__name__ = "Node"
    schemas = [schema_of(adapter_for(Node)), _renamed(schema_of(adapter_for(Other)), "Other", "Node")]

    found = hoisted([*schemas, schema_of(adapter_for(list[Node]))])

    assert list(found.definitions) == ["Node", "Node_2"]
    first, second, third = found.nodes
    assert first["properties"]["kids"]["items"] == {"$ref": "#/$defs/Node"}
    assert second["properties"]["kids"]["items"] == {"$ref": "#/$defs/Node_2"}
    assert found.definitions["Node_2"]["properties"]["kids"]["items"] == {"$ref": "#/$defs/Node_2"}
    assert third["items"]["properties"]["kids"]["items"] == {"$ref": "#/$defs/Node"}


def _renamed(schema: Any, old: str, new: str) -> Any:
    if isinstance(schema, dict):
        return {(new if key == old else key): _renamed(value, old, new) for key, value in schema.items()}
    return schema.replace(f"/{old}", f"/{new}") if isinstance(schema, str) else schema


TYPES = st.sampled_from(
    [
        str, int, float, bool, Any, None, list[int], dict[str, int], tuple[int, str], set[int], list[Size], Point, Node,
        Titled, Color, Size, Literal["a", 1, True], Optional[float], Union[int, str, None], list[Union[Point, None]],
        Annotated[Union[Cat, Dog], pydantic.Field(discriminator="kind")], Annotated[str, pydantic.Field(max_length=2)],
        Annotated[set[int], pydantic.Field(min_length=1, max_length=2)], decimal.Decimal, dict[Color, int], Left,
        Annotated[list[float], pydantic.Field(min_length=1)], frozenset[float], Annotated[float, pydantic.Field(gt=0)],
    ]
)  # fmt: skip
SCALARS = st.sampled_from([None, True, False, 0, 1, 2, 1.0, 1.5, -7, "a", "red", "cat", "1", ""])
NAMES = st.sampled_from(["x", "color", "value", "kids", "title", "kind", "red", "right", "lefts"])
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3), max_leaves=8
)


@given(annotation=TYPES, value=VALUES)
@settings(max_examples=400, deadline=None)
def test_an_accepted_value_fits_the_schema_that_is_shown(annotation: object, value: object) -> None:
    """A model that keeps to the schema it was given is never surprised, and no value slips past it."""
    field = field_for("f", annotation)
    read, problems = read_value(field, value)

    if not problems:
        assert read is not ABSENT
        assert jsonschema.Draft202012Validator(without_defaults(field.schema)).is_valid(value)


def test_a_definition_whose_number_is_taken_too_gets_the_next_one() -> None:
    def holds(**definitions: str) -> dict[str, Any]:
        return {"$ref": "#/$defs/T", "$defs": {name: {"type": type_} for name, type_ in definitions.items()}}

    found = hoisted([holds(T="string"), holds(T="number", T_2="boolean")])
    assert found.definitions == {"T": {"type": "string"}, "T_3": {"type": "number"}, "T_2": {"type": "boolean"}}
    assert [dict(node) for node in found.nodes if isinstance(node, Mapping)] == [
        {"$ref": "#/$defs/T"},
        {"$ref": "#/$defs/T_3"},
    ]


@dataclasses.dataclass
class Turning:
    again: Optional[Turning] = None
    value: int = 0


def test_a_class_that_holds_itself_is_looked_at_once() -> None:
    assert schema_of(adapter_for(Turning))["properties"]["value"]["type"] == "integer"
