"""Runs one call of an Agent method: binding, node, approval, cache, time limit.

Source: next-step specification, sections 2, 14 and 16.
"""

from __future__ import annotations

import asyncio
import contextvars
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from interlock.agents.approving import ApprovalRequest, require_approval
from interlock.agents.binding import Abandoned, current, entered
from interlock.agents.cache import ResultCache, cache_key
from interlock.agents.session import OpenNode, Session
from interlock.errors import Cancelled, FunctionTimeout
from interlock.functions.metadata import FunctionMetadata

__all__ = ["MethodCall", "acall_method", "call_method"]

CACHE_TTL_S = 300.0


@dataclass(frozen=True, slots=True, kw_only=True)
class MethodCall:
    """One call about to run."""

    described: FunctionMetadata
    owner: Any
    """The Agent instance."""
    runtime: Any
    """The Runtime it runs on; None when there is none anywhere."""
    body: Callable[[], Any]
    """The method as written, its arguments bound."""
    values: Mapping[str, object]
    """Every argument by name, defaults applied, injected ones left out."""
    cache: ResultCache
    agent_tools: tuple[Any, ...]
    """The owner's other tool methods."""
    skills: str

    @property
    def now(self) -> Callable[[], float]:
        """The clock it runs on."""
        clock: Callable[[], float] = time.monotonic if self.runtime is None else self.runtime.session.now
        return clock

    @property
    def timeout_s(self) -> float | None:
        """Its own time limit."""
        limit = self.described.options.get("timeout")
        return limit if isinstance(limit, int | float) else None


@dataclass(slots=True)
class _Open:
    """A call that has begun."""

    session: Session | None
    node: OpenNode | None
    abandoned: Abandoned = field(default_factory=Abandoned)

    def ends(self, status: Any, output: object) -> None:  # noqa: ANN401  (a NodeStatus)
        if self.session is not None and self.node is not None:
            self.session.exit(self.node, status, output)


def call_method(call: MethodCall) -> Any:  # noqa: ANN401  (whatever the method returns)
    """Run a plain method.

    Raises:
        ApprovalDenied: it requires approval and did not get it.
        FunctionTimeout: it took longer than its `timeout`.
    """
    key = _key(call)
    kept = None if key is None else call.cache.get(key, call.now())
    if kept is not None:
        return kept[0]
    with _entered(call) as opened:
        result = call.body() if call.timeout_s is None else _in_thread(call, opened, call.timeout_s)
        opened.ends("ok", result)
    _keep(call, key, result)
    return result


async def acall_method(call: MethodCall) -> Any:  # noqa: ANN401  (whatever the method returns)
    """Run an async method; as `call_method`, and a call that is out of time is really cancelled."""
    key = _key(call)
    kept = None if key is None else call.cache.get(key, call.now())
    if kept is not None:
        return kept[0]
    with _entered(call) as opened:
        result = await _within(call, opened)
        opened.ends("ok", result)
    _keep(call, key, result)
    return result


@contextmanager
def _entered(call: MethodCall) -> Iterator[_Open]:
    """Bind the call and write its node; an exception of the body completes the node and passes through."""
    outer, described = current(), call.described
    session = None if call.runtime is None else call.runtime.session
    hidden = {param.name for param in described.params if param.hidden}
    given = {name: value for name, value in call.values.items() if name not in hidden}
    node = None
    if session is not None:
        node = session.enter(
            "function",
            described.name,
            caller=outer.frame,
            given=given,
            expose=described.expose,
            doc=described.doc,
            hidden={name: value for name, value in call.values.items() if name in hidden},
        )
    opened = _Open(session=session, node=node)
    limit_s = call.timeout_s
    with entered(
        runtime=call.runtime,
        frame=outer.frame if node is None else node.seq,
        render_range=described.render_range,
        system=described.system,
        skills=call.skills,
        agent_tools=call.agent_tools,
        ends_s=outer.ends_s if limit_s is None else min(outer.ends_s, call.now() + limit_s),
        abandoned=(*outer.abandoned, opened.abandoned),
    ):
        try:
            if described.options.get("requires_approval"):
                require_approval(call.runtime, ApprovalRequest(name=described.name, arguments=given))
            yield opened
        except FunctionTimeout as error:
            opened.ends("timeout", str(error))
            raise
        except (asyncio.CancelledError, Cancelled):
            opened.ends("cancelled", None)
            raise
        except BaseException as error:
            opened.ends("error", f"{type(error).__name__}: {error}")
            raise


def _in_thread(call: MethodCall, opened: _Open, limit_s: float) -> object:
    """Run the body in a thread that can be waited for; Python cannot stop it, so a late result is only recorded."""
    outcome: list[object] = []
    failure: list[BaseException] = []

    def work() -> None:
        try:
            outcome.append(call.body())
        except BaseException as error:  # noqa: BLE001  (handed to the waiting thread, which raises it)
            failure.append(error)
        if opened.abandoned.flag.is_set():
            opened.ends("late", None)

    thread = threading.Thread(target=contextvars.copy_context().run, args=(work,), daemon=True)
    thread.start()
    thread.join(limit_s)
    if not outcome and not failure:
        opened.abandoned.flag.set()
        raise FunctionTimeout(
            f"function {call.described.name} timed out after {limit_s:g}s; its thread is still running",
            still_running=True,
        )
    if failure:
        raise failure[0]
    return outcome[0]


async def _within(call: MethodCall, opened: _Open) -> object:
    limit_s = call.timeout_s
    scope = asyncio.timeout(limit_s)
    try:
        async with scope:
            return await call.body()
    except TimeoutError as error:
        if not scope.expired():
            raise
        opened.abandoned.flag.set()
        raise FunctionTimeout(
            f"function {call.described.name} timed out after {limit_s:g}s", still_running=False
        ) from error


def _key(call: MethodCall) -> str | None:
    if not call.described.options.get("cache"):
        return None
    owner = type(call.owner)
    return cache_key(f"{owner.__module__}.{owner.__qualname__}.{call.described.name}", id(call.owner), call.values)


def _keep(call: MethodCall, key: str | None, result: object) -> None:
    if key is not None:
        ttl_s = call.described.options.get("cache_ttl", CACHE_TTL_S)
        call.cache.put(key, result, call.now() + (ttl_s if isinstance(ttl_s, int | float) else CACHE_TTL_S))
