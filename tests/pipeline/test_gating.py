"""Modes, gaps and rules of the host: who is asked, and what is done instead."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from interlock.contract.compiled import Contract
from interlock.errors import HostError, SettingsError
from interlock.judge.scripted import ScriptedJudge
from interlock.pipeline import GapPolicy, Gating, Host, decide, gap_policy, require_gating

State = dict[str, object]


def test_shadow_records_what_would_have_been_done(contract: Contract, host: Host, state: State) -> None:
    """The judge is asked, the safe default is done."""
    judge = ScriptedJudge({"ok": 0.9})

    result = decide(contract, "ok", state, judge, host=host, gating=Gating(modes={"ok": "shadow"}))

    assert len(judge.seen) == 1
    assert (result.mode, result.action, result.would_be) == ("shadow", "stop", "continue")
    assert result.outcome is not None
    assert result.outcome.action == "continue"


def test_off_asks_nobody(contract: Contract, host: Host, state: State) -> None:
    """No frame, no outcome, the safe default."""
    judge = ScriptedJudge({"ok": 0.9})

    result = decide(contract, "ok", state, judge, host=host, gating=Gating(modes={"ok": "off"}))

    assert judge.seen == []
    assert (result.mode, result.action, result.would_be) == ("off", "stop", None)
    assert (result.outcome, result.frame, dict(result.readings), result.reply) == (None, None, {}, None)


def test_a_mode_is_of_one_decision(contract: Contract, host: Host, state: State) -> None:
    """The others are enforced."""
    gating = Gating(modes={"ok": "off", "pick": "enforce"})

    result = decide(contract, "pick", state, ScriptedJudge({"pick": "b.py"}), host=host, gating=gating)

    assert (result.mode, result.action) == ("enforce", "use")


@pytest.mark.parametrize("mode", ["shadow", "off"])
def test_a_mode_without_a_safe_default_is_refused(contract: Contract, host: Host, state: State, mode: str) -> None:
    """Also when another decision is taken: a wrong setting is never met late."""
    gating = Gating(modes={"pick": "shadow" if mode == "shadow" else "off"})

    with pytest.raises(HostError, match=f"decision `pick`: mode `{mode}` needs a safe default `pick`") as caught:
        decide(contract, "ok", state, ScriptedJudge({}), host=host, gating=gating)

    assert caught.value.missing == ("safe default `pick`",)


@pytest.mark.parametrize(
    "gating",
    [
        pytest.param(Gating(modes={"okk": "off"}), id="mode"),
        pytest.param(Gating(gaps={"okk": "warn"}), id="gap-policy"),
    ],
)
def test_a_setting_of_an_unknown_decision_is_refused(contract: Contract, host: Host, gating: Gating) -> None:
    """A gate that was meant to be shadowed is never enforced, nor the other way round."""
    with pytest.raises(SettingsError, match="gating: no decision `okk`; did you mean `ok`"):
        require_gating(gating, contract, host.capabilities)


@pytest.mark.parametrize(
    ("changes", "gap", "closed"),
    [
        pytest.param({"task": None}, "task: unfilled", "ask_human", id="unfilled"),
        pytest.param({"task": 7}, "task: wrong_type", "ask_human", id="wrong-type"),
    ],
)
def test_a_gap_before_a_call_refuses_the_judge(
    contract: Contract, host: Host, state: State, *, changes: State, gap: str, closed: str
) -> None:
    """The gap is named and a person is asked."""
    judge = ScriptedJudge({"grade.risk": 0.0, "grade.auth": 0.0})

    result = decide(contract, "grade", state | changes, judge, host=host)

    assert judge.seen == []
    assert (result.action, result.gaps, result.gap_refused, result.warnings) == (closed, (gap,), True, ())
    assert result.outcome is not None
    assert result.outcome.reason == f"gap in the frame: {gap}"
    assert dict(result.readings) == {}
    assert list(result.questions) == ["risk", "auth"]


def test_elsewhere_a_gap_is_a_warning(contract: Contract, host: Host, state: State) -> None:
    """The judge is asked with what there is; an empty tool output is a gap."""
    result = decide(contract, "ok", state | {"output": ""}, ScriptedJudge({"ok": 0.9}), host=host)

    assert (result.action, result.gaps, result.gap_refused) == ("continue", ("output: empty",), False)
    assert result.warnings == ("gap in the frame: output: empty",)


@pytest.mark.parametrize(
    ("decision", "setting", "refused"),
    [
        pytest.param("ok", "refuse", True, id="made-strict"),
        pytest.param("grade", "warn", False, id="made-lenient"),
    ],
)
def test_the_gap_policy_can_be_set(
    contract: Contract, host: Host, decision: str, setting: GapPolicy, refused: bool
) -> None:
    """Per decision."""
    judge = ScriptedJudge({"ok": 0.9, "grade.risk": 0.0, "grade.auth": 0.0})

    result = decide(contract, decision, {}, judge, host=host, gating=Gating(gaps={decision: setting}))

    assert (result.gap_refused, len(judge.seen)) == (refused, 0 if refused else 1)


@pytest.mark.parametrize(
    ("decision", "position", "default"),
    [
        pytest.param("ok", "after-tool", "warn", id="an-ordinary-decision"),
        pytest.param("ok", "before-call", "refuse", id="before-a-call"),
        pytest.param("ok", "after-generate", "refuse", id="after-generating"),
        pytest.param("grade", "after-tool", "refuse", id="whatever-can-ask-a-person"),
    ],
)
def test_the_default_follows_from_what_the_decision_can_cause(
    contract: Contract, decision: str, position: str, default: GapPolicy
) -> None:
    """Gates and deliveries are strict."""
    assert gap_policy(Gating(), replace(contract.decisions[decision], position=position)) == default


def test_a_gap_does_not_matter_where_no_judge_is_asked(contract: Contract, host: Host, state: State) -> None:
    """It is still recorded."""
    gating = Gating(gaps={"pick": "refuse"})

    result = decide(
        contract, "pick", state | {"task": None, "files": ["b.py"]}, ScriptedJudge({}), host=host, gating=gating
    )

    assert (result.action, result.gap_refused, result.gaps) == ("use", False, ("task: unfilled",))


@pytest.mark.parametrize(
    ("tool", "action"),
    [pytest.param("list", "use_tool", id="an-action"), pytest.param("", "answer", id="none-falls-to-else")],
)
def test_a_rule_is_answered_by_the_hosts_code(
    contract: Contract, host: Host, state: State, tool: str, action: str
) -> None:
    """No judge, no frame."""
    judge = ScriptedJudge({})

    result = decide(contract, "route", state | {"tool": tool}, judge, host=host)

    assert judge.seen == []
    assert (result.action, result.frame, result.reply) == (action, None, None)
    assert (result.outcome is None) is (action == "use_tool")


def test_a_rule_can_be_shadowed(contract: Contract, host: Host, state: State) -> None:
    """What the code chose is recorded, the safe default is done."""
    result = decide(contract, "route", state, ScriptedJudge({}), host=host, gating=Gating(modes={"route": "shadow"}))

    assert (result.action, result.would_be) == ("answer", "use_tool")


def test_a_rule_that_raises_escalates(contract: Contract, host: Host, state: State) -> None:
    """Its `else` is not reached."""

    def broken(_: object) -> str:
        raise ZeroDivisionError

    result = decide(contract, "route", state, ScriptedJudge({}), host=replace(host, rules={"route": broken}))

    assert result.action == "escalate"
    assert result.outcome is not None
    assert result.outcome.reason == "rule `route` failed: ZeroDivisionError"


@pytest.mark.parametrize("action", ["answr", "continue"])
def test_a_rule_may_not_act_beyond_its_position(contract: Contract, host: Host, state: State, action: str) -> None:
    """Neither an unknown action nor one of another position."""
    lawless: Callable[[object], str] = lambda _: action  # noqa: E731

    with pytest.raises(HostError, match=f"rule `route`: action `{action}` is not handled at `step-start`"):
        decide(contract, "route", state, ScriptedJudge({}), host=replace(host, rules={"route": lawless}))


def test_an_incomplete_host_is_refused_with_everything_that_is_missing(host: Host) -> None:
    """At construction, all at once."""
    floors = {"grade.risk": replace(host.capabilities.floors["grade.risk"], projection="noSuch")}
    declared = replace(host.capabilities, floors=floors)

    with pytest.raises(HostError, match="declared but not supplied") as caught:
        Host(capabilities=declared)

    assert caught.value.missing == (
        "projection `toolRisk`",
        "projection `noSuch`",
        "provider `options`",
        "rule `route`",
    )
