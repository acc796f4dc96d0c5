"""The judge of an id as a probe asks it: with the server's limits and none of ours."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from interlock.errors import UsageError
from interlock.judge.base import Judge
from interlock.judge.combinators import Deadline, Retry
from interlock.judge.options import JudgeOptions
from interlock.judge.profile import Profile
from interlock.wiring.ids import id_of
from interlock.wiring.legs import identity_of, leg, server
from interlock.wiring.names import CODE_JUDGES, profile_of
from interlock.wiring.text_models import TEXT_PROVIDERS

__all__ = ["ProbeTarget", "make_probe_target"]


ListModels: TypeAlias = Callable[[], Awaitable[tuple[str, ...] | None]]


@dataclass(frozen=True, slots=True, kw_only=True)
class ProbeTarget:
    """What is measured."""

    judge: Judge
    model: str
    """The name by which it is asked for."""
    profile: Profile | None = None
    """What was known before; None for a judge that is no server."""
    models: ListModels | None = None
    """Asks the server which models it has; None for a judge that is no server."""


def make_probe_target(id_: str, *, environ: Mapping[str, str], options: JudgeOptions) -> ProbeTarget:
    """Return the judge of one id, unlimited.

    Raises:
        SettingsError: the id is unknown or incomplete, or something it needs is missing.
    """
    parsed = id_of(id_)
    if "," in id_:
        raise UsageError(f"judge: `{id_}`: a chain is not measured as one; name one of its judges")
    if parsed.provider in (*CODE_JUDGES, *TEXT_PROVIDERS):
        return ProbeTarget(judge=leg(parsed, environ, {}, options), model=identity_of(parsed, environ, options).model)
    now = time.monotonic
    profile = profile_of(parsed, None)
    remote = server(parsed, environ, options, unlimited=True)
    retry = Retry(remote, now=now, sleep=asyncio.sleep, rng=random.random)
    identity = identity_of(parsed, environ, options)
    judge = Deadline(retry, identity=identity, budget_s=options.timeout_s, now=now)
    return ProbeTarget(judge=judge, model=identity.model, profile=profile, models=getattr(remote, "models", None))
