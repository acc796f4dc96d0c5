"""What stands before the first decision and is none of the format's own lines changes nothing."""

from __future__ import annotations

import pytest

from interlock.contract import check_contract
from interlock.loop.capabilities import REFERENCE
from interlock.loop.reference import shipped_text


@pytest.mark.parametrize(
    "line",
    [
        pytest.param("# Another title", id="a-second-title"),
        pytest.param("#no-title", id="a-mark-without-a-blank"),
        pytest.param("note: for people", id="a-key-that-is-none"),
    ],
)
def test_a_line_of_prose_before_the_first_decision_changes_nothing(line: str) -> None:
    first, _, rest = shipped_text().partition("\n## ")
    before, after = (check_contract(text, REFERENCE) for text in (shipped_text(), f"{first}\n{line}\n\n## {rest}"))
    assert after.verdict == "ok"
    assert before.contract is not None
    assert after.contract is not None
    assert after.contract.digest == before.contract.digest
    assert after.contract.title == before.contract.title
