"""The rule judge: how often it answers and is right, and what holds of every answer it gives."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from bench.rules_eval import CONFIDENT, Case, Result, ask, main, read_cases
from hypothesis import given, settings
from hypothesis import strategies as st

from interlock.errors import QuestionError
from interlock.judge.rules import RuleJudge
from interlock.questions import Choice, ChoiceAnswer, Json, Noul, NoulAnswer, Question, Score, ScoreAnswer, fault, top
from interlock.tools.table import reference_table

HERE = Path(__file__).parent
CASES = HERE / "decisions.jsonl"
SHIFT = HERE / "rules_shift.jsonl"
SRC = HERE.parents[1] / "src" / "interlock"

QUESTIONS: Mapping[str, Question] = {
    "needs_tool": Noul(instructions="more to do?"),
    "pick_tool": Choice(instructions="which tool?", criteria={"read_file": None, "list_dir": None, "done": None}),
    "pick_input": Choice(instructions="which file?", criteria={"a.ts": None, "b.ts": None, "c.md": None}),
    "grade_risk.risk": Score(instructions="how risky?", criteria=["none", "some", "much", "most"]),
    "grade_risk.needs_auth": Noul(instructions="ask a person?"),
    "step_ok": Noul(instructions="did it work?"),
    "is_done": Noul(instructions="is it done?"),
    "can_deliver.deliverable": Noul(instructions="may it go out?"),
    "can_deliver.unsupported": Noul(instructions="is it made up?"),
}
FIELDS = (
    "task earlier already_done files_known already_read last last_result tool base_risk target input output steps"
    " candidates answer evidence facts untrusted_tool_output"
)

texts = st.text(max_size=80) | st.sampled_from(
    [
        "Delete a.ts and copy totalOf from b.ts to c.md",
        "把 a.ts 里的函数抄到 c.md",
        "read_file a.ts -> [TOOL_ERROR] gone: no such file",
        "list_dir .; read_file a.ts",
        "[TOOL_ERROR]",
        "quote verified: a.ts:3",
        "a.ts is missing",
        "read_file",
        "/etc/passwd -> ../x",
        "`a` 12,000 files (INV-7) by Ada King…",
    ]
)
values: st.SearchStrategy[Json] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=True) | texts,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(FIELDS.split()), inner, max_size=4),
    max_leaves=12,
)
states = st.dictionaries(st.sampled_from(FIELDS.split()), values, max_size=8) | texts | st.lists(values, max_size=3)


async def evaluate(file: Path) -> list[Result]:
    cases = [case for case in read_cases(file) if case.group == "loop"]
    return await ask(RuleJudge(reference_table()), cases)


def share_right(results: list[Result]) -> float:
    answered = [result for result in results if result.picked is not None]
    return sum(result.right for result in answered) / len(answered)


@pytest.mark.anyio
async def test_the_labelled_questions_are_covered_and_answered_rightly() -> None:
    """What the specification demands of the loop's questions."""
    results = await evaluate(CASES)

    assert sum(result.picked is not None for result in results) / len(results) >= 0.85
    assert share_right(results) >= 0.88
    assert sum(result.confident_and_wrong for result in results) <= 2


@pytest.mark.anyio
async def test_other_domains_are_answered_rightly_and_rarely_with_false_certainty() -> None:
    """Databases, tickets, mail, servers, contracts: tools that no table knows."""
    results = await evaluate(SHIFT)

    assert len(results) >= 150
    assert share_right(results) >= 0.88
    assert sum(result.confident_and_wrong for result in results) <= len(results) / 100


def test_the_shift_set_is_varied() -> None:
    """Every question, both languages, half of it hard, and no item of the other set."""
    rows = [json.loads(line) for line in SHIFT.read_text(encoding="utf-8").splitlines()]
    others = {json.dumps(json.loads(line)["state"]) for line in CASES.read_text(encoding="utf-8").splitlines()}

    assert {row["decision"] for row in rows} == set(QUESTIONS)
    assert sum(row["lang"] == "zh" for row in rows) >= len(rows) / 4
    assert sum(row["hard"] for row in rows) >= len(rows) / 2
    assert not [row["id"] for row in rows if json.dumps(row["state"]) in others]


