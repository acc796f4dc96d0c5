"""The default judge and writer, pointed at this repository with real questions."""

from __future__ import annotations

from pathlib import Path

import pytest

from interlock.judge.rules import RuleJudge
from interlock.loop.extractive import ExtractiveWriter
from interlock.loop.reference import reference_host
from interlock.loop.run import run

REPO = Path(__file__).parents[2]


@pytest.mark.parametrize(
    ("question", "says"),
    [
        pytest.param(
            "which error classes does interlock define?", ["ContractError", "src/interlock/errors.py"], id="classes"
        ),
        pytest.param("interlock 定义了哪些错误类？", ["ContractError", "src/interlock/errors.py"], id="classes-zh"),
        pytest.param("What does the class RuleJudge do?", ["class RuleJudge:"], id="one-class"),
        pytest.param("What is the default of max_steps?", ["max_steps: int = 12"], id="a-default"),
        pytest.param("How is the journal verified?", ["interlock verify"], id="a-page"),
    ],
)
def test_a_real_question_is_answered_from_what_was_read(question: str, says: list[str]) -> None:
    host = reference_host(REPO)
    result = run(question, judge=RuleJudge(host.tools), writer=ExtractiveWriter(), host=host, cwd=REPO)
    assert result.delivered, result.reason
    assert all(text in (result.answer or "") for text in says), result.answer
    assert any(step.tool in ("read_file", "search_text") for step in result.steps)
