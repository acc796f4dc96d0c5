"""Building frames: statuses, bounds, provenance, and nothing a host does that gets past them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from interlock._text import ELLIPSIS, clip
from interlock.errors import FrameError
from interlock.frame import (
    UNTRUSTED,
    CellType,
    Frame,
    FrameEntry,
    FrameField,
    FrameSpec,
    Project,
    Provenance,
    StateView,
    build_frame,
)

DEEP: list[Any] = []
DEEP.append(DEEP)


def field(
    key: str = "note",
    type: CellType = "text",  # noqa: A002
    *,
    bound: int = 10,
    projection: str | None = None,
    provenance: Provenance = "host",
    default: Any = None,
    has_default: bool = False,
    may_be_absent: bool = False,
) -> FrameField:
    return FrameField(
        key=key,
        bound=bound,
        cell=key,
        projection=projection,
        type=type,
        provenance=provenance,
        default=default,
        has_default=has_default,
        may_be_absent=may_be_absent,
        reason="needed",
    )


def build(*fields: FrameField, cells: Mapping[str, object], projections: Mapping[str, Project] | None = None) -> Frame:
    view = StateView(cells=cells, projections=projections or {})
    return build_frame("d", FrameSpec(fields=fields, exclusions=()), view)


def only(frame: Frame) -> FrameEntry:
    (entry,) = frame.entries
    return entry


@pytest.mark.parametrize(
    ("declared", "value", "status", "shown"),
    [
        pytest.param(field(), "hello", "present", "hello", id="text"),
        pytest.param(field(), "", "empty", "", id="empty-text"),
        pytest.param(field(), " \n\t", "empty", " \n\t", id="blank-text-is-empty-and-kept"),
        pytest.param(field(), 3, "wrong_type", None, id="a-number-is-not-text"),
        pytest.param(field(), "bad \ud800", "wrong_type", None, id="text-that-cannot-be-sent"),
        pytest.param(
            field(type="list"), ["a", {"b": [1, None, True]}], "present", ["a", {"b": [1, None, True]}], id="list"
        ),
        pytest.param(field(type="list"), ("a",), "present", ["a"], id="tuple"),
        pytest.param(field(type="list"), [], "empty", [], id="empty-list"),
        pytest.param(field(type="list"), "ab", "wrong_type", None, id="text-is-not-a-list"),
        pytest.param(field(type="list"), {"a"}, "wrong_type", None, id="a-set-has-no-order"),
        pytest.param(field(type="list"), [object()], "wrong_type", None, id="an-item-that-is-not-json"),
        pytest.param(field(type="list"), [{1: "a"}], "wrong_type", None, id="a-key-that-is-not-text"),
        pytest.param(field(type="list"), [math.nan], "wrong_type", None, id="nan-in-a-list"),
        pytest.param(field(type="list"), DEEP, "wrong_type", None, id="a-list-in-itself"),
        pytest.param(field(type="number"), 0, "present", 0, id="zero-is-a-number"),
        pytest.param(field(type="number", bound=1), 123456.5, "present", 123456.5, id="a-bound-is-inert-for-numbers"),
        pytest.param(field(type="number"), True, "wrong_type", None, id="true-is-not-a-number"),
        pytest.param(field(type="number"), "1", "wrong_type", None, id="text-is-not-a-number"),
        pytest.param(field(type="number"), math.inf, "wrong_type", None, id="infinity"),
        pytest.param(field(type="number"), 10**400, "wrong_type", None, id="larger-than-any-float"),
        pytest.param(field(type="bool"), False, "present", False, id="false-is-present"),
        pytest.param(field(type="bool"), 0, "wrong_type", None, id="zero-is-not-false"),
    ],
)
def test_a_value_is_shown_as_declared_or_not_at_all(
    declared: FrameField, value: object, status: str, shown: object
) -> None:
    """The status says which, and no value is converted into another type."""
    entry = only(build(declared, cells={"note": value}))

    assert (entry.status, entry.value) == (status, shown)
    assert entry.truncated is None
    assert not entry.defaulted


@pytest.mark.parametrize("cells", [pytest.param({}, id="missing"), pytest.param({"note": None}, id="none")])
@pytest.mark.parametrize(
    ("declared", "status", "shown", "defaulted"),
    [
        pytest.param(field(), "unfilled", None, False, id="a-cell"),
        pytest.param(field(projection="p"), "unfilled", None, False, id="a-projection-that-promises-nothing"),
        pytest.param(field(projection="p", may_be_absent=True), "absent", None, False, id="may-be-absent"),
        pytest.param(field(projection="p", default="none", has_default=True), "present", "none", True, id="promise"),
        pytest.param(field(projection="p", default="", has_default=True), "present", "", True, id="empty-promise"),
        pytest.param(field(type="list", projection="p", default=(), has_default=True), "present", [], True, id="list"),
        pytest.param(field(projection="p", default=3, has_default=True), "wrong_type", None, True, id="broken-promise"),
    ],
)
def test_nothing_to_show_is_told_apart(
    cells: Mapping[str, object], declared: FrameField, status: str, shown: object, defaulted: bool
) -> None:
    """Unfilled, absent and a promised default are three different things, and a projection is not called for None."""
    entry = only(build(declared, cells=cells, projections={"p": _raise}))

    assert (entry.status, entry.value, entry.defaulted) == (status, shown, defaulted)


def _raise(value: object) -> object:
    raise LookupError(value)


def test_a_projection_without_anything_to_show_keeps_its_promise() -> None:
    """None from a projection means the same as a missing cell."""
    declared = field(projection="p", default="unknown", has_default=True)

    entry = only(build(declared, cells={"note": "x"}, projections={"p": lambda _: None}))

    assert (entry.status, entry.value, entry.defaulted) == ("present", "unknown", True)


def test_a_projection_that_raises_is_a_gap_and_not_a_crash() -> None:
    """The promise covers nothing to show, not a failure."""
    declared = field(projection="p", default="fine", has_default=True)

    entry = only(build(declared, cells={"note": "x"}, projections={"p": _raise}))

    assert (entry.status, entry.value, entry.defaulted) == ("wrong_type", None, False)


def test_a_projection_that_is_not_supplied_is_an_error() -> None:
    """A field is never shown raw because its projection is missing."""
    with pytest.raises(FrameError, match="projection `p` of field `note` is not supplied"):
        build(field(projection="p"), cells={"note": "x"})


def test_the_reserved_key_cannot_be_a_field() -> None:
    """Host text under that key would be read as tool output."""
    with pytest.raises(FrameError, match="field `untrusted_tool_output`"):
        build(field(UNTRUSTED), cells={})


def test_tool_fields_are_sent_apart_and_unchanged() -> None:
    """Provenance is told by place, never by marks inside a value; lists count too."""
    frame = build(
        field("out", provenance="tool"),
        field("task", provenance="caller"),
        field("files", "list", provenance="tool"),
        field("draft", provenance="model"),
        field("gone"),
        cells={"out": "ok", "task": "go", "files": ["a"], "draft": "d"},
    )

    assert frame.sent == {"task": "go", "draft": "d", UNTRUSTED: {"out": "ok", "files": ["a"]}}
    assert [entry.key for entry in frame.entries] == ["out", "task", "files", "draft", "gone"]


def test_a_frame_without_tool_fields_has_no_untrusted_key() -> None:
    """The key says that there is tool output."""
    assert build(field(), cells={"note": "x"}).sent == {"note": "x"}


def test_a_frame_does_not_change_with_the_state() -> None:
    """What was recorded is what was sent."""
    inner = {"a": [1]}
    state = {"note": [inner]}

    frame = build(field(type="list"), cells=state)
    inner["a"].append(2)
    state["note"].append({"b": []})

    assert frame.sent == {"note": [{"a": [1]}]}


def test_a_long_text_is_cut_head_first_and_says_so() -> None:
    """The ellipsis stands inside the bound."""
    entry = only(build(field(bound=5), cells={"note": "abcdefgh"}))

    assert (entry.value, entry.truncated) == ("abcd" + ELLIPSIS, (8, 5))


def test_a_promise_is_cut_to_the_bound_too() -> None:
    """A default is no way around a bound."""
    declared = field(bound=4, projection="p", default="none yet", has_default=True)

    entry = only(build(declared, cells={}, projections={"p": _raise}))

    assert (entry.value, entry.truncated, entry.defaulted) == ("non" + ELLIPSIS, (8, 4), True)


@given(text=st.text(max_size=40), bound=st.integers(1, 30))
def test_clipping_is_idempotent_and_within_the_bound(text: str, bound: int) -> None:
    """Cutting twice is cutting once, and nothing short is touched."""
    cut = clip(text, bound)

    assert len(cut) <= bound
    assert clip(cut, bound) == cut
    assert (cut == text) is (len(text) <= bound)


@given(
    items=st.lists(st.one_of(st.text(max_size=5), st.integers(), st.booleans()), max_size=12), bound=st.integers(1, 8)
)
def test_a_list_is_cut_to_its_first_items(items: list[object], bound: int) -> None:
    """The bound counts items; items are never rewritten."""
    entry = only(build(field(type="list", bound=bound), cells={"note": items}))

    assert entry.value == items[:bound]
    assert entry.truncated == ((len(items), bound) if len(items) > bound else None)


JSONISH = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(), st.binary(), st.dates()),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(st.one_of(st.text(), st.integers()), inner)),
    max_leaves=10,
)


@given(value=JSONISH, kind=st.sampled_from(["text", "list", "number", "bool"]), bound=st.integers(1, 6))
def test_any_state_gives_a_frame(value: object, kind: CellType, bound: int) -> None:
    """No value a host holds stops a frame, exceeds its bound or goes out unmarked."""
    entry = only(frame := build(field(type=kind, bound=bound, provenance="tool"), cells={"note": value}))

    if entry.status in ("present", "empty"):
        assert frame.sent == {UNTRUSTED: {"note": entry.value}}
    else:
        assert (entry.value, frame.sent) == (None, {})
    if isinstance(entry.value, str | list):
        assert len(entry.value) <= bound
