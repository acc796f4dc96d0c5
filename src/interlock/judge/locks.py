"""Locks: which question was tried with which model, so that a threshold is not read off another one's numbers.

A threshold is fitted for one question, one served model and one basis; when any of the three changes it means nothing.
Source: backends specification, sections 1 and 6.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import get_args

from interlock._canonical import compact_json, pairs, sha256_hex
from interlock.errors import SettingsError
from interlock.questions import Basis, Choice, Json, Question, as_json

__all__ = ["FORMAT", "Lock", "Locks", "is_moving", "locks_from_json", "locks_json", "question_digest"]

FORMAT = "judge-locks/v1"
_BASES: tuple[Basis, ...] = get_args(Basis)
_MOVING = ("-latest", "-preview")


@dataclass(frozen=True, slots=True, kw_only=True)
class Lock:
    """One question as it was tried."""

    question: str
    """Its digest."""
    model: str
    """The model that answered, by the name it gave itself."""
    requested: str
    """The name by which it was asked for."""
    basis: Basis


@dataclass(frozen=True, slots=True, kw_only=True)
class Locks:
    """All locks of one file."""

    locks: frozenset[Lock] = frozenset()

    def holds(self, question: Question, *, model: str | None, basis: Basis) -> bool:
        """Tell whether the question was tried with the model that answered, on this basis."""
        return any((lock.model, lock.basis) == (model, basis) for lock in self._of(question))

    def is_void(self, question: Question, *, model: str | None, basis: Basis) -> bool:
        """Tell whether the question was tried, but not with the model that answered on this basis."""
        return bool(self._of(question)) and not self.holds(question, model=model, basis=basis)

    def expects(self, question: Question, *, requested: str, basis: Basis) -> bool:
        """Tell whether the question was tried with the model of this name."""
        return any((lock.requested, lock.basis) == (requested, basis) for lock in self._of(question))

    def _of(self, question: Question) -> list[Lock]:
        if not self.locks:
            return []
        digest = question_digest(question)
        return [lock for lock in self.locks if lock.question == digest]


def question_digest(question: Question) -> str:
    """Return 64 hex characters over what is asked; the order of a choice's options does not count."""
    asked = as_json(question)
    if isinstance(question, Choice):
        asked = {**asked, "criteria": dict(sorted(question.criteria.items()))}
    return sha256_hex(compact_json(pairs(asked)))


def is_moving(model: str) -> bool:
    """Tell whether a name is an alias that is given to another model without notice."""
    return model.startswith("~") or model.endswith(_MOVING)


def locks_json(locks: Iterable[Lock]) -> Json:
    """Return the locks as their file holds them."""
    told = sorted(locks, key=lambda lock: (lock.question, lock.model, lock.basis))
    return {"format": FORMAT, "locks": [asdict(lock) for lock in told]}


def locks_from_json(value: Json, place: str) -> Locks:
    """Return the locks of a file.

    Raises:
        SettingsError: it holds something else; the message begins with `place`.
    """
    items = value.get("locks") if isinstance(value, Mapping) and value.get("format") == FORMAT else None
    if not isinstance(items, list):
        raise SettingsError(f"{place}: holds no locks; write it with `interlock judge lock`")
    return Locks(locks=frozenset(_lock(item, f"{place}: locks[{at}]") for at, item in enumerate(items)))


def _lock(item: Json, place: str) -> Lock:
    fields = dict(item) if isinstance(item, Mapping) else {}
    question, model, requested = fields.get("question"), fields.get("model"), fields.get("requested")
    basis = next((known for known in _BASES if known == fields.get("basis")), None)
    if not isinstance(question, str) or not isinstance(model, str) or not isinstance(requested, str) or basis is None:
        raise SettingsError(f"{place}: is no lock; it has `question`, `model`, `requested` and `basis`")
    return Lock(question=question, model=model, requested=requested, basis=basis)
