"""A registry in a database, whichever one it is: plain SQL over a seam that any database can stand behind.

Source: decision-engine specification, versions and registry.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Protocol, TypeAlias

from interlock.errors import PromptError
from interlock.prompts import Layer
from interlock.prompts.layers import text_digest
from interlock.registry.base import PRODUCTION, Clock, Prompt, moment, utc_now
from interlock.registry.index import Change, Index, rollback_change
from interlock.registry.ledger import change_json, read_history
from interlock.registry.publishing import publication

__all__ = ["SCHEMA", "Database", "DatabaseRegistry", "Execute"]

Value: TypeAlias = str | int | float | None
"""What a column holds."""

SCHEMA = (
    """CREATE TABLE IF NOT EXISTS prompt_texts (
        name TEXT NOT NULL, version TEXT NOT NULL, content TEXT NOT NULL, PRIMARY KEY (name, version))""",
    """CREATE TABLE IF NOT EXISTS prompt_history (
        seq INTEGER NOT NULL PRIMARY KEY, at TEXT NOT NULL, act TEXT NOT NULL, name TEXT NOT NULL,
        version TEXT NOT NULL, layer TEXT NOT NULL, digest TEXT NOT NULL, label TEXT, share DOUBLE PRECISION)""",
)
"""The statements that make the tables; they mean the same to SQLite and to PostgreSQL."""

_COLUMNS = ("at", "act", "name", "version", "layer", "digest", "label", "share")
_HISTORY = f"SELECT {', '.join(_COLUMNS)} FROM prompt_history ORDER BY seq"  # noqa: S608 -- names of columns
_ADD = f"INSERT INTO prompt_history (seq, {', '.join(_COLUMNS)}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"  # noqa: S608
_TEXT = "SELECT content FROM prompt_texts WHERE name = ? AND version = ?"
_ADD_TEXT = "INSERT INTO prompt_texts (name, version, content) VALUES (?, ?, ?)"


class Execute(Protocol):
    """Runs one statement of a transaction."""

    def __call__(self, sql: str, values: Sequence[Value] = ()) -> list[tuple[Value, ...]]:
        """Return the rows; each `?` of the statement stands for one value."""
        ...


class Database(Protocol):
    """Where the tables are."""

    @property
    def place(self) -> str:
        """Where it is, as shown to a person."""
        ...

    def reading(self) -> AbstractContextManager[Execute | None]:
        """Begin a transaction that sees one state throughout; None where nothing was ever published.

        Raises:
            PromptError: the database cannot be reached or read.
        """
        ...

    def writing(self) -> AbstractContextManager[Execute]:
        """Begin a transaction that no other writer can interleave; it is undone when the block raises.

        The tables are made where there are none.

        Raises:
            PromptError: the database cannot be reached or written.
        """
        ...

    def close(self) -> None:
        """Let go of it; closing twice is allowed."""
        ...


class DatabaseRegistry:
    """Prompts in two tables: the texts, which never change, and the history from which all else follows."""

    def __init__(self, database: Database, *, now: Clock = utc_now) -> None:
        self._database = database
        self._now = now

    @property
    def place(self) -> str:
        """Where the database is."""
        return self._database.place

    def index(self) -> Index:
        """Return every name, version and label, and the history; see `PromptRegistry.index`."""
        with self._database.reading() as execute:
            return self._index(execute)

    def get(self, name: str, which: str = PRODUCTION, *, key: str | None = None) -> Prompt:
        """Return one published version; see `PromptRegistry.get`."""
        with self._database.reading() as execute:
            entry = self._index(execute).entry(name)
            version = entry.resolve(which, key)
            text = "" if execute is None else _text(execute(_TEXT, (name, version)))
        if text_digest(text) != entry.versions[version]:
            raise PromptError(f"{self.place}: the text of `{name}@{version}` is not what was published")
        return Prompt(name=name, version=version, layer=entry.layer, text=text)

    def publish(
        self,
        name: str,
        version: str,
        *,
        text: str | None = None,
        layer: Layer | None = None,
        label: str | None = None,
        share: float | None = None,
    ) -> tuple[Change, ...]:
        """Publish `text`, or only let a label point to what is there; see `PromptRegistry.publish`."""
        at = moment(self._now)
        with self._database.writing() as execute:
            index = self._index(execute)
            changes = publication(
                index, at=at, name=name, version=version, text=text, layer=layer, label=label, share=share
            )
            if any(change.act == "publish" for change in changes):
                execute(_ADD_TEXT, (name, version, text))
            _append(execute, len(index.history), changes)
        return changes

    def rollback(self, name: str, label: str = PRODUCTION) -> Change:
        """Let a label point where it pointed before; see `PromptRegistry.rollback`."""
        with self._database.writing() as execute:
            index = self._index(execute)
            change = rollback_change(index, at=moment(self._now), name=name, label=label)
            _append(execute, len(index.history), [change])
        return change

    def close(self) -> None:
        """Close the database."""
        self._database.close()

    def _index(self, execute: Execute | None) -> Index:
        found = () if execute is None else execute(_HISTORY)
        return read_history((dict(zip(_COLUMNS, row, strict=True)) for row in found), self.place)


def _append(execute: Execute, size: int, changes: Sequence[Change]) -> None:
    for number, change in enumerate(changes, start=size + 1):
        written = change_json(change)
        execute(_ADD, (number, *(_value(written.get(column)) for column in _COLUMNS)))


def _value(written: object) -> Value:
    return written if isinstance(written, str | int | float) else None


def _text(rows: list[tuple[Value, ...]]) -> str:
    return str(rows[0][0]) if rows else ""
