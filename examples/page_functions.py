"""Functions for the page: `interlock serve --functions examples/page_functions.py` shows a form for each.

Together they have every control a form can have, and an agent whose call asks for a yes. Offline: no model is asked.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from interlock import Agent
from interlock.functions import form_model

__all__ = ["Desk", "convert", "explain", "review"]


@dataclass(frozen=True)
class Review:
    """What a review came to."""

    score: float
    remarks: list[str]


def review(
    essay: str,
    *,
    rubric: str,
    max_score: int,
    show_details: bool,
    level: Literal["short", "long"] = "short",
    signed_by: str = "the desk",
    points_per_word: float = 0.5,
) -> Review:
    """Score an essay against a rubric."""
    words = len(essay.split())
    remarks = [f"{words} words against {rubric}, {level}", f"signed by {signed_by}"]
    return Review(score=min(max_score, words * points_per_word), remarks=remarks if show_details else [])


review.input_meta = {  # type: ignore[attr-defined]
    "essay": {"description": "The text to score", "placeholder": "Paste the essay here", "multiline": True},
    "rubric": {"description": "What it is held against", "options": ["writing", "argument"]},
    "max_score": {"description": "The best score"},
    "show_details": {"description": "Say why"},
    "level": {"description": "How much to say"},
    "signed_by": {"description": "Whose name stands below", "multiline": False},
    "points_per_word": {"hidden": True},
}


def convert(amount: float, rate: float = 1.25) -> float:
    """Convert an amount of money."""
    return round(amount * rate, 2)


def explain(function: str) -> str:
    """Say what another function asks for."""
    known: Mapping[str, Callable[..., Any]] = {"review": review, "convert": convert}
    return "\n".join(field.label for field in form_model(known[function]).fields)


explain.input_meta = {"function": {"options_from": "functions"}}  # type: ignore[attr-defined]


class Desk(Agent):
    """Pays money back, and asks first."""

    method_options = {  # noqa: RUF012  (read once, by the base class)
        "refund": {"requires_approval": True, "timeout": 30, "input": {"amount": {"description": "In euros"}}},
        "settle": {"input": {"order": {"multiline": False}, "amount": {"description": "In euros"}}},
    }

    def refund(self, order: str, amount: int) -> str:
        """Pay money back."""
        return f"paid {amount} for {order}"

    def settle(self, order: str, amount: int = 20) -> str:
        """Look an order up and settle it."""
        return self.refund(order, amount)


def main() -> None:
    """Print which control each parameter has."""
    functions: list[Callable[..., Any]] = [review, convert, explain, Desk().refund, Desk().settle]
    for function in functions:
        for field in form_model(function).fields:
            print(f"{function.__name__}: {field.control}: {field.label}")


if __name__ == "__main__":
    main()
