"""Whether a reply picks an option, and in which order it is told why not."""

from __future__ import annotations

import copy
import dataclasses
import json
import pickle
from typing import Annotated, Any, Literal

import jsonschema
import pydantic
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from interlock.errors import DecisionError
from interlock.menu import abstain, read_options
from interlock.menu.attempts import Chosen, Rejected, attempt_of, decision_error
from interlock.menu.reply import read_reply
from interlock.menu.reply_schema import reply_schema
from interlock.models.ask import Try


class Strict(pydantic.BaseModel):
    model_config = pydantic.ConfigDict(extra="forbid")
    a: int
    b: int


@dataclasses.dataclass
class Point:
    x: int
    y: Annotated[int, pydantic.Field(ge=0)] = 0


def add(a: int, b: float = 1.0, note: str = None) -> float:  # type: ignore[assignment]  # noqa: RUF013  (as authors write it)
    """Add."""
    return a + b


def draw(points: list[Point], mode: Literal["thin", "thick"], strict: Strict | None = None) -> None:
    """Draw."""


def stop() -> None:
    """Stop."""


def hidden(q: str, session: str = "s", runtime: object = None) -> str:
    """Ask."""
    return q + session


hidden.input_meta = {"session": {"hidden": True}}  # type: ignore[attr-defined]

OPTIONS = read_options(
    {
        "add": add,
        "draw": draw,
        "stop": stop,
        "ask": hidden,
        "value": ("V", "a value"),
        "plan": ("P", {"rows": [{"id": int, "ok": bool}], "why": str}),
        "empty": ("E", {}),
        "none": abstain("none"),
    }
)


def read(call: object, **more: object) -> Chosen | Rejected:
    return read_reply(json.dumps({"call": call, **more}), OPTIONS)


@pytest.mark.parametrize(
    ("call", "args", "want"),
    [
        pytest.param("add", {"a": 1}, {"a": 1}, id="what-is-left-out-is-no-key"),
        pytest.param("add", {"a": 1, "b": 2}, {"a": 1, "b": 2.0}, id="an-integer-for-a-float"),
        pytest.param("add", {"a": 1, "note": None}, {"a": 1}, id="null-where-the-default-is-none"),
        pytest.param("add", {"a": 1, "z": 9, "call": "x"}, {"a": 1}, id="unknown-keys-are-dropped"),
        pytest.param("ask", {"q": "q", "session": 1, "runtime": 2}, {"q": "q"}, id="hidden-keys-are-unknown-keys"),
        pytest.param("stop", None, {}, id="null-for-nothing"),
        pytest.param("stop", [], {}, id="an-empty-list-for-nothing"),
        pytest.param("stop", "", {}, id="empty-text-for-nothing"),
        pytest.param("stop", 0, {}, id="zero-for-nothing"),
        pytest.param("stop", {"x": 1}, {}, id="something-for-nothing"),
        pytest.param("value", "anything", {}, id="a-value-takes-no-notice"),
        pytest.param("empty", {"x": 1}, {}, id="an-empty-schema"),
        pytest.param("none", {}, {}, id="abstaining-without-a-reason"),
        pytest.param("none", {"reason": None}, {}, id="abstaining-with-null"),
        pytest.param("none", {"reason": "r"}, {"reason": "r"}, id="abstaining-with-a-reason"),
        pytest.param("plan", {"rows": [], "why": "w"}, {"rows": [], "why": "w"}, id="a-schema"),
    ],
)
def test_a_pick_has_the_arguments_that_were_written(call: str, args: object, want: dict[str, Any]) -> None:
    chosen = read(call, args=args)

    assert isinstance(chosen, Chosen)
    assert (chosen.option.name, dict(chosen.args)) == (call, want)
    assert not chosen.repaired


def test_no_args_are_no_arguments() -> None:
    assert isinstance(read("stop", x=1), Chosen)


DRAW = {"points": [{"x": 1}], "mode": "thin"}


