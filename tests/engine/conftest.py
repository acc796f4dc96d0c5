"""What the tests of the engine share: replies by their parts, a pack, a clock that stands still."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from interlock.engine import Waiting
from interlock.prompts import PromptPack
from interlock.registry import load_pack
from interlock.testing import FakeClock

Says = Callable[..., str]


@pytest.fixture
def says() -> Says:
    """Return what writes a decision as a model would."""

    def write(
        action: str, final: str | None = None, *, tool: str | None = None, given: Mapping[str, Any] | None = None
    ) -> str:
        return json.dumps({"action": action, "tool": tool, "tool_input": given, "final": final}, ensure_ascii=False)

    return write


@pytest.fixture(scope="session")
def pack() -> PromptPack:
    """Return the shipped pack."""
    return load_pack()


@pytest.fixture
def clock() -> FakeClock:
    """Return a clock that stands still."""
    return FakeClock()


@pytest.fixture
def waiting(clock: FakeClock) -> Waiting:
    """Return a clock without jitter."""
    return Waiting(now=clock.now, sleep=clock.sleep, rng=lambda: 0.0)
