"""Answers read from text models: what is asked, how a reply becomes a distribution, and what is never made up."""

from __future__ import annotations

import json
import logging
import math
from collections.abc import Mapping
from typing import Any

import pytest

from interlock.errors import QuestionError
from interlock.judge.base import JudgeReply, Reading, Usage
from interlock.judge.readings import Identity
from interlock.judge.readout import Readout, ReadoutJudge
from interlock.judge.readout_json import JsonReadout
from interlock.judge.readout_logprobs import LogprobReadout
from interlock.models.base import Failure, Finish, TextReply, TokenLogprob
from interlock.models.closing import close
from interlock.questions import Choice, ChoiceAnswer, Noul, NoulAnswer, NoulCriteria, Question, Score, ScoreAnswer
from interlock.testing import ScriptedModel

pytestmark = pytest.mark.anyio

STATE = {"task": "list the files", "文": "😀"}
NOUL = Noul(instructions="Is it done?", criteria=NoulCriteria(true="nothing is left"))
CHOICE = Choice(instructions={"ask": "Which?"}, criteria={"read_file": "content is needed", "done": None})
ODD = Choice(instructions="Which?", criteria={"lire 文": "x", "done": "y"})
SCORE = Score(instructions="How risky?", criteria=["none", "some", "much"])


def reply(text: str = "", *, finish: Finish = "stop", **given: Any) -> TextReply:
    return TextReply(
        text=text,
        finish=finish,
        usage=Usage(input_tokens=10, output_tokens=2),
        requested_model="m",
        served_model="m-7",
        request_id="r-1",
        **given,
    )


def judge_of(readout: Readout, *, degraded: bool = False, name: str = "json-1") -> ReadoutJudge:
    identity = Identity(judge="openai:m", model="m", wire="chat", readout=name)
    return ReadoutJudge(readout, identity=identity, now=lambda: 0.0, degraded=degraded)


async def ask_json(question: Question, *replies: str | TextReply | Failure | None) -> tuple[JudgeReply, ScriptedModel]:
    model = ScriptedModel([item if not isinstance(item, str) else reply(item) for item in replies])
    return await judge_of(JsonReadout(model)).answer(STATE, {"q": question}), model


async def ask_letters(question: Question, first: Mapping[str, float] | None) -> JudgeReply:
    """`first`: token → logarithm of its probability."""
    tokens = None if first is None else tuple(TokenLogprob(token=key, logprob=value) for key, value in first.items())
    model = ScriptedModel([reply("A", first_token=tokens)])
    return await judge_of(LogprobReadout(model), name="logprobs-1").answer(STATE, {"q": question})


def only(answered: JudgeReply) -> Reading:
    return answered.readings["q"]


@pytest.mark.parametrize(
    ("question", "written", "wanted"),
    [
        pytest.param(NOUL, {"p_true": 0.8}, NoulAnswer(noul=0.8, basis="self_report"), id="noul"),
        pytest.param(
            CHOICE,
            {"done": 0.25, "read_file": 0.75},
            ChoiceAnswer(choice="read_file", probabilities={"read_file": 0.75, "done": 0.25}, basis="self_report"),
            id="choice-under-its-labels",
        ),
        pytest.param(
            ODD,
            {"o1": 0, "o2": 1},
            ChoiceAnswer(choice="done", probabilities={"lire 文": 0.0, "done": 1.0}, basis="self_report"),
            id="choice-under-numbered-keys",
        ),
        pytest.param(
            SCORE,
            {"0": 0.5, "1": 0.25, "2": 0.25},
            ScoreAnswer(score=0.75, probabilities=(0.5, 0.25, 0.25), basis="self_report"),
            id="score",
        ),
    ],
)
async def test_written_numbers_become_an_answer(question: Question, written: object, wanted: object) -> None:
    answered, model = await ask_json(question, json.dumps(written))
    assert only(answered).answer == wanted
    assert (answered.attempts, answered.wire, answered.readout) == (1, "chat", "json-1")
    assert (answered.served_model, answered.usage) == ("m-7", Usage(input_tokens=10, output_tokens=2))
    request = model.requests[0]
    assert request.strict
    assert request.schema is not None
    assert request.schema["required"] == list(request.schema["properties"])  # type: ignore[arg-type]
    assert set(request.schema["required"]) == set(written)  # type: ignore[call-overload]


async def test_the_state_comes_first_and_word_for_word() -> None:
    """Further questions on one state share the prefix, which a server may keep."""
    seen = [(await ask_json(question, "{}"))[1].requests[0].messages for question in (NOUL, CHOICE, SCORE)]
    state = 'State:\n{"task":"list the files","文":"😀"}\n\n'
    assert {messages[0].content for messages in seen} == {seen[0][0].content}
    assert all(str(messages[1].content).startswith(state) for messages in seen)
    assert '{"ask":"Which?"}' in str(seen[1][1].content)
    assert "- read_file: content is needed\n- done\n" in str(seen[1][1].content)


