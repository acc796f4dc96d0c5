"""Reads one object that is nearly JSON: a closed list of repairs, everything else is refused.

Repaired: a trailing comma, single-quoted strings, Python's `True` `False` `None`, comments, a raw newline or tab
in a string. Never repaired: missing closers, unquoted keys.
"""

from __future__ import annotations

import json
import math
import re
from typing import NoReturn

__all__ = ["RepeatedKeyError", "read_object"]

_TOKEN = re.compile(
    r"""(?P<double>"(?:[^"\\]++|\\.)*+")|(?P<single>'(?:[^'\\]++|\\.)*+')"""
    r"""|(?P<comment>/\*[^*]*+(?:\*(?!/)[^*]*+)*+\*/|//[^\n]*+)|(?P<word>\b(?:True|False|None)\b)"""
    r"""|(?P<comma>,)|(?P<closer>[}\]])|(?P<blank>[ \t\r\n]++)|(?P<other>[^"'/,}\] \t\r\n]++|.)""",
    re.DOTALL,
)
_WORDS = {"True": "true", "False": "false", "None": "null"}
_RAW = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}


class RepeatedKeyError(ValueError):
    """An object names one key twice, so two readers may see two different objects."""


def read_object(text: str) -> tuple[object, bool]:
    """Return the value of `text` and whether it had to be repaired.

    Raises:
        RepeatedKeyError: a key stands twice in one object.
        ValueError: it is not JSON, repaired or not.
    """
    try:
        return _strict(text), False
    except RepeatedKeyError:
        raise
    except ValueError:
        return _strict(_repaired(text)), True


def _strict(text: str) -> object:
    return json.loads(text, object_pairs_hook=_unique, parse_constant=_refuse, parse_float=_finite)


def _unique(members: list[tuple[str, object]]) -> dict[str, object]:
    read = dict(members)
    if len(read) < len(members):
        raise RepeatedKeyError("a key stands twice in one object")
    return read


def _refuse(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError("the number is out of range")
    return number


def _repaired(text: str) -> str:
    """Return `text` with every token in its JSON spelling; what is not on the list stays as it is."""
    parts: list[str] = []
    comma_at: int | None = None
    for token in _TOKEN.finditer(text):
        kind, written = token.lastgroup, token[0]
        if kind in ("blank", "comment"):
            parts.append(" ")
            continue
        if kind == "closer" and comma_at is not None:
            parts[comma_at] = " "
        comma_at = len(parts) if kind == "comma" else None
        parts.append(_spelling(kind, written))
    return "".join(parts)


def _spelling(kind: str | None, written: str) -> str:
    if kind == "word":
        return _WORDS[written]
    if kind == "single":
        inner = re.sub(r'\\.|"', _requote, written[1:-1], flags=re.DOTALL)
        written = f'"{inner}"'
    if kind in ("double", "single"):
        return re.sub(r"[\n\r\t]", lambda raw: _RAW[raw[0]], written)
    return written


def _requote(found: re.Match[str]) -> str:
    return {'"': '\\"', "\\'": "'"}.get(found[0], found[0])
