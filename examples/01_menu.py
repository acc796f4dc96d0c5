"""A menu in ten lines: the model picks a function, a value or a schema, and the next step's result comes back.

The model here follows a script, so that this runs offline; put `make_text_model("openai:MODEL", environ=os.environ)`
from `interlock.wiring` in its place.
"""

from __future__ import annotations

from interlock import Runtime, decision
from interlock.testing import ScriptedModel


def refund(order: str, amount: float, note: str = "") -> str:
    """Pay an amount back."""
    return f"refunded {amount:.2f} for {order}" + (f" ({note})" if note else "")


STEPS = {
    "refund": refund,
    "wait": ("nothing was done", "the parcel may still arrive"),
    "ask": ("one fact is missing", {"question": str}),
    "none": decision.abstain("none of these fits", then=lambda reason: f"a person looks at it: {reason}"),
}

REPLIES = [
    '{"call": "refund", "args": {"order": "A-17", "amount": 20}}',
    "The parcel is only two days late.",  # no pick: asked again, with what was wrong
    '{"call": "wait"}',
    '{"call": "ask", "args": {"question": "Which order is it?"}}',
    '{"call": "none", "args": {"reason": "a threat of legal action"}}',
]
TICKETS = ["Lost three weeks ago.", "Two days late.", "Where is it?", "My lawyer will write."]


def main() -> None:
    """Print the menu, then what each ticket leads to."""
    model = ScriptedModel(REPLIES)
    print(decision.render_options(STEPS))
    for ticket in TICKETS:
        result = decision.make(f"{ticket}\nPick the next step.", STEPS, runtime=Runtime(model))
        print(f"{ticket} -> {result}")


if __name__ == "__main__":
    main()
