"""The text model that a command line means, and how it is asked."""

from __future__ import annotations

import os
from collections.abc import Callable
from decimal import Decimal, InvalidOperation
from typing import Any, TypeVar, get_args

import click

from interlock.actions import Deliberate
from interlock.cli._output import USAGE, fail
from interlock.engine import Mode, Prices
from interlock.models.base import TextModel
from interlock.settings import Settings
from interlock.wiring import make_text_model

__all__ = ["asking_options", "decimal_of", "model_id", "prices_of", "text_model"]

F = TypeVar("F", bound=Callable[..., Any])

_OPTIONS = (
    click.option(
        "--model", metavar="ID", help="Who writes, such as `openai:MODEL`; the writer of the settings unless given."
    ),
    click.option("--judge", metavar="ID", help="Who picks the action or tool; the text model unless given."),
    click.option(
        "--mode",
        type=click.Choice(get_args(Mode)),
        default="text",
        show_default=True,
        help="How a decision is asked for; where the provider lacks a mode, the next one is taken and said.",
    ),
    click.option(
        "--form",
        type=click.Choice(["json", "lines"]),
        default="json",
        show_default=True,
        help="Of a text reply: one JSON object, or Thought, Action and Action Input.",
    ),
    click.option(
        "--deliberate",
        type=click.Choice(get_args(Deliberate)),
        default="none",
        show_default=True,
        help="How much the model thinks before it decides.",
    ),
    click.option(
        "--retries", type=click.IntRange(0), default=2, show_default=True, help="Further attempts at a decision."
    ),
    click.option(
        "--prices",
        nargs=2,
        metavar="IN OUT",
        help="USD per million tokens in and out, where the model does not say what it costs.",
    ),
)


def asking_options(function: F) -> F:
    """Add the options that say who is asked and how."""
    for option in reversed(_OPTIONS):
        function = option(function)
    return function


def model_id(given: str | None, settings: Settings) -> str:
    """Return the id of the text model; ends the program when nobody names one."""
    named = given or (None if settings.writer == "extractive" else settings.writer)
    if named is None:
        fail("no text model: name one with --model, such as `openai:MODEL`, or as the writer of the settings", USAGE)
    return named


def text_model(id_: str) -> TextModel:
    """Return the model of an id.

    Raises:
        SettingsError: the id is unknown or incomplete, or something it needs is missing.
    """
    return make_text_model(id_, environ=os.environ)


def prices_of(given: tuple[str, str] | None) -> Prices | None:
    """Return the prices; ends the program when one is no number."""
    if given is None:
        return None
    first, second = (decimal_of(text, "--prices") for text in given)
    return Prices(input_usd_per_million=first, output_usd_per_million=second)


def decimal_of(text: str, option: str) -> Decimal:
    """Return a number of at least 0 as it was written; ends the program when it is none."""
    try:
        number = Decimal(text)
    except InvalidOperation:
        number = Decimal("NaN")
    if not number.is_finite() or number < 0:
        fail(f"{option}: `{text}` is no amount; write a number such as 0.25", USAGE)
    return number
