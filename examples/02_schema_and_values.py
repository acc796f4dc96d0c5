"""What a reply may fill: fields with descriptions, options, lists and classes, and what is said of one that is wrong.

Offline: the model follows a script.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from pydantic import Field

from interlock import Runtime, decision
from interlock.decision import DecisionError
from interlock.testing import ScriptedModel


@dataclass
class Parcel:
    """One parcel of an order."""

    number: str
    weight_kg: Annotated[float, Field(gt=0, le=30)]


ORDER = {
    "size": {"description": "The size of the box", "options": ["S", "M", "L"]},
    "parcels": [Parcel],
    "address": {"street": str, "postcode": "as printed on the label"},
}
STEPS = {"ship": ("everything is known", ORDER), "hold": (0, "something is missing")}

GOOD = """Both fit into a medium box.
{"call": "ship", "args": {"size": "M", "parcels": [{"number": "P1", "weight_kg": 2}],
 "address": {"street": "Main Street 1", "postcode": "12345"}}}"""
WRONG = """{"call": "ship", "args": {"size": "XL", "parcels": [{"number": "P1", "weight_kg": 44}],
 "address": {"street": "Main Street 1", "postcode": "12345"}}}"""


def main() -> None:
    """Print a filled option, a value that is false, the two errors of one reply, and an object without a menu."""
    print(decision.make("Ship it?", STEPS, runtime=Runtime(ScriptedModel([GOOD]))))
    print(decision.make("Ship it?", STEPS, runtime=Runtime(ScriptedModel(['{"call": "hold"}']))))
    try:
        decision.make("Ship it?", STEPS, runtime=Runtime(ScriptedModel([WRONG])), max_retries=0)
    except DecisionError as error:
        for problem in error.attempts[-1].problems:
            print(f"{problem.kind} at {problem.path}: {problem.message}")
    runtime = Runtime(ScriptedModel(['{"size": "S", "fragile": true}']))
    print(runtime.exec("Describe the box.", response_format={"size": ORDER["size"], "fragile": bool}))


if __name__ == "__main__":
    main()
