"""Whether calls of judges are traced, and how much of them.

Source: backends specification, sections 9 and 10.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib.util import find_spec
from typing import cast

from interlock.judge.base import Judge
from interlock.judge.readings import Identity
from interlock.wiring.environment import value_of
from interlock.wiring.loading import load

__all__ = ["traced"]

_TRACED = "interlock.judge.traced:Traced"
_CAPTURE = "interlock.judge.traced:Capture"


def traced(judge: Judge, identity: Identity, provider: str, environ: Mapping[str, str]) -> Judge:
    """Return `judge` telling its calls as spans, where OpenTelemetry is installed; else `judge` itself.

    Requests and answers are told in full only under `INTERLOCK_CAPTURE_CONTENT=1`.
    """
    if find_spec("opentelemetry") is None:
        return judge
    is_captured = value_of(environ, "INTERLOCK_CAPTURE_CONTENT") == "1"
    capture = load(_CAPTURE)(
        inputs=is_captured and not _is_true(environ, "OPENINFERENCE_HIDE_INPUTS"),
        outputs=is_captured and not _is_true(environ, "OPENINFERENCE_HIDE_OUTPUTS"),
    )
    return cast("Judge", load(_TRACED)(judge, identity=identity, provider=provider, capture=capture))


def _is_true(environ: Mapping[str, str], variable: str) -> bool:
    return (value_of(environ, variable) or "").lower() in ("1", "true")
