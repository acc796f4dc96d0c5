"""What the names of a Python source stand for, as far as the file itself tells."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from interlock.functions.source_literals import literal_of

__all__ = ["FunctionNode", "Scope", "assigned", "scope_of", "statements"]

FunctionNode: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef

_ENUMS = frozenset({"Enum", "IntEnum", "StrEnum", "Flag", "IntFlag", "ReprEnum"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """The names of one module."""

    imports: Mapping[str, str]
    """Name in this file → `module.name`."""
    values: Mapping[str, ast.expr]
    """Name → the one expression it is set to."""
    classes: Mapping[str, ast.ClassDef]
    functions: Mapping[str, FunctionNode]

    def name_of(self, node: ast.expr) -> str:
        """Return the last word of a name, as where it was written calls it; empty for other expressions."""
        if isinstance(node, ast.Attribute):
            return node.attr
        if isinstance(node, ast.Name):
            return self.imports.get(node.id, node.id).rpartition(".")[2]
        return ""

    def class_of(self, node: ast.expr) -> ast.ClassDef | None:
        """Return the class of this file that a name stands for."""
        return self.classes.get(node.id) if isinstance(node, ast.Name) else None

    def lineage(self, owner: ast.ClassDef, below: tuple[ast.ClassDef, ...] = ()) -> list[ast.ClassDef]:
        """Return a class and its bases in this file, in the order in which attributes are looked up."""
        found = [owner]
        for base in owner.bases:
            known = self.class_of(base)
            if known is not None and known not in (owner, *below):
                inherited = self.lineage(known, (owner, *below))
                found = [item for item in found if item not in inherited] + inherited
        return found

    def foreign_bases(self, owner: ast.ClassDef) -> list[ast.expr]:
        """Return the bases, near and far, that may be agents and are not defined here."""
        bases = [base for each in self.lineage(owner) for base in each.bases]
        return [base for base in bases if self.class_of(base) is None and not self._is_known(base)]

    def _is_known(self, base: ast.expr) -> bool:
        """True for `Agent`, `object` and what Python itself brings."""
        name = base.value if isinstance(base, ast.Subscript) else base
        return self.name_of(name) in ("Agent", "object") or self.is_standard(name)

    def is_standard(self, node: ast.expr) -> bool:
        """True for a name that is imported from a module of Python itself."""
        root = node
        while isinstance(root, ast.Attribute):
            root = root.value
        origin = self.imports.get(root.id, "") if isinstance(root, ast.Name) else ""
        return origin.partition(".")[0] in sys.stdlib_module_names

    def is_agent(self, owner: ast.ClassDef) -> bool:
        """True for a class that derives from `Agent`, or says `method_options`."""
        lineage = self.lineage(owner)
        bases = [base for each in lineage for base in each.bases if self.class_of(base) is None]
        is_derived = any(self.name_of(base) == "Agent" for base in bases)
        return is_derived or any(name == "method_options" for each in lineage for name, _ in assigned(each.body))

    def is_enum(self, owner: ast.ClassDef) -> bool:
        """True for a class that derives from one of `enum`."""
        return any(self.name_of(base) in _ENUMS for each in self.lineage(owner) for base in each.bases)

    def enum_values(self, owner: ast.ClassDef) -> list[object] | None:
        """Return the values of an enum's members; None when one is not a literal."""
        is_text = any(self.name_of(base) == "StrEnum" for each in self.lineage(owner) for base in each.bases)
        found: list[object] = []
        for name, node in _members(owner):
            is_auto = isinstance(node, ast.Call) and self.name_of(node.func) == "auto"
            value = (name.lower() if is_text else len(found) + 1,) if is_auto else literal_of(node)
            if value is None or (is_auto and not is_text and any(type(item) is not int for item in found)):
                return None
            found.append(value[0])
        return found

    def constant(self, node: ast.expr) -> tuple[object] | None:
        """Return the value of a literal, of a name set to one, or of an enum's member, in a tuple of one."""
        node = self.followed(node)
        owner = self.class_of(node.value) if isinstance(node, ast.Attribute) else None
        if owner is None or not isinstance(node, ast.Attribute) or not self.is_enum(owner):
            return literal_of(node)
        names = [name for name, _ in _members(owner)]
        values = self.enum_values(owner)
        return (values[names.index(node.attr)],) if values is not None and node.attr in names else None

    def followed(self, node: ast.expr) -> ast.expr:
        """Return what a name of this module is set to, through other names."""
        for _ in range(len(self.values)):
            if not isinstance(node, ast.Name) or node.id not in self.values:
                break
            node = self.values[node.id]
        return node


def _members(owner: ast.ClassDef) -> list[tuple[str, ast.expr]]:
    """Return the members of an enum; names like `_ignore_` and `__private` are none."""
    written = list(assigned(owner.body))
    return [(name, node) for name, node in written if not (name.startswith("__") or name[:1] == "_" == name[-1:])]


def scope_of(tree: ast.Module) -> Scope:
    """Return the names of a module, those set under conditions included."""
    imports: dict[str, str] = {}
    body = list(statements(tree.body))
    for node in body:
        if isinstance(node, ast.ImportFrom):
            imports |= {alias.asname or alias.name: f"{node.module or ''}.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.Import):
            imports |= {(alias.asname or alias.name).partition(".")[0]: alias.name for alias in node.names}
    values = list(assigned(body))
    names = [name for name, _ in values]
    return Scope(
        imports=imports,
        values={name: value for name, value in values if names.count(name) == 1},
        classes={node.name: node for node in body if isinstance(node, ast.ClassDef)},
        functions={node.name: node for node in body if isinstance(node, FunctionNode)},
    )


def statements(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Yield the statements of a block and of the blocks in it that run with it."""
    for node in body:
        yield node
        if not isinstance(node, FunctionNode | ast.ClassDef):
            for name in ("body", "orelse", "finalbody"):
                yield from statements(getattr(node, name, []))
            for inner in (*getattr(node, "handlers", ()), *getattr(node, "cases", ())):
                yield from statements(inner.body)


def assigned(body: list[ast.stmt]) -> Iterator[tuple[str, ast.expr]]:
    """Yield the names that a block sets, each with its value."""
    for node in body:
        targets = (
            node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
        )
        value = getattr(node, "value", None)
        for target in targets:
            if isinstance(target, ast.Name) and isinstance(value, ast.expr):
                yield target.id, value
