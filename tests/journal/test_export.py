"""A run leaves its journal in two forms, and both can be checked without this package."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable

import pytest

from interlock.errors import JournalError
from interlock.journal import MemoryJournal
from interlock.journal.export import jsonl
from interlock.journal.preimages import preimages
from interlock.journal.records import Record
from interlock.journal.trace import markdown
from interlock.pipeline.result import DecisionResult

WriteRun = Callable[..., str]


@pytest.fixture
def records(write_run: WriteRun) -> list[Record]:
    journal = MemoryJournal()
    write_run(journal)
    return list(journal.records("run-1"))


def test_each_line_holds_one_row_and_its_hash_can_be_taken_again(records: list[Record]) -> None:
    lines = list(jsonl(records))
    previous = "0" * 64
    assert len(lines) == len(records)
    for line in lines:
        row = json.loads(line)
        body = json.dumps(row["body"], ensure_ascii=False, separators=(",", ":"))
        joined = "\n".join([row["prev_hash"], row["run_id"], str(row["seq"]), row["ts"], row["type"], body])
        assert hashlib.sha256(joined.encode()).hexdigest() == row["hash"]
        assert row["prev_hash"] == previous
        previous = row["hash"]


def test_digests_are_those_of_the_texts_given_for_them(decisions: dict[str, DecisionResult]) -> None:
    found = [preimage for result in decisions.values() for preimage in preimages(result)]
    assert {preimage.name for preimage in found} == {"frame", "frame and questions", "request"}
    for preimage in found:
        assert hashlib.sha256(preimage.text.encode()).hexdigest().startswith(preimage.digest)


def test_the_trace_has_a_section_per_record_from_which_digests_can_be_taken_again(records: list[Record]) -> None:
    text = "\n\n".join(markdown(records))
    sections = re.findall(r"^## (\d+) · (.*)$", text, flags=re.MULTILINE)
    assert [int(seq) for seq, _ in sections] == [record.seq for record in records]
    assert sections[1][1] == "ready → use\\_tool"
    blocks = re.findall(r"^Digest of the [a-z ]+: `([0-9a-f]+)`\n\n(`{3,})json\n(.*)\n\2$", text, flags=re.MULTILINE)
    assert len(blocks) == sum(len(preimages(result)) for result in _decided(records))
    for digest, _, block in blocks:
        assert hashlib.sha256(block.encode()).hexdigest().startswith(digest)
    assert f"Head: row {records[-1].seq}, `{records[-1].hash}`" in text


def _decided(records: list[Record]) -> list[DecisionResult]:
    from interlock.journal.decision_read import read_decision

    return [read_decision(record.body).result for record in records if record.type == "decision"]


def test_text_in_the_trace_cannot_leave_its_place(records: list[Record]) -> None:
    """A task holds `|` and backticks, an answer a fence: tables keep their columns, blocks their ends."""
    text = "\n".join(markdown(records))
    assert "````json" in text
    for row in re.findall(r"^\|.*$", text, flags=re.MULTILINE):
        assert row.replace("\\|", "").count("|") in (5, 6)


def test_a_run_without_records_has_no_trace() -> None:
    assert list(markdown([])) == []
    assert list(jsonl([])) == []


def test_a_decision_that_cannot_be_read_is_an_error_that_names_the_field(records: list[Record]) -> None:
    journal = MemoryJournal()
    journal.append("r", "decision", {"decision": "d"}, ts="2026")
    with pytest.raises(JournalError, match="decision record: `policy` is missing"):
        list(markdown(journal.records("r")))
