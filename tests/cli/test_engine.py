"""`interlock engine` from outside: what it prints where, how it ends, and that bad input is one sentence."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from interlock.cli.main import main
from interlock.journal.place import read_journal

TOOLS = '''
__all__ = ["look", "search"]


def search(query: str) -> str:
    """Search the web."""
    if query == "bad":
        raise ConnectionError("no route")
    return f"page about {query}"


def look() -> str:
    """Look around."""
    return "a desk"


def hidden() -> str:
    """Is not offered."""
    return "x"


EMPTY = None
'''


def said(action: str, final: str | None = None, *, tool: str | None = None, given: Any = None) -> str:
    return json.dumps({"action": action, "tool": tool, "tool_input": given, "final": final}, ensure_ascii=False)


CALL = said("tool_call", tool="search", given={"query": "桥"})
DONE = said("finish", "建于1932年 (search#1)。")

Interlock = Callable[..., tuple[int, str, str]]


@pytest.fixture
def interlock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Interlock:
    """Return what runs a verb in a directory with tools, with the replies of a script."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tools.py").write_text(TOOLS, encoding="utf-8")

    def run(*args: object, replies: list[str] | None = None) -> tuple[int, str, str]:
        (tmp_path / "replies.json").write_text(json.dumps(replies or ["x"]), encoding="utf-8")
        result = CliRunner().invoke(main, ["engine", *map(str, args), "--journal", "journal.db"])
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        return result.exit_code, result.stdout, result.stderr

    return run


MODEL = ("--model", "scripted:replies.json", "--retries", 0)


def one_sentence(err: str) -> str:
    (line,) = err.splitlines()
    assert line.startswith("interlock: ")
    return line


def test_the_answer_goes_to_stdout_and_the_trace_to_stderr(interlock: Interlock) -> None:
    code, out, err = interlock("桥是什么时候建的？", "--tools", "tools.py", *MODEL, replies=[CALL, DONE])

    assert (code, out) == (0, "建于1932年 (search#1)。\n")
    lines = err.splitlines()
    assert lines[0].startswith("prompts decision_engine@1.1  web_research@1.0  state_schema@1.0  mode text")
    assert "tool_call" in lines[1]
    assert '→ search {"query":"桥"}' in lines[2]
    assert "← page about 桥" in lines[3]
    assert lines[5].startswith("finish: 2 decisions, 1 tool call, 2 model calls, about ")
    assert lines[6].startswith("run ")


def test_json_has_the_keys_of_a_result(interlock: Interlock) -> None:
    code, out, err = interlock("桥？", "--tools", "tools.py", *MODEL, "--json", replies=[CALL, DONE])
    result = json.loads(out)

    assert (code, err) == (0, "")
    assert (result["halt"], result["answer"]) == ("finish", "建于1932年 (search#1)。")
    assert [item["action"] for item in result["actions"]] == ["tool_call", "finish"]
    assert [item["id"] for item in result["observations"]] == ["search#1"]
    with read_journal("journal.db") as view:
        head = view.head(result["run_id"])
    assert head is not None
    assert head.hash == result["head"]


@pytest.mark.parametrize(
    ("replies", "code", "said_on_stderr"),
    [
        pytest.param(
            [said("ask_user", "Which bridge?")], 4, "not delivered (ask_user): Which bridge?", id="a-question"
        ),
        pytest.param(["no object"], 4, "I could not form a valid action.", id="the-fallback"),
        pytest.param([CALL], 4, "not delivered (breaker:same_result)", id="a-breaker"),
    ],
)
def test_a_run_without_an_answer_ends_with_4(
    replies: list[str], code: int, said_on_stderr: str, interlock: Interlock
) -> None:
    found, out, err = interlock("Which?", "--tools", "tools.py", *MODEL, "--max-tool-calls", 9, replies=replies)

    assert (found, out) == (code, "")
    assert said_on_stderr in err


@pytest.mark.parametrize(
    ("limit", "halt"),
    [
        pytest.param(("--max-steps", 1), "max_steps", id="steps"),
        pytest.param(("--max-tool-calls", 0), "max_tool_calls", id="tool-calls"),
        pytest.param(("--max-tokens", 1), "max_tokens", id="tokens"),
        pytest.param(("--max-cost-usd", "0.01"), "max_cost_usd", id="cost"),
        pytest.param(("--max-cost-usd", "0.0001", "--prices", "1", "2"), "max_cost_usd", id="priced"),
    ],
)
def test_each_limit_is_named(limit: tuple[object, ...], halt: str, interlock: Interlock) -> None:
    code, out, _ = interlock("g", "--tools", "tools.py", *MODEL, *limit, "--json", replies=[CALL, DONE])

    assert code == 4
    assert json.loads(out)["halt"] == halt


def test_tools_are_those_that_the_module_lists(interlock: Interlock) -> None:
    _, out, _ = interlock("g", "--tools", "tools.py:look", *MODEL, "--json", replies=[said("tool_call", tool="search")])
    one = json.loads(out)
    interlock("g", "--tools", "tools.py", *MODEL, replies=["x"])
    with read_journal("journal.db") as view:
        names = [json.loads(next(iter(view.rows(run, ["engine_started"]))).body)["tools"] for run in view.run_ids()]

    assert one["actions"][0]["fallback"]
    assert names == [["look"], ["look", "search"]]


