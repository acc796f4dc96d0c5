"""The exact texts that the digests of a recorded decision are taken over, for readers who take them again elsewhere.

Pure; each text hashes, in UTF-8 with SHA-256, to its digest.
"""

from __future__ import annotations

from dataclasses import dataclass

from interlock._canonical import compact_json, pairs
from interlock.frame import SHOWN
from interlock.journal.answer_read import asked_of
from interlock.journal.fields import optional_section, optional_text, section
from interlock.journal.records import Body
from interlock.journal.redactions import REDACTED
from interlock.judge.digest import VERSION
from interlock.pipeline.result import DecisionResult
from interlock.questions import as_json

__all__ = ["Preimage", "preimages", "shared_preimage"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Preimage:
    """One digest and what it is taken over."""

    name: str
    digest: str
    """The SHA-256 of `text`; of 16 characters, its beginning."""
    text: str


def preimages(result: DecisionResult, *, shared: bool = False) -> tuple[Preimage, ...]:
    """Return the texts behind the digests of one decision; none without a frame, no request where none was made.

    `shared`: other decisions were in the request, so its digest is not over this frame alone.
    Out of a redacted decision something was taken, and no text is left for its digests.
    """
    frame, reply = result.frame, result.reply
    if frame is None or result.interchange_digest is None:
        return ()
    if any(entry.value == REDACTED for entry in frame.entries):
        return ()
    shown = [[entry.key, entry.value] for entry in frame.entries if entry.status in SHOWN]
    questions = {name: as_json(question) for name, question in result.questions.items()}
    found = [
        Preimage(name="frame", digest=frame.digest, text=compact_json([frame.decision, shown])),
        Preimage(
            name="frame and questions", digest=result.interchange_digest, text=compact_json([frame.digest, questions])
        ),
    ]
    if reply is not None and reply.request_digest and not shared:
        asked = [pairs(questions[name]) for name in asked_of(result.readings) if name in questions]
        request = [VERSION, reply.wire, reply.requested_model, reply.readout, pairs(frame.sent), asked]
        found.append(Preimage(name="request", digest=reply.request_digest, text=compact_json(request)))
    return tuple(found)


def shared_preimage(request: Body, reply: Body) -> Preimage | None:
    """Return the text behind the digest of a request, from its two records; None when they do not hold it."""
    digest, told = optional_text(reply, "request_digest"), optional_section(reply, "reply")
    if not digest or told is None or "state" not in request:
        return None
    questions = section(request, "questions")
    asked = [pairs(questions[name]) for name in questions]
    model, wire, readout = (told.get(key) for key in ("requested_model", "wire", "readout"))
    text = compact_json([VERSION, wire, model, readout, pairs(section(request, "state")), asked])
    return Preimage(name="request", digest=digest, text=text)
