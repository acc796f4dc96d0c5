"""Runs a goal to its end: decide, call, observe, and stop at each limit by its name.

The only place of the engine that calls tools and hosts, and writes records.
Source: decision-engine specification, depth.
"""

from __future__ import annotations

import functools
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

from interlock._canonical import compact_json
from interlock.actions import FINISH, REPLAN, TOOL_CALL, ActionDecision, ActionSpace, ToolSpec, check_tools
from interlock.diagnostics import did_you_mean
from interlock.engine.decide import EngineRuntime, decide
from interlock.engine.decided import Decided
from interlock.engine.limits import Limit, Limits, Used, budget_left, reached
from interlock.engine.meter import LimitReached, Meter
from interlock.engine.modes import STANDARD_OPTIONS, EngineOptions
from interlock.engine.options import STANDARD_RUN, Handler, RunOptions
from interlock.engine.progress import MAX_REPLANS, MAX_SAME_RESULTS, Progress
from interlock.engine.records import action_body, ended_body, started_body
from interlock.engine.result import EngineResult
from interlock.engine.tools import EngineTool, ToolOutcome, call_tool, engine_tools
from interlock.engine.turn import Turn
from interlock.errors import ModelError
from interlock.journal.base import Journal
from interlock.journal.bodies import ToolCall, budget_body, tool_about_to_run_body, tool_result_body
from interlock.journal.recording import OnEvent, Recorder
from interlock.journal.records import Body, EventType, make_run_id
from interlock.pipeline.sharedloop import run_anywhere
from interlock.prompts import PromptPack
from interlock.questions import Json

__all__ = ["arun_engine", "run_engine"]

_CIRCLES: Mapping[str, str] = {
    "same_result": f"one call gave one result {MAX_SAME_RESULTS} times",
    "replan": f"{MAX_REPLANS} replans without a tool call between them",
}


def run_engine(
    goal: str,
    tools: Sequence[object] | Mapping[str, object],
    *,
    runtime: EngineRuntime,
    pack: PromptPack,
    options: EngineOptions = STANDARD_OPTIONS,
    run: RunOptions = STANDARD_RUN,
    journal: Journal | None = None,
    on_event: OnEvent | None = None,
) -> EngineResult:
    """Pursue `goal` until an action, a limit, a breaker or a failure of the model ends it.

    Raises:
        TypeError: the runtime has no text model, or a tool cannot be called.
        ValueError: names of tools repeat or are names of actions, a tool would need an approval, or a handler is for no
            action that the host carries out.
        PromptError: the pack is not of its form.
        JournalError: a record could not be written.
    """
    call = functools.partial(
        arun_engine,
        goal,
        tools,
        runtime=runtime,
        pack=pack,
        options=options,
        run=run,
        journal=journal,
        on_event=on_event,
    )
    return run_anywhere(call)


async def arun_engine(
    goal: str,
    tools: Sequence[object] | Mapping[str, object],
    *,
    runtime: EngineRuntime,
    pack: PromptPack,
    options: EngineOptions = STANDARD_OPTIONS,
    run: RunOptions = STANDARD_RUN,
    journal: Journal | None = None,
    on_event: OnEvent | None = None,
) -> EngineResult:
    """The coroutine form of `run_engine`."""
    listed = engine_tools(tools, context=run.context, runtime=runtime, timeout_s=run.tool_timeout_s)
    check_tools([tool.spec for tool in listed], options.space)
    _check_handlers(run.handlers, options.space)
    uncallable = next((tool.spec.name for tool in listed if tool.call is None), None)
    if uncallable is not None:
        raise TypeError(f"tool `{uncallable}` is only declared; a run needs tools that can be called")
    recorder = None if journal is None else _recorder(journal, on_event)
    started = _Run(
        goal=goal,
        tools={tool.spec.name: tool for tool in listed},
        runtime=runtime,
        pack=pack,
        options=options,
        run=run,
        recorder=recorder,
        meter=Meter(run.limits, run.prices),
    )
    return await started.to_end()


