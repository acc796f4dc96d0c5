"""Asks whether one call may run; no answer is a refusal.

Source: next-step specification, section 14.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from interlock.errors import ApprovalDenied

__all__ = ["ApprovalRequest", "Approver", "check_approver", "require_approval"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ApprovalRequest:
    """The call that is about to run."""

    name: str
    arguments: Mapping[str, object]
    """By name, hidden ones left out."""


Approver: TypeAlias = Callable[[ApprovalRequest], bool]


def check_approver(approver: object) -> None:
    """Refuse an approver whose answer could not be read.

    Raises:
        TypeError: it is not callable, or its answer would have to be awaited.
    """
    if approver is None:
        return
    if not callable(approver):
        raise TypeError(f"approver is a function of an ApprovalRequest, got {approver!r}")
    if inspect.iscoroutinefunction(approver) or inspect.iscoroutinefunction(getattr(approver, "__call__", None)):  # noqa: B004  (its kind is read, not whether it exists)
        raise TypeError("approver is async; write a plain function that returns True or False")


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
