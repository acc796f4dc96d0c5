"""Where a setting comes from, which source wins, and what is refused."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping
from pathlib import Path

import pytest

from interlock.errors import SettingsError
from interlock.settings import Settings, load_settings

HOME = {"HOME": "/home/nobody"}


def load(
    directory: Path, environ: Mapping[str, str] | None = None, flags: Mapping[str, object] | None = None
) -> Settings:
    return load_settings(directory=directory, environ=HOME | dict(environ or {}), flags=flags)


def write(directory: Path, text: str, name: str = "interlock.toml") -> None:
    (directory / name).write_text(text, encoding="utf-8")


def test_without_any_source_everything_is_default(tmp_path: Path) -> None:
    """A first run needs no file."""
    settings = load(tmp_path)

    assert (settings.judge, settings.writer, settings.contract) == ("rules", "extractive", None)
    assert settings.journal == "/home/nobody/.local/share/interlock/journal.db"
    assert dataclasses.asdict(settings.budgets) == {
        "max_steps": 12,
        "max_seconds": 300.0,
        "max_judge_calls": 200,
        "max_writer_calls": 4,
        "max_tokens": None,
    }
    assert set(settings.origins.values()) == {"default"}


def test_the_data_directory_of_the_desktop_standard_is_used(tmp_path: Path) -> None:
    """`XDG_DATA_HOME` moves the default journal."""
    assert load(tmp_path, {"XDG_DATA_HOME": "/data"}).journal == "/data/interlock/journal.db"


@pytest.mark.parametrize(
    ("environ", "flags", "judge", "origin"),
    [
        pytest.param({}, {}, "from-file", "file interlock.toml", id="file-before-default"),
        pytest.param({"INTERLOCK_JUDGE": "from-env"}, {}, "from-env", "environment INTERLOCK_JUDGE", id="environment"),
        pytest.param({"INTERLOCK_JUDGE": "from-env"}, {"judge": "from-flag"}, "from-flag", "flag", id="flag-first"),
        pytest.param({"INTERLOCK_JUDGE": ""}, {"judge": None}, "from-file", "file interlock.toml", id="empty-is-unset"),
    ],
)
def test_the_nearer_source_wins(
    tmp_path: Path, environ: dict[str, str], flags: dict[str, object], judge: str, origin: str
) -> None:
    """Flag before environment before file before default."""
    write(tmp_path, 'judge = "from-file"')

    settings = load(tmp_path, environ, flags)

    assert (settings.judge, settings.origins["judge"]) == (judge, origin)


def test_a_project_file_may_hold_the_settings(tmp_path: Path) -> None:
    """`[tool.interlock]` is read as `interlock.toml` would be."""
    write(tmp_path, '[tool.interlock]\nwriter = "openai:some-model"\n', "pyproject.toml")

    settings = load(tmp_path)

    assert (settings.writer, settings.origins["writer"]) == ("openai:some-model", "file pyproject.toml")


def test_a_project_file_of_somebody_else_is_left_alone(tmp_path: Path) -> None:
    """A pyproject.toml without our table gives no settings."""
    write(tmp_path, '[tool.other]\njugde = "x"\n', "pyproject.toml")

    assert load(tmp_path).judge == "rules"


def test_tables_are_merged_name_by_name(tmp_path: Path) -> None:
    """One gate from a flag leaves the file's other gates as they are."""
    write(tmp_path, '[gates]\nneeds_tool = 0.7\n"grade_risk.risk[0]" = 3\n[modes]\nstep_ok = "shadow"\n')

    settings = load(
        tmp_path,
        {"INTERLOCK_MODES": "is_done=off, step_ok=enforce", "INTERLOCK_GAP_POLICY": "is_done=refuse"},
        {"gates": {"needs_tool": "0.8"}},
    )

    assert settings.gates == {"needs_tool": 0.8, "grade_risk.risk[0]": 3.0}
    assert settings.modes == {"step_ok": "enforce", "is_done": "off"}
    assert settings.gap_policy == {"is_done": "refuse"}
    assert settings.origins["gates.needs_tool"] == "flag"
    assert settings.origins["gates.grade_risk.risk[0]"] == "file interlock.toml"


