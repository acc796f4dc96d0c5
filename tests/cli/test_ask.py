"""`interlock ask` from outside: every kind of question, where the state comes from, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from interlock.cli.main import main

TEAM = ("--choice", "Which team?", "-o", "billing=money, invoices", "-o", "other")


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def ask(*args: object, stdin: str = "a state\n") -> tuple[int, str, str]:
    result = CliRunner().invoke(main, ["ask", *map(str, args)], input=stdin)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.exit_code, result.stdout, result.stderr


def scripted(path: Path, answer: object) -> str:
    """Return the id of a judge that gives one answer."""
    file = path / "script.json"
    file.write_text(json.dumps({"question": answer}), encoding="utf-8")
    return f"scripted:{file}"


def told(*args: object, stdin: str = "a state\n") -> dict[str, Any]:
    code, out, _ = ask(*args, "--json", stdin=stdin)
    found: dict[str, Any] = json.loads(out)
    assert code == (0 if found["answer"] is not None else 1)
    return found


def test_a_choice_is_shown_with_its_distribution_and_numbers(tmp_path: Path) -> None:
    code, out, err = ask(*TEAM, "--judge", scripted(tmp_path, {"billing": 0.8, "other": 0.2}))
    assert (code, err) == (0, "")
    assert out == (
        "billing\n  billing  0.8000  money, invoices\n  other    0.2000\n"
        f"top 0.8, lead 0.6, confidence 0.6\nby scripted:{tmp_path}/script.json, basis scripted\n"
    )


@pytest.mark.parametrize(
    ("p", "first"),
    [(0.9, "true  0.9"), (0.1, "false  0.1"), (0.5, "undecided  0.5")],
)
def test_a_noul_is_a_word_and_a_number(tmp_path: Path, p: float, first: str) -> None:
    """Exactly one half says nothing, and is said so."""
    code, out, _ = ask("--noul", "ok?", "-o", "true=yes", "--judge", scripted(tmp_path, p))
    assert code == 0
    assert out.splitlines()[0] == first
    assert "confidence" not in out


def test_a_score_is_a_mean_and_the_most_probable_level(tmp_path: Path) -> None:
    judge = scripted(tmp_path, {"0": 0.1, "1": 0.2, "2": 0.7})
    code, out, _ = ask("--score", "How urgent?", "-o", "can wait", "-o", "a=b", "-o", "now", "--judge", judge)
    assert code == 0
    assert out.splitlines()[:4] == ["1.6  now", "  0  0.1000  can wait", "  1  0.2000  a=b", "  2  0.7000  now"]


def test_json_holds_everything_and_null_where_a_number_does_not_apply(tmp_path: Path) -> None:
    noul = told("--noul", "ok?", "--judge", scripted(tmp_path, 0.9))
    assert noul["answer"] == {"noul": 0.9}
    assert (noul["top"], noul["lead"], noul["confidence"]) == (0.9, pytest.approx(0.8), None)
    assert (noul["kind"], noul["reason"], noul["basis"], noul["degraded"]) == ("answered", "ok", "scripted", False)
    assert len(noul["request_digest"]) == 64
    score = told("--score", "s", "-o", "a", "-o", "b", "--judge", scripted(tmp_path, 0.25))
    assert score["answer"] == {"score": 0.25, "level": 0, "probabilities": [0.75, 0.25]}
    choice = told(*TEAM, "--judge", scripted(tmp_path, "other"))
    assert choice["answer"] == {"choice": "other", "probabilities": {"billing": 0.0, "other": 1.0}}
    assert choice["question"]["criteria"] == {"billing": "money, invoices", "other": None}


def test_no_answer_is_exit_code_one_and_says_why(tmp_path: Path) -> None:
    code, out, _ = ask("--noul", "ok?", "--judge", scripted(tmp_path, None))
    assert (code, out.splitlines()[0]) == (1, "no answer: unscored/abstained")
    found = told("--noul", "ok?", "--judge", scripted(tmp_path, 7))
    assert (found["answer"], found["kind"], found["reason"], found["top"]) == (
        None,
        "invalid_response",
        "noul-range",
        None,
    )


def test_rules_that_do_not_know_a_question_say_whom_to_ask_instead() -> None:
    code, out, err = ask("--noul", "ok?", "--judge", "rules")
    assert (code, out.splitlines()[0]) == (1, "no answer: unscored/abstained")
    assert err == "interlock: `rules` knows the questions of the loop only; name another judge with --judge\n"


def test_the_state_is_a_file_standard_input_or_json(tmp_path: Path) -> None:
    """The hash of a request shows what was sent: equal states have equal digests."""
    (tmp_path / "s.txt").write_text('{"a": 1}', encoding="utf-8")
    (tmp_path / "s.json").write_text('{"a": 1}', encoding="utf-8")
    (tmp_path / "t.json").write_text('{ "a" : 1 }', encoding="utf-8")
    digests = [
        told(*args, "--noul", "ok?", "--judge", "hash", stdin='{"a": 1}')["request_digest"]
        for args in (("s.txt",), (), ("-",), ("s.json",), ("t.json",))
    ]
    assert digests[0] == digests[1] == digests[2] != digests[3] == digests[4]


def test_rules_are_reached_by_the_id_they_know() -> None:
    state = json.dumps({"tool": "read_file", "input": "a.ts", "output": "[TOOL_ERROR] not-found: no such file: a.ts"})
    Path("s.json").write_text(state, encoding="utf-8")
    found = told("s.json", "--noul", "ok?", "--id", "step_ok", "--judge", "rules")
    assert (found["basis"], found["degraded"]) == ("rule", True)
    assert found["answer"]["noul"] < 0.5


def test_a_chain_and_its_settings_are_those_of_a_run(tmp_path: Path) -> None:
    record = tmp_path / "asked.jevl"
    Path("interlock.toml").write_text(
        f'judge = "rules, hash"\n[judging]\nrecord = "{record}"\norder = "reversed_check"\n', encoding="utf-8"
    )
    found = told(*TEAM)
    assert (found["judge"], found["degraded"]) == ("hash", True)
    assert json.loads(record.read_text(encoding="utf-8"))["answers"]["question"]["type"] == "choice"


def test_what_is_shown_cannot_steer_the_terminal(tmp_path: Path) -> None:
    _, out, _ = ask("--choice", "c", "-o", "a=\x1b[2J", "-o", "b", "--judge", scripted(tmp_path, "a"))
    assert "\x1b" not in out
    assert "\\x1b[2J" in out


@pytest.mark.parametrize(
    ("args", "message"),
    [
        pytest.param((), "give exactly one of --noul, --choice and --score", id="no-question"),
        pytest.param(("--noul", "a", "--score", "b"), "give exactly one", id="two-questions"),
        pytest.param(("--noul", " "), "instructions: is empty; write what is asked", id="an-empty-question"),
        pytest.param(("--noul", "a", "-o", "yes=x"), "-o: of --noul it is `true=…` or `false=…`", id="a-noul-with-yes"),
        pytest.param(("--noul", "a", "-o", "true=x", "-o", "true=y"), "each once", id="a-side-twice"),
        pytest.param(("--choice", "a", "-o", "x"), "at least two options", id="one-option"),
        pytest.param(("--choice", "a", "-o", "x=1", "-o", "x=2"), "an option stands twice", id="an-option-twice"),
        pytest.param(("--choice", "a", "-o", "=1", "-o", "x"), "a label is empty", id="an-option-without-a-name"),
        pytest.param(("--score", "a", "-o", "x"), "a score needs at least two levels", id="one-level"),
        pytest.param(("nowhere.txt", "--noul", "a"), "nowhere.txt: no such file", id="no-such-file"),
        pytest.param(("bad.json", "--noul", "a"), "bad.json: is not JSON", id="broken-json"),
        pytest.param(("bare.json", "--noul", "a"), "bare.json: holds a bare value", id="a-bare-value"),
    ],
)
def test_wrong_usage_is_one_sentence(args: tuple[str, ...], message: str) -> None:
    Path("bad.json").write_text("{", encoding="utf-8")
    Path("bare.json").write_text("7", encoding="utf-8")
    code, out, err = ask(*args, "--judge", "hash")
    (line,) = err.splitlines()
    assert (code, out) == (2, "")
    assert line.startswith("interlock: ")
    assert message in line


def test_an_unknown_judge_names_the_nearest() -> None:
    code, _, err = ask("--noul", "a", "--judge", "hsah")
    assert (code, err) == (2, "interlock: judge: no provider `hsah`; did you mean `hash`?\n")
