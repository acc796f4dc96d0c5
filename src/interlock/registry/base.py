"""The seam of every registry, one published text, and how a layer is named on a command line.

Source: decision-engine specification, versions and registry.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Protocol, TypeAlias

from interlock.errors import PromptError
from interlock.judge.wire import parse_json
from interlock.prompts import Layer, LayerRef, Wanted
from interlock.prompts.layers import text_digest
from interlock.prompts.loop import check_template
from interlock.prompts.render import fill_system
from interlock.questions import Json
from interlock.registry.index import Change, Index

__all__ = [
    "MAX_BYTES",
    "PRODUCTION",
    "Clock",
    "Prompt",
    "PromptRegistry",
    "Ref",
    "check_text",
    "diff_prompts",
    "moment",
    "parse_ref",
    "read_loop",
    "utc_now",
]

MAX_BYTES = 1_048_576
"""Of one text, in UTF-8."""
_UNKEEPABLE = re.compile("[\0\ud800-\udfff]")

PRODUCTION = "production"
"""The label that is meant when none is named."""

Clock: TypeAlias = Callable[[], datetime]


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """One version of one layer."""

    name: str
    version: str
    layer: Layer
    text: str
    """Character for character as it was published."""

    def ref(self) -> LayerRef:
        """Return name, version and digest."""
        return LayerRef(name=self.name, version=self.version, digest=text_digest(self.text))


@dataclass(frozen=True, slots=True, kw_only=True)
class Ref:
    """A name, and a version or label."""

    name: str
    which: str


class PromptRegistry(Protocol):
    """A store of prompts whose published versions never change."""

    @property
    def place(self) -> str:
        """Where it is, as shown to a person."""
        ...

    def index(self) -> Index:
        """Return every name, version and label, and the history.

        Raises:
            PromptError: the registry cannot be read.
        """
        ...

    def get(self, name: str, which: str = PRODUCTION, *, key: str | None = None) -> Prompt:
        """Return the version that a number or a label means; a `key` lets labels with a share decide.

        Raises:
            PromptError: there is none, or its text is not what was published.
        """
        ...

    def publish(
        self,
        name: str,
        version: str,
        *,
        text: str | None = None,
        layer: Layer | None = None,
        label: str | None = None,
        share: float | None = None,
    ) -> tuple[Change, ...]:
        """Publish a version, and let a label point to it; return what changed.

        Raises:
            PromptError: the text cannot be used, or the version was published with another text.
        """
        ...

    def rollback(self, name: str, label: str = PRODUCTION) -> Change:
        """Let a label point where it pointed before; return what changed.

        Raises:
            PromptError: there is no such label, or it never pointed elsewhere.
        """
        ...


def parse_ref(text: str) -> Ref:
    """Return what `NAME`, `NAME@VERSION` or `NAME@LABEL` names.

    Raises:
        PromptError: the name or what follows it is empty.
    """
    name, separator, which = text.partition("@")
    if not name or (separator and not which):
        raise PromptError(f"`{text}` names no prompt; write `NAME@VERSION` or `NAME@LABEL`")
    return Ref(name=name, which=which or PRODUCTION)


def check_text(layer: Layer, text: str) -> None:
    """Refuse a text that no pack could use as this layer.

    Raises:
        PromptError: it is empty, too large or not whole, a system layer that misses actions, or a loop layer that is
            not the object wanted.
    """
    if not text.strip():
        raise PromptError(f"{layer} layer: is empty")
    if _UNKEEPABLE.search(text):
        raise PromptError(f"{layer} layer: holds a NUL or half of a character, which not every store keeps")
    if len(text.encode()) > MAX_BYTES:
        raise PromptError(f"{layer} layer: is larger than {MAX_BYTES:,} bytes")
    if layer == "system":
        fill_system(text, Wanted())
    if layer == "loop":
        read_loop(text)


def read_loop(text: str) -> Mapping[str, Json]:
    """Return the object of a loop layer, its keys in the order written.

    Raises:
        PromptError: it is not JSON, or not the object that a turn fills.
    """
    try:
        value = parse_json(text)
    except ValueError as error:
        raise PromptError("loop layer: is not JSON, or names a key twice") from error
    if not isinstance(value, Mapping):
        raise PromptError("loop layer: is not a JSON object")
    check_template(value)
    return value


def diff_prompts(old: Prompt, new: Prompt) -> Iterator[str]:
    """Yield the lines of a unified diff, without line ends; nothing when the texts are equal."""
    yield from difflib.unified_diff(
        old.text.splitlines(),
        new.text.splitlines(),
        fromfile=f"{old.name}@{old.version}",
        tofile=f"{new.name}@{new.version}",
        lineterm="",
    )


def utc_now() -> datetime:
    """Return the present moment."""
    return datetime.now(UTC)


def moment(now: Clock) -> str:
    """Return the present moment as the history writes it, in UTC to the second."""
    return now().astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
