"""A result is traced to its prompts, and run again with them, from the journal alone."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

import pytest

from interlock.actions import STANDARD_SPACE, SpaceAction
from interlock.engine import EngineOptions, Limits, RunOptions, Waiting, recorded_run, run_engine
from interlock.errors import JournalError
from interlock.journal import MemoryJournal, SqliteJournal, read_journal
from interlock.judge.base import Judge
from interlock.models.base import TextModel
from interlock.prompts import PromptPack
from interlock.testing import ScriptedModel

Says = Callable[..., str]


@dataclass(frozen=True)
class Plain:
    model: TextModel | None
    judge: Judge | None = None


OPTIONS = EngineOptions(
    mode="json",
    deliberate="brief",
    observation_role="user",
    space=STANDARD_SPACE.added(SpaceAction(name="hand_over", description="a colleague is needed")),
)
LIMITS = Limits(max_steps=4, max_tool_calls=1, max_tokens=9000, max_cost_usd=Decimal("0.5"))


def test_a_run_is_read_back_as_it_was_told(pack: PromptPack, waiting: Waiting) -> None:
    journal = MemoryJournal()
    run = RunOptions(
        limits=LIMITS, max_retries=1, memory_summary="brief", origin={"model": "scripted:x"}, waiting=waiting
    )
    result = run_engine(
        "g", [], runtime=Plain(ScriptedModel(["x"])), pack=pack, options=OPTIONS, run=run, journal=journal
    )
    with journal.snapshot() as view:
        found = recorded_run(view, str(result.run_id))

    assert (found.goal, found.memory_summary, found.max_retries, found.tools) == ("g", "brief", 1, ())
    assert (found.options, found.limits, found.origin) == (OPTIONS, LIMITS, {"model": "scripted:x"})
    assert found.pack == pack
    assert found.pack.refs() == pack.refs()


def test_a_run_again_sends_the_same_messages(pack: PromptPack, waiting: Waiting, says: Says) -> None:
    """Byte for byte, so what differs in the result comes from the model."""
    journal = MemoryJournal()
    first, again = ScriptedModel(["bad", says("finish", "x")]), ScriptedModel(["bad", says("finish", "x")])
    run = RunOptions(waiting=waiting)
    result = run_engine("写一首诗", [], runtime=Plain(first), pack=pack, run=run, journal=journal)
    with journal.snapshot() as view:
        found = recorded_run(view, str(result.run_id))
    run_engine(found.goal, [], runtime=Plain(again), pack=found.pack, options=found.options, run=run)

    assert again.requests == first.requests


def test_a_pack_that_was_written_in_code_is_read_back_too(waiting: Waiting) -> None:
    journal = MemoryJournal()
    pack = PromptPack(system="finish tool_call ask_user replan", role="r", version="v1")
    result = run_engine(
        "g", [], runtime=Plain(ScriptedModel(["x"])), pack=pack, run=RunOptions(waiting=waiting), journal=journal
    )
    with journal.snapshot() as view:
        found = recorded_run(view, str(result.run_id))

    assert found.pack.refs() == pack.refs()


def test_a_prompt_that_was_changed_in_the_journal_is_found_out(
    pack: PromptPack, waiting: Waiting, tmp_path: Path
) -> None:
    place = tmp_path / "journal.db"
    journal = SqliteJournal(place)
    result = run_engine(
        "g", [], runtime=Plain(ScriptedModel(["x"])), pack=pack, run=RunOptions(waiting=waiting), journal=journal
    )
    journal.close()
    with sqlite3.connect(place) as connection:
        connection.execute("UPDATE events SET body = replace(body, 'short bullet points', 'long bullet points')")
    connection.close()

    with read_journal(str(place)) as view, pytest.raises(JournalError, match="the role layer is not what its digest"):
        recorded_run(view, str(result.run_id))


def test_another_run_is_no_run_of_the_engine() -> None:
    journal = MemoryJournal()
    journal.append("other", "error", {"message": "x"}, ts="2026-01-01T00:00:00.000000Z")
    with journal.snapshot() as view, pytest.raises(JournalError, match="is no run of the engine"):
        recorded_run(view, "other")
