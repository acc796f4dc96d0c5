"""A judge for one test: it replies what a cassette holds, and says what is nearest to a request that it does not hold.

Knows nothing of pytest.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from difflib import SequenceMatcher, unified_diff
from pathlib import Path

from interlock._canonical import compact_json, pairs
from interlock.errors import SettingsError
from interlock.judge.base import Caps, JudgeReply, QuestionId
from interlock.judge.jevl import read_lines
from interlock.judge.recording import Recorded, ReplayJudge
from interlock.questions import Content, Question, as_json

__all__ = ["CassetteJudge", "read_cassette"]

_SHOWN_LINES = 60
_NO_RECORDING = "no-recording"


def read_cassette(path: Path) -> tuple[Recorded, ...]:
    """Return what a cassette holds, in the order of its lines; nothing when there is no such file.

    Raises:
        SettingsError: the file cannot be read, or a line is not of the format.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return ()
    except (OSError, UnicodeDecodeError) as cause:
        raise SettingsError(f"`{path}`: the cassette cannot be read as UTF-8 text") from cause
    return tuple(read_lines(text, name=str(path)))


class CassetteJudge:
    """Replies what was recorded; a request that was not ends the test."""

    def __init__(self, recorded: Sequence[Recorded], *, place: str, missed: list[str]) -> None:
        """Take the recordings; what is to be said of every other request is added to `missed`."""
        self.id = f"cassette:{place}"
        self._missed = missed
        self._recorded = tuple(recorded)
        self._place = place
        self._inner = ReplayJudge(recorded, judge=self.id)

    @property
    def caps(self) -> Caps:
        """Anything that was recorded."""
        return self._inner.caps

    async def answer(self, frame_state: Content, questions: Mapping[QuestionId, Question]) -> JudgeReply:
        """Return the next recording of an equal request.

        Raises:
            NotRecordedError: there is none; it is no `Exception`, so that nothing takes it for a judge that failed.
        """
        reply = await self._inner.answer(frame_state, questions)
        if any(reading.reason == _NO_RECORDING for reading in reply.readings.values()):
            self._missed.append(self._missing(frame_state, questions))
            raise NotRecordedError(self._missed[-1])
        return reply

    def _missing(self, frame_state: Content, questions: Mapping[QuestionId, Question]) -> str:
        head = f"no recording of this request in {self._place}"
        asked = _spelt(frame_state, questions)
        if not self._recorded:
            return f"{head}: there is none of any\n{_cut(asked)}"
        near = max(range(len(self._recorded)), key=lambda index: self._likeness(index, frame_state, questions))
        recorded = _spelt(self._recorded[near].frame_state, self._recorded[near].questions)
        if recorded == asked:
            times = sum(
                _key(item.frame_state, item.questions) == _key(frame_state, questions) for item in self._recorded
            )
            return f"{head}: it was asked more often than recorded ({times})\n{_cut(asked)}"
        difference = unified_diff(recorded, asked, "recorded", "asked", lineterm="", n=2)
        return f"{head}; the nearest is recording {near + 1} of {len(self._recorded)}:\n{_cut(list(difference))}"

    def _likeness(
        self, index: int, frame_state: Content, questions: Mapping[QuestionId, Question]
    ) -> tuple[bool, float, int]:
        """Return how near a recording is: the same questions first, then how much text is the same."""
        item = self._recorded[index]
        same = _key("", item.questions) == _key("", questions)
        matcher = SequenceMatcher(
            None, _key(item.frame_state, item.questions), _key(frame_state, questions), autojunk=False
        )
        return same, matcher.quick_ratio(), -index


class NotRecordedError(BaseException):
    """A test asked what its cassette does not hold."""


def _key(frame_state: Content, questions: Mapping[QuestionId, Question]) -> str:
    """Return a request as it is told from others: without the ids of its questions."""
    return compact_json([pairs(frame_state), [pairs(as_json(question)) for question in questions.values()]])


def _spelt(frame_state: Content, questions: Mapping[QuestionId, Question]) -> list[str]:
    request = {
        "state": frame_state,
        "questions": [dict(as_json(question)) for question in questions.values()],
    }
    return json.dumps(request, ensure_ascii=False, indent=2).split("\n")


def _cut(lines: Sequence[str]) -> str:
    more = len(lines) - _SHOWN_LINES
    return "\n".join(lines if more <= 0 else [*lines[:_SHOWN_LINES], f"[{more} more lines]"])
