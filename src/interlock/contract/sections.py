"""Reads lines into a document: what stands before the first decision, the decisions, the section for the writer.

Knows nothing of what a value means.
Source: decision-contract/v1, shape of a file.
"""

from __future__ import annotations

import re

from interlock.contract.blocks import KEY, BlockReader, entry_of, report_twice
from interlock.contract.document import GENERATOR_HEADINGS, KEYS, Block, Document, Entry
from interlock.contract.findings import Findings, quoted, replace_in_line
from interlock.contract.syntax import Source

__all__ = ["read_document"]

_HEADING = re.compile(r"(#+)(\s*)(.*)")


def read_document(source: Source, findings: Findings) -> Document:
    """Return the blocks of `source`, reporting every line that is neither read nor clearly prose."""
    reader = _Reader(source, findings)
    for number, text in enumerate(source.readable, 1):
        reader.line(number, text, text.strip())
    return reader.document()


class _Reader:
    """Takes the lines in order and hands those of a decision to its reader."""

    def __init__(self, source: Source, findings: Findings) -> None:
        self._source = source
        self._findings = findings
        self._title: Entry | None = None
        self._schema: Entry | None = None
        self._schema_in_decision = False
        self._blocks: list[Block] = []
        self._block: BlockReader | None = None
        self._generator: Entry | None = None
        self._generator_text = ""
        self._in_generator: int | None = None
        """The line of the heading while a section for the writer is open."""

    def line(self, number: int, text: str, stripped: str) -> None:
        block = self._block
        if stripped.startswith("#") and self._heading(number, text, stripped):
            return
        if block is None:
            if ":" in stripped and self._in_generator is None:
                self._key(number, text, stripped)
        elif stripped:
            block.line(number, text, stripped)
        else:
            block.blank()

    def document(self) -> Document:
        self._close_section(len(self._source.lines) + 1)
        return Document(
            title=self._title,
            schema=self._schema,
            schema_in_decision=self._schema_in_decision,
            blocks=tuple(self._blocks),
            generator=self._generator,
            generator_text=self._generator_text,
        )

    def _heading(self, number: int, text: str, stripped: str) -> bool:
        """Take a heading and return True, or return False when the line is prose where it stands."""
        match = _HEADING.match(stripped)
        level = 0 if match is None else len(match[1])
        if match is None or level > 3:
            return False
        if level == 2:
            self._check_heading(number, text, match)
            self._open_section(entry_of(number, text, "##", match[3]))
            return True
        if level == 3 and self._block is not None:
            self._check_heading(number, text, match)
            self._block.question(entry_of(number, text, "###", match[3]))
            return True
        before_sections = self._block is None and self._in_generator is None
        if level == 1 and match[2] and before_sections and self._title is None:
            self._title = entry_of(number, text, "#", match[3])
        return False

    def _check_heading(self, number: int, text: str, match: re.Match[str]) -> None:
        signs, space, words = match.groups()
        column = text.index("#") + 1
        if not words:
            message, fix = "a heading without text", f"write `{signs} id`"
            self._findings.add("malformed-heading", number, column, len(signs), message, fix=fix)
        elif not space:
            message = f"{quoted(match[0])} has no space after `{signs}`"
            fix = f"write {quoted(f'{signs} {words}')}"
            edit = replace_in_line(number, column + len(signs), 0, " ")
            self._findings.add("malformed-heading", number, column, len(match[0]), message, fix=fix, edit=edit)

    def _open_section(self, heading: Entry) -> None:
        self._close_section(heading.line)
        if heading.text.lower() not in GENERATOR_HEADINGS:
            self._findings.decision = heading.text or None
            self._block = BlockReader(heading, self._findings)
            return
        self._in_generator = heading.line
        if self._generator is None:
            self._generator = heading
            return
        self._findings.add(
            "duplicate-generator",
            heading.line,
            heading.text_column,
            len(heading.text),
            f"a second section for the writer; the first stands on line {self._generator.line}",
            fix="keep one of them",
        )

    def _close_section(self, next_line: int) -> None:
        block, start = self._block, self._in_generator
        self._block = self._in_generator = self._findings.decision = None
        if start is not None and self._generator is not None and self._generator.line == start:
            self._generator_text = "\n".join(self._source.lines[start : next_line - 1]).strip()
        if block is not None:
            self._blocks.append(block.close())
            self._schema_in_decision = self._schema_in_decision or block.holds_schema

    def _key(self, number: int, text: str, stripped: str) -> None:
        match = KEY.match(stripped)
        if match is None:
            return
        entry = entry_of(number, text, match[1].lower(), match[2])
        if entry.mark == "schema":
            if self._schema is None:
                self._schema = entry
            else:
                report_twice(entry, self._schema, self._findings)
        elif entry.mark in KEYS:
            message = f"`{match[1]}:` stands before the first decision"
            fix = "open a decision with `## id` above it"
            self._findings.add("key-outside-decision", number, entry.column, len(match[1]), message, fix=fix)
