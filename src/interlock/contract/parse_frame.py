"""Types what a decision sees and when: the lines of a frame, the position, the provider of candidates.

Source: decision-contract/v1, positions and frame.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from interlock.contract.document import Entry
from interlock.contract.draft import DraftDynamic, DraftField
from interlock.contract.findings import Findings, quoted, replace_in_line
from interlock.frame.spec import Exclusion

__all__ = ["When", "parse_dynamic", "parse_exclusion", "parse_field", "parse_when"]

_BOUND = re.compile(r"[0-9]{1,9}")
_ASCII_REASON = re.compile(r"\s--(?=\s|$)")
_SINGLE_DASH = re.compile(r"[—–-]\s")
_CALL = re.compile(r"([A-Za-z_]\w*)\s*\(\s*ctx\s*(?::(.*))?\)\s*(?:→|->)\s*(.*)")
_FORM = "`provider(ctx: cell, cell) → candidates —— why`"


@dataclass(frozen=True, slots=True, kw_only=True)
class When:
    """One `when:` line."""

    position: str
    purpose: str | None


def parse_when(entry: Entry, findings: Findings) -> When | None:
    """Return position and purpose; None when no position is named."""
    head, purpose = _split_reason(entry.text)
    words = head.split(maxsplit=1)
    if not words:
        message, fix = "`when:` names no position", "write `when: position —— purpose`"
        findings.add("missing-when", entry.line, entry.column, len("when:"), message, fix=fix)
        return None
    if len(words) > 1:
        _report_leftover(entry, words[0], words[1], findings)
    return When(position=words[0], purpose=purpose or None)


def _report_leftover(entry: Entry, position: str, rest: str, findings: Findings) -> None:
    at = entry.text_column + entry.text.index(rest, len(position))
    message = f"{quoted(rest)} stands after the position `{position}`"
    purpose = rest.lstrip("—– -")
    fix = f"write {quoted(f'when: {position} —— {purpose}')}"
    edit = replace_in_line(entry.line, at, 1, "——") if _SINGLE_DASH.match(rest) else None
    findings.add("leftover-position", entry.line, at, len(rest), message, fix=fix, edit=edit)


def parse_dynamic(entry: Entry, findings: Findings) -> DraftDynamic | None:
    """Return the provider and what it reads; None when the line is not written as a call."""
    head, reason = _split_reason(entry.text)
    match = _CALL.fullmatch(head)
    reads = () if match is None else tuple((match[2] or "").replace(",", " ").split())
    if match is None or not match[3] or not reads:
        message = f"{quoted(head)} is not a provider with the cells it reads"
        findings.add("malformed-dynamic", entry.line, entry.text_column, len(head), message, fix=f"write {_FORM}")
        return None
    if not reason:
        message, fix = "`dynamic:` does not say why the options come from code", "add `—— why`"
        findings.add("missing-dynamic-reason", entry.line, entry.text_column, len(entry.text), message, fix=fix)
    return DraftDynamic(entry=entry, provider=match[1], reads=reads, output=match[3], reason=reason or None)


def parse_field(entry: Entry, findings: Findings) -> DraftField | None:
    """Return one field; None when the line has no bound or too many words."""
    head, reason = _split_reason(entry.text)
    words = head.split()
    if not (words and reason) and not _is_named(entry, words, findings):
        return None
    if len(words) == 1 or _BOUND.fullmatch(words[1]) is None or int(words[1]) == 0:
        what = "has no bound" if len(words) == 1 else f"has {quoted(words[1])} where its bound belongs"
        message = f"the field {quoted(words[0])} {what}"
        fix = f"write {quoted(f'+ {words[0]} 200')}: at most so many characters or items"
        findings.add("missing-bound", entry.line, entry.text_column, len(head), message, fix=fix)
        return None
    if len(words) > 3:
        message = f"the field {quoted(words[0])} has more than bound and projection"
        fix = f"drop {quoted(' '.join(words[3:]))}, or put it after `——`"
        findings.add("leftover-field", entry.line, entry.text_column, len(head), message, fix=fix)
        return None
    return DraftField(
        entry=entry,
        key=words[0],
        bound=int(words[1]),
        projection=words[2] if len(words) == 3 else None,
        reason=reason,
    )


def parse_exclusion(entry: Entry, findings: Findings) -> Exclusion | None:
    """Return one exclusion; None when the line holds another number of words than one."""
    head, reason = _split_reason(entry.text)
    words = head.split()
    if not (words and reason) and not _is_named(entry, words, findings):
        return None
    if len(words) > 1:
        message = f"the exclusion of {quoted(words[0])} has more than the name of the cell"
        fix = f"drop {quoted(' '.join(words[1:]))}, or put it after `——`"
        findings.add("leftover-field", entry.line, entry.text_column, len(head), message, fix=fix)
        return None
    return Exclusion(cell=words[0], reason=reason)


def _is_named(entry: Entry, words: list[str], findings: Findings) -> bool:
    """Report a line without a name or a reason; say whether it has a name."""
    if not words:
        message, fix = "the line names nothing before its reason", "write `- cell —— why` or `+ field 200 —— why`"
        findings.add("missing-field", entry.line, entry.column, entry.width, message, fix=fix)
        return False
    message, fix = f"{quoted(words[0])} is given no reason", "add `—— why` to the end of the line"
    findings.add("missing-reason", entry.line, entry.text_column, len(entry.text), message, fix=fix)
    return True


def _split_reason(text: str) -> tuple[str, str]:
    """Return what stands before and after the first reason sign, the second empty when there is none."""
    head, _, reason = text.partition("——")
    if "--" in head:
        ascii_sign = _ASCII_REASON.search(text, 0, len(head))
        if ascii_sign is not None:
            return text[: ascii_sign.start()].rstrip(), text[ascii_sign.end() :].strip()
    return head.rstrip(), reason.strip()
