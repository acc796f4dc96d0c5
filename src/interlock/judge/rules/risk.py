"""How risky a call is and whether a person must allow it: the rules of `grade_risk`.

Reads the tool table and the call's input; a tool that is not in the table is unknown.
"""

from __future__ import annotations

import re

from interlock.judge.rules.fields import Fields
from interlock.judge.rules.verdict import Verdict, exact, likely
from interlock.questions import Question
from interlock.tools.base import Tool, ToolTable

__all__ = ["leaves_root", "needs_auth", "risk"]

_FOREIGN = re.compile(r"^(?:[/\\~]|[A-Za-z]:|\$|%\w+%|\w+://|file:)")
_NO_PATH = frozenset({"search", "other", "list"})


def risk(fields: Fields, _question: Question, tools: ToolTable) -> Verdict | None:
    """The tool's declared risk; destructive when a changing call reaches outside of the working directory."""
    tool = tools.get(fields.text("tool"))
    if tool is None or tool.base_risk is None:
        return None
    if _outside(tool, fields.text("target")):
        return exact(3) if tool.base_risk >= 1 else likely(tool.base_risk)
    return exact(tool.base_risk)


def needs_auth(fields: Fields, _question: Question, tools: ToolTable) -> Verdict | None:
    """True for what cannot be undone and for what reaches outside; false inside of the working directory."""
    tool = tools.get(fields.text("tool"))
    if tool is None or tool.base_risk is None:
        return None
    if tool.base_risk >= 2:
        return exact(True)
    if _outside(tool, fields.text("target")):
        return exact(True) if tool.base_risk == 1 else likely(True)
    if tool.network or tool.leaves_root:
        return likely(True)
    return exact(False)


def leaves_root(path: str) -> bool:
    """Return True when a path as written points outside of the working directory."""
    path = path.strip().strip("`\"'")
    if _FOREIGN.match(path):
        return True
    depth = 0
    for part in re.split(r"[\\/]", path):
        depth += -1 if part == ".." else 0 if part in {"", "."} else 1
        if depth < 0:
            return True
    return False


def _outside(tool: Tool, target: str) -> bool:
    if tool.effect in {"search", "other"}:
        return False
    first = target.split("\n", 1)[0]
    paths = first.split(" -> ") if tool.effect == "move" else [first]
    return any(leaves_root(path) for path in paths)
