"""What an interrupted run had spent, counted again from its records.

Pure over records, except that it fills a ledger.
"""

from __future__ import annotations

from collections.abc import Iterable

from interlock.errors import JournalError
from interlock.journal.answer_read import asked_of, read_usage
from interlock.journal.decision_read import read_decision
from interlock.journal.fields import flag, number, optional_section, section, texts, whole
from interlock.journal.records import Body, Record
from interlock.loop.accounting import Ledger

__all__ = ["carry"]


def carry(ledger: Ledger, records: Iterable[Record]) -> None:
    """Count in `ledger` what the records of a run say that it spent; the time a person took is not in it.

    A request of which the process did not live to see the reply counts as a request, without its questions.

    Raises:
        JournalError: a record cannot be read; it is named.
    """
    for record in records:
        try:
            _count(ledger, record)
        except JournalError as cause:
            raise JournalError(f"run `{record.run_id}` row {record.seq}: {cause}") from cause


def _count(ledger: Ledger, record: Record) -> None:
    body = record.body
    match record.type:
        case "decision":
            _decision(ledger, body)
        case "judge_request":
            ledger.requests = max(ledger.requests, whole(body, "request"))
            ledger.waves = max(ledger.waves, whole(body, "wave"))
        case "judge_reply":
            _reply(ledger, body)
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


def _decision(ledger: Ledger, body: Body) -> None:
    recorded = read_decision(body)
    result, plan = recorded.result, recorded.plan
    if result.reply is not None:
        ledger.questions += len(asked_of(result.readings))
    if plan.discarded:
        ledger.discarded += 1
    else:
        ledger.decided(result)
    if not plan.speculative:  # what was asked ahead was waited for beside something else
        ledger.carry(result.elapsed_s)


def _reply(ledger: Ledger, body: Body) -> None:
    if flag(body, "cancelled"):
        ledger.cancel()
        ledger.discarded += len(texts(body, "decisions"))
        ledger.questions += len(section(body, "questions")) if "questions" in body else 0
        return
    usage = optional_section(section(body, "reply"), "usage")
    ledger.pay(None if usage is None else read_usage(usage))
