"""Whether a value fits the JSON Schema of a tool's arguments."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from interlock.questions import Json
from interlock.schema.conforms import misfit

PATH: Mapping[str, Json] = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}


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
        pytest.param("c", {"enum": ["a", "b"]}, "one of the listed values", id="not-in-the-list"),
        pytest.param("a", {"enum": ["a", "b"]}, None, id="in-the-list"),
        pytest.param(1, {"enum": [True]}, "one of the listed values", id="one-is-not-true"),
        pytest.param("a", {"const": "b"}, "one of the listed values", id="not-the-constant"),
        pytest.param(1, {"anyOf": [{"type": "string"}, {"type": "integer"}]}, None, id="one-of-its-forms"),
        pytest.param(None, {"anyOf": [{"type": "string"}]}, "fits none of its forms", id="none-of-its-forms"),
        pytest.param("", {"minLength": 1}, "the length of `arguments` must be at least 1", id="too-short"),
        pytest.param("abc", {"maxLength": 2}, "must be at most 2", id="too-long"),
        pytest.param([], {"minItems": 1}, "the length of `arguments` must be at least 1", id="too-few"),
        pytest.param([1, 2], {"maxItems": 1}, "must be at most 1", id="too-many"),
        pytest.param(0, {"minimum": 1}, "`arguments` must be at least 1", id="too-small"),
        pytest.param(3, {"maximum": 2.5}, "`arguments` must be at most 2.5", id="too-large"),
        pytest.param(["a", 1], {"items": {"type": "string"}}, "`arguments[1]` must be string", id="a-wrong-item"),
        pytest.param(["a"], {"items": {"type": "string"}}, None, id="right-items"),
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
