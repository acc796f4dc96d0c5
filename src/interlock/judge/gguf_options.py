"""Answers measured on a local model: how probable it makes each option's mark, the state evaluated once.

The prompt puts the state first and byte for byte the same, so that further questions about it, and further options,
evaluate only what is new.
Source: backends specification, section 5.3.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Awaitable, Callable
from typing import Any, Protocol, TypeVar

from interlock.judge.base import Caps, Failure
from interlock.judge.gguf_marks import LocalServer, Scored, score
from interlock.judge.offered import as_text, listed, offered, spelt
from interlock.judge.readings import model_reason
from interlock.judge.readout import ReadOut
from interlock.judge.readout_logprobs import LEAST_MASS
from interlock.models.base import TextReply, Usage
from interlock.models.closing import close
from interlock.models.patience import Clock, within
from interlock.questions import Content, Question

__all__ = ["CAPS", "GgufOptions", "LocalModel"]

T = TypeVar("T")

CAPS = Caps(max_options=255, max_levels=255, max_questions=1, basis="sequence")
STEM = "Best answer: ["
"""What every mark is read after; its tokens and those of a mark do not depend on the rest of the prompt."""


class LocalModel(Protocol):
    """A model file that runs in this process."""

    @property
    def id(self) -> str:
        """The id of the file."""
        ...

    def run(self, work: Callable[[Any], T]) -> Awaitable[T | Failure]:
        """Return what `work` makes of the loaded model, in the model's own thread."""
        ...


class GgufOptions:
    """Scores the mark `k]` of every option."""

    def __init__(self, model: LocalModel, *, budget_s: float, now: Clock) -> None:
        self._model = model
        self._budget_s = budget_s
        self._now = now
        self._marks: dict[int, tuple[int, ...]] = {}
        """Number of an option → the tokens of its mark."""

    @property
    def caps(self) -> Caps:
        """One question per call; an option costs about one token."""
        return CAPS

    async def ask(self, frame_state: Content, question: Question) -> ReadOut:
        """Return the distribution over the marks, or why there is none."""
        outcomes = offered(question)
        lines = listed(outcomes, [f"{at}." for at in range(1, len(outcomes) + 1)])
        prompt = (
            f"State:\n{as_text(frame_state)}\n\nQuestion:\n{as_text(question.instructions)}\n\n"
            f"Options:\n{lines}\n\nGive the number of the best option.\n{STEM}"
        )
        ends = self._now() + self._budget_s
        left = threading.Event()

        def is_over() -> bool:
            return left.is_set() or self._now() >= ends

        work = self._model.run(lambda server: self._score(server, prompt, len(outcomes), is_over))
        try:
            scored = await within(self._budget_s, self._now, work)
        finally:
            left.set()
        if not isinstance(scored, Scored):
            return self._without(Failure(reason="deadline") if scored is None else scored)
        return self._read(question, scored)

    async def aclose(self) -> None:
        """Let go of the model."""
        await close(self._model)

    def _score(self, server: LocalServer, prompt: str, options: int, is_over: Callable[[], bool]) -> Scored | Failure:
        """Return the probability of every mark; runs in the model's thread."""
        numbers = range(1, options + 1)
        for number in numbers:
            if number not in self._marks:
                self._marks[number] = _mark_tokens(server, number)
        return score(server, prompt, [self._marks[number] for number in numbers], is_over=is_over)

    def _read(self, question: Question, scored: Scored) -> ReadOut:
        total = math.fsum(scored.masses)
        reply = self._reply(scored.usage, failure=None)
        if total < LEAST_MASS:
            return ReadOut(replies=(reply,), reason="low-mass")
        probabilities = [mass / total for mass in scored.masses]
        return ReadOut(replies=(reply,), answer=spelt(question, probabilities), option_mass=min(1.0, total))

    def _without(self, failure: Failure) -> ReadOut:
        reason = model_reason(failure.reason)
        told = None if reason == "no-logprobs" else failure
        return ReadOut(replies=(self._reply(None, failure=told),), reason=reason)

    def _reply(self, usage: Usage | None, *, failure: Failure | None) -> TextReply:
        return TextReply(
            text="",
            finish="stop" if failure is None else "error",
            usage=usage,
            requested_model=self._model.id,
            served_model=self._model.id if failure is None else None,
            request_id=None,
            failure=failure,
        )


def _mark_tokens(server: LocalServer, number: int) -> tuple[int, ...]:
    """Return the tokens of `k]` as they follow the stem."""
    stem, whole = server.tokens(STEM), server.tokens(f"{STEM}{number}]")
    return tuple(whole[len(stem) :] if whole[: len(stem)] == stem else server.tokens(f"{number}]"))
