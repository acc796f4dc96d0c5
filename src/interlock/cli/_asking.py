"""Asks at the terminal before a gated call; the default is no, and no terminal is no.

Source: journal and safety specification, approvals.
"""

from __future__ import annotations

import getpass
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import click

from interlock._text import clip
from interlock.cli._output import on_terminal
from interlock.cli._trace import visible
from interlock.loop.approval import ApprovalAnswer, ApprovalRequest

__all__ = ["ask_at_terminal", "login_name", "shown_request"]

_SHOWN_LINES = 60
_SHOWN_COLUMNS = 500
_RISKS = ("read-only", "reversible write", "irreversible", "destructive")


async def ask_at_terminal(request: ApprovalRequest) -> ApprovalAnswer:
    """Return what the person at the terminal answers to `request`."""
    if not on_terminal(sys.stdin):
        return ApprovalAnswer(approved=False, by=None, note="standard input is not a terminal")
    shown = shown_request(request)
    click.echo(shown, err=True)
    approved, note = _confirmed()
    return ApprovalAnswer(approved=approved, by=login_name(), note=note, saw=shown)


def shown_request(request: ApprovalRequest) -> str:
    """Return what a person reads of a call; nothing in it can steer a terminal, and what is left out is said."""
    lines = [clip(line, _SHOWN_COLUMNS) for line in visible(request.input).split("\n")]
    more = len(lines) - _SHOWN_LINES
    shown = lines if more <= 0 else [*lines[:_SHOWN_LINES], f"[{more} more lines]"]
    return "\n".join(
        [
            "",
            f"{visible(request.tool)} in {visible(request.cwd)}; risk {_risk(request.base_risk)}",
            f"asked because: {visible(request.reason or 'the policy asks')}",
            *(f"  {line}" for line in shown),
            f"approval {request.id[:16]}, until {request.expires}",
        ]
    )


def _confirmed() -> tuple[bool, str | None]:
    """Return the answer; the end of the input is no, and an interrupt ends the run."""
    with _interruptible():
        try:
            return click.confirm("Run this call?", default=False, err=True), None
        except click.Abort as aborted:
            if isinstance(aborted.__context__, EOFError):
                click.echo(err=True)
                return False, "the input ended"
            raise KeyboardInterrupt from None


def login_name() -> str:
    """Return whose session this is."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return "the person at the terminal"


def _risk(base: int | None) -> str:
    known = base is not None and 0 <= base < len(_RISKS)
    return f"{base} ({_RISKS[base]})" if base is not None and known else "unknown"


@contextmanager
def _interruptible() -> Iterator[None]:
    """Let an interrupt end the prompt at once: an event loop's own handler waits until the prompt returns."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
