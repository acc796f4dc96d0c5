"""`interlock check` with a judge or a journal: what it adds, what it needs, and what it costs."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from interlock.cli.main import main
from interlock.loop.reference import shipped_text

SHOP = Path(__file__).parents[2] / "examples" / "shop"


@pytest.fixture(autouse=True)
def _contract(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("TYPESAFE_API_KEY", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    Path("DECISION.md").write_text(shipped_text(), encoding="utf-8")


def check(*args: str) -> tuple[int, str, str]:
    result = CliRunner().invoke(main, ["check", *args])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.exit_code, result.stdout, result.stderr


def codes(*args: str) -> set[str]:
    """Return the codes that `args` add to those of a plain check."""
    plain = json.loads(check("--json")[1])["diagnostics"]
    found = json.loads(check("--json", *args)[1])["diagnostics"]
    return {item["code"] for item in found} - {item["code"] for item in plain}


@pytest.mark.parametrize(
    ("judge", "added", "exit_code"),
    [
        pytest.param("rules", set(), 0, id="code"),
        pytest.param("typesafe:jev-1.13.0", set(), 0, id="a-pinned-hosted-judge-without-a-key"),
        pytest.param("typesafe:jev-latest", {"floating-alias"}, 0, id="an-alias"),
        pytest.param("system-one:http://h#m-1", {"order-sensitive"}, 0, id="a-server-nothing-is-known-of"),
        pytest.param("laya:http://h#m-1", {"order-sensitive", "sharpened-menu", "unsafe-fusion"}, 1, id="laya"),
        pytest.param(
            "typesafe:jev-1.13.0, laya:http://h#m-1",
            {"order-sensitive", "sharpened-menu", "unsafe-fusion"},
            1,
            id="a-chain",
        ),
    ],
)
def test_a_judge_brings_its_own_advice(judge: str, added: set[str], exit_code: int) -> None:
    assert codes("--judge", judge) == added
    assert check("--judge", judge)[0] == exit_code


def test_settings_of_the_judge_count() -> None:
    Path("interlock.toml").write_text('[judging]\nreadout = "logprobs"\norder = "balanced"\n', encoding="utf-8")
    assert codes("--judge", "openai:gpt-x") == set()
    assert codes("--judge", "system-one:http://h#m-1") == set()
    Path("interlock.toml").write_text('[judging]\nreadout = "json"\n', encoding="utf-8")
    assert codes("--judge", "openai:gpt-x") == {"order-sensitive"}


def test_too_many_options_for_a_judge_are_an_error_at_the_first_that_is_too_many() -> None:
    options = "\n".join(f"- kind_{at} — option number {at} of the menu" for at in range(30))
    wide = shipped_text().replace("- done — what has been", f"{options}\n- done — what has been", 1)
    Path("wide.md").write_text(wide, encoding="utf-8")
    code, out, _ = check("wide.md", "--judge", "system-one:http://h#m-1")
    line = next(number for number, text in enumerate(wide.splitlines(), 1) if text.startswith("- kind_21 "))
    assert code == 1
    assert f"wide.md:{line}:3: over-caps: 36 options, and `system-one:http://h#m-1` takes 26;" in out
    assert check("wide.md")[0] == 0


@pytest.mark.parametrize(
    ("args", "exit_code", "message"),
    [
        pytest.param(("--judge", "hsah"), 2, "judge: no provider `hsah`; did you mean `hash`?", id="an-unknown-judge"),
        pytest.param(
            ("--judge", "openai:m"), 2, "`openai:m` writes text; say how its answers are read", id="no-readout"
        ),
        pytest.param(("--judge", "typesafe"), 2, "names no model", id="no-model"),
        pytest.param(("--journal", "nowhere.db"), 1, "nowhere.db", id="no-journal"),
    ],
)
def test_what_cannot_be_known_is_one_sentence(args: tuple[str, ...], exit_code: int, message: str) -> None:
    code, out, err = check(*args)
    assert (code, out) == (exit_code, "")
    assert message in err
    assert len(err.splitlines()) == 1


def test_bounds_are_compared_with_what_was_recorded() -> None:
    run = CliRunner().invoke(
        main, ["run", "Which function does src/alpha.ts export?", "--cwd", str(SHOP), "--journal", "run.db"]
    )
    assert run.exit_code == 0
    tight = shipped_text().replace("+ task         400 ", "+ task          20 ")
    Path("tight.md").write_text(tight, encoding="utf-8")
    code, out, _ = check("tight.md", "--journal", "run.db")
    assert code == 0
    assert "info: tight-bound: `task` is cut at 20, and recorded values came to 40 (95th percentile); write" in out


def test_a_plain_check_loads_nothing_that_only_judges_and_journals_need() -> None:
    probe = (
        "import sys; from click.testing import CliRunner; from interlock.cli.main import main; "
        "assert CliRunner().invoke(main, ['check']).exit_code == 0; "
        "print([name for name in ('httpx2', 'sqlite3', 'pydantic', 'interlock.wiring', 'interlock.settings') "
        "if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