def test_a_dotted_gate_needs_no_quotes(tmp_path: Path) -> None:
    """TOML reads an unquoted dotted name as nested tables; both spellings mean one gate."""
    write(tmp_path, "[gates]\ngrade_risk.needs_auth = 0.6\n")

    assert load(tmp_path).gates == {"grade_risk.needs_auth": 0.6}


def test_budgets_are_read_from_every_source(tmp_path: Path) -> None:
    """Numbers in the environment are text and become numbers."""
    write(tmp_path, "[budgets]\nmax_steps = 3\nmax_seconds = 1.5\n")

    budgets = load(tmp_path, {"INTERLOCK_MAX_TOKENS": "900"}, {"budgets": {"max_writer_calls": 2}}).budgets

    assert (budgets.max_steps, budgets.max_seconds, budgets.max_tokens, budgets.max_writer_calls) == (3, 1.5, 900, 2)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        pytest.param('jugde = "rules"', "file interlock.toml: no setting `jugde`; did you mean `judge`", id="key"),
        pytest.param("[budgets]\nmax_step = 1", "no budget `max_step`; did you mean `max_steps`", id="budget"),
        pytest.param(
            '[modes]\nis_done = "shadwo"', "`modes.is_done` cannot be `shadwo`; did you mean `shadow`", id="mode"
        ),
        pytest.param('[gap_policy]\nis_done = "x"', "cannot be `x`; write one of: `refuse`, `warn`", id="gap-policy"),
        pytest.param('gates = "x"', r"`gates` is not a table; write `\[gates\]`", id="not-a-table"),
        pytest.param("judge = 3", "`judge` is not text", id="not-text"),
        pytest.param('judge = " "', "`judge` is not text", id="blank"),
        pytest.param('[gates]\na = "high"', "`gates.a` is `high`; write a number", id="not-a-number"),
        pytest.param("[gates]\na = true", "`gates.a` is `True`; write a number", id="a-truth-value-is-no-number"),
        pytest.param('[gates]\na = "1_0"', "`gates.a` is `1_0`; write a number", id="a-python-spelling"),
        pytest.param(f"[budgets]\nmax_tokens = 1{'0' * 400}", "write a number", id="beyond-every-float"),
        pytest.param("[gates]\na = nan", "`gates.a` is `nan`; write a number", id="nan"),
        pytest.param("[gates]\na = [1]", r"`gates.a` is `\[1\]`; write a number", id="a-list-is-no-number"),
        pytest.param("[budgets]\nmax_steps = 0", "write a whole number of at least 1", id="zero"),
        pytest.param("[budgets]\nmax_steps = 1.5", "write a whole number of at least 1", id="fraction"),
        pytest.param("[budgets]\nmax_seconds = -1", "write a number above 0", id="negative"),
        pytest.param("judge = ", "interlock.toml: is not TOML", id="not-toml"),
    ],
)
def test_what_is_wrong_is_named_with_its_place(tmp_path: Path, text: str, message: str) -> None:
    """A setting that is not understood stops the program; it is never ignored."""
    write(tmp_path, text)

    with pytest.raises(SettingsError, match=message):
        load(tmp_path)


@pytest.mark.parametrize(
    ("environ", "message"),
    [
        pytest.param(
            {"INTERLOCK_JUGDE": "x"}, "no setting `INTERLOCK_JUGDE`; did you mean `INTERLOCK_JUDGE`", id="name"
        ),
        pytest.param(
            {"INTERLOCK_MAX_STEPS": "x"}, "environment INTERLOCK_MAX_STEPS: .* is `x`; write a number", id="number"
        ),
        pytest.param({"INTERLOCK_GATES": "needs_tool"}, "`needs_tool` is not `name=value`", id="pair"),
        pytest.param({"INTERLOCK_GATES": "=1"}, "`=1` is not `name=value`", id="pair-without-a-name"),
    ],
)
def test_a_wrong_variable_is_named(tmp_path: Path, environ: dict[str, str], message: str) -> None:
    """A misspelt variable is a setting that somebody believes to be in force."""
    with pytest.raises(SettingsError, match=message):
        load(tmp_path, environ)


