"""Decisions from a menu: options, their text, the reply, and the next step it leads to."""

from interlock.menu.attempts import Attempt
from interlock.menu.make import Pick
from interlock.menu.options import abstain, read_options
from interlock.menu.prompts import DECISION_FINISH_INSTRUCTION
from interlock.menu.render import render_menu
from interlock.menu.resolve import Abstained

__all__ = [
    "DECISION_FINISH_INSTRUCTION",
    "Abstained",
    "Attempt",
    "Pick",
    "abstain",
    "read_options",
    "render_menu",
]
