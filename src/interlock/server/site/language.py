"""The languages of the page: English as written in the templates, others by a catalogue of messages."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

from starlette.requests import Request

__all__ = ["LANGUAGES", "LANGUAGE_COOKIE", "catalogue", "language_of"]

LANGUAGES: Mapping[str, str] = {"en": "English", "zh": "中文"}
"""Code → its own name."""
LANGUAGE_COOKIE = "interlock_language"


@cache
def catalogue(language: str) -> Mapping[str, str]:
    """Return message → translation, from all files of a language; empty for the one that messages are written in."""
    if language == "en":
        return {}
    found: dict[str, str] = {}
    for part in files("interlock.server").joinpath(f"locale/{language}").iterdir():
        found |= json.loads(part.read_text(encoding="utf-8"))
    return found


def language_of(request: Request) -> str:
    """Return the language that a visitor chose, or else prefers."""
    chosen = request.cookies.get(LANGUAGE_COOKIE)
    if chosen is not None and chosen in LANGUAGES:
        return chosen
    for part in request.headers.get("accept-language", "").lower().split(","):
        code = part.partition(";")[0].strip().partition("-")[0]
        if code in LANGUAGES:
            return code
    return "en"
