"""The example of a foreign loop stays small, independent and right."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

EXAMPLE = Path(__file__).parents[2] / "examples" / "05_own_loop.py"


def test_a_foreign_loop_is_gated_by_its_own_contract() -> None:
    """Paid with proof, asked above the limit, escalated without a clear desk, waiting by night."""
    shown = subprocess.run([sys.executable, EXAMPLE], check=True, capture_output=True, text=True, timeout=60)

    assert [line.split("  ")[-2:] for line in _decisions(shown.stdout)] == [
        ["host:sort", "code"],
        ["host:hand_over", "top >= 0.6 → host:hand_over"],
        ["host:pay", "else → host:pay"],
        ["host:sort", "code"],
        ["host:hand_over", "top >= 0.6 → host:hand_over"],
        ["ask_human", "score:risk >= 2 → ask_human"],
        ["host:sort", "code"],
        ["escalate", "else → escalate"],
        ["host:wait", "else → host:wait"],
    ]


def test_it_needs_nothing_of_the_reference_loop() -> None:
    """Under eighty lines, and it imports no loop."""
    text = EXAMPLE.read_text(encoding="utf-8")

    assert text.count("\n") < 80
    assert "interlock.loop" not in text


def _decisions(shown: str) -> list[str]:
    """Return the lines with their columns two spaces apart."""
    return ["  ".join(part.strip() for part in line.split("  ") if part.strip()) for line in shown.splitlines()]
