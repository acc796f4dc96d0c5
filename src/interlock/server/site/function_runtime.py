"""What functions called from the page run on: the first text model and the first judge of the desk that can serve."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass

from interlock.agents import Runtime
from interlock.agents.approving import Approver
from interlock.errors import SettingsError
from interlock.judge.base import Judge
from interlock.models.base import TextEvent, TextModel, TextReply, TextRequest
from interlock.server.site.desk import Desk
from interlock.server.site.function_view import CONTEXT_NAME
from interlock.wiring import make_judge, make_text_model

__all__ = ["Provided", "make_runtime", "provided"]

_WRITES_NO_FREE_TEXT = ("extractive",)
_ANSWERS_NO_MENU = ("rules", "human")
"""One knows the questions of the reference loop alone, the other asks at the terminal of the server."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Provided:
    """Ids of what a function may ask; None where the desk has nothing."""

    model: str | None
    judge: str | None


def provided(desk: Desk) -> Provided:
    """Return what functions of this desk may ask."""
    return Provided(
        model=next((id_ for id_ in desk.writers if _provider(id_) not in _WRITES_NO_FREE_TEXT), None),
        judge=next((id_ for id_ in desk.judges if _provider(id_) not in _ANSWERS_NO_MENU), None),
    )


def make_runtime(desk: Desk, approver: Approver) -> Runtime:
    """Return a Runtime for one call; where the desk has no text model, a call that asks one says so.

    Raises:
        SettingsError: the model or the judge cannot be made.
    """
    found = provided(desk)
    model: TextModel = _Missing()
    if found.model is not None:
        model = make_text_model(found.model, environ=desk.environ)
    judge: Judge | None = None
    if found.judge is not None:
        judge = make_judge(found.judge, environ=desk.environ, tools={}, options=desk.settings.judging)
    return Runtime(model, judge=judge, approver=approver, context_name=CONTEXT_NAME)


class _Missing:
    """Stands where there is no text model."""

    async def generate(self, _: TextRequest) -> TextReply:
        """Say what is missing."""
        raise SettingsError(
            "this function asks a text model, and this server has none; start it with `--writer openai:MODEL`"
        )

    def stream(self, _: TextRequest) -> AsyncIterator[TextEvent]:
        """Say what is missing."""
        raise SettingsError("this server has no text model; start it with `--writer openai:MODEL`")


def _provider(id_: str) -> str:
    return id_.partition(":")[0]
