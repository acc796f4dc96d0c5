"""The scripted judge: the forms of a script, and that its answers pass a server's checks."""

from __future__ import annotations

import math

import pytest

from interlock.errors import QuestionError, SettingsError
from interlock.judge.base import Failure, JudgeReply, Reading
from interlock.judge.script_file import judge_from_json
from interlock.judge.scripted import Script, ScriptedJudge
from interlock.questions import Choice, ChoiceAnswer, Content, Noul, NoulAnswer, Question, Score, ScoreAnswer

pytestmark = pytest.mark.anyio

QUESTIONS: dict[str, Question] = {
    "n": Noul(instructions="n"),
    "c": Choice(instructions="c", criteria={"a": None, "b": None}),
    "s": Score(instructions="s", criteria=["0", "1", "2"]),
}


async def ask(script: Script, *ids: str) -> JudgeReply:
    return await ScriptedJudge(script).answer("state", {id_: QUESTIONS[id_] for id_ in ids or QUESTIONS})


async def test_short_forms_are_read_by_the_kind_of_question() -> None:
    reply = await ask({"n": True, "c": "b", "s": 1.25})
    assert {id_: reading.answer for id_, reading in reply.readings.items()} == {
        "n": NoulAnswer(noul=1.0, basis="scripted"),
        "c": ChoiceAnswer(choice="b", probabilities={"a": 0.0, "b": 1.0}, basis="scripted"),
        "s": ScoreAnswer(score=1.25, probabilities=(0.0, 0.75, 0.25), basis="scripted"),
    }


async def test_distributions_are_kept_and_the_most_probable_is_picked() -> None:
    reply = await ask({"n": 0.3, "c": {"a": 0.4, "b": 0.6}, "s": {"0": 0.5, "1": 0.25, "2": 0.25}})
    assert isinstance(reply.readings["c"].answer, ChoiceAnswer)
    assert reply.readings["c"].answer.choice == "b"
    assert isinstance(reply.readings["s"].answer, ScoreAnswer)
    assert reply.readings["s"].answer.score == 0.75


async def test_a_list_holds_successive_answers_and_running_out_is_not_asked() -> None:
    judge = ScriptedJudge({"n": [0.1, 0.2]})
    one = {"n": QUESTIONS["n"]}
    replies = [await judge.answer("s", one) for _ in range(3)]
    assert [reply.readings["n"].answer for reply in replies[:2]] == [
        NoulAnswer(noul=0.1, basis="scripted"),
        NoulAnswer(noul=0.2, basis="scripted"),
    ]
    assert (replies[2].readings["n"].kind, replies[2].readings["n"].reason) == ("not_asked", "no-recording")


async def test_a_function_sees_the_state_the_id_and_the_question() -> None:
    def told(state: Content, id_: str, question: Question) -> float | str:
        assert (state, question) == ("state", QUESTIONS[id_])
        return "a" if id_ == "c" else 0.5

    reply = await ask(told)
    assert {reading.kind for reading in reply.readings.values()} == {"answered"}


async def test_one_item_per_call_may_be_a_failure() -> None:
    judge = ScriptedJudge([{"n": 0.5}, Failure(reason="timeout", retryable=True)])
    first, second, third = [await judge.answer("s", {"n": QUESTIONS["n"]}) for _ in range(3)]
    assert first.failure is None
    assert second.failure == Failure(reason="timeout", retryable=True)
    assert second.readings["n"].kind == "transport_error"
    assert third.readings["n"].reason == "no-recording"


@pytest.mark.parametrize(
    ("script", "id_", "kind", "reason"),
    [
        pytest.param({"c": "z"}, "c", "invalid_response", "not-an-option", id="a-label-that-was-not-offered"),
        pytest.param({"c": {"a": math.nan, "b": 1}}, "c", "invalid_response", "probability-range", id="nan"),
        pytest.param({"c": {"a": 0.4, "b": 0.5}}, "c", "invalid_response", "sum", id="does-not-sum"),
        pytest.param({"c": {"a": 1.0}}, "c", "invalid_response", "option-keys", id="a-label-missing"),
        pytest.param({"c": 1}, "c", "invalid_response", "not-an-option", id="a-number-for-a-choice"),
        pytest.param({"n": 1.5}, "n", "invalid_response", "noul-range", id="noul-over-one"),
        pytest.param({"n": "yes"}, "n", "invalid_response", "noul-range", id="text-for-a-noul"),
        pytest.param({"s": 5}, "s", "invalid_response", "score-range", id="a-level-too-high"),
        pytest.param({"s": math.nan}, "s", "invalid_response", "score-range", id="a-level-that-is-no-number"),
        pytest.param({"s": "high"}, "s", "invalid_response", "score-range", id="text-for-a-score"),
        pytest.param({"n": None}, "n", "unscored", "abstained", id="none-abstains"),
        pytest.param({}, "n", "not_asked", "no-recording", id="not-in-the-script"),
        pytest.param(
            {"c": ChoiceAnswer(choice="a", probabilities=None, basis="label_only")},
            "c",
            "unscored",
            "no-probabilities",
            id="a-bare-label",
        ),
        pytest.param(
            {"n": Reading(kind="refused", reason="refusal", answer=None, judge="j")},
            "n",
            "refused",
            "refusal",
            id="a-reading-stands-for-itself",
        ),
    ],
)
async def test_faults_are_told_apart(script: Script, id_: str, kind: str, reason: str) -> None:
    reading = (await ask(script, id_)).readings[id_]
    assert (reading.kind, reading.reason) == (kind, reason)


async def test_an_answer_stands_as_given() -> None:
    answer = NoulAnswer(noul=0.4, basis="first_token", option_mass=0.7)
    assert (await ask({"n": answer}, "n")).readings["n"].answer == answer


async def test_every_request_is_remembered_and_degraded_is_marked() -> None:
    judge = ScriptedJudge({"n": 1}, degraded=True)
    reply = await judge.answer({"task": "t"}, {"n": QUESTIONS["n"]})
    assert reply.readings["n"].degraded
    assert [(seen.frame_state, list(seen.questions)) for seen in judge.seen] == [({"task": "t"}, ["n"])]
    with pytest.raises(QuestionError, match="ask at least one"):
        await judge.answer("s", {})


async def test_a_file_holds_a_script() -> None:
    judge = judge_from_json({"n": [0.5, None], "c": {"a": 1, "b": 0}, "s": 2}, judge="scripted:f")
    reply = await judge.answer("s", QUESTIONS)
    assert {reading.judge for reading in reply.readings.values()} == {"scripted:f"}
    assert {reading.kind for reading in reply.readings.values()} == {"answered"}


@pytest.mark.parametrize("value", [[], 3, {"n": [[1]]}, {"n": {"a": "x"}}, {"n": {"a": True}}])
def test_a_file_that_is_no_script_is_refused(value: object) -> None:
    with pytest.raises(SettingsError, match="scripted:f"):
        judge_from_json(value, judge="scripted:f")  # type: ignore[arg-type] # what a file may hold
