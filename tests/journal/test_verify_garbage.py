"""A chain that was written anew may hold anything: verification ends in findings, never in an error."""

from __future__ import annotations

import copy
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from interlock.contract.compiled import Contract
from interlock.journal import MemoryJournal
from interlock.journal.decision_body import decision_body
from interlock.journal.verify import verify_run
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


@pytest.mark.parametrize("name", ["answered", "picked", "floor and audit", "gap refused", "judge raised", "off"])
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_any_value_anywhere_in_a_decision_is_judged(
    decisions: dict[str, DecisionResult], contract: Contract, name: str, data: st.DataObject
) -> None:
    result = decisions[name]
    body = decision_body(result, policy=contract.decisions[result.decision].policy)
    changed = copy.deepcopy(body)
    *above, last = data.draw(st.sampled_from(list(_places(body))))
    holder: Json = changed
    for step in above:
        holder = holder[step]  # type: ignore[index] # the path exists
    holder[last] = data.draw(ANYTHING)  # type: ignore[index] # as above
    journal = MemoryJournal()
    journal.append("r", "decision", changed, ts="2026")
    with journal.snapshot() as view:
        check = verify_run(view, "r")
    assert check.records == 1
    assert all(finding.seq == 1 for finding in check.findings)
