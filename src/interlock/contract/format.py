"""A contract in its canonical spelling: the same meaning and the same prose, one way to write the signs.

Rewrites only lines that can be read; what is wrong in a file stays as it is.
Source: decision-contract/v1, lexical rules.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from interlock._text import columns
from interlock.contract.document import Block, Document, Entry
from interlock.contract.findings import Findings
from interlock.contract.parse_frame import parse_dynamic, parse_exclusion, parse_field, parse_when
from interlock.contract.parse_policy import parse_rule
from interlock.contract.parse_questions import _SEPARATOR
from interlock.contract.sections import read_document
from interlock.contract.syntax import MASK, scan

__all__ = ["format_contract"]

_INDENT = "  "
_COMPARED = re.compile(r"(top|(?:prob|score|picked):[^\s<>=]+)\s*(>=|<|=)\s*(.+)")
_KEY_LINE = re.compile(r"(\s*[A-Za-z_][A-Za-z0-9_-]*)\s*:")


def format_contract(text: str) -> str:
    """Return `text` with canonical signs and aligned columns; idempotent, and prose stays byte for byte.

    A text that cannot be read as lines, such as one with an unclosed fence, is returned as it is.
    """
    findings = Findings()
    source = scan(text, findings)
    if findings.found:
        return text
    lines = list(source.lines)
    for line, new in _changes(read_document(source, findings)):
        lines[line - 1] = new
    return source.text(lines)


def _changes(document: Document) -> Iterator[tuple[int, str]]:
    """Yield line number and new text of every line that can be read."""
    if document.schema is not None:
        yield from _rewritten([document.schema], [document.schema.text])
    for block in document.blocks:
        yield from _keys(block)
        for question in block.questions:
            if question.ask is not None:
                yield from _rewritten([question.ask], [question.ask.text])
            yield from ((option.line, _option(option)) for option in question.options if MASK not in option.whole)
        yield from _frame(block.frame)
        yield from _policy(block)


def _keys(block: Block) -> Iterator[tuple[int, str]]:
    for entry in block.keys.values():
        if entry.mark == "when":
            new = _when(entry)
        elif entry.mark == "dynamic":
            new = _dynamic(entry)
        else:
            new = entry.text
        yield from _rewritten([entry], [new])


def _rewritten(entries: Sequence[Entry], values: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Yield each key line with its value, the key as its author wrote it."""
    for entry, value in zip(entries, values, strict=True):
        match = _KEY_LINE.match(entry.whole)
        if match is not None and MASK not in entry.whole:
            yield entry.line, f"{match[1]}: {value}".rstrip()


def _when(entry: Entry) -> str:
    findings = Findings()
    when = parse_when(entry, findings)
    if when is None or findings.found:
        return entry.text
    return when.position if when.purpose is None else f"{when.position} —— {when.purpose}"


def _dynamic(entry: Entry) -> str:
    dynamic = parse_dynamic(entry, Findings())
    if dynamic is None:
        return entry.text
    call = f"{dynamic.provider}(ctx: {', '.join(dynamic.reads)}) → {dynamic.output}"
    return call if dynamic.reason is None else f"{call} —— {dynamic.reason}"


def _option(option: Entry) -> str:
    indent = option.whole[: option.column - 1]
    match = _SEPARATOR.search(option.text)
    text = option.text if match is None else f"{option.text[: match.start()]} — {option.text[match.end() :]}"
    return f"{indent}{_dash(option)} {text}"


def _dash(item: Entry) -> str:
    """Return the canonical sign, unless the line would then be a rule across the page."""
    return "-" if item.text.strip("- \t") else item.mark


def _frame(items: Sequence[Entry]) -> Iterator[tuple[int, str]]:
    rows = [(entry, cells) for entry in items if MASK not in entry.whole and (cells := _cells(entry)) is not None]
    key_width = max((columns(cells[0]) for _, cells in rows), default=0)
    bound_width = max((columns(cells[1]) for _, cells in rows), default=0)
    heads = [
        f"{_INDENT}{entry.mark} {_padded(key, key_width)} {bound:>{bound_width}} {projection}".rstrip()
        for entry, (key, bound, projection, _) in rows
    ]
    width = max((columns(head) for head in heads), default=0)
    for (entry, cells), head in zip(rows, heads, strict=True):
        yield entry.line, f"{_padded(head, width)} —— {cells[3]}"


def _cells(entry: Entry) -> tuple[str, str, str, str] | None:
    """Return key, bound, projection and reason; None for a line that cannot be read."""
    if entry.mark == "-":
        exclusion = parse_exclusion(entry, Findings())
        return None if exclusion is None else (exclusion.cell, "", "", exclusion.reason)
    field = parse_field(entry, Findings())
    return None if field is None else (field.key, entry.text.split()[1], field.projection or "", field.reason)


def _policy(block: Block) -> Iterator[tuple[int, str]]:
    rows = [(entry, parts) for entry in block.policy if MASK not in entry.whole and (parts := _rule(entry)) is not None]
    width = max((columns(predicate) for _, (predicate, _) in rows), default=0)
    for entry, (predicate, action) in rows:
        yield entry.line, f"{_INDENT}- {_padded(predicate, width)} → {action}"


def _rule(entry: Entry) -> tuple[str, str] | None:
    """Return predicate and action, numbers as written; None for a line that cannot be read."""
    rule = parse_rule(entry, None, Findings())
    if rule is None:
        return None
    predicate = entry.text[: -len(rule.action)].rstrip().removesuffix("→").removesuffix("->").rstrip()
    match = _COMPARED.fullmatch(predicate)
    return (predicate if match is None else " ".join(match.groups())), rule.action


def _padded(text: str, width: int) -> str:
    return text + " " * (width - columns(text))
