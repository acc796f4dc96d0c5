"""The field language: what may be written for a field, what it means, and what is refused."""

# ruff: noqa: UP006, UP035, UP045 -- authors write types in both spellings
from __future__ import annotations

import dataclasses
import warnings
from typing import Annotated, Any, List, Literal, NewType, Optional

import pydantic
import pytest
import typing_extensions

from interlock.schema import Field, read_value, schema_fields, without_defaults

Seconds = NewType("Seconds", int)
Size = typing_extensions.TypeAliasType("Size", int)


@dataclasses.dataclass
class Point:
    x: int
    y: int = 0


class Opaque:
    pass


def one(written: object) -> Field:
    (field,) = schema_fields({"f": written})
    return field


@pytest.mark.parametrize(
    ("written", "schema"),
    [
        pytest.param(str, {"type": "string"}, id="a-type"),
        pytest.param("what it is", {"type": "string"}, id="a-description"),
        pytest.param([str], {"type": "array", "items": {"type": "string"}}, id="a-list"),
        pytest.param(
            [[int]], {"type": "array", "items": {"type": "array", "items": {"type": "integer"}}}, id="a-list-of-lists"
        ),
        pytest.param(
            {"a": int, "b": {"c": bool}},
            {
                "type": "object",
                "properties": {
                    "a": {"type": "integer"},
                    "b": {"type": "object", "properties": {"c": {"type": "boolean"}}, "required": ["c"]},
                },
                "required": ["a", "b"],
            },
            id="an-object",
        ),
        pytest.param({"type": int, "description": "d"}, {"type": "integer"}, id="a-meta-spec"),
        pytest.param({"description": "d"}, {"type": "string"}, id="a-meta-spec-is-text-unless-said"),
        pytest.param({"type": str, "description": str}, {"type": "string"}, id="a-description-that-is-no-text"),
        pytest.param({"options": ["a", "b"]}, {"type": "string", "enum": ["a", "b"]}, id="options"),
        pytest.param({"type": int, "options": ["1", 2]}, {"type": "integer", "enum": [1, 2]}, id="numbers-as-text"),
        pytest.param({"type": float, "options": ["1", 2.5]}, {"type": "number", "enum": [1.0, 2.5]}, id="floats"),
        pytest.param({"type": bool, "options": [True]}, {"type": "boolean", "enum": [True]}, id="one-boolean"),
        pytest.param(
            {"type": Optional[int], "options": ["5", 10]}, {"type": "integer", "enum": [5, 10]}, id="nullable-options"
        ),
        pytest.param(
            {"items": {"options": ["a"]}}, {"type": "array", "items": {"type": "string", "enum": ["a"]}}, id="items"
        ),
        pytest.param(
            {"fields": {"type": str}},
            {"type": "object", "properties": {"type": {"type": "string"}}, "required": ["type"]},
            id="an-object-with-a-field-called-type",
        ),
        pytest.param({"fields": {}}, {"type": "object", "properties": {}}, id="an-object-without-fields"),
        pytest.param(Any, {}, id="any"),
        pytest.param(type(None), {"type": "null"}, id="null"),
        pytest.param(List[int], {"type": "array", "items": {"type": "integer"}}, id="an-old-spelling"),
        pytest.param(int | None, {"anyOf": [{"type": "integer"}, {"type": "null"}]}, id="nullable"),
        pytest.param(Literal["a"], {"type": "string", "enum": ["a"]}, id="a-literal"),
        pytest.param(Annotated[int, pydantic.Field(ge=1)], {"type": "integer", "minimum": 1}, id="a-limit"),
        pytest.param(Seconds, {"type": "integer"}, id="a-new-type"),
        pytest.param(Size, {"type": "integer"}, id="an-alias"),
        pytest.param(
            Point,
            {"type": "object", "properties": {"x": {"type": "integer"}, "y": {"type": "integer"}}, "required": ["x"]},
            id="a-dataclass",
        ),
        *(
            pytest.param({"type": name}, {"type": kind}, id=f"named-{name}")
            for name, kind in {
                "str": "string", "int": "integer", "float": "number", "bool": "boolean",
                "string": "string", "integer": "integer", "number": "number", "boolean": "boolean",
            }.items()
        ),
        *(
            pytest.param({"type": name}, {"type": "array", "items": {}}, id=f"named-{name}")
            for name in ("list", "array")
        ),
        *(
            pytest.param({"type": name}, {"type": "object", "additionalProperties": True}, id=f"named-{name}")
            for name in ("dict", "object")
        ),
    ],
)  # fmt: skip
def test_a_field_means_what_is_written(written: object, schema: dict[str, Any]) -> None:
    field = one(written)

    assert without_defaults(field.schema) == schema
    assert field.required


