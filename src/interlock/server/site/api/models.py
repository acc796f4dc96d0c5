"""The shapes that several endpoints share: names in a path, and the pieces of what they give back."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from pydantic import Field, JsonValue

from interlock.server.site.api.endpoint import Closed

__all__ = ["Body", "Name", "Nothing", "RunShort", "ThisRun"]

Name: TypeAlias = Annotated[str, Field(min_length=1, max_length=300)]
Body: TypeAlias = dict[str, JsonValue]
"""A record's own content, as it was written."""


class Nothing(Closed):
    """Takes nothing."""


class ThisRun(Closed):
    """Names a run."""

    run_id: Name = Field(description="Its id, the beginning of one id only, or `last`.")


class RunShort(Closed):
    """One run in short; what its records do not say is null."""

    run_id: str
    state: str = Field(description="One of `running`, `waiting`, `answered`, `delivered`, `undelivered`, `ended`.")
    task: str | None
    started: str | None
    ended: str | None
    halt: str | None
    waiting: str | None = Field(description="`answer` or `resume` where it waits for one, else null.")
    delivered: bool | None
    degraded: bool | None
    answer: str | None
    decisions: int
    records: int
    head: str | None
    imported: bool = Field(description="True for a run that was taken in from a file.")
