"""`interlock runs` and `interlock verify` from outside, on journals that real runs have left."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from interlock.cli.main import main
from interlock.journal import SqliteJournal, run_started_body

SHOP = Path(__file__).parents[2] / "examples" / "shop"
QUESTION = "Which function does src/alpha.ts export?"


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Record two runs, the second with its raw state."""
    directory = tmp_path_factory.mktemp("recorded")
    shop = shutil.copytree(SHOP, directory / "shop")
    for flags in ([QUESTION], ["List the files", "--record-state"]):
        code, _, _ = interlock("run", *flags, "--cwd", shop, "--journal", directory / "journal.db")
        assert code == 0
    return directory / "journal.db"


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return tmp_path / "journal.db"


@pytest.fixture
def run_ids(place: Path, recorded: Path) -> list[str]:
    """Put the two runs at `place` and return their ids, oldest first."""
    shutil.copy(recorded, place)
    return [run["run_id"] for run in listed(place)][::-1]


def listed(place: Path) -> list[dict[str, Any]]:
    code, out, _ = interlock("runs", "list", "--journal", place, "--json")
    assert code == 0
    runs: list[dict[str, Any]] = json.loads(out)["runs"]
    return runs


def interlock(*args: object) -> tuple[int, str, str]:
    result = CliRunner().invoke(main, [str(arg) for arg in args])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.exit_code, result.stdout, result.stderr


def tamper(place: Path, statement: str) -> None:
    connection = sqlite3.connect(place)
    connection.executescript(statement)
    connection.close()


def test_runs_are_listed_newest_first(place: Path, run_ids: list[str]) -> None:
    newest, oldest = listed(place)
    assert newest["started"] > oldest["ended"]
    assert newest["run_id"] > oldest["run_id"]
    assert (newest["task"], newest["halt"], newest["delivered"]) == ("List the files", "task_done", True)
    assert re.fullmatch("[0-9a-f]{64}", newest["head"])
    assert newest["started"] < newest["ended"]
    assert newest["decisions"] > 0
    _, out, _ = interlock("runs", "list", "--journal", place)
    assert [line.split()[0] for line in out.splitlines()] == run_ids[::-1]


def test_a_place_that_nobody_named_and_nobody_wrote_has_no_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.delenv("INTERLOCK_JOURNAL", raising=False)
    assert interlock("runs", "list", "--json")[:2] == (0, '{\n  "runs": []\n}\n')
    assert "no runs yet" in interlock("runs", "list")[1]
    assert list(tmp_path.iterdir()) == []
    code, _, err = interlock("verify")
    assert (code, err.count("\n")) == (1, 1)
    assert "there is none" in err


