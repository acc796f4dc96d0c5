"""`interlock prompts` from outside: versions, labels, and a comparison that can be cut off and go on."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from click.testing import CliRunner

from interlock.cli.main import main
from interlock.postgres import shown_address
from interlock.registry import shipped_registry

Interlock = Callable[..., tuple[int, str, str]]
ROLE = "You are terse.\n"


@pytest.fixture
def interlock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Interlock:
    """Return what runs a verb in an empty directory."""
    monkeypatch.chdir(tmp_path)

    def run(*args: object) -> tuple[int, str, str]:
        result = CliRunner().invoke(main, ["prompts", *map(str, args)])
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        return result.exit_code, result.stdout, result.stderr

    return run


@pytest.fixture
def role(tmp_path: Path) -> Path:
    """Return a role that lies in the directory and is not published."""
    path = tmp_path / "prompts" / "roles" / "web_research_v2.0.txt"
    path.parent.mkdir(parents=True)
    path.write_text(ROLE, encoding="utf-8")
    return path


def test_the_shipped_prompts_are_listed(interlock: Interlock) -> None:
    code, out, _ = interlock("list")

    assert code == 0
    assert out.splitlines()[0] == "shipped with interlock:"
    assert "  system  decision_engine       1.0, 1.1  production → 1.1" in out


def test_a_text_is_shown_character_for_character(interlock: Interlock) -> None:
    shipped = shipped_registry().get("decision_engine", "1.0")
    _, out, _ = interlock("show", "decision_engine@1.0")
    _, as_json, _ = interlock("show", "decision_engine@1.0", "--json")

    assert out == shipped.text
    assert json.loads(as_json) == {
        "name": "decision_engine",
        "version": "1.0",
        "layer": "system",
        "digest": shipped.ref().digest,
        "text": shipped.text,
    }


def test_two_versions_are_compared_line_by_line(interlock: Interlock) -> None:
    code, out, _ = interlock("diff", "decision_engine@1.0", "decision_engine@1.1")

    assert code == 0
    assert out.startswith("--- decision_engine@1.0\n+++ decision_engine@1.1\n")
    assert interlock("diff", "coder", "coder")[1] == ""


def test_publish_move_and_roll_back(interlock: Interlock, role: Path) -> None:
    assert "roles/web_research_v2.0.txt is not published" in interlock("list")[1]
    assert interlock("publish", "web_research@2.0", "--label", "production")[1].splitlines() == [
        "published web_research@2.0",
        "moved production of web_research to 2.0",
    ]
    assert interlock("show", "web_research")[1] == ROLE
    role.with_name("web_research_v2.1.txt").write_text("Other.", encoding="utf-8")
    assert interlock("publish", "web_research@2.1", "--label", "canary", "--share", 10)[1].splitlines()[1] == (
        "moved canary of web_research to 2.1 for 10 % of the keys"
    )
    interlock("publish", "web_research@2.1", "--label", "production")
    assert interlock("rollback", "web_research")[1] == "rolled back production of web_research to 2.0\n"
    assert interlock("show", "web_research")[1] == ROLE
    assert [line.split("  ")[1] for line in interlock("history", "web_research")[1].splitlines()] == [
        "published web_research@2.0",
        "moved production of web_research to 2.0",
        "published web_research@2.1",
        "moved canary of web_research to 2.1 for 10 % of the keys",
        "moved production of web_research to 2.1",
        "rolled back production of web_research to 2.0",
    ]
    assert interlock("publish", "web_research@2.0")[1] == "web_research@2.0 is published already, with this text\n"


def test_changed_content_under_an_old_number_is_refused(interlock: Interlock, role: Path) -> None:
    interlock("publish", "web_research@2.0")
    role.write_text("You are long-winded.\n", encoding="utf-8")
    code, out, err = interlock("publish", "web_research@2.0")

    assert (code, out) == (1, "")
    assert "give it a new number" in err


def test_a_database_takes_its_texts_from_files(interlock: Interlock, tmp_path: Path) -> None:
    (tmp_path / "role.txt").write_text(ROLE, encoding="utf-8")
    published = interlock("publish", "terse@1.0", "--prompts", "p.db", "--file", "role.txt", "--layer", "role")
    (tmp_path / "role.txt").write_text("Other.", encoding="utf-8")

    assert published[1] == "published terse@1.0\n"
    assert interlock("show", "terse@1.0", "--prompts", "p.db")[1] == ROLE
    assert interlock("publish", "terse@1.0", "--prompts", "p.db", "--file", "role.txt")[0] == 1
    listed = json.loads(interlock("list", "--prompts", "p.db", "--json")[1])
    assert list(listed["registries"][0]["prompts"]) == ["terse"]


def test_the_settings_may_name_the_registry(
    interlock: Interlock, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "role.txt").write_text(ROLE, encoding="utf-8")
    (tmp_path / "interlock.toml").write_text('prompts = "file.db"', encoding="utf-8")
    assert interlock("show", "terse") == (
        1,
        "",
        "interlock: registry `file.db`: there is none; publish into it first, or name another\n",
    )
    assert interlock("publish", "terse@1.0", "--file", "role.txt", "--layer", "role")[0] == 0
    assert interlock("show", "terse@1.0")[1] == ROLE
    monkeypatch.setenv("INTERLOCK_PROMPTS", "variable.db")
    assert interlock("show", "terse@1.0")[0] == 1
    assert interlock("show", "terse@1.0", "--prompts", "file.db")[1] == ROLE


@pytest.mark.needs_system
def test_a_registry_in_postgresql_is_named_by_its_address(
    interlock: Interlock, tmp_path: Path, postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "role.txt").write_text(ROLE, encoding="utf-8")
    monkeypatch.setenv("INTERLOCK_PROMPTS", postgres_url)
    assert "terse" not in interlock("list")[1]
    published = interlock("publish", "terse@1.0", "--file", "role.txt", "--layer", "role", "--label", "production")
    _, listed, _ = interlock("list")

    assert published == (0, "published terse@1.0\nmoved production of terse to 1.0\n", "")
    assert interlock("show", "terse")[1] == ROLE
    assert listed.splitlines()[0] == f"{shown_address(postgres_url)}:"
    assert str(urlsplit(postgres_url).password) not in listed
    assert "a database reads no file by itself" in interlock("publish", "terse@1.1")[2]


@pytest.mark.parametrize(
    ("args", "code", "message"),
    [
        pytest.param(("show", "poet"), 1, "no prompt `poet`", id="no-prompt"),
        pytest.param(("show", "coder@7.0"), 1, "no version `7.0`", id="no-version"),
        pytest.param(("history", "poet"), 1, "no prompt `poet`", id="no-history"),
        pytest.param(("publish", "coder"), 2, "say which version", id="no-number"),
        pytest.param(("publish", "coder@2.0", "--share", "10"), 2, "needs --label", id="share-without-label"),
        pytest.param(("publish", "coder@2.0"), 1, "no file `coder_v2.0`", id="no-file"),
        pytest.param(("publish", "coder@2.0", "--file", "nope.txt"), 2, "no such file", id="no-such-file"),
        pytest.param(("rollback", "coder"), 1, "no prompt `coder`", id="not-ones-own"),
        pytest.param(("list", "--prompts", "nope"), 1, "registry `nope`: there is none", id="no-directory"),
        pytest.param(("show", "coder", "--prompts", "nope.db"), 1, "there is none", id="no-database"),
        pytest.param(("list", "--prompts", "ftp://x"), 1, "a `ftp` registry is not known", id="no-place"),
    ],
)
def test_what_cannot_be_done_is_one_sentence(
    args: tuple[object, ...], code: int, message: str, interlock: Interlock
) -> None:
    found, out, err = interlock(*args)
    (line,) = err.splitlines()

    assert (found, out) == (code, "")
    assert message in line


CASES = "".join(json.dumps({"loop": {"goal": f"goal {n}"}, "expect": {"action": "finish"}}) + "\n" for n in range(6))
DONE = json.dumps({"action": "finish", "tool": None, "tool_input": None, "final": "x"})
ARMS = ("role:web_research@1.0", "role:coder@1.0")
ASKED = ("--cases", "cases.jsonl", "--model", "scripted:replies.json", "--retries", 0)


@pytest.fixture
def comparison(tmp_path: Path) -> None:
    """Write cases, and a model that is right every time."""
    (tmp_path / "cases.jsonl").write_text(CASES, encoding="utf-8")
    (tmp_path / "replies.json").write_text(json.dumps([DONE]), encoding="utf-8")


@pytest.mark.usefixtures("comparison")
def test_a_comparison_ends_in_a_table_a_page_and_a_sentence(interlock: Interlock, tmp_path: Path) -> None:
    code, out, err = interlock("ab", *ARMS, *ASKED, "--html", "page.html")

    assert code == 0
    assert "the role layer differs" in out
    assert "no difference shown in `valid_at_first`" in out
    assert "page.html: written" in err
    assert "<svg" in (tmp_path / "page.html").read_text(encoding="utf-8")


@pytest.mark.usefixtures("comparison")
@pytest.mark.parametrize(
    ("html", "message"),
    [
        pytest.param("nope/page.html", "there is no directory `nope`", id="no-directory"),
        pytest.param(".", "is a directory; name a file", id="a-directory"),
    ],
)
def test_a_page_that_cannot_be_written_is_refused_before_anything_is_asked(
    html: str, message: str, interlock: Interlock, tmp_path: Path
) -> None:
    code, out, err = interlock("ab", *ARMS, *ASKED, "--html", html, "--results", "kept.jsonl")

    assert (code, out) == (2, "")
    assert message in err
    assert not (tmp_path / "kept.jsonl").exists()


@pytest.mark.usefixtures("comparison")
def test_a_comparison_as_json(interlock: Interlock) -> None:
    code, out, err = interlock("ab", *ARMS, *ASKED, "--metric", "expected", "--json")
    report = json.loads(out)

    assert (code, err) == (0, "")
    assert report["comparison"]["metric"] == "expected"
    assert report["comparison"]["pairs"]["both"] == 6
    assert [arm["layer"]["name"] for arm in report["arms"]] == ["web_research", "coder"]


@pytest.mark.usefixtures("comparison")
def test_a_comparison_goes_on_from_its_results(interlock: Interlock, tmp_path: Path) -> None:
    """With a model that would now fail, the kept outcomes still stand."""
    first = interlock("ab", *ARMS, *ASKED, "--results", "r.jsonl")[1]
    lines = (tmp_path / "r.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    (tmp_path / "r.jsonl").write_text("".join(lines[:-4]), encoding="utf-8")
    (tmp_path / "replies.json").write_text(json.dumps(["no object"]), encoding="utf-8")
    again = json.loads(interlock("ab", *ARMS, *ASKED, "--results", "r.jsonl", "--json")[1])

    assert "100.0 %" in first
    assert sum(arm["actions"].get("finish", 0) for arm in again["arms"]) == 8
    assert sum(arm["actions"].get("ask_user", 0) for arm in again["arms"]) == 4
    code, _, err = interlock("ab", *ARMS, *ASKED, "--results", "r.jsonl", "--mode", "json")
    assert code == 1
    assert "something else than results of this experiment" in err


@pytest.mark.usefixtures("comparison")
@pytest.mark.parametrize(
    ("args", "code", "message"),
    [
        pytest.param(("role:coder", "system:decision_engine"), 2, "are different layers", id="two-layers"),
        pytest.param(("role:coder", "role:coder@1.0"), 1, "the arms are equal", id="equal-arms"),
        pytest.param(("coder", "role:coder"), 2, "write LAYER:NAME@VERSION", id="no-layer"),
        pytest.param((*ARMS, "--detect", "2"), 2, "is a part of one", id="detect"),
    ],
)
def test_a_comparison_that_could_show_nothing_is_refused(
    args: tuple[object, ...], code: int, message: str, interlock: Interlock
) -> None:
    found, out, err = interlock("ab", *args, *ASKED)

    assert (found, out) == (code, "")
    assert message in err


@pytest.mark.usefixtures("comparison")
@pytest.mark.skipif(not hasattr(os, "openpty"), reason="needs a pseudo-terminal")
@pytest.mark.parametrize("at_terminal", [True, False])
def test_the_progress_bar_is_loaded_for_a_person_only(at_terminal: bool, tmp_path: Path) -> None:
    (tmp_path / "watch.py").write_text(
        "import sys\n"
        "from interlock.cli.main import main\n"
        "try:\n"
        "    main(sys.argv[1:])\n"
        "finally:\n"
        "    print('loaded' if 'rich' in sys.modules else 'not loaded')\n",
        encoding="utf-8",
    )
    person, terminal = os.openpty()
    done = subprocess.run(
        [sys.executable, "watch.py", "prompts", "ab", *ARMS, *map(str, ASKED)],
        stdout=subprocess.PIPE,
        stderr=terminal if at_terminal else subprocess.PIPE,
        timeout=60,
        check=False,
        cwd=tmp_path,
    )
    os.close(terminal)
    os.close(person)

    assert done.returncode == 0
    assert done.stdout.decode().splitlines()[-1] == ("loaded" if at_terminal else "not loaded")


def test_help_shows_an_example_and_the_exit_codes() -> None:
    for verb in ("list", "show", "diff", "history", "publish", "rollback", "ab"):
        result = CliRunner().invoke(main, ["prompts", verb, "--help"])
        assert f"Example:\n    interlock prompts {verb}" in result.stdout
        assert "Exit codes:" in result.stdout
