"""Types as a Python source writes them: their text, and the values they allow."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator
from dataclasses import dataclass

from interlock.functions.source_scope import Scope
from interlock.functions.type_text import literal_text, union_text

__all__ = ["SourceType", "source_type"]

_CONSTRUCTS = {
    "List": "list",
    "Dict": "dict",
    "Tuple": "tuple",
    "Set": "set",
    "FrozenSet": "frozenset",
    "Type": "type",
    "Deque": "deque",
    "DefaultDict": "defaultdict",
    "Text": "str",
    "AbstractSet": "Set",
}
"""What `typing` calls a type → its name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceType:
    """One annotation as far as the file tells."""

    text: str
    values: tuple[object, ...] | None
    """What it allows, when that is a closed list; null is left out."""
    unknown: tuple[str, ...]
    """Names that this file does not define, so that they may be enums."""


def source_type(node: ast.expr | None, scope: Scope) -> SourceType:
    """Return the type of an annotation; none is `str`."""
    if node is None:
        return SourceType(text="str", values=None, unknown=())
    reader = _Reader(scope=scope)
    forms = [form for form in reader.forms(node) if reader.text(form) != "None"]
    listed = [reader.values(form) for form in forms]
    known = [value for values in listed if values is not None for value in values]
    is_closed = bool(forms) and all(values is not None for values in listed)
    return SourceType(
        text=reader.text(node),
        values=tuple(_grouped(known)) if is_closed else None,
        unknown=tuple(dict.fromkeys(reader.unknown(node))),
    )


def _grouped(values: list[object]) -> Iterator[object]:
    """Yield values once each, those of one JSON type together, as a schema lists them."""
    kinds = dict.fromkeys(type(value) for value in values if value is not None)
    for kind in kinds:
        yield from dict.fromkeys(value for value in values if type(value) is kind)


@dataclass(frozen=True, slots=True)
class _Reader:
    scope: Scope

    def plain(self, node: ast.expr) -> ast.expr:
        """Return the expression behind names, quotes and `Annotated`."""
        node = self.scope.followed(node)
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            return self.plain(_parsed(node))
        if self.name(node) == "Annotated" and isinstance(node, ast.Subscript):
            return self.plain(_arguments(node)[0])
        return node

    def name(self, node: ast.expr) -> str:
        """Return the last word of a type's name, `typing`'s own spelling undone."""
        name = self.scope.name_of(node.value if isinstance(node, ast.Subscript) else node)
        return _CONSTRUCTS.get(name, name)

    def forms(self, node: ast.expr) -> list[ast.expr]:
        """Return the members of a union, of a union in it too; any other type alone."""
        node = self.plain(node)
        members: list[ast.expr] = []
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
            members = [node.left, node.right]
        elif isinstance(node, ast.Subscript) and self.name(node) in ("Union", "Optional"):
            members = _arguments(node)
            members += [ast.Constant(value=None)] * (self.name(node) == "Optional")
        return [form for member in members for form in self.forms(member)] or [node]

    def text(self, node: ast.expr) -> str:
        """Return the text of a type."""
        forms = self.forms(node)
        if len(forms) > 1:
            return union_text([self.text(form) for form in forms])
        node = forms[0]
        if isinstance(node, ast.Constant):
            return "..." if node.value is Ellipsis else str(node.value)
        if isinstance(node, ast.List):
            return f"[{', '.join(self.text(item) for item in node.elts)}]"
        if not isinstance(node, ast.Subscript):
            return self.name(node) or ast.unparse(node)
        if self.name(node) == "Literal":
            return f"Literal[{', '.join(self._member(item) for item in self._literal(node))}]"
        return f"{self.name(node)}[{', '.join(self.text(item) for item in _arguments(node))}]"

    def values(self, node: ast.expr) -> list[object] | None:
        """Return the values of a `Literal` or of an enum of this file; None for other types."""
        if isinstance(node, ast.Subscript) and self.name(node) == "Literal":
            read = [self.scope.constant(item) for item in self._literal(node)]
            return [value[0] for value in read if value is not None]
        owner = self.scope.class_of(node)
        return self.scope.enum_values(owner) if owner is not None and self.scope.is_enum(owner) else None

    def unknown(self, node: ast.expr) -> Iterator[str]:
        """Yield the names that stand alone as a form and may be enums."""
        for form in self.forms(node):
            known = isinstance(form, ast.Subscript | ast.Constant) or self.scope.class_of(form) is not None
            if not known and not self.scope.is_standard(form) and not hasattr(builtins, self.name(form)):
                yield self.name(form) or ast.unparse(form)

    def _literal(self, node: ast.Subscript) -> Iterator[ast.expr]:
        for item in _arguments(node):
            inner = self.scope.followed(item)
            if isinstance(inner, ast.Subscript) and self.name(inner) == "Literal":
                yield from self._literal(inner)
            else:
                yield inner

    def _member(self, node: ast.expr) -> str:
        if isinstance(node, ast.Attribute):
            return f"{self.scope.name_of(node.value)}.{node.attr}"
        value = self.scope.constant(node)
        return ast.unparse(node) if value is None else literal_text(value[0])


def _arguments(node: ast.Subscript) -> list[ast.expr]:
    return list(node.slice.elts) if isinstance(node.slice, ast.Tuple) else [node.slice]


def _parsed(node: ast.Constant) -> ast.expr:
    """Return the expression in a string annotation; a name that cannot be for what is none."""
    try:
        return ast.parse(str(node.value).strip(), mode="eval").body
    except SyntaxError:
        return ast.Name(id=str(node.value), ctx=ast.Load())
