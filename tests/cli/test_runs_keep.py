"""`interlock runs import`, `prune`, `redact` and the other forms of `export`, from outside."""

from __future__ import annotations

import json
import shutil
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from interlock.cli.main import main
from interlock.journal import SqliteJournal

SHOP = Path(__file__).parents[2] / "examples" / "shop"
TASK = "List the files"


def interlock(*args: object, stdin: str | None = None) -> tuple[int, str, str]:
    result = CliRunner().invoke(main, [str(arg) for arg in args], input=stdin)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.exit_code, result.stdout, result.stderr


def told(*args: object) -> dict[str, Any]:
    code, out, err = interlock(*args, "--json")
    assert code == 0, err
    answer: dict[str, Any] = json.loads(out)
    return answer


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("recorded")
    shop = shutil.copytree(SHOP, directory / "shop")
    code, _, _ = interlock("run", TASK, "--cwd", shop, "--journal", directory / "journal.db", "--record-state")
    assert code == 0
    return directory / "journal.db"


@pytest.fixture
def place(tmp_path: Path, recorded: Path) -> Path:
    return Path(shutil.copy(recorded, tmp_path / "journal.db"))


def head_of(place: Path) -> str:
    return str(told("runs", "list", "--journal", place)["runs"][0]["head"])


def test_what_was_exported_is_imported_and_verifies(place: Path, tmp_path: Path) -> None:
    lines = interlock("runs", "export", "--journal", place)[1]
    (tmp_path / "runs.jsonl").write_text(lines, encoding="utf-8")
    other = tmp_path / "other.db"
    code, out, _ = interlock("runs", "import", tmp_path / "runs.jsonl", "--journal", other)
    assert code == 0
    assert f": imported, {lines.count(chr(10))} records, head {head_of(place)}\n" in out
    assert interlock("runs", "export", "--journal", other)[1] == lines
    assert told("verify", "--journal", other)["verdict"] == "verified"
    again = told("runs", "import", tmp_path / "runs.jsonl", "--journal", other)
    assert [run["state"] for run in again["imported"]] == ["there"]


def test_lines_may_come_through_a_pipe(place: Path, tmp_path: Path) -> None:
    lines = interlock("runs", "export", "--journal", place)[1]
    code, out, _ = interlock("runs", "import", "-", "--journal", tmp_path / "other.db", stdin=lines)
    assert (code, out.count("imported")) == (0, 1)


def test_decision_records_are_imported_as_one_run(place: Path, tmp_path: Path) -> None:
    lines = interlock("runs", "export", "--format", "decision-record", "--journal", place)[1]
    (tmp_path / "records.jsonl").write_text(lines, encoding="utf-8")
    other = tmp_path / "other.db"
    (run,) = told("runs", "import", tmp_path / "records.jsonl", "--journal", other)["imported"]
    assert run["run_id"].startswith("records-")
    assert interlock("runs", "export", "--format", "decision-record", "--journal", other)[1] == lines
    (listed,) = told("runs", "list", "--journal", other)["runs"]
    assert (listed["imported"], listed["decisions"]) == (True, lines.count("\n"))
    assert "imported records" in interlock("runs", "list", "--journal", other)[1]
    check = told("verify", "--journal", other)
    assert (check["verdict"], check["runs"][0]["decisions"]) == ("partial", lines.count("\n"))
    spoilt = lines.replace(TASK, "Burn the files", 1)
    code, _, _ = interlock("runs", "import", "-", "--journal", tmp_path / "spoilt.db", stdin=spoilt)
    assert code == 0
    assert interlock("verify", "--journal", tmp_path / "spoilt.db")[0] == 1


@pytest.mark.parametrize(
    ("content", "code", "says"),
    [
        pytest.param(None, 2, "no such file", id="missing"),
        pytest.param(b"", 1, "holds no line", id="empty"),
        pytest.param(b"\n \n", 1, "holds no line", id="blank"),
        pytest.param(b'{"run_id":\xff}', 1, "is not UTF-8 text", id="binary"),
        pytest.param(b'{"run_id":"r"}', 1, "line 1: is no line of `interlock runs export`", id="no-row"),
        pytest.param(b"hello", 1, "line 1: is neither a row nor a decision record", id="prose"),
    ],
)
def test_a_file_that_holds_no_runs_is_refused(tmp_path: Path, content: bytes | None, code: int, says: str) -> None:
    file = tmp_path / "runs.jsonl"
    if content is not None:
        file.write_bytes(content)
    found, out, err = interlock("runs", "import", file, "--journal", tmp_path / "journal.db")
    assert (found, out) == (code, "")
    assert says in err
    assert err.count("\n") == 1


