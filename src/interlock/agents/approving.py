"""Asks whether one call may run; no answer is a refusal.

Source: next-step specification, section 14.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from interlock.errors import ApprovalDenied

__all__ = ["ApprovalRequest", "Approver", "require_approval"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ApprovalRequest:
    """The call that is about to run."""

    name: str
    arguments: Mapping[str, object]


Approver: TypeAlias = Callable[[ApprovalRequest], bool]


def require_approval(runtime: Any, request: ApprovalRequest) -> None:  # noqa: ANN401  (a Runtime or None)
    """Return when the call is approved.

    Raises:
        ApprovalDenied: there is no approver, or it did not answer True.
    """
    approver = None if runtime is None else runtime.approver
    if approver is None:
        raise ApprovalDenied(
            f"`{request.name}` requires approval and no approver is configured; pass Runtime(approver=…)"
        )
    if approver(request) is not True:
        raise ApprovalDenied(f"`{request.name}` was not approved")
