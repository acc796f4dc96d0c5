"""A writer that writes what it was told to and remembers what it was asked.

For tests, examples and demonstrations.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from interlock.judge.base import Usage
from interlock.loop.writer import Draft, ProvidedInput, WriteRequest
from interlock.questions import Json
from interlock.tools.base import Tool

__all__ = ["ScriptedWriter"]


class ScriptedWriter:
    """Writes from a script: drafts and inputs in order, of each the last one again and again."""

    id = "scripted"

    def __init__(
        self,
        drafts: Sequence[str | Draft],
        inputs: Sequence[Mapping[str, Json] | None] = (),
        *,
        usage: Usage | None = None,
    ) -> None:
        self.requests: list[WriteRequest] = []
        """Every request for a draft, in order."""
        self.provided: list[str] = []
        """The name of every tool that an input was asked for, in order."""
        self._drafts = drafts
        self._inputs = inputs
        self._usage = usage

    async def write(self, request: WriteRequest) -> Draft:
        """Return the next draft; without one the writer has failed."""
        at = min(len(self.requests), len(self._drafts) - 1)
        self.requests.append(request)
        if at < 0:
            return Draft(text="", degraded=False, usage=self._usage, failure="the script holds no draft")
        given = self._drafts[at]
        return given if isinstance(given, Draft) else Draft(text=given, degraded=False, usage=self._usage)

    async def provide(self, tool: Tool, request: WriteRequest) -> ProvidedInput:  # noqa: ARG002 -- the seam's signature
        """Return the next input; without one it is unclear."""
        at = min(len(self.provided), len(self._inputs) - 1)
        self.provided.append(tool.name)
        arguments = self._inputs[at] if at >= 0 else None
        reason = "the script holds no input" if arguments is None else None
        return ProvidedInput(arguments=arguments, reason=reason, usage=self._usage)
