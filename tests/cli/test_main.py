"""The command line as a whole: its table of verbs, its errors and its exit codes."""

from __future__ import annotations

import json
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from interlock.cli.main import VERBS, main
from interlock.errors import InterlockError, SchemaVersionError


def run(*args: str) -> tuple[int, str, str]:
    result = CliRunner().invoke(main, list(args))
    return result.exit_code, result.stdout, result.stderr


def commands() -> list[tuple[str, click.Command]]:
    """Every verb and every verb below a verb, by its full name."""
    found: list[tuple[str, click.Command]] = []
    waiting: list[tuple[str, click.Command]] = [("interlock", main)]
    while waiting:
        name, command = waiting.pop()
        found.append((name, command))
        if isinstance(command, click.Group):
            context = click.Context(command)
            below = [(sub, command.get_command(context, sub)) for sub in command.list_commands(context)]
            waiting += [(f"{name} {sub}", entry) for sub, entry in below if entry is not None]
    return found


@pytest.mark.parametrize("verb", VERBS)
def test_the_table_says_what_the_verb_says(verb: str) -> None:
    """`interlock --help` reads the table, so that it need not load the verbs."""
    loaded = main.get_command(click.Context(main), verb)

    assert loaded is not None
    assert (loaded.help or "").splitlines()[0] == VERBS[verb].about


@pytest.mark.parametrize(("name", "command"), commands(), ids=lambda value: value if isinstance(value, str) else "")
def test_every_help_page_has_an_example_and_exit_codes(name: str, command: click.Command) -> None:
    """A reader needs no other page to start."""
    code, out, _ = run(*name.split()[1:], "--help")

    assert code == 0
    if not isinstance(command, click.Group):
        assert f"Example:\n    {name}" in out
        assert "Exit codes:\n    0  ok" in out


def test_an_unknown_verb_offers_the_nearest() -> None:
    """Wrong usage is exit code 2."""
    code, _, err = run("chek")

    assert code == 2
    assert "no verb `chek`; did you mean `check`?" in err


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        pytest.param("shw", "no verb `shw`; did you mean `show`?", id="nearest"),
        pytest.param("zzz", "no verb `zzz`; write one of: `export`, ", id="all"),
    ],
)
def test_a_verb_below_another_is_answered_alike(typed: str, said: str) -> None:
    """`interlock runs shw` is as wrong as `interlock chek`."""
    code, _, err = run("runs", typed)

    assert code == 2
    assert said in err


@pytest.mark.parametrize("verb", [name for name, command in commands() if isinstance(command, click.Group)])
def test_no_list_of_verbs_is_cut_off(verb: str) -> None:
    """Whoever reads the list need not open each page."""
    code, out, _ = run(*verb.split()[1:], "--help")

    assert code == 0
    assert "Verbs:" in out
    assert "..." not in out.partition("Verbs:")[2]


def test_without_a_verb_the_help_is_shown() -> None:
    """Whoever types the bare name sees what there is."""
    code, out, err = run()

    assert code == 2
    assert "Verbs:" in out + err


@pytest.mark.parametrize(
    ("problem", "code", "line"),
    [
        pytest.param(InterlockError("a: wrong\nthing"), 1, "interlock: a: wrong thing\n", id="deliberate"),
        pytest.param(SchemaVersionError("a: no schema", ()), 3, "interlock: a: no schema\n", id="schema"),
        pytest.param(PermissionError(13, "denied", "f"), 1, "interlock: f: denied\n", id="from-the-system"),
    ],
)
def test_an_error_is_one_line_and_an_exit_code(
    monkeypatch: pytest.MonkeyPatch, problem: Exception, code: int, line: str
) -> None:
    """Never a traceback."""

    def broken(*_: object) -> object:
        raise problem

    monkeypatch.setattr(click.Group, "invoke", broken)

    assert run("settings", "show") == (code, "", line)


def test_settings_show_names_each_origin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The working directory's file is read, and says so."""
    (tmp_path / "interlock.toml").write_text('judge = "j"\n[gates]\nneeds_tool = 0.7\n', encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("INTERLOCK_MAX_TOKENS", "900")

    _, text, _ = run("settings", "show")
    code, as_json, _ = run("settings", "show", "--json")

    shown = json.loads(as_json)
    assert code == 0
    assert shown["judge"] == {"value": "j", "origin": "file interlock.toml"}
    assert shown["gates.needs_tool"] == {"value": 0.7, "origin": "file interlock.toml"}
    assert shown["budgets.max_tokens"] == {"value": 900, "origin": "environment INTERLOCK_MAX_TOKENS"}
    assert shown["contract"] == {"value": None, "origin": "default"}
    assert ["contract", "the", "shipped", "one", "(default)"] in [line.split() for line in text.splitlines()]


def test_a_wrong_setting_stops_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One line that names the file and the nearest key."""
    (tmp_path / "interlock.toml").write_text("jugde = 1\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)

    code, out, err = run("settings", "show")

    assert (code, out) == (1, "")
    assert err == "interlock: file interlock.toml: no setting `jugde`; did you mean `judge`?\n"
