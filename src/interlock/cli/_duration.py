"""A span of time as a command line spells it: `30s`, `90m`, `24h`, `7d`."""

from __future__ import annotations

import re
from datetime import timedelta

import click

__all__ = ["DURATION"]

_UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days"}
_MAX_DAYS = 3650


class _Duration(click.ParamType[timedelta]):
    """Reads a span of time above zero."""

    name = "duration"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> timedelta:
        if isinstance(value, timedelta):
            return value
        found = re.fullmatch(r"(\d{1,9})([smhd])", str(value).strip())
        span = timedelta() if found is None else timedelta(**{_UNITS[found[2]]: int(found[1])})
        if not timedelta() < span <= timedelta(days=_MAX_DAYS):
            self.fail("write a number above 0 and a unit, such as `30s`, `90m`, `24h` or `7d`", param, ctx)
        return span


DURATION = _Duration()
