"""`interlock functions`: the style of functions, and what is shown of one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from interlock.cli.main import main

GOOD = '''
from interlock import Agent

class Shop(Agent):
    method_options = {"refund_order": {"tool": True, "input": {
        "order": {"description": "Which order", "placeholder": "A-17"},
        "reason": {"description": "Why", "options": ["late", "broken"]},
        "session": {"hidden": True},
    }}}

    def refund_order(self, order: str, reason: str, full: bool = True, session: str = "s") -> str:
        """Give the money of an order back."""
        return order

shop = Shop()
NUMBER = 3
'''
BAD = "class A(Agent):\n    def ask(self, q): ...\n"


def run(*args: str, stdin: str | None = None) -> Result:
    return CliRunner().invoke(main, ["functions", *args], input=stdin)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A good and a bad file in the working directory."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "shop_of_tests.py").write_text(GOOD, encoding="utf-8")
    (tmp_path / "bad.py").write_text(BAD, encoding="utf-8")
    return tmp_path


def test_findings_are_printed_like_a_compilers(folder: Path) -> None:
    result = run("lint", "shop_of_tests.py", "bad.py")

    assert result.exit_code == 1
    assert result.stdout.splitlines() == [
        (
            "shop_of_tests.py:11:53: F03: `full` of `Shop.refund_order` is not described; "
            'write `"description"` in `input=`'
        ),
        "bad.py:2:9: F01: `A.ask` has no docstring; write one line that says when it applies",
        'bad.py:2:19: F03: `q` of `A.ask` is not described; write `"description"` in `input=`',
        "3 errors, 0 warnings, 0 notes",
    ]


def test_warnings_change_no_exit_code(folder: Path) -> None:
    result = run("lint", "-", stdin="class A(Agent):\n    def run(self): 'Run.'\n")

    assert result.exit_code == 0
    assert "standard input:2:9: warning: F07: the name `run` fits any function" in result.stdout
    assert result.stdout.endswith("0 errors, 1 warning, 0 notes\n")


def test_no_findings_are_said_in_one_line(folder: Path) -> None:
    assert run("lint", "-", stdin="x = 1\n").stdout == "0 errors, 0 warnings, 0 notes\n"


@pytest.mark.parametrize("flags", [("--format", "json"), ("--json",)], ids=["format", "short"])
def test_json_has_every_file_and_finding(folder: Path, flags: tuple[str, ...]) -> None:
    whole = json.loads(run("lint", "bad.py", "shop_of_tests.py", *flags).stdout)

    assert whole["summary"] == {"errors": 3, "warnings": 0, "infos": 0}
    assert [each["file"] for each in whole["files"]] == ["bad.py", "shop_of_tests.py"]
    found = whole["files"][0]["diagnostics"][0]
    assert (found["code"], found["layer"], found["line"], found["column"]) == ("F01", "function", 2, 9)


def test_sarif_describes_each_rule_once(folder: Path) -> None:
    (scan,) = json.loads(run("lint", "bad.py", "bad.py", "--format", "sarif").stdout)["runs"]

    assert [rule["id"] for rule in scan["tool"]["driver"]["rules"]] == ["F01", "F03"]
    assert [item["ruleId"] for item in scan["results"]] == ["F01", "F03", "F01", "F03"]


def test_github_annotations_name_file_and_line(folder: Path) -> None:
    lines = run("lint", "bad.py", "--format", "github").stdout.splitlines()

    assert lines[0].startswith("::error file=bad.py,line=2,endLine=2,col=9,endColumn=12,title=F01::`A.ask` has no")


def test_a_file_is_never_imported(folder: Path) -> None:
    (folder / "loud.py").write_text("raise SystemExit('imported')\n", encoding="utf-8")

    assert run("lint", "loud.py").exit_code == 0


@pytest.mark.parametrize(
    ("args", "code", "words"),
    [
        pytest.param(("lint",), 2, "Missing argument", id="no-file"),
        pytest.param(("lint", "none.py"), 2, "none.py: no such file", id="no-such-file"),
        pytest.param(("lint", "."), 2, "is a directory", id="a-directory"),
        pytest.param(("show", "shop_of_tests"), 2, "write MODULE:FUNCTION", id="no-function"),
        pytest.param(("show", "none_of_tests:f"), 2, "cannot be imported", id="no-module"),
        pytest.param(("show", "shop_of_tests:nothing"), 2, "cannot be imported", id="no-attribute"),
        pytest.param(("show", "shop_of_tests:NUMBER"), 2, "is not a function", id="a-number"),
        pytest.param(("show", "builtins:dict"), 1, "no readable signature", id="no-signature"),
    ],
)
def test_wrong_usage_is_one_line(folder: Path, args: tuple[str, ...], code: int, words: str) -> None:
    result = run(*args)

    assert result.exit_code == code
    assert words in result.stderr


@pytest.mark.parametrize("place", ["shop_of_tests:Shop.refund_order", "shop_of_tests:shop.refund_order"])
def test_a_function_is_shown_as_a_model_and_a_person_see_it(folder: Path, place: str) -> None:
    result = run("show", place)

    assert result.exit_code == 0
    assert result.stdout.splitlines() == [
        "menu:",
        "  refund_order(order: str, reason: str, full: bool)",
        "      Give the money of an order back.",
        "      order: Which order",
        '      reason: Why (options: "late", "broken")',
        "      full (default: true)",
        '      Call: {"call": "refund_order", "args": {"order": "<str>", "reason": "<str>", "full": false}}',
        "form:",
        "  order (str) Which order: textarea, shows `A-17`",
        "  reason (str) Why: chips, `late`, `broken`, or other text",
        "  full (bool, optional): toggle",
    ]


def test_json_shows_menu_spec_and_form(folder: Path) -> None:
    whole = json.loads(run("show", "shop_of_tests:shop.refund_order", "--json").stdout)

    assert list(whole) == ["menu", "spec", "form"]
    assert whole["spec"]["parameters"]["required"] == ["order", "reason"]
    assert whole["form"][1] == {
        "name": "reason",
        "label": "reason (str) Why",
        "control": "chips",
        "chips": ["late", "broken"],
        "takes_other": True,
    }
    assert whole["form"][2]["toggled"] is True
    assert "session" not in json.dumps(whole)
