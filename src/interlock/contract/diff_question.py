"""What changed between the questions of two versions of one decision.

Source: decision-contract/v1, questions.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import assert_never

from interlock._canonical import compact_json
from interlock.contract.change import Change
from interlock.questions import Choice, Content, Noul, Question, Score

__all__ = ["question_changes"]


def question_changes(decision: str, old: Mapping[str, Question], new: Mapping[str, Question]) -> Iterator[Change]:
    """Yield every difference, in the order of the new questions."""
    for id_, question in new.items():
        before, what = old.get(id_), f"question `{id_}`"
        if before is None:
            shown = _shown(question.instructions)
            yield Change(decision=decision, part="question", way="added", what=what, new=shown)
        else:
            yield from _changes(decision, what, before, question)
    for id_, question in old.items():
        if id_ not in new:
            shown = _shown(question.instructions)
            yield Change(decision=decision, part="question", way="lost", what=f"question `{id_}`", old=shown)
    if [id_ for id_ in old if id_ in new] != [id_ for id_ in new if id_ in old]:
        yield Change(decision=decision, part="question", way="changed", what="order of the questions")


def _changes(decision: str, what: str, old: Question, new: Question) -> Iterator[Change]:
    if type(old) is not type(new):
        types = _type(old), _type(new)
        yield Change(
            decision=decision, part="question", way="changed", what=f"{what}: type", old=types[0], new=types[1]
        )
        return
    if old.instructions != new.instructions:
        yield Change(
            decision=decision,
            part="question",
            way="changed",
            what=f"{what}: instructions",
            old=_shown(old.instructions),
            new=_shown(new.instructions),
        )
    yield from _option_changes(decision, what, _options(old), _options(new))


def _option_changes(
    decision: str, what: str, old: Mapping[str, Content | None], new: Mapping[str, Content | None]
) -> Iterator[Change]:
    for name, criterion in new.items():
        named, after = f"{what}: option `{name}`", _shown(criterion)
        if name not in old:
            yield Change(decision=decision, part="option", way="added", what=named, new=after)
        elif old[name] != criterion:
            yield Change(decision=decision, part="option", way="changed", what=named, old=_shown(old[name]), new=after)
    for name, criterion in old.items():
        if name not in new:
            lost = f"{what}: option `{name}`"
            yield Change(decision=decision, part="option", way="lost", what=lost, old=_shown(criterion))
    if [name for name in old if name in new] != [name for name in new if name in old]:
        yield Change(decision=decision, part="option", way="changed", what=f"{what}: order of the options")


def _options(question: Question) -> Mapping[str, Content | None]:
    match question:
        case Noul():
            criteria = question.criteria
            return {} if criteria is None else {"true": criteria.true, "false": criteria.false}
        case Choice():
            return question.criteria
        case Score():
            return {str(level): criterion for level, criterion in enumerate(question.criteria)}
        case _:
            assert_never(question)


def _type(question: Question) -> str:
    match question:
        case Noul():
            return "noul"
        case Choice():
            return "choice"
        case Score():
            return "score"
        case _:
            assert_never(question)


def _shown(content: Content | None) -> str | None:
    return content if content is None or isinstance(content, str) else compact_json(content)
