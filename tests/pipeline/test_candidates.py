"""What is offered of what a provider gives."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from interlock._text import fold
from interlock.contract.compiled import Contract
from interlock.judge.base import Caps
from interlock.judge.scripted import ScriptedJudge
from interlock.pipeline import Host, decide
from interlock.pipeline.candidates import WINDOW, offer
from interlock.questions import Choice, ChoiceAnswer, Content, Noul

ASKED = Choice(instructions="Which?", criteria={"a.py": "the contract's own words"})
FILES = [f"f{index}.py" for index in range(30)]


def labels(names: list[str], *, task: str = "", cap: int | None = None) -> list[str]:
    return list(offer(ASKED, dict.fromkeys(names), task=task, cap=cap).question.criteria)


@pytest.mark.parametrize(
    ("task", "first"),
    [
        pytest.param("read f25.py", ["f25.py", "f0.py"], id="a-name"),
        pytest.param("what does F25 do?", ["f25.py", "f0.py"], id="a-stem-in-any-case"),
        pytest.param("compare f28.py with f25", ["f25.py", "f28.py", "f0.py"], id="two-in-the-providers-order"),
        pytest.param("读一下f25.py里的内容", ["f25.py", "f0.py"], id="between-chinese-characters"),
        pytest.param("read xf25.py and f25_old and f255", ["f0.py", "f1.py"], id="part-of-a-longer-word"),
        pytest.param("anything", ["f0.py", "f1.py"], id="not-named"),
    ],
)
def test_what_the_task_names_comes_first(task: str, first: list[str]) -> None:
    """Then the provider's order."""
    assert labels(FILES, task=task)[: len(first)] == first


def test_a_path_is_named_by_its_last_part() -> None:
    """Users rarely write the whole path; both separators count."""
    names = [*FILES, "src/app/main.rs", "src\\win\\setup.cfg", "docs/说明.md", ".env"]

    assert labels(names, task="main and setup.cfg 说明 .env")[:5] == [*names[30:], "f0.py"]


def test_a_full_name_is_not_crowded_out_by_stems() -> None:
    """When more are named than fit, those named in full stay."""
    names = [f"d{index}/test.py" for index in range(25)] + ["src/exact.py"]

    shown = labels(names, task="which test covers exact.py?")

    assert len(shown) == WINDOW
    assert "src/exact.py" in shown


@pytest.mark.parametrize(
    ("cap", "shown"),
    [
        pytest.param(None, 20, id="no-cap"),
        pytest.param(255, 20, id="a-wide-judge"),
        pytest.param(5, 5, id="a-narrow-judge"),
    ],
)
def test_the_instructions_say_how_many_are_listed(cap: int | None, shown: int) -> None:
    """The window is the smaller of 20 and the judge's cap."""
    made = offer(ASKED, dict.fromkeys(FILES), task="", cap=cap)

    assert made.listed == (shown, 30)
    assert made.question.instructions == f"Which?\n{shown} of 30 options are listed."


def test_instructions_are_left_alone_where_all_are_listed() -> None:
    """Their wording was measured."""
    assert offer(ASKED, dict.fromkeys(FILES[:3]), task="", cap=None).question is not None
    assert offer(ASKED, dict.fromkeys(FILES[:3]), task="", cap=None).question.instructions == "Which?"


def test_structured_instructions_keep_their_structure() -> None:
    """The note stands beside them."""
    asked = replace(ASKED, instructions={"ask": "Which?"})

    made = offer(asked, dict.fromkeys(FILES), task="", cap=2)

    assert made.question.instructions == [{"ask": "Which?"}, "2 of 30 options are listed."]


def test_the_contracts_own_criterion_wins() -> None:
    """It was measured; others take the provider's."""
    made = offer(ASKED, {"a.py": "the provider's words", "b.py": "b", "c.py": None}, task="", cap=None)

    assert made.question.criteria == {"a.py": "the contract's own words", "b.py": "b", "c.py": None}


def test_of_look_alikes_one_is_offered() -> None:
    """The one the task names by its exact place in the order, else the provider's first; the other is told."""
    made = offer(ASKED, dict.fromkeys(["Make", "make", "e\u0301", "\u00e9", "a  b", "A b"]), task="", cap=None)

    assert list(made.question.criteria) == ["Make", "e\u0301", "a  b"]
    assert made.warnings == (
        "candidate `make` is not offered: it looks like `Make`",
        "candidate `\u00e9` is not offered: it looks like `e\u0301`",
        "candidate `A b` is not offered: it looks like `a  b`",
    )
    assert made.listed == (3, 6)


@pytest.mark.parametrize("label", [pytest.param("", id="empty"), pytest.param("x\udcff.py", id="not-valid-text")])
def test_a_label_that_cannot_be_sent_is_not_offered(label: str) -> None:
    """The others still are."""
    made = offer(ASKED, dict.fromkeys([label, "b.py"]), task="", cap=None)

    assert list(made.question.criteria) == ["b.py"]
    assert made.warnings == ("a candidate is not offered: its name is empty or not valid text",)


NAMES = st.lists(st.text(alphabet="aAbB./ e\u0301\u00e9", max_size=5), unique=True, max_size=30)


@given(names=NAMES, task=st.text(alphabet="aAbB./ ", max_size=12), cap=st.none() | st.integers(1, 25))
def test_an_offer_is_a_distinct_part_of_the_candidates(names: list[str], task: str, cap: int | None) -> None:
    """Within the window, no two look alike, nothing invented, and what is left out is said."""
    made = offer(ASKED, dict.fromkeys(names), task=task, cap=cap)
    shown = list(made.question.criteria)

    assert set(shown) <= set(names)
    assert len(shown) <= min(WINDOW, cap or WINDOW)
    assert len({fold(label) for label in shown}) == len(shown)
    assert made.listed == (len(shown), len(names))
    assert (made.question.instructions == "Which?") is (len(shown) == len(names))


