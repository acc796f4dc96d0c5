"""The checks behind the style rules: each looks at one function and yields what it finds.

Source: next-step specification, section 17.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from interlock._text import first_paragraph
from interlock.diagnostics import Severity, Span
from interlock.functions.lint_places import Places
from interlock.functions.lint_rules import INPUT_OF_SIGNATURE, SYSTEM_NAMES, SYSTEM_TYPES, VAGUE_NAMES
from interlock.functions.metadata import AUTO_INJECTED
from interlock.functions.source import SourceFunction, SourceParam
from interlock.functions.source_literals import literal_of
from interlock.functions.source_scope import Scope
from interlock.functions.source_types import SourceType, source_type

__all__ = ["CHECKS", "Finding", "Subject"]

_SECTION = re.compile(r"^\s*(?:Args|Arguments|Parameters|Params|Returns?):\s*$", re.MULTILINE)
_ALTERNATIVES = re.compile(r"\bone of\b|\w[\"'`]?\s*\|\s*[\"'`]?\w", re.IGNORECASE)
_ROLE_PLAY = re.compile(r"\byou are\b|\bact as\b|\bcomplete the task\b|\bdo your best\b", re.IGNORECASE)
_MIN_NAME = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One finding of one check."""

    code: str
    severity: Severity
    span: Span
    message: str
    fix: str | None


@dataclass(frozen=True, kw_only=True)
class Subject:
    """One function under check."""

    function: SourceFunction
    scope: Scope
    places: Places

    @property
    def name(self) -> str:
        """Its name with its class."""
        owner = self.function.owner
        return self.function.node.name if owner is None else f"{owner}.{self.function.node.name}"

    @cached_property
    def is_told(self) -> bool:
        """True when the source tells which parameters are hidden."""
        return not any(item.hides for item in (*self.function.foreign, *self.function.unseen))

    @cached_property
    def concealed(self) -> list[str]:
        """The names that no model may read."""
        names = [param.node.arg for param in self.function.params]
        return [name for name in names if name in AUTO_INJECTED or self.said(name, "hidden") is True]

    @cached_property
    def visible(self) -> list[SourceParam]:
        """The parameters that a model fills, as far as the source tells."""
        return [param for param in self.function.params if param.node.arg not in self.concealed]

    def node_of(self, name: str, key: str) -> ast.expr | None:
        """Return what `input=` says of a parameter under a key, as written."""
        return self.function.said.params.get(name, {}).get(key)

    def said(self, name: str, key: str) -> object:
        """Return what `input=` says of a parameter under a key; None for what is not a literal."""
        node = self.node_of(name, key)
        value = None if node is None else literal_of(node)
        return None if value is None else value[0]

    def type_of(self, param: SourceParam) -> SourceType:
        """Return the type of a parameter."""
        return source_type(param.node.annotation, self.scope)

    def error(self, code: str, span: Span, message: str, fix: str | None = None) -> Finding:
        """Return a finding that must be mended."""
        return Finding(code=code, severity="error", span=span, message=message, fix=fix)

    def warning(self, code: str, span: Span, message: str, fix: str | None = None) -> Finding:
        """Return a finding that need not be mended."""
        return Finding(code=code, severity="warning", span=span, message=message, fix=fix)


def _summary(subject: Subject) -> Iterator[Finding]:
    docstring = subject.function.docstring
    paragraph = subject.function.doc.strip().split("\n\n", 1)[0]
    if docstring is None or not paragraph:
        span = subject.places.name(subject.function.node)
        yield subject.error(
            "F01", span, f"`{subject.name}` has no docstring", "write one line that says when it applies"
        )
    elif "\n" in paragraph:
        span = subject.places.node(docstring)
        fix = "write one line, then a blank one"
        yield subject.warning("F01", span, f"the first paragraph of `{subject.name}` spans several lines", fix)


def _sections(subject: Subject) -> Iterator[Finding]:
    found = _SECTION.search(subject.function.doc)
    if found is not None and subject.function.docstring is not None:
        title = found[0].strip()
        span = subject.places.within(subject.function.docstring, re.compile(re.escape(title)))
        fix = "describe parameters in `input=` and results with a return type"
        yield subject.warning("F02", span, f"`{title}` in the docstring of `{subject.name}` is read by nothing", fix)


def _descriptions(subject: Subject) -> Iterator[Finding]:
    for param in subject.visible if subject.is_told else ():
        node = subject.node_of(param.node.arg, "description")
        if node is None or subject.said(param.node.arg, "description") == "":
            span = subject.places.node(param.node)
            message = f"`{param.node.arg}` of `{subject.name}` is not described"
            yield subject.error("F03", span, message, 'write `"description"` in `input=`')


