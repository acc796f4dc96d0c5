"""Keeps results of cached methods: successes only, for a time, the least used dropped first.

Source: next-step specification, section 16.
"""

from __future__ import annotations

import copy
import threading
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field

from interlock._canonical import compact_json, sha256_hex

__all__ = ["MAX_KEPT", "ResultCache", "cache_key"]

MAX_KEPT = 1024


def cache_key(name: str, owner: int, values: Mapping[str, object]) -> str | None:
    """Return the key of one call, or None when JSON cannot express its arguments."""
    try:
        return sha256_hex(compact_json([name, owner, _sorted(values)]))
    except (TypeError, ValueError):
        return None


@dataclass(slots=True)
class ResultCache:
    """The results of one method."""

    _kept: OrderedDict[str, tuple[float, object]] = field(default_factory=OrderedDict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def get(self, key: str, now_s: float) -> tuple[object] | None:
        """Return a copy of the result in a tuple of one, or None when there is none that still holds."""
        with self._lock:
            ends_s, result = self._kept.get(key, (now_s, None))
            if ends_s <= now_s:
                self._kept.pop(key, None)
                return None
            self._kept.move_to_end(key)
        return (copy.deepcopy(result),)

    def put(self, key: str, result: object, ends_s: float) -> None:
        """Keep a copy of `result` until `ends_s`."""
        with self._lock:
            self._kept[key] = (ends_s, copy.deepcopy(result))
            self._kept.move_to_end(key)
            while len(self._kept) > MAX_KEPT:
                self._kept.popitem(last=False)


def _sorted(value: object) -> object:
    """Return `value` with mappings in one order; a key that is not text raises TypeError."""
    if isinstance(value, Mapping):
        if not all(isinstance(key, str) for key in value):
            raise TypeError("a key is not text")
        return {key: _sorted(value[key]) for key in sorted(value)}
    if isinstance(value, list):
        return [_sorted(item) for item in value]
    if value is None or isinstance(value, str | bool | int | float):
        return value
    raise TypeError("not JSON")