def test_candidates_are_ordered_by_the_frames_own_task(
    contract: Contract, host: Host, state: dict[str, object]
) -> None:
    """And the judge's cap is respected."""
    judge = ScriptedJudge({"pick": "b.py"}, caps=Caps(max_options=2))

    result = decide(contract, "pick", state, judge, host=host)

    asked = judge.seen[0].questions["pick"]
    assert isinstance(asked, Choice)
    assert asked.criteria == {"b.py": "read b.py", "a.py": "the main one"}
    assert result.questions["file"] is asked
    assert (result.picked, result.action, result.listed) == ("b.py", "use", (2, 3))


def test_a_frame_without_the_task_leaves_the_providers_order(
    contract: Contract, host: Host, state: dict[str, object]
) -> None:
    """What a decision may not see does not order its menu."""
    decision = contract.decisions["pick"]
    assert decision.frame is not None
    blind = replace(decision, frame=replace(decision.frame, fields=()))
    judge = ScriptedJudge({"pick": "b.py"})

    decide(replace(contract, decisions={"pick": blind}), "pick", state, judge, host=host)

    asked = judge.seen[0].questions["pick"]
    assert isinstance(asked, Choice)
    assert list(asked.criteria) == ["a.py", "b.py", "c.py"]


def test_one_option_is_taken_without_asking(contract: Contract, host: Host, state: dict[str, object]) -> None:
    """And recorded as not asked, whatever the judge would have said."""
    judge = ScriptedJudge({})

    result = decide(contract, "pick", state | {"files": ["b.py"]}, judge, host=host)

    assert judge.seen == []
    assert result.reply is None
    reading = result.readings["file"]
    assert (reading.kind, reading.reason) == ("not_asked", "single-option")
    assert reading.answer == ChoiceAnswer(choice="b.py", probabilities={"b.py": 1.0}, basis="single")
    assert (result.picked, result.action, result.listed) == ("b.py", "use", (1, 1))


def test_nothing_to_offer_is_not_asked(contract: Contract, host: Host, state: dict[str, object]) -> None:
    """No option is invented."""
    judge = ScriptedJudge({})

    result = decide(contract, "pick", state | {"files": []}, judge, host=host)

    assert judge.seen == []
    assert (result.action, result.picked, result.listed) == ("escalate", None, (0, 0))
    assert result.outcome is not None
    assert result.outcome.reason == "no answer to `file`: not_asked/no-options"


def test_the_choice_of_a_mixed_decision_is_the_dynamic_one(
    contract: Contract, host: Host, state: dict[str, object]
) -> None:
    """Its other questions are asked as they stand, also when the choice is settled."""
    pick = contract.decisions["pick"]
    mixed = replace(pick, kind="mixed", questions={"sure": Noul(instructions="Sure?")} | dict(pick.questions))
    judge = ScriptedJudge({"pick.sure": 0.9, "pick.file": "b.py"})

    both = decide(replace(contract, decisions={"pick": mixed}), "pick", state, judge, host=host)
    one = decide(replace(contract, decisions={"pick": mixed}), "pick", state | {"files": ["b.py"]}, judge, host=host)

    assert list(judge.seen[0].questions) == ["pick.sure", "pick.file"]
    assert list(judge.seen[1].questions) == ["pick.sure"]
    assert list(both.readings) == list(one.readings) == ["sure", "file"]
    assert (both.picked, one.picked) == ("b.py", "b.py")


def test_a_decision_without_a_choice_has_no_menu(contract: Contract, host: Host, state: dict[str, object]) -> None:
    """Its provider is not called."""
    odd = replace(contract.decisions["ok"], dynamic=contract.decisions["pick"].dynamic)

    result = decide(replace(contract, decisions={"ok": odd}), "ok", state, ScriptedJudge({"ok": 0.9}), host=host)

    assert (result.action, result.listed) == ("continue", None)


def _missing(cells: Mapping[str, object]) -> Any:
    return cells["not supplied"]


@pytest.mark.parametrize(
    ("provider", "failure"),
    [
        pytest.param(_missing, "KeyError", id="raises"),
        pytest.param(lambda _: None, "TypeError", id="gives-nothing"),
        pytest.param(lambda _: {1: None, 2: None}, "AttributeError", id="labels-that-are-not-text"),
        pytest.param(lambda _: {"a": "\ud800", "b": None}, "QuestionError", id="a-criterion-that-cannot-be-sent"),
    ],
)
def test_a_provider_that_fails_has_nothing_to_offer(
    contract: Contract,
    host: Host,
    state: dict[str, object],
    provider: Callable[[Mapping[str, object]], Mapping[str, Content | None]],
    failure: str,
) -> None:
    """The failure is a warning with its type, and the decision escalates."""
    judge = ScriptedJudge({})

    result = decide(contract, "pick", state, judge, host=replace(host, providers={"options": provider}))

    assert judge.seen == []
    assert result.action == "escalate"
    assert result.warnings == (f"provider `options` failed: {failure}",)


def test_a_provider_is_given_only_the_cells_it_declares(
    contract: Contract, host: Host, state: dict[str, object]
) -> None:
    """An excluded cell cannot come in through a menu."""
    given: list[Mapping[str, object]] = []

    def provider(cells: Mapping[str, object]) -> Mapping[str, Content | None]:
        given.append(cells)
        return {"a": None, "b": None}

    decide(contract, "pick", state, ScriptedJudge({}), host=replace(host, providers={"options": provider}))
    decide(contract, "pick", {"task": "x"}, ScriptedJudge({}), host=replace(host, providers={"options": provider}))

    assert given == [{"files": state["files"]}, {}]
