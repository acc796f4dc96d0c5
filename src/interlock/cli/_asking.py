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

from interlock.cli._trace import visible
from interlock.loop.approval import ApprovalAnswer, ApprovalRequest

__all__ = ["ask_at_terminal"]

_SHOWN_LINES = 60
_RISKS = ("read-only", "reversible write", "irreversible", "destructive")


async def ask_at_terminal(request: ApprovalRequest) -> ApprovalAnswer:
    """Return what the person at the terminal answers to `request`."""
    if not sys.stdin.isatty():
        return ApprovalAnswer(approved=False, by=None, note="standard input is not a terminal")
    click.echo(_shown(request), err=True)
    with _interruptible():
        try:
            approved = click.confirm("Run this call?", default=False, err=True)
        except click.Abort:
            raise KeyboardInterrupt from None
    return ApprovalAnswer(approved=approved, by=_name())


def _shown(request: ApprovalRequest) -> str:
    risk = "unknown" if request.base_risk is None else f"{request.base_risk} ({_RISKS[request.base_risk]})"
    lines = visible(request.input).split("\n")
    more = len(lines) - _SHOWN_LINES
    shown = lines if more <= 0 else [*lines[:_SHOWN_LINES], f"[{more} more lines]"]
    return "\n".join(
        [
            "",
            f"{request.tool} in {visible(request.cwd)}; risk {risk}",
            f"asked because: {visible(request.reason or 'the policy asks')}",
            *(f"  {line}" for line in shown),
        ]
    )


@contextmanager
def _interruptible() -> Iterator[None]:
    """Let an interrupt end the prompt at once: an event loop's own handler waits until the prompt returns."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _name() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return "the person at the terminal"
