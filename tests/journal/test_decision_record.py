"""A decision is read back from its record exactly as it was taken."""

from __future__ import annotations

import json
from dataclasses import replace
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from interlock.contract.compiled import Contract
from interlock.errors import JournalError
from interlock.journal.decision_body import Planned, decision_body
from interlock.journal.decision_read import read_decision
from interlock.journal.records import MAX_DEPTH, decode_body, encode_body
from interlock.judge.base import Failure, JudgeReply, Reading, Usage
from interlock.pipeline.result import DecisionResult
from interlock.policy.rules import Floor, Outcome, Policy, Predicate, Rule
from interlock.questions import (
    Answer,
    Choice,
    ChoiceAnswer,
    Json,
    Noul,
    NoulAnswer,
    NoulCriteria,
    Question,
    Score,
    ScoreAnswer,
)

WORDS = st.text(st.characters(codec="utf-8"), min_size=1, max_size=8).filter(str.strip)
JSON_VALUES: st.SearchStrategy[Json] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
P = st.floats(0, 1)


def _round_trip(result: DecisionResult, policy: Policy | None) -> DecisionResult:
    body = decision_body(result, policy=policy)
    recorded = read_decision(decode_body(encode_body(body)))
    assert recorded.policy == policy
    return recorded.result


def _comparable(result: DecisionResult) -> DecisionResult:
    """Return `result` with what a record keeps once, not twice."""
    reply = result.reply
    if reply is None:
        return result
    readings = {name: reading for name, reading in reply.readings.items() if reading.reason != "single-option"}
    return replace(result, reply=replace(reply, readings=readings))


def test_every_way_a_decision_ends_is_read_back(decisions: dict[str, DecisionResult], contract: Contract) -> None:
    for name, result in decisions.items():
        policy = contract.decisions[result.decision].policy
        assert _round_trip(result, policy) == _comparable(result), name


def test_plan_and_step_are_read_back(decisions: dict[str, DecisionResult]) -> None:
    plan = Planned(name="next", wave=3, fused_with=("pick",), speculative=True, discarded=True)
    recorded = read_decision(decision_body(decisions["answered"], policy=None, step=4, plan=plan))
    assert (recorded.step, recorded.plan) == (4, plan)


def test_raw_state_is_kept_only_when_given_and_what_is_not_json_is_named(
    decisions: dict[str, DecisionResult],
) -> None:
    result = decisions["answered"]
    assert read_decision(decision_body(result, policy=None)).cells is None
    cells = {"task": "t", "log": ("a", {"b": [1.5]}), "handle": object(), "odd": float("inf")}
    body = decision_body(result, policy=None, cells=cells)
    assert body["cells"] == {"task": "t", "log": ["a", {"b": [1.5]}], "$unrecorded": ["handle", "odd"]}


NOULS = st.builds(
    Noul,
    instructions=WORDS,
    criteria=st.none() | st.builds(NoulCriteria, true=st.none() | WORDS, false=st.none() | WORDS),
)
CHOICES = st.builds(
    Choice, instructions=WORDS, criteria=st.dictionaries(WORDS, st.none() | WORDS, min_size=1, max_size=4)
)
SCORES = st.builds(Score, instructions=WORDS, criteria=st.lists(WORDS, min_size=2, max_size=4))
USAGES = st.builds(
    Usage, input_tokens=st.none() | st.integers(0), cost_usd=st.none() | st.decimals(0, 9, allow_nan=False)
)
FAILURES = st.builds(
    Failure, reason=WORDS, status=st.none() | st.integers(), retryable=st.booleans(), retry_after_s=st.none() | P
)


@st.composite
def _answers(draw: st.DrawFn, question: Question) -> Answer:
    mass, confidence = draw(st.none() | P), draw(st.none() | P)
    if isinstance(question, Noul):
        return NoulAnswer(noul=draw(P), basis="rule", option_mass=mass)
    if isinstance(question, Choice):
        told = {label: draw(P) for label in question.criteria}
        picked = draw(st.sampled_from(list(told)))
        return ChoiceAnswer(
            choice=picked, probabilities=draw(st.sampled_from([told, None])), basis="single", option_mass=mass
        )
    levels = tuple(draw(P) for _ in question.criteria)
    return ScoreAnswer(
        score=draw(P), probabilities=levels, basis="scripted", reported_confidence=confidence, reported_sum=mass
    )


