"""No model reads of, and no reply can set, what Python fills: over generated functions and every consumer there is."""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from interlock import Runtime
from interlock.decision import Pick, make, pick, render_options
from interlock.errors import DecisionError
from interlock.functions import form_model, form_models_from_source, read_form, tool_spec
from interlock.menu import read_options
from interlock.menu.reply_schema import reply_schema
from interlock.testing import ScriptedModel

VISIBLE = ("apple", "bread", "cheese")
HIDDEN = ("hid_session", "hid_tenant", "hid_cursor")
INJECTED = ("runtime", "exec_runtime", "review_runtime")
BOUND = ("bound_region", "bound_limit")
SECRET = "SECRET-VALUE-OF-"
EVIL = "EVIL"

GOOD: Mapping[str, object] = {
    "str": "text", "int": 3, "float": 1.5, "list[int]": [1], "bool": True, "int | None": None, "dict[str, str]": {},
}  # fmt: skip


@dataclass(frozen=True)
class Param:
    name: str
    role: str
    """`visible`, `hidden`, `injected` or `bound`."""
    annotation: str
    has_default: bool
    keyword_only: bool

    def written(self) -> str:
        default = f" = {SECRET + self.name!r}" if self.has_default and self.role != "visible" else " = None"
        return f"{self.name}: {self.annotation}" + (default if self.has_default else "")


@dataclass(frozen=True)
class Made:
    """One generated function, wrapped as an author may wrap it."""

    params: tuple[Param, ...]
    source: str
    fn: Callable[..., Any]

    def of(self, role: str) -> list[Param]:
        return [param for param in self.params if param.role == role]


def params(role: str, names: tuple[str, ...]) -> st.SearchStrategy[list[Param]]:
    kinds = st.sampled_from(sorted(GOOD)) if role == "visible" else st.sampled_from(["str", "Opaque", "'Nowhere'"])
    one = st.builds(
        Param, name=st.sampled_from(names), role=st.just(role), annotation=kinds, has_default=st.booleans(),
        keyword_only=st.booleans(),
    )  # fmt: skip
    return st.lists(one, max_size=len(names), unique_by=lambda param: param.name)


@st.composite
def functions(draw: st.DrawFn) -> Made:
    listed = [
        *draw(params("visible", VISIBLE)), *draw(params("hidden", HIDDEN)),
        *draw(params("injected", INJECTED)), *draw(params("bound", BOUND)),
    ]  # fmt: skip
    listed = draw(st.permutations(listed))
    listed = sorted(listed, key=lambda param: (param.keyword_only, param.has_default and not param.keyword_only))
    first_keyword = next((at for at, param in enumerate(listed) if param.keyword_only), None)
    written = [param.written() for param in listed]
    if first_keyword is not None:
        written.insert(first_keyword, "*")
    said: dict[str, dict[str, object]] = {param.name: {"hidden": True} for param in listed if param.role == "hidden"}
    said |= {param.name: {"description": "Say it."} for param in listed if param.role == "visible"}
    source = (
        f"class Opaque: ...\n\ndef make_it({', '.join(written)}):\n    '''Make it.'''\n    return dict(locals())\n\n"
        f"make_it.input_meta = {said!r}\n"
    )
    space: dict[str, Any] = {"__name__": "made"}
    exec(compile(source, "made.py", "exec", dont_inherit=True), space)
    fn: Callable[..., Any] = space["make_it"]
    bound = {param.name: SECRET + param.name for param in listed if param.role == "bound"}
    if bound:
        fn = functools.partial(fn, **bound)
    if draw(st.booleans()):
        fn = _wrapped(fn)
    return Made(params=tuple(listed), source=source, fn=fn)


