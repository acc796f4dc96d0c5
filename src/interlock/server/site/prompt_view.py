"""Registries of prompts as a person reads them, and what a change that somebody wants would do.

Pure over registries that are open already; knows nothing of templates.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from interlock._canonical import compact_json
from interlock.errors import PromptError
from interlock.prompts import Layer
from interlock.registry import Change, Entry, FileRegistry, Index, Prompt, PromptRegistry
from interlock.registry.index import rollback_change
from interlock.registry.ledger import change_json
from interlock.registry.publishing import publication
from interlock.server.site.side_by_side import Sides, side_by_side

__all__ = ["Act", "Coming", "Listed", "Opened", "Wish", "coming", "entry_in", "listed", "next_version"]

Act: TypeAlias = Literal["publish", "rollback"]
_LATER = "9999-12-31T23:59:59Z"
"""Stands for the moment of a change that is not made yet."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """One registry."""

    place: str
    is_own: bool
    entries: tuple[Entry, ...]
    unpublished: tuple[str, ...]
    """Files that lie in a registry's directory and were never published."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """One prompt with one of its versions."""

    entry: Entry
    place: str
    is_own: bool
    history: tuple[Change, ...]
    """Newest first."""
    version: str
    prompt: Prompt | None
    problem: str
    """Why there is no text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """A change that somebody wants."""

    act: Act
    name: str
    version: str
    layer: Layer | None
    text: str
    """Empty for a version that is published already."""
    label: str
    """Empty for none."""
    share: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Coming:
    """What a wish would do, before it is done."""

    changes: tuple[Change, ...]
    before: str | None
    """The version that the label means now."""
    sides: Sides | None
    """From the text that is in force now to the one that would be; None where there is nothing before."""
    seal: str
    """The same for the same wish while nobody has changed the prompt."""


def listed(registry: PromptRegistry, *, is_own: bool) -> Listed:
    """Return what a registry holds.

    Raises:
        PromptError: it cannot be read.
    """
    entries = registry.index().entries
    return Listed(
        place=registry.place,
        is_own=is_own,
        entries=tuple(entries[name] for name in sorted(entries)),
        unpublished=registry.unpublished() if isinstance(registry, FileRegistry) else (),
    )


def entry_in(registry: PromptRegistry, name: str, which: str, *, is_own: bool) -> Opened:
    """Return a prompt of a registry with the version that a number or label means; empty: the newest.

    Raises:
        PromptError: the registry has no such prompt or version, or cannot be read.
    """
    index = registry.index()
    entry = index.entry(name)
    version = entry.resolve(which) if which else list(entry.versions)[-1]
    prompt, problem = None, ""
    try:
        prompt = registry.get(name, version)
    except PromptError as error:
        problem = str(error)
    return Opened(
        entry=entry,
        place=registry.place,
        is_own=is_own,
        history=tuple(reversed([change for change in index.history if change.name == name])),
        version=version,
        prompt=prompt,
        problem=problem,
    )


def coming(registry: PromptRegistry, wish: Wish) -> Coming:
    """Return what a wish would do to a registry.

    Raises:
        PromptError: it cannot be done.
    """
    if wish.act == "publish" and not wish.text and not wish.label:
        raise PromptError(f"`{wish.name}@{wish.version}`: give its text, or a label that shall point to it")
    index = registry.index()
    changes = _changes(index, wish)
    if not changes:
        raise PromptError(f"`{wish.name}@{wish.version}` is published already, with this text")
    before = _before(index, wish)
    after = wish.text or registry.get(wish.name, changes[-1].version).text
    sides = None if before is None else side_by_side(registry.get(wish.name, before).text, after)
    sealed = [change_json(change) for change in index.history if change.name == wish.name]
    sealed += [change_json(change) for change in changes]
    seal = hashlib.sha256(compact_json(sealed).encode()).hexdigest()
    return Coming(changes=changes, before=before, sides=sides, seal=seal)


def next_version(versions: Sequence[str]) -> str:
    """Return the number after the last one."""
    if not versions:
        return "1.0"
    *first, last = versions[-1].split(".")
    return ".".join([*first, str(int(last) + 1)])


def _changes(index: Index, wish: Wish) -> tuple[Change, ...]:
    if wish.act == "rollback":
        return (rollback_change(index, at=_LATER, name=wish.name, label=wish.label),)
    return publication(
        index,
        at=_LATER,
        name=wish.name,
        version=wish.version,
        text=wish.text or None,
        layer=wish.layer,
        label=wish.label or None,
        share=wish.share,
    )


def _before(index: Index, wish: Wish) -> str | None:
    """Return the version to compare with: what the label means now, else the newest."""
    entry = index.entries.get(wish.name)
    if entry is None:
        return None
    pointed = entry.current().get(wish.label)
    return list(entry.versions)[-1] if pointed is None else pointed.version
