"""A bounded memory of what was made from an object, found again by the object's identity."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import Generic, TypeVar

__all__ = ["Kept"]

MAX_KEPT = 1024

T = TypeVar("T")


@dataclass(slots=True)
class Kept(Generic[T]):
    """What was made, oldest forgotten first; a race makes a thing twice and harms nothing."""

    _made: OrderedDict[tuple[int, Hashable], tuple[object, T]] = field(default_factory=OrderedDict)
    """Identity and detail → the object, held so that its identity is not given to another, and what was made."""

    def get(self, owner: object, detail: Hashable, make: Callable[[], T]) -> T:
        """Return what was made from `owner` and `detail`, or what `make` makes of them now."""
        key = (id(owner), detail)
        found = self._made.get(key)
        if found is not None:
            return found[1]
        made = make()
        if len(self._made) >= MAX_KEPT:
            self._made.popitem(last=False)
        self._made[key] = (owner, made)
        return made
