"""What the reference host shows of one cell, by the names its capabilities declare.

Pure: one cell's value in, what is shown out; None when there is nothing to show. A value that is not of the
cell's type is passed on, so that the frame reports it.
Source: reference loop specification, projections.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from interlock._text import clip
from interlock.frame.spec import Project
from interlock.tools.base import ToolTable

__all__ = ["projections"]

RECENT_STEPS = 5
RECENT_INPUT_CHARS = 60
RECENT_RESULT_CHARS = 200
EVIDENCE_STEPS = 3
EVIDENCE_FULL_CHARS = 600
"""Kept of the newest result, and of what a write wrote."""
EVIDENCE_CHARS = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class _Step:
    tool: str
    input: str
    result: str | None

    @property
    def title(self) -> str:
        """The tool and the first line of its input."""
        return f"{self.tool} {self.input.split(chr(10), 1)[0]}".rstrip()


def projections(tools: ToolTable) -> Mapping[str, Project]:
    """Return the reference projections by name; `tools` gives the base risks and says which tool writes."""
    return MappingProxyType(
        {
            "earlierMaybe": _shown,
            "resultMaybe": _shown,
            "draftMaybe": _shown,
            "toolOrEmpty": _shown,
            "filesMaybe": _shown,
            "readMaybe": _shown,
            "lastOrNone": _shown,
            "toolOrUnknown": _shown,
            "describeDone": _over_steps(_describe_done),
            "lastInput": _over_steps(_last_input),
            "readCount": _read_count,
            "recentSteps": _over_steps(_recent_steps),
            "writeEvidence": _over_steps(lambda steps: _write_evidence(steps, tools)),
            "localToolRisk": lambda tool: _base_risk(tool, tools),
            "hostFacts": _shown,
        }
    )


def _shown(value: object) -> object:
    """Return text or a list as it is; what is empty has nothing to show."""
    return None if value in ("", [], ()) else value


def _read_count(value: object) -> object:
    return len(value) if isinstance(value, list | tuple) else value


def _base_risk(value: object, tools: ToolTable) -> object:
    """Return the risk a known tool declares; an unknown tool and an undeclared risk have none to show."""
    tool = tools.get(value) if isinstance(value, str) else None
    return None if tool is None else tool.base_risk


def _over_steps(show: Callable[[Sequence[_Step]], object]) -> Project:
    def project(value: object) -> object:
        return show([_step(item) for item in value]) if isinstance(value, list | tuple) else value

    return project


def _step(item: object) -> _Step:
    if not isinstance(item, Mapping):
        raise TypeError("history: a step is a mapping of step, tool, input and result")
    result = item.get("result")
    return _Step(tool=str(item["tool"]), input=str(item["input"]), result=None if result is None else str(result))


def _finished(steps: Sequence[_Step]) -> list[_Step]:
    return [step for step in steps if step.result is not None]


def _describe_done(steps: Sequence[_Step]) -> object:
    return "; ".join(step.title for step in _finished(steps)) or None


def _last_input(steps: Sequence[_Step]) -> object:
    """Return the input of the newest step, pending or not; an empty input stays empty, so that a gate sees the gap."""
    return steps[-1].input if steps else None


def _recent_steps(steps: Sequence[_Step]) -> object:
    return [
        f"{step.tool} {clip(step.input.split(chr(10), 1)[0], RECENT_INPUT_CHARS)} -> "
        f"{clip(step.result or '', RECENT_RESULT_CHARS)}"
        for step in _finished(steps)[-RECENT_STEPS:]
    ] or None


def _write_evidence(steps: Sequence[_Step], tools: ToolTable) -> object:
    """Return the newest steps, newest first, so that cutting the end keeps what happened last."""
    newest = list(reversed(_finished(steps)[-EVIDENCE_STEPS:]))
    shown = [
        f"{_evidence_input(step, tools)} -> {clip(step.result or '', EVIDENCE_CHARS if at else EVIDENCE_FULL_CHARS)}"
        for at, step in enumerate(newest)
    ]
    return "\n".join(shown) or None


def _evidence_input(step: _Step, tools: ToolTable) -> str:
    tool = tools.get(step.tool)
    if tool is not None and tool.effect == "write":
        return f"{step.tool} {clip(step.input, EVIDENCE_FULL_CHARS)}"
    return f"{step.tool} {clip(step.input.split(chr(10), 1)[0], EVIDENCE_CHARS)}"
