"""The style rules for functions that a model is offered: one id each, with what it says."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

__all__ = ["INPUT_OF_SIGNATURE", "RULES", "SYSTEM_NAMES", "SYSTEM_TYPES", "VAGUE_NAMES"]

RULES: Mapping[str, str] = MappingProxyType(
    {
        "F00": "The file is not Python, so nothing in it was read.",
        "F01": "The docstring has no first paragraph of one line, which is what a model reads of the function.",
        "F02": "The docstring describes parameters or results, which nothing reads.",
        "F03": "A parameter that a model fills is not described in `input=`.",
        "F04": "A description lists alternatives in words instead of `options` or a `Literal`.",
        "F05": "A parameter that the system fills is visible to the model.",
        "F06": "An Agent method declares a parameter that the framework injects.",
        "F07": "The name does not tell a model what the function does.",
        "F08": "The docstring plays a role or gives an empty instruction.",
        "F09": "`input=` is not a literal dict, so no form can be made from the source.",
        "F10": "A text that a model reads names a parameter that it must not know.",
        "F11": "`input=` repeats what the signature says.",
    }
)
"""Id → one sentence, the same for every file. Source: next-step specification, section 17; `F00` is ours."""

INPUT_OF_SIGNATURE = frozenset({"type", "default", "required"})

VAGUE_NAMES = frozenset({"call", "do", "execute", "handle", "invoke", "main", "perform", "process", "run", "work"})

SYSTEM_NAMES = frozenset(
    {
        "api_key",
        "conn",
        "connection",
        "ctx",
        "current_user",
        "cursor",
        "database",
        "db",
        "db_session",
        "engine",
        "logger",
        "request_id",
        "session",
        "session_id",
        "tenant",
        "tenant_id",
        "trace_id",
        "user_id",
    }
)

SYSTEM_TYPES = frozenset(
    {
        "AsyncClient",
        "AsyncSession",
        "BinaryIO",
        "Callable",
        "Connection",
        "Cursor",
        "Engine",
        "Event",
        "IO",
        "Lock",
        "Logger",
        "Session",
        "TextIO",
        "Thread",
        "socket",
    }
)
"""Types that JSON cannot carry."""