@st.composite
def _results(draw: st.DrawFn, base: DecisionResult) -> DecisionResult:
    questions = draw(st.dictionaries(WORDS, st.one_of(NOULS, CHOICES, SCORES), min_size=2, max_size=3))
    readings = {
        name: Reading(
            kind="answered", reason="ok", answer=draw(_answers(question)), judge="j", degraded=draw(st.booleans())
        )
        for name, question in questions.items()
    }
    reply = JudgeReply(
        readings={f"{base.decision}.{name}": reading for name, reading in readings.items()},
        failure=draw(st.none() | FAILURES),
        requested_model=draw(WORDS),
        served_model=draw(st.none() | WORDS),
        request_id=draw(st.none() | WORDS),
        request_digest="d",
        usage=draw(st.none() | USAGES),
        attempts=draw(st.integers(0, 9)),
        elapsed_s=draw(P),
        wire=draw(WORDS),
        readout=draw(st.none() | WORDS),
    )
    outcome = Outcome(
        action=draw(WORDS),
        rule=draw(st.none() | st.integers(0, 9)),
        rule_text=draw(st.none() | WORDS),
        threshold=draw(st.none() | P),
        value=draw(st.none() | P),
        margin=draw(st.none() | P),
        reason=draw(st.none() | WORDS),
    )
    return replace(
        base,
        questions=questions,
        readings=readings,
        reply=reply,
        outcome=outcome,
        floors=tuple(draw(st.lists(st.builds(Floor, question=WORDS, value=P), max_size=2))),
        warnings=tuple(draw(st.lists(st.text(st.characters(codec="utf-8")), max_size=2))),
        listed=draw(st.none() | st.tuples(st.integers(), st.integers())),
    )


ELSE = st.just(Predicate(kind="else", question=None, comparison=None, threshold=None, option=None))
COMPARED = st.builds(
    Predicate,
    kind=st.sampled_from(["top", "prob", "score"]),
    question=WORDS,
    comparison=st.sampled_from([">=", "<"]),
    threshold=P,
    option=st.none(),
)
PICKED = st.builds(
    Predicate, kind=st.just("picked"), question=WORDS, comparison=st.just("="), threshold=st.none(), option=WORDS
)
RULES = st.builds(Rule, predicate=st.one_of(ELSE, COMPARED, PICKED), action=WORDS, text=WORDS, line=st.integers(0, 99))


@settings(max_examples=100, deadline=None)
@given(data=st.data())
def test_any_decision_is_read_back(data: st.DataObject) -> None:
    result = data.draw(_results(_BASE))
    policy = data.draw(st.none() | st.builds(Policy, rules=st.lists(RULES, max_size=3).map(tuple), on_missing=WORDS))
    assert _round_trip(result, policy) == result


_BASE = DecisionResult(
    decision="d",
    position="p",
    action="a",
    mode="enforce",
    would_be=None,
    outcome=None,
    picked=None,
    frame=None,
    questions={},
    readings={},
    reply=None,
    floors=(),
    gaps=(),
    gap_refused=False,
    listed=None,
    degraded=False,
    warnings=(),
    interchange_digest=None,
    contract_digest="c",
    elapsed_s=0.0,
)


@settings(max_examples=150, deadline=None)
@given(st.dictionaries(st.text(max_size=5), JSON_VALUES, max_size=4))
def test_a_body_is_read_back_with_its_keys_in_order(body: dict[str, Json]) -> None:
    text = encode_body(body)
    text.encode()
    again = decode_body(text)
    assert encode_body(again) == text
    assert list(json.loads(text)) == list(again)


