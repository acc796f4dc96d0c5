"""How the system layer states the form of a reply and where reasoning goes, for each form.

Source: decision-engine specification, action space and depth.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, TypeAlias

from interlock.actions import Deliberate

__all__ = ["ReplyForm", "schema_text", "thought_text"]

ReplyForm: TypeAlias = Literal["json", "lines", "functions"]
"""`json`: one JSON object. `lines`: Thought, Action, Action Input. `functions`: a provider's function calls."""

_LENGTHS: Mapping[str, str] = {
    "brief": "one or two short sentences",
    "full": "step by step, as much as the decision needs",
}
_PLACES: Mapping[ReplyForm, str] = {
    "json": "in the key `thought`, which comes first",
    "lines": "on the line `Thought:`, which comes first",
    "functions": "in the text beside the function call",
}


def schema_text(form: ReplyForm, actions: Sequence[str], *, thinks: bool) -> str:
    """Return what a reply must look like, in one paragraph."""
    if form == "functions":
        return (
            "call exactly one of the functions on offer, once. A tool's function carries out a tool call; the other "
            "functions take one argument, `final`, which is text."
        )
    if form == "lines":
        first = "Thought: your reasoning\n" if thinks else ""
        return (
            "write these lines, each once, and nothing else:\n"
            f"{first}Action: the name of an action, or the name of a tool to call it\n"
            "Action Input: for a tool one JSON object with its arguments, otherwise the text"
        )
    thought = '"thought": TEXT, ' if thinks else ""
    names = " | ".join(f'"{name}"' for name in actions)
    return (
        "exactly one JSON object with exactly these keys, without markdown and without text around it:\n"
        f'{{{thought}"action": {names}, "tool": TEXT | null, "tool_input": OBJECT | null, "final": TEXT | null}}\n'
        "`tool` and `tool_input` belong to the action tool_call only and are null otherwise; "
        "`final` is null with tool_call and text with every other action."
    )


def thought_text(form: ReplyForm, deliberate: Deliberate) -> str:
    """Return where reasoning may be written, in one sentence."""
    if deliberate == "none":
        return "write no reasoning anywhere; decide and give the result only."
    return f"think {_PLACES[form]}: {_LENGTHS[deliberate]}. Write no reasoning anywhere else."
