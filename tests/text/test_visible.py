"""Text that is shown to a person steers nothing; what it holds can be read."""

from __future__ import annotations

import pytest

from interlock._text import visible


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        pytest.param("plain 中文 é 🎉", "plain 中文 é 🎉", id="any-script-stays"),
        pytest.param("a\n\tb", "a\n\tb", id="line-ends-and-tabs-stay"),
        pytest.param("\x1b[2J\r\x07", "\\x1b[2J\\r\\x07", id="control-characters"),
        pytest.param("abc\u202etxt\u200b", "abc\\u202etxt\\u200b", id="direction-and-width"),
        pytest.param("\ud800\u2028\ue000", "\\ud800\\u2028\\ue000", id="halves-separators-and-private-ones"),
        pytest.param("Ada\u3164\u2800", "Ada\\u3164\\u2800", id="letters-and-patterns-that-nothing-is-drawn-for"),
        pytest.param("a\ufe00\U000e0100", "a\\ufe00\\U000e0100", id="marks-that-could-carry-a-text"),
        pytest.param("❤\ufe0f e\u0301 क्षि", "❤\ufe0f e\u0301 क्षि", id="marks-of-a-script-and-of-an-emoji-stay"),
    ],
)
def test_what_could_steer_a_terminal_is_written_as_an_escape(text: str, shown: str) -> None:
    assert visible(text) == shown
    assert visible(shown) == shown
