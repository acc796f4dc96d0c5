"""One endpoint as a value: what it takes, what it gives back, and what it may refuse with.

Routes and the OpenAPI document are both made from it. Knows nothing of requests.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict

from interlock.questions import Json

__all__ = ["REFUSALS", "Closed", "Endpoint", "Failed", "Given", "Handle", "Method", "Stream"]

Method: TypeAlias = Literal["GET", "POST"]
Given: TypeAlias = Mapping[str, Json]
"""What an endpoint gives back; its model says what that must be."""
Handle: TypeAlias = Callable[[Any], Given]
"""Takes the model that the endpoint names; may block, since it is called in a thread."""
Stream: TypeAlias = Callable[[Any], AsyncIterator[str]]

REFUSALS: Mapping[int, str] = {
    400: "The request is malformed: its body is not JSON, repeats a key or is nested too deep.",
    401: "The server asks for a key, and none or another one was sent.",
    403: "The request comes from a page of another origin.",
    404: "There is none of that name.",
    405: "The path does not take this method.",
    409: "It cannot be done as things stand.",
    413: "The body is too long.",
    415: "The body is not `application/json`.",
    421: "The server does not go by the name that it was called by.",
    422: "A value is missing, unknown, of another type or out of range.",
}
"""Status → what it means, wherever it is given."""


class Closed(BaseModel):
    """A model that takes no other fields than its own, and does not turn one type into another."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, hide_input_in_errors=True)


class Failed(Exception):  # noqa: N818 -- a status and a text, not a fault of the program
    """What was asked is refused."""

    def __init__(self, status: int, says: str) -> None:
        super().__init__(says)
        self.status = status


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """One method of one path; it has a `handle`, or a `stream` of server-sent events."""

    method: Method
    path: str
    """With `{name}` for each field of `takes` that stands in the path."""
    name: str
    """Unique among all endpoints."""
    says: str
    """What it does, as one sentence."""
    tag: str
    takes: type[Closed]
    """The fields that are not in the path come from the query with GET, and from the body with POST."""
    gives: type[Closed]
    """Of a stream: the data of every event."""
    handle: Handle | None = None
    stream: Stream | None = None
    is_heavy: bool = False
    """True when a hostile request can keep a thread busy for seconds: one such request is handled at a time."""
    status: int = 200
    refusals: tuple[int, ...] = ()
    """Those of its own, besides the ones that follow from its method and fields."""

    @property
    def in_path(self) -> tuple[str, ...]:
        """The fields that stand in the path, in order."""
        return tuple(part[1:-1] for part in self.path.split("/") if part.startswith("{"))

    @property
    def beside(self) -> tuple[str, ...]:
        """The fields that do not stand in the path."""
        return tuple(name for name in self.takes.model_fields if name not in self.in_path)

    @property
    def statuses(self) -> tuple[int, ...]:
        """Every status with which it refuses."""
        found = {400, 401, 403, 405, 413, 421, 422, *self.refusals}
        if self.method == "POST":
            found.add(415)
        if self.in_path:
            found.add(404)
        return tuple(sorted(found))
