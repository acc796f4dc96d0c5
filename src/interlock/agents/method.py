"""Runs one call of an Agent method: binding, node, approval, cache, time limit.

Source: next-step specification, sections 2, 14 and 16.
"""

from __future__ import annotations

import asyncio
import functools
import inspect
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import Any, NoReturn

from interlock.agents.approving import ApprovalRequest, require_approval
from interlock.agents.binding import Frame, Scope, current, entered
from interlock.agents.cache import ResultCache, cache_key
from interlock.agents.session import OpenNode, Session
from interlock.agents.threads import StillRunning, arun_in_thread, run_in_thread
from interlock.errors import FunctionTimeout
from interlock.functions.metadata import FunctionMetadata
from interlock.functions.visibility import NodeStatus

__all__ = ["MethodCall", "acall_method", "call_method"]

CACHE_TTL_S = 300.0


@dataclass(frozen=True, slots=True, kw_only=True)
class MethodCall:
    """One call about to run."""

    described: FunctionMetadata
    owner: Any
    """The Agent instance."""
    attribute: str
    """The method's name in its class."""
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

    @property
    def visible_values(self) -> dict[str, object]:
        """The arguments that are not hidden."""
        hidden = {param.name for param in self.described.params if param.hidden}
        return {name: value for name, value in self.values.items() if name not in hidden}


@dataclass(slots=True)
class _Open:
    """A call that has begun."""

    session: Session | None
    node: OpenNode | None

    def ends(self, status: NodeStatus, output: object, *, cached: bool = False) -> None:
        if self.session is not None and self.node is not None:
            self.session.exit(self.node, status, output, {"cached": True} if cached else None)

    def fails(self, error: BaseException) -> None:
        if self.session is not None and self.node is not None:
            self.session.fail(self.node, error)


def call_method(call: MethodCall) -> Any:  # noqa: ANN401  (whatever the method returns)
    """Run a plain method.

    Raises:
        ApprovalDenied: it requires approval and did not get it.
        FunctionTimeout: it took longer than its `timeout`.
    """
    with _entered(call) as opened:
        if _needs_approval(call):
            _require_approval(call)
        key = _key(call)
        kept = _kept(call, key)
        if kept is not None:
            opened.ends("ok", kept[0], cached=True)
            return kept[0]
        result = _limited(call, opened)
        _keep(call, key, result)
        opened.ends("ok", result)
        return result


async def acall_method(call: MethodCall) -> Any:  # noqa: ANN401  (whatever the method returns)
    """Run an async method; as `call_method`, and a call that is out of time is really cancelled."""
    with _entered(call) as opened:
        if _needs_approval(call):
            await arun_in_thread(functools.partial(_require_approval, call))
        key = _key(call)
        kept = _kept(call, key)
        if kept is not None:
            opened.ends("ok", kept[0], cached=True)
            return kept[0]
        result = await _alimited(call)
        _keep(call, key, result)
        opened.ends("ok", result)
        return result


@contextmanager
def _entered(call: MethodCall) -> Iterator[_Open]:
    """Bind the call and write its node; an exception of the body completes the node and passes through."""
    opened = _opened(call, current())
    with _bound(call, current(), opened.node):
        try:
            yield opened
        except BaseException as error:
            opened.fails(error)
            raise


def _opened(call: MethodCall, outer: Scope) -> _Open:
    if call.runtime is None:
        return _Open(session=None, node=None)
    session: Session = call.runtime.session
    caller, visible = outer.frame(call.runtime), call.visible_values
    node = session.enter(
        "function",
        call.described.name,
        caller=None if caller is None else caller.seq,
        given=visible,
        expose=call.described.expose,
        doc=call.described.doc,
        hidden={name: value for name, value in call.values.items() if name not in visible},
    )
    return _Open(session=session, node=node)


def _bound(call: MethodCall, outer: Scope, node: OpenNode | None) -> AbstractContextManager[Scope]:
    frames = outer.frames
    if node is not None:
        frames = (*frames, Frame(runtime=call.runtime, seq=node.seq, render_range=call.described.render_range))
    return entered(
        runtime=call.runtime,
        frames=frames,
        method=(call.owner, call.attribute),
        system=call.described.system,
        skills=call.skills,
        agent_tools=call.agent_tools,
    )


def _needs_approval(call: MethodCall) -> bool:
    return bool(call.described.options.get("requires_approval"))


def _require_approval(call: MethodCall) -> None:
    require_approval(call.runtime, ApprovalRequest(name=call.described.name, arguments=call.visible_values))


def _limited(call: MethodCall, opened: _Open) -> object:
    """Run the body, in a thread that can be waited for when it has a time limit; a late result is only recorded."""
    limit_s = call.timeout_s
    if limit_s is None:
        return call.body()
    ends_s = call.now() + limit_s
    with entered(ends_s=min(current().ends_s, ends_s)):
        try:
            result: object = run_in_thread(call.body, limit_s, functools.partial(opened.ends, "late", None))
        except StillRunning as error:
            _out_of_time(call, error, still_running=True)
        except FunctionTimeout as error:
            if call.now() < ends_s:
                raise
            _out_of_time(call, error, still_running=error.still_running)
        return result


async def _alimited(call: MethodCall) -> object:
    """Run the body; out of time, it is cancelled and awaited until it ends, and what it still returns is dropped."""
    limit_s = call.timeout_s
    if limit_s is None:
        return await call.body()
    ends_s = call.now() + limit_s
    with entered(ends_s=min(current().ends_s, ends_s)):
        try:
            async with asyncio.timeout(limit_s):
                result: object = await call.body()
        except TimeoutError as error:
            if call.now() < ends_s:
                raise
            _out_of_time(call, error, still_running=False)
    if call.now() >= ends_s:
        _out_of_time(call, None, still_running=False)
    return result


def _out_of_time(call: MethodCall, cause: BaseException | None, *, still_running: bool) -> NoReturn:
    said = f"function {call.described.name} timed out after {call.timeout_s:g}s"
    also = "; its thread is still running" if still_running else ""
    raise FunctionTimeout(said + also, still_running=still_running) from cause


def _key(call: MethodCall) -> str | None:
    if not call.described.options.get("cache"):
        return None
    owner = type(call.owner)
    return cache_key(f"{owner.__module__}.{owner.__qualname__}.{call.attribute}", call.owner, call.values)


def _kept(call: MethodCall, key: str | None) -> tuple[object] | None:
    return None if key is None else call.cache.get(key, call.owner, call.now())


def _keep(call: MethodCall, key: str | None, result: object) -> None:
    if key is None or inspect.isawaitable(result):
        return
    ttl_s = call.described.options.get("cache_ttl", CACHE_TTL_S)
    call.cache.put(key, call.owner, result, call.now() + (ttl_s if isinstance(ttl_s, int | float) else CACHE_TTL_S))
