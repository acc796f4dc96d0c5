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
    """Return message → translation; empty for the language that the messages are written in."""
    if language == "en":
        return {}
    text = files("interlock.server").joinpath(f"locale/{language}.json").read_text(encoding="utf-8")
    found: dict[str, str] = json.loads(text)
    return found


def language_of(request: Request) -> str:
    """Return the language that a visitor chose, or else prefers."""
    chosen = request.cookies.get(LANGUAGE_COOKIE)
    if chosen in LANGUAGES:
        return chosen
    for part in request.headers.get("accept-language", "").lower().split(","):
        code = part.partition(";")[0].strip().partition("-")[0]
        if code in LANGUAGES:
            return code
    return "en"
