"""Ids of writers → the writers."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import cast

from interlock.diagnostics import did_you_mean
from interlock.errors import UsageError
from interlock.loop.writer import Writer
from interlock.wiring.ids import backticked, id_of
from interlock.wiring.loading import load
from interlock.wiring.names import JUDGES_ONLY, WRITERS, profiles
from interlock.wiring.text_models import text_model

__all__ = ["make_writer"]

WRITER_BUDGET_S = 60.0

_EXTRACTIVE = "interlock.loop.extractive:ExtractiveWriter"
_MODEL_WRITER = "interlock.loop.model_writer:ModelWriter"


def make_writer(id_: str, *, environ: Mapping[str, str], budget_s: float = WRITER_BUDGET_S) -> Writer:
    """Return the writer of an id; a model gets one budget per request, retries included.

    It may hold connections: close it with `interlock.models.closing.close`.

    Raises:
        SettingsError: the id is unknown or incomplete, or something it needs is missing.
    """
    parsed = id_of(id_)
    if parsed.provider == "extractive":
        return cast("Writer", load(_EXTRACTIVE)())
    if parsed.provider in WRITERS:
        model = text_model(parsed, environ, budget_s)
        return cast("Writer", load(_MODEL_WRITER)(model, writer=id_, budget_s=budget_s, now=time.monotonic))
    if parsed.provider in JUDGES_ONLY or parsed.provider in profiles(None):
        raise UsageError(
            f"writer: `{parsed.provider}` is a judge and writes no text; write one of {backticked(WRITERS)}"
        )
    raise UsageError(f"writer: no provider `{parsed.provider}`; {did_you_mean(parsed.provider, WRITERS)}")
