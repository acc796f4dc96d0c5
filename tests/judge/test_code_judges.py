"""Judges without a server: answers from a hash, from a person, and from looking at nothing."""

from __future__ import annotations

import io
import logging
import signal
from collections.abc import Callable, Mapping
from random import Random

import pytest

from interlock.errors import QuestionError
from interlock.judge.base import Judge, Reading
from interlock.judge.baselines import BaselineJudge, first, majority, uniform
from interlock.judge.hashed import HashJudge
from interlock.judge.human import Asked, HumanJudge, Said
from interlock.judge.offered import offered
from interlock.judge.terminal import ask_at_terminal
from interlock.questions import (
    Choice,
    ChoiceAnswer,
    Content,
    Noul,
    NoulAnswer,
    NoulCriteria,
    Question,
    Score,
    ScoreAnswer,
)

pytestmark = pytest.mark.anyio

STATE = {"task": "t"}
NOUL = Noul(instructions="ok?", criteria=NoulCriteria(true="yes"))
CHOICE = Choice(instructions="which?", criteria={"a": "1", "b": None, "가 😀": ["3"]})
SCORE = Score(instructions="how?", criteria=["low", "middle", "high"])
ASKED: Mapping[str, Question] = {"n": NOUL, "c": CHOICE, "s": SCORE}


async def read(judge: Judge, question: Question, state: Content = STATE, id_: str = "q") -> Reading:
    return (await judge.answer(state, {id_: question})).readings[id_]


async def test_a_hash_answers_every_kind_and_always_the_same() -> None:
    first_time, again = await HashJudge().answer(STATE, ASKED), await HashJudge().answer(STATE, ASKED)
    assert first_time == again
    assert {reading.reason for reading in first_time.readings.values()} == {"ok"}
    assert (first_time.served_model, first_time.request_digest != "") == ("hash", True)


async def test_a_hash_does_not_see_ids_neighbours_or_the_order_of_options() -> None:
    alone = [await read(HashJudge(), question, id_="other") for question in ASKED.values()]
    together = (await HashJudge().answer(STATE, dict(reversed(list(ASKED.items()))))).readings
    turned = await read(
        HashJudge(), Choice(instructions="which?", criteria=dict(reversed(list(CHOICE.criteria.items()))))
    )
    assert alone == [together[id_] for id_ in ASKED]
    assert isinstance(turned.answer, ChoiceAnswer)
    assert isinstance(alone[1].answer, ChoiceAnswer)
    assert turned.answer.probabilities == pytest.approx(alone[1].answer.probabilities)


@pytest.mark.parametrize(
    ("state", "question"),
    [
        pytest.param({"task": "u"}, CHOICE, id="state"),
        pytest.param(STATE, Choice(instructions="what?", criteria=CHOICE.criteria), id="instructions"),
        pytest.param(STATE, Choice(instructions="which?", criteria={**CHOICE.criteria, "a": "2"}), id="description"),
        pytest.param(STATE, Choice(instructions="which?", criteria={**CHOICE.criteria, "b": "0"}), id="no-description"),
    ],
)
async def test_a_hash_sees_everything_that_a_question_says(state: Content, question: Question) -> None:
    assert (await read(HashJudge(), question, state)).answer != (await read(HashJudge(), CHOICE)).answer


async def test_a_hash_takes_the_largest_questions_of_the_wire() -> None:
    wide = Choice(instructions="w", criteria={f"label {at}": None for at in range(255)})
    deep = Score(instructions="d", criteria=[f"level {at}" for at in range(10)])
    assert {(await read(HashJudge(), question)).reason for question in (wide, deep)} == {"ok"}


async def test_a_hash_of_what_is_not_json_is_no_answer() -> None:
    reading = await read(HashJudge(), NOUL, {"n": float("nan")})
    assert (reading.kind, reading.reason) == ("transport_error", "bad-request")
    assert (await read(HashJudge(), Choice(instructions="c", criteria={}))).reason == "no-options"


@pytest.mark.parametrize(
    "judge",
    [
        pytest.param(HashJudge(), id="hash"),
        pytest.param(BaselineJudge(first, judge="b"), id="baseline"),
        pytest.param(HumanJudge(ask_at_terminal, now=lambda: 0.0), id="human"),
    ],
)
async def test_no_question_is_an_error(judge: Judge) -> None:
    with pytest.raises(QuestionError, match="ask at least one"):
        await judge.answer(STATE, {})


async def test_the_first_baseline_takes_the_first_of_anything() -> None:
    readings = (await BaselineJudge(first, judge="baseline:first").answer(STATE, ASKED)).readings
    assert readings["n"].answer == NoulAnswer(noul=1.0, basis="rule")
    assert readings["c"].answer == ChoiceAnswer(
        choice="a", probabilities={"a": 1.0, "b": 0.0, "가 😀": 0.0}, basis="rule"
    )
    assert readings["s"].answer == ScoreAnswer(score=0.0, probabilities=(1.0, 0.0, 0.0), basis="rule")


async def test_the_majority_baseline_takes_what_was_right_most_often_and_is_offered() -> None:
    judge = BaselineJudge(
        majority([(CHOICE, "b"), (CHOICE, "b"), (CHOICE, "a"), (NOUL, "false"), (SCORE, "2")]), judge="m"
    )
    left = Choice(instructions="which?", criteria={"c": None, "a": "other"})
    assert (await read(judge, CHOICE)).answer == ChoiceAnswer(
        choice="b", probabilities={"a": 0.0, "b": 1.0, "가 😀": 0.0}, basis="rule"
    )
    assert (await read(judge, left)).answer == ChoiceAnswer(
        choice="a", probabilities={"c": 0.0, "a": 1.0}, basis="rule"
    )
    assert (await read(judge, NOUL)).answer == NoulAnswer(noul=0.0, basis="rule")
    assert (await read(judge, SCORE)).answer == ScoreAnswer(score=2.0, probabilities=(0.0, 0.0, 1.0), basis="rule")
    assert (await read(judge, Noul(instructions="never seen"))).reason == "abstained"


