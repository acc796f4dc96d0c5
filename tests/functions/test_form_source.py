"""Forms from source alone: the same as from live functions, and a warning where the source does not tell."""

from __future__ import annotations

import importlib.util
import inspect
import itertools
import sys
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from interlock import Agent
from interlock.functions import FormModel, SourceForms, form_model, form_models_from_source

HEAD = """
import enum
import typing as t
from datetime import date
from enum import auto
from typing import Annotated, Any, Dict, List, Literal, Optional, Union
from typing import Optional as Maybe
import pydantic
from interlock import Agent
"""

MODULE = (
    HEAD
    + '''
SIZE = 10
LEVELS = SIZE
_UNSET = object()

class Color(enum.Enum):
    """Colors."""

    RED = "red"
    BLUE = "blue"
    ALSO_RED = "red"
    _secret = 3

class Mode(enum.StrEnum):
    FAST = auto()
    SLOW = "slowly"

class Number(enum.IntEnum):
    ONE = enum.auto()
    TWO = enum.auto()

class Mixed(enum.Enum):
    A = 1
    B = "b"
    C = 2
    D = None

Speed = Literal["slow", "fast"]
Pick = Speed | Color

class Writer(Agent):
    method_options = {
        "polish": {
            "tool": True,
            "name": "polish_text",
            "description": "Make a text better.",
            "input": {
                "text": {"description": "Text to polish.", "placeholder": "Paste it", "multiline": True},
                "style": {"options": ["academic", "casual"], "description": "Which " "style"},
                "size": {"options": ["5", 10]},
                "ratio": {"options": [1, "2.5"]},
                "helper": {"options_from": "functions"},
                "session": {"hidden": True},
            },
        },
        "_kept": {"tool": True},
    }

    def polish(self, text: str, style: str, size: int, ratio: float = 0.5, helper: str = "", show: bool = True,
               session: str = "s", runtime=None) -> str:
        """Never the summary.

        Polish.
        """

    async def later(self, color: Color = Color.RED, mode: Mode = Mode.SLOW, number: "Number" = Number.TWO,
                    mixed: Optional[Mixed] = None, speed: Speed = "slow", pick: Pick = "fast"):
        """Later,
        in two lines.

        Not in this one.
        """

    def _kept(self, x):
        "Kept."

    def _private(self, x):
        "Not offered."

    @staticmethod
    def static(x): "Not a method."

    @property
    def prop(self): "Not a method."

    def stream(self):
        "A generator."
        yield 1

    def typed(self, a: t.List[int], b: Dict[str, "Color"], c: Union[int, str, None], d: Maybe[Annotated[int, "x"]],
              e: Literal["a", 1, True, None], f: Literal[Color.RED], g: tuple[int, ...], h: Any,
              i: "Optional[List[int]]", j: date, k: Annotated[bool, 1], l: int | (str | None),
              m: Literal[Literal["x"], "y"], n: Optional[Union[int, str]], o: None, p: list, q: t.Dict[str, t.Any],
              r: bool | None) -> None: ...

    def defaults(self, a=SIZE, b=-1, c=(1, 2), d={"k": [1]}, e=_UNSET, f="_x", g=None, h=LEVELS, *, i: float = 1.5,
                 j=True, k="", l=[]): "Defaults."

class Editor(Writer):
    method_options = dict(polish=dict(input={"text": {"multiline": False}, "session": dict(hidden=True)}))

    def later(self, x: int): ...

class Untold(Agent):
    def ask(self, q): "Ask."

def plain(q: str, /, n: int = 3, *rest: int, secret: str = "s", **more: str) -> str:
    """Plain one."""

plain.input_meta: dict = {"q": {"description": "What", "multiline": False}, "secret": {"hidden": True}}

def unsaid(q): "Has no metadata."
'''
)

_NUMBER = itertools.count()


def loaded(text: str, folder: Path) -> tuple[types.ModuleType, SourceForms]:
    """The module that a source is, and its forms read without importing it."""
    path = folder / f"form_source_{next(_NUMBER)}.py"
    path.write_text(text, encoding="utf-8")
    forms = form_models_from_source(path)
    assert path.stem not in sys.modules
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return module, forms


def live_forms(module: types.ModuleType) -> list[FormModel]:
    """The forms of everything that a module offers, by line."""
    offered: list[tuple[int, str, Callable[..., Any]]] = []
    for name, item in vars(module).items():
        if inspect.isclass(item) and issubclass(item, Agent) and item is not Agent:
            own = [key for key, value in vars(item).items() if hasattr(value, "interlock_method_options")]
            told = [key for key in own if not key.startswith("_") or key in item.method_options]
            offered += [(_line(getattr(item, key)), name, getattr(item(), key)) for key in told]
        elif inspect.isfunction(item) and hasattr(item, "input_meta"):
            offered.append((_line(item), "", item))
    return [form_model(fn) for *_, fn in sorted(offered, key=lambda entry: entry[:2])]


def _line(fn: Callable[..., Any]) -> int:
    return int(inspect.unwrap(fn).__code__.co_firstlineno)


