"""A difference in meaning is found and named; a difference in spelling is none."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from interlock.contract import Capabilities, compile_contract
from interlock.contract.change import Change
from interlock.contract.diff import diff_contracts
from interlock.contract.format import format_contract
from interlock.questions import Score

Edit = tuple[str, str]

EDITS: dict[str, Edit] = {
    "threshold": ("prob:done >= 0.6", "prob:done >= 0.7"),
    "rule-lost": ("  - score:risk >= 1 → auto_audit\n", ""),
    "gate-lost": ("  - prob:allowed < 0.5 → ask_human\n", ""),
    "gate-added": ("  - score:risk >= 1 → auto_audit\n", "  - score:risk >= 1 → ask_human\n"),
    "rules-swapped": (
        "  - score:risk >= 2 → ask_human\n  - prob:allowed < 0.5 → ask_human\n",
        "  - prob:allowed < 0.4 → ask_human\n  - score:risk >= 2 → ask_human\n",
    ),
    "instructions": ("How much work is this task?", "How long will this task take?"),
    "criterion": ("- park — it has to wait", "- park — it can wait"),
    "option-added": ("- reject — it is none of ours", "- reject — it is none of ours\n- split — it is two tasks"),
    "level-added": ("- minutes\n- hours\n- days", "- minutes\n- days\n- weeks\n- months"),
    "field-lost": (("  + output 300 outputMaybe —— what happened last\n  - files —— a listing is no evidence\n"
                   "  - canWrite —— settled by code\n  - draft —— written later\n\npolicy:\n  - picked"),
                   ("  - output —— not here\n  - files —— a listing is no evidence\n"
                   "  - canWrite —— settled by code\n  - draft —— written later\n\npolicy:\n  - picked")),
    "candidates": ("fileOptions(ctx: files, canWrite)", "fileOptions(ctx: canWrite, files)"),
    "generator": ("Write the answer from the evidence.", "Write an answer."),
    "decision-lost": (
        "## within_budget\n\nkind: rule\nwhen: step-start —— before every step\n\npolicy:\n  - else → use_tool\n", ""
    ),
}  # fmt: skip
"""Edits that change what a contract means, as far as they compile."""

SPELLINGS: dict[str, Edit] = {
    "title": ("# Every kind", "# All kinds"),
    "reason": ("—— a listing is no evidence", "—— it proves nothing"),
    "purpose": ("—— for every new task", "—— once per task"),
    "arrow": ("→ auto_audit", "-> auto_audit"),
    "number": ("score:effort >= 1.5", "score:effort >= 1.50"),
    "prose": ("## route\n", "## route\n\nSome prose that nobody asked for\n"),
}


def _edited(text: str, edits: list[Edit]) -> str:
    for old, new in edits:
        text = text.replace(old, new)
    return text


def _diff(text: str, host: Capabilities, *edits: Edit) -> list[Change]:
    old, new = compile_contract(text, host), compile_contract(_edited(text, list(edits)), host)
    return list(diff_contracts(old, new))


def _said(change: Change) -> str:
    values = f": {change.old} → {change.new}" if change.old is not None or change.new is not None else ""
    return f"{change.decision}: {change.part} {change.way}: {change.what}{values}"


@pytest.mark.parametrize(
    ("edit", "said"),
    [
        ("threshold", ["done: threshold changed: threshold of `prob:done >= 0.6 → answer`: 0.6 → 0.7"]),
        ("rule-lost", ["grade: rule lost: `score:risk >= 1 → auto_audit`"]),
        ("gate-lost", ["grade: gate lost: `prob:allowed < 0.5 → ask_human`"]),
        (
            "gate-added",
            [
                "grade: rule lost: `score:risk >= 1 → auto_audit`",
                "grade: gate added: `score:risk >= 1 → ask_human`",
            ],
        ),
        (
            "rules-swapped",
            [
                (
                    "grade: rule changed: order of the rules: score:risk >= 2 → ask_human; "
                    "prob:allowed < 0.5 → ask_human; score:risk >= 1 → auto_audit; else → auto → "
                    "prob:allowed < 0.4 → ask_human; "
                    "score:risk >= 2 → ask_human; score:risk >= 1 → auto_audit; else → auto"
                ),
                "grade: threshold changed: threshold of `prob:allowed < 0.5 → ask_human`: 0.5 → 0.4",
            ],
        ),
        (
            "instructions",
            [
                (
                    "effort: question changed: question `effort`: instructions: "
                    "How much work is this task? → How long will this task take?"
                )
            ],
        ),
        (
            "criterion",
            ["route: option changed: question `route`: option `park`: it has to wait → it can wait"],
        ),
        ("option-added", ["route: option added: question `route`: option `split`: None → it is two tasks"]),
        (
            "level-added",
            [
                "effort: option changed: question `effort`: option `1`: hours → days",
                "effort: option changed: question `effort`: option `2`: days → weeks",
                "effort: option added: question `effort`: option `3`: None → months",
            ],
        ),
        (
            "field-lost",
            [
                "route: frame lost: field `output`: outputMaybe(output) → None",
                "route: exclusion added: exclusion of `output`",
            ],
        ),
        (
            "candidates",
            [
                (
                    "pick_file: candidates changed: candidates: "
                    "fileOptions(files, canWrite) → candidates → fileOptions(canWrite, files) → candidates"
                )
            ],
        ),
        ("generator", ["None: generator changed: generator"]),
        ("decision-lost", ["within_budget: decision lost: decision: rule at step-start → None"]),
    ],
)
def test_each_change_of_meaning_is_named(every_kind: str, host: Capabilities, edit: str, said: list[str]) -> None:
    assert [_said(change) for change in _diff(every_kind, host, EDITS[edit])] == said


def test_a_bound_says_how_much_is_seen(every_kind: str, host: Capabilities) -> None:
    found = _diff(
        every_kind, host, ("## done", "## done\n"), ("  + task 400 —— what was asked for", "  + task 300 —— x")
    )
    assert {(change.part, change.what, change.old, change.new) for change in found} == {
        ("bound", "field `task`: bound", "400", "300")
    }


def test_a_lost_decision_takes_its_gates_with_it(every_kind: str, host: Capabilities) -> None:
    start, end = every_kind.index("## grade"), every_kind.index("## route")
    found = _diff(every_kind, host, (every_kind[start:end], ""))
    assert [(change.part, change.way, change.what) for change in found] == [
        ("decision", "lost", "decision"),
        ("gate", "lost", "`score:risk >= 2 → ask_human`"),
        ("gate", "lost", "`prob:allowed < 0.5 → ask_human`"),
    ]


@pytest.mark.parametrize("name", SPELLINGS)
def test_spelling_is_no_change(every_kind: str, host: Capabilities, name: str) -> None:
    assert _diff(every_kind, host, SPELLINGS[name]) == []


def test_the_formatter_changes_nothing(every_kind: str, host: Capabilities) -> None:
    formatted = format_contract(every_kind)
    assert diff_contracts(compile_contract(every_kind, host), compile_contract(formatted, host)) == ()


@given(st.lists(st.sampled_from([*EDITS.values(), *SPELLINGS.values()]), max_size=6, unique=True), st.booleans())
@settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_there_is_a_difference_exactly_where_the_digests_differ(
    every_kind: str, host: Capabilities, edits: list[Edit], backwards: bool
) -> None:
    """The digest covers the whole meaning, so nothing of it may be left out of the list, and nothing else be in it."""
    first, second = compile_contract(every_kind, host), compile_contract(_edited(every_kind, edits), host)
    old, new = (second, first) if backwards else (first, second)
    assert bool(diff_contracts(old, new)) == (old.digest != new.digest)


def _between(text: str, start: str, end: str) -> str:
    return text[text.index(start) : text.index(end)]


def test_a_decision_that_moves_is_a_change_of_order_and_a_position_is_one_of_its_own(
    every_kind: str, host: Capabilities
) -> None:
    effort = _between(every_kind, "## effort", "## generator")
    moved = every_kind.replace(effort, "").replace("## done", f"{effort}## done")
    old, new = compile_contract(every_kind, host), compile_contract(moved, host)
    assert [_said(change) for change in diff_contracts(old, new)] == ["None: order changed: order of the decisions"]
    found = _diff(
        every_kind, host, ("when: step-start —— before every step\n\nask", "when: after-tool —— x\n\nask"),
        ("0.6 → answer", "0.6 → stop"), ("- else → use_tool\n\n## within", "- else → continue\n\n## within"),
    )  # fmt: skip
    assert _said(found[0]) == "done: position changed: position: step-start → after-tool"


def test_a_decision_that_a_judge_answers_now_has_everything_added(every_kind: str, host: Capabilities) -> None:
    judged = _between(every_kind, "## done", "## within_budget").replace("## done", "## within_budget")
    code = _between(every_kind, "## within_budget", "## grade")
    found = _diff(every_kind, host, (code, judged.replace("prob:done", "prob:within_budget")))
    assert [_said(change) for change in found] == [
        "within_budget: kind changed: kind: rule → noul",
        "within_budget: question added: question `within_budget`: None → Everything that was asked for has been done",
        "within_budget: frame added: frame",
        "within_budget: rule added: `prob:within_budget >= 0.6 → answer`",
    ]


def test_questions_that_come_go_move_or_change_their_type_are_named(every_kind: str, host: Capabilities) -> None:
    risk = _between(every_kind, "### risk", "### allowed")
    allowed = every_kind[every_kind.index("### allowed") : every_kind.index("frame:", every_kind.index("### allowed"))]
    swapped = _diff(every_kind, host, (risk + allowed, allowed + risk))
    assert [_said(change) for change in swapped] == ["grade: question changed: order of the questions"]
    renamed = _diff(every_kind, host, ("### allowed", "### granted"), ("prob:allowed", "prob:granted"))
    assert [change.part for change in renamed] == ["question", "question", "gate", "gate"]
    assert [change.way for change in renamed] == ["added", "lost", "lost", "added"]
    retyped = _diff(
        every_kind, host, ("- true — the task names it\n- false — the task does not mention it", "- no\n- yes"),
        ("prob:allowed < 0.5 ", "score:allowed < 0.5 "),
    )  # fmt: skip
    assert _said(retyped[0]) == "grade: question changed: question `allowed`: type: noul → score"
    reworded = _diff(every_kind, host, ("- true — nothing is left to do", "- true — all is done"))
    assert [_said(change) for change in reworded] == [
        "done: option changed: question `done`: option `true`: nothing is left to do → all is done"
    ]


def test_options_and_fields_that_move_are_named(every_kind: str, host: Capabilities) -> None:
    park, reject = "- park — it has to wait\n", "- reject — it is none of ours\n"
    found = _diff(every_kind, host, (park + reject, reject + park))
    assert [_said(change) for change in found] == ["route: option changed: question `route`: order of the options"]
    lost = _diff(every_kind, host, (reject, ""))
    assert [_said(change) for change in lost] == [
        "route: option lost: question `route`: option `reject`: it is none of ours → None"
    ]
    task, output = "  + task 400 —— what was asked for\n", "  + output 300 outputMaybe —— what happened last\n"
    moved = _diff(every_kind, host, (task + output, output + task))
    assert {_said(change).partition(": ")[2] for change in moved} == {"frame changed: order of the fields"}
    read = _diff(every_kind, host, ("+ output 300 outputMaybe", "+ output 300"))
    assert {_said(change).partition(": ")[2] for change in read} == {
        "frame changed: field `output`: outputMaybe(output) → output"
    }
    files, can = "  - files —— a listing is no evidence\n", "  - canWrite —— settled by code\n"
    excluded = _diff(every_kind, host, (files + can, can + files))
    assert {_said(change).partition(": ")[2] for change in excluded} == {"exclusion changed: order of the exclusions"}
    seen = _diff(every_kind, host, (files, "  + files 9 —— x\n"))
    assert {(change.part, change.way) for change in seen} == {("frame", "added"), ("exclusion", "lost")}


def test_a_section_for_the_writer_may_come_and_go(every_kind: str, host: Capabilities) -> None:
    without = every_kind[: every_kind.index("## generator")]
    old, new = compile_contract(every_kind, host), compile_contract(without, host)
    assert [_said(change) for change in diff_contracts(old, new)] == ["None: generator lost: generator"]
    assert [_said(change) for change in diff_contracts(new, old)] == ["None: generator added: generator"]


def test_what_no_edit_of_one_file_reaches_is_named_too(every_kind: str, host: Capabilities) -> None:
    """Contracts of two releases may differ in their schema, and those of two hosts in what a missing answer does."""
    old = compile_contract(every_kind, host)
    done, route = old.decisions["done"], old.decisions["route"]
    policy = replace(done.policy, on_missing="ask_human")
    retyped = {"route": Score(instructions="What should happen?", criteria=["little", "much"])}
    decisions = {**old.decisions, "done": replace(done, policy=policy), "route": replace(route, questions=retyped)}
    assert [_said(change) for change in diff_contracts(old, replace(old, schema="x", decisions=decisions))] == [
        "None: schema changed: schema: decision-contract/v1 → x",
        "done: rule changed: action without an answer: escalate → ask_human",
        "route: question changed: question `route`: type: choice → score",
    ]
