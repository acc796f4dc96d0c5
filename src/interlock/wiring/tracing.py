"""Whether calls of judges are traced, and how much of them.

Source: backends specification, sections 9 and 10.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib.util import find_spec
from typing import cast

from interlock.judge.base import Judge
from interlock.judge.readings import Identity
from interlock.models.base import TextModel
from interlock.wiring.environment import value_of
from interlock.wiring.loading import load

__all__ = ["traced", "traced_model"]

_TRACED = "interlock.judge.traced:Traced"
_CAPTURE = "interlock.judge.traced:Capture"
_TRACED_MODEL = "interlock.models.traced:TracedModel"


def traced(judge: Judge, identity: Identity, provider: str, environ: Mapping[str, str]) -> Judge:
    """Return `judge` telling its calls as spans, where OpenTelemetry is installed; else `judge` itself.

    Requests and answers are told in full only under `INTERLOCK_CAPTURE_CONTENT=1`.
    """
    if find_spec("opentelemetry") is None:
        return judge
    inputs, outputs = _captured(environ)
    capture = load(_CAPTURE)(inputs=inputs, outputs=outputs)
    return cast("Judge", load(_TRACED)(judge, identity=identity, provider=provider, capture=capture))


def traced_model(model: TextModel, name: str, provider: str, environ: Mapping[str, str]) -> TextModel:
    """Return `model` telling its calls as spans below those of the judge that it is read as."""
    if find_spec("opentelemetry") is None:
        return model
    inputs, outputs = _captured(environ)
    made = load(_TRACED_MODEL)(model, name=name, provider=provider, tells_inputs=inputs, tells_outputs=outputs)
    return cast("TextModel", made)


def _captured(environ: Mapping[str, str]) -> tuple[bool, bool]:
    """Return whether requests and whether replies are told in full."""
    is_captured = value_of(environ, "INTERLOCK_CAPTURE_CONTENT") == "1"
    hidden = (_is_true(environ, "OPENINFERENCE_HIDE_INPUTS"), _is_true(environ, "OPENINFERENCE_HIDE_OUTPUTS"))
    return is_captured and not hidden[0], is_captured and not hidden[1]


def _is_true(environ: Mapping[str, str], variable: str) -> bool:
    return (value_of(environ, variable) or "").lower() in ("1", "true")
