"""The file of locks as `interlock judge lock` reads and writes it."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from interlock.cli._output import ERROR, fail
from interlock.contract.compiled import Contract, Decision
from interlock.judge.locks import Lock, locks_json, question_digest
from interlock.judge.options import JudgeOptions
from interlock.questions import Choice
from interlock.wiring import locks_of

__all__ = ["locked_questions", "read_locks", "write_locks"]


def locked_questions(contract: Contract) -> frozenset[str]:
    """Return the digests of the questions that a threshold reads, those with options from code left out."""
    return frozenset(digest for decision in contract.decisions.values() for digest in _read_by_cuts(decision))


def read_locks(file: str) -> frozenset[Lock]:
    """Return the locks that a file holds, none when there is no such file.

    Raises:
        SettingsError: it holds something else.
    """
    return locks_of(JudgeOptions(locks=file)).locks if Path(file).exists() else frozenset()


def write_locks(file: str, locks: Iterable[Lock]) -> None:
    """Write the locks; ends the program when the file cannot be written."""
    text = json.dumps(locks_json(locks), indent=2, ensure_ascii=False) + "\n"
    try:
        Path(file).write_text(text, encoding="utf-8")
    except OSError as problem:
        fail(f"{file}: cannot be written: {problem.strerror}", ERROR)


def _read_by_cuts(decision: Decision) -> Iterable[str]:
    for rule in decision.policy.rules:
        id_ = rule.predicate.question
        if rule.predicate.threshold is None or id_ is None:
            continue
        question = decision.questions[id_]
        if decision.dynamic is None or not isinstance(question, Choice):
            yield question_digest(question)
