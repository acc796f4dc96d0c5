"""A cassette replies what was recorded, as often as it was recorded."""

from __future__ import annotations

from pathlib import Path

import pytest

from interlock.errors import SettingsError
from interlock.judge.line_file import LineFile
from interlock.judge.recording import Recorded, Recording
from interlock.questions import Noul
from interlock.testing import ScriptedJudge
from interlock.testing.cassette import CassetteJudge, NotRecordedError, read_cassette

DONE = Noul(instructions="Is everything done?")
OPEN = Noul(instructions="Is anything open?")

pytestmark = pytest.mark.anyio


@pytest.fixture
async def recorded(tmp_path: Path) -> tuple[Recorded, ...]:
    """Two requests, the first one twice, from a file."""
    path = tmp_path / "test.jevl"
    judge = Recording(ScriptedJudge({"done": [0.1, 0.2], "open": 0.3}), write=LineFile(path, wall=lambda: 0.0))
    for question in ({"done": DONE}, {"done": DONE}, {"open": OPEN}):
        await judge.answer({"task": "a"}, question)
    return read_cassette(path)


async def test_equal_requests_are_replied_in_the_order_recorded(recorded: tuple[Recorded, ...]) -> None:
    missed: list[str] = []
    judge = CassetteJudge(recorded, place="x.jevl", missed=missed)
    told = [(await judge.answer({"task": "a"}, {"other-id": DONE})).readings["other-id"].answer for _ in range(2)]
    assert [getattr(answer, "noul", None) for answer in told] == [0.1, 0.2]
    with pytest.raises(NotRecordedError, match=r"it was asked more often than recorded \(2\)"):
        await judge.answer({"task": "a"}, {"done": DONE})
    assert len(missed) == 1


async def test_the_nearest_has_the_same_question_before_the_same_state(recorded: tuple[Recorded, ...]) -> None:
    judge = CassetteJudge(recorded, place="x.jevl", missed=[])
    with pytest.raises(NotRecordedError, match="the nearest is recording 3 of 3:") as caught:
        await judge.answer({"task": "quite another text"}, {"open": OPEN})
    assert '-    "task": "a"' in str(caught.value)


async def test_a_request_much_longer_than_the_report_is_cut(recorded: tuple[Recorded, ...]) -> None:
    judge = CassetteJudge(recorded, place="x.jevl", missed=[])
    with pytest.raises(NotRecordedError, match=r"\[\d+ more lines\]$"):
        await judge.answer({"task": ["line"] * 500}, {"done": DONE})


async def test_a_cassette_that_is_missing_holds_nothing_and_a_broken_one_is_named(tmp_path: Path) -> None:
    assert read_cassette(tmp_path / "none.jevl") == ()
    broken = tmp_path / "broken.jevl"
    broken.write_text("{}\n", encoding="utf-8")
    with pytest.raises(SettingsError, match=r"broken.jevl`: line 1 is no record of format 1"):
        read_cassette(broken)
    broken.write_bytes(b"\xff")
    with pytest.raises(SettingsError, match="the cassette cannot be read as UTF-8 text"):
        read_cassette(broken)
