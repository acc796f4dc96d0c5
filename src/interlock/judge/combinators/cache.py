"""Gives the answer that the same question on the same state already has.

Source: backends specification, section 6.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Protocol

from interlock.judge.base import Caps, Judge, JudgeReply, QuestionId, Reading, Usage
from interlock.judge.readings import Identity, digest_of
from interlock.models.closing import close
from interlock.questions import Content, Question

__all__ = ["MOST_KEPT", "Cache", "Kept", "MemoryStore", "Store"]

MOST_KEPT = 4096
"""So many answers stay in memory, those used last."""

_NEVER = frozenset({"person", "single"})
"""Bases of answers that hold for one occasion: a person's, and a choice that was none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """One answer with the model that gave it."""

    reading: Reading
    served_model: str | None


class Store(Protocol):
    """Where answers are kept by key; what was put may be gone."""

    def get(self, key: str, question: Question) -> Kept | None:
        """Return what was kept for a question, None when nothing is."""
        ...

    def put(self, key: str, kept: Kept) -> None:
        """Keep an answer."""
        ...

    def close(self) -> None:
        """Let go of what is held open."""
        ...


class MemoryStore:
    """Keeps the answers used last, for the life of the process."""

    def __init__(self, most: int = MOST_KEPT) -> None:
        self._most = most
        self._kept: OrderedDict[str, Kept] = OrderedDict()

    def get(self, key: str, question: Question) -> Kept | None:  # noqa: ARG002 -- the signature of the role
        """Return what was kept; it counts as used."""
        kept = self._kept.get(key)
        if kept is not None:
            self._kept.move_to_end(key)
        return kept

    def put(self, key: str, kept: Kept) -> None:
        """Keep an answer and forget the one unused for longest when there are too many."""
        self._kept[key] = kept
        self._kept.move_to_end(key)
        if len(self._kept) > self._most:
            self._kept.popitem(last=False)

    def close(self) -> None:
        """Forget everything."""
        self._kept.clear()


class Cache:
    """Asks only what is not kept; keeps only answers that are not degraded."""

    def __init__(self, inner: Judge, *, identity: Identity, store: Store) -> None:
        self._inner = inner
        self._identity = identity
        self._store = store

    @property
    def caps(self) -> Caps:
        """What one request may hold."""
        return self._inner.caps

    async def answer(self, frame_state: Content, questions: Mapping[QuestionId, Question]) -> JudgeReply:
        """Return kept answers beside fresh ones; answers of different models are never mixed."""
        keys = self._keys(frame_state, questions)
        found = {id_: self._store.get(key, questions[id_]) for id_, key in keys.items()}
        hits = {id_: kept for id_, kept in found.items() if kept is not None}
        models = {kept.served_model for kept in hits.values()}
        if not hits or len(models) > 1:
            return self._remember(keys, await self._inner.answer(frame_state, questions))
        left = {id_: question for id_, question in questions.items() if id_ not in hits}
        digest = digest_of(self._identity, frame_state, questions)
        if not left:
            return self._kept_reply({id_: kept.reading for id_, kept in hits.items()}, models.pop(), digest)
        reply = await self._inner.answer(frame_state, left)
        if reply.served_model is not None and models != {reply.served_model}:
            return self._remember(keys, await self._inner.answer(frame_state, questions))
        self._remember(keys, reply)
        both = {id_: kept.reading for id_, kept in hits.items()} | dict(reply.readings)
        return replace(reply, readings={id_: both[id_] for id_ in questions}, failure=None, request_digest=digest)

    async def aclose(self) -> None:
        """Close the judge inside and what is kept."""
        await close(self._inner)
        self._store.close()

    def _keys(self, frame_state: Content, questions: Mapping[QuestionId, Question]) -> dict[QuestionId, str]:
        """Return a key per question; where questions move each other the key is that of the whole request.

        A request that has no digest has no keys: nothing of it is kept.
        """
        whole = digest_of(self._identity, frame_state, questions)
        if not whole:
            return {}
        if self.caps.joint_reads:
            return {id_: f"{self._identity.judge} {whole} {at}" for at, id_ in enumerate(questions)}
        return {
            id_: f"{self._identity.judge} {digest_of(self._identity, frame_state, {id_: question})}"
            for id_, question in questions.items()
        }

    def _remember(self, keys: Mapping[QuestionId, str], reply: JudgeReply) -> JudgeReply:
        for id_, reading in reply.readings.items():
            if id_ in keys and reading.kind == "answered" and not reading.degraded and _may_stand(reading):
                self._store.put(keys[id_], Kept(reading=reading, served_model=reply.served_model))
        return reply

    def _kept_reply(self, readings: Mapping[QuestionId, Reading], model: str | None, digest: str) -> JudgeReply:
        return JudgeReply(
            readings=readings,
            failure=None,
            requested_model=self._identity.model,
            served_model=model,
            request_id=None,
            request_digest=digest,
            usage=Usage(input_tokens=0, output_tokens=0),
            attempts=0,
            elapsed_s=0.0,
            wire=self._identity.wire,
            readout=self._identity.readout,
        )


def _may_stand(reading: Reading) -> bool:
    return reading.answer is not None and reading.answer.basis not in _NEVER
