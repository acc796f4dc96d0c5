"""Policies: first match wins, no answer is never read as "no", margins say how stable an outcome is."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from interlock.judge.base import Reading, ReadingKind
from interlock.policy import Floor, Outcome, Policy, Predicate, Rule, evaluate, rule_text
from interlock.questions import Answer, ChoiceAnswer, NoulAnswer, ScoreAnswer


def rule(predicate: Predicate, action: str) -> Rule:
    return Rule(predicate=predicate, action=action, text=rule_text(predicate, action), line=0)


def prob(question: str, threshold: float, action: str, comparison: str = ">=") -> Rule:
    below = comparison == "<"
    found = Predicate(
        kind="prob", question=question, comparison="<" if below else ">=", threshold=threshold, option=None
    )
    return rule(found, action)


def score(question: str, threshold: float, action: str) -> Rule:
    found = Predicate(kind="score", question=question, comparison=">=", threshold=threshold, option=None)
    return rule(found, action)


def otherwise(action: str) -> Rule:
    return rule(Predicate(kind="else", question=None, comparison=None, threshold=None, option=None), action)


def answered(answer: Answer) -> Reading:
    return Reading(kind="answered", reason="ok", answer=answer, judge="test")


def noul(p: float) -> Reading:
    return answered(NoulAnswer(noul=p, basis="scripted"))


def level(value: float) -> Reading:
    return answered(ScoreAnswer(score=value, probabilities=(0.25,) * 4, basis="scripted"))


def missing(kind: ReadingKind = "transport_error", reason: str = "timeout") -> Reading:
    return Reading(kind=kind, reason=reason, answer=None, judge="test")


GATE = Policy(
    rules=(
        score("risk", 2, "ask_human"),
        prob("auth", 0.5, "ask_human"),
        score("risk", 1, "auto_audit"),
        otherwise("auto"),
    ),
    on_missing="ask_human",
)


@pytest.mark.parametrize(
    ("risk", "auth", "action", "index", "value", "margin"),
    [
        pytest.param(3.0, 0.0, "ask_human", 0, 3.0, 1.0, id="first-rule"),
        pytest.param(1.2, 0.9, "ask_human", 1, 0.9, 0.4, id="second-rule"),
        pytest.param(1.9, 0.2, "auto_audit", 2, 1.9, 0.1, id="the-closest-rule-gives-the-margin"),
        pytest.param(0.0, 0.0, "auto", 3, None, 0.5, id="else-compares-nothing"),
    ],
)
def test_the_first_rule_that_holds_decides(
    risk: float, auth: float, action: str, *, index: int, value: float | None, margin: float
) -> None:
    """The outcome names rule, threshold, value and the smallest distance on the way."""
    outcome = evaluate(GATE, {"risk": level(risk), "auth": noul(auth)})

    assert outcome == Outcome(
        action=action,
        rule=index,
        rule_text=GATE.rules[index].text,
        threshold=GATE.rules[index].predicate.threshold,
        value=value,
        margin=outcome.margin,
        reason=None,
    )
    assert outcome.margin == pytest.approx(margin)


def test_an_else_alone_has_no_margin() -> None:
    """Nothing was compared."""
    outcome = evaluate(Policy(rules=(otherwise("go"),), on_missing="escalate"), {})

    assert (outcome.action, outcome.rule, outcome.margin) == ("go", 0, None)


def test_a_rule_that_matched_before_a_missing_answer_stands() -> None:
    """Rules are read in order."""
    assert evaluate(GATE, {"risk": level(2.5), "auth": missing()}).action == "ask_human"
    assert evaluate(GATE, {"risk": level(2.5), "auth": missing()}).rule == 0


@pytest.mark.parametrize(
    ("reading", "reason"),
    [
        pytest.param(None, "no answer to `auth`: not asked", id="not-asked"),
        pytest.param(missing(), "no answer to `auth`: transport_error/timeout", id="timeout"),
        pytest.param(missing("unscored", "abstained"), "no answer to `auth`: unscored/abstained", id="abstained"),
        pytest.param(missing("refused", "refusal"), "no answer to `auth`: refused/refusal", id="refused"),
        pytest.param(
            noul(float("nan")), "answer to `auth` does not decide `prob:auth >= 0.5`: answered/ok", id="not-a-number"
        ),
    ],
)
def test_a_missing_answer_ends_the_evaluation(reading: Reading | None, reason: str) -> None:
    """Later rules and `else` are not reached, and the reason says why."""
    readings = {"risk": level(0.0)} | ({} if reading is None else {"auth": reading})

    outcome = evaluate(GATE, readings)

    assert (outcome.action, outcome.rule, outcome.rule_text) == ("ask_human", None, None)
    assert (outcome.threshold, outcome.value, outcome.margin) == (None, None, 2.0)
    assert outcome.reason == reason


def test_a_label_without_probabilities_decides_only_the_pick() -> None:
    """`picked:` holds; the next rule needs a number and ends the evaluation."""
    picked = Predicate(kind="picked", question="tool", comparison="=", threshold=None, option="done")
    bar = Predicate(kind="top", question="tool", comparison=">=", threshold=0.6, option=None)
    policy = Policy(rules=(rule(picked, "finish"), rule(bar, "call"), otherwise("answer")), on_missing="escalate")

    def label(name: str) -> Reading:
        answer = ChoiceAnswer(choice=name, probabilities=None, basis="label_only")
        return Reading(kind="unscored", reason="no-probabilities", answer=answer, judge="test")

    done, other = evaluate(policy, {"tool": label("done")}), evaluate(policy, {"tool": label("read")})

    assert (done.action, done.value, done.margin) == ("finish", None, None)
    assert (other.action, other.reason) == (
        "escalate",
        "answer to `tool` does not decide `top >= 0.6`: unscored/no-probabilities",
    )


def test_a_floor_is_read_by_every_rule_on_its_score() -> None:
    """A model's low score cannot open what the host's fact closes."""
    readings = {"risk": level(0.0), "auth": noul(0.0)}

    assert evaluate(GATE, readings, [Floor(question="risk", value=2)]).action == "ask_human"
    assert evaluate(GATE, readings, [Floor(question="risk", value=1)]).action == "auto_audit"


def test_a_floor_is_not_an_answer() -> None:
    """With a floor but no score the gate has not been judged."""
    outcome = evaluate(GATE, {"risk": missing(), "auth": noul(0.0)}, [Floor(question="risk", value=0)])

    assert outcome.reason == "no answer to `risk`: transport_error/timeout"


def test_a_policy_without_else_fails_closed() -> None:
    """A policy built in code may lack it; nothing matched is never an approval."""
    outcome = evaluate(replace(GATE, rules=GATE.rules[:2]), {"risk": level(0.0), "auth": noul(0.0)})

    assert (outcome.action, outcome.reason) == ("ask_human", "no rule matched and there is no `else`")


NOULS = st.floats(0, 1).map(noul)
THRESHOLDS = st.floats(0, 1)
UNDECIDABLE = st.sampled_from([missing(), missing("unscored", "abstained"), noul(float("nan"))])
RULES = st.lists(
    st.builds(
        prob, st.sampled_from("abc"), THRESHOLDS, st.sampled_from(["approve", "deny"]), st.sampled_from([">=", "<"])
    ),
    max_size=5,
)


@given(
    rules=RULES,
    sound=st.fixed_dictionaries({}, optional=dict.fromkeys("abc", NOULS)),
    broken=st.fixed_dictionaries({}, optional=dict.fromkeys("abc", UNDECIDABLE)),
)
def test_no_missing_answer_ever_approves(
    rules: list[Rule], sound: dict[str, Reading], broken: dict[str, Reading]
) -> None:
    """A rule's action, `else` included, is reached only through rules whose answers were all there."""
    outcome = evaluate(Policy(rules=(*rules, otherwise("approve")), on_missing="escalate"), broken | sound)

    on_the_way = rules if outcome.rule is None else rules[: outcome.rule + 1]
    if outcome.action == "escalate":
        assert outcome.reason is not None
    else:
        assert {item.predicate.question for item in on_the_way} <= sound.keys()


@given(readings=st.fixed_dictionaries({"a": NOULS, "b": NOULS}), low=THRESHOLDS, high=THRESHOLDS, other=THRESHOLDS)
def test_a_higher_bar_never_approves_more(readings: dict[str, Reading], low: float, high: float, other: float) -> None:
    """Raising the threshold of an approving rule only takes approvals away."""
    low, high = sorted((low, high))

    def outcome(threshold: float) -> str:
        rules = (prob("b", other, "deny"), prob("a", threshold, "approve"), otherwise("deny"))
        return evaluate(Policy(rules=rules, on_missing="escalate"), readings).action

    assert (outcome(high) == "approve") <= (outcome(low) == "approve")
