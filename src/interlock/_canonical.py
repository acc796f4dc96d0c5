"""The one JSON spelling that digests are taken over, and the digests themselves."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import TypeAlias

__all__ = ["Json", "compact_json", "pairs", "sha256_hex"]

Json: TypeAlias = "str | int | float | bool | Sequence[Json] | Mapping[str, Json] | None"

_COMPACT = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def compact_json(value: object) -> str:
    """Return `value` as JSON without spaces, keys in the order given, non-ASCII unescaped.

    Raises:
        ValueError: a number is not finite, or the value is not JSON.
    """
    return _COMPACT.encode(value)


def pairs(value: object) -> object:
    """Return `value` with every mapping written as a list of pairs in its own order."""
    if isinstance(value, str | int | float):  # most values; asking whether one is a mapping is slow
        return value
    if isinstance(value, Mapping):
        return [[key, pairs(item)] for key, item in value.items()]
    if isinstance(value, list | tuple):
        return [pairs(item) for item in value]
    return value


def sha256_hex(text: str) -> str:
    """Return the SHA-256 of `text` in UTF-8 as 64 hex characters; lone surrogates pass through."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
