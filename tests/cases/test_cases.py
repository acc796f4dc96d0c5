"""The cases beside this file: decisions, menus and tool specs, one line of JSON each.

A case names a prelude of Python lines, an expression for its options, and what must hold. `status` says how firm it is:
`source` is stated by the documents the rules come from, `source-silent` was chosen, `beyond` goes further.
"""

from __future__ import annotations

import asyncio
import json
import pickle
import re
import sys
import time
import types
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from interlock import Agent, Runtime, agent, decision
from interlock.functions import tool_spec
from interlock.testing import ScriptedModel

HERE = Path(__file__).parent
PRELUDES: Mapping[str, list[str]] = json.loads((HERE / "preludes.json").read_text(encoding="utf-8"))
PROMPT = "Pick one option."
PATIENCE = 10
"""A busy machine gets this many times the limit of a case; `bench/reply_parsing.py` measures the limit itself."""

Case = dict[str, Any]


def cases(name: str) -> list[Any]:
    lines = (HERE / name).read_text(encoding="utf-8").splitlines()
    return [pytest.param(case, id=case["id"]) for case in map(json.loads, lines)]


@pytest.fixture
def space(case: Case) -> Iterator[dict[str, Any]]:
    """The names of a real module in which prelude, setup and source of a case have run."""
    module = types.ModuleType("case_" + re.sub(r"\W", "_", case["id"]))
    sys.modules[module.__name__] = module
    for part in ("\n".join(PRELUDES[case["prelude"]]), case.get("setup", ""), case.get("source", "")):
        exec(compile(part, module.__name__, "exec", dont_inherit=True), module.__dict__)  # a case is Python
    yield module.__dict__
    del sys.modules[module.__name__]


def as_json(value: object) -> object:
    """Tuples are lists, and a boolean is never equal to a number."""
    if isinstance(value, bool):
        return f"<{value}>"
    if isinstance(value, list | tuple):
        return [as_json(item) for item in value]
    return {key: as_json(item) for key, item in value.items()} if isinstance(value, dict) else value


def words(value: object) -> str:
    """Everything that a request shows a model."""
    if isinstance(value, Mapping):
        return "\n".join(map(words, value.values()))
    if isinstance(value, list | tuple):
        return "\n".join(map(words, value))
    names = getattr(type(value), "__dataclass_fields__", ())
    return "\n".join(words(getattr(value, name)) for name in names) if names else str(value)


def holds(text: str, expect: Case) -> None:
    for part in expect.get("contains", ()):
        assert part in text
    for part in expect.get("not_contains", ()):
        assert part not in text


def entered(case: Case, options: Any, runtime: Runtime, given: Mapping[str, Any]) -> Any:
    class Inner(Agent):
        def pick(self) -> Any:
            """Pick one option."""
            return decision.make(PROMPT, options, **given)

        def work(self) -> Any:
            """Work, then pick one option."""
            return agent(PROMPT, choices=options, **given)

    class Outer(Agent):
        def pick(self) -> Any:
            """Let another agent pick."""
            return Inner().pick()

    async def in_loop() -> Any:
        return decision.make(PROMPT, options, runtime=runtime, **given)

    entries: Mapping[str, Callable[[], Any]] = {
        "make": lambda: decision.make(PROMPT, options, runtime=runtime, **given),
        "make_unbound": lambda: decision.make(PROMPT, options, **given),
        "make_in_loop": lambda: asyncio.run(in_loop()),
        "amake": lambda: asyncio.run(decision.amake(PROMPT, options, runtime=runtime, **given)),
        "agent": lambda: agent(PROMPT, choices=options, runtime=runtime, **given),
        "agent_plain": lambda: agent(PROMPT, runtime=runtime),
        "make_in_method": lambda: Inner(runtime=runtime).pick(),
        "agent_in_method": lambda: Inner(runtime=runtime).work(),
        "make_in_nested_method": lambda: Outer(runtime=runtime).pick(),
    }
    return entries[case["entry"]]()


def fails_as_expected(expect: Case, error: BaseException) -> None:
    names = [owner.__name__ for owner in type(error).__mro__]
    assert any(re.fullmatch(expect["error"], name) for name in names), repr(error)
    assert not any(re.fullmatch(expect.get("not_error", "$^"), name) for name in names)
    assert re.search(expect.get("match", ""), str(error), re.DOTALL), str(error)
    for path, want in expect.get("attrs", {}).items():
        known = {name: getattr(error, name) for name in dir(error)}
        copy = pickle.loads(pickle.dumps(error))
        assert as_json(eval(path, {"__builtins__": {"len": len}}, {**known, "pickled": copy})) == as_json(want), path


@pytest.mark.filterwarnings("ignore:.*an empty dict is a text field")
@pytest.mark.parametrize("case", cases("next_step.jsonl"))
def test_a_decision_comes_out_as_the_case_says(case: Case, space: dict[str, Any]) -> None:
    expect = case["expect"]
    options = None if case["options"] is None else eval(case["options"], space)
    given = {key: eval(case[key], space) for key in ("context", "fallback") if case.get(key) is not None}
    given |= {key: case[key] for key in ("max_retries",) if key in case}
    model = ScriptedModel([eval(item["py"]) if isinstance(item, dict) else item for item in case["replies"]])
    started = time.perf_counter()
    if "error" in expect:
        with pytest.raises(Exception, match=r".") as raised:
            entered(case, options, Runtime(model), given)
        fails_as_expected(expect, raised.value)
    else:
        result = entered(case, options, Runtime(model), given)
        assert "result" not in expect or as_json(result) == as_json(expect["result"])
        assert eval(expect.get("check", "True"), {"result": result})

    assert time.perf_counter() - started < PATIENCE * expect.get("max_secs", 1)
    assert len(model.requests) == expect.get("calls", len(model.requests))
    for sent in expect.get("sent", ()):
        text = words(model.requests[sent["index"]])
        holds(text, sent)
        has_instruction = decision.DECISION_FINISH_INSTRUCTION in text
        assert has_instruction == sent.get("finish", has_instruction)


@pytest.mark.parametrize("case", cases("menu.jsonl"))
def test_a_menu_reads_as_the_case_says(case: Case, space: dict[str, Any]) -> None:
    menu = decision.render_options(eval(case["options"], space))

    assert menu == case["expect"].get("equals", menu)
    holds(menu, case["expect"])


@pytest.mark.parametrize("case", cases("tool_spec.jsonl"))
def test_a_tool_spec_is_as_the_case_says(case: Case, space: dict[str, Any]) -> None:
    expect = case["expect"]
    function = space[case["function"]]
    function.input_meta = case.get("input_meta", {})

    spec = json.loads(json.dumps(tool_spec(function)))

    assert spec.keys() == {"name", "description", "parameters"}
    assert_holds({key: want for key, want in expect.items() if not key.startswith("_")}, spec)
    for word in expect.get("_absent", ()):
        assert not re.search(rf"(?<![\w$]){re.escape(word)}(?!\w)", json.dumps(spec, ensure_ascii=False)), word
    for path in expect.get("_absent_paths", ()):
        node: Any = spec
        for key in path.split("."):
            node = node.get(key) if isinstance(node, dict) else None
        assert node is None, path


def assert_holds(want: object, got: object) -> None:
    """An object holds when each of its keys does; everything else is equal."""
    if isinstance(want, dict) and isinstance(got, dict):
        for key, value in want.items():
            assert key in got
            assert_holds(value, got[key])
    else:
        assert as_json(want) == as_json(got)
