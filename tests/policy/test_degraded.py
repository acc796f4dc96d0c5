"""A degraded judge may close a gate before a call, and open it only for harmless calls."""

from __future__ import annotations

from dataclasses import replace

import pytest

from interlock.policy import CallFacts, Outcome, limit_degraded

OUTCOME = Outcome(action="auto", rule=3, rule_text="else → auto", threshold=None, value=None, margin=0.2, reason=None)


@pytest.mark.parametrize(
    ("action", "call", "taken"),
    [
        pytest.param("auto", CallFacts(base_risk=0, leaves_root=True), "auto", id="reading-is-harmless"),
        pytest.param("auto_audit", CallFacts(base_risk=0, leaves_root=False), "auto_audit", id="reading-audited"),
        pytest.param(
            "auto_audit", CallFacts(base_risk=1, leaves_root=False), "auto_audit", id="a-write-inside-audited"
        ),
        pytest.param("auto", CallFacts(base_risk=1, leaves_root=False), "ask_human", id="a-write-without-audit"),
        pytest.param("auto_audit", CallFacts(base_risk=1, leaves_root=True), "ask_human", id="a-write-outside"),
        pytest.param("auto_audit", CallFacts(base_risk=2, leaves_root=False), "ask_human", id="irreversible"),
        pytest.param("auto", CallFacts(base_risk=3, leaves_root=False), "ask_human", id="destructive"),
        pytest.param("auto", CallFacts(base_risk=None, leaves_root=False), "ask_human", id="undeclared-risk"),
        pytest.param("auto", None, "ask_human", id="nothing-known-of-the-call"),
        pytest.param("host:go", CallFacts(base_risk=1, leaves_root=False), "ask_human", id="a-host-action"),
        pytest.param("ask_human", CallFacts(base_risk=3, leaves_root=True), "ask_human", id="closing-is-free"),
        pytest.param("escalate", None, "escalate", id="so-is-escalating"),
    ],
)
def test_a_degraded_answer_opens_only_for_harmless_calls(action: str, call: CallFacts | None, taken: str) -> None:
    """Base risk 0, or 1 inside the root with an audit."""
    assert limit_degraded(replace(OUTCOME, action=action), call, "ask_human").action == taken


def test_what_the_policy_found_stays_on_record() -> None:
    """Rule, value and margin are facts; the reason says why the action is another."""
    limited = limit_degraded(OUTCOME, CallFacts(base_risk=3, leaves_root=False), "ask_human")

    assert limited == replace(
        OUTCOME, action="ask_human", reason="a degraded answer may not `auto` a call of base risk 3"
    )
