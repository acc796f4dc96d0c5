"""`interlock approvals` and `interlock runs resume` from outside: a call waits, is answered, and runs once."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from interlock.cli.main import main
from interlock.journal import SqliteJournal

SHOP = Path(__file__).parents[2] / "examples" / "shop"
TASK = "Delete build.lock"


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a copy of the example project, with a journal of its own as the setting."""
    monkeypatch.setenv("INTERLOCK_JOURNAL", str(tmp_path / "journal.db"))
    monkeypatch.chdir(tmp_path)
    return Path(shutil.copytree(SHOP, tmp_path / "shop"))


def interlock(*args: object) -> tuple[int, str, str]:
    result = CliRunner().invoke(main, [str(arg) for arg in args])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.exit_code, result.stdout, result.stderr


def told(*args: object, code: int = 0) -> dict[str, Any]:
    found, out, err = interlock(*args, "--json")
    assert found == code, err
    result: dict[str, Any] = json.loads(out)
    return result


def sentence(err: str) -> str:
    (line,) = err.splitlines()
    assert line.startswith("interlock: ")
    return line


@pytest.fixture
def parked(shop: Path) -> dict[str, Any]:
    return told("run", TASK, "--cwd", shop, "--allow-delete", "--park", code=6)


def test_a_parked_run_says_what_it_waits_for_and_how_to_go_on(shop: Path) -> None:
    code, out, err = interlock("run", TASK, "--cwd", shop, "--allow-delete", "--park", "--journal", "own journal.db")
    assert (code, out) == (6, "")
    (asked,) = told("approvals", "list", "--journal", "own journal.db")["approvals"]
    assert f"interlock: parked: `delete_file` on `build.lock` waits for approval `{asked['id'][:16]}`" in err
    assert f"  interlock approvals approve {asked['id'][:16]} --journal 'own journal.db' --by NAME\n" in err
    assert f"  interlock runs resume {asked['run_id']} --journal 'own journal.db'\n" in err
    assert (shop / "build.lock").exists()


def test_without_park_the_call_is_refused(shop: Path) -> None:
    code, _, err = interlock("run", TASK, "--cwd", shop, "--allow-delete")
    assert code == 5
    assert "standard input is not a terminal" in err
    assert told("approvals", "list")["approvals"] == []


def test_a_call_waits_is_answered_and_runs_once(shop: Path, parked: dict[str, Any]) -> None:
    (listed,) = told("approvals", "list")["approvals"]
    assert (listed["id"], listed["state"]) == (parked["waits_for"], "waiting")
    assert "waits for an approval" in interlock("runs", "list")[1]
    short = listed["id"][:10]
    answered = told("approvals", "approve", short, "--by", "ada", "--note", "stale")
    assert answered["resume"] == f"interlock runs resume {parked['run_id']}"
    assert answered["approval"]["answer"]["by"] == "ada"
    assert "answered, not resumed" in interlock("runs", "list")[1]
    assert (shop / "build.lock").exists(), "an answer makes no call"
    resumed = told("runs", "resume", "last")
    assert (resumed["run_id"], resumed["halt"], resumed["delivered"]) == (parked["run_id"], "task_done", True)
    assert not (shop / "build.lock").exists()
    (used,) = told("approvals", "list", "--all")["approvals"]
    assert (used["state"], used["answer"]["note"]) == ("used", "stale")
    assert told("approvals", "list")["approvals"] == []
    assert told("verify")["verdict"] == "verified"


def test_what_a_person_saw_is_what_was_printed(parked: dict[str, Any]) -> None:
    code, out, _ = interlock("approvals", "approve", parked["waits_for"], "--by", "ada")
    assert code == 0
    saw = told("approvals", "show", parked["waits_for"])["answer"]["saw"]
    assert out.startswith(saw)
    for part in (
        "delete_file in ",
        "risk 3 (destructive)",
        "asked because: score:risk >= 2",
        "  build.lock",
        "until 20",
    ):
        assert part in saw


def test_show_leaves_nothing_out(parked: dict[str, Any]) -> None:
    code, out, _ = interlock("approvals", "show", parked["waits_for"][:12])
    assert code == 0
    whole = told("approvals", "show", parked["waits_for"])
    for name in ("id", "run_id", "cwd", "expires", "binding"):
        assert str(whole[name]) in out
    assert '{"path":"build.lock"}' in out
    assert whole["judgement"]["outcome"]["action"] == "ask_human"