async def test_labels_that_no_schema_takes_are_mapped_in_the_prompt() -> None:
    _, model = await ask_json(ODD, '{"o1": 1, "o2": 0}')
    assert "- o1 = lire 文: x\n- o2 = done: y" in str(model.requests[0].messages[1].content)


@pytest.mark.parametrize("total", [0.8, 1.02, 1.25])
async def test_a_sum_that_is_near_is_divided_and_kept(total: float) -> None:
    written = json.dumps({"read_file": total - 0.3, "done": 0.3})
    answer = only((await ask_json(CHOICE, written))[0]).answer
    assert isinstance(answer, ChoiceAnswer)
    assert answer.probabilities is not None
    assert math.fsum(answer.probabilities.values()) == pytest.approx(1)
    assert answer.probabilities["done"] == pytest.approx(0.3 / total)
    assert answer.reported_sum == pytest.approx(total)


@pytest.mark.parametrize(
    ("written", "kind", "reason", "said"),
    [
        pytest.param("no json", "invalid_response", "not-json", "not one complete JSON object", id="prose"),
        pytest.param('{"read_file": 1,', "invalid_response", "not-json", "not one complete", id="cut"),
        pytest.param("[1]", "invalid_response", "not-json", "not one complete", id="a-list"),
        pytest.param('{"read_file": NaN, "done": 0}', "invalid_response", "not-json", "not one", id="nan"),
        pytest.param(
            '```json\n{"read_file": 1, "done": 0}\n```', "invalid_response", "not-json", "not one", id="fence"
        ),
        pytest.param('{"read_file": 1}', "invalid_response", "option-keys", "keys are not exactly", id="a-key-missing"),
        pytest.param(
            '{"read_file": "1", "done": 0}', "invalid_response", "probability-range", "not a number", id="text"
        ),
        pytest.param(
            '{"read_file": 1.5, "done": 0}', "invalid_response", "probability-range", "not a number", id="above-one"
        ),
        pytest.param(
            '{"read_file": true, "done": 0}', "invalid_response", "probability-range", "not a number", id="a-boolean"
        ),
        pytest.param('{"read_file": 0.5, "done": 0.2}', "unscored", "bad-sum", "sum to 0.7, not to 1", id="a-low-sum"),
        pytest.param('{"read_file": 0.9, "done": 0.9}', "unscored", "bad-sum", "sum to 1.8, not to 1", id="a-high-sum"),
        pytest.param('{"read_file": 0, "done": 0}', "unscored", "bad-sum", "sum to 0, not to 1", id="zeros"),
    ],
)
async def test_a_wrong_reply_is_asked_for_once_more_and_never_repaired(
    written: str, kind: str, reason: str, said: str
) -> None:
    answered, model = await ask_json(CHOICE, written)
    assert (only(answered).kind, only(answered).reason, only(answered).answer) == (kind, reason, None)
    assert (answered.attempts, answered.usage) == (2, Usage(input_tokens=20, output_tokens=4))
    again = model.requests[1].messages
    assert again[:2] == model.requests[0].messages
    assert (again[2].role, again[2].content) == ("assistant", written)
    assert said in str(again[3].content)


async def test_the_second_reply_counts() -> None:
    answered, _ = await ask_json(CHOICE, "hm", '{"read_file": 1, "done": 0}')
    assert (only(answered).reason, answered.attempts) == ("ok", 2)


@pytest.mark.parametrize(
    ("given", "kind", "reason", "calls"),
    [
        pytest.param(reply("{}", finish="length"), "invalid_response", "not-json", 2, id="cut-by-a-limit"),
        pytest.param(reply(finish="refusal"), "refused", "refusal", 1, id="refused"),
        pytest.param(reply(finish="filtered"), "refused", "refusal", 1, id="filtered"),
        pytest.param(Failure(reason="busy", status=429, retryable=True), "transport_error", "busy", 1, id="busy"),
        pytest.param(Failure(reason="auth", status=401), "transport_error", "auth", 1, id="no-key"),
        pytest.param(Failure(reason="deadline"), "transport_error", "deadline", 1, id="late"),
        pytest.param(None, "invalid_response", "not-json", 2, id="no-text-at-all"),
    ],
)
async def test_what_is_no_answer_reads_as_what_it_is(
    given: TextReply | Failure | None, kind: str, reason: str, calls: int
) -> None:
    answered, _ = await ask_json(CHOICE, given)
    assert (only(answered).kind, only(answered).reason, answered.attempts) == (kind, reason, calls)
    assert (answered.failure is not None) == isinstance(given, Failure | None)


async def test_letters_are_pooled_over_the_space_around_them() -> None:
    lp = {"A": math.log(0.5), " A": math.log(0.1), "▁B": math.log(0.2), "ĠA": -9999.0, "a": math.log(0.1)}
    answered = await ask_letters(CHOICE, lp)
    answer = only(answered).answer
    assert isinstance(answer, ChoiceAnswer)
    assert answer.basis == "first_token"
    assert answer.option_mass == pytest.approx(0.8)
    assert answer.probabilities == pytest.approx({"read_file": 0.75, "done": 0.25})


