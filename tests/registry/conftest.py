"""Every kind of registry, so that each law is held by all."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from interlock.registry import DatabaseRegistry, FileRegistry, open_registry


class Moments:
    """A calendar that moves a minute at every look."""

    def __init__(self) -> None:
        self.now = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)

    def __call__(self) -> datetime:
        self.now += timedelta(minutes=1)
        return self.now


@pytest.fixture(params=["files", "sqlite", pytest.param("postgres", marks=pytest.mark.needs_system)])
def registry_place(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Where a registry is that several processes may share, one of each kind."""
    places = {"files": str(tmp_path / "prompts"), "sqlite": str(tmp_path / "prompts.db")}
    return places.get(request.param) or str(request.getfixturevalue("postgres_url"))


@pytest.fixture
def registry(registry_place: str) -> Iterator[FileRegistry | DatabaseRegistry]:
    """Return an empty registry of each kind."""
    opened = open_registry(registry_place, now=Moments())
    yield opened
    if isinstance(opened, DatabaseRegistry):
        opened.close()