@dataclass(slots=True, kw_only=True)
class _Run:
    """One run while it goes on."""

    goal: str
    tools: Mapping[str, EngineTool]
    runtime: EngineRuntime
    pack: PromptPack
    options: EngineOptions
    run: RunOptions
    recorder: Recorder | None
    meter: Meter
    decided: list[Decided] = field(default_factory=list)
    progress: Progress = field(default_factory=Progress)

    async def to_end(self) -> EngineResult:
        """Decide and act until something ends the run; what cannot be asked for is refused before a record is made."""
        self._turn().messages(self.options.mode)
        self._record("engine_started", self._started())
        try:
            while True:
                ended = await self._step()
                if ended is not None:
                    return self._ended(ended)
        except LimitReached as reached_limit:
            return self._ended(self._at_limit(reached_limit.limit, before="model call"))
        except ModelError as error:
            return self._ended(_End(halt=f"model:{error.reason}", reason=str(error)))

    async def _step(self) -> _End | None:
        limit = reached(self.run.limits, self.meter.used)
        if limit is not None:
            return self._at_limit(limit, before="decision")
        shown = tuple(item.id for item in self.progress.observations)
        decided = await decide(self._turn(), self.runtime, waiting=self.run.waiting, meter=self.meter)
        self.meter.count(steps=1)
        self.decided.append(decided)
        self._record("action", action_body(decided, len(self.decided), shown))
        if decided.fell:
            self.options = replace(self.options, mode=decided.mode)
        return await self._act(decided.decision)

    def _turn(self) -> Turn:
        state: dict[str, Json] = {
            "goal": self.goal,
            "memory_summary": self.progress.memory(self.run.memory_summary),
            "budget": budget_left(self.run.limits, self.meter.used),
            "last_error": self.progress.last_error,
            "plan": self.progress.plan,
        }
        return Turn(
            state=state,
            tools=tuple(tool.spec for tool in self.tools.values()),
            pack=self.pack,
            options=self.options,
            observations=tuple(self.progress.observations),
            failed_calls=dict(self.progress.failed_calls),
            max_retries=self.run.max_retries,
        )

    async def _act(self, decision: ActionDecision) -> _End | None:
        if decision.action == TOOL_CALL:
            return await self._call(decision)
        if decision.action == REPLAN:
            return _circle(self.progress.replanned(decision))
        handler = self.run.handlers.get(decision.action)
        if decision.action == FINISH or handler is None:
            return _End(halt=decision.action, final=decision.final)
        await self._observe_host(decision, handler)
        return None

    async def _call(self, decision: ActionDecision) -> _End | None:
        used, limits = self.meter.used, self.run.limits
        if used.tool_calls >= limits.max_tool_calls:
            return self._at_limit("max_tool_calls", before="tool call")
        self.meter.count(tool_calls=1)
        arguments = decision.tool_input or {}
        outcome = await self._called(self.tools[str(decision.tool)], arguments)
        return _circle(self.progress.called(str(decision.tool), arguments, outcome))

    async def _called(self, tool: EngineTool, arguments: Mapping[str, Json]) -> ToolOutcome:
        call = ToolCall(step=len(self.decided), tool=tool.spec.name, input=compact_json(arguments), arguments=arguments)
        self._record("tool_about_to_run", tool_about_to_run_body(call, approved_by=None, idempotent=False, targets=()))
        started = self.run.waiting.now()
        outcome = await call_tool(tool, arguments)
        elapsed_s = self.run.waiting.now() - started
        self._record(
            "tool_result", tool_result_body(call, result=outcome.text, failed=outcome.failed, elapsed_s=elapsed_s)
        )
        return outcome

    async def _observe_host(self, decision: ActionDecision, handler: Handler) -> None:
        spec = ToolSpec(name=decision.action, description="", parameters={})
        host = EngineTool(spec=spec, call=lambda _: handler(str(decision.final)))
        self.progress.observed(decision.action, await call_tool(host, {}))

    def _at_limit(self, limit: Limit, *, before: str) -> _End:
        used, most = _amounts(limit, self.run.limits, self.meter.used)
        self._record("budget", budget_body(budget=limit, limit=most, used=used or 0.0, before=before))
        if used is None:
            return _End(halt=limit, reason="the model reports no cost; give prices, or lift the limit")
        return _End(halt=limit, reason=f"{used:g} of {most:g} before the next {before}")

    def _ended(self, end: _End) -> EngineResult:
        result = EngineResult(
            halt=end.halt,
            final=end.final,
            reason=end.reason,
            decided=tuple(self.decided),
            observations=tuple(self.progress.observations),
            plan=self.progress.plan,
            failed_plans=tuple(self.progress.failed_plans),
            used=self.meter.used,
            run_id=None if self.recorder is None else self.recorder.run_id,
            head=None,
        )
        head = self._record("engine_ended", ended_body(result))
        return replace(result, head=head)

    def _started(self) -> Body:
        return started_body(
            goal=self.goal,
            memory_summary=self.run.memory_summary,
            pack=self.pack,
            tools=tuple(self.tools),
            options=self.options,
            limits=self.run.limits,
            max_retries=self.run.max_retries,
            origin=self.run.origin,
        )

    def _record(self, kind: EventType, body: Body) -> str | None:
        """Write a record and return its hash; None without a journal."""
        return None if self.recorder is None else self.recorder.record(kind, body).hash


@dataclass(frozen=True, slots=True, kw_only=True)
class _End:
    """Why a run ends."""

    halt: str
    final: str | None = None
    reason: str | None = None


def _check_handlers(handlers: Mapping[str, Handler], space: ActionSpace) -> None:
    carried_out = [name for name in space.names if name not in (FINISH, REPLAN, TOOL_CALL)]
    wrong = next((name for name in handlers if name not in carried_out), None)
    if wrong is not None:
        raise ValueError(f"handlers: the host carries out no action `{wrong}`; {did_you_mean(wrong, carried_out)}")


def _circle(why: str | None) -> _End | None:
    return None if why is None else _End(halt=f"breaker:{why}", reason=_CIRCLES[why])


def _amounts(limit: Limit, limits: Limits, used: Used) -> tuple[float | None, float]:
    """Return how much of a limit is used, None where it cannot be known, and the limit."""
    amounts: Mapping[Limit, tuple[Any, Any]] = {
        "max_steps": (used.steps, limits.max_steps),
        "max_tool_calls": (used.tool_calls, limits.max_tool_calls),
        "max_tokens": (used.tokens, limits.max_tokens),
        "max_cost_usd": (used.cost_usd, limits.max_cost_usd),
    }
    spent, most = amounts[limit]
    return None if spent is None else float(spent), float(most)


def _recorder(journal: Journal, on_event: OnEvent | None) -> Recorder:
    return Recorder(journal, make_run_id(_now(), secrets.token_hex(4)), clock=_now, on_event=on_event)


def _now() -> datetime:
    return datetime.now(UTC)
