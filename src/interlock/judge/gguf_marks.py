"""How probable a local model makes each of several token sequences after a prompt, no position evaluated twice.

The sequences share their beginnings, so they form a tree: one short call per branching gives the probabilities of
everything that may follow there. Blocks; runs in the model's thread.
Source: backends specification, section 5.3.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from interlock.models.base import Failure, Usage

__all__ = ["LocalServer", "Marks", "Scored", "score"]

CANDIDATES = 100
"""How many tokens a call reports; one that is not among them is asked for by itself."""

Logprobs = Mapping[int, float]


class LocalServer(Protocol):
    """A loaded model; its methods block."""

    def complete(self, body: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the reply to one completion."""
        ...

    def tokens(self, text: str) -> list[int]:
        """Return the tokens of a text."""
        ...


Marks = Sequence[tuple[int, ...]]
"""The tokens of each sequence; none is the beginning of another."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scored:
    """The probability of each sequence over the whole vocabulary, and what was evaluated to know it."""

    masses: tuple[float, ...]
    usage: Usage


@dataclass(slots=True, kw_only=True)
class _Walk:
    """What is known so far about one prompt."""

    server: LocalServer
    prompt: str
    prompt_tokens: int = 0
    cached_tokens: int = 0
    written_tokens: int = 0
    reached: dict[tuple[int, ...], float] = field(default_factory=lambda: {(): 0.0})
    """Beginning of a sequence → its log-probability."""

    def complete(self, before: tuple[int, ...], extra: Mapping[str, Any]) -> Logprobs | Failure:
        """Return the log-probabilities of the tokens reported after `before`, whatever was forced."""
        reply = self.server.complete(
            {
                "prompt": [self.prompt, *before] if before else self.prompt,
                "max_tokens": 1,
                "temperature": 0.0,
                "cache_prompt": True,
                **extra,
            }
        )
        if "error" in reply:
            return _failure(reply["error"])
        timings: Mapping[str, Any] = reply.get("timings", {})
        self.prompt_tokens += int(timings.get("prompt_n", 0)) + int(timings.get("cache_n", 0))
        self.cached_tokens += int(timings.get("cache_n", 0))
        self.written_tokens += int(timings.get("predicted_n", 0))
        return _reported(reply)


def score(server: LocalServer, prompt: str, marks: Marks, *, is_over: Callable[[], bool]) -> Scored | Failure:
    """Return the probability of every sequence after `prompt`.

    `is_over`: asked before every call; once it says so, nothing more is asked of the model.
    """
    walk = _Walk(server=server, prompt=prompt)
    for before in dict.fromkeys(mark[:at] for mark in marks for at in range(len(mark))):
        failure = _branch(walk, before, {mark[len(before)] for mark in marks if _continues(mark, before)}, is_over)
        if failure is not None:
            return failure
    usage = Usage(
        input_tokens=walk.prompt_tokens, output_tokens=walk.written_tokens, cached_input_tokens=walk.cached_tokens
    )
    return Scored(masses=tuple(math.exp(walk.reached[mark]) for mark in marks), usage=usage)


def _branch(walk: _Walk, before: tuple[int, ...], nexts: set[int], is_over: Callable[[], bool]) -> Failure | None:
    """Find out about everything that may follow `before`."""
    if is_over():
        return Failure(reason="deadline")
    told = walk.complete(before, {"logprobs": CANDIDATES})
    if isinstance(told, Failure):
        return told
    for token in sorted(nexts):
        found = told.get(token)
        if found is None:
            forced = walk.complete(before, {"logprobs": 1, "grammar": f"root ::= <[{token}]>"})
            if isinstance(forced, Failure):
                return forced
            found = forced.get(token)
        if found is None:
            return Failure(reason="no-logprobs")
        walk.reached[*before, token] = walk.reached[before] + found
    return None


def _continues(mark: tuple[int, ...], before: tuple[int, ...]) -> bool:
    return len(mark) > len(before) and mark[: len(before)] == before


def _reported(reply: Mapping[str, Any]) -> Logprobs:
    """Return what a reply says of its first token: the one written and the candidates, as llama.cpp measured them."""
    choice: Mapping[str, Any] = next(iter(reply.get("choices", ())), {})
    first: Mapping[str, Any] = next(iter((choice.get("logprobs") or {}).get("content") or ()), {})
    return {
        item["id"]: item["logprob"]
        for item in (first, *first.get("top_logprobs", ()))
        if isinstance(item.get("logprob"), int | float) and isinstance(item.get("id"), int)
    }


def _failure(error: Mapping[str, Any]) -> Failure:
    too_large = error.get("type") == "exceed_context_size_error"
    return Failure(reason="too-large" if too_large else "bad-request", status=error.get("code"))
