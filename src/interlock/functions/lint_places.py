"""Where the parts of a Python source stand, in lines and characters."""

from __future__ import annotations

import ast
import re

from interlock.diagnostics import Span

__all__ = ["Places"]


class Places:
    """The lines of one source."""

    def __init__(self, text: str) -> None:
        self._lines = re.split(r"\r\n|\r|\n", text)

    def node(self, node: ast.AST) -> Span:
        """Return where a node stands; its own columns count bytes."""
        line, end_line = getattr(node, "lineno", 1), getattr(node, "end_lineno", None) or 1
        return Span(
            line=line,
            column=self._column(line, getattr(node, "col_offset", 0)),
            end_line=end_line,
            end_column=self._column(end_line, getattr(node, "end_col_offset", None) or 0),
        )

    def name(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> Span:
        """Return where a function's name stands."""
        return self.within(node, re.compile(rf"(?<=\s){re.escape(node.name)}\b"))

    def within(self, node: ast.AST, pattern: re.Pattern[str]) -> Span:
        """Return where a pattern first matches in the lines of a node; the whole node when it matches in none."""
        whole = self.node(node)
        for line in range(whole.line, whole.end_line + 1):
            start = whole.column - 1 if line == whole.line else 0
            found = pattern.search(self._lines[line - 1], start)
            if found is not None:
                return Span(line=line, column=found.start() + 1, end_line=line, end_column=found.end() + 1)
        return whole

    def _column(self, line: int, offset: int) -> int:
        return len(self._lines[line - 1].encode()[:offset].decode()) + 1
