"""The digest that ties an approval to one call.

Pure.
Source: journal and safety specification, approvals.
"""

from __future__ import annotations

from collections.abc import Mapping

from interlock._canonical import compact_json, sha256_hex
from interlock.errors import JournalError
from interlock.journal.bodies import ToolCall
from interlock.questions import Json

__all__ = ["call_binding"]


def call_binding(call: ToolCall, *, cwd: str, contract_digest: str, frame_digest: str | None) -> str:
    """Return the SHA-256 that ties an approval to one call: tool, arguments, directory, contract and frame.

    Arguments are canonical: their keys are sorted at every depth.

    Raises:
        JournalError: the arguments are nested too deep.
    """
    try:
        return sha256_hex(compact_json([call.tool, _sorted(call.arguments), cwd, contract_digest, frame_digest]))
    except RecursionError as cause:
        raise JournalError(f"`{call.tool}`: its arguments are nested too deep to be bound") from cause


def _sorted(value: Json) -> Json:
    if isinstance(value, Mapping):
        return {key: _sorted(value[key]) for key in sorted(value)}
    if isinstance(value, list | tuple):
        return [_sorted(item) for item in value]
    return value