async def test_a_noul_is_asked_as_two_letters_and_a_score_as_its_levels() -> None:
    noul = only(await ask_letters(NOUL, {"A": math.log(0.3), "B": math.log(0.6)})).answer
    score = only(await ask_letters(SCORE, {"A": math.log(0.3), "C": math.log(0.3)})).answer
    assert isinstance(noul, NoulAnswer)
    assert isinstance(score, ScoreAnswer)
    assert noul.noul == pytest.approx(1 / 3)
    assert noul.option_mass == pytest.approx(0.9)
    assert score.score == pytest.approx(1.0)
    assert score.probabilities == pytest.approx((0.5, 0.0, 0.5))


async def test_a_letter_outside_of_the_candidates_counts_as_nothing_and_is_said(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.INFO)
    await ask_letters(SCORE, {"A": math.log(0.9)})
    assert caplog.messages == ["options B, C are not among the candidates of the first token and count as 0"]


@pytest.mark.parametrize(
    ("first", "reason"),
    [
        pytest.param(None, "no-logprobs", id="none-reported"),
        pytest.param({"A": math.log(0.3), "B": math.log(0.1)}, "low-mass", id="the-model-meant-something-else"),
        pytest.param({"The": math.log(0.9)}, "low-mass", id="no-letter-at-all"),
        pytest.param({"AB": 0.0}, "low-mass", id="two-letters-are-no-letter"),
    ],
)
async def test_without_mass_on_the_options_there_is_no_answer(first: Mapping[str, float] | None, reason: str) -> None:
    """A restricted distribution over letters that the model would not write looks decided and is not."""
    reading = only(await ask_letters(CHOICE, first))
    assert (reading.kind, reading.reason, reading.answer) == ("unscored", reason, None)


async def test_one_token_is_asked_for() -> None:
    model = ScriptedModel([reply("A", first_token=(TokenLogprob(token="A", logprob=0.0),))])
    await judge_of(LogprobReadout(model)).answer(STATE, {"q": CHOICE})
    request = model.requests[0]
    assert (request.max_tokens, request.temperature, request.top_logprobs, request.schema) == (1, 0.0, 20, None)
    assert "A. read_file: content is needed\nB. done\n" in str(request.messages[1].content)


async def test_a_refusal_and_a_failure_of_the_first_token_are_read_apart() -> None:
    model = ScriptedModel([reply(finish="refusal"), Failure(reason="connect", retryable=True)])
    judge = judge_of(LogprobReadout(model))
    first, second = await judge.answer(STATE, {"q": CHOICE}), await judge.answer(STATE, {"q": CHOICE})
    assert (only(first).kind, only(first).reason) == ("refused", "refusal")
    assert (only(second).kind, only(second).reason) == ("transport_error", "connect")
    assert second.failure is not None
    assert second.failure.retryable


async def test_several_questions_are_several_calls() -> None:
    model = ScriptedModel([reply('{"p_true": 1}'), reply('{"read_file": 1, "done": 0}')])
    judge = judge_of(JsonReadout(model))
    answered = await judge.answer(STATE, {"a": NOUL, "b": CHOICE})
    assert [reading.reason for reading in answered.readings.values()] == ["ok", "ok"]
    assert (answered.attempts, len(model.requests)) == (2, 2)
    with pytest.raises(QuestionError, match="ask at least one"):
        await judge.answer(STATE, {})
    await close(judge)


async def test_a_model_too_small_to_be_trusted_marks_every_answer() -> None:
    judge = judge_of(JsonReadout(ScriptedModel([reply('{"p_true": 1}')])), degraded=True)
    assert only(await judge.answer(STATE, {"q": NOUL})).degraded


async def test_a_state_that_is_not_json_is_not_sent() -> None:
    model = ScriptedModel([reply("{}")])
    answered = await judge_of(JsonReadout(model)).answer({"n": float("nan")}, {"q": NOUL})
    assert (only(answered).kind, only(answered).reason, model.requests) == ("transport_error", "bad-request", [])


async def test_no_text_reaches_a_log(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    canary = "Canary-8K"
    question = Choice(instructions=canary, criteria={canary: canary, "b": canary})
    model = ScriptedModel([reply(canary), reply(f'{{"{canary}": 2, "b": 0}}')])
    for readout in (JsonReadout(model), LogprobReadout(model)):
        answered = await judge_of(readout).answer({"s": canary}, {"q": question})
        assert canary not in repr(answered)
    assert canary not in caplog.text
    assert "openai:m: no-logprobs; request r-1" in caplog.messages


def test_the_readouts_say_what_they_can_hold() -> None:
    model = ScriptedModel([])
    assert (JsonReadout(model).caps.basis, JsonReadout(model).caps.max_options) == ("self_report", None)
    letters = LogprobReadout(model).caps
    assert (letters.basis, letters.max_options, letters.max_levels, letters.max_questions) == ("first_token", 26, 26, 1)
