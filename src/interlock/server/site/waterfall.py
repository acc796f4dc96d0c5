"""When a run asked, called and wrote: one bar per request, call and draft, on a common axis of time.

Pure over records. Idle spans, in which a run waited for a person or was not worked on, are cut out of the axis.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, TypeAlias

from interlock._text import visible
from interlock.journal.records import Body, Record

__all__ = ["Bar", "BarKind", "Waterfall", "waterfall_of"]

BarKind: TypeAlias = Literal["request", "call", "draft"]

MAX_BARS = 400
_IDLE_S = 1.0
"""A longer span without a bar is cut."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """One span of work."""

    kind: BarKind
    label: str
    wave: int | None
    start: float
    """Per mille of the axis."""
    width: float
    elapsed_ms: float
    is_cancelled: bool = False
    follows_a_cut: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Waterfall:
    """The bars of a run, or the last of them."""

    bars: tuple[Bar, ...]
    left_out: int
    total_ms: float
    """Of the axis, without what was cut."""


@dataclass(slots=True, kw_only=True)
class _Span:
    kind: BarKind
    label: str
    wave: int | None
    began: float
    ended: float
    is_cancelled: bool = False


def waterfall_of(records: Iterable[Record]) -> Waterfall:
    """Return when a run worked on what; records that say it badly are passed over."""
    spans = sorted(_spans(records), key=lambda span: (span.began, span.ended))
    shown = spans[-MAX_BARS:]
    starts, cuts, total = _axis(shown)
    scale = 1000 / total if total > 0 else 0
    bars = tuple(
        Bar(
            kind=span.kind,
            label=span.label,
            wave=span.wave,
            start=start * scale,
            width=max((span.ended - span.began) * scale, 2.0),
            elapsed_ms=(span.ended - span.began) * 1000,
            is_cancelled=span.is_cancelled,
            follows_a_cut=cut,
        )
        for span, start, cut in zip(shown, starts, cuts, strict=True)
    )
    return Waterfall(bars=bars, left_out=len(spans) - len(shown), total_ms=total * 1000)


def _axis(spans: Sequence[_Span]) -> tuple[list[float], list[bool], float]:
    """Return where each span starts, whether the axis was cut before it, and how long the axis is."""
    starts: list[float] = []
    cuts: list[bool] = []
    shift = end = spans[0].began if spans else 0.0
    for span in spans:
        is_cut = span.began - end > _IDLE_S
        if is_cut:
            shift += span.began - end
        starts.append(span.began - shift)
        cuts.append(is_cut)
        end = max(end, span.ended)
    return starts, cuts, end - shift


def _spans(records: Iterable[Record]) -> list[_Span]:
    requests: dict[str, _Span] = {}
    found: list[_Span] = []
    call: _Span | None = None
    for record in records:
        try:
            at = datetime.fromisoformat(record.ts).timestamp()
        except (ValueError, OverflowError):
            continue
        body = record.body
        named = str(body.get("request"))
        match record.type:
            case "judge_request":
                span = _request(body, at)
                requests[named] = span
                found.append(span)
            case "judge_reply" if named in requests:
                span = requests.pop(named)
                span.ended, span.is_cancelled = max(at, span.began), body.get("cancelled") is True
            case "tool_about_to_run":
                call = _Span(kind="call", label=visible(str(body.get("tool"))), wave=None, began=at, ended=at)
                found.append(call)
            case "tool_result" if call is not None:
                call.ended, call = max(at, call.began), None
            case "generation":
                took = body.get("elapsed_s")
                took_s = float(took) if isinstance(took, int | float) and 0 <= took < 1e6 else 0.0
                found.append(
                    _Span(kind="draft", label=visible(str(body.get("purpose"))), wave=None, began=at - took_s, ended=at)
                )
            case _:
                pass
    return found


def _request(body: Body, at: float) -> _Span:
    asked, wave = body.get("decisions"), body.get("wave")
    names = ", ".join(str(name) for name in asked) if isinstance(asked, list) else ""
    return _Span(kind="request", label=visible(names), wave=wave if isinstance(wave, int) else None, began=at, ended=at)
