"""Puts a question to the person at the terminal; without a terminal no one answers.

Everything shown comes from tools, models or files, so nothing in it may steer the terminal.
"""

from __future__ import annotations

import getpass
import json
import signal
import sys
import threading
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager

from interlock.judge.human import Asked, Said
from interlock.judge.offered import listed
from interlock.questions import Content

__all__ = ["ask_at_terminal"]

_NO_ONE = Said(pick=None, by=None)
_SHOWN_LINES = 60
_KEPT = "\n\t"


async def ask_at_terminal(asked: Asked) -> Said:
    """Return what the person answers: the number or the name of an outcome, or nothing to abstain.

    Where a name is itself a number, as every level is, only names count.
    """
    if sys.stdin is None or not sys.stdin.isatty():
        return _NO_ONE
    _say(_shown(asked))
    names = [outcome.name for outcome in asked.outcomes]
    with _interruptible():
        while True:
            _say("answer, empty to abstain: ", end="")
            line = sys.stdin.readline()
            given = line.strip()
            if not given:
                return _NO_ONE
            if given in names:
                return Said(pick=names.index(given), by=_name())
            if _numbered(asked) and given.isdecimal() and 1 <= int(given) <= len(names):
                return Said(pick=int(given) - 1, by=_name())
            _say(f"`{_visible(given)}` is none of them")


def _shown(asked: Asked) -> str:
    marks = [f"  {at}." if _numbered(asked) else "  -" for at in range(1, len(asked.outcomes) + 1)]
    state = _text(asked.frame_state).split("\n")
    more = len(state) - _SHOWN_LINES
    kept = state if more <= 0 else [*state[:_SHOWN_LINES], f"[{more} more lines]"]
    lines = ["", *(f"  {line}" for line in kept), "", f"{asked.id}: {_text(asked.instructions)}"]
    return _visible("\n".join([*lines, listed(asked.outcomes, marks)]))


def _numbered(asked: Asked) -> bool:
    return not any(outcome.name.isdecimal() for outcome in asked.outcomes)


def _text(content: Content) -> str:
    return content if isinstance(content, str) else json.dumps(content, ensure_ascii=False, indent=2, default=str)


def _visible(text: str) -> str:
    """Return the text with everything that could steer a terminal as its escape."""
    return "".join(
        character
        if character in _KEPT or unicodedata.category(character)[0] != "C"
        else character.encode("unicode_escape").decode("ascii")
        for character in text
    )


def _say(text: str, *, end: str = "\n") -> None:
    sys.stderr.write(text + end)
    sys.stderr.flush()


@contextmanager
def _interruptible() -> Iterator[None]:
    """Let an interrupt end the prompt at once: an event loop's own handler waits until the prompt returns."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
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
