"""The pytest plugin: a judge that replies what a test's cassette holds, or records it with `--interlock-record`.

A cassette is a file of `.jevl` lines beside the test. Without the flag no judge is asked, and a request that was not
recorded fails the test and shows the nearest one that was. Judges are loaded when a test wants one.
Source: journal and safety specification, replay.
"""

from __future__ import annotations

import re
from collections.abc import Generator
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

__all__ = [
    "interlock_cassette",
    "interlock_judge",
    "interlock_live_judge",
    "pytest_addoption",
    "pytest_configure",
    "pytest_runtest_call",
]

MARK = "interlock_cassette"

_JUDGES = "interlock.testing.judges"
_MISSED = pytest.StashKey[list[str]]()
"""What is to be said of every request of a test that was not recorded."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add `--interlock-record`."""
    parser.getgroup("interlock").addoption(
        "--interlock-record",
        action="store_true",
        help="ask the live judge and write the cassettes of the tests that run anew",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Declare the mark."""
    config.addinivalue_line("markers", f"{MARK}(name): the cassette of a test, relative to the directory `cassettes`")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """Fail a test that asked what its cassette does not hold, whatever became of the test itself."""
    try:
        result = yield
    except BaseException:
        _fail_when_missed(item)
        raise
    _fail_when_missed(item)
    return result


@pytest.fixture
def interlock_cassette(request: pytest.FixtureRequest) -> Path:
    """The file of the test's cassette: `cassettes/MODULE/TEST.jevl` beside the test, or as the mark names it."""
    directory = request.path.parent / "cassettes"
    mark = request.node.get_closest_marker(MARK)
    if mark is not None:
        return directory / str(mark.args[0])
    name = re.sub(r"[^\w.-]+", "-", request.node.name).strip("-")
    return directory / request.path.stem / f"{name}.jevl"


@pytest.fixture
def interlock_live_judge() -> Generator[object]:
    """The judge that is recorded: the one that the settings name; define this fixture anew for another one."""
    judge = _judges().settings_judge()
    yield judge
    _judges().close_judge(judge)


@pytest.fixture
def interlock_judge(request: pytest.FixtureRequest, interlock_cassette: Path) -> object:
    """A judge that replies from the test's cassette; with `--interlock-record`, the live judge, recorded."""
    if request.config.getoption("--interlock-record"):
        return _judges().recorded(request.getfixturevalue("interlock_live_judge"), interlock_cassette)
    place = interlock_cassette
    with suppress(ValueError):
        place = interlock_cassette.relative_to(request.config.rootpath)
    missed = request.node.stash.setdefault(_MISSED, [])
    return _judges().replayed(interlock_cassette, place=str(place), missed=missed)


def _judges() -> ModuleType:
    return import_module(_JUDGES)


def _fail_when_missed(item: pytest.Item) -> None:
    missed = item.stash.get(_MISSED, [])
    if missed:
        said = f"{missed[0]}\nrecord it with `pytest --interlock-record`, or correct what is asked"
        raise pytest.fail.Exception(said, pytrace=False) from None
