"""Ids of judges that are code, a recording or a person → those judges."""

from __future__ import annotations

import time
from collections.abc import Iterable
from pathlib import Path
from typing import cast

from interlock.errors import JournalError, SettingsError, UsageError
from interlock.judge.base import Judge
from interlock.judge.human import AskPerson
from interlock.tools.base import ToolTable
from interlock.wiring.ids import Id
from interlock.wiring.jsonfiles import json_of
from interlock.wiring.loading import load

__all__ = ["code_judge"]

_RULES = "interlock.judge.rules:RuleJudge"
_SCRIPTED = "interlock.judge.script_file:judge_from_json"
_REPLAY = "interlock.judge.recording:ReplayJudge"
_LINES = "interlock.judge.jevl:read_lines"
_JOURNAL = "interlock.journal.recordings:recorded_requests"
_HASH = "interlock.judge.hashed:HashJudge"
_HUMAN = "interlock.judge.human:HumanJudge"
_TERMINAL = "interlock.judge.terminal:ask_at_terminal"
_DATABASE = b"SQLite format 3\0"


def code_judge(id_: Id, tools: ToolTable, ask: AskPerson | None = None) -> Judge:
    """Return the judge; `ask` reaches the person of `human`, None is whoever sits at the terminal.

    Raises:
        SettingsError: the id is incomplete, or what it names does not make a judge.
    """
    match id_.provider:
        case "scripted":
            return cast("Judge", load(_SCRIPTED)(json_of(id_), judge=id_.text))
        case "replay":
            return cast("Judge", load(_REPLAY)(_recordings(id_), judge=id_.text))
        case "hash":
            return cast("Judge", load(_HASH)(id_.text))
        case "human":
            return cast("Judge", load(_HUMAN)(ask or load(_TERMINAL), now=time.monotonic))
        case _:
            return _rules(id_, tools)


def _rules(id_: Id, tools: ToolTable) -> Judge:
    made = load(id_.model or _RULES)(tools)
    if not hasattr(made, "answer") or not hasattr(made, "caps"):
        raise SettingsError(f"judge: `{id_.text}` does not make a judge; it must return one for a tool table")
    return cast("Judge", made)


def _recordings(id_: Id) -> Iterable[object]:
    """Return what a journal or a file of lines has recorded."""
    if not id_.model:
        raise UsageError(f"`{id_.text}` names no recording; write `replay:JOURNAL` or `replay:FILE.jevl`")
    try:
        data = Path(id_.model).read_bytes()
    except OSError as error:
        raise SettingsError(f"`{id_.text}`: the recording cannot be read: {error.strerror}") from error
    if data.startswith(_DATABASE):
        try:
            return cast("Iterable[object]", load(_JOURNAL)(id_.model))
        except JournalError as error:
            raise SettingsError(f"`{id_.text}`: {error}") from error
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise SettingsError(f"`{id_.text}`: is neither a journal nor lines in UTF-8") from error
    return cast("Iterable[object]", load(_LINES)(text, name=id_.model))
