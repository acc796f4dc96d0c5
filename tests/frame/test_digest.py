"""Digests for interchange: they keep declaration order and ignore only the spacing of JSON."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from interlock.frame import FrameEntry, frame_digest, interchange_digest
from interlock.questions import Choice, Json, Noul, NoulCriteria, Question, Score

VALUES = st.one_of(st.text(max_size=6), st.integers(), st.booleans(), st.lists(st.text(max_size=3), max_size=3))
PAIRS = st.lists(st.tuples(st.text(max_size=4), VALUES), max_size=5, unique_by=lambda pair: pair[0])


def entries(pairs: Sequence[tuple[str, Json]]) -> list[FrameEntry]:
    return [
        FrameEntry(key=key, value=value, cell=key, provenance="host", status="present", defaulted=False, truncated=None)
        for key, value in pairs
    ]


def test_a_frame_digest_can_be_recomputed_by_anyone() -> None:
    """16 hex characters of SHA-256 over `[decision, [[key, value], …]]` in compact JSON."""
    text = '["d",[["task","读"],["files",["a","b"]],["n",0]]]'

    digest = frame_digest("d", entries([("task", "读"), ("files", ["a", "b"]), ("n", 0)]))

    assert digest == hashlib.sha256(text.encode()).hexdigest()[:16]


def test_an_interchange_digest_covers_questions_and_options() -> None:
    """Its text is `[frame digest, questions]`, ids and options in order."""
    questions: dict[str, Question] = {
        "ok": Noul(instructions="OK?", criteria=NoulCriteria(true="yes", false="no")),
        "tool": Choice(instructions="Which?", criteria={"b": "B", "a": None}),
        "risk": Score(instructions="How bad?", criteria=["low", "high"]),
    }
    text = (
        '["f",{"ok":{"type":"noul","instructions":"OK?","criteria":{"true":"yes","false":"no"}},'
        '"tool":{"type":"choice","instructions":"Which?","criteria":{"b":"B","a":null}},'
        '"risk":{"type":"score","instructions":"How bad?","criteria":["low","high"]}}]'
    )

    assert interchange_digest("f", questions) == hashlib.sha256(text.encode()).hexdigest()[:16]


def test_the_order_of_options_is_part_of_a_question() -> None:
    """Judges read menus in order."""
    one = interchange_digest("f", {"t": Choice(instructions="?", criteria={"a": None, "b": None})})
    other = interchange_digest("f", {"t": Choice(instructions="?", criteria={"b": None, "a": None})})

    assert one != other


@given(pairs=PAIRS, decision=st.text(max_size=4))
def test_only_the_spacing_of_json_is_ignored(pairs: list[tuple[str, Json]], decision: str) -> None:
    """The same pairs read back from any spelling of JSON have the same digest."""
    spaced = json.loads(json.dumps(pairs, indent=3))

    assert frame_digest(decision, entries(pairs)) == frame_digest(decision, entries(spaced))


@given(pairs=PAIRS, other=PAIRS, decision=st.text(max_size=4))
def test_different_frames_have_different_digests(
    pairs: list[tuple[str, Json]], other: list[tuple[str, Json]], decision: str
) -> None:
    """Order, keys, values and their JSON types all count."""
    same = json.dumps(pairs) == json.dumps(other)

    assert (frame_digest(decision, entries(pairs)) == frame_digest(decision, entries(other))) is same
    assert (frame_digest(decision, entries(pairs)) == frame_digest(decision, entries(pairs[::-1]))) is (len(pairs) < 2)
