"""A run as it happens, one line per event, for a person who watches.

Reads records only; draws on whatever `echo` draws on.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

import click

from interlock._canonical import compact_json
from interlock._text import clip, columns, visible
from interlock.cli._output import counted
from interlock.journal.bodies import Accounting
from interlock.journal.records import Body, Record
from interlock.questions import Json

__all__ = ["Trace", "account", "visible"]

Echo: TypeAlias = Callable[[str], None]

_GOES_ON = frozenset(("use_tool", "call", "use", "auto", "continue", "keep_going", "finish", "deliver", "answer"))


class Trace:
    """Prints the events of one run; it is a listener of the recorder."""

    def __init__(self, echo: Echo) -> None:
        self._echo = echo

    def __call__(self, record: Record) -> None:
        """Print `record` when a person wants to see it."""
        lines = _LINES.get(record.type)
        if lines is not None:
            self._echo(lines(record.body))


def account(accounting: Accounting) -> str:
    """Return the account of a run on one line."""
    tokens = "unknown" if accounting.tokens is None else str(accounting.tokens)
    cached = "" if accounting.cached_tokens is None else f" ({accounting.cached_tokens} from a cache)"
    cancelled = f", {accounting.cancelled} cancelled" if accounting.cancelled else ""
    return (
        f"{counted(accounting.decisions, 'decision')}, {counted(accounting.questions, 'question')} in "
        f"{counted(accounting.requests, 'request')}, {counted(accounting.waves, 'wave')}, "
        f"{accounting.discarded} discarded{cancelled}, {counted(accounting.writer_calls, 'writer call')}, "
        f"tokens {tokens}{cached}, {accounting.wall_s:.2f} s"
    )


def _started(body: Body) -> str:
    writer = f"  writer {body['writer']}" if body["writer"] else ""
    return click.style(f"contract {str(body['contract_digest'])[:12]}  judge {body['judge']}{writer}", dim=True)


def _decision(body: Body) -> str:
    plan = body["plan"]
    if isinstance(plan, Mapping) and plan["discarded"]:
        return click.style(f"     {body['decision']} was asked ahead and is discarded", dim=True)
    action = str(body["action"])
    shown = f"{action} {_line(body['picked'])}" if body["picked"] is not None and action in ("call", "use") else action
    colour = "green" if action in _GOES_ON else "yellow"
    mark = "~" if body["degraded"] else " "
    line = (
        f"{_number(body['step']):>3.0f}  {body['decision']:<12}{mark} {click.style(_padded(shown, 26), fg=colour)} "
        f"{_compared(body):<34} {_number(body['elapsed_s']) * 1000:7.1f} ms"
    )
    warnings = body["warnings"] if isinstance(body["warnings"], list) else []
    return "\n".join([line, *(click.style(f"     warning: {_line(text, 120)}", fg="yellow") for text in warnings)])


def _compared(body: Body) -> str:
    """Return the value against its threshold, or why no rule decided."""
    outcome = body["outcome"]
    if not isinstance(outcome, Mapping):
        return f"mode {body['mode']}"
    if outcome["reason"] is not None:
        return _line(outcome["reason"], 120)
    if outcome["value"] is None:
        values = ", ".join(f"{name} {value:.2f}" for name, value in _values(body))
        return f"else ({values})" if values else "else"
    test = str(outcome["rule_text"]).partition(" → ")[0]
    return f"{_number(outcome['value']):.2f} against {test}"


def _values(body: Body) -> list[tuple[str, float]]:
    readings = body["readings"]
    found: list[tuple[str, float]] = []
    for name, reading in readings.items() if isinstance(readings, Mapping) else ():
        answer = reading["answer"] if isinstance(reading, Mapping) else None
        value = answer.get("noul", answer.get("score")) if isinstance(answer, Mapping) else None
        if isinstance(value, int | float):
            found.append((name, value))
    return found


def _about_to_run(body: Body) -> str:
    return f"     → {body['tool']} {_line(body['input'])}"


def _result(body: Body) -> str:
    text = str(body["result"])
    lines = text.count("\n") + 1
    size = "" if body["failed"] or lines == 1 else f" ({lines} lines, {len(text)} characters)"
    return click.style(f"     ← {_line(text)}{size}", fg="red" if body["failed"] else None, dim=not body["failed"])


def _audit(body: Body) -> str:
    return f"     audit: {body['tool']} {_line(body['target'])}, {body['rule']}"


def _requested(body: Body) -> str:
    return click.style(f"     asks: {body['tool']} {_line(body['input'])}", fg="yellow")


def _answered(body: Body) -> str:
    verdict = "approved" if body["approved"] else "refused"
    return click.style(f"     {verdict} by {_line(body['by'], 120)}", fg="yellow")


def _consumed(body: Body) -> str:
    return click.style(f"     approval {visible(str(body['request'])[:16])} is used up", dim=True)


def _expired(body: Body) -> str:
    return click.style(f"     approval expired at {_line(body['expires'])}", fg="yellow")


def _generation(body: Body) -> str:
    failure = body["failure"]
    what = {"answer": "draft", "revision": "revised draft", "input": "input"}[str(body["purpose"])]
    mark = "~" if body["degraded"] else " "
    writer = "the host" if body["writer"] is None else body["writer"]
    cut = ", cut off at the most that it may write" if body["truncated"] else ""
    return f"     {what}{mark} by {writer}{cut}" + (f": {_line(failure, 120)}" if failure else "")


def _budget(body: Body) -> str:
    return click.style(
        f"     {body['budget']}: {_number(body['used']):g} of {_number(body['limit']):g}, before {body['before']}",
        fg="yellow",
    )


def _engine_started(body: Body) -> str:
    layers = body["layers"] if isinstance(body["layers"], Mapping) else {}
    named = "  ".join(
        f"{part['name'] or layer}@{part['version']}" for layer, part in layers.items() if isinstance(part, Mapping)
    )
    return click.style(f"prompts {_line(named, 120)}  mode {body['mode']}", dim=True)


def _action(body: Body) -> str:
    what = f"{body['tool']} {_line(compact_json(body['tool_input']))}" if body["tool"] else _line(body["final"])
    attempts = body["attempts"] if isinstance(body["attempts"], list) else []
    mark = "~" if body["fallback"] else " "
    checks = ", ".join(f"check {item['check']}" for item in attempts if isinstance(item, Mapping))
    line = (
        f"{_number(body['step']):>3.0f}  {body['action']:<10}{mark} {what:<62} "
        f"{_number(body['elapsed_s']) * 1000:7.0f} ms"
    )
    return f"{line}  after {checks}" if checks else line


def _error(body: Body) -> str:
    return click.style(f"     error: {_line(body['message'], 120)}", fg="red")


def _line(value: Json, bound: int = 60) -> str:
    return clip(visible(str(value).partition("\n")[0]), bound)


def _padded(text: str, width: int) -> str:
    return text + " " * (width - columns(text))


def _number(value: Json) -> float:
    return float(value) if isinstance(value, int | float) else 0.0


_LINES: Mapping[str, Callable[[Body], str]] = {
    "run_started": _started,
    "decision": _decision,
    "tool_about_to_run": _about_to_run,
    "tool_result": _result,
    "audit": _audit,
    "approval_requested": _requested,
    "approval_answered": _answered,
    "approval_consumed": _consumed,
    "approval_expired": _expired,
    "generation": _generation,
    "budget": _budget,
    "error": _error,
    "engine_started": _engine_started,
    "action": _action,
}