def test_a_changed_line_is_refused_and_nothing_of_its_run_comes_in(place: Path, tmp_path: Path) -> None:
    lines = interlock("runs", "export", "--journal", place)[1].replace(TASK, "Burn the files", 1)
    code, _, err = interlock("runs", "import", "-", "--journal", tmp_path / "other.db", stdin=lines)
    assert code == 1
    assert "row 1 was changed" in err
    assert "it was not imported" in err
    assert told("runs", "list", "--journal", tmp_path / "other.db")["runs"] == []


def age(place: Path) -> None:
    """Put an old run beside the new one."""
    journal = SqliteJournal(place)
    for _ in range(3):
        journal.append("old", "audit", {"text": "an old secret"}, ts="2001-02-03T04:05:06.000007Z")
    journal.close()


def test_old_runs_are_deleted_others_stay_and_what_was_deleted_is_on_record(place: Path) -> None:
    age(place)
    head = told("runs", "list", "--journal", place)["runs"][0]["head"]
    code, out, _ = interlock("runs", "prune", "--older-than", "30d", "--dry-run", "--journal", place)
    assert (code, out) == (0, "old  3 records, last 2001-02-03T04:05:06.000007Z\n1 run would be deleted\n")
    assert len(told("runs", "list", "--journal", place)["runs"]) == 2
    assert [run["run_id"] for run in told("runs", "prune", "--older-than", "30d", "--journal", place)["pruned"]] == [
        "old"
    ]
    assert len(told("runs", "list", "--journal", place)["runs"]) == 1
    assert b"an old secret" not in place.read_bytes()
    assert told("verify", "--journal", place)["verdict"] == "verified"
    code, out, _ = interlock("verify", "--journal", place, "--head", head)
    assert code == 1
    assert "the head that was kept is that of run `old`, pruned at " in out
    assert "pruned-runs" in interlock("runs", "export", "--journal", place)[1]
    assert interlock("runs", "show", "pruned-runs", "--journal", place)[0] == 0
    assert interlock("runs", "prune", "--older-than", "30d", "--journal", place)[1] == "0 runs deleted\n"


def test_a_run_that_somebody_works_on_is_kept(place: Path) -> None:
    age(place)
    journal = SqliteJournal(place)
    with journal.hold("old"):
        answer = told("runs", "prune", "--older-than", "30d", "--journal", place)
        code, out, _ = interlock("runs", "prune", "--older-than", "30d", "--journal", place)
    journal.close()
    assert (answer["pruned"], list(answer["kept"])) == ([], ["old"])
    assert code == 0
    assert "kept old: run `old`: another process works on it" in out


@pytest.mark.parametrize(
    ("flags", "code", "says"),
    [
        pytest.param([], 2, "--older-than", id="no-age"),
        pytest.param(["--older-than", "soon"], 2, "such as `12h`, `30d` or `8w`", id="age"),
    ],
)
def test_an_age_must_be_one(place: Path, flags: list[str], code: int, says: str) -> None:
    found, _, err = interlock("runs", "prune", "--journal", place, *flags)
    assert found == code
    assert says in err


def test_a_cell_is_taken_out_and_what_still_repeats_it_is_named(place: Path) -> None:
    code, out, _ = interlock("runs", "redact", "last", "--cell", "task", "--journal", place)
    assert code == 0
    assert out.startswith("row 1: task\nrow 2: state.task\nrow 4: frame.task, cells.task\n")
    assert TASK.encode() not in place.read_bytes()
    code, out, _ = interlock("verify", "--journal", place)
    assert code == 0
    assert "row 4 (decision needs_tool): partial: redacted: `frame.task`, `cells.task` by " in out
    assert interlock("replay", "--journal", place, "--fail-on-change")[0] == 0
    code, _, err = interlock("runs", "redact", "last", "--cell", "task", "--journal", place)
    assert code == 1
    assert "no record holds cell `task`, or it was taken out before" in err
    answer = told("runs", "redact", "last", "--cell", "lastResult", "--journal", place)
    assert answer["remaining"] != []
    assert answer["head"] == head_of(place)


def test_a_run_that_is_not_what_was_written_is_not_redacted(place: Path) -> None:
    connection = sqlite3.connect(place)
    connection.executescript("UPDATE events SET ts = '2026' WHERE seq = 3")
    connection.close()
    code, _, err = interlock("runs", "redact", "last", "--cell", "task", "--journal", place)
    assert code == 1
    assert "row 3 was changed: its hash is not that of its content; it is not what was written" in err


def test_counts_are_printed_for_the_whole_journal_alone(place: Path) -> None:
    code, out, _ = interlock("runs", "export", "--format", "prometheus", "--journal", place)
    assert code == 0
    assert "interlock_runs_started_total 1\n" in out
    assert TASK not in out
    assert interlock("runs", "export", "last", "--format", "prometheus", "--journal", place)[0] == 2
