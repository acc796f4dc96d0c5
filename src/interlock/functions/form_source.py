"""The forms of the functions in a Python file, read without importing it.

A function gets the form that its live metadata gives, as far as the file tells; what it does not tell is a warning.
Where a parameter may be hidden and the file does not tell, there is a warning and no form.
Source: next-step specification, section 15.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from os import PathLike
from typing import Any, cast

from interlock._text import first_paragraph
from interlock.functions.form import FormField, FormModel, FormParam, field_of_form, json_default
from interlock.functions.metadata import AUTO_INJECTED
from interlock.functions.source import UNREADABLE, SourceFunction, SourceModule, SourceParam, read_source, source_text
from interlock.functions.source_literals import Unseen, literal_of
from interlock.functions.source_types import SourceType, source_type
from interlock.schema import ABSENT

__all__ = ["FormWarning", "SourceForms", "form_models_from_source"]


@dataclass(frozen=True, slots=True, kw_only=True)
class FormWarning:
    """Something about a form that the file does not tell."""

    line: int
    """1-based."""
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceForms:
    """The forms of one file."""

    models: tuple[FormModel, ...]
    """In the order of the file."""
    warnings: tuple[FormWarning, ...]
    """In the order of the file, each once."""


def form_models_from_source(path: str | PathLike[str]) -> SourceForms:
    """Return the forms of the Agent methods and of the functions with `input_meta` in a file; never imports it.

    Raises:
        OSError: the file cannot be read.
    """
    try:
        module = read_source(source_text(path))
    except SyntaxError as error:
        return SourceForms(models=(), warnings=(_not_python(error.lineno or 1, error.msg),))
    except UNREADABLE as error:
        return SourceForms(models=(), warnings=(_not_python(1, str(error)),))
    models: list[FormModel] = []
    unseen = list(module.unseen)
    for function in module.functions:
        read = _Reading(function=function, module=module)
        model = read.model()
        unseen += read.unseen
        if model is not None:
            models.append(model)
    return SourceForms(models=tuple(models), warnings=tuple(_warnings(unseen)))


def _not_python(line: int, reason: str) -> FormWarning:
    return FormWarning(line=line, message=f"the file is not Python: {reason}")


def _warnings(unseen: list[Unseen]) -> Iterator[FormWarning]:
    found = {(getattr(item.node, "lineno", 1), item.message) for item in unseen}
    yield from (FormWarning(line=line, message=message) for line, message in sorted(found))


class _Reading:
    """The form of one function in the making."""

    def __init__(self, *, function: SourceFunction, module: SourceModule) -> None:
        self.function = function
        self.scope = module.scope
        self.unseen: list[Unseen] = [*function.foreign, *function.unseen]

    def model(self) -> FormModel | None:
        """Return the form; None where a parameter may be hidden and the file does not tell."""
        if any(item.hides for item in self.unseen):
            return None
        name, summary = self._entry("name"), self._entry("description")
        params = [param for param in self.function.params if not self._is_left_out(param)]
        return FormModel(
            name=name or self.function.node.name,
            summary=summary or first_paragraph(self.function.doc),
            fields=tuple(self._field(param) for param in params),
        )

    def _entry(self, key: str) -> str | None:
        node = self.function.entry.get(key)
        value = None if node is None else literal_of(node)
        if node is not None and value is None:
            self._miss(node, f"`{key}` of `{self.function.node.name}` is not a literal")
        return None if value is None else cast("str | None", value[0])

    def _is_left_out(self, param: SourceParam) -> bool:
        return param.node.arg in AUTO_INJECTED or bool(self._said(param).get("hidden"))

    def _said(self, param: SourceParam) -> Mapping[str, object]:
        nodes = self.function.said.params.get(param.node.arg, {})
        read = {key: literal_of(node) for key, node in nodes.items()}
        return {key: value[0] for key, value in read.items() if value is not None}

    def _field(self, param: SourceParam) -> FormField:
        kind, said = source_type(param.node.annotation, self.scope), self._said(param)
        for name in kind.unknown:
            message = f"`{name}`, the type of `{param.node.arg}`, is not defined in this file; its values are not seen"
            self._miss(param.node, message)
        options = said.get("options")
        return field_of_form(
            FormParam(
                name=param.node.arg,
                type=kind.text,
                values=kind.values,
                options=_converted(options, kind) if isinstance(options, list | tuple) else None,
                default=self._default(param),
                description=cast("str | None", said.get("description")),
                placeholder=cast("str | None", said.get("placeholder")),
                multiline=cast("bool | None", said.get("multiline")),
                options_from=cast("str | None", said.get("options_from")),
            )
        )

    def _default(self, param: SourceParam) -> object:
        if param.default is None:
            return ABSENT
        value = self.scope.constant(param.default)
        is_private = ast.unparse(param.default).startswith("_")
        if value is None and not is_private:
            self._miss(param.default, f"the default of `{param.node.arg}` is not a literal")
        return None if value is None else json_default(value[0])

    def _miss(self, node: ast.AST, message: str) -> None:
        self.unseen.append(Unseen(node=node, message=message, hides=False))


def _converted(options: list[object] | tuple[object, ...], kind: SourceType) -> tuple[object, ...]:
    """Return options as values of their type, where that is a number; text stands for the number it spells."""
    wanted = {"int": int, "float": float}.get(" | ".join(set(kind.text.split(" | ")) - {"None"}))
    return tuple(options) if wanted is None else tuple(_number(item, wanted) for item in options)


def _number(option: Any, wanted: type[int | float]) -> object:  # noqa: ANN401  (an author may write anything)
    with suppress(ValueError):
        option = json.loads(option) if isinstance(option, str) else option
    is_number = isinstance(option, int | float) and not isinstance(option, bool)
    return float(option) if is_number and wanted is float else option