@pytest.mark.parametrize(
    ("call", "args", "kind", "message", "paths"),
    [
        pytest.param(
            "fly", {}, "unknown_call", '"fly" is not an option; pick one of `add`, `draw`', [""], id="unknown"
        ),
        pytest.param("Add", {}, "unknown_call", '"Add" is not an option', [""], id="another-case"),
        pytest.param(" add", {}, "unknown_call", '" add" is not an option', [""], id="a-space"),
        pytest.param(None, {}, "unknown_call", "null is not an option", [""], id="null"),
        pytest.param(["add"], {}, "unknown_call", '["add"] is not an option', [""], id="a-list"),
        pytest.param({"name": "add"}, {}, "unknown_call", '{"name": "add"} is not an option', [""], id="an-object"),
        pytest.param("x" * 500, {}, "unknown_call", "…", [""], id="a-long-name-is-cut"),
        pytest.param("add", "a=1", "bad_args", "`args` must be an object", [""], id="text-for-args"),
        pytest.param("add", [1], "bad_args", "`args` must be an object", [""], id="a-list-for-args"),
        pytest.param("stop", [1], "bad_args", "`args` must be an object", [""], id="a-list-where-nothing-is-needed"),
        pytest.param("empty", "x", "bad_args", "`args` must be an object", [""], id="text-for-an-empty-schema"),
        pytest.param("add", {}, "missing_required", "`a` is required", ["a"], id="missing"),
        pytest.param(
            "plan", {}, "missing_required", "`rows` is required; `why` is required", ["rows", "why"], id="all-missing"
        ),
        pytest.param(
            "plan",
            {"rows": [{"id": 1}, {"ok": True}]},
            "missing_required",
            "`rows[0].ok` is required; `rows[1].id` is required; `why` is required",
            ["rows[0].ok", "rows[1].id", "why"],
            id="missing-on-every-level",
        ),
        pytest.param(
            "plan", {"rows": "x"}, "missing_required", "`why` is required", ["why"], id="missing-before-a-wrong-type"
        ),
        pytest.param(
            "draw",
            {"strict": {"a": 1, "c": 2}},
            "bad_args",
            "`strict.c` is not a field",
            ["strict.c"],
            id="a-forbidden-key-before-what-is-missing",
        ),
        pytest.param(
            "add",
            {"a": None},
            "type_mismatch",
            "`a` input should be a valid integer, got null",
            ["a"],
            id="null-for-a-number",
        ),
        pytest.param(
            "draw",
            {"points": [{"x": "1"}, {"x": 2, "y": -1}], "mode": "fat"},
            "type_mismatch",
            '`points[0].x` input should be a valid integer, got "1"; `points[1].y` input should be greater than or '
            "equal to 0; `mode` must be one of 'thin' or 'thick', got \"fat\"",
            ["points[0].x", "points[1].y", "mode"],
            id="every-wrong-value-in-order",
        ),
        pytest.param("draw", {**DRAW, "mode": "THIN"}, "enum_violation", "'thin' or 'thick'", ["mode"], id="enum"),
        pytest.param(
            "draw",
            {**DRAW, "points": [{"x": 1, "y": -1}]},
            "constraint_violation",
            "greater than or equal to 0",
            ["points[0].y"],
            id="constraint",
        ),
        pytest.param("add", {"a": 1, "b": "x" * 500}, "type_mismatch", "…", ["b"], id="a-long-value-is-cut"),
    ],
)
def test_a_reply_that_does_not_fit_says_why(
    call: object, args: object, kind: str, message: str, paths: list[str]
) -> None:
    rejected = read(call, args=args)

    assert isinstance(rejected, Rejected)
    assert rejected.kind == kind
    assert message in rejected.message
    assert [problem.path for problem in rejected.problems] == paths
    assert rejected.picked == (call if kind != "unknown_call" else None)
    assert len(rejected.message) < 1000


@pytest.mark.parametrize(
    ("reply", "kind"),
    [
        pytest.param(None, "no_action", id="nothing"),
        pytest.param(b'{"call": "stop"}', "no_action", id="bytes"),
        pytest.param("", "no_action", id="empty"),
        pytest.param("I stop.", "no_action", id="prose"),
        pytest.param('{"call": "stop"', "no_action", id="cut-off"),
        pytest.param('{"call": "stop", "call": "add"}', "ambiguous", id="two-picks-in-one-object"),
        pytest.param('{"call": "add", "args": {"a": 1, "a": 2}}', "ambiguous", id="a-key-twice"),
    ],
)
def test_a_reply_without_a_pick_is_no_pick(reply: object, kind: str) -> None:
    rejected = read_reply(reply, OPTIONS)

    assert isinstance(rejected, Rejected)
    assert (rejected.kind, rejected.picked) == (kind, None)


