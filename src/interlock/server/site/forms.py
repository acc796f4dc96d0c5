"""Reads what a form sent: text fields only, strictly UTF-8."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import parse_qsl

from starlette.exceptions import HTTPException
from starlette.requests import Request

__all__ = ["Form", "read_form"]

_MAX_FIELDS = 200
_TYPE = "application/x-www-form-urlencoded"


class Form:
    """The fields of one form."""

    def __init__(self, fields: Mapping[str, str]) -> None:
        self._fields = fields

    def text(self, name: str) -> str:
        """Return a field, without white space at its ends; empty when it was not sent."""
        return self.raw(name).strip()

    def raw(self, name: str) -> str:
        """Return a field as it was sent; empty when it was not."""
        return self._fields.get(name, "")

    def has(self, name: str) -> bool:
        """Tell whether a field was sent; a box that is not ticked is not."""
        return name in self._fields

    def names(self) -> tuple[str, ...]:
        """Return the fields that were sent."""
        return tuple(self._fields)


async def read_form(request: Request) -> Form:
    """Return the form of a request; of a field sent twice the last counts.

    Raises:
        HTTPException: 415 for another type of body, 400 for one that is no form.
    """
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != _TYPE:
        raise HTTPException(415, f"send the form as `{_TYPE}`")
    try:
        sent = (await request.body()).decode()
        pairs = parse_qsl(sent, keep_blank_values=True, errors="strict", max_num_fields=_MAX_FIELDS)
    except ValueError as error:
        raise HTTPException(400, "the body is no form in UTF-8") from error
    return Form({name: value.replace("\r\n", "\n") for name, value in pairs})