def test_the_environment_names_the_journal(place: Path, run_ids: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("INTERLOCK_JOURNAL", str(place))
    assert len(interlock("runs", "list")[1].splitlines()) == len(run_ids)


@pytest.mark.parametrize("verb", [["runs", "list"], ["runs", "show"], ["runs", "export"], ["verify"]])
def test_a_journal_that_was_named_and_is_not_there_is_one_sentence(tmp_path: Path, verb: list[str]) -> None:
    code, out, err = interlock(*verb, "--journal", tmp_path / "none.db")
    assert (code, out) == (1, "")
    assert err == f"interlock: journal `{tmp_path / 'none.db'}`: there is none; name the one to read with `--journal`\n"


def test_show_tells_the_newest_run_as_it_happened(place: Path, run_ids: list[str]) -> None:
    code, out, _ = interlock("runs", "show", "--journal", place)
    assert code == 0
    assert out.startswith(f"run {run_ids[-1]}")
    assert "task: List the files" in out
    assert "→ list_dir ." in out
    assert "src/alpha.ts" in out.partition("answer:")[2]
    assert out.splitlines()[-1].startswith("head ")


def test_show_for_machines_holds_every_record(place: Path, run_ids: list[str]) -> None:
    code, out, _ = interlock("runs", "show", run_ids[0], "--journal", place, "--json")
    told = json.loads(out)
    assert code == 0
    assert told["run"]["run_id"] == run_ids[0]
    assert [record["seq"] for record in told["records"]] == list(range(1, told["run"]["records"] + 1))
    assert told["records"][0]["body"]["task"] == QUESTION
    assert told["records"][-1]["hash"] == told["run"]["head"]


@pytest.mark.parametrize(
    ("named", "meant"),
    [
        pytest.param(lambda ids: "last", -1, id="last"),
        pytest.param(lambda ids: ids[0], 0, id="whole-id"),
        pytest.param(lambda ids: ids[1][:-1], 1, id="beginning"),
    ],
)
def test_a_run_is_named_by_its_id_its_beginning_or_last(
    place: Path, run_ids: list[str], named: Callable[[list[str]], str], meant: int
) -> None:
    code, out, _ = interlock("runs", "show", named(run_ids), "--journal", place)
    assert code == 0
    assert out.startswith(f"run {run_ids[meant]}")


@pytest.mark.parametrize(
    ("named", "says"),
    [
        pytest.param("nothing", "no run `nothing`; `interlock runs list` names them", id="unknown"),
        pytest.param("2", "`2` begins `2", id="ambiguous"),
        pytest.param("", "no run ``", id="empty"),
    ],
)
def test_a_run_that_is_not_meant_clearly_is_refused(place: Path, run_ids: list[str], named: str, says: str) -> None:
    for verb in (["runs", "show"], ["verify"], ["runs", "export"]):
        code, _, err = interlock(*verb, named, "--journal", place)
        assert code == 1
        assert says in err


def test_export_prints_one_line_per_record_of_every_run(place: Path, run_ids: list[str]) -> None:
    code, out, _ = interlock("runs", "export", "--journal", place)
    rows = [json.loads(line) for line in out.splitlines()]
    assert code == 0
    assert list(dict.fromkeys(row["run_id"] for row in rows)) == run_ids
    assert interlock("runs", "export", *run_ids, "--format", "jsonl", "--journal", place)[1] == out
    assert interlock("runs", "export", "--json", "--journal", place)[1] == out


def test_export_as_markdown_holds_the_texts_behind_the_digests(place: Path, run_ids: list[str]) -> None:
    code, out, _ = interlock("runs", "export", "last", "--format", "markdown", "--journal", place)
    blocks = re.findall(r"^Digest of the [a-z ]+: `([0-9a-f]+)`\n\n(`{3,})json\n(.*)\n\2$", out, flags=re.MULTILINE)
    assert code == 0
    assert out.startswith(f"# Run {run_ids[-1]}")
    assert len(blocks) >= 12
    assert all(hashlib.sha256(text.encode()).hexdigest().startswith(digest) for digest, _, text in blocks)


def test_what_real_runs_recorded_is_verified_frames_included(place: Path, run_ids: list[str]) -> None:
    code, out, _ = interlock("verify", "--journal", place, "--json")
    told = json.loads(out)
    assert code == 0
    assert (told["verdict"], told["head"]) == ("verified", None)
    assert [run["run_id"] for run in told["runs"]] == run_ids
    assert all(run["findings"] == [] for run in told["runs"])
    code, out, _ = interlock("verify", "last", "--journal", place)
    assert code == 0
    assert f"run {run_ids[-1]}: verified" in out
    assert "0 partial, 0 mismatch" in out


def test_an_edited_byte_is_a_mismatch_that_names_run_and_row(place: Path, run_ids: list[str]) -> None:
    tamper(place, f"UPDATE events SET body = replace(body, 'alpha', 'alphb') WHERE run_id = '{run_ids[0]}' AND seq = 4")
    code, out, _ = interlock("verify", "--journal", place)
    assert code == 1
    assert f"run {run_ids[0]}: mismatch" in out
    assert "row 4 (decision needs_tool): mismatch: was changed: its hash is not that of its content" in out
    assert f"run {run_ids[1]}: verified" in out
    assert interlock("verify", run_ids[1], "--journal", place)[0] == 0


def test_state_that_gives_another_frame_is_found_although_every_hash_is_right(
    place: Path, run_ids: list[str], tmp_path: Path
) -> None:
    """A frame that agrees with itself would verify without the raw state."""
    forged = SqliteJournal(tmp_path / "forged.db")
    lines = interlock("runs", "export", "last", "--journal", place)[1].splitlines()
    for row in map(json.loads, lines):
        if row["type"] == "decision":
            row["body"]["cells"]["task"] = "Delete the files"
        forged.append(row["run_id"], row["type"], row["body"], ts=row["ts"])
    forged.close()
    code, out, _ = interlock("verify", "--journal", tmp_path / "forged.db")
    assert code == 1
    assert "mismatch: frame: is not the one that the recorded state gives" in out
    assert "was changed" not in out


def test_a_head_that_was_kept_proves_the_run(place: Path, run_ids: list[str]) -> None:
    heads = {
        run["run_id"]: run["head"]
        for run in json.loads(interlock("runs", "list", "--json", "--journal", place)[1])["runs"]
    }
    first, second = (heads[run_id] for run_id in run_ids)
    assert interlock("verify", run_ids[0], "--head", first.upper(), "--journal", place)[0] == 0
    assert interlock("verify", "--head", second, "--journal", place)[0] == 0
    code, out, _ = interlock("verify", run_ids[0], "--head", second, "--journal", place)
    assert code == 1
    assert "--head: the head that was kept is that of no row" in out
    code, out, _ = interlock("verify", "--head", "0" * 64, "--journal", place, "--json")
    assert code == 1
    assert json.loads(out)["head"] == "the head that was kept is the head of no run"
    code, _, err = interlock("verify", "--head", "abc", "--journal", place)
    assert code == 2
    assert "--head: is not a head" in err


def test_rows_added_after_a_kept_head_are_said(place: Path, run_ids: list[str]) -> None:
    told = listed(place)[0]
    journal = SqliteJournal(place)
    journal.append(run_ids[-1], "error", {"where": "w", "kind": "k", "message": "m"}, ts="2026-01-02T03:04:05.000006Z")
    journal.close()
    code, out, _ = interlock("verify", "last", "--head", told["head"], "--journal", place)
    assert code == 1
    assert f"is that of row {told['records']}: rows were added after it" in out


def test_a_run_of_another_host_is_partial_and_says_why(place: Path) -> None:
    journal = SqliteJournal(place)
    body = run_started_body(
        task="t\x1b[31m",
        cwd="/",
        contract_digest="c",
        contract_text="# Another\nschema: decision-contract/v1\n",
        judge="rules",
        writer="extractive",
        plan="sequential",
        budgets={},
        overrides={},
        modes={},
        can_write=False,
        can_delete=False,
        tools={},
        after=None,
        version="0",
    )
    journal.append("r", "run_started", body, ts="2026-01-02T03:04:05.000006Z")
    journal.append("r", "audit", {}, ts="2026-01-02T03:04:06.000006Z")
    journal.close()
    code, out, _ = interlock("verify", "--journal", place)
    assert code == 0
    assert "row 1 (run_started): partial: contract: " in out
    code, out, _ = interlock("runs", "show", "--journal", place)
    assert code == 0
    assert "\x1b" not in out
    assert "row 2 (audit) cannot be shown; run `interlock verify`" in out
    assert "not ended" in interlock("runs", "list", "--journal", place)[1]
