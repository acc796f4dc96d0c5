"""Takes exported runs into a store: checked first, then whole or not at all.

Knows nothing of files or settings.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from interlock._canonical import sha256_hex
from interlock.errors import JournalError
from interlock.journal.base import Store
from interlock.journal.chain import LEDGER, Head, link
from interlock.journal.decision_record import read_record_line
from interlock.journal.jsonl_read import ExportedRun
from interlock.journal.records import Record
from interlock.journal.verify_chain import chain_problem

__all__ = ["Restored", "restore_records", "restore_run"]

_NAMED_BY = 16
"""How many characters of its digest name a run that is made of single records."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Restored:
    """One run that was taken in, or that was there."""

    run_id: str
    head: Head
    state: Literal["imported", "there", "own"]
    """`there`: the journal held it already, row for row; `own`: it has such a run of its own, and keeps that."""


def restore_run(store: Store, run: ExportedRun, *, unfinished: bool = False) -> Restored:
    """Take in one run with its own numbers, times and hashes.

    The runs that were deleted from one journal were not deleted from another: each keeps its own record of them.

    `unfinished`: take in also a run that could go on here, with its own contract and thresholds, and what was decided.

    Raises:
        JournalError: its chain does not hold, it could go on here, it brings a call that would be made here though
            nobody here answered for it, or the journal holds another run of that name.
    """
    problem, head = chain_problem(run, run.run_id), run.head(run.run_id)
    if problem is not None or head is None:
        raise JournalError(f"{run.place}: run `{run.run_id}`: {problem}; it was not imported")
    there = store.head(run.run_id)
    if there is None:
        records = run.records()
        _require_harmless(records, f"{run.place}: run `{run.run_id}`", unfinished=unfinished)
        store.restore(records)
        return Restored(run_id=run.run_id, head=head, state="imported")
    if there != head and run.run_id == LEDGER:
        return Restored(run_id=run.run_id, head=there, state="own")
    if there != head:
        raise JournalError(
            f"{run.place}: run `{run.run_id}`: the journal holds it with another head, row {there.seq}; "
            "it was not imported"
        )
    return Restored(run_id=run.run_id, head=head, state="there")


def _require_harmless(records: Sequence[Record], place: str, *, unfinished: bool) -> None:
    """Refuse a run that could act here: whoever writes lines can write decisions and a yes into them."""
    has_yes = has_call = False
    for record in records:
        match record.type:
            case "run_ended":
                return
            case "approval_answered":
                has_yes = has_yes or record.body.get("approved") is True
            case "tool_about_to_run":
                has_call = True
            case "tool_result":
                has_yes = has_call = False
            case _:
                pass
    if has_yes:
        raise JournalError(
            f"{place}: brings a yes that was given elsewhere, to a call that is still to be made; resume it there, or "
            "export it before it is answered; it was not imported"
        )
    if has_call:
        raise JournalError(
            f"{place}: was cut off in the middle of a call, which would be made again here; resume it where it ran; "
            "it was not imported"
        )
    if not unfinished and records[0].type == "run_started" and "kind" not in records[0].body:
        raise JournalError(
            f"{place}: has not ended, and could go on here as whoever wrote it wants; if you trust them, say "
            "`--unfinished`; it was not imported"
        )


def restore_records(store: Store, lines: Iterable[tuple[int, str]], *, name: str, ts: str) -> Restored:
    """Take in decision records as one new run, named by what it holds; its chain begins here.

    Raises:
        JournalError: a line is no decision record; it is named.
    """
    records: list[Record] = []
    texts = [(number, line.strip()) for number, line in lines]
    run_id = f"records-{sha256_hex(chr(10).join(line for _, line in texts))[:_NAMED_BY]}"
    head: Head | None = None
    for number, line in texts:
        try:
            body = read_record_line(line)
        except JournalError as cause:
            raise JournalError(f"{name}: line {number}: {cause}") from cause
        records.append(link(head, run_id=run_id, ts=ts, kind="decision_record", body=body, text=line))
        head = Head(seq=records[-1].seq, hash=records[-1].hash)
    assert head is not None, "there is a line"  # noqa: S101
    there = store.head(run_id)
    if there is None:
        store.restore(records)
    return Restored(run_id=run_id, head=there or head, state="imported" if there is None else "there")
