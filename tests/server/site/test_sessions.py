"""Browsers that showed the key: how long they are known, and that a name that ended opens nothing."""

from __future__ import annotations

import pytest

from interlock.server.site.sessions import SESSION_S, Sessions


def test_a_browser_is_known_until_it_signs_out() -> None:
    sessions = Sessions()
    one, other = sessions.begin(), sessions.begin()
    assert one != other
    assert sessions.knows(one)
    sessions.end(one)
    sessions.end(one)
    assert (sessions.knows(one), sessions.knows(other)) == (False, True)


def test_a_session_ends_when_its_time_is_over() -> None:
    now = [0.0]
    sessions = Sessions(now_s=lambda: now[0])
    name = sessions.begin()
    now[0] = SESSION_S - 1.0
    assert sessions.knows(name)
    now[0] = SESSION_S + 1.0
    assert not sessions.knows(name)


@pytest.mark.parametrize("name", ["", "x", "\udce9", "\x00", "a" * 10_000])
def test_nobody_is_known_by_another_name(name: str) -> None:
    sessions = Sessions()
    sessions.begin()
    sessions.end(name)
    assert not sessions.knows(name)


def test_of_very_many_the_oldest_end() -> None:
    sessions = Sessions()
    names = [sessions.begin() for _ in range(1_001)]
    assert [sessions.knows(name) for name in (names[0], names[1], names[-1])] == [False, True, True]
