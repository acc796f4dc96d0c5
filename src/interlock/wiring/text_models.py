"""Ids of text models → the models, whether they write or are read as judges."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Mapping
from pathlib import Path
from typing import cast

from interlock.diagnostics import did_you_mean
from interlock.errors import SettingsError, UsageError
from interlock.models.base import TextModel
from interlock.models.retry import RetryModel
from interlock.wiring.environment import checked_address, key_from, value_of
from interlock.wiring.ids import Id, id_of
from interlock.wiring.jsonfiles import json_of
from interlock.wiring.loading import load

__all__ = ["TEXT_PROVIDERS", "make_text_model", "text_model"]

TEXT_PROVIDERS = ("openai", "gguf")
"""Providers whose models write text and, with a readout, judge."""
TEXT_BUDGET_S = 60.0

_OPENAI_BASE = "https://api.openai.com/v1"
_OPENAI = "interlock.models.openai_compatible:OpenAIChat"
_SCRIPTED = "interlock.models.scripted:ScriptedModel"
_GGUF = "interlock.models.gguf:GgufModel"


def make_text_model(id_: str, *, environ: Mapping[str, str], budget_s: float = TEXT_BUDGET_S) -> TextModel:
    """Return the text model of an id, for a Runtime; each request gets one budget, retries included.

    It may hold connections or a loaded file: close it with `interlock.models.closing.close`.

    Raises:
        SettingsError: the id is unknown or incomplete, or something it needs is missing.
    """
    parsed, known = id_of(id_), (*TEXT_PROVIDERS, "scripted")
    if parsed.provider not in known:
        raise UsageError(f"text model: no provider `{parsed.provider}`; {did_you_mean(parsed.provider, known)}")
    return text_model(parsed, environ, budget_s)


def text_model(id_: Id, environ: Mapping[str, str], budget_s: float) -> TextModel:
    """Return the model; what may pass the next time is asked again within the budget.

    Raises:
        SettingsError: the id is incomplete, or something it needs is missing.
    """
    if id_.provider == "scripted":
        return _scripted(id_)
    if id_.provider == "gguf":
        return _gguf(id_, budget_s)
    if not id_.name:
        raise UsageError(f"writer: `{id_.text}` names no model; write `{id_.provider}:MODEL`")
    base = id_.address or value_of(environ, "OPENAI_BASE_URL") or _OPENAI_BASE
    chat = load(_OPENAI)(
        model=id_.name,
        base=checked_address(base, "openai"),
        key=key_from("openai", "OPENAI_API_KEY", environ, required=base == _OPENAI_BASE),
        budget_s=budget_s,
        now=time.monotonic,
        wall=time.time,
    )
    return RetryModel(
        cast("TextModel", chat),
        model=id_.name,
        budget_s=budget_s,
        now=time.monotonic,
        sleep=asyncio.sleep,
        rng=random.random,
    )


def _scripted(id_: Id) -> TextModel:
    replies = json_of(id_)
    if not isinstance(replies, list) or not all(isinstance(reply, str) for reply in replies):
        raise SettingsError(f"writer: `{id_.text}` must hold one JSON list of texts")
    return cast("TextModel", load(_SCRIPTED)(replies, model=id_.text))


def _gguf(id_: Id, budget_s: float) -> TextModel:
    if not id_.model:
        raise UsageError(f"`{id_.text}` names no file; write `gguf:FILE`")
    return cast("TextModel", load(_GGUF)(Path(id_.model), budget_s=budget_s, now=time.monotonic))
