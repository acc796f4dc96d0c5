"""The replies that the bench measures are what it says they are."""

from __future__ import annotations

import pytest
from bench.reply_parsing import HOSTILE_SIZE, KB, OPTIONS, SIZES, hostile_replies, object_reply, prose_reply

from interlock.menu.attempts import Chosen, Rejected
from interlock.menu.reply import read_reply


@pytest.mark.parametrize("size", SIZES)
def test_a_reply_of_a_size_is_a_pick_of_that_size(size: int) -> None:
    prose, whole = prose_reply(size), object_reply(size)

    assert len(prose) == len(whole) == size
    for reply, name in ((prose, "search"), (whole, "answer")):
        chosen = read_reply(reply, OPTIONS)
        assert isinstance(chosen, Chosen)
        assert chosen.option.name == name


@pytest.mark.parametrize("name", hostile_replies())
def test_a_reply_made_to_be_slow_is_answered(name: str) -> None:
    reply = hostile_replies()[name]

    assert abs(len(reply) - HOSTILE_SIZE) < KB
    assert isinstance(read_reply(reply, OPTIONS), Chosen | Rejected)
