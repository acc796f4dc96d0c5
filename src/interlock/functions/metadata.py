"""What a function says about itself, read once; menu, tool spec, form, graph and bound call all read this.

Source: next-step specification, section 13.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from interlock.schema import ABSENT, Annotation

__all__ = ["AUTO_INJECTED", "INPUT_KEYS", "Expose", "FunctionMetadata", "ParamMetadata", "ParamSource", "RenderRange"]

AUTO_INJECTED = frozenset({"runtime", "exec_runtime", "review_runtime"})
"""Parameters of these names are filled with the bound Runtime and appear nowhere."""

INPUT_KEYS = frozenset({"description", "options", "hidden", "placeholder", "multiline", "options_from"})
"""What `input={"x": {…}}` may say of a parameter."""

Expose: TypeAlias = Literal["io", "llm", "full", "hidden"]
ParamSource: TypeAlias = Literal["llm", "context", "runtime"]
ParamKind: TypeAlias = Literal["positional_only", "positional_or_keyword", "keyword_only"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RenderRange:
    """How much of the session graph a model call is shown; None is no cap on callers, -1 no cap on subcalls."""

    callers: int | None = None
    subcalls: int = -1


@dataclass(frozen=True, slots=True, kw_only=True)
class ParamMetadata:
    """One parameter; catch-all parameters, `self` and bound ones are not listed."""

    name: str
    kind: ParamKind
    annotation: Annotation
    """As written, resolved for visible parameters; `str` when there is none."""
    default: object
    """ABSENT when the parameter has none."""
    source: ParamSource
    """Who fills it: the model, the caller's context, or the framework."""
    description: str | None = None
    options: tuple[object, ...] | None = None
    placeholder: str | None = None
    multiline: bool | None = None
    options_from: str | None = None

    @property
    def hidden(self) -> bool:
        """True when Python fills it and no model ever sees it."""
        return self.source == "context"

    @property
    def visible(self) -> bool:
        """True when the model fills it."""
        return self.source == "llm"

    @property
    def required(self) -> bool:
        """True when it has no default."""
        return self.default is ABSENT


@dataclass(frozen=True, slots=True, kw_only=True)
class FunctionMetadata:
    """One function."""

    name: str
    summary: str
    """First paragraph of the docstring as one line, or the `description` option; empty when there is neither."""
    doc: str
    params: tuple[ParamMetadata, ...]
    function: Callable[..., Any]
    is_async: bool
    system: str | None = None
    expose: Expose = "full"
    render_range: RenderRange = RenderRange()
    returns: Annotation = None
    """The return annotation when it is a dataclass, TypedDict or BaseModel; None otherwise."""
    options: Mapping[str, object] = field(default_factory=dict)
    """The whole `method_options` entry of an Agent method; empty for a plain callable."""

    @property
    def visible(self) -> tuple[ParamMetadata, ...]:
        """The parameters that a model fills, in signature order."""
        return tuple(param for param in self.params if param.visible)
