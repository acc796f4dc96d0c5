"""The System One judge against a real server on this machine."""

from __future__ import annotations

import pytest

from interlock.judge.base import QuestionId
from interlock.models.closing import close
from interlock.questions import Choice, ChoiceAnswer, Noul, NoulAnswer, Question, Score, ScoreAnswer
from interlock.wiring import make_judge

pytestmark = [pytest.mark.anyio, pytest.mark.enable_socket]

STATE = {"task": "list the files", "result": "a.py, 文件.txt"}
QUESTIONS: dict[QuestionId, Question] = {
    "has.space": Noul(instructions="Did the step find files?"),
    "한글": Choice(instructions="What comes next?", criteria={"read 😀": "a file is needed", "done": None}),
    "risk": Score(instructions="How risky is it?", criteria=["read-only", "reversible", "irreversible"]),
}


async def test_every_kind_of_question_is_answered_by_a_real_server(sparrow: str) -> None:
    judge = make_judge(f"system-one:{sparrow}", environ={}, tools={})
    try:
        reply = await judge.answer(STATE, QUESTIONS)
        again = await judge.answer(STATE, QUESTIONS)
    finally:
        await close(judge)
    assert [reading.reason for reading in reply.readings.values()] == ["ok", "ok", "ok"]
    assert list(reply.readings) == list(QUESTIONS)
    assert isinstance(reply.readings["has.space"].answer, NoulAnswer)
    assert isinstance(reply.readings["한글"].answer, ChoiceAnswer)
    assert isinstance(reply.readings["risk"].answer, ScoreAnswer)
    assert reply.served_model
    assert reply.attempts == len(QUESTIONS)
    assert again.request_digest == reply.request_digest


async def test_a_rejected_request_is_a_reading(sparrow: str) -> None:
    judge = make_judge(f"laya:{sparrow}/elsewhere", environ={}, tools={})
    try:
        reply = await judge.answer(STATE, QUESTIONS)
    finally:
        await close(judge)
    assert {reading.reason for reading in reply.readings.values()} == {"not-found"}
