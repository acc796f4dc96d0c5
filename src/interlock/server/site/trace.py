"""The records of a run as a person follows them: one short item per event worth seeing.

Reads records that anybody may have written: what an item lacks is left out, and what cannot be shown says so.
Knows nothing of templates.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from interlock._canonical import compact_json
from interlock._text import clip, visible
from interlock.journal.records import Body, EventType, Record
from interlock.questions import Json

__all__ = ["SHOWN", "Item", "ItemKind", "Tone", "items_of"]

ItemKind: TypeAlias = Literal[
    "decision", "call", "result", "draft", "asked", "answered", "used", "expired", "audit", "budget", "error", "action",
    "damaged",
]  # fmt: skip
Tone: TypeAlias = Literal["go", "hold", "stop", "plain"]
"""How an item looks: the run goes on, it holds or was refused, something failed, or none of these."""

_GOES_ON = frozenset(("use_tool", "call", "use", "auto", "continue", "keep_going", "finish", "deliver", "answer"))
_LINE = 160
_TEXT = 4000


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One line of the trace."""

    seq: int
    kind: ItemKind
    tone: Tone = "plain"
    step: int | None = None
    title: str = ""
    """A decision, a tool, a budget: what it is about."""
    said: str = ""
    """What it came to, on one line."""
    text: str = ""
    """What is longer than a line, and folded away."""
    value: float | None = None
    threshold: float | None = None
    margin: float | None = None
    test: str = ""
    """The rule that decided, without its action; or why none did."""
    wave: int | None = None
    elapsed_ms: float | None = None
    is_discarded: bool = False
    is_degraded: bool = False
    link: str = ""
    """The id of the approval that it is about."""


def items_of(records: Iterable[Record]) -> Iterator[Item]:
    """Yield an item for every record that a person wants to see."""
    for record in records:
        make = _ITEMS.get(record.type)
        if make is None:
            continue
        try:
            yield make(record.seq, record.body)
        except (LookupError, TypeError, ValueError, OverflowError):
            yield Item(seq=record.seq, kind="damaged", tone="stop", title=record.type)


def _decision(seq: int, body: Body) -> Item:
    plan, outcome = _part(body, "plan"), _part(body, "outcome")
    action, picked = str(body["action"]), body.get("picked")
    return Item(
        seq=seq,
        kind="decision",
        tone="go" if action in _GOES_ON else "hold",
        step=_whole(body.get("step")),
        title=str(body["decision"]),
        said=f"{action} {_line(picked)}" if picked is not None and action in ("call", "use") else action,
        value=_number(outcome.get("value")),
        threshold=_number(outcome.get("threshold")),
        margin=_number(outcome.get("margin")),
        test=_test(body, outcome),
        wave=_whole(plan.get("wave")),
        elapsed_ms=_milliseconds(body),
        is_discarded=plan.get("discarded") is True,
        is_degraded=body.get("degraded") is True,
    )


def _test(body: Body, outcome: Mapping[str, Json]) -> str:
    if not outcome:
        return f"mode {body.get('mode')}"
    if outcome.get("reason") is not None:
        return _line(outcome["reason"])
    return _line(str(outcome.get("rule_text")).partition(" → ")[0])


def _call(seq: int, body: Body) -> Item:
    return Item(
        seq=seq,
        kind="call",
        step=_whole(body.get("step")),
        title=str(body["tool"]),
        said=_line(body["input"]),
        text=_long(body["input"]),
    )


def _result(seq: int, body: Body) -> Item:
    failed = body["failed"] is True
    return Item(
        seq=seq,
        kind="result",
        tone="stop" if failed else "go",
        step=_whole(body.get("step")),
        title=str(body["tool"]),
        said=_line(body["result"]),
        text=_long(body["result"]),
        elapsed_ms=_milliseconds(body),
    )


def _draft(seq: int, body: Body) -> Item:
    failure = body.get("failure")
    return Item(
        seq=seq,
        kind="draft",
        tone="plain" if failure is None else "stop",
        title=str(body["purpose"]),
        said=_line(failure if failure is not None else body["text"]),
        text=_text(body["text"]),
        elapsed_ms=_milliseconds(body),
        is_degraded=body.get("degraded") is True,
    )


def _asked(seq: int, body: Body) -> Item:
    return Item(
        seq=seq,
        kind="asked",
        tone="hold",
        step=_whole(body.get("step")),
        title=str(body["tool"]),
        said=_line(body["input"]),
        text=_long(body["input"]),
        test=_line(body.get("reason") or ""),
    )


def _answered(seq: int, body: Body) -> Item:
    approved = body["approved"] is True
    return Item(
        seq=seq,
        kind="answered",
        tone="go" if approved else "stop",
        title="approved" if approved else "denied",
        said=_line(body["by"]),
        text=_text(body.get("note") or ""),
        link=str(body["request"]),
    )


def _used(seq: int, body: Body) -> Item:
    return Item(seq=seq, kind="used", link=str(body["request"]))


def _expired(seq: int, body: Body) -> Item:
    return Item(seq=seq, kind="expired", tone="hold", said=_line(body["expires"]), link=str(body["request"]))


def _audit(seq: int, body: Body) -> Item:
    return Item(seq=seq, kind="audit", title=str(body["tool"]), said=_line(body["target"]), test=_line(body["rule"]))


def _budget(seq: int, body: Body) -> Item:
    said = f"{_number(body['used']) or 0:g} / {_number(body['limit']) or 0:g}"
    return Item(seq=seq, kind="budget", tone="hold", title=str(body["budget"]), said=said)


def _error(seq: int, body: Body) -> Item:
    return Item(seq=seq, kind="error", tone="stop", said=_line(body["message"]), text=_long(body["message"]))


def _action(seq: int, body: Body) -> Item:
    what = f"{body['tool']} {compact_json(body['tool_input'])}" if body["tool"] else str(body["final"])
    return Item(
        seq=seq,
        kind="action",
        step=_whole(body.get("step")),
        title=str(body["action"]),
        said=_line(what),
        text=_long(what),
        elapsed_ms=_milliseconds(body),
        is_degraded=body.get("fallback") is True,
    )


_ITEMS: Mapping[EventType, Callable[[int, Body], Item]] = {
    "decision": _decision,
    "tool_about_to_run": _call,
    "tool_result": _result,
    "generation": _draft,
    "approval_requested": _asked,
    "approval_answered": _answered,
    "approval_consumed": _used,
    "approval_expired": _expired,
    "audit": _audit,
    "budget": _budget,
    "error": _error,
    "action": _action,
}
SHOWN: Sequence[EventType] = tuple(_ITEMS)
"""The types of records that a person wants to see."""


def _part(body: Body, key: str) -> Mapping[str, Json]:
    found = body.get(key)
    return found if isinstance(found, Mapping) else {}


def _line(value: Json) -> str:
    return clip(visible(str(value).partition("\n")[0]), _LINE)


def _text(value: Json) -> str:
    return clip(visible(str(value)), _TEXT)


def _long(value: Json) -> str:
    """Return the text that a line cannot hold; empty when the line holds it all."""
    text = _text(value)
    return text if "\n" in text or len(text) > _LINE else ""


def _number(value: Json) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def _whole(value: Json) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _milliseconds(body: Body) -> float | None:
    elapsed_s = _number(body.get("elapsed_s"))
    return None if elapsed_s is None else elapsed_s * 1000