def test_both_readers_give_the_same_forms(tmp_path: Path) -> None:
    module, forms = loaded(MODULE, tmp_path)

    assert forms.warnings == ()
    assert list(forms.models) == live_forms(module)
    names = [model.name for model in forms.models]
    assert names == ["polish_text", "polish_text", "later", "_kept", "typed", "defaults", "later", "ask", "plain"]


def test_string_annotations_read_alike(tmp_path: Path) -> None:
    module, forms = loaded("from __future__ import annotations\n" + MODULE, tmp_path)

    assert forms.warnings == ()
    assert list(forms.models) == live_forms(module)


TYPES = st.recursive(
    st.sampled_from(["int", "str", "float", "bool", "Any", "None", "date", "Literal['a', 2]", "t.List[int]", "'int'"]),
    lambda inner: st.one_of(
        inner.map(lambda item: f"Optional[{item}]"),
        inner.map(lambda item: f"list[{item}]"),
        inner.map(lambda item: f"Annotated[{item}, 'x']"),
        st.tuples(inner, inner).map(lambda pair: f"Union[{pair[0]}, {pair[1]}]"),
        st.tuples(inner, inner).map(lambda pair: f"Dict[str, {pair[1]}]"),
    ),
    max_leaves=4,
)
DEFAULTS = st.one_of(
    st.none(), st.booleans(), st.integers(-9, 9), st.text("_aé'\"\\\n", max_size=4), st.just([1]), st.just({"k": 1.5})
)
SAID = st.fixed_dictionaries(
    {},
    optional={
        "description": st.text("ab é\n", min_size=1, max_size=6),
        "placeholder": st.text("ab", max_size=3),
        "multiline": st.booleans(),
        "hidden": st.booleans(),
        "options_from": st.just("functions"),
    },
)
PARAMS = st.lists(st.tuples(TYPES, st.just(...) | DEFAULTS, SAID), max_size=5)


@given(params=PARAMS)
@settings(max_examples=80, deadline=None)
def test_any_function_reads_alike(params: list[tuple[str, Any, dict[str, Any]]], tmp_path_factory: Any) -> None:
    written = [
        f"x{at}: {kind}" + ("" if default is ... else f" = {default!r}") for at, (kind, default, _) in enumerate(params)
    ]
    said = {f"x{at}": keys for at, (*_, keys) in enumerate(params)}
    text = HEAD + f'def fn(*, {", ".join(written)}):\n    """Do it."""\n' if written else HEAD + "def fn(): ...\n"

    module, forms = loaded(text + f"fn.input_meta = {said!r}\n", tmp_path_factory.mktemp("forms"))

    assert forms.warnings == ()
    assert list(forms.models) == [form_model(module.fn)]


