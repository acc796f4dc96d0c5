"""`interlock plan` and `interlock decide`, as a shell sees them.

`INTERLOCK_UPDATE_SNAPSHOTS=1` writes the pictures anew; read the difference like code.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from interlock.cli.main import main
from interlock.loop.reference import shipped_text
from interlock.pipeline.plan import PLANS

PICTURES = Path(__file__).parent / "plans"
UPDATE = os.environ.get("INTERLOCK_UPDATE_SNAPSHOTS") == "1"


def interlock(*args: object, stdin: str | None = None) -> tuple[int, str, str]:
    result = CliRunner().invoke(main, [str(arg) for arg in args], input=stdin)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.exit_code, result.stdout, result.stderr


@pytest.fixture(autouse=True)
def _nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def contract(tmp_path: Path) -> Path:
    path = tmp_path / "DECISION.md"
    path.write_text(shipped_text(), encoding="utf-8")
    return path


@pytest.fixture
def states(tmp_path: Path) -> Path:
    """Five states, the third of them with an empty line before it."""
    path = tmp_path / "states.jsonl"
    rows = [state(index) for index in range(5)]
    path.write_text("\n".join([*rows[:2], "", *rows[2:]]) + "\n", encoding="utf-8")
    return path


def state(index: int) -> str:
    cells = {"task": f"Read file{index}.txt", "cwd": "/", "canWrite": False, "canDelete": False, "readFiles": []}
    return json.dumps(cells | {"history": [], "files": [f"file{index}.txt", "other.txt"]})


def decided(*args: object, stdin: str | None = None) -> list[dict[str, Any]]:
    code, out, err = interlock("decide", *args, "--json", stdin=stdin)
    assert (code, err) == (0, ""), err
    return [json.loads(line) for line in out.splitlines()]


@pytest.mark.parametrize("columns", ["80", "120"])
@pytest.mark.parametrize("name", PLANS)
def test_the_picture_of_a_plan_is_the_one_that_was_read(
    name: str, columns: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    code, out, _ = interlock("plan", "--plan", name)
    assert code == 0
    assert max(map(len, out.splitlines())) <= int(columns)
    picture = PICTURES / f"{name}-{columns}.txt"
    if UPDATE:
        picture.write_text(out, encoding="utf-8")
    assert out == picture.read_text(encoding="utf-8")


def test_a_picture_of_long_names_stays_within_the_columns(contract: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    name = f"pick_input_{'x' * 50}"
    contract.write_text(shipped_text().replace("pick_tool", name), encoding="utf-8")
    code, out, err = interlock("plan", contract)
    assert (code, err) == (0, "")
    assert "      `pick_input` excludes `history`, `earlier` and `lastResult`;" in out.splitlines()


def test_the_plan_of_the_settings_is_shown_unless_one_is_named(tmp_path: Path) -> None:
    assert "plan next" in interlock("plan")[1]
    (tmp_path / "interlock.toml").write_text('plan = "full"\n', encoding="utf-8")
    assert "plan full" in interlock("plan")[1]
    assert "plan fused" in interlock("plan", "--plan", "fused")[1]


def test_json_holds_waves_needs_and_every_pair(contract: Path) -> None:
    code, out, _ = interlock("plan", contract, "--json")
    told = json.loads(out)
    assert code == 0
    assert list(told) == ["plan", "contract_digest", "decisions", "waves", "ahead", "pairs"]
    assert len(told["pairs"]) == 21
    assert told["ahead"]["step_ok"] == ["is_done", "needs_tool", "pick_tool", "pick_input"]
    pick = next(one for one in told["decisions"] if one["decision"] == "pick_tool")
    assert pick["candidates_from"] == ["history", "files", "readFiles", "canWrite", "canDelete"]


def test_what_the_judge_takes_can_be_given_as_a_file(tmp_path: Path) -> None:
    caps = tmp_path / "caps.json"
    caps.write_text('{"joint_reads": true}', encoding="utf-8")
    code, out, _ = interlock("plan", "--judge-caps", caps)
    assert code == 0
    assert "needs_tool + pick_tool" not in out
    assert "the judge reads the questions of a request together" in out


@pytest.mark.parametrize(
    ("text", "says"),
    [
        pytest.param("[1]", "not an object", id="no-object"),
        pytest.param("{", "is not JSON", id="no-json"),
        pytest.param('{"joint_read": true}', "no key `joint_read`; did you mean `joint_reads`?", id="unknown-key"),
        pytest.param('{"joint_reads": 1}', "`joint_reads` is not true or false", id="no-flag"),
        pytest.param('{"max_questions": 0}', "`max_questions` is not a whole number of at least 1", id="no-number"),
        pytest.param('{"kinds": ["yes"]}', "`kinds` is not a list of", id="no-kind"),
        pytest.param('{"basis": "rules"}', "no basis `rules`; did you mean `rule`?", id="no-basis"),
    ],
)
def test_caps_that_cannot_be_read_are_one_sentence(tmp_path: Path, text: str, says: str) -> None:
    caps = tmp_path / "caps.json"
    caps.write_text(text, encoding="utf-8")
    code, out, err = interlock("plan", "--judge-caps", caps)
    assert (code, out) == (1, "")
    assert says in err


def test_a_contract_that_is_wrong_is_printed_like_a_compiler_does(contract: Path) -> None:
    contract.write_text(shipped_text().replace("kind: noul", "kind: nool", 1), encoding="utf-8")
    code, _, err = interlock("plan", contract)
    assert code == 1
    assert "nool" in err


def test_states_go_through_one_decision_in_order(contract: Path, states: Path) -> None:
    told = decided(contract, "pick_input", "--states", states, "--journal", "run.db")
    assert [(one["state"], one["action"], one["picked"]) for one in told] == [
        (number, "use", f"file{number - 1}.txt") for number in range(1, 6)
    ]
    assert interlock("verify", "--journal", "run.db")[0] == 0


def test_states_go_through_a_whole_contract(contract: Path, states: Path) -> None:
    told = decided(contract, "--states", states, "--journal", ":memory:", "--as-completed", "--concurrency", "3")
    assert sorted({one["state"] for one in told}) == [1, 2, 3, 4, 5]
    assert [one["decision"] for one in told[:7]] == [
        *("needs_tool", "pick_tool", "pick_input", "grade_risk", "step_ok", "is_done", "can_deliver"),
    ]


def test_people_read_a_line_per_decision(contract: Path, states: Path) -> None:
    code, out, _ = interlock("decide", contract, "needs_tool", "--states", states, "--journal", ":memory:")
    assert code == 0
    assert out.splitlines()[0].split()[:4] == ["1", "needs_tool", "~", "use_tool"]


def test_a_run_of_states_has_no_draft_to_deliver(contract: Path, states: Path) -> None:
    """Nothing was written, so nobody reads that something was kept back."""
    decided(contract, "needs_tool", "--states", states, "--journal", "run.db")

    listed = interlock("runs", "list", "--journal", "run.db")[1]
    shown = interlock("runs", "show", "last", "--journal", "run.db")[1]

    assert "all_decided (degraded)  " in listed
    assert "all_decided (degraded); 5 decisions" in shown
    assert "not delivered" not in listed + shown
    assert "writer" not in shown


def test_a_run_that_was_cut_short_goes_on(contract: Path, states: Path) -> None:
    """The second half of the file is broken at first."""
    whole = states.read_text(encoding="utf-8")
    states.write_text("\n".join(whole.splitlines()[:4]) + "\nbroken\n", encoding="utf-8")
    args = (contract, "needs_tool", "--states", states, "--journal", "run.db", "--concurrency", "1")
    code, _, err = interlock("decide", *args)
    assert code == 1
    assert f"{states}:5: is not JSON" in err
    states.write_text(whole, encoding="utf-8")
    told = decided(*args, "--resume", "last")
    assert [one["recorded"] for one in told] == [True, True, True, False, False]
    code, _, err = interlock("decide", *args, "--resume", "last")
    assert code == 1
    assert "has ended; start a new run" in err


@pytest.mark.parametrize(
    ("line", "says"),
    [
        pytest.param(b'{"task": broken', "is not JSON: Expecting value at column 10; write one object", id="broken"),
        pytest.param(b'{"task": "a", "task": "b"}', "cannot be taken: a key is repeated", id="a-key-twice"),
        pytest.param(b'{"task": NaN}', "cannot be taken: a number is not finite", id="nan"),
        pytest.param(b"[" * 100_000, "cannot be taken: nested too deep", id="nested"),
        pytest.param(bytes(range(128, 256)), "is not UTF-8 text", id="binary"),
        pytest.param(b"\0\0\0", "is not JSON", id="zeros"),
        pytest.param(b"[1]", "is not an object", id="a-list"),
    ],
)
def test_a_line_that_is_no_state_is_named_and_what_came_before_is_kept(
    contract: Path, tmp_path: Path, line: bytes, says: str
) -> None:
    file = tmp_path / "states.jsonl"
    file.write_bytes(state(0).encode() + b"\n" + line + b"\n")
    code, out, err = interlock("decide", contract, "needs_tool", "--states", file, "--journal", "run.db")
    assert (code, len(out.splitlines()), len(err.splitlines())) == (1, 1, 1)
    assert f"{file}:2: {says}" in err
    assert "then go on with --resume last and the same journal, run.db" in err


def test_a_line_of_megabytes_is_a_state(contract: Path, tmp_path: Path) -> None:
    file = tmp_path / "states.jsonl"
    file.write_text(json.dumps(json.loads(state(0)) | {"lastResult": "y" * 5_000_000}), encoding="utf-8")
    assert len(decided(contract, "needs_tool", "--states", file, "--journal", ":memory:")) == 1


def test_a_name_that_is_no_cell_is_told_once(contract: Path) -> None:
    lines = "".join(json.dumps(json.loads(state(at)) | {"lastResul": "x", "id": at}) + "\n" for at in range(3))
    code, out, err = interlock("decide", contract, "needs_tool", "--states", "-", "--journal", ":memory:", stdin=lines)
    assert (code, len(out.splitlines())) == (0, 3)
    assert err.splitlines() == [
        "interlock: -:1: no cell `lastResul`, it is left out; did you mean `lastResult`?",
        "interlock: -:1: no cell `id`, it is left out",
    ]


@pytest.mark.enable_socket
def test_states_on_which_the_judge_failed_are_asked_again(
    contract: Path, states: Path, caplog: pytest.LogCaptureFixture
) -> None:
    args = (contract, "needs_tool", "--states", states, "--journal", "run.db")
    nobody = "system-one:http://127.0.0.1:9#m"
    with caplog.at_level("WARNING", "interlock"):
        code, out, err = interlock("decide", *args, "--judge", nobody)
    assert caplog.messages == [f"{nobody}: connect"]
    assert (code, len(out.splitlines())) == (1, 5)
    assert "5 states: the judge failed; go on with --resume last" in err
    told = decided(*args, "--resume", "last")
    assert [(one["action"], one["recorded"]) for one in told] == [("use_tool", False)] * 5
    assert interlock("verify", "--journal", "run.db")[0] == 0


@pytest.mark.parametrize(
    ("args", "code", "says"),
    [
        pytest.param(["needs_tol", "--states", "-"], 2, "did you mean `needs_tool`?", id="unknown-decision"),
        pytest.param(["needs_tool", "--states", "nowhere"], 2, "nowhere: cannot be read", id="no-file"),
        pytest.param(["needs_tool", "--states", "-"], 1, "-:1: is not an object", id="no-object"),
        pytest.param(["needs_tool"], 2, "--states", id="no-states"),
        pytest.param(["needs_tool", "--states", "-", "--concurrency", "0"], 2, "0 is not in the range", id="nothing"),
        pytest.param(["needs_tool", "--states", "-", "--concurrency", "9999"], 2, "not in the range", id="too-many"),
    ],
)
def test_what_cannot_be_decided_is_one_sentence(contract: Path, args: list[str], code: int, says: str) -> None:
    done, out, err = interlock("decide", contract, *args, "--journal", ":memory:", stdin="[1]\n")
    assert (done, out) == (code, "")
    assert says in err
