"""Which versions of which prompts exist and where labels point: everything follows from the history of changes.

Pure: moments are given, and nothing is read or written.
Source: decision-engine specification, versions and registry.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from interlock.diagnostics import did_you_mean
from interlock.errors import PromptError
from interlock.prompts import Layer
from interlock.registry.sticky import sticky

__all__ = [
    "Act",
    "Change",
    "Entry",
    "Index",
    "Label",
    "check_name",
    "fold",
    "label_change",
    "publish_change",
    "rollback_change",
]

Act: TypeAlias = Literal["publish", "label", "rollback"]

_NAME = re.compile(r"[a-z][a-z0-9_]{0,63}")
_VERSION = re.compile(r"[0-9]+(?:\.[0-9]+){1,2}")
_LABEL = re.compile(r"[a-z][a-z0-9_-]{0,31}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One line of the history."""

    at: str
    """UTC."""
    act: Act
    name: str
    version: str
    layer: Layer
    digest: str
    """SHA-256 of the version's text."""
    label: str | None = None
    """None for a publication."""
    share: float | None = None
    """Percent of the keys that ask for another label; None when the label has no share."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Label:
    """Where a label points."""

    version: str
    share: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One prompt with all its versions."""

    name: str
    layer: Layer
    versions: Mapping[str, str]
    """Version → digest, in the order of publication."""
    labels: Mapping[str, tuple[Label, ...]]
    """Label → where it pointed, the newest last; a rollback takes the last one off."""

    def current(self) -> dict[str, Label]:
        """Return where each label points now."""
        return {name: pointed[-1] for name, pointed in self.labels.items()}

    def resolve(self, which: str, key: str | None = None) -> str:
        """Return the version that a version number or a label means.

        With a `key`, a label without a share gives way to the labels with one, each for its percent of all keys;
        the same key always gets the same.

        Raises:
            PromptError: there is no such version or label.
        """
        if _VERSION.fullmatch(which):
            if which not in self.versions:
                raise PromptError(f"`{self.name}`: no version `{which}`; {did_you_mean(which, list(self.versions))}")
            return which
        labels = self.current()
        if which not in labels:
            raise PromptError(f"`{self.name}`: no label `{which}`; {did_you_mean(which, list(labels))}")
        if key is None or labels[which].share is not None:
            return labels[which].version
        point, edge = sticky(self.name, key) * 100, 0.0
        for _, label in sorted(labels.items()):
            edge += label.share or 0.0
            if point < edge:
                return label.version
        return labels[which].version


@dataclass(frozen=True, slots=True, kw_only=True)
class Index:
    """Every prompt of a registry."""

    entries: Mapping[str, Entry]
    history: tuple[Change, ...] = field(default=())

    def entry(self, name: str) -> Entry:
        """Return the prompt of a name.

        Raises:
            PromptError: there is none.
        """
        found = self.entries.get(name)
        if found is None:
            raise PromptError(f"no prompt `{name}`; {did_you_mean(name, list(self.entries))}")
        return found


def fold(history: Iterable[Change]) -> Index:
    """Return what a history leads to.

    Raises:
        PromptError: a change could not have been made.
    """
    changes, entries = tuple(history), dict[str, Entry]()
    for change in changes:
        entries[change.name] = _changed(Index(entries=entries), change)
    return Index(entries=entries, history=changes)


def check_name(name: str, version: str) -> None:
    """Refuse a name or a number that no prompt can have.

    Raises:
        PromptError: it is such a one.
    """
    if not _NAME.fullmatch(name):
        raise PromptError(f"`{name}@{version}`: the name is lower-case letters, digits and `_`")
    if not _VERSION.fullmatch(version):
        raise PromptError(f"`{name}@{version}`: the version is a number such as `1.0` or `1.2.1`")