def _alternatives(subject: Subject) -> Iterator[Finding]:
    for param in subject.visible:
        node, text = subject.node_of(param.node.arg, "description"), subject.said(param.node.arg, "description")
        kind = subject.type_of(param)
        is_closed = kind.values is not None or kind.text == "bool"
        is_closed = is_closed or subject.node_of(param.node.arg, "options") is not None
        if node is not None and isinstance(text, str) and _ALTERNATIVES.search(text) and not is_closed:
            message = f"the description of `{param.node.arg}` lists alternatives"
            yield subject.warning(
                "F04", subject.places.node(node), message, "write them as `options` or as a `Literal`"
            )


def _system_filled(subject: Subject) -> Iterator[Finding]:
    for param in subject.visible if subject.is_told else ():
        names = subject.type_of(param).text.split(" | ")
        carried = [name for name in names if name in SYSTEM_TYPES or _is_opaque(name, subject.scope)]
        fix = 'mark it `"hidden": True` in `input=`'
        span = subject.places.node(param.node)
        if carried:
            message = f"`{param.node.arg}` is a `{carried[0]}`, which JSON cannot carry, and is visible"
            yield subject.warning("F05", span, message, fix)
        elif param.node.arg in SYSTEM_NAMES:
            message = f"`{param.node.arg}` looks like something the system fills, and is visible"
            yield subject.warning("F05", span, message, fix)


def _is_opaque(name: str, scope: Scope) -> bool:
    """True for a class of this file without bases and decorators."""
    owner = scope.classes.get(name)
    return owner is not None and not owner.decorator_list and not owner.bases


def _injected(subject: Subject) -> Iterator[Finding]:
    for param in subject.function.params if subject.function.owner is not None else ():
        name = param.node.arg
        hidden = subject.node_of(name, "hidden")
        if name in AUTO_INJECTED:
            message = f"`{subject.name}` declares `{name}`, which the framework injects"
            fix = "leave it out; a method runs on the Runtime of its agent or caller"
            yield subject.error("F06", subject.places.node(param.node), message, fix)
        if name in AUTO_INJECTED and hidden is not None:
            yield subject.error("F06", subject.places.node(hidden), f"`{name}` is injected, so it is never `hidden`")


def _names(subject: Subject) -> Iterator[Finding]:
    name = subject.function.node.name
    span = subject.places.name(subject.function.node)
    fix = "write what it does and to what, such as `read_invoice`"
    if name.startswith("_"):
        yield subject.warning("F07", span, f"the name `{name}` begins with `_`", fix)
    elif len(name) < _MIN_NAME:
        yield subject.warning("F07", span, f"the name `{name}` is too short to tell what it does", fix)
    elif name in VAGUE_NAMES:
        yield subject.warning("F07", span, f"the name `{name}` fits any function", fix)


def _role_play(subject: Subject) -> Iterator[Finding]:
    found = _ROLE_PLAY.search(subject.function.doc)
    if found is not None and subject.function.docstring is not None:
        span = subject.places.within(subject.function.docstring, re.compile(re.escape(found[0])))
        message = f"`{' '.join(found[0].split())}` in the docstring of `{subject.name}` says nothing about the function"
        yield subject.warning("F08", span, message, "say what it does and when it applies")


def _not_literal(subject: Subject) -> Iterator[Finding]:
    for item in subject.function.unseen:
        fix = "write it out, so that the form can be made from the source"
        yield subject.warning("F09", subject.places.node(item.node), item.message, fix)


def _leaks(subject: Subject) -> Iterator[Finding]:
    for node, what, text in _texts(subject):
        for name in subject.concealed:
            word = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)")
            if word.search(text):
                message = f"{what} names `{name}`, which no model may know"
                yield subject.error("F10", subject.places.within(node, word), message, "say it without that name")


def _texts(subject: Subject) -> Iterator[tuple[ast.expr, str, str]]:
    """Yield what a model reads of the function: where it is written, what it is, and its text."""
    docstring, described = subject.function.docstring, subject.function.entry.get("description")
    if docstring is not None:
        yield docstring, f"the summary of `{subject.name}`", first_paragraph(subject.function.doc)
    text = None if described is None else literal_of(described)
    if described is not None and text is not None:
        yield described, f"the description of `{subject.name}`", str(text[0])
    for param in subject.visible:
        for key in ("description", "placeholder"):
            node = subject.node_of(param.node.arg, key)
            if node is not None:
                yield node, f"the {key} of `{param.node.arg}`", str(subject.said(param.node.arg, key))


def _repeats(subject: Subject) -> Iterator[Finding]:
    for name, keys in subject.function.said.params.items():
        for key in sorted(INPUT_OF_SIGNATURE & keys.keys()):
            message = f"`{key}` of `{name}` in `input=` repeats the signature"
            yield subject.warning("F11", subject.places.node(keys[key]), message, "leave it out")


CHECKS: Sequence[Callable[[Subject], Iterator[Finding]]] = (
    _summary,
    _sections,
    _descriptions,
    _alternatives,
    _system_filled,
    _injected,
    _names,
    _role_play,
    _not_literal,
    _leaks,
    _repeats,
)
"""In the order of the rules."""
