"""Checks that the questions of a decision fit its kind and can stand alone.

Source: decision-contract/v1, questions.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from interlock.contract.document import Entry
from interlock.contract.draft import DraftDecision, DraftQuestion
from interlock.contract.findings import Findings, quoted

__all__ = ["check_questions"]

_WORD = re.compile(r"\w[\w-]*")
_FEW = 8
"""So many ids are looked for one by one; more of them word by word."""
_WRITTEN_AS = {
    "noul": "two options named `true` and `false`",
    "choice": "every option named (`- name — criterion`)",
    "score": "no option named, the levels from low to high",
}


def check_questions(draft: DraftDecision, findings: Findings) -> None:
    """Report what does not fit between the kind and the questions."""
    questions = draft.questions
    if draft.kind == "rule":
        for question in questions:
            message = f"`kind: rule` is answered by code, and {quoted(question.id)} is a question"
            fix = "drop the question, or name the kind that asks a judge"
            _report(findings, "rule-with-question", question.ask or question.heading, message, fix)
        return
    if draft.kind == "mixed":
        if len(questions) < 2:
            message = f"`kind: mixed` asks two questions or more, and there {_count(len(questions))}"
            _report(findings, "question-count", draft.heading, message, "add a question, or name the kind of this one")
    elif draft.kind is not None:
        _check_one(draft, findings)
    for question in questions:
        asks_a_choice = draft.kind in ("choice", "mixed") and question.type == "choice"
        if asks_a_choice and len(question.labels) < 2 and draft.dynamic_entry is None:
            message = f"the choice {quoted(question.id)} has one option"
            fix = "list another one, or say with `dynamic:` where the options come from"
            _report(findings, "single-option", question.options[0], message, fix)
    if len(questions) > 1:
        _check_siblings(draft, findings)


def _check_one(draft: DraftDecision, findings: Findings) -> None:
    questions, kind = draft.questions, draft.kind
    if len(questions) != 1:
        message = f"`kind: {kind}` asks one question, and there {_count(len(questions))}"
        fix = "write `kind: mixed`" if questions else "write `ask:` and its options"
        _report(findings, "question-count", draft.heading, message, fix)
        return
    question = questions[0]
    if kind is None or question.type is None or question.type == kind:
        return
    message = f"the options of {quoted(question.id)} make a {question.type}, and the kind is `{kind}`"
    place = question.options[0] if question.options else question.heading
    fix = f"write `kind: {question.type}`, or a {kind}: {_WRITTEN_AS[kind]}"
    _report(findings, "kind-mismatch", place, message, fix)


def _check_siblings(draft: DraftDecision, findings: Findings) -> None:
    ids = {question.id for question in draft.questions}
    texts = [entry.text for question in draft.questions for entry in _texts(question)]
    if len(ids) <= _FEW and not any(name in text for text in texts for name in ids):
        return
    for question in draft.questions:
        for entry in _texts(question):
            text_column = entry.text_column
            for match in _WORD.finditer(entry.text):
                if match[0] in ids and match[0] != question.id:
                    message = f"names the question {quoted(match[0])}, and no model sees an id"
                    fix = "say what is meant in words"
                    column = text_column + match.start()
                    findings.add("sibling-reference", entry.line, column, len(match[0]), message, fix=fix)


def _texts(question: DraftQuestion) -> Iterator[Entry]:
    if question.ask is not None:
        yield question.ask
    yield from question.options


def _count(number: int) -> str:
    if number == 0:
        return "is none"
    return "is one" if number == 1 else f"are {number}"


def _report(findings: Findings, code: str, entry: Entry, message: str, fix: str) -> None:
    findings.add(code, entry.line, entry.text_column, len(entry.text), message, fix=fix)