def test_a_repaired_reply_says_so() -> None:
    chosen = read_reply("{'call': 'add', 'args': {'a': 1,},}", OPTIONS)
    assert isinstance(chosen, Chosen)
    assert chosen.repaired

    rejected = read_reply("{'call': 'add', 'args': {'a': None}}", OPTIONS)
    assert isinstance(rejected, Rejected)
    assert (rejected.kind, rejected.repaired) == ("type_mismatch", True)


def test_an_error_survives_pickle_and_copy() -> None:
    rejected = read("plan", args={"rows": [{"id": "1", "ok": True}], "why": "w"})
    assert isinstance(rejected, Rejected)
    attempts = [attempt_of(Try(number=1, reply="line\nbreak", rejected=rejected, elapsed_s=0.5))]
    error: DecisionError[Any] = decision_error(attempts, OPTIONS)

    for other in (pickle.loads(pickle.dumps(error)), copy.copy(error), copy.deepcopy(error)):
        assert isinstance(other, DecisionError)
        assert isinstance(other, ValueError)
        assert str(other) == str(error)
        assert (other.kind, other.replies, other.options) == ("type_mismatch", ("line\nbreak",), error.options)
        assert other.attempts == error.attempts
        assert other.attempts[0].problems[0].path == "rows[0].id"
    assert str(error) == (
        'decision failed after 1 attempt (type_mismatch): `rows[0].id` input should be a valid integer, got "1"; '
        "options: add, draw, stop, ask, value, plan, empty, none; last reply: 'line\\nbreak'"
    )


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-3, 3)
    | st.floats(allow_nan=False)
    | st.text(max_size=3)
    | st.sampled_from(["thin", "add", "draw"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["a", "b", "x", "y", "points", "mode", "id", "ok", "call", "args"]), inner, max_size=3
        )
    ),
    max_leaves=8,
)
NAMES = [option.name for option in OPTIONS]


@given(
    call=st.sampled_from(NAMES) | JSON,
    args=st.dictionaries(st.sampled_from(["a", "b", "note", "points", "mode", "strict", "rows", "why", "q"]), JSON)
    | JSON,
)
@example(call="add", args={"a": 10**400})
@example(call="add", args={"a": 1, "note": "\ud800"})
@settings(max_examples=200, deadline=None)
def test_any_object_is_a_pick_or_a_problem(call: object, args: object) -> None:
    """Nothing a model writes raises; what is picked fits the schema a provider was given for the reply."""
    read_back = read_reply(json.dumps({"call": call, "args": args}), OPTIONS)

    if isinstance(read_back, Chosen) and read_back.option.fields and isinstance(args, dict):
        known = {
            field.name
            for field in read_back.option.fields
            if not (field.null_is_absent and args.get(field.name) is None)
        }
        schema = reply_schema([read_back.option])["properties"]["args"]
        assert jsonschema.Draft202012Validator(schema).is_valid({name: args[name] for name in known & args.keys()})


@given(text=st.text(alphabet="{}[]\"'\\/*,:<>think calladd01\n\ud800é", max_size=120))
@settings(max_examples=300, deadline=None)
def test_any_text_is_a_pick_or_a_problem(text: str) -> None:
    assert isinstance(read_reply(text, OPTIONS), Chosen | Rejected)


def test_the_schema_of_a_reply_has_one_form_per_option() -> None:
    schema = reply_schema(OPTIONS)
    validator = jsonschema.Draft202012Validator(schema)

    assert [form["properties"]["call"]["enum"] for form in schema["anyOf"]] == [[name] for name in NAMES]
    assert validator.is_valid({"call": "stop"})
    assert validator.is_valid({"call": "add", "args": {"a": 1}})
    assert not validator.is_valid({"call": "add", "args": {"a": 1, "z": 1}})
    assert not validator.is_valid({"call": "fly"})
    assert reply_schema(read_options(["go"]))["properties"]["call"] == {"type": "string", "enum": ["go"]}
