"""The texts around a menu: what is asked first, and what is asked again.

Source: next-step specification, section 8.
"""

from __future__ import annotations

from interlock.menu.attempts import Rejected

__all__ = ["DECISION_FINISH_INSTRUCTION", "SHOWN_REPLY_CHARS", "first_text", "repick_text"]

DECISION_FINISH_INSTRUCTION = (
    "Do the work first. When it is finished, end your reply with one JSON object that picks exactly one of the "
    "options below, written in the form of its `Call:` line. Write nothing after that object."
)

SHOWN_REPLY_CHARS = 2000
"""Characters from the end of the previous reply that a re-pick shows."""


def first_text(menu: str, *, finish: bool) -> str:
    """Return what follows the prompt: the menu, after the finish instruction when a whole turn comes before it."""
    return f"{DECISION_FINISH_INSTRUCTION}\n\n{menu}" if finish else menu


def repick_text(reply: object, rejected: Rejected, menu: str) -> str:
    """Return what follows the prompt when a reply was no pick."""
    previous = reply[-SHOWN_REPLY_CHARS:] if isinstance(reply, str) else "(not text)"
    return (
        f"Previous reply:\n{previous}\n\n"
        f"Problem ({rejected.kind}): {rejected.message}\n\n"
        "Pick again: reply with one JSON object and nothing else.\n\n"
        f"{menu}"
    )