def test_no_text_of_the_cases_stands_in_the_rules() -> None:
    """Rules that quote what they are measured on measure nothing."""
    rules = [*(SRC / "judge" / "rules").glob("*.py"), *(SRC / "tools" / "task").glob("*.py")]
    source = "\n".join(file.read_text(encoding="utf-8") for file in rules).lower()
    copied = []
    for case in (*read_cases(CASES), *read_cases(SHIFT)):
        state = case.state if isinstance(case.state, dict) else {"task": case.state}
        given_texts = [text for text in state.values() if isinstance(text, str) and len(text) >= 16]
        copied += [text for text in given_texts if text.lower() in source]

    assert copied == []


@settings(max_examples=150, deadline=None)
@given(state=states)
def test_whatever_the_frame_holds_the_answers_are_well_formed(state: Any) -> None:
    """Untrusted text ends up in these fields, so nothing in them may raise or bend an answer."""
    reply = _answer(state, QUESTIONS)

    assert set(reply) == set(QUESTIONS)
    for reading in reply.values():
        assert reading.judge == "rules"
        assert reading.degraded
        if reading.answer is None:
            assert (reading.kind, reading.reason) == ("unscored", "abstained")
            continue
        assert (reading.kind, reading.reason) == ("answered", "ok")
        assert reading.answer.basis == "rule"
        assert fault(reading.answer) is None
        assert round(top(reading.answer) or 0, 9) in {0.95, 0.7}


@settings(max_examples=60, deadline=None)
@given(state=st.dictionaries(st.sampled_from(FIELDS.split()[:-1]), values, max_size=8))
def test_tool_fields_read_the_same_under_their_key(state: Any) -> None:
    """A frame gathers what tools returned under one key; a rule finds it there."""
    nested = {"untrusted_tool_output": state}

    assert {name: r.answer for name, r in _answer(state, QUESTIONS).items()} == {
        name: r.answer for name, r in _answer(nested, QUESTIONS).items()
    }


@pytest.mark.parametrize(
    ("state", "name", "question", "expected"),
    [
        pytest.param(
            {"task": "Read b.ts"},
            "pick_input",
            QUESTIONS["pick_input"],
            {"a.ts": 0.025, "b.ts": 0.95, "c.md": 0.025},
            id="the-rest-is-spread-evenly",
        ),
        pytest.param(
            {"tool": "write_file", "target": "x.md", "task": "t"},
            "grade_risk.risk",
            QUESTIONS["grade_risk.risk"],
            (0.0, 0.95, 0.05, 0.0),
            id="a-score-gives-it-to-the-next-higher-level",
        ),
        pytest.param(
            {"tool": "delete_file", "target": "x.md", "task": "t"},
            "grade_risk.risk",
            QUESTIONS["grade_risk.risk"],
            (0.0, 0.0, 0.05, 0.95),
            id="the-top-level-gives-it-to-the-one-below",
        ),
        pytest.param(
            {"task": "Read b.ts"},
            "pick_input",
            Choice(instructions="?", criteria={"b.ts": None}),
            {"b.ts": 1.0},
            id="a-single-option-has-no-rest",
        ),
    ],
)
def test_the_rest_of_the_probability_goes_where_the_specification_says(
    state: Json, name: str, question: Question, expected: Any
) -> None:
    answer = _answer(state, {name: question})[name].answer

    assert isinstance(answer, ChoiceAnswer | ScoreAnswer)
    assert answer.probabilities == pytest.approx(expected)


@pytest.mark.parametrize(
    "name",
    [
        pytest.param("gen.noul", id="another-decision"),
        pytest.param("can_deliver", id="a-decision-without-its-question"),
        pytest.param("step_ok.ok", id="a-question-asked-under-its-decision-alone"),
    ],
)
def test_an_unknown_id_is_abstained_from(name: str) -> None:
    reading = _answer({"task": "Delete a.ts", "output": "ok"}, {name: Noul(instructions="?")})[name]

    assert (reading.kind, reading.reason, reading.answer) == ("unscored", "abstained", None)


