"""Replies as models write them, and the exact check that catches each."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from interlock.actions import STANDARD_SPACE, ActionDecision, Observation, SpaceAction, ToolSpec, call_key
from interlock.engine.forms import Draft, Failed, read_lines, read_object_form
from interlock.engine.modes import check_reply
from interlock.engine.validate import CHECKS, JSON_WORDS, LINE_WORDS, Situation, check_draft
from interlock.models.base import NOT_TEXT, Failure, TextReply

ROWS: list[dict[str, Any]] = [
    json.loads(line) for line in Path(__file__).with_name("replies.jsonl").read_text(encoding="utf-8").splitlines()
]
TOOLS = (
    ToolSpec(
        name="search",
        description="search the web",
        parameters={
            "type": "object",
            "properties": {
                "query": {"type": "string"},
                "limit": {"type": "integer", "minimum": 1},
                "kind": {"type": "string", "enum": ["page", "image"]},
            },
            "required": ["query"],
            "additionalProperties": False,
        },
    ),
    ToolSpec(name="note", description="keep a note", parameters={"type": "object"}),
    ToolSpec(
        name="clock",
        description="tell the time",
        parameters={"type": "object", "properties": {}, "additionalProperties": False},
    ),
)


def situation(row: dict[str, Any]) -> Situation:
    """Return what a row's reply is checked against."""
    added = [SpaceAction(name=name, description="for the host") for name in row.get("host", ())]
    names = row.get("tools", [tool.name for tool in TOOLS])
    observed = [item.split("#") for item in row.get("observed", ())]
    return Situation(
        space=STANDARD_SPACE.added(*added),
        tools=tuple(tool for tool in TOOLS if tool.name in names),
        deliberate=row.get("deliberate", "none"),
        observations=tuple(Observation(name=name, number=int(number), text="x") for name, number in observed),
        last_observation=row.get("last"),
        said=(row.get("goal", ""),),
        failed_calls={call_key(tool, given): "[TOOL_ERROR] it failed" for tool, given in row.get("failed", ())},
        words=LINE_WORDS if row.get("form") == "lines" else JSON_WORDS,
    )


def reply(text: str | None) -> TextReply:
    """Return a reply as a backend hands it over; None is one that is not text."""
    return TextReply(
        text=text or "",
        finish="stop",
        usage=None,
        requested_model="m",
        served_model="m",
        request_id=None,
        failure=Failure(reason=NOT_TEXT) if text is None else None,
    )


@pytest.mark.parametrize("row", [pytest.param(row, id=row["id"]) for row in ROWS])
def test_each_reply_is_caught_by_its_check(row: dict[str, Any]) -> None:
    """The number of the check, or the action when the reply is valid."""
    found = check_reply(reply(row["reply"]), row.get("form", "json"), situation(row))

    if isinstance(found, Failed):
        assert found.check == row["check"], found.reason
        assert found.reason
        assert found.reason == found.reason.strip(". ")
        assert "\n" not in found.reason
    else:
        assert row["check"] is None, f"check {row['check']} let it pass: {found}"
        assert found.action == row["action"]
        assert list(found.tolerance) == row.get("tolerance", list(found.tolerance))


def test_the_table_covers_every_check_in_both_languages() -> None:
    """At least 120 rows; each check has rows, and each has some in Chinese."""
    counts = Counter(row["check"] for row in ROWS)

    assert len(ROWS) >= 120
    assert set(counts) == {None, *CHECKS}
    for check in (None, *CHECKS):
        assert any(row["check"] == check and row["id"].endswith("-zh") for row in ROWS) or any(
            row["check"] == check and "-zh-" in row["id"] for row in ROWS
        ), check
    assert {row.get("form", "json") for row in ROWS} == {"json", "lines"}


@pytest.mark.parametrize("row", [pytest.param(row, id=row["id"]) for row in ROWS if row["check"] is None])
def test_thought_is_kept_and_is_no_part_of_the_action(row: dict[str, Any]) -> None:
    """Both forms give the same kind of value, and `thought` is beside the four keys."""
    text = row["reply"]
    checked = situation(row)
    draft = read_lines(text, checked.tool_names) if row.get("form") == "lines" else read_object_form(text)
    assert isinstance(draft, Draft)
    decision = check_draft(draft, checked)

    assert isinstance(decision, ActionDecision)
    assert set(decision.fields) == {"action", "tool", "tool_input", "final"}
    assert (decision.thought is not None) == (row.get("deliberate", "none") != "none")


SAID = {
    "missing-final": "the object lacks `final`; write exactly `action`, `tool`, `tool_input`, `final`",
    "extra-key": "the object has `confidence` besides; write exactly `action`, `tool`, `tool_input`, `final`",
    "unknown-action": '`action` is `"search"`; write one of `finish`, `tool_call`, `ask_user`, `replan`',
    "unknown-tool": '`tool` is `"browse"`, which is not available now; the tools are `search`, `note`, `clock`',
    "no-tool-at-all": "no tool is available now; take `ask_user` or `replan`",
    "argument-missing": "`tool_input.query` is missing",
    "input-as-text": "`tool_input` must be one JSON object with the arguments of `search`",
    "call-with-a-final": "`final` must be null when `action` is `tool_call`",
    "finish-with-a-tool": "`tool` and `tool_input` must be null when `action` is `finish`",
    "finish-without-final": "`final` must be text; write what `finish` is to say",
    "claim-search": "`final` says `Search results show`, and there is no observation; call a tool first, or answer "
    "without claiming a result",
    "id-with-another-number": "`final` names `search#2`, which is no observation of this conversation; the "
    "observations are `search#1`",
    "failed-call-again": "this call of `search` failed before ([TOOL_ERROR] it failed); change `tool_input`, or take "
    "`ask_user` or `replan`",
    "two-objects": "two objects carry these keys; write exactly one",
    "lines-input-as-text": "`Action Input` must be one JSON object with the arguments of `search`",
}


@pytest.mark.parametrize("name", [pytest.param(name, id=name) for name in SAID])
def test_a_reason_says_what_to_write_instead(name: str) -> None:
    """A model reads the reason, so it names the part and what would be right."""
    row = next(row for row in ROWS if row["id"] == name)
    found = check_reply(reply(row["reply"]), row.get("form", "json"), situation(row))

    assert isinstance(found, Failed)
    assert found.reason == SAID[name]


def test_a_reply_that_was_cut_off_is_told_so() -> None:
    """A limit of the backend is not the model's mistake, and writing less is what helps."""
    cut = TextReply(
        text='{"action": "fin', finish="length", usage=None, requested_model="m", served_model="m", request_id=None
    )
    found = check_reply(cut, "json", Situation())

    assert isinstance(found, Failed)
    assert found.reason.endswith("the reply was cut off at its length limit, write less")
