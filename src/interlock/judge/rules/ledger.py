"""The record of what was done, read from the step fields of a frame.

Two formats: `tool input; tool input` and `tool input -> result`.
Knows nothing of tasks.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from interlock.judge.rules.acts import acts_of
from interlock.judge.rules.shape import Shape, shape_of
from interlock.tools.base import ToolTable

__all__ = ["NOTHING", "Done", "bare_result", "from_evidence", "from_steps", "from_summary", "results"]

NOTHING = frozenset(
    {"", "none", "none yet", "nothing yet", "nothing", "no tool was called", "unknown", "无", "暂无", "还没有"}
)
"""What a field says, in lower case, when nothing has happened."""

_ARROW = " -> "
_CALL = r"[A-Za-z][A-Za-z0-9]*(?:[_.-][A-Za-z0-9]+)+"


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """One finished call."""

    tool: str
    input: str
    result: str | None
    """None where the field does not show it."""
    acts: frozenset[str]

    @property
    def shape(self) -> Shape | None:
        """How the result looks; None where it is not shown."""
        return None if self.result is None else shape_of(self.result)

    @property
    def failed(self) -> bool:
        """True when the result is shown and says that the call did not work."""
        return self.shape is not None and self.shape.outcome == "failed"


def from_summary(summary: str, last: str, tools: ToolTable) -> tuple[Done, ...]:
    """Return the calls of `tool input; tool input`; `last` is the newest result, bare or as a step."""
    if summary.strip().lower() in NOTHING:
        return ()
    calls = [_call(part.strip(), None, tools) for part in summary.split(";") if part.strip()]
    if not calls or last.strip().lower() in NOTHING:
        return tuple(calls)
    newest = calls[-1]
    result = bare_result(last, newest.tool, newest.input)
    return (*calls[:-1], _done(newest.tool, newest.input, result, tools))


def from_steps(steps: Iterable[str], tools: ToolTable) -> tuple[Done, ...]:
    """Return the calls of `tool input -> result` lines."""
    return tuple(_step(step, tools) for step in steps if step.strip().lower() not in NOTHING)


def from_evidence(evidence: str, tools: ToolTable) -> tuple[Done, ...]:
    """Return the calls of one text that holds several steps, divided by line breaks or semicolons."""
    if evidence.strip().lower() in NOTHING:
        return ()
    known = "|".join(re.escape(name) for name in tools)
    line = rf"(?:^|(?<=\n))(?:[-*] )?(?=(?:{known}) )|" if known else ""
    start = re.compile(rf"{line}(?:^|(?<=\n)|(?<=; ))(?:[-*] )?(?={_CALL}(?: [^\n]{{0,300}}?)?{_ARROW})")
    bounds = [match.end() for match in start.finditer(evidence)]
    if not bounds or bounds[0] > 0:
        bounds = [0, *bounds]
    ends = [*bounds[1:], len(evidence)]
    pieces = [evidence[begin:end].rstrip("; \n") for begin, end in zip(bounds, ends, strict=True)]
    return tuple(_step(piece, tools) for piece in pieces if piece.strip())


def bare_result(text: str, tool: str, given: str) -> str:
    """Return `text` without a leading `tool input -> `."""
    for lead in (f"{tool} {given}{_ARROW}", f"{tool}{_ARROW}"):
        if text.startswith(lead):
            return text[len(lead) :]
    head, arrow, tail = text.partition(_ARROW)
    if arrow and "\n" not in head and len(head) <= 300 and head.split(" ", 1)[0] == tool:
        return tail
    return text


def _step(step: str, tools: ToolTable) -> Done:
    parts = step.split(_ARROW)
    if len(parts) == 1:
        return _call(step, None, tools)
    acts = acts_of(parts[0].split(maxsplit=1)[0] if parts[0].strip() else "", "", tools)
    named = 2 if "move" in acts and len(parts) > 2 else len(parts) - 1 if "write" in acts else 1
    return _call(_ARROW.join(parts[:named]), _ARROW.join(parts[named:]), tools)


def _call(text: str, result: str | None, tools: ToolTable) -> Done:
    name, _, given = text.strip().partition(" ")
    return _done(name.rstrip(":"), given.strip(), result, tools)


def _done(name: str, given: str, result: str | None, tools: ToolTable) -> Done:
    return Done(tool=name, input=given, result=result, acts=acts_of(name, given, tools))


def results(done: Sequence[Done]) -> str:
    """Return every shown result, one after another."""
    return "\n".join(call.result for call in done if call.result is not None)
