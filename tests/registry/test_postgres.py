"""A registry in a real PostgreSQL: connections are lost, readers may only read, and no address is ever shown."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from urllib.parse import quote, urlsplit

import psycopg
import pytest
from psycopg import sql

from interlock.errors import PromptError
from interlock.journal import open_journal
from interlock.postgres import shown_address
from interlock.registry import DatabaseRegistry, open_registry
from interlock.registry.postgres import PostgresDatabase

pytestmark = pytest.mark.needs_system

TS = "2026-01-02T03:04:05.000006Z"


@pytest.fixture
def registry(postgres_url: str) -> Iterator[DatabaseRegistry]:
    with closing(DatabaseRegistry(PostgresDatabase(postgres_url, lock_timeout_s=0.2))) as opened:
        yield opened


def _admin(url: str) -> psycopg.Connection[tuple[object, ...]]:
    return psycopg.connect(url, autocommit=True)


def _as(url: str, user: str, password: str, path: str | None = None) -> str:
    parts = urlsplit(url)
    host = f"{quote(user)}:{quote(password)}@{parts.hostname}:{parts.port}"
    return parts._replace(netloc=host, path=path or parts.path).geturl()


def test_it_stands_beside_a_journal_in_one_database(registry: DatabaseRegistry, postgres_url: str) -> None:
    with closing(open_journal(postgres_url)) as journal:
        journal.append("r", "run_started", {}, ts=TS)
        registry.publish("review", "1.0", text="Review.", layer="role", label="production")
        journal.append("r", "run_ended", {}, ts=TS)

    assert registry.get("review").text == "Review."
    assert registry.place == shown_address(postgres_url)


def test_a_connection_that_the_server_ended_is_made_anew(registry: DatabaseRegistry, postgres_url: str) -> None:
    registry.publish("review", "1.0", text="Review.", layer="role")
    with _admin(postgres_url) as connection:
        connection.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            "WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )
    with pytest.raises(PromptError, match=r"is shutting down or starting|the connection was lost|cannot be reached"):
        registry.index()

    assert registry.get("review", "1.0").text == "Review."


def test_a_writer_that_holds_the_registry_is_waited_for_and_then_named(
    registry: DatabaseRegistry, postgres_url: str
) -> None:
    other = PostgresDatabase(postgres_url)
    with closing(other), other.writing():
        with pytest.raises(PromptError, match="is locked by another process; try again"):
            registry.publish("review", "1.0", text="Review.", layer="role")
        assert registry.index().history == ()


def test_a_reader_needs_no_right_to_write(registry: DatabaseRegistry, postgres_url: str) -> None:
    registry.publish("review", "1.0", text="Review.", layer="role", label="production")
    with _admin(postgres_url) as connection:
        connection.execute("DROP ROLE IF EXISTS prompt_reader")
        connection.execute("CREATE ROLE prompt_reader LOGIN PASSWORD 'reading'")
        connection.execute("GRANT USAGE ON SCHEMA interlock TO prompt_reader")
        connection.execute("GRANT SELECT ON ALL TABLES IN SCHEMA interlock TO prompt_reader")
    try:
        with closing(PostgresDatabase(_as(postgres_url, "prompt_reader", "reading"))) as database:
            reader = DatabaseRegistry(database)
            assert reader.get("review").text == "Review."
            with pytest.raises(PromptError, match="may not be used by this user; grant"):
                reader.publish("review", "1.1", text="Other.")
    finally:
        with _admin(postgres_url) as connection:
            connection.execute("DROP OWNED BY prompt_reader")
            connection.execute("DROP ROLE prompt_reader")


@pytest.mark.parametrize(
    ("user", "password", "path", "says"),
    [
        pytest.param("canary", "pass-canary", None, "refused the login", id="login"),
        pytest.param(None, None, "/no_such_canary", "has no such database", id="database"),
    ],
)
def test_an_address_that_leads_nowhere_is_explained_and_its_secrets_are_not_shown(
    postgres_url: str, user: str | None, password: str | None, path: str | None, says: str
) -> None:
    parts = urlsplit(postgres_url)
    secret = password or str(parts.password)
    address = _as(postgres_url, user or str(parts.username), secret, path)
    with pytest.raises(PromptError, match=says) as caught:
        open_registry(address)
    assert secret not in repr(caught.value)
    assert str(caught.value).startswith(f"registry `{shown_address(address)}`: ")


@pytest.mark.parametrize(
    "statement",
    [
        pytest.param("CREATE TABLE interlock.prompt_history (seq INTEGER)", id="other-columns"),
        pytest.param(
            "CREATE TABLE interlock.prompt_history (seq INT, at TEXT, act TEXT, name TEXT, version TEXT, layer TEXT, "
            "digest TEXT, label TEXT, share DOUBLE PRECISION); INSERT INTO interlock.prompt_history VALUES "
            "(1, '', 'publish', 'review', '1.0', 'role', '', NULL, NULL)",
            id="no-texts",
        ),
    ],
)
def test_other_tables_of_these_names_are_not_taken_for_a_registry(
    registry: DatabaseRegistry, postgres_url: str, statement: str
) -> None:
    with _admin(postgres_url) as connection:
        connection.execute("CREATE SCHEMA interlock")
        connection.execute(sql.SQL(statement))
    with pytest.raises(PromptError, match="has not the tables of a registry"):
        registry.get("review", "1.0")


def test_a_changed_text_is_found_out(registry: DatabaseRegistry, postgres_url: str) -> None:
    registry.publish("review", "1.0", text="Review.", layer="role")
    with _admin(postgres_url) as connection:
        connection.execute("UPDATE interlock.prompt_texts SET content = 'Approve.'")
    with pytest.raises(PromptError, match=r"the text of `review@1\.0` is not what was published"):
        registry.get("review", "1.0")


def test_a_closed_registry_says_so(registry: DatabaseRegistry) -> None:
    registry.close()
    registry.close()
    with pytest.raises(PromptError, match="is closed; open it anew"):
        registry.index()


def test_a_missing_library_is_named_by_its_extra() -> None:
    code = (
        "import sys; sys.modules['psycopg'] = None\n"
        "from interlock.errors import PromptError\n"
        "from interlock.registry import open_registry\n"
        "try: open_registry('postgresql://user:canary@host/db')\n"
        "except PromptError as error: print(error)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == 'registry: `psycopg` is not installed: pip install "interlock[postgres]"\n'
