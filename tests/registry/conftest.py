"""Both kinds of registry, so that each law is held by both."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from interlock.registry import DatabaseRegistry, FileRegistry, SqliteDatabase


class Moments:
    """A calendar that moves a minute at every look."""

    def __init__(self) -> None:
        self.now = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)

    def __call__(self) -> datetime:
        self.now += timedelta(minutes=1)
        return self.now


@pytest.fixture(params=["files", "database"])
def registry(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[FileRegistry | DatabaseRegistry]:
    """Return an empty registry of either kind."""
    if request.param == "files":
        yield FileRegistry(tmp_path / "prompts", now=Moments())
        return
    database = SqliteDatabase(tmp_path / "prompts.db")
    yield DatabaseRegistry(database, now=Moments())
    database.close()
