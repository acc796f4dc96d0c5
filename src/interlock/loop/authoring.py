"""The writer's part of a run: drafts, generated inputs, and the facts that go with them.

Whatever a writer or a host's function raises is a failure that is named, never an answer.
Source: reference loop specification, generation and host-checked facts.
"""

from __future__ import annotations

import logging

from anyio import to_thread

from interlock.errors import JournalError
from interlock.journal.bodies import error_body, generation_body
from interlock.journal.records import encode_body
from interlock.loop.events import Drafted, Event, Generate, InputProvided
from interlock.loop.evidence import evidence
from interlock.loop.setup import Setup
from interlock.loop.state import State, cells
from interlock.loop.writer import Draft, ProvidedInput, WriteRequest
from interlock.tools.base import Tool

__all__ = ["Author"]

log = logging.getLogger("interlock")


class Author:
    """Has text written for one run."""

    def __init__(self, setup: Setup) -> None:
        self._setup = setup

    async def write(self, state: State, effect: Generate) -> Event:
        """Return the draft of an answer; an empty one is a failure."""
        began = self._setup.ledger.now()
        draft = await self._draft(await self._request(state, effect))
        failure = draft.failure or (None if draft.text.strip() else "it returned an empty answer")
        self._setup.ledger.wrote(draft.usage, degraded=draft.degraded)
        self._setup.recorder.record(
            "generation",
            generation_body(
                writer=self._setup.writer.id,
                purpose="answer" if effect.revision_of is None else "revision",
                text=None if failure else draft.text,
                degraded=draft.degraded,
                truncated=draft.truncated,
                failure=failure,
                usage=draft.usage,
                elapsed_s=self._setup.ledger.now() - began,
            ),
        )
        named = f"writer `{self._setup.writer.id}`: {failure}" if failure else None
        return Drafted(text=draft.text, failure=named, cut=draft.truncated)

    async def provide(self, state: State, tool: Tool) -> Event:
        """Return the generated input of `tool`: by the host when it can, else by the writer."""
        began, by_host = self._setup.ledger.now(), self._setup.host.provide_input is not None
        if by_host:
            given = await self._by_host(state, tool)
        else:
            given = await self._input(tool, await self._request(state, Generate()))
            self._setup.ledger.wrote(given.usage, degraded=False)
        self._setup.recorder.record(
            "generation",
            generation_body(
                writer=None if by_host else self._setup.writer.id,
                purpose="input",
                text=None if given.arguments is None else encode_body(given.arguments),
                degraded=False,
                truncated=False,
                failure=given.reason,
                usage=given.usage,
                elapsed_s=self._setup.ledger.now() - began,
            ),
        )
        return InputProvided(arguments=given.arguments, reason=None if given.arguments is not None else given.reason)

    async def facts(self, state: State) -> tuple[str, ...]:
        """Return what the host finds true of the world; nothing when it cannot look."""
        look = self._setup.host.facts
        if look is None:
            return ()
        try:
            return tuple(await to_thread.run_sync(look, cells(state)))
        except Exception as error:  # noqa: BLE001 - a host's function; without facts less is proven, never more
            self._note("facts", error)
            return ()

    async def _request(self, state: State, effect: Generate) -> WriteRequest:
        return WriteRequest(
            system=self._setup.contract.generator,
            task=state.task,
            earlier=state.earlier,
            evidence=evidence(state.finished),
            facts=await self.facts(state),
            halt=state.halt or "",
            revision_of=effect.revision_of,
            reason=effect.reason,
        )

    async def _draft(self, request: WriteRequest) -> Draft:
        try:
            return await self._setup.writer.write(request)
        except Exception as error:  # noqa: BLE001 - foreign code; whatever it raises is its failure
            self._note("writer", error)
            return Draft(text="", degraded=False, usage=None, failure=f"it raised {type(error).__name__}")

    async def _input(self, tool: Tool, request: WriteRequest) -> ProvidedInput:
        try:
            return await self._setup.writer.provide(tool, request)
        except Exception as error:  # noqa: BLE001 - foreign code; whatever it raises is its failure
            self._note("writer", error)
            return ProvidedInput(arguments=None, reason=f"the writer raised {type(error).__name__}", usage=None)

    async def _by_host(self, state: State, tool: Tool) -> ProvidedInput:
        assert self._setup.host.provide_input is not None  # noqa: S101 - asked for by the caller
        try:
            arguments = await self._setup.host.provide_input(tool.name, cells(state))
        except Exception as error:  # noqa: BLE001 - a host's function; no input is better than a guessed one
            self._note("provide_input", error)
            return ProvidedInput(arguments=None, reason=f"provide_input raised {type(error).__name__}", usage=None)
        if arguments is None:
            return ProvidedInput(arguments=None, reason=f"the host gave no input for `{tool.name}`", usage=None)
        try:
            encode_body(arguments)
        except JournalError:
            return ProvidedInput(arguments=None, reason=f"the host's input for `{tool.name}` is not JSON", usage=None)
        return ProvidedInput(arguments=arguments, reason=None, usage=None)

    def _note(self, where: str, error: Exception) -> None:
        kind = type(error).__name__
        log.warning("%s raised %s", where, kind)
        self._setup.recorder.record("error", error_body(where=where, kind=kind, message=f"{where} raised {kind}"))
