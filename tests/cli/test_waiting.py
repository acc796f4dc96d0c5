"""A slow judge on a terminal: a line says so while it lasts, and is gone afterwards."""

from __future__ import annotations

import asyncio
import io
import sys

import pytest

from interlock.cli import _waiting
from interlock.cli._waiting import waited_for

pytestmark = pytest.mark.anyio


class Screen(io.StringIO):
    def isatty(self) -> bool:
        return True


async def slow(seconds: float, problem: Exception | None = None) -> str:
    await asyncio.sleep(seconds)
    if problem is not None:
        raise problem
    return "done"


def on_screen(monkeypatch: pytest.MonkeyPatch) -> Screen:
    """Put a terminal in place of standard error, which pytest replaces itself between a fixture and its test."""
    screen = Screen()
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setattr(_waiting, "_PATIENCE_S", 0.02)
    return screen


async def test_a_slow_judge_is_waited_for_in_sight(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = on_screen(monkeypatch)
    assert await waited_for(slow(0.1), "waiting for rules") == "done"
    assert "waiting for rules, 0 s" in screen.getvalue()
    assert screen.getvalue().endswith("\r\x1b[K")


async def test_a_quick_one_shows_nothing_to_read(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = on_screen(monkeypatch)
    assert await waited_for(slow(0), "waiting for rules") == "done"
    assert screen.getvalue() == "\r\x1b[K"


async def test_what_fails_fails_the_same_and_leaves_no_line(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = on_screen(monkeypatch)
    with pytest.raises(LookupError, match="lost"):
        await waited_for(slow(0.05, LookupError("lost")), "waiting for rules")
    assert screen.getvalue().endswith("\r\x1b[K")


async def test_without_a_terminal_nothing_is_written(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = io.StringIO()
    monkeypatch.setattr(sys, "stderr", plain)
    monkeypatch.setattr(_waiting, "_PATIENCE_S", 0.01)
    assert await waited_for(slow(0.05), "waiting for rules") == "done"
    assert plain.getvalue() == ""
