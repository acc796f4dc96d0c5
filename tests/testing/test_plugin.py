"""The pytest plugin as its users run it: record once, replay from then on, and fail with the nearest recording."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

pytest_plugins = ["pytester"]

CONFTEST = """
import pytest
from interlock.testing import ScriptedJudge

@pytest.fixture
def interlock_live_judge():
    return ScriptedJudge({"done": 0.9, "route": {"keep": 0.8, "drop": 0.2}})
"""
TESTS = """
import anyio
import pytest
from interlock.questions import Choice, Noul

DONE = Noul(instructions="Is everything done?")
ROUTE = Choice(instructions="Where to?", criteria={"keep": "it is ours", "drop": None})

def ask(judge, state, **questions):
    return anyio.run(judge.answer, state, questions).readings

def test_one(interlock_judge):
    assert ask(interlock_judge, {"task": "a"}, done=DONE)["done"].answer.noul == 0.9
    readings = ask(interlock_judge, {"task": "b", "n": 1}, done=DONE, route=ROUTE)
    assert readings["route"].answer.probabilities == {"keep": 0.8, "drop": 0.2}

@pytest.mark.parametrize("task", ["a b/c", "d"])
def test_many(interlock_judge, task):
    assert ask(interlock_judge, {"task": task}, done=DONE)["done"].reason == "ok"

@pytest.mark.interlock_cassette("shared.jevl")
def test_named(interlock_judge, interlock_cassette):
    assert interlock_cassette.name == "shared.jevl"
    assert ask(interlock_judge, "state", route=ROUTE)["route"].answer.choice == "keep"
"""


def _run(pytester: pytest.Pytester, *flags: str) -> pytest.RunResult:
    """Run pytest with this plugin and no other that is installed."""
    return pytester.runpytest_subprocess("-p", "interlock.testing.plugin", "-W", "error", *flags)


@pytest.fixture
def project(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    """A project whose cassettes are recorded."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    pytester.makeconftest(CONFTEST)
    pytester.makepyfile(test_it=TESTS)
    _run(pytester, "--interlock-record").assert_outcomes(passed=4)
    return pytester


def test_what_was_recorded_is_replayed_and_anything_else_fails_with_the_nearest(project: pytest.Pytester) -> None:
    cassettes = project.path / "cassettes"
    assert sorted(path.relative_to(cassettes).as_posix() for path in cassettes.rglob("*.jevl")) == [
        "shared.jevl", "test_it/test_many-a-b-c.jevl", "test_it/test_many-d.jevl", "test_it/test_one.jevl",
    ]  # fmt: skip
    lines = [json.loads(line) for line in (cassettes / "test_it/test_one.jevl").read_text().splitlines()]
    assert [line["request"]["state"] for line in lines] == [{"task": "a"}, {"task": "b", "n": 1}]
    project.makeconftest("")
    test = Path(project.path / "test_it.py")
    test.write_text(test.read_text().replace('"b", "n": 1', '"c", "n": 1').replace("ours", "mine"), encoding="utf-8")
    result = _run(project)
    result.assert_outcomes(passed=2, failed=2)
    result.stdout.fnmatch_lines(
        [
            "no recording of this request in cassettes/test_it/test_one.jevl; the nearest is recording 2 of 2:",
            "--- recorded",
            "+++ asked",
            '-    "task": "b",',
            '+    "task": "c",',
            '-        "keep": "it is ours",',
            '+        "keep": "it is mine",',
            "record it with `pytest --interlock-record`, or correct what is asked",
        ]
    )
    assert "Traceback" not in result.stdout.str()
    project.makeconftest(CONFTEST)
    _run(project, "--interlock-record").assert_outcomes(passed=4)
    assert len((cassettes / "test_it/test_one.jevl").read_text().splitlines()) == 2


SWALLOWS = """
import anyio
from interlock.questions import Noul

DONE = Noul(instructions="Is everything done?")

def test_swallows(interlock_judge):
    try:
        anyio.run(interlock_judge.answer, {"task": "a"}, {"done": DONE})
    except BaseException:
        pass

def test_in_a_task_group(interlock_judge):
    async def main():
        async with anyio.create_task_group() as group:
            group.start_soon(interlock_judge.answer, {"task": "b"}, {"done": DONE})
    anyio.run(main)

def test_of_its_own_fault(interlock_judge):
    assert 1 == 2
"""


def test_a_miss_fails_the_test_whatever_the_test_makes_of_it(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.delenv("CI", raising=False)
    pytester.makepyfile(test_it=SWALLOWS)
    result = _run(pytester)
    result.assert_outcomes(failed=3)
    assert result.stdout.str().count(": there is none of any\n") == 2
    result.stdout.fnmatch_lines(["*assert 1 == 2"])


def test_the_judge_of_the_settings_is_recorded_unless_a_fixture_says_otherwise(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.setenv("INTERLOCK_JUDGE", "hash")
    pytester.makepyfile(test_it=TESTS.replace("== 0.9", "< 1").replace('== {"keep": 0.8, "drop": 0.2}', "is not None"))
    _run(pytester, "--interlock-record", "-k", "one or many").assert_outcomes(passed=3, deselected=1)
