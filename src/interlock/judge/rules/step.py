"""Did one call work: the rule of `step_ok`.

Reads the result's shape and whether it speaks of the target that was asked for.
"""

from __future__ import annotations

import re

from interlock.judge.rules.acts import acts_of
from interlock.judge.rules.failures import SUCCESS
from interlock.judge.rules.fields import Fields
from interlock.judge.rules.ledger import bare_result
from interlock.judge.rules.progress import covers
from interlock.judge.rules.shape import is_own_error, shape_of
from interlock.judge.rules.verdict import Verdict, exact, likely
from interlock.questions import Question
from interlock.tools.base import ToolTable
from interlock.tools.mentions import mentions
from interlock.tools.task.verbs import OBSERVING
from interlock.tools.text import EMPTY

__all__ = ["step_ok"]


def step_ok(fields: Fields, _question: Question, tools: ToolTable) -> Verdict | None:
    """True when the call returned what its tool returns."""
    if not fields.has("output"):
        return None
    tool, given = fields.text("tool"), fields.text("input")
    output = bare_result(fields.text("output"), tool, given)
    shape = shape_of(output)
    if shape.outcome == "empty":
        return exact(False) if output.strip() in {"", EMPTY} else likely(False)
    if shape.outcome == "failed":
        return exact(False) if is_own_error(output) else _of_failure(tool, given, output, tools)
    if given and output.startswith(f"{given}: ") and not shape.certain:
        return likely(False)
    if _speaks_of_another(tool, given, output, tools):
        return likely(False)
    return exact(True) if shape.certain and _is_own_form(tool, output, tools) else likely(True)


def _is_own_form(tool: str, output: str, tools: ToolTable) -> bool:
    """The host's own tool gave it: content, or for a change a report of success."""
    if tool not in tools:
        return False
    return bool(acts_of(tool, "", tools) & OBSERVING) or SUCCESS.match(output.strip()) is not None


def _of_failure(tool: str, given: str, output: str, tools: ToolTable) -> Verdict | None:
    """A text shaped like a failure may be the content that was asked for."""
    shows_content = tool in tools and acts_of(tool, given, tools) & {"read", "search"}
    if shows_content and re.search(r"\.(?:log|err|out|trace)$", given):
        return None
    return likely(bool(shows_content) and _is_prose(output))


def _is_prose(output: str) -> bool:
    """More than the one line in which a reader of files tells a failure, and no trace of calls."""
    lines = [line for line in output.split("\n") if line.strip()]
    return len(lines) > 1 and not lines[0].startswith("Traceback")


def _speaks_of_another(tool: str, given: str, output: str, tools: ToolTable) -> bool:
    """A confirmation of one line names paths, and none of them is one that was asked for."""
    if "\n" in output.strip() or not acts_of(tool, given, tools) & {"write", "move", "delete"}:
        return False
    told = mentions(output).paths
    asked = mentions(given.split("\n", 1)[0]).paths or (given.split("\n", 1)[0],)
    return bool(told) and not any(covers(one, other) or covers(other, one) for one in told for other in asked)
