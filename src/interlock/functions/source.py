"""Reads the functions of a Python source that a model is offered, without importing it.

Those are the methods of Agent classes, and plain functions with `fn.input_meta = {…}` beside them.
Source: next-step specification, section 15.
"""

from __future__ import annotations

import ast
import inspect
import tokenize
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from os import PathLike

from interlock.functions.source_literals import Said, Unseen, members_of, said_of
from interlock.functions.source_scope import FunctionNode, Scope, assigned, scope_of, statements

__all__ = ["UNREADABLE", "SourceFunction", "SourceModule", "SourceParam", "read_source", "source_text", "without_mark"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceParam:
    """One parameter as written."""

    node: ast.arg
    default: ast.expr | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceFunction:
    """One function as written, and what is said about it."""

    node: FunctionNode
    owner: str | None
    """The Agent class; None for a plain function."""
    docstring: ast.Constant | None
    """Its own, or the one it inherits in this file."""
    params: tuple[SourceParam, ...]
    """Without `self` and catch-all parameters."""
    entry: Mapping[str, ast.expr]
    """Its `method_options`; empty for a plain function."""
    said: Said
    """Its `input=`."""
    foreign: tuple[Unseen, ...]
    """The bases of its class that this file does not define."""
    unseen: tuple[Unseen, ...]
    """What is said about it elsewhere than in literals, `input=` included."""

    @property
    def doc(self) -> str:
        """The docstring as Python cleans it; empty when there is none."""
        return "" if self.docstring is None else inspect.cleandoc(str(self.docstring.value))


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceModule:
    """One file."""

    functions: tuple[SourceFunction, ...]
    """In the order of the file."""
    scope: Scope
    unseen: tuple[Unseen, ...]
    """What is said where no function can be told."""


def source_text(path: str | PathLike[str]) -> str:
    """Return the text of a Python file, decoded as Python decodes it.

    Raises:
        OSError: it cannot be read.
        SyntaxError: it names an unknown encoding.
        ValueError: it is not text of its encoding.
    """
    with tokenize.open(path) as stream:
        return stream.read()


def without_mark(text: str) -> str:
    """Return a text without its byte order mark."""
    return text.removeprefix("\ufeff")


UNREADABLE = (ValueError, RecursionError, MemoryError)
"""What else `read_source` raises for a text that is no Python: null bytes, and what is nested too deep."""


def read_source(text: str) -> SourceModule:
    """Return the functions of a source.

    Raises:
        SyntaxError: it is not Python.
    """
    tree = ast.parse(text)
    scope = scope_of(tree)
    found = [method for owner in scope.classes.values() if scope.is_agent(owner) for method in _methods(owner, scope)]
    found += _plain_functions(tree, scope)
    return SourceModule(
        functions=tuple(sorted(found, key=lambda item: (item.node.lineno, item.owner or ""))),
        scope=scope,
        unseen=tuple(_unseen(tree, scope)),
    )


def _plain_functions(tree: ast.Module, scope: Scope) -> Iterator[SourceFunction]:
    metas = [meta for meta in map(_meta, statements(tree.body)) if meta is not None]
    for name, node in scope.functions.items():
        own = [meta for meta in metas if _is_of(meta, name)]
        place = f"`input_meta` of `{name}`"
        said = next((said_of(meta.value, place) for meta in reversed(own) if meta.value is not None), Said())
        changed = [
            Unseen(node=meta.target, message=f"{place} is changed in place; write one literal dict", hides=True)
            for meta in own
            if meta.value is None
        ]
        if own:
            yield SourceFunction(
                node=node,
                owner=None,
                docstring=_docstring(node),
                params=_params(node),
                entry={},
                said=said,
                foreign=(),
                unseen=(*changed, *said.unseen),
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Meta:
    """One statement about an `input_meta`."""

    target: ast.Attribute
    value: ast.expr | None
    """What it is set to; None when it is changed in place."""


def _meta(node: ast.stmt) -> _Meta | None:
    if not isinstance(node, ast.Assign | ast.AnnAssign):
        return None
    for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
        held = target.value if isinstance(target, ast.Subscript) else target
        if isinstance(held, ast.Attribute) and held.attr == "input_meta":
            return _Meta(target=held, value=node.value if held is target else None)
    return None


def _is_of(meta: _Meta, name: str) -> bool:
    return isinstance(meta.target.value, ast.Name) and meta.target.value.id == name


def _methods(owner: ast.ClassDef, scope: Scope) -> Iterator[SourceFunction]:
    """Yield the methods that a class writes or says something about, those of its bases in this file included."""
    lineage = scope.lineage(owner)
    listed = [_options(each) for each in reversed(lineage)]
    own = {node.name for node in owner.body if isinstance(node, FunctionNode)} | set(listed[-1].entries)
    for name in sorted(own):
        nodes = [node for each in lineage for node in each.body if isinstance(node, FunctionNode) and node.name == name]
        entry = {key: value for options in listed for key, value in options.entries.get(name, {}).items()}
        is_offered = not name.startswith("_") or any(name in options.entries for options in listed)
        if not nodes or not is_offered or not _is_wrapped(nodes[0]):
            continue
        said = said_of(entry.get("input"), f"`input` of `{owner.name}.{name}`")
        missed = [item for options in listed for item in (*options.unseen, *options.unseen_of.get(name, ()))]
        yield SourceFunction(
            node=nodes[0],
            owner=owner.name,
            docstring=next((text for text in map(_docstring, nodes) if text is not None), None),
            params=_params(nodes[0])[1:],
            entry=entry,
            said=said,
            foreign=tuple(_foreign(owner, scope, hides="input" not in entry)),
            unseen=(*missed, *said.unseen),
        )


def _foreign(owner: ast.ClassDef, scope: Scope, *, hides: bool) -> list[Unseen]:
    """Return the bases that may say more of a method; what the class itself says of `input` replaces theirs."""
    return [
        Unseen(node=base, message=f"the base `{ast.unparse(base)}` is not defined in this file", hides=hides)
        for base in scope.foreign_bases(owner)
    ]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Options:
    """The `method_options` that one class writes."""

    entries: Mapping[str, Mapping[str, ast.expr]]
    unseen: tuple[Unseen, ...]
    """What may belong to any method."""
    unseen_of: Mapping[str, tuple[Unseen, ...]]


def _options(owner: ast.ClassDef) -> _Options:
    written = [value for name, value in assigned(owner.body) if name == "method_options"]
    whole = members_of(written[-1]) if written else None
    entries = {} if whole is None else {name: members_of(value) for name, value in whole.values.items()}
    place = f"`method_options` of `{owner.name}`"
    missed = [] if whole is None else list(whole.unseen)
    missed += [node for node in owner.body if _changes(node, "method_options")]
    return _Options(
        entries={name: members.values for name, members in entries.items()},
        unseen=tuple(Unseen(node=at, message=f"{place} is not a literal dict", hides=True) for at in missed),
        unseen_of={
            name: tuple(
                Unseen(node=at, message=f"{place}: the entry of `{name}` is not a literal dict", hides=True)
                for at in members.unseen
            )
            for name, members in entries.items()
        },
    )


def _changes(node: ast.stmt, name: str) -> bool:
    """True for a statement that changes a dict in place: `NAME[…] = …`, `NAME |= …`, `NAME.update(…)`."""
    targets: list[ast.expr] = node.targets if isinstance(node, ast.Assign) else []
    if isinstance(node, ast.AugAssign):
        return isinstance(node.target, ast.Name) and node.target.id == name
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and isinstance(node.value.func, ast.Attribute):
        targets = [node.value.func]
    held = [target.value for target in targets if isinstance(target, ast.Subscript | ast.Attribute)]
    return any(isinstance(value, ast.Name) and value.id == name for value in held)


def _is_wrapped(node: FunctionNode) -> bool:
    """Tell whether an Agent class runs it as a method: no dunder, generator, property, static or class method."""
    is_dunder = node.name.startswith("__") and node.name.endswith("__")
    words = {ast.unparse(item).rpartition(".")[2] for item in node.decorator_list}
    yields = any(isinstance(inner, ast.Yield | ast.YieldFrom) for inner in _own_nodes(node))
    return not is_dunder and not yields and not words & _OTHER_KINDS and bool(_params(node))


_OTHER_KINDS = frozenset({"staticmethod", "classmethod", "property", "cached_property", "setter", "deleter"})


def _own_nodes(node: ast.AST) -> Iterator[ast.AST]:
    """Yield what runs as part of a function, without what the functions inside it do."""
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, FunctionNode | ast.Lambda | ast.ClassDef):
            yield child
            yield from _own_nodes(child)


def _params(node: FunctionNode) -> tuple[SourceParam, ...]:
    placed = [*node.args.posonlyargs, *node.args.args]
    defaults = [*[None] * (len(placed) - len(node.args.defaults)), *node.args.defaults]
    pairs = [*zip(placed, defaults, strict=True), *zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True)]
    return tuple(SourceParam(node=param, default=default) for param, default in pairs)


def _docstring(node: FunctionNode) -> ast.Constant | None:
    first = node.body[0]
    value = first.value if isinstance(first, ast.Expr) else None
    return value if isinstance(value, ast.Constant) and isinstance(value.value, str) else None


def _unseen(tree: ast.Module, scope: Scope) -> Iterator[Unseen]:
    """Yield what is said of functions that cannot be told, or that exist only while another one runs."""
    reached = dict.fromkeys(statements(tree.body))
    for meta in map(_meta, reached):
        if meta is not None and not any(_is_of(meta, name) for name in scope.functions):
            message = f"`{ast.unparse(meta.target)}` belongs to no function of this file"
            yield Unseen(node=meta.target, message=message, hides=True)
    inner = [node for node in ast.walk(tree) if isinstance(node, ast.stmt) and node not in reached]
    for node in inner:
        if _meta(node) is not None or (isinstance(node, ast.ClassDef) and scope.is_agent(node)):
            yield Unseen(node=node, message="stands inside another definition, so it is not seen", hides=True)
