"""A run as Markdown, for people: one section per record, and under each decision the texts behind its digests.

Pure over records; `export` writes the same for machines.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from interlock.journal.decision_body import Planned
from interlock.journal.decision_read import RecordedDecision, read_decision
from interlock.journal.preimages import Preimage, preimages, shared_preimage
from interlock.journal.records import Body, Record
from interlock.judge.base import Reading
from interlock.pipeline.result import DecisionResult
from interlock.questions import ChoiceAnswer, Json, NoulAnswer, ScoreAnswer

__all__ = ["markdown"]

_PREFACE = """\
Each section is one record. A digest is the SHA-256, in hex, of the one line in the block under it, in UTF-8 and
without the line's end; of a digest of 16 characters it is the beginning."""


def markdown(records: Iterable[Record]) -> Iterator[str]:
    """Yield the parts of one run's trace, each ending without a line feed; nothing for no records.

    Raises:
        JournalError: a decision cannot be read.
    """
    last: Record | None = None
    asked: dict[Json, Body] = {}
    for record in records:
        if last is None:
            yield f"# Run {record.run_id}\n\n{_PREFACE}"
        if record.type == "judge_request" and "state" in record.body:
            asked[record.body.get("request")] = record.body
        yield _section(record, asked)
        last = record
    if last is not None:
        yield f"Head: row {last.seq}, `{last.hash}`"


def _section(record: Record, asked: dict[Json, Body]) -> str:
    if record.type != "decision":
        plain = f"## {record.seq} · {record.type}\n\n{record.ts}\n\n{_block(record.text)}"
        request = asked.pop(record.body.get("request"), None) if record.type == "judge_reply" else None
        shared = None if request is None else shared_preimage(request, record.body)
        return plain if shared is None else f"{plain}\n\n{_digest(shared)}"
    recorded = read_decision(record.body)
    parts = [
        f"## {record.seq} · {_cell(recorded.result.decision)} → {_cell(recorded.result.action)}",
        _facts(record, recorded),
        _fields(recorded.result),
        _answers(recorded.result),
        *map(_digest, preimages(recorded.result, shared=bool(recorded.plan.fused_with))),
    ]
    return "\n\n".join(part for part in parts if part)


def _digest(preimage: Preimage) -> str:
    return f"Digest of the {preimage.name}: `{preimage.digest}`\n\n{_block(preimage.text)}"


def _facts(record: Record, recorded: RecordedDecision) -> str:
    result, outcome = recorded.result, recorded.result.outcome
    lines = [f"{record.ts}, step {recorded.step}, at `{result.position}`, {result.elapsed_s * 1000:.1f} ms"]
    if recorded.plan.wave:
        lines.append(_plan(recorded.plan))
    if result.mode != "enforce":
        lines.append(f"mode {result.mode}; the policy would do {_code(result.would_be or 'nothing')}")
    if outcome is not None and outcome.rule_text is not None:
        compared = "" if outcome.value is None else f": {outcome.value:g} against {outcome.threshold:g}"
        margin = "" if outcome.margin is None else f", margin {outcome.margin:g}"
        lines.append(f"rule {_code(outcome.rule_text)}{compared}{margin}")
    if outcome is not None and outcome.reason is not None:
        lines.append(_cell(outcome.reason))
    if result.picked is not None:
        lines.append(f"picked {_code(result.picked)}")
    lines += [f"floor of {_code(floor.question)}: {floor.value:g}" for floor in result.floors]
    if result.reply is not None:
        served = result.reply.served_model or "no answer"
        lines.append(f"judge {_code(result.reply.requested_model)}, served by {_code(served)}")
    if result.degraded:
        lines.append("degraded")
    lines += [f"warning: {_cell(warning)}" for warning in result.warnings]
    return "\n".join(f"- {line}" for line in lines)


def _plan(plan: Planned) -> str:
    beside = ", ".join(map(_code, plan.fused_with))
    parts = [
        f"plan {plan.name}, wave {plan.wave}",
        f"in one request with {beside}" if beside else "",
        "asked ahead of its turn" if plan.speculative else "",
        "discarded: its turn never came" if plan.discarded else "",
    ]
    return "; ".join(part for part in parts if part)


def _fields(result: DecisionResult) -> str:
    if result.frame is None:
        return ""
    rows = ["| field | cell | from | status | cut |", "|---|---|---|---|---|"]
    for entry in result.frame.entries:
        cut = "" if entry.truncated is None else f"{entry.truncated[0]} to {entry.truncated[1]}"
        status = f"{entry.status}, defaulted" if entry.defaulted else entry.status
        rows.append(f"| {_cell(entry.key)} | {_cell(entry.cell)} | {entry.provenance} | {status} | {cut} |")
    unseen = [f"- not seen: {_code(item.cell)}: {_cell(item.reason)}" for item in result.frame.exclusions]
    return "\n".join(rows) + ("\n\n" + "\n".join(unseen) if unseen else "")


def _answers(result: DecisionResult) -> str:
    if not result.readings:
        return ""
    rows = ["| question | answer | probabilities | judge |", "|---|---|---|---|"]
    for name, reading in result.readings.items():
        judge = f"{reading.judge}, degraded" if reading.degraded else reading.judge
        rows.append(f"| {_cell(name)} | {_cell(_answer(reading))} | {_cell(_spread(reading))} | {_cell(judge)} |")
    return "\n".join(rows)


def _answer(reading: Reading) -> str:
    match reading.answer:
        case NoulAnswer():
            return f"{reading.answer.noul:g}"
        case ChoiceAnswer():
            return reading.answer.choice
        case ScoreAnswer():
            return f"{reading.answer.score:g}"
        case None:
            return f"{reading.kind}/{reading.reason}"


def _spread(reading: Reading) -> str:
    match reading.answer:
        case ChoiceAnswer() if reading.answer.probabilities is not None:
            return ", ".join(f"{label} {p:g}" for label, p in reading.answer.probabilities.items())
        case ScoreAnswer():
            return ", ".join(f"{level} {p:g}" for level, p in enumerate(reading.answer.probabilities))
        case _:
            return ""


def _block(text: str) -> str:
    """Return `text` in a fence longer than any run of backticks in it."""
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}json\n{text}\n{fence}"


def _code(text: str) -> str:
    flat = _flat(text)
    fence = "`" * (max((len(run) for run in re.findall("`+", flat)), default=0) + 1)
    pad = " " if len(fence) > 1 else ""
    return f"{fence}{pad}{flat}{pad}{fence}"


def _cell(text: str) -> str:
    """Return `text` on one line, its marks shown instead of obeyed."""
    return re.sub(r"([\\`*_|<>\[\]])", r"\\\1", _flat(text))


def _flat(text: str) -> str:
    return _UNSEEN.sub(lambda found: f"\\u{ord(found.group()):04x}", " ".join(text.split()))


_UNSEEN = re.compile("[\x00-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