def _wrapped(fn: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(fn)
    def inner(*args: object, **kwargs: object) -> object:
        return fn(*args, **kwargs)

    return inner


def context(made: Made) -> dict[str, str]:
    return {param.name: SECRET + param.name for param in made.of("hidden")}


def reply(made: Made, *, fits: bool) -> str:
    """A pick that also writes every name it should not know."""
    args = {param.name: GOOD[param.annotation] if fits else object for param in made.of("visible")}
    args = {name: value if fits else ["no"] for name, value in args.items()}
    args |= dict.fromkeys((*HIDDEN, *INJECTED, *BOUND), EVIL)
    return json.dumps({"call": "option", "args": args, **dict.fromkeys(HIDDEN, EVIL)})


def told(text: str) -> list[str]:
    """The names and values of what Python fills that stand as words in a text."""
    found = [name for name in (*HIDDEN, *INJECTED, *BOUND) if re.search(rf"(?<!\w){name}(?!\w)", text)]
    return found + ([SECRET] if SECRET in text else [])


def without_replies(error: DecisionError[Any]) -> str:
    """Everything an error says, but for what the model itself wrote."""
    attempts = [{**asdict(attempt), "reply": None} for attempt in error.attempts]
    return repr((str(error).partition("; last reply: ")[0], error.kind, attempts, error.options))


@given(made=functions())
@settings(max_examples=60, deadline=None)
def test_no_consumer_tells_what_python_fills(made: Made) -> None:
    options = {"option": made.fn, "other": "O"}
    form = form_model(made.fn)

    assert told(render_options(options)) == []
    assert told(json.dumps(tool_spec(made.fn))) == []
    assert told(json.dumps(reply_schema(read_options(options)))) == []
    assert told(repr(form)) == []
    assert told(repr(read_form(made.fn, dict.fromkeys((*HIDDEN, *INJECTED, *BOUND, *VISIBLE), EVIL)))) == []


@given(made=functions())
@settings(max_examples=30, deadline=None)
def test_no_form_from_source_tells_it(made: Made, tmp_path_factory: pytest.TempPathFactory) -> None:
    path = Path(tmp_path_factory.mktemp("leaks")) / "made.py"
    path.write_text(made.source.replace("bound_", "hid_"), encoding="utf-8")
    forms = form_models_from_source(path)

    fields = [field.name for model in forms.models for field in model.fields]
    assert fields == [
        param.name.replace("bound_", "hid_") for param in made.params if param.role in ("visible", "bound")
    ]
    assert [name for name in told(repr(forms)) if name != SECRET] == []


@given(made=functions(), wrong_first=st.booleans())
@settings(max_examples=60, deadline=None)
def test_no_reply_can_set_it_and_no_request_tells_it(made: Made, wrong_first: bool) -> None:
    """The values are those of context, partial, Runtime and default, whatever the model wrote."""
    replies = [reply(made, fits=True)]
    if wrong_first and made.of("visible"):
        replies.insert(0, '{"call": "option", "args": {"apple": {}, "bread": {}, "cheese": {}}}')
    model = ScriptedModel(replies)
    runtime = Runtime(model)

    result = make("Pick one.", {"option": made.fn, "other": "O"}, runtime=runtime, context=context(made))

    for param in made.params:
        if param.role in ("hidden", "bound"):
            assert result[param.name] == SECRET + param.name
        elif param.role == "injected":
            assert result[param.name] is runtime
        else:
            assert result[param.name] == GOOD[param.annotation]
    assert EVIL not in repr(result)
    assert all(told(repr(request)) == [] for request in model.requests)


@given(made=functions())
@settings(max_examples=30, deadline=None)
def test_no_error_and_no_pick_tells_it(made: Made) -> None:
    runtime = Runtime(ScriptedModel([reply(made, fits=False)]))
    options = {"option": made.fn, "other": "O"}
    if made.of("visible"):
        with pytest.raises(DecisionError, match=r"decision failed after 2 attempts") as failed:
            make("Pick one.", options, runtime=runtime, context=context(made))
        assert told(without_replies(failed.value)) == []

    picked: Pick = pick(
        "Pick one.", options, runtime=Runtime(ScriptedModel([reply(made, fits=True)])), context=context(made)
    )
    assert told(repr(picked)) == []
    assert picked.args.keys() <= set(VISIBLE)
