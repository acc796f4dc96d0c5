"""A chain that was written anew may hold anything: verification ends in findings, never in an error."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from interlock.contract.compiled import Contract
from interlock.errors import InterlockError
from interlock.journal import MemoryJournal, Record, approvals_of, every_approval
from interlock.journal.basis import Bases
from interlock.journal.decision_body import decision_body
from interlock.journal.decision_record import decision_lines
from interlock.journal.export import jsonl
from interlock.journal.metrics import prometheus
from interlock.journal.records import MAX_DEPTH, read_rows
from interlock.journal.redact import redact
from interlock.journal.replay import REPLAYED, redecide
from interlock.journal.summary import summarize
from interlock.journal.trace import markdown
from interlock.journal.verify import verify_run
from interlock.loop.capabilities import REFERENCE
from interlock.loop.resume_read import started
from interlock.pipeline.result import DecisionResult
from interlock.questions import Json

ANYTHING: st.SearchStrategy[Json] = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(10**400), 10**400) | st.integers(-2, 2),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(max_size=4),
    st.just([]),
    st.just({}),
    st.lists(st.integers() | st.text(max_size=2), max_size=2),
    st.dictionaries(st.text(max_size=2), st.floats(0, 1), max_size=2),
)

Place = tuple[str | int, ...]


def _places(value: Json, at: Place = ()) -> Iterator[Place]:
    if at:
        yield at
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _places(item, (*at, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _places(item, (*at, index))


def _set(body: dict[str, Json], place: Place, value: Json) -> dict[str, Json]:
    """Return a body that holds `value` at one place."""
    changed = copy.deepcopy(body)
    *above, last = place
    holder: Any = changed
    for step in above:
        holder = holder[step]
    holder[last] = value
    return changed


@pytest.mark.parametrize("name", ["answered", "picked", "floor and audit", "gap refused", "judge raised", "off"])
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_any_value_anywhere_in_a_decision_is_judged(
    decisions: dict[str, DecisionResult], contract: Contract, name: str, data: st.DataObject
) -> None:
    result = decisions[name]
    body = decision_body(result, policy=contract.decisions[result.decision].policy)
    changed = _set(body, data.draw(st.sampled_from(list(_places(body)))), data.draw(ANYTHING))
    journal = MemoryJournal()
    journal.append("r", "decision", changed, ts="2026")
    with journal.snapshot() as view:
        check = verify_run(view, "r")
    assert check.records == 1
    assert all(finding.seq == 1 for finding in check.findings)


DEEP: Json = json.loads("[" * (MAX_DEPTH - 4) + "]" * (MAX_DEPTH - 4))
"""As deep as a record may be, wherever it stands among the outer ones."""
GARBAGE: list[Json] = [None, True, -1, 10**400, 1e308, "", "x" * 70, "\ud800", [], {}, [{}], {"a": [1]}, DEEP]


def _readers(journal: MemoryJournal) -> Iterator[Callable[[], object]]:
    """Yield everything that reads a run as it is stored."""
    with journal.snapshot() as view:
        yield lambda: approvals_of(view, "r")
        yield lambda: list(every_approval(view))
        yield lambda: summarize(view, "r")
        yield lambda: "\n".join(prometheus(view))
        yield lambda: list(markdown(read_rows(view.rows("r"))))
        yield lambda: list(decision_lines(read_rows(view.rows("r"))))
        yield lambda: list(jsonl(read_rows(view.rows("r"))))
        yield lambda: redact(list(read_rows(view.rows("r"))), cell="cwd", by="x")
        yield lambda: list(redecide(read_rows(view.rows("r", REPLAYED)), Bases(REFERENCE, contract=None, gates={})))
        yield lambda: started(view, "r")


def _read_all(records: Sequence[Record], spoilt: int, body: dict[str, Json]) -> None:
    """Read a run in which one record says something else; what cannot be read is one of our own errors."""
    journal = MemoryJournal()
    for index, record in enumerate(records):
        journal.append("r", record.type, body if index == spoilt else record.body, ts=record.ts)
    with journal.snapshot() as view:
        assert verify_run(view, "r").records == len(records)
    for read in _readers(journal):
        with suppress(InterlockError):
            read()


def test_any_value_anywhere_in_any_other_record_is_judged(write_run: Callable[..., str]) -> None:
    source = MemoryJournal()
    write_run(source, "r")
    records = [record for record in source.records("r") if record.type != "decision"]
    for number, spoilt in enumerate(records):
        for place in _places(dict(spoilt.body)):
            for value in GARBAGE:
                _read_all(records, number, _set(dict(spoilt.body), place, value))


def test_a_decision_that_is_nested_too_deep_is_judged(write_run: Callable[..., str]) -> None:
    source = MemoryJournal()
    write_run(source, "r", record_state=True)
    first, *rest = source.records("r")
    for decision in [record for record in rest if record.type == "decision"]:
        for place in list(_places(dict(decision.body)))[::7]:
            if len(place) < 4:
                _read_all([first, decision], 1, _set(dict(decision.body), place, DEEP))
