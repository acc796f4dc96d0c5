"""One call of a tool: a person is asked where the policy says so, and what is about to happen is on record first.

Source: journal and safety specification, approvals; reference loop specification, pending call.
"""

from __future__ import annotations

import logging

from anyio import to_thread

from interlock.errors import ToolError
from interlock.journal.bodies import (
    CallTarget,
    ToolCall,
    audit_body,
    tool_about_to_run_body,
    tool_result_body,
)
from interlock.loop.events import Call, Event, Returned
from interlock.loop.permission import Permission, target_of
from interlock.loop.setup import Setup
from interlock.loop.state import PendingCall, State
from interlock.pipeline.result import DecisionResult
from interlock.tools.base import Tool
from interlock.tools.execute import check_call, error_text, run_tool
from interlock.tools.files import listed_paths

__all__ = ["Caller", "call_of", "returned"]

log = logging.getLogger("interlock")


class Caller:
    """Runs the calls of one run."""

    def __init__(self, setup: Setup) -> None:
        self._setup = setup
        self._permission = Permission(setup)

    def graded(self, result: DecisionResult) -> None:
        """Keep how the pending call was graded; an approval of an earlier call ends here."""
        self._permission.graded(result)

    async def request(self, state: State, pending: PendingCall) -> Event:
        """Ask a person, unless the call could not work anyway.

        Raises:
            JournalError: it could not be recorded.
        """
        call = call_of(state, pending)
        impossible = check_call(pending.tool, call.arguments)
        if impossible is not None:
            return self._impossible(pending.tool, call, impossible)
        return await self._permission.ask(state, pending.tool, call)

    async def call(self, state: State, effect: Call) -> Event:
        """Run the tool of `effect`; a call that a person has to allow runs only by an approval that still holds.

        Raises:
            HeadMovedError: somebody else went on with the run; the call did not happen.
            JournalError: the call could not be recorded and did not happen, or its result could not.
        """
        tool, call = effect.call.tool, call_of(state, effect.call)
        impossible = check_call(tool, call.arguments)
        if impossible is not None:
            return self._impossible(tool, call, impossible)
        refused = self._permission.use(state, call)
        if refused is not None:
            return refused
        if effect.audit:
            self._audit(call)
        about = tool_about_to_run_body(
            call, approved_by=self._permission.by, idempotent=tool.idempotent, targets=await _targets(tool, call)
        )
        recorder = self._setup.recorder
        recorder.record("tool_about_to_run", about, expected=recorder.last)
        result = await run_tool(tool, call.arguments)
        self._record_result(call, result.text, failed=not result.ok, elapsed_s=result.elapsed_s)
        return returned(tool, call, result.text, failed=not result.ok)

    def _audit(self, call: ToolCall) -> None:
        outcome = self._permission.outcome
        body = audit_body(
            call,
            target=target_of(call),
            rule=None if outcome is None else outcome.rule_text,
            value=None if outcome is None else outcome.value,
        )
        self._setup.recorder.record("audit", body)

    def _impossible(self, tool: Tool, call: ToolCall, error: ToolError) -> Returned:
        """Return the failure of a call that was not made because it cannot work."""
        text = error_text(error.kind, str(error))
        self._record_result(call, text, failed=True, elapsed_s=0.0)
        return returned(tool, call, text, failed=True)

    def _record_result(self, call: ToolCall, text: str, *, failed: bool, elapsed_s: float) -> None:
        self._setup.ledger.steps += 1
        self._setup.recorder.record(
            "tool_result", tool_result_body(call, result=text, failed=failed, elapsed_s=elapsed_s)
        )
        log.info("tool %s: %s in %.3f s", call.tool, "failed" if failed else "ok", elapsed_s)


def call_of(state: State, pending: PendingCall) -> ToolCall:
    """Return the pending call as records name it."""
    return ToolCall(
        step=state.history[-1].step, tool=pending.tool.name, input=pending.input, arguments=pending.arguments or {}
    )


def returned(tool: Tool, call: ToolCall, text: str, *, failed: bool) -> Returned:
    """Return what the loop makes of a result."""
    listed = tuple(listed_paths(text)) if not failed and tool.effect == "list" else None
    read = target_of(call) if not failed and tool.effect == "read" else None
    return Returned(result=text, failed=failed, listed=listed, read=read)


async def _targets(tool: Tool, call: ToolCall) -> tuple[CallTarget, ...]:
    """Return what the call is about to change, as it is now; nothing when it cannot be looked at."""
    if tool.targets is None:
        return ()
    try:
        found = await to_thread.run_sync(tool.targets, call.arguments)
    except Exception as error:  # noqa: BLE001 - foreign code; the call itself is still to come
        log.warning("the targets of %s could not be looked at: %s", tool.name, type(error).__name__)
        return ()
    return tuple(
        CallTarget(path=one.path, exists=one.exists, size_bytes=one.size_bytes, sha256=one.sha256) for one in found
    )
