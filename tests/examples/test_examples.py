"""The examples run offline and print what their comments promise."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"

SHOWN = {
    "01_menu.py": [
        "refund(order: str, amount: float, note: str)",
        "    Pay an amount back.",
        "Lost three weeks ago. -> refunded 20.00 for A-17",
        "Two days late. -> nothing was done",
        "Where is it? -> {'decision': 'ask', 'question': 'Which order is it?'}",
        "My lawyer will write. -> a person looks at it: a threat of legal action",
    ],
    "02_schema_and_values.py": [
        (
            "{'decision': 'ship', 'size': 'M', 'parcels': [Parcel(number='P1', weight_kg=2.0)], "
            "'address': {'street': 'Main Street 1', 'postcode': '12345'}}"
        ),
        "0",
        'enum_violation at size: must be one of "S", "M", "L", got "XL"',
        "constraint_violation at parcels[0].weight_kg: input should be less than or equal to 30",
        "{'size': 'S', 'fragile': True}",
    ],
    "03_judge_or_text.py": [
        "text model: refund by text, no probabilities, {'decision': 'refund', 'amount': 20}",
        "judge alone: answer by judge, {'answer': 0.7, 'refund': 0.2, 'pass_on': 0.1}, WRITE",
        (
            "judge, then text: refund by judge, {'answer': 0.1, 'refund': 0.8, 'pass_on': 0.1}, "
            "{'decision': 'refund', 'amount': 15}"
        ),
        "a person decides: no_answer",
    ],
    "04_agent_class.py": [
        "approve refund({'amount': 20})? yes",
        "paid 20",
        "3 function orders, called by 0: ok, ['shop-1/Ada/A-17: lost']",
        "5 function refund, called by 0: ok, 'paid 20'",
    ],
    "page_functions.py": [
        "textarea: essay (str) The text to score",
        "chips: rubric (str) What it is held against",
        "toggle: show_details (bool) Say why",
        "line: rate (float, optional)",
        "select: function (str)",
    ],
}


@pytest.mark.parametrize("name", sorted(SHOWN))
def test_an_example_shows_what_it_says(name: str) -> None:
    """The same lines in the same order, twice the same."""
    runs = [_run(name) for _ in range(2)]

    assert runs[0] == runs[1]
    lines = iter(runs[0].splitlines())
    for wanted in SHOWN[name]:
        assert wanted in lines, f"{name} does not print `{wanted}`"


@pytest.mark.parametrize("name", sorted(SHOWN))
def test_an_example_is_short_and_says_what_it_is(name: str) -> None:
    text = (EXAMPLES / name).read_text(encoding="utf-8")

    assert text.startswith('"""')
    assert text.count("\n") <= 85


def _run(name: str) -> str:
    run = subprocess.run(
        [sys.executable, EXAMPLES / name], check=True, capture_output=True, text=True, encoding="utf-8", timeout=60
    )
    return run.stdout
