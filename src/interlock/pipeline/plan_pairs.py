"""Whether two decisions may share one request to a judge: what each reads, what must be equal, what forbids it.

Pure: reads a compiled contract and what a judge declares, never a state.
Source: reference loop specification, the planner.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias, TypeVar

from interlock.contract.capabilities import Cell
from interlock.contract.compiled import Decision
from interlock.frame.spec import FrameField
from interlock.judge.base import Caps

__all__ = ["DataNeeds", "Equality", "Pair", "Refusal", "RefusalKind", "compare", "grouped", "needs_of"]

T = TypeVar("T")

RefusalKind: TypeAlias = Literal["excluded", "differs", "joint_reads", "max_questions", "not_judged", "other_state"]
"""`excluded`: a cell is seen by one and excluded by the other. `differs`: a field of both is not the same thing.
`joint_reads`, `max_questions`: the judge. `not_judged`: code answers one of them. `other_state`: they are asked on
different states."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DataNeeds:
    """What one decision is asked from."""

    decision: str
    position: str
    reads: tuple[str, ...]
    """The cells behind its frame, in the order of its fields."""
    candidates_from: tuple[str, ...]
    """The cells behind its options; empty when they stand in the contract."""
    excludes: tuple[str, ...]
    questions: int
    """0 when code answers it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Equality:
    """A field of two decisions that must hold equal values when both frames are built."""

    field: str
    cell: str
    decisions: tuple[str, str]
    why: str
    """What could make the values differ."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """One reason why two decisions may not share a request."""

    kind: RefusalKind
    decisions: tuple[str, str]
    subject: str
    """The cell, the field, or the capability of the judge."""
    by: str | None
    """The decision that excludes the cell; None for every other kind."""
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """Two decisions against each other; without a refusal they may share a request while the equalities hold."""

    decisions: tuple[str, str]
    equalities: tuple[Equality, ...]
    refusals: tuple[Refusal, ...]


def needs_of(decision: Decision) -> DataNeeds:
    """Return what `decision` is asked from."""
    frame = decision.frame
    return DataNeeds(
        decision=decision.id,
        position=decision.position,
        reads=() if frame is None else tuple(dict.fromkeys(field.cell for field in frame.fields)),
        candidates_from=() if decision.dynamic is None else decision.dynamic.reads,
        excludes=() if frame is None else tuple(exclusion.cell for exclusion in frame.exclusions),
        questions=len(decision.questions),
    )


def compare(first: Decision, second: Decision, cells: Mapping[str, Cell], caps: Caps) -> Pair:
    """Return what fusing two decisions takes, and every reason against it."""
    between = (first.id, second.id)
    unjudged = [one.id for one in (first, second) if one.frame is None]
    if unjudged:
        text = f"code answers `{unjudged[0]}`, no judge does"
        refusal = Refusal(kind="not_judged", decisions=between, subject=unjudged[0], by=None, text=text)
        return Pair(decisions=between, equalities=(), refusals=(refusal,))
    refusals = [
        *_by_judge(first, second, caps),
        *_excluded(first, second, cells),
        *_excluded(second, first, cells),
    ]
    equalities: list[Equality] = []
    for one, other in _shared(first, second):
        difference = _difference(one, other, between)
        if difference is not None:
            refusals.append(
                Refusal(kind="differs", decisions=between, subject=one.key, by=None, text=difference),
            )
        elif (one.projection, one.bound) != (other.projection, other.bound):
            equalities.append(Equality(field=one.key, cell=one.cell, decisions=between, why=_why(one, other, between)))
    return Pair(decisions=between, equalities=tuple(equalities), refusals=tuple(refusals))


def grouped(items: Sequence[T], joins: Callable[[Sequence[T], T], bool]) -> list[list[T]]:
    """Return the items in groups: each joins the first group that takes it, in the order given."""
    groups: list[list[T]] = []
    for item in items:
        home = next((group for group in groups if joins(group, item)), None)
        if home is None:
            groups.append([item])
        else:
            home.append(item)
    return groups


def _by_judge(first: Decision, second: Decision, caps: Caps) -> Iterator[Refusal]:
    between = (first.id, second.id)
    if caps.joint_reads:
        text = "the judge reads the questions of a request together, so one may move the answer to another"
        yield Refusal(kind="joint_reads", decisions=between, subject="joint_reads", by=None, text=text)
    asked = len(first.questions) + len(second.questions)
    if caps.max_questions is not None and asked > caps.max_questions:
        text = f"together they ask {asked} questions, and the judge takes {caps.max_questions} in one request"
        yield Refusal(kind="max_questions", decisions=between, subject="max_questions", by=None, text=text)


def _excluded(reader: Decision, excluder: Decision, cells: Mapping[str, Cell]) -> Iterator[Refusal]:
    """Yield the cells that `reader` would put before a judge although `excluder` keeps them from it.

    Options count as far as they can carry text of a cell: a flag only decides what is offered.
    """
    hidden = needs_of(excluder).excludes
    needs = needs_of(reader)
    offered = [cell for cell in needs.candidates_from if cell in cells and cells[cell].type in ("text", "list")]
    for cell in hidden:
        if cell in needs.reads:
            text = f"`{reader.id}` reads cell `{cell}`, which `{excluder.id}` excludes"
        elif cell in offered:
            text = f"the options of `{reader.id}` come from cell `{cell}`, which `{excluder.id}` excludes"
        else:
            continue
        between = (reader.id, excluder.id)
        yield Refusal(kind="excluded", decisions=between, subject=cell, by=excluder.id, text=text)


def _shared(first: Decision, second: Decision) -> Iterator[tuple[FrameField, FrameField]]:
    """Yield the fields that both frames name, in the order of the first."""
    theirs = {} if second.frame is None else {field.key: field for field in second.frame.fields}
    for field in () if first.frame is None else first.frame.fields:
        if field.key in theirs:
            yield field, theirs[field.key]


def _difference(one: FrameField, other: FrameField, between: tuple[str, str]) -> str | None:
    """Return why two fields of one name can never be shown as one; None when they may be equal."""
    first, second = between
    if one.cell != other.cell:
        return f"field `{one.key}` is cell `{one.cell}` in `{first}` and cell `{other.cell}` in `{second}`"
    if one.type != other.type:
        return f"field `{one.key}` is a {one.type} in `{first}` and a {other.type} in `{second}`"
    return None


def _why(one: FrameField, other: FrameField, between: tuple[str, str]) -> str:
    first, second = between
    if one.projection != other.projection:
        return f"{_shown(one)} in `{first}`, {_shown(other)} in `{second}`"
    unit = {"text": " characters", "list": " items"}.get(one.type, "")
    return f"at most {one.bound}{unit} in `{first}`, {other.bound} in `{second}`"


def _shown(field: FrameField) -> str:
    return "the cell itself" if field.projection is None else f"`{field.projection}`"
