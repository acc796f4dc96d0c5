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
    approval_answered_body,
    approval_requested_body,
    audit_body,
    call_binding,
    tool_about_to_run_body,
    tool_result_body,
)
from interlock.loop.approval import ApprovalAnswer, ApprovalRequest
from interlock.loop.events import Answered, Call, Event, Returned
from interlock.loop.setup import Setup
from interlock.loop.state import PendingCall, State
from interlock.pipeline.result import DecisionResult
from interlock.tools.base import Tool
from interlock.tools.execute import ToolResult, check_call, error_text, run_tool
from interlock.tools.files import listed_paths

__all__ = ["Caller"]

log = logging.getLogger("interlock")


class Caller:
    """Runs the calls of one run."""

    def __init__(self, setup: Setup) -> None:
        self._setup = setup
        self._graded: DecisionResult | None = None
        self._approved_by: str | None = None

    def graded(self, result: DecisionResult) -> None:
        """Keep how the pending call was graded; an approval of an earlier call ends here."""
        self._graded = result
        self._approved_by = None

    async def request(self, state: State, pending: PendingCall) -> Event:
        """Ask a person, unless the call could not work anyway."""
        call = _record_of(state, pending)
        impossible = check_call(pending.tool, call.arguments)
        if impossible is not None:
            return self._impossible(call, impossible)
        request = self._bound(state, pending, call)
        frame_digest = self._frame_digest()
        self._setup.recorder.record(
            "approval_requested",
            approval_requested_body(
                call,
                binding=request.binding,
                cwd=state.cwd,
                contract_digest=self._setup.contract.digest,
                frame_digest=frame_digest,
                reason=request.reason,
            ),
        )
        answer = await self._answer(request)
        approved = answer.approved and answer.by is not None
        self._setup.recorder.record(
            "approval_answered",
            approval_answered_body(binding=request.binding, approved=approved, by=_by(answer), note=answer.note),
        )
        if not approved:
            return Answered(approved=False, reason=f"`{call.tool}` on `{_target(call)}` was refused by {_by(answer)}")
        self._approved_by = _by(answer)
        return Answered(approved=True)

    async def call(self, state: State, effect: Call) -> Event:
        """Run the tool of `effect`.

        Raises:
            JournalError: the call could not be recorded and did not happen, or its result could not.
        """
        tool, call = effect.call.tool, _record_of(state, effect.call)
        impossible = check_call(tool, call.arguments)
        if impossible is not None:
            return self._impossible(call, impossible)
        if effect.audit:
            self._audit(call)
        about = tool_about_to_run_body(
            call, approved_by=self._approved_by, idempotent=tool.idempotent, targets=await _targets(tool, call)
        )
        self._setup.recorder.record("tool_about_to_run", about)
        result = await run_tool(tool, call.arguments)
        self._record_result(call, result.text, failed=not result.ok, elapsed_s=result.elapsed_s)
        return _returned(tool, call, result)

    async def _answer(self, request: ApprovalRequest) -> ApprovalAnswer:
        approver, ledger = self._setup.approver, self._setup.ledger
        if approver is None:
            return ApprovalAnswer(approved=False, by=None, note="no approver is configured")
        began = ledger.now()
        try:
            return await approver(request)
        except Exception as error:  # noqa: BLE001 - foreign code; whatever it raises approves nothing
            log.warning("the approver raised %s", type(error).__name__)
            return ApprovalAnswer(approved=False, by=None, note=f"the approver raised {type(error).__name__}")
        finally:
            ledger.waited_for_a_person(ledger.now() - began)

    def _bound(self, state: State, pending: PendingCall, call: ToolCall) -> ApprovalRequest:
        binding = call_binding(
            call, cwd=state.cwd, contract_digest=self._setup.contract.digest, frame_digest=self._frame_digest()
        )
        return ApprovalRequest(
            run_id=self._setup.recorder.run_id,
            step=call.step,
            tool=call.tool,
            arguments=call.arguments,
            input=call.input,
            base_risk=pending.tool.base_risk,
            cwd=state.cwd,
            reason=state.reason,
            binding=binding,
        )

    def _frame_digest(self) -> str | None:
        frame = None if self._graded is None else self._graded.frame
        return None if frame is None else frame.digest

    def _audit(self, call: ToolCall) -> None:
        outcome = None if self._graded is None else self._graded.outcome
        body = audit_body(
            call,
            target=_target(call),
            rule=None if outcome is None else outcome.rule_text,
            value=None if outcome is None else outcome.value,
        )
        self._setup.recorder.record("audit", body)

    def _impossible(self, call: ToolCall, error: ToolError) -> Returned:
        """Return the failure of a call that was not made because it cannot work."""
        text = error_text(error.kind, str(error))
        self._record_result(call, text, failed=True, elapsed_s=0.0)
        return Returned(result=text, failed=True)

    def _record_result(self, call: ToolCall, text: str, *, failed: bool, elapsed_s: float) -> None:
        self._setup.ledger.steps += 1
        self._setup.recorder.record(
            "tool_result", tool_result_body(call, result=text, failed=failed, elapsed_s=elapsed_s)
        )
        log.info("tool %s: %s in %.3f s", call.tool, "failed" if failed else "ok", elapsed_s)


def _record_of(state: State, pending: PendingCall) -> ToolCall:
    return ToolCall(
        step=state.history[-1].step, tool=pending.tool.name, input=pending.input, arguments=pending.arguments or {}
    )


def _by(answer: ApprovalAnswer) -> str:
    """Return who answered, or that nobody could and why."""
    return answer.by if answer.by is not None else f"default, nobody could be asked: {answer.note}"


def _target(call: ToolCall) -> str:
    """Return the first line of the input: a path, a pattern, `SOURCE -> TARGET`."""
    return call.input.partition("\n")[0]


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


def _returned(tool: Tool, call: ToolCall, result: ToolResult) -> Returned:
    listed = tuple(listed_paths(result.text)) if result.ok and tool.effect == "list" else None
    read = _target(call) if result.ok and tool.effect == "read" else None
    return Returned(result=result.text, failed=not result.ok, listed=listed, read=read)
