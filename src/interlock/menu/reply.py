"""Checks a reply against the menu: which option, and whether its arguments fit.

Source: next-step specification, section 10.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import cast

from interlock.menu.attempts import Chosen, Rejected
from interlock.menu.options import Option
from interlock.models.reply import NotFound, find_action
from interlock.schema import Field, Problem, ProblemKind, read_values

__all__ = ["read_fields", "read_reply"]


def read_reply(reply: object, options: Sequence[Option]) -> Chosen | Rejected:
    """Return the valid pick in `reply`, or why there is none, in words that a model can act on."""
    found = find_action(reply)
    if isinstance(found, NotFound):
        return _rejected(found.kind, found.message)
    name, args = found.action["call"], found.action.get("args")
    option = next((item for item in options if item.name == name), None)
    if option is None:
        names = ", ".join(f"`{item.name}`" for item in options)
        return _rejected("unknown_call", f"{_shown(name)} is not an option; pick one of {names}", found.repaired)
    if option.kind == "value":
        return Chosen(option=option, args={}, repaired=found.repaired)
    if args and not isinstance(args, Mapping):
        return _rejected("bad_args", "`args` must be an object", found.repaired, option.name)
    return _read_args(option, cast("Mapping[str, object]", args or {}), found.repaired)


def _read_args(option: Option, args: Mapping[str, object], repaired: bool) -> Chosen | Rejected:
    read = read_fields(option.fields, args)
    if isinstance(read, Rejected):
        return replace(read, picked=option.name, repaired=repaired)
    return Chosen(option=option, args=read, repaired=repaired)


def read_fields(fields: Sequence[Field], args: Mapping[str, object]) -> Mapping[str, object] | Rejected:
    """Return the validated values of `fields`, or what is wrong with them as one sentence."""
    read = read_values(fields, args)
    if not read.problems:
        return read.values
    message = "; ".join(f"`{problem.path}` {problem.message}" for problem in read.problems)
    return Rejected(kind=read.problems[0].kind, message=message, problems=read.problems, picked=None)


def _rejected(kind: ProblemKind, message: str, repaired: bool = False, picked: str | None = None) -> Rejected:
    problem = Problem(kind=kind, path="", message=message)
    return Rejected(kind=kind, message=message, problems=(problem,), picked=picked, repaired=repaired)


def _shown(name: object) -> str:
    text = json.dumps(name, ensure_ascii=False)
    return text if len(text) <= 80 else text[:79] + "…"