@pytest.mark.parametrize(
    ("written", "message"),
    [
        pytest.param([], "exactly one element template, got 0", id="no-template"),
        pytest.param([str, int], "exactly one element template, got 2", id="two-templates"),
        pytest.param(None, "None is not a type", id="nothing"),
        pytest.param((str,), "is not a type, a description, a list or a dict", id="a-tuple"),
        pytest.param(..., "is not a type", id="dots"),
        pytest.param(3, "3 is not a type", id="a-number"),
        pytest.param({"type": "any"}, "no type `any`; write one of str, int", id="an-unknown-name"),
        pytest.param({"type": [str]}, "`type` is a type or its name", id="a-list-for-a-type"),
        pytest.param({"type": None}, "`type` is a type or its name", id="nothing-for-a-type"),
        pytest.param({"options": []}, "options are empty", id="no-options"),
        pytest.param({"options": "ab"}, "`options` is a list of values", id="text-for-options"),
        pytest.param({"options": [1]}, "option 1 is not of its type", id="an-option-of-another-type"),
        pytest.param({"type": int, "options": [True]}, "option True is not of its type", id="true-is-not-1"),
        pytest.param({"type": int, "options": ["x"]}, "option 'x' is not of its type", id="no-number"),
        pytest.param({"type": float, "options": [float("nan")]}, "option nan is not of its type", id="not-json"),
        pytest.param({"type": list, "options": ["a"]}, "put them on the element template", id="options-of-a-list"),
        pytest.param({"items": str, "options": ["a"]}, "on the element template", id="options-beside-items"),
        pytest.param({"fields": {}, "options": ["a"]}, "on the element template", id="options-beside-fields"),
        pytest.param({"fields": {}, "items": str}, "write one of them", id="fields-beside-items"),
        pytest.param({"fields": "x"}, "`fields` is a dict", id="fields-that-are-no-dict"),
        pytest.param({1: str}, "field names are non-empty text, got 1", id="a-name-that-is-no-text"),
        pytest.param({"": str}, "field names are non-empty text", id="an-empty-name"),
        pytest.param({"a": {"b": [str, str]}}, r"`f.a.b`: a list holds exactly one", id="a-path"),
        pytest.param(Opaque, "`Opaque` cannot be carried by JSON", id="what-json-cannot-carry"),
    ],
)
def test_anything_else_is_refused(written: object, message: str) -> None:
    with pytest.raises(TypeError, match=message):
        one(written)


@pytest.mark.parametrize("schema", [["x"], None, "x", str], ids=repr)
def test_a_schema_is_a_dict(schema: object) -> None:
    with pytest.raises(TypeError, match="schema must be a dict"):
        schema_fields(schema)


@pytest.mark.parametrize("schema", [{"a\nb": int}, {"o": {"a\u2028b": int}}], ids=["top", "nested"])
def test_a_name_stays_on_one_line_of_a_menu(schema: object) -> None:
    with pytest.raises(ValueError, match="holds a control character"):
        schema_fields(schema)


def test_the_name_of_the_option_cannot_be_replaced() -> None:
    with pytest.raises(ValueError, match="`decision` would replace"):
        schema_fields({"decision": str})
    assert schema_fields({"o": {"decision": str}})


def test_an_empty_dict_is_text_and_warns() -> None:
    with pytest.warns(UserWarning, match="an empty dict is a text field"):
        assert one({}).schema == {"type": "string"}


def test_a_schema_changed_in_place_is_read_again() -> None:
    """Fields are kept by the identity of the schema, which says nothing about its content."""
    schema: dict[str, object] = {"a": int}
    first = schema_fields(schema)
    assert schema_fields(schema) is first

    schema["b"] = str

    assert [field.name for field in schema_fields(schema)] == ["a", "b"]


def test_descriptions_are_kept_on_every_level() -> None:
    (field,) = schema_fields({"rows": [{"id": "the row", "n": {"type": int, "description": "how many"}}]})

    properties = field.schema["items"]["properties"]
    assert (properties["id"]["description"], properties["n"]["description"]) == ("the row", "how many")


@pytest.mark.parametrize(
    ("written", "value", "want"),
    [
        pytest.param({"a": int}, {"a": 1, "z": 2}, {"a": 1}, id="an-object"),
        pytest.param([{"a": int}], [{"a": 1, "z": 2}], [{"a": 1}], id="a-list"),
        pytest.param({"o": {"a": int}}, {"o": {"a": 1, "z": 2}, "z": 3}, {"o": {"a": 1}}, id="deeper"),
        pytest.param([str], [], [], id="an-empty-list"),
        pytest.param({"a b": {"_c": str, "class": int}}, {"a b": {"_c": "x", "class": 1}}, None, id="any-name"),
    ],
)
def test_what_the_schema_does_not_name_is_dropped(written: object, value: object, want: object) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert read_value(one(written), value) == (value if want is None else want, [])