@pytest.mark.parametrize("name", ["INTERLOCK_TEST_ALL", "INTERLOCK_UPDATE_SNAPSHOTS"])
def test_a_switch_of_the_test_suite_is_no_setting(tmp_path: Path, name: str) -> None:
    """It belongs to the tests and may be set while commands run."""
    assert load(tmp_path, {name: "1"}).judge == "rules"


def test_two_files_with_settings_are_refused(tmp_path: Path) -> None:
    """One of the two would be ignored without a word."""
    write(tmp_path, "")
    write(tmp_path, "[tool.interlock]\n", "pyproject.toml")

    with pytest.raises(SettingsError, match=r"keep them in one of the two"):
        load(tmp_path)


def test_a_project_table_that_is_no_table_is_refused(tmp_path: Path) -> None:
    """`tool.interlock = 1` sets nothing."""
    write(tmp_path, "[tool]\ninterlock = 1\n", "pyproject.toml")

    with pytest.raises(SettingsError, match=r"write `\[tool.interlock\]`"):
        load(tmp_path)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        pytest.param(lambda path: path.write_bytes(b"judge = '\xff'"), "is not UTF-8 text", id="bytes"),
        pytest.param(lambda path: path.mkdir(), "cannot be read", id="directory"),
    ],
)
def test_an_unreadable_file_is_one_sentence(tmp_path: Path, make: object, message: str) -> None:
    """No traceback for a file that is not text."""
    assert callable(make)
    make(tmp_path / "interlock.toml")

    with pytest.raises(SettingsError, match=f"interlock.toml: {message}"):
        load(tmp_path)


def test_the_file_of_the_documentation_is_read(tmp_path: Path) -> None:
    """Whoever copies it gets what it says."""
    page = (Path(__file__).parents[2] / "docs/reference/settings.md").read_text(encoding="utf-8")
    write(tmp_path, page.split("```toml\n")[1].split("```")[0])

    settings = load(tmp_path)

    assert settings.gates == {"step_ok": 0.7, "grade_risk.risk[0]": 2.5}
    assert (settings.modes, settings.gap_policy) == ({"is_done": "shadow"}, {"is_done": "refuse"})
    assert (settings.judge, settings.budgets.max_tokens) == ("rules", 100_000)


def test_a_plan_is_chosen_and_what_a_judge_is_asked_is_limited(tmp_path: Path) -> None:
    """By file, by environment and by flag, like every other setting."""
    write(tmp_path, 'plan = "full"\n[judging]\nmax_in_flight = 4\nrequests_per_minute = 1200\n')

    settings = load(tmp_path, {"INTERLOCK_JUDGING": "tokens_per_minute=5000"})

    assert (settings.plan, settings.judging.max_in_flight) == ("full", 4)
    assert (settings.judging.requests_per_minute, settings.judging.tokens_per_minute) == (1200, 5000)
    assert load(tmp_path, {"INTERLOCK_PLAN": "fused"}).plan == "fused"
    assert load(tmp_path, {"INTERLOCK_PLAN": "fused"}, {"plan": "sequential"}).plan == "sequential"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        pytest.param('plan = "nxt"', "`plan` cannot be `nxt`; did you mean `next`?", id="unknown-plan"),
        pytest.param("[judging]\nmax_in_flight = 0", "write a whole number of at least 1", id="no-request-at-all"),
        pytest.param("[judging]\nrequests_per_minute = 1.5", "write a whole number of at least 1", id="half-a-request"),
    ],
)
def test_a_plan_or_limit_that_cannot_be_is_refused(tmp_path: Path, text: str, says: str) -> None:
    """The message names the value and what would be right."""
    write(tmp_path, text)

    with pytest.raises(SettingsError, match=re.escape(says)):
        load(tmp_path)
