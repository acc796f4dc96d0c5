"""Addresses of databases: which places are some, and what of one may be shown."""

from __future__ import annotations

import pytest

from interlock.postgres import is_address, shown_address


@pytest.mark.parametrize(
    ("place", "shown"),
    [
        pytest.param("postgresql://user:secret@host:1/db?password=secret#secret", "postgresql://host:1/db", id="full"),
        pytest.param("postgres://secret@/db", "postgres:///db", id="no-host"),
        pytest.param("postgresql://u:se@cret@a:1,b:2/db", "postgresql://a:1,b:2/db", id="several-hosts"),
        pytest.param("postgresql://u:secret@host", "postgresql://host/", id="no-database"),
        pytest.param("a/journal.db", "a/journal.db", id="file"),
    ],
)
def test_an_address_is_shown_without_what_it_may_hide(place: str, shown: str) -> None:
    assert shown_address(place) == shown


@pytest.mark.parametrize(
    ("place", "is_one"),
    [
        ("postgresql://host/db", True),
        ("postgres://host/db", True),
        ("mysql://host/db", False),
        ("postgresql", False),
        ("postgresql/journal.db", False),
    ],
)
def test_an_address_is_told_by_its_scheme(place: str, is_one: bool) -> None:
    assert is_address(place) is is_one
