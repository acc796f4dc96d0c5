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

from interlock.cli._output import on_terminal
from interlock.loop.approval import ApprovalAnswer, ApprovalRequest
from interlock.loop.approval_shown import shown_request

__all__ = ["ask_at_terminal", "login_name"]


async def ask_at_terminal(request: ApprovalRequest) -> ApprovalAnswer:
    """Return what the person at the terminal answers to `request`."""
    if not on_terminal(sys.stdin):
        return ApprovalAnswer(approved=False, by=None, note="standard input is not a terminal")
    shown = shown_request(request)
    click.echo(shown, err=True)
    approved, note = _confirmed()
    return ApprovalAnswer(approved=approved, by=login_name(), note=note, saw=shown)


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


@contextmanager
def _interruptible() -> Iterator[None]:
    """Let an interrupt end the prompt at once: an event loop's own handler waits until the prompt returns."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
