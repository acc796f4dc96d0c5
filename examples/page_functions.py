"""Functions for the page: `interlock serve --functions examples/page_functions.py` shows a form for each.

They have every control a form can have, and an agent whose call asks for a yes. Offline: no model is asked.
"""

from __future__ import annotations

from typing import Literal, TypedDict

from interlock import Agent
from interlock.functions import form_model

__all__ = ["Desk", "convert", "explain", "review"]


class Review(TypedDict):
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
    score = min(max_score, len(essay.split()) * points_per_word)
    return Review(score=score, remarks=[f"{level}, against {rubric}, by {signed_by}"] if show_details else [])


review.input_meta = {  # type: ignore[attr-defined]
    "essay": {"description": "The text to score", "placeholder": "Paste the essay here", "multiline": True},
    "rubric": {"description": "What it is held against", "options": ["writing", "argument"]},
    "max_score": {"description": "The best score"},
    "show_details": {"description": "Say why"},
    "signed_by": {"description": "Whose name stands below", "multiline": False},
    "points_per_word": {"hidden": True},
}


def convert(amount: float, rate: float = 1.25) -> float:
    """Convert an amount of money."""
    return round(amount * rate, 2)


def explain(function: str) -> str:
    """Say what another function asks for."""
    return "\n".join(field.label for field in form_model(globals()[function]).fields)


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
    forms = [form_model(function) for function in (review, convert, explain, Desk().refund)]
    print("\n".join(f"{field.control}: {field.label}" for form in forms for field in form.fields))


if __name__ == "__main__":
    main()
