"""Two roles on the same cases: one layer differs, and the report claims no more than was shown.

Offline: the model is an urn whose replies are drawn; with the second role they are valid more often.
An argument names a file for the page with plots.
"""

from __future__ import annotations

import asyncio
import json
import random
import sys
from collections.abc import AsyncIterator, Mapping
from dataclasses import replace
from pathlib import Path

from interlock import Runtime
from interlock.engine import EngineOptions, Waiting
from interlock.errors import ExperimentError
from interlock.experiments import (
    Experiment,
    Report,
    RunPlan,
    make_experiment,
    make_report,
    read_cases,
    report_page,
    report_table,
    run_offline,
)
from interlock.models.base import Delta, Done, TextEvent, TextReply, TextRequest, Usage
from interlock.registry import load_pack

SEARCH = {
    "name": "search",
    "description": "search the web",
    "parameters": {"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]},
}
CASES = "\n".join(
    json.dumps({"loop": {"goal": f"Find page {number}", "tools_available": [SEARCH]}, "expect": {"tool": "search"}})
    for number in range(200)
)
CALL = '{"action": "tool_call", "tool": "search", "tool_input": {"query": "page"}, "final": null}'
ROLES = {"vague": "You help.", "exact": "You pick one tool, and write nothing but the object."}
VALID: Mapping[str, float] = {"vague": 0.70, "exact": 0.85}


class Urn:
    """A text model whose first reply to a case is valid by a draw that depends on the role."""

    def __init__(self, seed: int) -> None:
        self._rng = random.Random(seed)  # noqa: S311 -- a simulation

    async def generate(self, request: TextRequest) -> TextReply:
        """Return the valid reply, or prose that fails check 1."""
        role = next(name for name, text in ROLES.items() if text in str(request.messages[1].content))
        is_retry = len(request.messages) > 3
        text = CALL if is_retry or self._rng.random() < VALID[role] else "I would search for it."
        usage = Usage(input_tokens=700, output_tokens=len(text) // 4)
        return TextReply(
            text=text, finish="stop", usage=usage, requested_model="urn", served_model="urn", request_id=None
        )

    async def stream(self, request: TextRequest) -> AsyncIterator[TextEvent]:
        """Yield the reply in one piece."""
        reply = await self.generate(request)
        yield Delta(text=reply.text)
        yield Done(reply=reply)


def compared() -> Experiment:
    """Return the experiment: two roles, and nothing else that differs."""
    shipped = load_pack()
    vague, exact = (replace(shipped, role=text, version=name) for name, text in ROLES.items())
    return make_experiment("exact role", vague, exact)


async def measured(experiment: Experiment) -> Report:
    """Return what the cases show."""
    cases = read_cases(CASES, "cases")

    async def at_once(_: float) -> None:
        await asyncio.sleep(0)

    plan = RunPlan(options=EngineOptions(), waiting=Waiting(now=lambda: 0.0, sleep=at_once, rng=lambda: 0.0))
    outcomes = await run_offline(experiment, cases, Runtime(Urn(seed=1)), plan=plan)
    return make_report(experiment, outcomes, planned=len(cases), detect=0.15)


async def main() -> None:
    """Print the report of one experiment, and why another one is refused."""
    experiment = compared()
    report = await measured(experiment)
    print(report_table(report))
    if len(sys.argv) > 1:
        Path(sys.argv[1]).write_text(report_page(report), encoding="utf-8")

    print(f"\nin production, user-7 always gets arm {experiment.assign('user-7')}")
    vague, exact = experiment.packs["A"], experiment.packs["B"]
    try:
        make_experiment("two at once", vague, replace(exact, system=exact.system + "\nBe brief."))
    except ExperimentError as error:
        print(f"refused: {error}")


if __name__ == "__main__":
    asyncio.run(main())
