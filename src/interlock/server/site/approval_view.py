"""One approval as a person looks into it: the call, why it is asked, what it would change, and how it stands.

Pure; knows nothing of templates or stores.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from interlock._canonical import sha256_hex
from interlock._text import visible
from interlock.journal.approval_desk import is_open
from interlock.journal.approvals import Approval, ApprovalState, moment
from interlock.loop.approval import request_of
from interlock.loop.approval_shown import shown_request
from interlock.server.site.changes import Change, FileNow
from interlock.server.site.decision_view import DecisionView

__all__ = ["ApprovalLine", "ApprovalView", "line_of", "view_of_approval"]

_MAX_JSON = 400_000
_LINE = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class ApprovalLine:
    """One approval in a list."""

    approval: Approval
    state: ApprovalState
    is_open: bool
    what: str
    """The call on one line."""
    left_min: int
    """Minutes until it expires; 0 when it has."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ApprovalView:
    """One approval with all that an answer rests on."""

    line: ApprovalLine
    judgement: DecisionView | None
    """The decision that asks; None when its record is not there or cannot be read."""
    arguments: str
    """All of them as JSON, indented."""
    arguments_more: int
    """Characters that are not shown."""
    change: Change
    saw: str
    """What a person who answers is taken to have seen, as it goes on record."""

    @property
    def seen(self) -> str:
        """The digest of what is shown: an answer to something else is none."""
        return sha256_hex(self.saw)


def line_of(approval: Approval, now: datetime) -> ApprovalLine:
    """Return what a list shows of an approval."""
    call = approval.bound.call
    first = visible(" ".join(call.input[: 4 * _LINE].split()))
    return ApprovalLine(
        approval=approval,
        state=approval.state(now),
        is_open=is_open(approval, now),
        what=first[:_LINE],
        left_min=max(0, int((moment(approval.expires) - now).total_seconds() // 60)),
    )


def view_of_approval(
    approval: Approval, now: datetime, *, change: Change, judgement: DecisionView | None
) -> ApprovalView:
    """Return what is shown of an approval."""
    arguments = json.dumps(dict(approval.bound.call.arguments), ensure_ascii=False, indent=2)
    request = shown_request(request_of(approval)).strip("\n")
    return ApprovalView(
        line=line_of(approval, now),
        judgement=judgement,
        arguments=visible(arguments[:_MAX_JSON]),
        arguments_more=max(0, len(arguments) - _MAX_JSON),
        change=change,
        saw="\n".join([request, *_change_lines(change)]),
    )


def _change_lines(change: Change) -> Iterator[str]:
    """Yield the text of a change."""
    if change.unseen:
        yield f"what it would change is not shown: {change.unseen}"
        return
    if change.refusal:
        yield f"it cannot work as things stand: {visible(change.refusal)}"
    for file in change.files:
        yield _file_line(file)
    yield from (f"{line.sign} {line.text}" for line in change.lines)
    if change.more:
        yield f"[{change.more} more lines]"


def _file_line(file: FileNow) -> str:
    parts: list[str] = ["nothing is there" if file.kind is None else file.kind]
    if file.size is not None:
        parts.append(f"{file.size} bytes")
    if file.sha256 is not None:
        parts.append(f"sha256 {file.sha256}")
    if file.is_newer:
        parts.append("changed after the call was asked for")
    if file.unread:
        parts.append(f"not shown: {file.unread}")
    return f"{visible(file.path)}: {', '.join(parts)}"
