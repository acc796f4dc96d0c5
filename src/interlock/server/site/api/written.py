"""Values as JSON in UTF-8, as responses and streams carry them."""

from __future__ import annotations

import json
from collections.abc import Mapping

__all__ = ["written"]


def written(value: object) -> bytes:
    """Return a value as compact JSON; half characters of foreign records become question marks.

    Raises:
        ValueError: a number is not finite.
        TypeError: the value is not JSON.
    """
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"), default=_plain)
    return text.encode("utf-8", "replace")


def _plain(value: object) -> object:
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"a value of type `{type(value).__name__}` is not JSON")
