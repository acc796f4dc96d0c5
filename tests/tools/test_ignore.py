"""What a simple `.gitignore` leaves out."""

from __future__ import annotations

import pytest

from interlock.tools.ignore import Ignore, parse_ignore


@pytest.mark.parametrize(
    ("rules", "path", "skipped"),
    [
        pytest.param("*.log", "a.log", True, id="suffix"),
        pytest.param("*.log", "sub/a.log", True, id="suffix-anywhere"),
        pytest.param("/a.log", "sub/a.log", False, id="anchored"),
        pytest.param("/a.log", "a.log", True, id="anchored-here"),
        pytest.param("sub/*.log", "sub/a.log", True, id="with-a-folder"),
        pytest.param("sub/*.log", "sub/deep/a.log", False, id="a-star-stays-in-its-folder"),
        pytest.param("**/gen/*.py", "a/b/gen/x.py", True, id="any-depth"),
        pytest.param("docs/**", "docs/a/b.md", True, id="all-below"),
        pytest.param("a/**/z", "a/z", True, id="no-folder-between"),
        pytest.param("out/", "out", False, id="a-folder-rule-spares-files"),
        pytest.param("[ab].txt", "b.txt", True, id="class"),
        pytest.param("a?.txt", "ab.txt", True, id="one-sign"),
        pytest.param("*.log\n!keep.log", "keep.log", False, id="shown-again"),
        pytest.param("!keep.log\n*.log", "keep.log", True, id="last-rule-wins"),
        pytest.param("# *.log\n\n  \n", "a.log", False, id="comments-and-blanks"),
        pytest.param("/\n!\n!/", "a.log", False, id="rules-without-a-name"),
        pytest.param("*" * 201, "a.log", False, id="rule-too-long"),
        pytest.param("", ".hidden", True, id="hidden"),
        pytest.param("!.env", ".env", True, id="hidden-stays-hidden"),
        pytest.param("", "a/node_modules", True, id="packages"),
    ],
)
def test_a_file_is_skipped_as_the_rules_say(rules: str, path: str, skipped: bool) -> None:
    assert parse_ignore(rules).skips(path.split("/"), folder=False) is skipped


def test_a_folder_rule_skips_folders() -> None:
    assert parse_ignore("out/").skips(["a", "out"], folder=True)
    assert not Ignore().skips(["out"], folder=True)


def test_a_rule_full_of_stars_is_matched_quickly() -> None:
    ignore = parse_ignore("*a" * 90 + "\n" + "**/" * 60 + "x")
    assert not ignore.skips(["a" * 200 + "b"], folder=False)
    assert not ignore.skips(["d"] * 60 + ["b"], folder=False)