def test_a_question_of_another_kind_is_abstained_from() -> None:
    """The ids are the shipped contract's; a host may ask something else under the same name."""
    asked: dict[str, Question] = {
        "needs_tool": Choice(instructions="?", criteria={"a": None, "b": None}),
        "pick_tool": Noul(instructions="?"),
        "grade_risk.risk": Noul(instructions="?"),
    }
    state = {"task": "Delete a.ts", "already_done": "nothing yet", "last": "none yet", "tool": "read_file"}

    assert [reading.answer for reading in _answer(state, asked).values()] == [None, None, None]


@pytest.mark.anyio
async def test_no_question_is_refused() -> None:
    with pytest.raises(QuestionError, match="is empty"):
        await RuleJudge().answer({}, {})


@pytest.mark.anyio
async def test_a_state_without_a_json_form_is_still_answered() -> None:
    reply = await RuleJudge(reference_table()).answer({"tool": "read_file", "base_risk": float("nan")}, QUESTIONS)

    assert reply.request_digest == ""
    assert isinstance(reply.readings["grade_risk.needs_auth"].answer, NoulAnswer)


def test_the_bench_prints_every_question_and_the_chance_beside(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(CASES)]) == 0

    printed = capsys.readouterr().out
    assert all(re.search(rf"^ +{re.escape(name)} ", printed, re.MULTILINE) for name in QUESTIONS)
    assert "chance" in printed
    assert "abstained from 35" in printed


@pytest.mark.parametrize(
    ("line", "message"),
    [
        pytest.param("not json", r"bad\.jsonl:2:1: is not JSON", id="no-json"),
        pytest.param("[1]", r"bad\.jsonl:2: is not an object", id="no-object"),
        pytest.param('{"id": "x"}', r"bad\.jsonl:2: `state` is missing", id="no-state"),
        pytest.param('{"id": "x", "state": {}}', r"bad\.jsonl:2: `gold` is missing", id="no-gold"),
        pytest.param('{"state": {}, "gold": true}', r"bad\.jsonl:2: `id` is missing", id="no-id"),
        pytest.param(
            '{"id": "x", "group": "loop", "decision": "d", "state": {}, "gold": true, "question": {"type": "noul"}}',
            r"bad\.jsonl:2: question: instructions",
            id="no-instructions",
        ),
        pytest.param(
            '{"id": "x", "group": "loop", "decision": "d", "state": {}, "gold": true, "question": {"type": "poll"}}',
            r"bad\.jsonl:2: `question` is no noul, choice or score",
            id="no-such-kind",
        ),
    ],
)
def test_the_bench_names_the_line_that_is_no_case(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], line: str, message: str
) -> None:
    file = tmp_path / "bad.jsonl"
    file.write_text(f"\n{line}\n", encoding="utf-8")

    assert main([str(file)]) == 2
    assert re.search(message, capsys.readouterr().err)


def test_the_bench_says_so_when_the_file_is_missing_or_no_text(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    binary = tmp_path / "b.jsonl"
    binary.write_bytes(b"\xff\xfe\x00")

    assert main([str(binary)]) == 2
    assert main([str(tmp_path / "none.jsonl")]) == 2
    assert re.search(r"is not UTF-8 at byte 0\n.*none\.jsonl", capsys.readouterr().err, re.DOTALL)


def test_a_result_is_sure_and_wrong_only_above_the_line() -> None:
    case = Case(id="x", group="loop", decision="d", state={}, question=Noul(instructions="?"), gold=True, lang="en")

    assert Result(case=case, picked=False, probability=CONFIDENT).confident_and_wrong
    assert not Result(case=case, picked=False, probability=0.7).confident_and_wrong
    assert not Result(case=case, picked=None, probability=None).confident_and_wrong


def _answer(state: Any, questions: Mapping[str, Question]) -> Mapping[str, Any]:
    """Answer without an event loop: the rule judge never waits."""
    waiting = RuleJudge(reference_table()).answer(state, questions)
    try:
        waiting.send(None)
    except StopIteration as done:
        readings: Mapping[str, Any] = done.value.readings
        return readings
    raise AssertionError("the rule judge waited")
