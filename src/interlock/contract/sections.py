"""Reads lines into a document: what stands before the first decision, the decisions, the section for the writer.

Knows nothing of what a value means.
Source: decision-contract/v1, shape of a file.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from interlock.contract.blocks import KEY, BlockReader, check_heading, entry_of, report_twice
from interlock.contract.document import GENERATOR_HEADINGS, KEYS, Block, Document, Entry
from interlock.contract.findings import Findings
from interlock.contract.syntax import Source

__all__ = ["read_document"]

_SECTION = re.compile(r"(##)(?!#)(\s*)(.*)")


def read_document(source: Source, findings: Findings) -> Document:
    """Return the blocks of `source`, reporting every line that is neither read nor clearly prose."""
    stripped = [line.strip() for line in source.readable]
    headings = [
        (index, match)
        for index, line in enumerate(stripped)
        if line[:2] == "##" and (match := _SECTION.match(line)) is not None
    ]
    reader = _Reader(source, stripped, findings)
    stops = [index for index, _ in headings] + [len(stripped)]
    reader.preamble(stops[0])
    for (index, match), stop in zip(headings, stops[1:], strict=True):
        reader.section(index, match, stop)
    return reader.document()


class _Reader:
    """Takes the sections in order."""

    def __init__(self, source: Source, stripped: Sequence[str], findings: Findings) -> None:
        self._source = source
        self._stripped = stripped
        self._findings = findings
        self._title: Entry | None = None
        self._schema: Entry | None = None
        self._schema_in_decision = False
        self._blocks: list[Block] = []
        self._generator: Entry | None = None
        self._generator_text = ""

    def document(self) -> Document:
        return Document(
            title=self._title,
            schema=self._schema,
            schema_in_decision=self._schema_in_decision,
            blocks=tuple(self._blocks),
            generator=self._generator,
            generator_text=self._generator_text,
        )

    def preamble(self, stop: int) -> None:
        for index, content in enumerate(self._stripped[:stop]):
            if content.startswith("#"):
                self._take_title(index, content)
            elif ":" in content:
                self._key(index, content)

    def section(self, index: int, match: re.Match[str], following: int) -> None:
        """Take the heading at `index` and the lines up to the one at `following`."""
        whole = self._source.readable[index]
        heading = entry_of(index + 1, whole, "##", match[3])
        if heading.text.lower() in GENERATOR_HEADINGS:
            self._take_generator(heading, following)
            return
        self._findings.decision = heading.text or None
        check_heading(index + 1, whole, match, self._findings)
        reader = BlockReader(heading, self._findings)
        block = reader.read(self._source.readable, self._stripped[index + 1 : following], index + 1)
        self._blocks.append(block)
        self._schema_in_decision = self._schema_in_decision or reader.holds_schema
        self._findings.decision = None

    def _take_title(self, index: int, content: str) -> None:
        text = content[1:]
        if self._title is None and text[:1].isspace():
            self._title = entry_of(index + 1, self._source.readable[index], "#", text.lstrip())

    def _take_generator(self, heading: Entry, following: int) -> None:
        if self._generator is None:
            self._generator = heading
            self._generator_text = "\n".join(self._source.lines[heading.line : following]).strip()
            return
        message = f"a second section for the writer; the first stands on line {self._generator.line}"
        width = len(heading.text)
        self._findings.add(
            "duplicate-generator", heading.line, heading.text_column, width, message, fix="keep one of them"
        )

    def _key(self, index: int, content: str) -> None:
        match = KEY.match(content)
        if match is None:
            return
        entry = entry_of(index + 1, self._source.readable[index], match[1].lower(), content[match.end() :].lstrip())
        if entry.mark == "schema":
            if self._schema is None:
                self._schema = entry
            else:
                report_twice(entry, self._schema, self._findings)
        elif entry.mark in KEYS:
            message = f"`{match[1]}:` stands before the first decision"
            fix = "open a decision with `## id` above it"
            self._findings.add("key-outside-decision", entry.line, entry.column, len(match[1]), message, fix=fix)
