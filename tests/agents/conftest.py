"""An agent with one tool whose options a test chooses."""

# ruff: noqa: RUF012  (options as an author writes them)

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

import pytest

from interlock import Agent, agent

__all__ = ["Desk"]


class Desk(Protocol):
    """Makes an agent class."""

    def __call__(self, options: Mapping[str, Any], /, **more: Mapping[str, Any]) -> Any: ...


@pytest.fixture
def desk() -> Desk:
    """Return a maker of agents: `search` has the given options, `work` takes a turn, `calls` counts bodies."""

    def make(options: Mapping[str, Any], /, **more: Mapping[str, Any]) -> Any:
        class Clerk(Agent):
            method_options = {"search": options, **more}

            def __init__(self, runtime: Any = None) -> None:
                super().__init__(runtime)
                self.calls: list[str] = []

            def search(self, query: str = "all") -> str:
                """Search the ticket store."""
                self.calls.append(query)
                return f"found {query}"

            def work(self, **how: Any) -> Any:
                """Take a turn."""
                return agent("Go on.", **how)

        return Clerk

    return make
