"""`interlock run` from outside: what it prints where, how it ends, and that bad input is one sentence."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from interlock.cli.main import main
from interlock.journal.place import read_journal
from interlock.journal.records import read_row
from interlock.loop.reference import shipped_text

SHOP = Path(__file__).parents[2] / "examples" / "shop"
QUESTION = "Which function does src/alpha.ts export?"


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """Return a copy of the example project."""
    return Path(shutil.copytree(SHOP, tmp_path / "shop"))


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """Return where the journal of a test goes."""
    return tmp_path / "journal.db"


def interlock(*args: object, stdin: str | None = None) -> tuple[int, str, str]:
    result = CliRunner().invoke(main, ["run", *map(str, args)], input=stdin)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.exit_code, result.stdout, result.stderr


def one_sentence(err: str) -> str:
    """Return the only line of `err`; it is an error of ours and no traceback."""
    (line,) = err.splitlines()
    assert line.startswith("interlock: ")
    return line


def test_the_answer_goes_to_stdout_and_trace_and_account_to_stderr(shop: Path, place: Path) -> None:
    code, out, err = interlock(QUESTION, "--cwd", shop, "--journal", place)
    assert code == 0
    assert "totalOf" in out
    assert "grade_risk" not in out
    assert "grade_risk  ~ auto" in err
    assert "against" in err
    assert " ms" in err
    assert "→ read_file src/alpha.ts" in err
    assert "decisions" in err.splitlines()[-2]
    assert err.splitlines()[-1].startswith("run ")


def test_json_has_the_keys_of_a_result(shop: Path, place: Path) -> None:
    code, out, err = interlock(QUESTION, "--cwd", shop, "--journal", place, "--json")
    result: dict[str, Any] = json.loads(out)
    assert (code, err) == (0, "")
    assert {"run_id", "head", "halt", "delivered", "answer", "draft", "degraded", "steps", "accounting"} <= set(result)
    assert set(result["accounting"]) == {
        *("decisions", "questions", "requests", "waves", "discarded", "cancelled"),
        *("writer_calls", "tokens", "cached_tokens", "wall_s"),
    }
    assert len(result["contract_digest"]) == 64
    with read_journal(str(place)) as view:
        head = view.head(result["run_id"])
    assert head is not None
    assert head.hash == result["head"]


def test_a_contract_that_lies_in_the_directory_is_not_picked_up(shop: Path, place: Path) -> None:
    (shop / "DECISION.md").write_text("not a contract", encoding="utf-8")
    digests = set()
    for args in ((), ("--contract", write(shop.parent / "own.md", shipped_text()))):
        code, out, _ = interlock(QUESTION, "--cwd", shop, "--journal", place, "--json", *args)
        assert code == 0
        digests.add(json.loads(out)["contract_digest"])
    assert len(digests) == 1


def test_a_gate_from_the_command_line_is_the_one_that_counts(shop: Path, place: Path) -> None:
    code, out, err = interlock(QUESTION, "--cwd", shop, "--journal", place, "--gate", "step_ok=0.99")
    assert code == 0
    assert "step_failed" in err
    assert "totalOf" not in out


def test_a_task_can_come_from_standard_input(shop: Path, place: Path) -> None:
    code, out, _ = interlock("-", "--cwd", shop, "--journal", place, stdin=QUESTION)
    assert code == 0
    assert "totalOf" in out


def write(path: Path, content: str | bytes) -> Path:
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def scripted(tmp_path: Path, **answers: object) -> list[object]:
    """Return the flags for a judge that lets one `delete_file` come to its gate, and a writer that agrees."""
    script = {
        "needs_tool": 0.9,
        "pick_tool": "delete_file",
        "grade_risk.risk": 3,
        "grade_risk.needs_auth": 0.9,
        "step_ok": 0.9,
        "is_done": 0.9,
        "can_deliver.deliverable": 0.9,
        "can_deliver.unsupported": 0.1,
        **answers,
    }
    replies = ['{"arguments": {"path": "build.lock"}}', "build.lock was looked at"]
    return [
        *("--judge", f"scripted:{write(tmp_path / 'judge.json', json.dumps(script))}"),
        *("--writer", f"scripted:{write(tmp_path / 'writer.json', json.dumps(replies))}"),
    ]


def test_without_a_terminal_a_gated_call_is_refused(shop: Path, place: Path, tmp_path: Path) -> None:
    code, _, err = interlock(
        "Delete build.lock", "--cwd", shop, "--journal", place, "--allow-delete", *scripted(tmp_path)
    )
    assert code == 5
    assert "standard input is not a terminal" in err
    assert (shop / "build.lock").exists()


@pytest.mark.skipif(not hasattr(os, "openpty"), reason="needs a pseudo-terminal")
@pytest.mark.parametrize(
    ("typed", "code", "deleted"),
    [
        pytest.param(b"y\n", 0, True, id="yes"),
        pytest.param(b"n\n", 5, False, id="no"),
        pytest.param(b"\n", 5, False, id="no-by-default"),
        pytest.param(b"\x04", 5, False, id="no-by-ending-the-input"),
        pytest.param(b"maybe\n\x04", 5, False, id="neither-and-then-the-end"),
    ],
)
def test_at_a_terminal_a_person_is_asked(shop: Path, tmp_path: Path, typed: bytes, code: int, deleted: bool) -> None:
    keyboard, terminal = os.openpty()
    program = str(Path(sys.executable).with_name("interlock"))
    flags = ["--cwd", str(shop), "--journal", ":memory:", "--allow-delete", *map(str, scripted(tmp_path))]
    os.write(keyboard, typed)
    done = subprocess.run(
        [program, "run", "Delete build.lock", *flags], stdin=terminal, capture_output=True, timeout=60, check=False
    )
    os.close(keyboard)
    os.close(terminal)
    err = done.stderr.decode()
    assert done.returncode == code, err
    assert "delete_file in " in err
    assert "risk 3 (destructive)" in err
    assert "Run this call? [y/N]" in err
    assert (shop / "build.lock").exists() is not deleted


@pytest.mark.parametrize(
    ("answers", "code"),
    [
        pytest.param({"pick_tool": "done", "can_deliver.deliverable": 0.1}, 4, id="not-delivered"),
        pytest.param({"can_deliver.deliverable": 0.1}, 5, id="denied-before-not-delivered"),
    ],
)
def test_of_several_exit_codes_the_worst_wins(
    shop: Path, place: Path, tmp_path: Path, answers: dict[str, object], code: int
) -> None:
    flags = scripted(tmp_path, **answers)
    found, out, err = interlock("Delete it", "--cwd", shop, "--journal", place, "--allow-delete", *flags, "--json")
    result = json.loads(out)
    assert (found, result["delivered"], result["answer"]) == (code, False, None)
    assert result["draft"]
    assert "not delivered" in err
    assert result["draft"] in err


def test_a_writer_that_fails_is_an_error_and_the_run_stays_on_record(shop: Path, place: Path, tmp_path: Path) -> None:
    empty = write(tmp_path / "none.json", '[""]')
    code, out, err = interlock(QUESTION, "--cwd", shop, "--journal", place, "--writer", f"scripted:{empty}", "--json")
    result = json.loads(out)
    assert (code, result["halt"], result["answer"]) == (1, "writer_failed", None)
    assert "writer" in one_sentence(err)
    assert result["steps"]


@pytest.mark.parametrize(
    ("content", "says"),
    [
        pytest.param(b"\xff\xfe\x00c", "binary", id="binary"),
        pytest.param(b"# caf\xe9\n", "is not UTF-8 text", id="not-utf8"),
        pytest.param(b"x" * 10_000_000, "is larger than", id="ten-megabytes"),
    ],
)
def test_a_contract_that_cannot_be_read_is_one_sentence(
    shop: Path, place: Path, tmp_path: Path, content: bytes, says: str
) -> None:
    contract = write(tmp_path / "bad.md", content)
    code, out, err = interlock(QUESTION, "--cwd", shop, "--journal", place, "--contract", contract)
    assert (code, out) == (1, "")
    assert says in one_sentence(err)
    assert not place.exists()


def test_an_empty_contract_names_its_schema_as_missing(shop: Path, place: Path, tmp_path: Path) -> None:
    code, out, err = interlock(
        QUESTION, "--cwd", shop, "--journal", place, "--contract", write(tmp_path / "empty.md", "")
    )
    assert (code, out) == (3, "")
    assert "schema" in err
    assert "Traceback" not in err


def test_a_contract_with_a_mistake_is_refused_with_line_and_column(shop: Path, place: Path, tmp_path: Path) -> None:
    broken = shipped_text().replace("→ ask_human", "→ ask_humn", 1)
    code, out, err = interlock(
        QUESTION, "--cwd", shop, "--journal", place, "--contract", write(tmp_path / "broken.md", broken)
    )
    assert (code, out) == (1, "")
    assert "broken.md:" in err
    assert "did you mean `ask_human`?" in err


@pytest.mark.parametrize(
    ("args", "code", "says"),
    [
        pytest.param(["what?", "--cwd", "nowhere"], 2, "nowhere: no such directory", id="missing-directory"),
        pytest.param(["what?", "--cwd", "FILE"], 2, "is not a directory", id="a-file-for-a-directory"),
        pytest.param(["what?", "--contract", "nowhere.md"], 2, "nowhere.md: no such file", id="missing-contract"),
        pytest.param(["x" * 1_048_576], 2, "task: is longer than 100,000 characters", id="a-task-of-a-megabyte"),
        pytest.param(["  "], 2, "task: is empty", id="an-empty-task"),
        pytest.param(["\udcff"], 2, "task: is not valid text", id="a-task-that-is-not-utf8"),
        pytest.param(["what?", "--gate", "step_ok"], 2, "write `decision.question=number`", id="a-gate-without-number"),
        pytest.param(["what?", "--gate", "stepok=0.7"], 2, "did you mean `step_ok", id="an-unknown-gate"),
        pytest.param(["what?", "--gate", "step_ok=1_0"], 2, "`1_0` is not a number", id="a-gate-spelt-for-python"),
        pytest.param(["what?", "--judge", "rulez"], 2, "did you mean `rules`?", id="an-unknown-judge"),
        pytest.param(["what?", "--writer", "rules"], 2, "writes no text", id="a-judge-for-a-writer"),
        pytest.param(["what?", "--max-steps", "0"], 2, "write a whole number of at least 1", id="no-steps"),
        pytest.param(["what?", "--max-tokens", "ten"], 2, "`ten`; write a number", id="tokens-in-words"),
        pytest.param(["what?", "--journal", ""], 2, "`journal` is not text", id="an-empty-journal"),
        pytest.param(["what?", "--after", "nowhere"], 1, "no run `nowhere`", id="after-an-unknown-run"),
        pytest.param(["what?", "--journal", "FILE/x.db"], 1, "journal", id="a-journal-below-a-file"),
        pytest.param(["what?", "--journal", "/proc/none/x.db"], 1, "journal", id="a-journal-that-cannot-be-made"),
    ],
)
def test_bad_input_is_one_sentence(shop: Path, place: Path, args: list[str], code: int, says: str) -> None:
    file = str(shop / "README.md")
    given = [arg.replace("FILE", file) for arg in args]
    found, out, err = interlock("--cwd", shop, "--journal", place, *given)
    assert (found, out) == (code, "")
    assert says in one_sentence(err)


def test_a_gate_out_of_range_is_no_fault_of_the_contract(shop: Path, place: Path) -> None:
    code, out, err = interlock(QUESTION, "--cwd", shop, "--journal", place, "--gate", "step_ok=7")
    assert (code, out) == (2, "")
    assert "threshold-out-of-range" in err


def test_a_file_that_is_no_journal_is_left_as_it_is(shop: Path) -> None:
    notes = shop / "README.md"
    before = notes.read_bytes()
    code, _, err = interlock(QUESTION, "--cwd", shop, "--journal", notes)
    assert code == 1
    assert "README.md" in one_sentence(err)
    assert notes.read_bytes() == before


@pytest.mark.skipif(os.name != "posix", reason="permissions are those of POSIX")
def test_a_read_only_journal_stops_the_run_before_it_begins(shop: Path, place: Path) -> None:
    assert interlock(QUESTION, "--cwd", shop, "--journal", place)[0] == 0
    before = place.read_bytes()
    place.chmod(0o444)
    code, out, err = interlock(QUESTION, "--cwd", shop, "--journal", place)
    if os.geteuid() == 0:
        assert code == 0  # no file is read-only for the superuser
        return
    assert (code, out) == (1, "")
    assert "journal" in one_sentence(err)
    assert place.read_bytes() == before


@pytest.mark.enable_socket
def test_a_judge_that_is_down_is_not_a_crash(shop: Path, place: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    judge = f"system-one:http://127.0.0.1:{port}#m"
    code, out, err = interlock(QUESTION, "--cwd", shop, "--journal", place, "--judge", judge, "--max-seconds", "30")
    assert (code, out) == (4, "")
    assert "judge_down+escalate" in err
    assert f"judge {judge}" in err
    assert "Traceback" not in err


@pytest.mark.parametrize("named", [pytest.param(99, id="id"), pytest.param(-2, id="beginning"), "last"])
def test_an_earlier_run_is_continued_as_other_verbs_name_it(named: int | str, shop: Path, place: Path) -> None:
    _, out, _ = interlock(QUESTION, "--cwd", shop, "--journal", place, "--json")
    first = json.loads(out)["run_id"]
    after = named if isinstance(named, str) else first[:named]

    code, out, _ = interlock("Read it again", "--cwd", shop, "--journal", place, "--after", after, "--json")

    assert code in (0, 4)
    with read_journal(str(place)) as view:
        started = read_row(next(view.rows(json.loads(out)["run_id"])))
    assert started.body["after"] == first


def test_the_program_as_installed_answers(shop: Path, place: Path) -> None:
    program = Path(sys.executable).with_name("interlock")
    args = [str(program), "run", QUESTION, "--cwd", str(shop), "--journal", str(place)]
    done = subprocess.run(args, capture_output=True, text=True, timeout=20, check=False)
    assert done.returncode == 0, done.stderr
    assert "totalOf" in done.stdout
