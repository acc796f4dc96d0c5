"""What is said in literals of a Python source: dicts written out, and where something else stands in their place."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

__all__ = ["Members", "Said", "Unseen", "literal_of", "members_of", "said_of"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Unseen:
    """Something that only running the source would tell."""

    node: ast.AST
    message: str
    hides: bool
    """True when it may say that a parameter is hidden."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Members:
    """The members of a dict as written; a later one of the same name counts."""

    values: Mapping[str, ast.expr] = field(default_factory=dict)
    unseen: tuple[ast.AST, ...] = ()
    """Parts that are no member with a written name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """An `input=` as written."""

    params: Mapping[str, Mapping[str, ast.expr]] = field(default_factory=dict)
    """Parameter → key → value."""
    unseen: tuple[Unseen, ...] = ()


def members_of(node: ast.expr) -> Members:
    """Return the members of `{…}` or `dict(…)`; anything else is unseen as a whole."""
    if isinstance(node, ast.Dict):
        pairs = [
            (key.value if isinstance(key, ast.Constant) else None, key or value, value)
            for key, value in zip(node.keys, node.values, strict=True)
        ]
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "dict" and not node.args:
        pairs = [(keyword.arg, keyword.value, keyword.value) for keyword in node.keywords]
    else:
        return Members(unseen=(node,))
    values = {name: value for name, _, value in pairs if isinstance(name, str)}
    return Members(values=values, unseen=tuple(at for name, at, _ in pairs if not isinstance(name, str)))


def literal_of(node: ast.expr) -> tuple[object] | None:
    """Return the value of a literal in a tuple of one; None when it is none."""
    try:
        return (ast.literal_eval(node),)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return None


def said_of(node: ast.expr | None, place: str) -> Said:
    """Return what an `input=` says, and what of it is not written out."""
    if node is None:
        return Said()
    found = members_of(node)
    params = {name: members_of(value) for name, value in found.values.items()}
    unseen = [Unseen(node=at, message=f"{place} is not a literal dict", hides=True) for at in found.unseen]
    for name, members in params.items():
        where = f"{place}: what it says of `{name}`"
        unseen += [Unseen(node=at, message=f"{where} is not a literal dict", hides=True) for at in members.unseen]
        unseen += _not_literal(members, where)
    return Said(params={name: members.values for name, members in params.items()}, unseen=tuple(unseen))


def _not_literal(members: Members, where: str) -> Iterator[Unseen]:
    for key, value in members.values.items():
        if literal_of(value) is None:
            yield Unseen(node=value, message=f"{where}: `{key}` is not a literal", hides=key == "hidden")
