"""Thresholds set from outside a contract."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from interlock.errors import UsageError
from interlock.policy import (
    Policy,
    Predicate,
    PredicateKind,
    Rule,
    apply_overrides,
    override_keys,
    parse_override,
    rule_text,
)


def rule(kind: PredicateKind, question: str | None, threshold: float | None, action: str) -> Rule:
    predicate = Predicate(
        kind=kind,
        question=question,
        comparison=None if threshold is None else ">=",
        threshold=threshold,
        option="x" if kind == "picked" else None,
    )
    return Rule(predicate=predicate, action=action, text=rule_text(predicate, action), line=7)


GRADE = Policy(
    rules=(
        rule("score", "risk", 2, "ask_human"),
        rule("prob", "needs_auth", 0.5, "ask_human"),
        rule("score", "risk", 1, "auto_audit"),
        rule("else", None, None, "auto"),
    ),
    on_missing="ask_human",
)
PICK = Policy(
    rules=(rule("picked", "tool", None, "go"), rule("top", "tool", 0.6, "call"), rule("else", None, None, "escalate")),
    on_missing="escalate",
)
POLICIES = {"grade_risk": GRADE, "pick": PICK}
QUESTIONS = {"grade_risk": ("risk", "needs_auth"), "pick": ("tool",)}


@pytest.mark.parametrize(
    ("text", "parsed"),
    [
        pytest.param("grade_risk.risk[0]=3", ("grade_risk.risk[0]", 3), id="a-tier"),
        pytest.param(" pick = 0.75 ", ("pick", 0.75), id="spaces"),
        pytest.param("a.b=1e-1", ("a.b", 0.1), id="exponent"),
    ],
)
def test_an_override_is_a_key_and_a_number(text: str, parsed: tuple[str, float]) -> None:
    """Written as on the command line."""
    assert parse_override(text) == parsed


@pytest.mark.parametrize(
    ("text", "message"),
    [
        pytest.param("pick", "gate `pick`: write `decision.question=number`", id="no-sign"),
        pytest.param("=1", "gate `=1`: write", id="no-key"),
        pytest.param("pick=", "gate `pick`: `` is not a number", id="no-number"),
        pytest.param("pick=high", "gate `pick`: `high` is not a number; write one such as `0.6`", id="a-word"),
        pytest.param("pick=nan", "gate `pick`: `nan` is not a number", id="nan"),
        pytest.param("pick=inf", "gate `pick`: `inf` is not a number", id="infinity"),
        pytest.param("pick=1e400", "gate `pick`: `1e400` is not a number", id="beyond-every-float"),
        pytest.param("pick=０.５", "gate `pick`: `０.５` is not a number", id="digits-of-another-script"),
        pytest.param("pick=1_0", "gate `pick`: `1_0` is not a number", id="a-python-spelling"),
        pytest.param("pick=0.5.5", "gate `pick`: `0.5.5` is not a number", id="two-points"),
    ],
)
def test_anything_else_is_refused(text: str, message: str) -> None:
    """A gate that cannot be read stops the program."""
    with pytest.raises(UsageError, match=f"^{message}"):
        parse_override(text)


@pytest.mark.parametrize(
    "threshold",
    [
        pytest.param(True, id="a-flag"),
        pytest.param("0.95", id="text"),
        pytest.param(None, id="nothing"),
        pytest.param(float("nan"), id="nan"),
        pytest.param(10**400, id="beyond-every-float"),
    ],
)
def test_a_threshold_from_code_that_is_no_number_is_refused(threshold: Any) -> None:
    with pytest.raises(UsageError, match=r"^gate `pick`: `.*` is not a number; write one such as `0\.6`$"):
        apply_overrides({"pick": PICK}, {"pick": QUESTIONS["pick"]}, {"pick": threshold})


def test_every_threshold_has_a_key() -> None:
    """A tier's number may be left out where there is one tier, the question where there is one question."""
    assert override_keys("grade_risk", GRADE, QUESTIONS["grade_risk"]) == {
        "grade_risk.risk[0]": 0,
        "grade_risk.risk[1]": 2,
        "grade_risk.needs_auth": 1,
        "grade_risk.needs_auth[0]": 1,
    }
    assert override_keys("pick", PICK, QUESTIONS["pick"]) == {
        "pick.tool": 1,
        "pick.tool[0]": 1,
        "pick": 1,
        "pick[0]": 1,
    }


def test_an_override_changes_one_number_and_the_text_that_shows_it() -> None:
    """The effective number is what traces and records name; everything else stays."""
    changed = apply_overrides(POLICIES, QUESTIONS, {"grade_risk.risk[1]": 1.5})

    assert changed["pick"] is PICK
    assert [item.predicate.threshold for item in changed["grade_risk"].rules] == [2, 0.5, 1.5, None]
    assert changed["grade_risk"].rules[2].text == "score:risk >= 1.5 → auto_audit"
    assert changed["grade_risk"].rules[2].line == 7
    assert changed["grade_risk"].on_missing == "ask_human"
    assert GRADE.rules[2].predicate.threshold == 1


def test_of_two_overrides_of_one_threshold_the_later_wins() -> None:
    """Also when they spell its key differently."""
    changed = apply_overrides(POLICIES, QUESTIONS, {"pick": 0.7, "pick.tool[0]": 0.8})

    assert changed["pick"].rules[1].predicate.threshold == 0.8


@pytest.mark.parametrize(
    ("key", "message"),
    [
        pytest.param(
            "grade_risk.risk",
            r"gate `grade_risk.risk`: no such threshold; did you mean `grade_risk.risk\[\d\]`\? known: "
            r"`grade_risk.risk\[0\]`, `grade_risk.risk\[1\]`, `grade_risk.needs_auth`, `pick.tool`$",
            id="a-tier-is-missing",
        ),
        pytest.param("grade_risk.risk[2]", r"did you mean `grade_risk.risk\[", id="no-such-tier"),
        pytest.param("pick.file", "did you mean `pick.tool`", id="no-such-question"),
        pytest.param("zzzzzzzz", r"no such threshold; known: `grade_risk.risk\[0\]`", id="nothing-like-it"),
    ],
)
def test_an_unknown_key_stops_and_lists_those_that_exist(key: str, message: str) -> None:
    """A gate that was meant to be raised is never left as it was."""
    with pytest.raises(UsageError, match=message):
        apply_overrides(POLICIES, QUESTIONS, {key: 0.5})


def test_a_contract_without_thresholds_has_no_keys() -> None:
    """The message does not end in an empty list."""
    with pytest.raises(UsageError, match=r"^gate `a`: the contract has no thresholds$"):
        apply_overrides({}, {}, {"a": 1})


@given(threshold=st.floats(allow_nan=False, allow_infinity=False))
def test_a_threshold_survives_its_spelling(threshold: float) -> None:
    """What is parsed is what was written."""
    assert parse_override(f"k={threshold!r}") == ("k", threshold)
