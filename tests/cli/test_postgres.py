"""Every verb works on a journal in PostgreSQL, and none shows the password in its address."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from urllib.parse import urlsplit

import psycopg
import pytest
from click.testing import CliRunner

from interlock.cli.main import main

pytestmark = pytest.mark.needs_system

SHOP = Path(__file__).parents[2] / "examples" / "shop"


def interlock(*args: object) -> tuple[int, str]:
    """Return exit code and everything that was printed."""
    result = CliRunner().invoke(main, [str(arg) for arg in args])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.exit_code, result.output


def test_a_run_is_recorded_listed_shown_exported_verified_and_replayed(
    postgres_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("INTERLOCK_JOURNAL", postgres_url)
    monkeypatch.chdir(tmp_path)
    shutil.copytree(SHOP, tmp_path / "shop")
    assert interlock("run", "List the files", "--cwd", "shop", "--record-state")[0] == 0
    said = [
        interlock("runs", "list"),
        interlock("runs", "show", "last"),
        interlock("runs", "export", "last", "--format", "markdown"),
        interlock("verify"),
        interlock("verify", "--json"),
        interlock("replay", "--gate", "is_done=0.99"),
        interlock("replay", "--json"),
        interlock("settings", "show"),
        interlock("settings", "show", "--json"),
    ]
    said += [
        interlock("runs", "redact", "last", "--cell", "task"),
        interlock("verify", "last"),
        interlock("runs", "prune", "--older-than", "1h"),
    ]
    assert [code for code, _ in said] == [0] * len(said)
    assert "redacted: `task`" in said[10][1]
    assert said[11][1] == "0 runs deleted\n"
    assert "2 changed" not in said[5][1]
    assert "finish → keep_going" in said[5][1]
    assert json.loads(said[4][1])["verdict"] == "verified"
    password = urlsplit(postgres_url).password
    assert password is not None
    assert password not in "".join(output for _, output in said)


def test_an_edited_row_is_named(postgres_url: str, tmp_path: Path) -> None:
    shop = shutil.copytree(SHOP, tmp_path / "shop")
    assert interlock("run", "List the files", "--cwd", shop, "--journal", postgres_url)[0] == 0
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        connection.execute("UPDATE interlock.events SET body = body || ' ' WHERE seq = 3")
    code, output = interlock("verify", "--journal", postgres_url)
    assert code == 1
    assert re.search(r"row 3 \([a-z_ ]+\): mismatch: was changed", output)


def test_a_database_that_cannot_be_reached_is_one_sentence(postgres_url: str) -> None:
    password = urlsplit(postgres_url).password
    assert password is not None
    code, output = interlock("runs", "list", "--journal", postgres_url.replace(password, "canary"))
    assert code == 1
    assert output.count("\n") == 1
    assert "refused the login" in output
    assert "canary" not in output


def test_a_call_waits_for_a_person_and_another_process_goes_on(postgres_url: str, tmp_path: Path) -> None:
    shop = shutil.copytree(SHOP, tmp_path / "shop")
    flags = ("--allow-delete", "--park", "--cwd", shop, "--journal", postgres_url)
    assert interlock("run", "Delete the file build.lock", *flags)[0] == 6
    code, output = interlock("approvals", "list", "--json", "--journal", postgres_url)
    assert code == 0
    waiting = json.loads(output)["approvals"][0]["id"]
    assert interlock("approvals", "approve", waiting, "--by", "Ann", "--journal", postgres_url)[0] == 0
    assert interlock("runs", "resume", "last", "--journal", postgres_url)[0] == 0
    assert not (shop / "build.lock").exists()
    assert interlock("verify", "--journal", postgres_url)[0] == 0
