"""A decision model that runs in this process: llama.cpp answers System One requests itself, without a readout.

Stands where HTTP stands for a server, so that requests are written and answers checked in the same way.
Source: backends specification, section 5.3.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Protocol, TypeVar

from interlock._canonical import compact_json
from interlock.judge.base import Caps, Failure
from interlock.judge.profile import Profile
from interlock.judge.sending import HttpReply
from interlock.models.closing import close

__all__ = ["CAPS", "DecisionModel", "DecisionServer", "LocalTransport", "decision_profile"]

T = TypeVar("T")

CAPS = Caps(max_options=255, max_levels=10, max_questions=1, joint_reads=True)
"""One question at a time, like any server that nobody has measured."""
_PROFILE = Profile(
    name="gguf",
    wire="systemone",
    base=None,
    path="",
    key_env="",
    key_required=False,
    base_env=None,
    model_env=None,
    alias=None,
    bare_label=False,
    caps=CAPS,
)


def decision_profile() -> Profile:
    """Return what a decision model in this process is like."""
    return _PROFILE


class DecisionServer(Protocol):
    """A loaded model; its methods block."""

    def decide(self, body: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the reply to one System One request, or an error."""
        ...


class DecisionModel(Protocol):
    """A model file that runs in this process."""

    def run(self, work: Callable[[Any], T]) -> Awaitable[T | Failure]:
        """Return what `work` makes of the loaded model, in the model's own thread."""
        ...


class LocalTransport:
    """Carries requests to a model in this process."""

    def __init__(self, model: DecisionModel) -> None:
        self._model = model

    async def post(self, _url: str, body: bytes, _headers: Mapping[str, str], /) -> HttpReply | Failure:
        """Return the model's reply; there is no address and no header."""
        asked = json.loads(body)

        def decide(server: DecisionServer) -> Mapping[str, Any]:
            return server.decide(asked)

        reply = await self._model.run(decide)
        if isinstance(reply, Failure):
            return Failure(reason="not-supported") if reply.reason == "not-loaded" else reply
        error = reply.get("error")
        status = int(error.get("code", 500)) if isinstance(error, Mapping) else 200
        return HttpReply(status=status, headers={}, body=compact_json(reply).encode())

    async def get(self, _url: str, _headers: Mapping[str, str], /) -> HttpReply | Failure:
        """Return that there is nothing to get."""
        return Failure(reason="not-found")

    async def aclose(self) -> None:
        """Let go of the model."""
        await close(self._model)
