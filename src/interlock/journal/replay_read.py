"""What a recorded decision is decided again from: as much of a record as a policy reads, and no more.

Pure; knows nothing of stores or of the contract that will decide.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import get_args

from interlock.errors import JournalError
from interlock.journal.answer_read import UNASKED, read_reading
from interlock.journal.decision_read import read_call, read_floor
from interlock.journal.fields import (
    flag,
    objects,
    one_of,
    optional_section,
    optional_text,
    optional_whole,
    section,
    text,
    texts,
    whole,
)
from interlock.journal.records import Body, Record
from interlock.judge.base import Reading
from interlock.policy.degraded import CallFacts
from interlock.policy.rules import Floor, Mode
from interlock.questions import Json

__all__ = ["Recorded", "read_recorded"]

_MODES: tuple[Mode, ...] = get_args(Mode)


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorded:
    """One recorded decision, as far as it bears on deciding it again."""

    run_id: str
    seq: int
    decision: str
    step: int
    mode: Mode
    action: str | None
    """What its policy came to, whatever the mode did with it; None when nothing was judged."""
    by_rule: bool
    """True when a rule of its policy matched."""
    framed: bool
    """True when it had a frame: a judge answers it, not the host's code."""
    readings: Mapping[str, Reading]
    floors: tuple[Floor, ...]
    call: CallFacts | None
    gaps: tuple[str, ...]
    gap_refused: bool
    discarded: bool
    contract_digest: str
    request: str | None
    """Names the request to the judge within its run; None when it was not asked."""
    tokens: int | None
    """What that request took, as far as the judge told."""
    body: Body
    """The whole record: frame and questions are read from it where the contract alone does not settle them."""

    @property
    def was_open(self) -> bool:
        """True when a judge was asked, or would have been but for a gap."""
        return self.gap_refused or any(reading.reason not in UNASKED for reading in self.readings.values())


def read_recorded(record: Record) -> Recorded:
    """Return the decision that a `decision` record tells.

    Raises:
        JournalError: a field is missing or of another type; row and field are named.
    """
    try:
        return _recorded(record)
    except JournalError as cause:
        raise JournalError(f"run `{record.run_id}` row {record.seq}: {cause}; run `interlock verify`") from cause


def _recorded(record: Record) -> Recorded:
    body = record.body
    outcome, call, reply = (optional_section(body, key) for key in ("outcome", "call", "reply"))
    became, plan = section(body, "readings"), section(body, "plan")
    return Recorded(
        run_id=record.run_id,
        seq=record.seq,
        decision=text(body, "decision"),
        step=whole(body, "step"),
        mode=one_of(body, "mode", _MODES),
        action=None if outcome is None else text(outcome, "action"),
        by_rule=outcome is not None and optional_whole(outcome, "rule") is not None,
        framed=optional_section(body, "frame") is not None,
        readings={name: read_reading(section(became, name)) for name in became},
        floors=tuple(read_floor(item) for item in objects(body, "floors")),
        call=None if call is None else read_call(call),
        gaps=texts(body, "gaps"),
        gap_refused=flag(body, "gap_refused"),
        discarded=flag(plan, "discarded"),
        contract_digest=text(body, "contract_digest"),
        request=None if reply is None else _request(record, plan),
        tokens=None if reply is None else _tokens(reply),
        body=body,
    )


def _request(record: Record, plan: Mapping[str, Json]) -> str:
    """Return what tells one request from another; decisions that were asked together share it."""
    if not texts(plan, "fused_with"):
        return str(record.seq)
    digest = optional_text(section(record.body, "digests"), "request")
    return f"{whole(record.body, 'step')}/{whole(plan, 'wave')}/{digest}"


def _tokens(reply: Mapping[str, Json]) -> int | None:
    usage = optional_section(reply, "usage")
    if usage is None:
        return None
    counts = [optional_whole(usage, key) for key in ("input_tokens", "output_tokens")]
    known = [count for count in counts if count is not None]
    return sum(known) if known else None
