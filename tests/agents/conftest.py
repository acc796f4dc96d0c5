"""Replies that ask for tools, and an agent with one tool whose options a test chooses."""

# ruff: noqa: RUF012  (options as an author writes them)

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol

import pytest

from interlock import Agent, agent
from interlock.messages import ToolCall
from interlock.models.base import TextReply

__all__ = ["Calling", "Desk"]

Calling = Callable[..., TextReply]


class Desk(Protocol):
    """Makes an agent class."""

    def __call__(self, options: Mapping[str, Any], /, **more: Mapping[str, Any]) -> Any: ...


@pytest.fixture
def calling() -> Calling:
    """Return a reply that asks for tool calls, each `name` or `(name, arguments)`."""

    def reply(*calls: str | tuple[str, str], text: str = "") -> TextReply:
        pairs = [(item, "{}") if isinstance(item, str) else item for item in calls]
        return TextReply(
            text=text,
            finish="stop",
            usage=None,
            requested_model="scripted",
            served_model=None,
            request_id=None,
            tool_calls=tuple(
                ToolCall(id=f"call-{at}", name=name, arguments=arguments) for at, (name, arguments) in enumerate(pairs)
            ),
        )

    return reply


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