def test_a_run_again_has_the_same_prompts(interlock: Interlock, tmp_path: Path) -> None:
    """Even when the registry has moved on meanwhile."""
    roles = tmp_path / "prompts" / "roles"
    roles.mkdir(parents=True)
    (roles / "web_research_v2.0.txt").write_text("You are terse.", encoding="utf-8")
    CliRunner().invoke(main, ["prompts", "publish", "web_research@2.0", "--label", "production"])
    interlock("桥？", "--tools", "tools.py", *MODEL, "--mode", "json", replies=[CALL, DONE])
    shutil.rmtree(tmp_path / "prompts")
    code, out, err = interlock("--rerun", "last", replies=[CALL, DONE])

    assert (code, out) == (0, "建于1932年 (search#1)。\n")
    assert err.splitlines()[0].startswith("prompts decision_engine@1.1  web_research@2.0  state_schema@1.0  mode json")
    with read_journal("journal.db") as view:
        layers = [json.loads(next(iter(view.rows(run, ["action"]))).body)["layers"] for run in view.run_ids()]
    assert layers[0] == layers[1]


@pytest.mark.parametrize(
    ("args", "message"),
    [
        pytest.param((), "give a goal, or --rerun RUN", id="nothing"),
        pytest.param(("g", "--rerun", "last"), "and not both", id="both"),
        pytest.param((" ", *MODEL), "goal: is empty", id="empty-goal"),
        pytest.param(("g",), "no text model: name one with --model", id="no-model"),
        pytest.param(("g", *MODEL, "--tools", "nope.py"), "--tools nope.py: no such file", id="no-file"),
        pytest.param(("g", *MODEL, "--tools", "no_such_module"), "no module `no_such_module`", id="no-module"),
        pytest.param(("g", *MODEL, "--tools", "tools.py:nope"), "the module has no `nope`", id="no-name"),
        pytest.param(("g", *MODEL, "--tools", "tools.py:EMPTY"), "the module has no `EMPTY`", id="nothing-in-it"),
        pytest.param(("g", *MODEL, "--tools", "tools.py:TOOLS_"), "the module has no `TOOLS_`", id="no-list"),
        pytest.param(
            ("g", *MODEL, "--tools", "tools.py", "--tools", "tools.py"), "two tools are named `look`", id="twice"
        ),
        pytest.param(("g", *MODEL, "--max-cost-usd", "dear"), "`dear` is no amount", id="no-amount"),
        pytest.param(("g", *MODEL, "--prices", "-1", "2"), "`-1` is no amount", id="a-negative-price"),
    ],
)
def test_wrong_usage_is_one_sentence(args: tuple[object, ...], message: str, interlock: Interlock) -> None:
    code, out, err = interlock(*args)

    assert (code, out) == (2, "")
    assert message in one_sentence(err)


@pytest.mark.parametrize(
    ("args", "message"),
    [
        pytest.param(("g", *MODEL, "--role", "nope"), "no prompt `nope`", id="no-prompt"),
        pytest.param(("g", *MODEL, "--role", "coder@9.9"), "no version `9.9`", id="no-version"),
        pytest.param(("g", *MODEL, "--role", "decision_engine"), "is a system layer", id="another-layer"),
        pytest.param(("--rerun", "nope"), "there is none", id="no-journal"),
    ],
)
def test_what_is_not_there_is_one_sentence(args: tuple[object, ...], message: str, interlock: Interlock) -> None:
    code, out, err = interlock(*args)

    assert (code, out) == (1, "")
    assert message in one_sentence(err)


def test_a_model_that_nobody_has_is_wrong_usage(interlock: Interlock) -> None:
    code, out, err = interlock("g", "--model", "nope:x")

    assert (code, out) == (2, "")
    assert "no provider `nope`" in one_sentence(err)


def test_a_module_that_fails_is_named(interlock: Interlock, tmp_path: Path) -> None:
    (tmp_path / "broken.py").write_text("raise RuntimeError('at import')", encoding="utf-8")
    code, _, err = interlock("g", *MODEL, "--tools", "broken.py")

    assert code == 2
    assert "cannot be imported: RuntimeError: at import" in one_sentence(err)


def test_runs_of_the_engine_are_listed_shown_and_verified(interlock: Interlock) -> None:
    interlock(
        "桥？", "--tools", "tools.py", *MODEL, replies=[said("tool_call", tool="search", given={"query": "bad"}), "x"]
    )
    listed, shown, verified = (
        CliRunner().invoke(main, [*verb, "--journal", "journal.db"])
        for verb in (["runs", "list"], ["runs", "show", "last"], ["verify", "last"])
    )

    assert "ask_user (degraded), not delivered" in listed.stdout
    assert "桥？" in listed.stdout
    assert "[TOOL_ERROR] ConnectionError: no route" in shown.stdout
    assert "after check 1" in shown.stdout
    assert (verified.exit_code, "verified" in verified.stdout) == (0, True)


@pytest.mark.skipif(not hasattr(os, "openpty"), reason="needs a pseudo-terminal")
def test_at_a_terminal_a_question_is_asked(tmp_path: Path) -> None:
    """The answer is an observation that the model may cite."""
    replies = [said("ask_user", "Which bridge?"), said("finish", "See ask_user#1.")]
    (tmp_path / "replies.json").write_text(json.dumps(replies), encoding="utf-8")
    keyboard, terminal = os.openpty()
    os.write(keyboard, "悉尼的\n".encode())
    program = str(Path(sys.executable).with_name("interlock"))
    done = subprocess.run(
        [program, "engine", "When?", "--model", "scripted:replies.json", "--journal", ":memory:"],
        stdin=terminal,
        capture_output=True,
        timeout=60,
        check=False,
        cwd=tmp_path,
    )
    os.close(keyboard)
    os.close(terminal)

    assert done.returncode == 0, done.stderr.decode()
    assert done.stdout.decode() == "See ask_user#1.\n"
    assert "Which bridge?:" in done.stderr.decode()


def test_help_shows_an_example_and_the_exit_codes() -> None:
    result = CliRunner().invoke(main, ["engine", "--help"])

    assert "Example:\n    interlock engine " in result.stdout
    assert "4  not delivered" in result.stdout
