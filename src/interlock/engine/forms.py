"""Reads a reply into the keys of a decision, from one JSON object or from three labelled lines.

Whether the keys make a legal action is not asked here.
Source: decision-engine specification, action space and check 1.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from interlock._canonical import Json, compact_json
from interlock.actions import TOOL_CALL, Tolerance
from interlock.messages import ToolCall
from interlock.models.repair import RepeatedKeyError, read_object
from interlock.models.reply import SEARCHED_CHARS
from interlock.models.spans import find_spans

__all__ = ["KEYS", "Draft", "Failed", "read_calls", "read_lines", "read_object_form"]

KEYS = ("action", "tool", "tool_input", "final")
THOUGHT = "thought"

_FENCE = re.compile(r"\s*(?:```|~~~)[\w-]*\s*")
_REASONING = re.compile(r"</?(?:think|thinking|reasoning)\s*>", re.IGNORECASE)
_LABEL = re.compile(
    r"^[ \t]*[*_]{0,2}(thought|action input|action|observation)[*_]{0,2}[ \t]*[:：][*_]{0,2}[ \t]*",
    re.IGNORECASE | re.MULTILINE,
)
_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Failed:
    """Why a reply is no decision: the number of the check, and words that a model can act on."""

    check: int
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """The keys of a reply as they were written, unchecked."""

    keys: Mapping[str, Json]
    tolerance: tuple[Tolerance, ...] = ()


def read_object_form(text: str) -> Draft | Failed:
    """Return the only object in `text` that carries the keys; form A."""
    text = text[-SEARCHED_CHARS:]
    for sought in (KEYS[:1], KEYS[1:]):
        spans = find_spans(text, sought)
        if spans.broken:
            return Failed(check=1, reason="the object with these keys is cut off or not valid JSON; write it whole")
        if spans.last is not None:
            if find_spans(text[: spans.last.start], sought).last is not None:
                return Failed(check=1, reason="two objects carry these keys; write exactly one")
            return _decoded(text, spans.last.start, spans.last.end)
    named = ", ".join(f"`{key}`" for key in KEYS)
    return Failed(check=1, reason=f"no JSON object with the keys {named} was found")


def _decoded(text: str, start: int, end: int) -> Draft | Failed:
    try:
        value, repaired = read_object(text[start:end])
    except RepeatedKeyError:
        return Failed(check=1, reason="the object names a key twice; name each key once")
    except ValueError:
        return Failed(check=1, reason="the object is not valid JSON")
    if _SURROGATE.search(compact_json(value)):
        return Failed(check=1, reason="the object holds half of a character; write whole characters")
    around = _around(text[:start], text[end:])
    tolerance: tuple[Tolerance, ...] = (*around, "repaired") if repaired else around
    return Draft(keys=cast("Mapping[str, Json]", value), tolerance=tolerance)


def _around(before: str, after: str) -> tuple[Tolerance, ...]:
    """Return what the object stands in."""
    if not before.strip() and not after.strip():
        return ()
    if _FENCE.fullmatch(before) and _FENCE.fullmatch(after):
        return ("fence",)
    return ("reasoning",) if _REASONING.search(before) else ("prose",)


def read_lines(text: str, tools: Sequence[str]) -> Draft | Failed:
    """Return what the lines `Thought:`, `Action:` and `Action Input:` say; form B.

    The action is a name of the space, or the name of one of `tools`, which stands for its call.
    """
    text = text[-SEARCHED_CHARS:]
    labels = list(_LABEL.finditer(text))
    names = [label[1].casefold() for label in labels]
    if "action" not in names:
        return Failed(check=1, reason="there is no line `Action:`; write `Action:` and `Action Input:`")
    if "observation" in names:
        return Failed(check=1, reason="only the host writes an `Observation`; end your reply after `Action Input:`")
    repeated = next((name for name in names if names.count(name) > 1), None)
    if repeated is not None:
        return Failed(check=1, reason=f"the line `{repeated.title()}:` is there twice; write each line once")
    if _SURROGATE.search(text):
        return Failed(check=1, reason="the reply holds half of a character; write whole characters")
    ends = [label.start() for label in labels[1:]] + [len(text)]
    parts = {name: text[label.end() : end].strip() for name, label, end in zip(names, labels, ends, strict=True)}
    return _from_lines(parts, tools, around=text[: labels[0].start()])


def _from_lines(parts: Mapping[str, str], tools: Sequence[str], *, around: str) -> Draft | Failed:
    if "action input" not in parts:
        return Failed(check=2, reason="the line `Action Input:` is missing")
    name, given = parts["action"].strip("`\"'* "), parts["action input"]
    keys: dict[str, Json] = {"thought": parts["thought"]} if "thought" in parts else {}
    if name in tools:
        keys |= {"action": TOOL_CALL, "tool": name, "tool_input": _object_or_text(given), "final": None}
    elif name == TOOL_CALL:
        read = _object_or_text(given)
        named = read if isinstance(read, Mapping) else {}
        keys |= {"action": name, "tool": named.get("tool"), "tool_input": named.get("tool_input"), "final": None}
    else:
        keys |= {"action": name, "tool": None, "tool_input": None, "final": given or None}
    return Draft(keys=keys, tolerance=("prose",) if around.strip() else ())


def read_calls(calls: Sequence[ToolCall], text: str, tools: Sequence[str], actions: Sequence[str]) -> Draft | Failed:
    """Return what the one native function call says; the text beside it is the thought.

    Without a call, a decision object in the text stands for one.
    """
    if not calls:
        read = read_object_form(text)
        if isinstance(read, Failed):
            return Failed(check=1, reason="no function was called; call exactly one of the functions on offer")
        return Draft(keys=read.keys, tolerance=(*read.tolerance, "text"))
    if len(calls) > 1:
        return Failed(check=1, reason=f"{len(calls)} functions were called; call exactly one")
    call = calls[0]
    given = _object_or_text(call.arguments or "{}")
    keys: dict[str, Json] = {"thought": text.strip()} if text.strip() else {}
    if call.name in actions and call.name not in tools:
        final = given.get("final") if isinstance(given, Mapping) else None
        return Draft(keys=keys | {"action": call.name, "tool": None, "tool_input": None, "final": final})
    return Draft(keys=keys | {"action": TOOL_CALL, "tool": call.name, "tool_input": given, "final": None})


def _object_or_text(written: str) -> Json:
    """Return the object that `written` holds, else the text itself, which no check takes for an object."""
    inner = re.sub(r"\A\s*(?:```|~~~)[\w-]*\s*|\s*(?:```|~~~)\s*\Z", "", written)
    try:
        value, _ = read_object(inner)
        whole = isinstance(value, dict) and not _SURROGATE.search(compact_json(value))
    except (ValueError, RecursionError):
        return written
    return cast("Json", value) if whole else written
