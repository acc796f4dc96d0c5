"""What an HTTP status and its headers say about a failed call: the reason, and whether and when to try again.

Keeps no text of a server except short slugs.
Source: backends specification, section 3.1.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from datetime import UTC
from email.utils import parsedate_to_datetime

from interlock.models.base import Failure
from interlock.questions import Json

__all__ = ["describe", "error_type_of", "request_id_of", "status_failure"]

_REASONS: Mapping[int, str] = {
    401: "auth",
    403: "auth",
    404: "not-found",
    408: "busy",
    413: "too-large",
    429: "busy",
    501: "not-supported",
    503: "busy",
    529: "busy",
}
_RETRIED = frozenset({"busy", "server"})
_SLUG = re.compile(r"[a-z0-9_]{1,64}")
_REQUEST_ID = re.compile(r"[A-Za-z0-9._:/-]{1,128}")


def status_failure(
    status: int,
    headers: Mapping[str, str],
    *,
    wall_s: float,
    error_type: str | None = None,
    at: str | None = None,
    busy: frozenset[int] = frozenset(),
) -> Failure:
    """Return the failure of a response that is not a success.

    `headers`: lower-case names. `wall_s`: seconds since 1970, for waits given as a date. `busy`: further statuses
    that mean it.
    """
    reason = "busy" if status in busy else _reason(status)
    retryable = {"true": True, "false": False}.get(headers.get("x-should-retry", ""), reason in _RETRIED)
    return Failure(
        reason=reason,
        status=status,
        error_type=error_type,
        retryable=retryable,
        retry_after_s=_retry_after_s(headers, wall_s),
        at=at,
    )


def error_type_of(body: Json) -> str | None:
    """Return the error's type when it is a slug: `detail.error_type`, `error_type` or `error.type`, first found."""
    if not isinstance(body, Mapping):
        return None
    found = [_entry(body.get("detail"), "error_type"), body.get("error_type"), _entry(body.get("error"), "type")]
    given = next((item for item in found if item is not None), None)
    return given if isinstance(given, str) and _SLUG.fullmatch(given) else None


def request_id_of(*candidates: Json) -> str | None:
    """Return the first candidate that is a plain identifier."""
    return next((item for item in candidates if isinstance(item, str) and _REQUEST_ID.fullmatch(item)), None)


def describe(name: str, failure: Failure, request_id: str | None) -> str:
    """Return one line for an operator, such as `NAME: 422 bad-request at `questions.tool`; request req_1`."""
    status = "" if failure.status is None else f"{failure.status} "
    kind = "" if failure.error_type is None else f" ({failure.error_type})"
    place = "" if failure.at is None else f" at `{failure.at}`"
    request = "" if request_id is None else f"; request {request_id}"
    return f"{name}: {status}{failure.reason}{kind}{place}{request}"


def _reason(status: int) -> str:
    if status in _REASONS:
        return _REASONS[status]
    if status >= 500:
        return "server"
    if status >= 400:
        return "bad-request"
    return "redirect" if status >= 300 else "not-json"


def _retry_after_s(headers: Mapping[str, str], wall_s: float) -> float | None:
    milliseconds = _seconds(headers.get("retry-after-ms"))
    if milliseconds is not None:
        return milliseconds / 1000
    given = headers.get("retry-after")
    seconds = _seconds(given)
    return seconds if seconds is not None or given is None else _until(given, wall_s)


def _seconds(text: str | None) -> float | None:
    """Return a wait that is finite and not negative; None for anything else."""
    try:
        value = float(text or "")
    except ValueError:
        return None
    return value if math.isfinite(value) and value >= 0 else None


def _until(date: str, wall_s: float) -> float | None:
    try:
        moment = parsedate_to_datetime(date)
    except ValueError:
        return None
    aware = moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
    return _seconds(str(aware.timestamp() - wall_s))


def _entry(value: Json, key: str) -> Json:
    return value.get(key) if isinstance(value, Mapping) else None
