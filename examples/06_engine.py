"""The decision engine: one legal action at a time, every reply checked, every decision traced to its prompts.

Offline: the model follows a script with the mistakes that models make.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from interlock import Runtime
from interlock.engine import Limits, RunOptions, next_action, recorded_run, run_engine
from interlock.journal import MemoryJournal
from interlock.registry import load_pack
from interlock.testing import ScriptedModel


def search(query: str) -> str:
    """Search the web for a few words."""
    if "wikipedia" in query:
        raise ConnectionError("no route to host")
    return "The Sydney Harbour Bridge was opened on 19 March 1932."


def written(
    action: str, final: str | None = None, tool: str | None = None, given: Mapping[str, Any] | None = None
) -> str:
    """Return a reply as a model writes it."""
    return json.dumps({"action": action, "tool": tool, "tool_input": given, "final": final})


SCRIPT = [
    "Search results show that it was opened in 1932.",
    written("finish", "Search results show that it was opened in 1932."),
    written("tool_call", tool="search", given={"query": "bridge wikipedia"}),
    written("tool_call", tool="search", given={"query": "bridge wikipedia"}),
    written("tool_call", tool="search", given={"query": "Sydney Harbour Bridge opened"}),
    written("finish", "It was opened on 19 March 1932 (search#2)."),
]


def one_decision() -> None:
    """Print one decision and what was wrong with the replies before it."""
    decision = next_action(
        {"goal": "When was the bridge opened?"},
        [search],
        runtime=Runtime(ScriptedModel(SCRIPT)),
        pack=load_pack(),
    )
    print(f"decided: {decision.action} {decision.tool} {decision.tool_input}")
    for attempt in decision.attempts:
        print(f"  attempt {attempt.number} failed check {attempt.check}: {attempt.reason}")


def whole_run() -> None:
    """Print a run, the prompts behind it, and that it can be run again with them."""
    journal = MemoryJournal()
    result = run_engine(
        "When was the bridge opened?",
        [search],
        runtime=Runtime(ScriptedModel(SCRIPT[2:])),
        pack=load_pack(),
        run=RunOptions(limits=Limits(max_steps=5)),
        journal=journal,
    )
    print(f"\n{result.halt}: {result.answer}")
    for step, decided in enumerate(result.decided, start=1):
        checks = ", ".join(str(attempt.check) for attempt in decided.decision.attempts) or "none"
        print(f"  {step}. {decided.decision.action:10} failed checks: {checks}")
    for observation in result.observations:
        print(f"  {observation.id}: {observation.text}")

    with journal.snapshot() as view:
        recorded = recorded_run(view, str(result.run_id))
    for layer, ref in recorded.pack.refs().items():
        print(f"  {layer}: {ref} {ref.digest[:12]}")
    again = run_engine(
        recorded.goal,
        [search],
        runtime=Runtime(ScriptedModel(SCRIPT[2:])),
        pack=recorded.pack,
        options=recorded.options,
    )
    print(f"run again with the recorded prompts: {again.answer == result.answer}")


def limits() -> None:
    """Print how a run that will not end is ended."""
    endless = [written("tool_call", tool="search", given={"query": f"page {page}"}) for page in range(99)]
    pack = load_pack()
    for given in (Limits(max_steps=2), Limits(max_tool_calls=1), Limits(max_tokens=100)):
        result = run_engine(
            "Read everything",
            [search],
            runtime=Runtime(ScriptedModel(endless)),
            pack=pack,
            run=RunOptions(limits=given),
        )
        print(f"{result.halt}: {result.reason}")


if __name__ == "__main__":
    one_decision()
    whole_run()
    print()
    limits()
