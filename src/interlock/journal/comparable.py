"""Whether a recorded answer still answers: the same question on the same frame, under another contract.

Pure. Two versions of a decision are compared where both are known; else the record is compared with the new one.
Source: journal and safety specification, replay.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from interlock._canonical import compact_json
from interlock.contract.change import ASKED
from interlock.contract.compiled import Decision
from interlock.contract.diff import decision_changes
from interlock.frame import SHOWN, UNTRUSTED
from interlock.frame.spec import FrameField
from interlock.journal.decision_read import read_pair
from interlock.journal.fields import objects, section, text, value
from interlock.journal.records import Body
from interlock.journal.redactions import REDACTED
from interlock.pipeline.candidates import counted
from interlock.questions import Choice, Json, Question, as_json

__all__ = ["Comparison", "compare", "record_difference", "what_differs"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """What two versions of one decision tell about every record of it."""

    asked: str | None
    """Why no answer of a judge still answers; None when that depends on what a record shows and offers."""
    settled: bool
    """True when a record without an open question, such as that of a single candidate, stands as it is."""
    bounds: Mapping[str, FrameField]
    """Key → field with its new bound, where that is another one."""
    options: frozenset[str]
    """The options of a dynamic choice about which the contract says something else now."""


def compare(old: Decision, new: Decision) -> Comparison:
    """Return what changed between the versions, as far as a recorded answer depends on it."""
    changes = decision_changes(_without_examples(old), _without_examples(new))
    asked = [f"{change.what} {change.way}" for change in changes if change.part in ASKED or change.part == "frame"]
    return Comparison(
        asked=", ".join(asked) or None,
        settled=_shape(old) == _shape(new),
        bounds=_new_bounds(old, new),
        options=_changed_options(old, new),
    )


def what_differs(body: Body, comparison: Comparison) -> str | None:
    """Return why the recorded answers do not answer the new version; None when they do."""
    if comparison.asked is not None:
        return comparison.asked
    if comparison.bounds:
        found = _field_difference(body, comparison.bounds)
        if found is not None:
            return found
    return _option_difference(body, comparison.options) if comparison.options else None


def record_difference(body: Body, new: Decision) -> str | None:
    """Return why the record does not hold what `new` asks; None when it does.

    A projection under the same key and cell is taken to be the same: a record does not name it.
    """
    return next(_frame_differences(body, new), None) or next(_question_differences(body, new), None)


def _dynamic(decision: Decision) -> str | None:
    """Return the question whose options a provider gives."""
    if decision.dynamic is None:
        return None
    return next((name for name, question in decision.questions.items() if isinstance(question, Choice)), None)


def _without_examples(decision: Decision) -> Decision:
    """Return the decision without the options that its contract lists for a dynamic choice: a record has its own."""
    name = _dynamic(decision)
    if name is None:
        return decision
    bare = Choice(instructions=decision.questions[name].instructions, criteria={})
    return replace(decision, questions={**decision.questions, name: bare})


def _shape(decision: Decision) -> object:
    dynamic = decision.dynamic
    return (
        None if dynamic is None else (dynamic.provider, dynamic.reads, dynamic.output),
        [(name, type(question)) for name, question in decision.questions.items()],
    )


def _new_bounds(old: Decision, new: Decision) -> dict[str, FrameField]:
    before = {} if old.frame is None else {field.key: field.bound for field in old.frame.fields}
    after = () if new.frame is None else new.frame.fields
    return {field.key: field for field in after if before.get(field.key, field.bound) != field.bound}


def _changed_options(old: Decision, new: Decision) -> frozenset[str]:
    before, after = _listed(old), _listed(new)
    told = {*before.items(), *after.items()}
    return frozenset(label for label, criterion in told if (label, criterion) not in before.items() & after.items())


def _listed(decision: Decision) -> Mapping[str, str]:
    """Return the options that a contract lists for a dynamic choice, each with its criterion as JSON."""
    name = _dynamic(decision)
    question = None if name is None else decision.questions[name]
    if not isinstance(question, Choice):
        return {}
    return {label: compact_json(criterion) for label, criterion in question.criteria.items()}


def _option_difference(body: Body, options: frozenset[str]) -> str | None:
    for name, asked in section(body, "questions").items():
        offered = asked.get("criteria") if isinstance(asked, Mapping) else None
        found = [label for label in offered if label in options] if isinstance(offered, Mapping) else []
        if found:
            return f"question `{name}`: option `{found[0]}` changed"
    return None


def _field_difference(body: Body, bounds: Mapping[str, FrameField]) -> str | None:
    frame = section(body, "frame")
    for entry in objects(frame, "fields"):
        field = bounds.get(text(entry, "key"))
        if field is not None and not _fits(field, entry, section(frame, "state")):
            return f"field `{field.key}`: more or less of it is seen"
    return None


def _frame_differences(body: Body, new: Decision) -> Iterator[str]:
    frame, spec = section(body, "frame"), new.frame
    assert spec is not None  # noqa: S101 -- the caller compares decisions that a judge answers
    entries = objects(frame, "fields")
    before = [(text(entry, "key"), text(entry, "cell"), text(entry, "provenance")) for entry in entries]
    after = [(field.key, field.cell, field.provenance) for field in spec.fields]
    yield from (f"field `{key}` added" for key, *_ in after if key not in [name for name, *_ in before])
    yield from (f"field `{key}` lost" for key, *_ in before if key not in [name for name, *_ in after])
    if before != after:
        yield "the fields changed"
    for field, entry in zip(spec.fields, entries, strict=True):
        if not _fits(field, entry, section(frame, "state")):
            yield f"field `{field.key}`: more or less of it is seen"


def _fits(field: FrameField, entry: Mapping[str, Json], state: Mapping[str, Json]) -> bool:
    """Tell whether a field shows the same under the bound of `field`; of what was taken out nobody can."""
    if text(entry, "status") not in SHOWN or field.type in ("number", "bool"):
        return True
    truncated = read_pair(entry, "truncated")
    if truncated is not None:
        return truncated[1] == field.bound
    home = section(state, UNTRUSTED) if text(entry, "provenance") == "tool" else state
    shown = value(home, field.key)
    if shown == REDACTED:
        return False
    return not isinstance(shown, str | Sequence) or len(shown) <= field.bound


def _question_differences(body: Body, new: Decision) -> Iterator[str]:
    asked = section(body, "questions")
    if list(asked) != list(new.questions):
        yield "the questions changed"
        return
    dynamic = _dynamic(new)
    for name, question in new.questions.items():
        expected = _offered(question, section(asked, name), body) if name == dynamic else as_json(question)
        if compact_json(expected) != compact_json(asked[name]):
            yield f"question `{name}` changed"


def _offered(question: Question, asked: Mapping[str, Json], body: Body) -> Mapping[str, Json]:
    """Return a dynamic choice as it would be asked on the recorded candidates."""
    plain, listed = as_json(question), read_pair(body, "listed")
    given, own = section(asked, "criteria"), section(plain, "criteria")
    return {
        **plain,
        "instructions": counted(question.instructions, *(listed or (0, 0))),
        "criteria": {label: own.get(label, criterion) for label, criterion in given.items()},
    }
