"""The functions that the page offers, in groups, and the form of one of them as it is filled in.

Pure over functions and texts; knows nothing of templates.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

from interlock._text import first_paragraph
from interlock.agents import Agent
from interlock.agents.toolset import AgentTool, may_offer
from interlock.functions import FormField, FormModel, FormValues, describe, form_model, read_form
from interlock.functions.bind import missing_context
from interlock.server.site.desk import Function

__all__ = ["CONTEXT_NAME", "Entry", "Group", "Refusal", "entry_of", "groups_of", "read_given", "selectable"]

CONTEXT_NAME = "page"
"""What a Runtime of the page says of where it runs."""
_PACKAGE = "interlock"

Refusal: TypeAlias = Literal["", "context", "here", "form"]
"""Why a function cannot be called here: it needs what only code can give, its own conditions, its types."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One function."""

    name: str
    summary: str
    doc: str
    fields: tuple[FormField, ...]
    """Empty when it has no form."""
    is_agent_method: bool
    needs_approval: bool
    timeout_s: float | None
    refusal: Refusal
    problem: str
    """What the refusal says in detail."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """The functions of one agent, or of one module."""

    title: str
    says: str
    entries: tuple[Entry, ...]


def groups_of(functions: Mapping[str, Function]) -> tuple[Group, ...]:
    """Return all functions, those of one agent or module together, in the order given."""
    found: dict[str, list[Entry]] = {}
    titles: dict[str, tuple[str, str]] = {}
    for name, function in functions.items():
        owner, module = getattr(function, "__self__", None), str(getattr(function, "__module__", None) or "")
        key = f"{module}:{type(owner).__qualname__}" if isinstance(owner, Agent) else module
        titles[key] = _title(owner if isinstance(owner, Agent) else None, module)
        found.setdefault(key, []).append(entry_of(name, function))
    return tuple(Group(title=titles[key][0], says=titles[key][1], entries=tuple(found[key])) for key in found)


def _title(agent: Agent | None, module: str) -> tuple[str, str]:
    """Return what a group is called and what it says of itself."""
    if agent is not None:
        return type(agent).__name__, first_paragraph(inspect.getdoc(type(agent)) or "")
    loaded = sys.modules.get(module)
    return Path(getattr(loaded, "__file__", None) or module).stem, first_paragraph(inspect.getdoc(loaded) or "")


def entry_of(name: str, function: Function) -> Entry:
    """Return one function with its form, and whether it can be called here."""
    described = describe(function)
    limit = described.options.get("timeout")
    problem, model = "", FormModel(name=name, summary=described.summary, fields=())
    try:
        model = form_model(function)
    except TypeError as error:
        problem = str(error)
    refusal: Refusal = ""
    if problem:
        refusal = "form"
    elif missing_context(described, {}):
        refusal = "context"
    elif not may_offer(AgentTool(spec={"name": name}, execute=function, options=described.options), CONTEXT_NAME):
        refusal = "here"
    return Entry(
        name=name,
        summary=described.summary,
        doc=described.doc,
        fields=model.fields,
        is_agent_method=bool(described.options),
        needs_approval=bool(described.options.get("requires_approval")),
        timeout_s=limit if isinstance(limit, int | float) else None,
        refusal=refusal,
        problem=problem,
    )


def selectable(functions: Mapping[str, Function]) -> tuple[str, ...]:
    """Return the functions that another one may be given: none of the package itself, none that works on functions."""
    return tuple(name for name, function in functions.items() if not (_is_built_in(function) or _is_meta(function)))


def read_given(function: Function, given: Mapping[str, str], functions: Mapping[str, Function]) -> FormValues:
    """Return the values of a form as it was filled in, and what is wrong with each field.

    `given`: parameter → text; of a toggle `yes` or `no`.
    """
    fields = form_model(function).fields
    texts: dict[str, str | bool] = {}
    for field in fields:
        text = given.get(field.name, "")
        is_answer = field.control == "toggle" and text in ("yes", "no")
        texts[field.name] = text == "yes" if is_answer else text
    read = read_form(function, texts)
    errors = dict(read.errors)
    offered = selectable(functions)
    for field in fields:
        if field.control == "select" and texts[field.name] and texts[field.name] not in offered:
            errors[field.name] = "is none of the functions on offer"
    return FormValues(values=read.values, errors=errors)


def _is_built_in(function: Function) -> bool:
    module = str(getattr(function, "__module__", "") or "")
    return module.partition(".")[0] == _PACKAGE


def _is_meta(function: Function) -> bool:
    return any(param.options_from == "functions" for param in describe(function).params)
