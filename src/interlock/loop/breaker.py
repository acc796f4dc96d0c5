"""When a loop that goes in circles is stopped.

Pure; reads the finished steps and nothing else.
Source: reference loop specification, budgets and breaker.
"""

from __future__ import annotations

from collections.abc import Sequence

from interlock.loop.state import Step

__all__ = ["MAX_FAILURES", "MAX_REPEATS", "tripped"]

MAX_FAILURES = 2
"""The same call failing this often stops the loop."""
MAX_REPEATS = 3
"""The same call giving the same result this often stops the loop."""


def tripped(finished: Sequence[Step]) -> str | None:
    """Return why the loop must stop after the newest of `finished`, such as `same_failure`; None to go on."""
    if not finished:
        return None
    newest = finished[-1]
    same = [step for step in finished if (step.tool, step.input) == (newest.tool, newest.input)]
    if newest.failed and sum(step.failed for step in same) >= MAX_FAILURES:
        return "same_failure"
    if sum(step.result == newest.result for step in same) >= MAX_REPEATS:
        return "same_result"
    return None
