"""Keeps results of cached methods: successes only, for a time, the least used dropped first.

Source: next-step specification, section 16.
"""

from __future__ import annotations

import copy
import threading
import weakref
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field

from interlock._canonical import compact_json, sha256_hex

__all__ = ["MAX_KEPT", "ResultCache", "cache_key"]

MAX_KEPT = 1024


def cache_key(name: str, owner: object, values: Mapping[str, object]) -> str | None:
    """Return the key of one call, or None when JSON cannot express its arguments."""
    try:
        return sha256_hex(compact_json([name, id(owner), _sorted(values)]))
    except (TypeError, ValueError, RecursionError):
        return None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Kept:
    owner: weakref.ref[object]
    """An identity is given to another object once its own is gone."""
    result: object
    ends_s: float


@dataclass(slots=True)
class ResultCache:
    """The results of one method."""

    _kept: OrderedDict[str, _Kept] = field(default_factory=OrderedDict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def get(self, key: str, owner: object, now_s: float) -> tuple[object] | None:
        """Return a copy of the result in a tuple of one, or None when there is none that still holds."""
        with self._lock:
            kept = self._kept.get(key)
            if kept is None:
                return None
            if kept.ends_s <= now_s or kept.owner() is not owner:
                del self._kept[key]
                return None
            self._kept.move_to_end(key)
        return (copy.deepcopy(kept.result),)

    def put(self, key: str, owner: object, result: object, ends_s: float) -> None:
        """Keep a copy of `result` until `ends_s`; what cannot be copied is not kept."""
        try:
            kept = _Kept(owner=weakref.ref(owner), result=copy.deepcopy(result), ends_s=ends_s)
        except Exception:  # noqa: BLE001  (a copy fails in as many ways as there are classes)
            return
        with self._lock:
            self._kept[key] = kept
            self._kept.move_to_end(key)
            while len(self._kept) > MAX_KEPT:
                self._kept.popitem(last=False)


def _sorted(value: object) -> object:
    """Return `value` with mappings in one order.

    Raises:
        TypeError: it holds what JSON has no form of its own for; a subclass of one that it has may behave differently.
    """
    if type(value) is dict:
        if not all(type(key) is str for key in value):
            raise TypeError("a key is not text")
        return {key: _sorted(value[key]) for key in sorted(value)}
    if type(value) is list:
        return [_sorted(item) for item in value]
    if value is None or type(value) in (str, bool, int, float):
        return value
    raise TypeError("not JSON")
