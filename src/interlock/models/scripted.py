"""A text model that says what it was told to and remembers what it was asked.

For tests, examples and demonstrations.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence

from interlock._canonical import compact_json, sha256_hex
from interlock.models.base import NOT_TEXT, Delta, Done, Failure, TextEvent, TextReply, TextRequest

__all__ = ["ScriptedModel"]


class ScriptedModel:
    """Replies from a list, one item per request, the last one again and again; None is a reply that is not text."""

    def __init__(self, replies: Sequence[str | TextReply | Failure | None], *, model: str = "scripted") -> None:
        self.id = model
        self.requests: list[TextRequest] = []
        """Every request, in order."""
        self._replies = list(replies)

    async def generate(self, request: TextRequest) -> TextReply:
        """Return the next reply.

        Raises:
            AssertionError: the list is empty; the message names the digest of the request.
        """
        self.requests.append(request)
        if not self._replies:
            raise AssertionError(f"scripted model: no reply is there for request {_digest(request)}; add one")
        item = self._replies[min(len(self.requests), len(self._replies)) - 1]
        if isinstance(item, TextReply):
            return item
        failure = Failure(reason=NOT_TEXT) if item is None else item if isinstance(item, Failure) else None
        return TextReply(
            text=item if isinstance(item, str) else "",
            finish="error" if failure else "stop",
            usage=None,
            requested_model=self.id,
            served_model=None if failure else self.id,
            request_id=None,
            failure=failure,
        )

    async def stream(self, request: TextRequest) -> AsyncIterator[TextEvent]:
        """Yield the next reply word by word, then the whole of it."""
        reply = await self.generate(request)
        for piece in _words(reply.text):
            yield Delta(text=piece)
        yield Done(reply=reply)


def _words(text: str) -> list[str]:
    return [piece + " " for piece in text.split(" ")[:-1]] + text.split(" ")[-1:] if text else []


def _digest(request: TextRequest) -> str:
    """Return 16 hex characters over what the request says."""
    said = [[message.role, repr(message.content)] for message in request.messages]
    return sha256_hex(compact_json([said, request.schema]))[:16]
