"""What every test shares: one event loop, and skips that fail where everything must run."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Generator
from contextlib import closing
from pathlib import Path
from urllib.parse import urlsplit

import psycopg
import pytest

from interlock.journal import open_journal
from interlock.journal.base import Store

RUN_ALL = os.environ.get("INTERLOCK_TEST_ALL") == "1"
POSTGRES = os.environ.get("INTERLOCK_TEST_POSTGRES_URL")


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="session")
def postgres_database() -> Generator[str]:
    """The address of a PostgreSQL database that this process has for itself."""
    if not POSTGRES:
        pytest.skip("needs PostgreSQL: INTERLOCK_TEST_POSTGRES_URL names a database, see .ci/postgres.sh")
    name = f"interlock_test_{os.getpid()}"
    with psycopg.connect(POSTGRES, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name} TEMPLATE template0 ENCODING 'UTF8'")
        yield urlsplit(POSTGRES)._replace(path=f"/{name}").geturl()
        connection.execute(f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture
def postgres_url(postgres_database: str) -> str:
    """The address of a PostgreSQL database without tables of ours."""
    with psycopg.connect(postgres_database, autocommit=True) as connection:
        connection.execute("DROP SCHEMA IF EXISTS interlock CASCADE")
    return postgres_database


SHARED = ("sqlite", pytest.param("postgres", marks=pytest.mark.needs_system))


@pytest.fixture(params=SHARED)
def shared_place(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Where a journal is that several processes may share, in a store of each kind."""
    kept = request.param == "sqlite"
    return str(tmp_path / "journal.db") if kept else str(request.getfixturevalue("postgres_url"))


@pytest.fixture(params=("memory", *SHARED))
def any_store(request: pytest.FixtureRequest, tmp_path: Path) -> Generator[Store]:
    """An empty journal, in a store of each kind."""
    places = {"memory": ":memory:", "sqlite": str(tmp_path / "journal.db")}
    place = places.get(request.param) or request.getfixturevalue("postgres_url")
    with closing(open_journal(place)) as opened:
        yield opened


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Turn a skip into a failure under `INTERLOCK_TEST_ALL=1`.

    A test that compares with `../shared`, which is not part of the repository, may still be left out.
    """
    report = yield
    if RUN_ALL and report.skipped and "../shared" not in str(report.longrepr):
        report.outcome = "failed"
        report.longrepr = f"{item.nodeid}: skipped although INTERLOCK_TEST_ALL=1: {call.excinfo and call.excinfo.value}"
    return report


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say what was left out, and how to run it."""
    left_out = terminalreporter.stats.get("skipped", [])
    if not left_out:
        return
    terminalreporter.section("left out here (.ci/run runs everything)")
    reasons: Counter[tuple[str, str]] = Counter()
    for report in left_out:
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
        reasons[report.nodeid.partition("::")[0], reason.removeprefix("Skipped: ")] += 1
    for (file, reason), count in sorted(reasons.items()):
        terminalreporter.line(f"{file}: {count} tests: {reason}")
