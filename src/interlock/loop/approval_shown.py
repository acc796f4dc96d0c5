"""One call that waits for a person, as the text that the person reads.

Pure; knows nothing of terminals or pages.
Source: journal and safety specification, approvals.
"""

from __future__ import annotations

from interlock._text import clip, visible
from interlock.loop.approval import ApprovalRequest

__all__ = ["shown_request"]

_SHOWN_LINES = 60
_SHOWN_COLUMNS = 500
_RISKS = ("read-only", "reversible write", "irreversible", "destructive")


def shown_request(request: ApprovalRequest) -> str:
    """Return what a person reads of a call; nothing in it can steer a terminal, and what is left out is said."""
    lines = [clip(line, _SHOWN_COLUMNS) for line in visible(request.input).split("\n")]
    more = len(lines) - _SHOWN_LINES
    shown = lines if more <= 0 else [*lines[:_SHOWN_LINES], f"[{more} more lines]"]
    return "\n".join(
        [
            "",
            f"{visible(request.tool)} in {visible(request.cwd)}; risk {_risk(request.base_risk)}",
            f"asked because: {visible(request.reason or 'the policy asks')}",
            *(f"  {line}" for line in shown),
            f"approval {request.id[:16]}, until {request.expires}",
        ]
    )


def _risk(base: int | None) -> str:
    """Return a base risk with what it stands for."""
    known = base is not None and 0 <= base < len(_RISKS)
    return f"{base} ({_RISKS[base]})" if base is not None and known else "unknown"
