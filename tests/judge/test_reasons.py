"""The reference page names every reason that a reading may have."""

from __future__ import annotations

from pathlib import Path

from interlock.judge.readings import same_reading

PAGE = (Path(__file__).parents[2] / "docs/reference/judges.md").read_text(encoding="utf-8")
RULES = [
    "answer-type",
    "noul-range",
    "option-keys",
    "level-keys",
    "probability-range",
    "sum",
    "not-an-option",
    "not-argmax",
]
RULES += ["score-range", "score-mean", "legend", "no-mass", "no-probabilities", "refusal", "ok"]
WHOLE = [
    "auth",
    "bad-request",
    "not-found",
    "not-supported",
    "too-large",
    "busy",
    "server",
    "redirect",
    "connect",
    "timeout",
    "deadline",
]
WHOLE += [
    "not-json",
    "envelope",
    "answer-ids",
    "model-split",
    "oversize",
    "abstained",
    "over-caps",
    "no-options",
    "no-recording",
]


def test_the_page_lists_every_reason() -> None:
    assert [reason for reason in RULES + WHOLE if f"`{reason}`" not in PAGE] == []


def test_the_page_puts_every_reason_of_a_failed_call_under_its_kind() -> None:
    section = PAGE.partition("## Readings")[2].partition("## What")[0]
    checks = PAGE.partition("## What an answer must keep")[2].partition("## Wrapping")[0]
    for reason in WHOLE:
        kind = same_reading(["q"], reason, "j")["q"].kind
        rows = [line for line in section.splitlines() if line.startswith(f"| `{kind}` |")]
        assert any(f"`{reason}`" in row for row in rows) or (kind == "invalid_response" and f"`{reason}`" in checks)