async def test_the_random_baseline_takes_anything_alike() -> None:
    judge = BaselineJudge(uniform(Random(7).random), judge="baseline:random")
    picks = [(await read(judge, CHOICE)).answer for _ in range(60)]
    counts = {label: sum(isinstance(a, ChoiceAnswer) and a.choice == label for a in picks) for label in CHOICE.criteria}
    assert min(counts.values()) > 8
    assert (await read(judge, Choice(instructions="c", criteria={}))).reason == "abstained"


async def test_a_person_answers_with_certainty_and_a_name() -> None:
    seen: list[Asked] = []

    async def ask(asked: Asked) -> Said:
        seen.append(asked)
        return Said(pick=1, by="ada")

    reply = await HumanJudge(ask, now=lambda: 0.0).answer(STATE, ASKED)
    assert reply.readings["n"].answer == NoulAnswer(noul=0.0, basis="person")
    assert reply.readings["c"].answer == ChoiceAnswer(
        choice="b", probabilities={"a": 0.0, "b": 1.0, "가 😀": 0.0}, basis="person"
    )
    assert reply.readings["s"].answer == ScoreAnswer(score=1.0, probabilities=(0.0, 1.0, 0.0), basis="person")
    assert {(reading.judge, reading.degraded) for reading in reply.readings.values()} == {("human:ada", False)}
    assert [asked.id for asked in seen] == ["n", "c", "s"]
    assert seen[0].frame_state == STATE


async def test_a_person_who_says_nothing_abstains() -> None:
    async def ask(_asked: Asked) -> Said:
        return Said(pick=None, by=None)

    judge = HumanJudge(ask, now=lambda: 0.0)
    reading = await read(judge, CHOICE)
    assert (reading.kind, reading.reason, reading.answer) == ("unscored", "abstained", None)
    assert (await read(judge, Choice(instructions="c", criteria={}))).reason == "no-options"


class Terminal(io.StringIO):
    """Standard input as a person types it."""

    def isatty(self) -> bool:
        return True


@pytest.fixture
def typed(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    def type_(text: str) -> None:
        monkeypatch.setattr("sys.stdin", Terminal(text))

    return type_


@pytest.mark.parametrize(
    ("question", "text", "pick"),
    [
        pytest.param(CHOICE, "2\n", 1, id="by-number"),
        pytest.param(CHOICE, " 가 😀 \n", 2, id="by-name"),
        pytest.param(CHOICE, "9\nnope\n1\n", 0, id="asked-again-until-it-fits"),
        pytest.param(CHOICE, "\n", None, id="empty-abstains"),
        pytest.param(CHOICE, "", None, id="the-end-of-input-abstains"),
        pytest.param(NOUL, "false\n", 1, id="a-noul-by-name"),
        pytest.param(SCORE, "2\n", 2, id="a-level-is-its-own-number"),
        pytest.param(SCORE, "3\n\n", None, id="no-such-level"),
        pytest.param(Choice(instructions="c", criteria={"2": None, "1": None}), "2\n", 0, id="names-that-are-numbers"),
    ],
)
async def test_the_terminal_takes_a_number_or_a_name(
    typed: Callable[[str], None], question: Question, text: str, pick: int | None
) -> None:
    typed(text)
    asked = Asked(id="q", frame_state=STATE, instructions=question.instructions, outcomes=offered(question))
    said = await ask_at_terminal(asked)
    assert said.pick == pick
    assert (said.by is None) == (pick is None)


async def test_the_terminal_shows_what_is_asked_and_nothing_can_steer_it(
    typed: Callable[[str], None], capsys: pytest.CaptureFixture[str]
) -> None:
    typed("\x1b[2J\n\n")
    state = {"result": "\x1b[2J\u202e gone", "lines": ["x"] * 80}
    asked = Asked(id="d.q", frame_state=state, instructions="Which?\x07", outcomes=offered(CHOICE))
    before = signal.getsignal(signal.SIGINT)
    await ask_at_terminal(asked)
    shown = capsys.readouterr().err
    assert "\x1b" not in shown
    assert "\u202e" not in shown
    assert "\x07" not in shown
    assert 'd.q: Which?\\x07\n  1. a: 1\n  2. b\n  3. 가 😀: ["3"]\n' in shown
    assert "more lines]" in shown
    assert "`\\x1b[2J` is none of them" in shown
    assert signal.getsignal(signal.SIGINT) is before


@pytest.mark.parametrize("stdin", [None, io.StringIO("a\n")], ids=["closed", "a-pipe"])
async def test_without_a_terminal_no_one_answers(monkeypatch: pytest.MonkeyPatch, stdin: io.StringIO | None) -> None:
    monkeypatch.setattr("sys.stdin", stdin)
    reading = await read(HumanJudge(ask_at_terminal, now=lambda: 0.0), NOUL)
    assert (reading.reason, reading.judge) == ("abstained", "human")


async def test_a_person_without_an_account_is_named_all_the_same(
    typed: Callable[[str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    def nobody() -> str:
        raise OSError

    monkeypatch.setattr("getpass.getuser", nobody)
    typed("true\n")
    asked = Asked(id="q", frame_state="s", instructions="ok?", outcomes=offered(NOUL))
    assert (await ask_at_terminal(asked)).by == "the person at the terminal"


async def test_judges_of_code_log_nothing(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    await HashJudge().answer(STATE, ASKED)
    assert [record for record in caplog.records if record.name.startswith("interlock")] == []