def test_a_denied_call_does_not_run(shop: Path, parked: dict[str, Any]) -> None:
    assert interlock("approvals", "deny", parked["waits_for"], "--by", "eve")[0] == 0
    resumed = told("runs", "resume", parked["run_id"], code=5)
    assert (resumed["halt"].partition("+")[0], resumed["steps"][-1]["tool"]) == ("denied", "list_dir")
    assert "refused by eve" in resumed["reason"]
    assert (shop / "build.lock").exists()


def test_a_run_that_waits_still_parks_again(parked: dict[str, Any]) -> None:
    again = told("runs", "resume", parked["run_id"], code=6)
    assert (again["waits_for"], again["head"]) == (parked["waits_for"], parked["head"])


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """Return a journal in which one call waits, and its id."""
    at = tmp_path_factory.mktemp("kept")
    shop, place = shutil.copytree(SHOP, at / "shop"), at / "journal.db"
    waits = told("run", TASK, "--cwd", shop, "--allow-delete", "--park", "--journal", place, code=6)
    return place, waits["waits_for"]


@pytest.fixture
def answered(kept: tuple[Path, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Return the id of a call that Ada approved, in the journal that the settings name."""
    monkeypatch.setenv("INTERLOCK_JOURNAL", str(shutil.copy(kept[0], tmp_path / "journal.db")))
    interlock("approvals", "approve", kept[1], "--by", "ada")
    return kept[1]


@pytest.mark.parametrize(
    ("args", "code", "says"),
    [
        pytest.param(["approvals", "approve", "ID", "--by", "bob"], 1, "was approved by `ada` at", id="answered-twice"),
        pytest.param(
            ["approvals", "deny", "ID", "--by", "bob"], 1, "was approved by `ada` at", id="answered-otherwise"
        ),
        pytest.param(["approvals", "approve", "0000", "--by", "bob"], 1, "no approval `0000`", id="unknown"),
        pytest.param(["approvals", "approve", "ID", "--by", "  "], 2, "--by: is empty", id="by-nobody"),
        pytest.param(["runs", "resume", "nowhere"], 1, "no run `nowhere`", id="resume-an-unknown-run"),
        pytest.param(["runs", "resume", "last", "--journal", "none.db"], 1, "there is none", id="no-journal"),
        pytest.param(
            ["approvals", "approve", "ID", "--by", "b", "--journal", "none.db"], 1, "there is none", id="none"
        ),
        pytest.param(
            ["run", "x", "--park", "--journal", ":memory:"], 2, "`:memory:` ends with this process", id="memory"
        ),
    ],
)
def test_what_cannot_be_done_is_one_sentence(answered: str, args: list[str], code: int, says: str) -> None:
    found, out, err = interlock(*(answered if arg == "ID" else arg for arg in args))
    assert (found, out) == (code, "")
    assert says in sentence(err)


@pytest.mark.parametrize(
    "args",
    [
        pytest.param(["approvals", "approve", "--all", "--by", "ada"], id="everything-at-once"),
        pytest.param(["approvals", "approve", "ab", "cd", "--by", "ada"], id="several"),
        pytest.param(["approvals", "approve", "ab"], id="by-whom"),
        pytest.param(["runs", "resume", "last", "--in-flight", "retyr"], id="a-misspelt-choice"),
        pytest.param(["run", "x", "--approval-ttl", "0s"], id="no-time-at-all"),
        pytest.param(["run", "x", "--approval-ttl", "soon"], id="no-span"),
        pytest.param(["run", "x", "--approval-ttl", "9999d"], id="for-ever"),
    ],
)
def test_a_mistake_on_the_command_line_is_refused_and_opens_no_gate(kept: tuple[Path, str], args: list[str]) -> None:
    code, out, err = interlock(*args, "--journal", kept[0])
    assert (code, out) == (2, "")
    assert "Error: " in err
    assert [one["state"] for one in told("approvals", "list", "--journal", kept[0])["approvals"]] == ["waiting"]


def test_a_run_that_has_ended_is_not_resumed(parked: dict[str, Any]) -> None:
    interlock("approvals", "approve", parked["waits_for"], "--by", "ada")
    interlock("runs", "resume", "last")
    code, out, err = interlock("runs", "resume", "last")
    assert (code, out) == (1, "")
    assert "has ended with `task_done`; start a new run" in sentence(err)


def test_a_resumed_run_has_the_judge_the_thresholds_and_the_flags_it_was_started_with(
    shop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = {
        "needs_tool": 0.9,
        "pick_tool": "write_file",
        "grade_risk.risk": 1.2,
        "grade_risk.needs_auth": 0.1,
        "step_ok": 0.9,
        "is_done": 0.9,
        "can_deliver.deliverable": 0.9,
        "can_deliver.unsupported": 0.1,
    }
    Path("judge.json").write_text(json.dumps(script))
    Path("writer.json").write_text(json.dumps([json.dumps({"arguments": {"path": "n.txt", "content": "x"}}), "done"]))
    here = Path.cwd()
    wired = ["--judge", f"scripted:{here / 'judge.json'}", "--writer", f"scripted:{here / 'writer.json'}"]
    gates = ["--gate", "grade_risk.risk[0]=1.1", "--gate", "grade_risk.risk[1]=1.0"]
    first = told("run", "Write n.txt", "--cwd", "shop", "--allow-write", "--park", *wired, *gates, code=6)
    Path("writer.json").write_text(json.dumps(["done"]))
    monkeypatch.chdir(shop)
    monkeypatch.setenv("INTERLOCK_JUDGE", "rules")
    interlock("approvals", "approve", first["waits_for"], "--by", "ada")
    resumed = told("runs", "resume", "last")
    assert (resumed["halt"], resumed["answer"], resumed["degraded"]) == ("task_done", "done", False)
    assert (shop / "n.txt").read_text() == "x"


def test_nothing_that_is_shown_can_steer_a_terminal(shop: Path) -> None:
    evil = "\x1b[2J\x1b]0;approved\x07 harmless \u202e txt"
    script = {"needs_tool": 0.9, "pick_tool": "write_file", "grade_risk.risk": 3.0, "grade_risk.needs_auth": 0.9}
    Path("judge.json").write_text(json.dumps(script))
    arguments = {"path": "n.txt", "content": "\n".join([evil] * 100 + ["y" * 5000])}
    Path("writer.json").write_text(json.dumps([json.dumps({"arguments": arguments})]))
    wired = ["--judge", "scripted:judge.json", "--writer", "scripted:writer.json"]
    code, out, err = interlock("run", "Write", "--cwd", shop, "--allow-write", "--park", *wired)
    assert code == 6
    (asked,) = told("approvals", "list")["approvals"]
    texts = [out, err, interlock("approvals", "list")[1], interlock("approvals", "show", asked["id"])[1]]
    texts.append(interlock("approvals", "approve", asked["id"], "--by", evil, "--note", evil)[1])
    texts.append(interlock("approvals", "show", asked["id"])[1])
    for text in texts:
        assert not any(character in text for character in "\x1b\x07\u202e")
    assert "[42 more lines]" in texts[4]
    assert "\\x1b[2J" in texts[4]


def test_the_line_in_a_list_of_a_run_of_another_format_hides_no_other(shop: Path, parked: dict[str, Any]) -> None:
    journal = SqliteJournal(Path("journal.db"))
    journal.append("broken", "approval_requested", {"tool": "x"}, ts="2026-01-02T03:04:05.000006Z")
    journal.close()
    code, out, err = interlock("approvals", "list")
    assert code == 0
    assert parked["waits_for"][:16] in out
    assert "run `broken` row 1" in sentence(err)
    assert interlock("approvals", "approve", parked["waits_for"], "--by", "ada")[0] == 0


def test_a_directory_whose_name_is_no_text_waits_is_answered_and_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("INTERLOCK_JOURNAL", str(tmp_path / "journal.db"))
    place = tmp_path / os.fsdecode(b"caf\xe9")
    try:
        shutil.copytree(SHOP, place)
    except OSError:
        pytest.skip("needs a file system that takes any byte in a name")
    (place / os.fsdecode(b"b\xff.txt")).write_text("x")
    parked = told("run", TASK, "--cwd", place, "--allow-delete", "--park", code=6)
    assert "caf\\udce9" in interlock("approvals", "show", parked["waits_for"])[1]
    assert interlock("approvals", "approve", parked["waits_for"], "--by", os.fsdecode(b"ad\xffa"))[0] == 0
    assert told("runs", "resume", "last")["delivered"]
    assert not (place / "build.lock").exists()
    assert told("verify")["verdict"] == "verified"
    lines = tmp_path / "lines.jsonl"
    lines.write_text(interlock("runs", "export")[1], encoding="utf-8")
    other = str(tmp_path / "other.db")
    assert interlock("runs", "import", lines, "--journal", other)[0] == 0
    assert told("verify", "--journal", other)["verdict"] == "verified"