@settings(max_examples=100)
@given(st.text())
def test_text_with_lone_surrogates_is_stored_and_read_back(text: str) -> None:
    joined = text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")
    stored = encode_body({"text": text})
    stored.encode()
    assert decode_body(stored) == {"text": joined}


@pytest.mark.parametrize(
    "value",
    [
        pytest.param(b"x", id="bytes"),
        pytest.param(float("nan"), id="nan"),
        pytest.param(float("inf"), id="infinity"),
        pytest.param({1.5, 2.5}, id="set"),
        pytest.param(Decimal("1.5"), id="decimal"),
    ],
)
def test_what_is_not_json_is_refused(value: object) -> None:
    with pytest.raises(JournalError, match="cannot be written as JSON"):
        encode_body({"value": value})  # type: ignore[dict-item] # the point of the test


def test_a_value_that_holds_itself_is_refused() -> None:
    circle: list[Json] = []
    circle.append(circle)
    with pytest.raises(JournalError, match="cannot be written as JSON"):
        encode_body({"value": circle})


@pytest.mark.parametrize("text", ["", "[]", "nul", '{"a": NaN}', '{"a": 1} x', '"' * 3])
def test_what_is_no_body_is_refused(text: str) -> None:
    with pytest.raises(JournalError, match="record body: is not"):
        decode_body(text)


_ODD_RULE: dict[str, Json] = {
    "text": "prob:ready →",
    "line": 1,
    "action": "answer",
    "kind": "prob",
    "question": "ready",
    "comparison": ">=",
    "threshold": None,
    "option": None,
}


@pytest.mark.parametrize(
    ("key", "value", "says"),
    [
        pytest.param("position", 1, "`position` is not text", id="text"),
        pytest.param("mode", "on", "`mode` is not one of `enforce`, `shadow`, `off`", id="word"),
        pytest.param("listed", [1], "`listed` is not a pair", id="pair"),
        pytest.param("gaps", [1], "`gaps` is not a list of texts", id="texts"),
        pytest.param("floors", [1], "`floors` is not a list of objects", id="objects"),
        pytest.param("floors", {}, "`floors` is not a list", id="list"),
        pytest.param("degraded", None, "`degraded` is not true or false", id="flag"),
        pytest.param("elapsed_s", True, "`elapsed_s` is not a number", id="number"),
        pytest.param("step", 1.5, "`step` is not a whole number", id="whole"),
        pytest.param("frame", [], "`frame` is not an object", id="object"),
        pytest.param(
            "policy", {"rules": [_ODD_RULE], "on_missing": "x"}, "a rule on `prob` has not the parts", id="rule"
        ),
        pytest.param("questions", {"q": {"type": "noul", "instructions": ""}}, "instructions: is empty", id="question"),
    ],
)
def test_a_field_of_another_type_is_named(
    decisions: dict[str, DecisionResult], key: str, value: Json, says: str
) -> None:
    body = {**decision_body(decisions["answered"], policy=None), key: value}
    with pytest.raises(JournalError, match=says):
        read_decision(body)
    del body[key]
    with pytest.raises(JournalError, match=f"`{key}` is missing"):
        read_decision(body)


def test_a_body_is_nested_so_deep_and_no_deeper() -> None:
    deep: Json = []
    for _ in range(MAX_DEPTH - 2):
        deep = [deep]
    body: dict[str, Json] = {"deep": deep}
    assert decode_body(encode_body(body)) == body
    with pytest.raises(JournalError, match="cannot be written: is nested more than 200 deep"):
        encode_body({"deep": [deep]})
    deeper = encode_body(body).replace("[", "[[", 1).replace("]", "]]", 1)
    with pytest.raises(JournalError, match="is nested too deep; the row was not written by a journal"):
        decode_body(deeper)
    wide: Json = [[] for _ in range(10 * MAX_DEPTH)]
    assert decode_body(encode_body({"wide": wide})) == {"wide": wide}
    assert decode_body(encode_body({"text": "[{" * 1000})) == {"text": "[{" * 1000}
