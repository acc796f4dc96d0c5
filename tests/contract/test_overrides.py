"""Thresholds from outside: the same rules, and the effective number is the one that is shown."""

from __future__ import annotations

import math

import pytest

from interlock.contract import Capabilities, check_contract, compile_contract
from interlock.errors import ContractError, SettingsError, UsageError


@pytest.mark.parametrize(
    ("key", "number", "decision", "rule", "text"),
    [
        pytest.param("done.done", 0.7, "done", 0, "prob:done >= 0.7 → answer", id="decision-and-question"),
        pytest.param("done", 0.7, "done", 0, "prob:done >= 0.7 → answer", id="decision-alone"),
        pytest.param("done[0]", 0.7, "done", 0, "prob:done >= 0.7 → answer", id="index-of-one-tier"),
        pytest.param("grade.risk[1]", 0.5, "grade", 2, "score:risk >= 0.5 → auto_audit", id="second-tier"),
        pytest.param("grade.allowed", 0.25, "grade", 1, "prob:allowed < 0.25 → ask_human", id="one-of-two-questions"),
        pytest.param("route", 1, "route", 1, "top >= 1 → inspect", id="behind-a-picked"),
    ],
)
def test_the_effective_number_is_recorded(
    key: str, number: float, *, decision: str, rule: int, text: str, every_kind: str, host: Capabilities
) -> None:
    """Text and threshold of the rule; the digest says that it is another contract."""
    original = compile_contract(every_kind, host)
    contract = compile_contract(every_kind, host, overrides={key: number})
    found = contract.decisions[decision].policy.rules[rule]

    assert (found.text, found.predicate.threshold) == (text, number)
    assert contract.digest != original.digest
    assert contract.overrides == {key: number}
    assert compile_contract(contract.text, contract.capabilities, overrides=contract.overrides) == contract


def test_an_override_that_changes_nothing_is_the_same_contract(every_kind: str, host: Capabilities) -> None:
    """The digest is over the effective numbers."""
    same = compile_contract(every_kind, host, overrides={"done": 0.6})

    assert same.digest == compile_contract(every_kind, host).digest


@pytest.mark.parametrize(
    ("key", "number", "code"),
    [
        pytest.param("done", 1.5, "threshold-out-of-range", id="above-one"),
        pytest.param("done", 0, "constant-predicate", id="always"),
        pytest.param("grade.risk[0]", 2.5, "threshold-out-of-range", id="above-the-levels"),
        pytest.param("grade.risk[1]", 2, "duplicate-predicate", id="equal-tiers"),
        pytest.param("grade.risk[0]", 0.5, "unordered-tiers", id="tiers-the-wrong-way-round"),
    ],
)
def test_an_override_obeys_the_rules_of_the_file(
    key: str, number: float, code: str, every_kind: str, host: Capabilities
) -> None:
    """A gate cannot be opened from outside further than from inside."""
    with pytest.raises(ContractError, match=code) as caught:
        compile_contract(every_kind, host, overrides={key: number})

    assert [item.code for item in caught.value.diagnostics] == [code]


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
def test_an_override_is_a_number(number: float, every_kind: str, host: Capabilities) -> None:
    with pytest.raises(UsageError, match=r"gate `done`: `.*` is not a number"):
        compile_contract(every_kind, host, overrides={"done": number})


def test_an_override_mends_a_threshold_of_the_file(minimal: str, host: Capabilities) -> None:
    """The result is checked, not the number that is replaced."""
    broken = minimal.replace("0.6", "60")

    assert compile_contract(broken, host, overrides={"done": 0.6}).decisions["done"].policy.rules[0].line == 23


@pytest.mark.parametrize(
    "key", ["dnoe", "done.other", "done[1]", "grade", "grade.risk", "effort.risk", "within_budget"]
)
def test_an_unknown_key_stops_and_lists_the_keys(key: str, every_kind: str, host: Capabilities) -> None:
    """Several tiers need an index, several questions an id."""
    with pytest.raises(SettingsError, match=r"known: .*`done.done`.*`grade.risk\[0\]`, `grade.risk\[1\]`"):
        check_contract(every_kind, host, overrides={key: 0.5})


def test_a_broken_file_is_reported_before_an_unknown_key(minimal: str, host: Capabilities) -> None:
    """Its keys cannot be known."""
    result = check_contract(minimal.replace("prob:done", "prob"), host, overrides={"nothing": 0.5})

    assert [item.code for item in result.diagnostics] == ["unknown-predicate"]


def test_a_file_without_thresholds_says_so(host: Capabilities) -> None:
    """There is nothing to list."""
    rule = "# t\nschema: decision-contract/v1\n## within_budget\nkind: rule\nwhen: before-call\n"
    with pytest.raises(SettingsError, match="no thresholds"):
        compile_contract(rule, host, overrides={"within_budget": 0.5})
