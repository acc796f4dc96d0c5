"""Types the questions of a decision by how their options are written.

Source: decision-contract/v1, questions.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from interlock._text import fold
from interlock.contract.document import Entry, QuestionBlock
from interlock.contract.draft import DraftQuestion, QuestionType
from interlock.contract.findings import Findings, quoted
from interlock.questions import Choice, Noul, NoulCriteria, Question, Score

__all__ = ["ID", "look", "parse_question"]

ID = re.compile(r"\w[\w-]*")
"""What an id looks like."""

_LONGEST_LOOK = 500
"""Putting the accents of a very long name in order takes time that grows with its square."""
_SEPARATOR = re.compile(r"\s(?:—|--)\s")
_NO_LEFT = re.compile(r"(?:—|--)\s")
_NO_RIGHT = re.compile(r"\s(?:—|--)$")


def parse_question(block: QuestionBlock, *, dynamic: bool, findings: Findings) -> DraftQuestion:
    """Return one question; with `dynamic` a question without options is a choice whose options come from code."""
    pairs = [_split_option(option, findings) for option in block.options]
    named = [pair for pair in pairs if pair[1] is not None]
    labels = [label for label, _ in named]
    kind = _infer(block, pairs, dynamic=dynamic, findings=findings)
    if kind == "choice":
        _check_labels(block.options, labels, findings)
    instructions = _instructions(block, findings)
    question: Question | None = None
    if instructions is not None and kind is not None and all(criterion != "" for _, criterion in pairs):
        question = _build(kind, instructions, pairs)
    if question is None and kind == "score" and len(pairs) == 1:
        _report_one_level(block.options[0], findings)
    return DraftQuestion(
        id=block.heading.text,
        heading=block.heading,
        type=kind,
        question=question,
        ask=block.ask,
        options=block.options,
        labels=labels,
    )


def look(name: str) -> str:
    """Return what a name looks like; two that are equal in it collide. Only a short one is compared by its look."""
    return fold(name) if len(name) <= _LONGEST_LOOK else name


def _split_option(option: Entry, findings: Findings) -> tuple[str, str | None]:
    """Return name and criterion; the criterion is None for an option without a name, empty for a broken one."""
    text = option.text
    match = _SEPARATOR.search(text)
    if match is None:
        if _NO_LEFT.match(text) or _NO_RIGHT.search(text):
            message, fix = f"{quoted(text)} has nothing on one side of its dash", "write `- name — criterion`"
            findings.add("empty-option", option.line, option.text_column, len(text), message, fix=fix)
            return text, ""
        return text, None
    return text[: match.start()].rstrip(), text[match.end() :].lstrip()


def _infer(
    block: QuestionBlock, pairs: Sequence[tuple[str, str | None]], *, dynamic: bool, findings: Findings
) -> QuestionType | None:
    labels = [label for label, criterion in pairs if criterion is not None]
    unnamed = len(pairs) - len(labels)
    if len(labels) == 2 and unnamed == 0 and set(labels) == {"true", "false"}:
        return "noul"
    if not labels:
        if unnamed:
            return "score"
        if dynamic:
            return "choice"
        heading = block.heading
        message, fix = (
            f"the question {quoted(heading.text)} has no options",
            "list them below `ask:`, one `- ` line each",
        )
        findings.add("no-options", heading.line, heading.text_column, len(heading.text), message, fix=fix)
        return None
    if unnamed == 0:
        return "choice"
    odd = next(option for option, (_, criterion) in zip(block.options, pairs, strict=True) if criterion is None)
    message = f"{len(labels)} options have a name and {unnamed} have none, such as {quoted(odd.text)}"
    fix = "name every option (`- name — criterion`), or none for the levels of a score"
    findings.add("mixed-options", odd.line, odd.text_column, len(odd.text), message, fix=fix)
    return None


def _instructions(block: QuestionBlock, findings: Findings) -> str | None:
    ask, heading = block.ask, block.heading
    if ask is None:
        message, fix = f"the question {quoted(heading.text)} has no `ask:`", "write `ask:` and the question on one line"
        findings.add("missing-ask", heading.line, heading.text_column, len(heading.text), message, fix=fix)
        return None
    if not ask.text:
        message, fix = "`ask:` has no text", "write the question on the same line"
        findings.add("empty-instructions", ask.line, ask.column, len(ask.mark) + 1, message, fix=fix)
        return None
    return ask.text


def _build(kind: QuestionType, instructions: str, pairs: Sequence[tuple[str, str | None]]) -> Question | None:
    if kind == "score":
        levels = tuple(text for text, _ in pairs)
        return Score(instructions=instructions, criteria=levels) if len(levels) > 1 else None
    criteria = dict(pairs)
    if kind == "noul":
        return Noul(instructions=instructions, criteria=NoulCriteria(true=criteria["true"], false=criteria["false"]))
    return Choice(instructions=instructions, criteria=criteria)


def _check_labels(options: Sequence[Entry], labels: Sequence[str], findings: Findings) -> None:
    seen: dict[str, tuple[str, int]] = {}
    for option, label in zip(options, labels, strict=True):
        first, line = seen.setdefault(look(label), (label, option.line))
        if line == option.line:
            continue
        if first == label:
            code, message = "duplicate-option", f"the option {quoted(label)} stands on line {line} too"
            fix = "keep one of them"
        else:
            code, message = "label-collision", f"{quoted(label)} looks like {quoted(first)} on line {line}"
            fix = "give the two options names that differ in more than case, spaces or accents"
        findings.add(code, option.line, option.text_column, len(label), message, fix=fix)


def _report_one_level(option: Entry, findings: Findings) -> None:
    message = f"{quoted(option.text)} is the only level, and a score needs two"
    fix = "list the levels from low to high, or name the option (`- name — criterion`)"
    findings.add("too-few-levels", option.line, option.text_column, len(option.text), message, fix=fix)