@pytest.mark.parametrize(
    ("text", "line", "message", "models"),
    [
        pytest.param("def f(:\n", 1, "the file is not Python", 0, id="no-python"),
        pytest.param("x = '\0'\n", 1, "the file is not Python", 0, id="a-null-byte"),
        pytest.param("x = 1" + " + 1" * 100_000, 1, "the file is not Python", 0, id="nested-beyond-all-bounds"),
        pytest.param(
            "def f(x: 'no type'): ...\nf.input_meta = {}\n", 1, "`no type`, the type of `x`", 1, id="text-for-a-type"
        ),
        pytest.param(
            "from x import Color\ndef f(x: Callable[[int], Color], y: Color | None): ...\nf.input_meta = {}\n", 2,
            "`Color`, the type of `y`", 1, id="a-type-inside-another",
        ),
        pytest.param("def f(x): ...\nf.input_meta = META\n", 2, "`input_meta` of `f` is not a literal", 0, id="a-name"),
        pytest.param(
            "def f(x): ...\nf.input_meta = {\n  'x': build()}\n", 3, "what it says of `x` is not a literal dict", 0,
            id="a-call-for-a-parameter",
        ),
        pytest.param("def f(x): ...\nf.input_meta = {**META}\n", 2, "is not a literal dict", 0, id="a-spread"),
        pytest.param(
            "def f(x): ...\nf.input_meta = {'x': {'hidden': FLAG}}\n", 2, "`hidden` is not a literal", 0,
            id="whether-hidden",
        ),
        pytest.param(
            "def f(x): ...\nf.input_meta = {'x': {'description': 'a' + B}}\n", 2, "`description` is not a literal", 1,
            id="a-description",
        ),
        pytest.param(
            "def f(x): ...\nf.input_meta = {}\nf.input_meta['x'] = {}\n", 3, "is changed in place", 0, id="by-parts"
        ),
        pytest.param("build().input_meta = {}\n", 1, "belongs to no function of this file", 0, id="no-function"),
        pytest.param(
            "def f():\n    def g(x): ...\n    g.input_meta = {}\n", 3, "inside another definition", 0, id="inside"
        ),
        pytest.param(
            "def f():\n    class A(Agent):\n        def g(self, x): ...\n", 2, "stands inside another definition", 0,
            id="a-class-inside",
        ),
        pytest.param(
            "class A(Agent):\n    method_options = OPTIONS\n    def f(self, x): ...\n", 2,
            "`method_options` of `A` is not a literal dict", 0, id="options-by-name",
        ),
        pytest.param(
            "class A(Agent):\n    method_options = {'f': build(1)}\n    def f(self, x): ...\n    def g(self): ...\n", 2,
            "the entry of `f` is not a literal dict", 1, id="one-entry",
        ),
        pytest.param(
            "class A(Agent):\n    method_options = {}\n    method_options['f'] = {}\n    def f(self, x): ...\n", 3,
            "is not a literal dict", 0, id="an-entry-later",
        ),
        pytest.param(
            "class A(Agent):\n    method_options = {}\n    method_options |= {}\n    def f(self, x): ...\n", 3,
            "is not a literal dict", 0, id="options-added",
        ),
        pytest.param(
            "class A(Agent):\n    method_options = {}\n    method_options.update({})\n    def f(self, x): ...\n", 3,
            "is not a literal dict", 0, id="options-updated",
        ),
        pytest.param(
            "class A(Agent):\n    method_options = {'f': {'input': INPUT}}\n    def f(self, x): ...\n", 2,
            "`input` of `A.f` is not a literal dict", 0, id="input-by-name",
        ),
        pytest.param(
            "class A(Agent):\n    method_options = {'f': {'description': TEXT}}\n    def f(self, x): ...\n", 2,
            "`description` of `f` is not a literal", 1, id="a-summary",
        ),
        pytest.param(
            "from x import Base\nclass A(Base):\n    method_options = {'f': {}}\n    def f(self, x): ...\n", 2,
            "the base `Base` is not defined in this file", 0, id="a-base-elsewhere",
        ),
        pytest.param(
            "from x import Base\nclass A(Base):\n    method_options = {'f': {'input': {}}}\n    def f(self): ...\n", 2,
            "the base `Base` is not defined in this file", 1, id="a-base-elsewhere-whose-input-is-replaced",
        ),
        pytest.param(
            "from x import Color\ndef f(x: Color): ...\nf.input_meta = {}\n", 2, "`Color`, the type of `x`", 1,
            id="a-type-elsewhere",
        ),
        pytest.param(
            "def f(x: int = limit()): ...\nf.input_meta = {}\n", 1, "the default of `x` is not a literal", 1,
            id="a-default",
        ),
        pytest.param(
            "import enum\nclass E(enum.Enum):\n    A = build()\ndef f(x: E = E.A): ...\nf.input_meta = {}\n", 4,
            "the default of `x` is not a literal", 1, id="an-enum-of-calls",
        ),
    ],
)  # fmt: skip
def test_what_the_source_does_not_tell_is_a_warning(
    tmp_path: Path, text: str, line: int, message: str, models: int
) -> None:
    """A form is left out where a hidden parameter might be shown in it."""
    path = tmp_path / "a.py"
    path.write_text(text, encoding="utf-8")

    forms = form_models_from_source(path)

    assert [item.line for item in forms.warnings] == [line]
    assert message in forms.warnings[0].message
    assert len(forms.models) == models


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("from interlock import Agent as Base\nclass A(Base):\n    def ask(self, q): ...\n", id="renamed"),
        pytest.param("import interlock\nclass A(interlock.Agent):\n    def ask(self, q): ...\n", id="dotted"),
        pytest.param(
            "import abc, typing\nclass A(Agent, abc.ABC, typing.Generic[T]):\n    def ask(self, q): ...\n", id="mixed"
        ),
        pytest.param("class A(B): ...\nclass B(A, Agent):\n    def ask(self, q): ...\n", id="a-circle-of-bases"),
        pytest.param("if True:\n    class A(Agent):\n        def ask(self, q): ...\n", id="under-a-condition"),
        pytest.param("try:\n    x\nexcept E:\n    class A(Agent):\n        def ask(self, q): ...\n", id="in-a-handler"),
        pytest.param("A = B\nB = A\nclass A(Agent):\n    def ask(self, q: str = B): ...\n", id="a-circle-of-names"),
    ],
)
def test_an_agent_class_is_found(tmp_path: Path, text: str) -> None:
    path = tmp_path / "a.py"
    path.write_text(text, encoding="utf-8")

    forms = form_models_from_source(path)

    assert [(model.name, [field.name for field in model.fields]) for model in forms.models] == [("ask", ["q"])]


def test_a_file_is_decoded_as_python_decodes_it(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_bytes("# -*- coding: latin-1 -*-\ndef f(x): 'Größe.'\nf.input_meta = {}\n".encode("latin-1"))
    assert form_models_from_source(path).models[0].summary == "Größe."

    path.write_bytes(b"\xef\xbb\xbfdef f(x): 'S.'\nf.input_meta = {}\n")
    assert form_models_from_source(path).models[0].summary == "S."

    path.write_bytes(b"# \xff\n")
    assert form_models_from_source(path).warnings[0].message.startswith("the file is not Python")