def publish_change(index: Index, *, at: str, name: str, version: str, layer: Layer, digest: str) -> Change | None:
    """Return the change that publishes a version; None when exactly this was published already.

    Raises:
        PromptError: the name, version or layer cannot be, or the content changed without a new number.
    """
    change = Change(at=at, act="publish", name=name, version=version, layer=layer, digest=digest)
    entry = index.entries.get(name)
    known = None if entry is None else entry.versions.get(version)
    if known is not None and known != digest:
        raise PromptError(
            f"`{name}@{version}`: its content is not what was published under this number; give it a new number"
        )
    if known is not None:
        return None
    _changed(index, change)
    return change


def label_change(index: Index, *, at: str, name: str, version: str, label: str, share: float | None) -> Change:
    """Return the change that lets a label point to a version.

    Raises:
        PromptError: the version is not there, or the label or its share cannot be.
    """
    return _moved(index, at=at, act="label", name=name, label=label, to=Label(version=version, share=share))


def rollback_change(index: Index, *, at: str, name: str, label: str) -> Change:
    """Return the change that lets a label point where it pointed before.

    Raises:
        PromptError: there is no such label, or it never pointed elsewhere.
    """
    pointed = index.entry(name).labels.get(label, ())
    if len(pointed) < 2:
        raise PromptError(f"`{name}`: label `{label}` has no earlier version to go back to")
    return _moved(index, at=at, act="rollback", name=name, label=label, to=pointed[-2])


def _moved(index: Index, *, at: str, act: Act, name: str, label: str, to: Label) -> Change:
    entry = index.entry(name)
    change = Change(
        at=at,
        act=act,
        name=name,
        version=to.version,
        layer=entry.layer,
        digest=entry.versions[entry.resolve(to.version)] if _VERSION.fullmatch(to.version) else "",
        label=label,
        share=to.share,
    )
    _changed(index, change)
    return change


def _changed(index: Index, change: Change) -> Entry:
    """Return the prompt as it is after a change.

    Raises:
        PromptError: the change cannot be made.
    """
    if change.act == "publish":
        return _published(index.entries.get(change.name), change)
    return _pointed(index.entry(change.name), change)


def _published(entry: Entry | None, change: Change) -> Entry:
    place = f"`{change.name}@{change.version}`"
    check_name(change.name, change.version)
    if entry is None:
        return Entry(name=change.name, layer=change.layer, versions={change.version: change.digest}, labels={})
    if entry.layer != change.layer:
        raise PromptError(f"{place}: `{change.name}` is a {entry.layer} layer; name a {change.layer} layer otherwise")
    if change.version in entry.versions:
        raise PromptError(f"{place}: is published twice")
    versions = {**entry.versions, change.version: change.digest}
    return Entry(name=entry.name, layer=entry.layer, versions=versions, labels=entry.labels)


def _pointed(entry: Entry, change: Change) -> Entry:
    label = change.label or ""
    if not _LABEL.fullmatch(label):
        raise PromptError(f"`{entry.name}`: label `{label}` is lower-case letters, digits, `_` and `-`")
    if entry.versions.get(change.version) != change.digest:
        raise PromptError(f"`{entry.name}`: no version `{change.version}` for the label `{label}`; publish it first")
    before = entry.labels.get(label, ())
    to = Label(version=change.version, share=change.share)
    pointed = before[:-1] if change.act == "rollback" else (*before, to)
    if not pointed or pointed[-1] != to:
        raise PromptError(f"`{entry.name}`: label `{label}` did not point to `{change.version}` before")
    labels = {**entry.labels, label: pointed}
    _check_shares(entry.name, labels, change)
    return Entry(name=entry.name, layer=entry.layer, versions=entry.versions, labels=labels)


def _check_shares(name: str, labels: Mapping[str, tuple[Label, ...]], change: Change) -> None:
    share = change.share
    if share is not None and not 0 <= share <= 100:
        raise PromptError(f"`{name}`: a share is a percentage from 0 to 100, not {share:g}")
    total = sum(pointed[-1].share or 0.0 for pointed in labels.values())
    if total > 100:
        raise PromptError(f"`{name}`: the shares of its labels come to {total:g} percent; lower one to at most 100")
