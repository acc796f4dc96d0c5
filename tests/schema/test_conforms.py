"""Whether a value fits the JSON Schema of a tool's arguments."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from interlock.questions import Json
from interlock.schema.conforms import misfit

PATH: Mapping[str, Json] = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}

PAIR: Mapping[str, Json] = {
    "type": "array",
    "prefixItems": [{"type": "integer"}, {"type": "string"}],
    "items": {"type": "boolean"},
}
TREE: Mapping[str, Json] = {
    "$ref": "#/$defs/Tree",
    "$defs": {
        "Tree": {
            "type": "object",
            "properties": {"kids": {"type": "array", "items": {"$ref": "#/$defs/Tree"}}},
            "required": ["kids"],
        }
    },
}


@pytest.mark.parametrize(
    ("value", "schema", "problem"),
    [
        pytest.param({"path": "a"}, PATH, None, id="fits"),
        pytest.param({}, PATH, "`arguments.path` is missing", id="missing"),
        pytest.param({"path": 1}, PATH, "`arguments.path` must be string", id="wrong-type"),
        pytest.param({"path": "a", "x": 1}, PATH, None, id="other-names-are-allowed-unless-said"),
        pytest.param(
            {"path": "a", "x": 1},
            {**PATH, "additionalProperties": False},
            "`arguments` takes `path` and no other name",
            id="a-name-too-many",
        ),
        pytest.param({"x": 1}, {"additionalProperties": False}, "takes nothing", id="no-names-at-all"),
        pytest.param(
            {"x": 1}, {"additionalProperties": {"type": "string"}}, "`arguments.x` must be string", id="typed-others"
        ),
        pytest.param([], {"type": "object"}, "must be object", id="a-list-for-an-object"),
        pytest.param(True, {"type": "integer"}, "must be integer", id="a-boolean-is-no-integer"),
        pytest.param(True, {"type": "number"}, "must be number", id="a-boolean-is-no-number"),
        pytest.param(True, {"type": "boolean"}, None, id="a-boolean"),
        pytest.param(1, {"type": "number"}, None, id="an-integer-is-a-number"),
        pytest.param(1.5, {"type": "integer"}, "must be integer", id="a-fraction-is-no-integer"),
        pytest.param(None, {"type": ["string", "null"]}, None, id="one-of-two-types"),
        pytest.param(3, {"type": ["string", "null"]}, "must be string or null", id="none-of-two-types"),
        pytest.param(3, {"type": "strange"}, None, id="an-unknown-type-restricts-nothing"),
        pytest.param("c", {"enum": ["a", "b"]}, 'must be one of "a", "b"', id="not-in-the-list"),
        pytest.param("a", {"enum": ["a", "b"]}, None, id="in-the-list"),
        pytest.param(1, {"enum": [True]}, "must be one of true", id="one-is-not-true"),
        pytest.param("a", {"const": "b"}, 'must be one of "b"', id="not-the-constant"),
        pytest.param(1, {"anyOf": [{"type": "string"}, {"type": "integer"}]}, None, id="one-of-its-forms"),
        pytest.param(None, {"anyOf": [{"type": "string"}]}, "fits none of its forms", id="none-of-its-forms"),
        pytest.param("", {"minLength": 1}, "`arguments` must have a length of at least 1", id="too-short"),
        pytest.param("abc", {"maxLength": 2}, "must have a length of at most 2", id="too-long"),
        pytest.param([], {"minItems": 1}, "`arguments` must have a length of at least 1", id="too-few"),
        pytest.param([1, 2], {"maxItems": 1}, "must have a length of at most 1", id="too-many"),
        pytest.param(0, {"minimum": 1}, "`arguments` must be at least 1", id="too-small"),
        pytest.param(3, {"maximum": 2.5}, "`arguments` must be at most 2.5", id="too-large"),
        pytest.param(["a", 1], {"items": {"type": "string"}}, "`arguments[1]` must be string", id="a-wrong-item"),
        pytest.param(["a"], {"items": {"type": "string"}}, None, id="right-items"),
        pytest.param([1, "a"], PAIR, None, id="right-places"),
        pytest.param([1, 2], PAIR, "`arguments[1]` must be string", id="a-wrong-place"),
        pytest.param([1, "a", 2], PAIR, "`arguments[2]` must be boolean", id="a-wrong-item-after-the-places"),
        pytest.param([1, 1.0], {"uniqueItems": True}, "must hold each value once", id="one-value-in-two-spellings"),
        pytest.param([1, True], {"uniqueItems": True}, None, id="true-is-another-value-than-one"),
        pytest.param(1, {"enum": [1.0]}, None, id="an-integer-for-a-listed-number"),
        pytest.param(1.0, {"enum": [1]}, "must be one of 1", id="a-number-for-a-listed-integer"),
        pytest.param({"kids": [{"kids": []}]}, TREE, None, id="holds-itself"),
        pytest.param({"kids": [{}]}, TREE, "`arguments.kids[0].kids` is missing", id="wrong-inside-itself"),
        pytest.param(
            [1, "x"],
            {"anyOf": [{"type": "array", "items": {"type": "integer"}}, {"type": "null"}]},
            "`arguments[1]` must be integer",
            id="the-only-form-of-its-type-is-named",
        ),
    ],
)
def test_the_first_misfit_is_named_with_its_place(value: Json, schema: Mapping[str, Json], problem: str | None) -> None:
    found = misfit(value, schema)
    if problem is None:
        assert found is None
    else:
        assert found is not None
        assert problem in found


@given(
    value=st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
        max_leaves=6,
    )
)
@settings(max_examples=100)
def test_an_empty_schema_takes_everything(value: Json) -> None:
    assert misfit(value, {}) is None
