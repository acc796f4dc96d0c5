"""Answers measured on a local model: how probable it makes each option's mark, the state evaluated once.

The prompt puts the state first and byte for byte the same, so that further questions about it, and further options,
evaluate only what is new.
Source: backends specification, section 5.3.
"""

from __future__ import annotations

import math
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from interlock.judge.base import Caps, Failure
from interlock.judge.offered import as_text, listed, offered, spelt
from interlock.judge.readings import model_reason
from interlock.judge.readout import ReadOut
from interlock.judge.readout_logprobs import LEAST_MASS
from interlock.models.base import TextReply, Usage
from interlock.models.closing import close
from interlock.models.patience import Clock, within
from interlock.questions import Content, Question

__all__ = ["CAPS", "GgufOptions", "LocalModel", "LocalServer"]

T = TypeVar("T")

CAPS = Caps(max_options=255, max_levels=255, max_questions=1, basis="sequence")
STEM = "Best answer: ["
"""What every mark is read after; its tokens and those of a mark do not depend on the rest of the prompt."""


class LocalServer(Protocol):
    """A loaded model; its methods block."""

    def complete(self, body: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the reply to one completion."""
        ...

    def tokens(self, text: str) -> list[int]:
        """Return the tokens of a text."""
        ...


class LocalModel(Protocol):
    """A model file that runs in this process."""

    id: str

    def run(self, work: Callable[[Any], T]) -> Awaitable[T | Failure]:
        """Return what `work` makes of the loaded model, in the model's own thread."""
        ...


@dataclass(slots=True, kw_only=True)
class _Cost:
    """What the calls of one question evaluated."""

    prompt: int = 0
    cached: int = 0
    written: int = 0

    def add(self, timings: Mapping[str, Any]) -> None:
        self.prompt += int(timings.get("prompt_n", 0)) + int(timings.get("cache_n", 0))
        self.cached += int(timings.get("cache_n", 0))
        self.written += int(timings.get("predicted_n", 0))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Scored:
    """The probability of each mark over the whole vocabulary."""

    masses: tuple[float, ...]
    cost: _Cost


class GgufOptions:
    """Scores the mark `k]` of every option, each token forced by its number."""

    def __init__(self, model: LocalModel, *, budget_s: float, now: Clock) -> None:
        self._model = model
        self._budget_s = budget_s
        self._now = now
        self._marks: dict[int, list[int]] = {}
        """Number of an option → the tokens of its mark."""

    @property
    def caps(self) -> Caps:
        """One question per call; an option costs one short call."""
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
        work = self._model.run(lambda server: self._score(server, prompt, len(outcomes), ends))
        scored = await within(self._budget_s, self._now, work)
        if not isinstance(scored, _Scored):
            return self._without(Failure(reason="deadline") if scored is None else scored)
        return self._read(question, scored)

    async def aclose(self) -> None:
        """Let go of the model."""
        await close(self._model)

    def _score(self, server: LocalServer, prompt: str, options: int, ends: float) -> _Scored | Failure:
        """Return the probability of every mark; runs in the model's thread."""
        for number in range(1, options + 1):
            if number not in self._marks:
                self._marks[number] = _mark_tokens(server, number)
        masses, cost = [], _Cost()
        for number in range(1, options + 1):
            if self._now() >= ends:
                return Failure(reason="deadline")
            reply = server.complete(_forced(prompt, self._marks[number]))
            if "error" in reply:
                return _failure(reply["error"])
            cost.add(reply.get("timings", {}))
            mass = _probability(reply, self._marks[number])
            if mass is None:
                return Failure(reason="no-logprobs")
            masses.append(mass)
        return _Scored(masses=tuple(masses), cost=cost)

    def _read(self, question: Question, scored: _Scored) -> ReadOut:
        total = math.fsum(scored.masses)
        reply = self._reply(scored.cost, failure=None)
        if total < LEAST_MASS:
            return ReadOut(replies=(reply,), reason="low-mass")
        probabilities = [mass / total for mass in scored.masses]
        return ReadOut(replies=(reply,), answer=spelt(question, probabilities), option_mass=min(1.0, total))

    def _without(self, failure: Failure) -> ReadOut:
        reason = model_reason(failure.reason)
        told = None if reason == "no-logprobs" else failure
        return ReadOut(replies=(self._reply(_Cost(), failure=told),), reason=reason)

    def _reply(self, cost: _Cost, *, failure: Failure | None) -> TextReply:
        usage = Usage(input_tokens=cost.prompt, output_tokens=cost.written, cached_input_tokens=cost.cached)
        return TextReply(
            text="",
            finish="stop" if failure is None else "error",
            usage=usage if failure is None else None,
            requested_model=self._model.id,
            served_model=self._model.id if failure is None else None,
            request_id=None,
            failure=failure,
        )


def _mark_tokens(server: LocalServer, number: int) -> list[int]:
    """Return the tokens of `k]` as they follow the stem."""
    stem, whole = server.tokens(STEM), server.tokens(f"{STEM}{number}]")
    return whole[len(stem) :] if whole[: len(stem)] == stem else server.tokens(f"{number}]")


def _forced(prompt: str, tokens: Sequence[int]) -> dict[str, Any]:
    """Return a completion that can write these tokens only; the probabilities reported are those without force."""
    return {
        "prompt": prompt,
        "max_tokens": len(tokens),
        "temperature": 0.0,
        "logprobs": 1,
        "cache_prompt": True,
        "grammar": "root ::= " + " ".join(f"<[{token}]>" for token in tokens),
    }


def _probability(reply: Mapping[str, Any], tokens: Sequence[int]) -> float | None:
    """Return the probability of the forced tokens; None when one of them was not reported."""
    choice: Mapping[str, Any] = next(iter(reply.get("choices", ())), {})
    content = (choice.get("logprobs") or {}).get("content") or ()
    told = [(item.get("id"), item.get("logprob")) for item in content[: len(tokens)]]
    if [token for token, _ in told] != list(tokens) or not all(isinstance(value, int | float) for _, value in told):
        return None
    return math.exp(math.fsum(value for _, value in told))


def _failure(error: Mapping[str, Any]) -> Failure:
    too_large = error.get("type") == "exceed_context_size_error"
    return Failure(reason="too-large" if too_large else "bad-request", status=error.get("code"))
