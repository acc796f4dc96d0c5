"""A Runtime with a journal: every node is a record of one chain, and a store that fails breaks no call."""

# ruff: noqa: RUF012  (options as an author writes them)

from __future__ import annotations

import logging
import threading
from pathlib import Path
from typing import Any

import pytest

from interlock import Agent, Runtime, decision, llm
from interlock.errors import JournalError
from interlock.journal import MemoryJournal, SqliteJournal
from interlock.journal.records import Record
from interlock.journal.summary import summarize
from interlock.journal.verify import verify_run
from interlock.testing import ScriptedModel


class Desk(Agent):
    method_options = {"look_up": {"input": {"tenant": {"hidden": True}}}, "late": {"timeout": 0.03}}

    def look_up(self, query: str, tenant: str = "acme", runtime: Any = None) -> str:
        """Look something up."""
        return str(llm(f"find {query}"))

    def late(self, go_on: Any) -> str:
        """Take too long."""
        go_on.wait(5)
        return "late"


def test_every_node_is_written_at_entry_and_at_exit() -> None:
    journal = MemoryJournal()
    runtime = Runtime(ScriptedModel(["found", '{"call": "go"}']), journal=journal)

    Desk(runtime).look_up("x")
    decision.make("Which?", {"go": 1}, runtime=runtime)

    records = list(journal.records(runtime.run_id))
    assert [(record.type, record.body["node"]) for record in records] == [
        ("node_started", 0),
        ("node_started", 1),
        ("node_ended", 1),
        ("node_ended", 0),
        ("node_started", 2),
        ("node_started", 3),
        ("node_ended", 3),
        ("node_ended", 2),
    ]
    assert records[0].body == {
        "node": 0,
        "kind": "function",
        "name": "look_up",
        "caller": None,
        "input": {"query": "x"},
        "hidden": {"tenant": "acme"},
        "expose": "full",
        "doc": "Look something up.",
    }
    ended = dict(records[2].body)
    assert isinstance(ended.pop("duration_s"), float)
    assert ended == {
        "node": 1,
        "status": "ok",
        "output": "found",
        "facts": {"model": "scripted", "finish": "stop", "tool_calls": [], "usage": None},
    }
    assert records[-1].body["facts"] == {
        "options": ["go"],
        "pick": "go",
        "way": "text",
        "attempts": 1,
        "probabilities": None,
    }


def test_the_chain_verifies_and_lists_like_another_run(tmp_path: Path) -> None:
    journal = SqliteJournal(tmp_path / "journal.db")
    runtime = Runtime(ScriptedModel(["found"]), journal=journal)
    Desk(runtime).look_up("x")

    with journal.snapshot() as view:
        check = verify_run(view, runtime.run_id)
        summary = summarize(view, runtime.run_id)
    journal.close()
    assert (check.verdict, check.records) == ("verified", 4)
    assert (summary.run_id, summary.task, summary.records) == (runtime.run_id, None, 4)


def test_a_runtime_that_never_calls_writes_nothing() -> None:
    journal = MemoryJournal()
    runtime = Runtime(journal=journal)

    assert list(journal.records(runtime.run_id)) == []


def test_a_late_result_is_a_second_end() -> None:
    journal, go_on = MemoryJournal(), threading.Event()
    runtime = Runtime(journal=journal)

    with pytest.raises(TimeoutError, match="timed out"):
        Desk(runtime).late(go_on)
    go_on.set()
    while runtime.nodes[0].status != "late":
        threading.Event().wait(0.005)

    def statuses() -> list[object]:
        return [record.body.get("status") for record in journal.records(runtime.run_id)]

    while len(statuses()) < 3:
        threading.Event().wait(0.005)
    assert statuses() == [None, "timeout", "late"]


class Broken(MemoryJournal):
    """A store whose disk is full."""

    def __init__(self, error: Exception) -> None:
        super().__init__()
        self.error = error

    def append(self, *args: Any, **kwargs: Any) -> Record:
        raise self.error


@pytest.mark.parametrize("error", [JournalError("the disk is full"), OSError("gone")], ids=["journal", "system"])
def test_a_store_that_fails_breaks_no_call(error: Exception, caplog: pytest.LogCaptureFixture) -> None:
    """Each record that is lost is one line in the log, without its content."""
    runtime = Runtime(ScriptedModel(["found"]), journal=Broken(error))

    with caplog.at_level(logging.WARNING, logger="interlock"):
        assert Desk(runtime).look_up("a canary") == "found"
    assert caplog.messages[0] == f"journal: node 0 was not written: `{type(error).__name__}`"
    assert len(caplog.messages) == 4
    assert "canary" not in caplog.text
    assert [node.status for node in runtime.nodes] == ["ok", "ok"]


def test_without_a_journal_no_file_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))

    runtime = Runtime(ScriptedModel(['{"call": "go"}']))
    assert decision.make("Which?", {"go": 1}, runtime=runtime) == 1
    assert list(tmp_path.iterdir()) == []
    assert [node.kind for node in runtime.nodes] == ["decision", "llm"]
