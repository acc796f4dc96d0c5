"""What an interrupted run had spent, counted again from its records.

Pure over records, except that it fills a ledger.
"""

from __future__ import annotations

from collections.abc import Iterable

from interlock.journal.answer_read import read_usage
from interlock.journal.decision_read import read_decision
from interlock.journal.fields import flag, number, optional_section
from interlock.journal.records import Record
from interlock.loop.accounting import Ledger

__all__ = ["carry"]


def carry(ledger: Ledger, records: Iterable[Record]) -> None:
    """Count in `ledger` what the records of a run say that it spent; the time a person took is not in it.

    Raises:
        JournalError: a record cannot be read.
    """
    for record in records:
        body = record.body
        match record.type:
            case "decision":
                recorded = read_decision(body)
                if not recorded.plan.discarded:
                    ledger.decided(recorded.result)
                if not recorded.plan.speculative:
                    ledger.carry(recorded.result.elapsed_s)
            case "generation":
                usage = optional_section(body, "usage")
                if body.get("writer") is not None:
                    ledger.wrote(None if usage is None else read_usage(usage), degraded=flag(body, "degraded"))
                ledger.carry(number(body, "elapsed_s"))
            case "tool_result":
                ledger.steps += 1
                ledger.carry(number(body, "elapsed_s"))
            case _:
                pass
