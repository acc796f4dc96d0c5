"""A registry in a directory of text files, meant to be committed: the files hold texts, `registry.json` their history.

Source: decision-engine specification, versions and registry.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

from interlock.errors import PromptError
from interlock.prompts import LAYERS, Layer
from interlock.prompts.layers import text_digest
from interlock.registry.base import PRODUCTION, Clock, Prompt, check_text, moment, utc_now
from interlock.registry.index import Change, Index, fold, label_change, publish_change, rollback_change
from interlock.registry.ledger import index_text, read_index

__all__ = ["FileRegistry"]

REGISTRY = "registry.json"
_DIRECTORIES: Mapping[Layer, str] = {"system": "system", "role": "roles", "loop": "loop_templates"}
_SUFFIXES: Mapping[Layer, tuple[str, ...]] = {
    "system": (".txt", ".md"),
    "role": (".txt", ".md"),
    "loop": (".json",),
}
_MAX_BYTES = 1_048_576


class FileRegistry:
    """Prompts as files `LAYER/NAME_vVERSION.txt`; a version counts once it is published."""

    def __init__(self, directory: Path, *, read_only: bool = False, now: Clock = utc_now) -> None:
        self._directory = directory
        self._read_only = read_only
        self._now = now

    @property
    def place(self) -> str:
        """The directory; the shipped one is not where anybody looks for prompts."""
        return "shipped with interlock" if self._read_only else str(self._directory)

    def index(self) -> Index:
        """Return every name, version and label, and the history; see `PromptRegistry.index`."""
        path = self._directory / REGISTRY
        if not path.exists():
            return fold(())
        return read_index(_read(path), str(path))

    def get(self, name: str, which: str = PRODUCTION, *, key: str | None = None) -> Prompt:
        """Return one published version; see `PromptRegistry.get`."""
        entry = self.index().entry(name)
        version = entry.resolve(which, key)
        path = self._file(name, version, entry.layer)
        text = _read(path)
        if text_digest(text) != entry.versions[version]:
            raise PromptError(
                f"{path}: is not what was published as `{name}@{version}`; restore it, or give it a new number"
            )
        return Prompt(name=name, version=version, layer=entry.layer, text=text)

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
        """Publish the version that lies in its file, or `text` as that file; see `PromptRegistry.publish`."""
        index, at = self._for_change(), moment(self._now)
        if text is not None:
            self._place(name, version, text, layer or _known_layer(index, name))
        path, found = self._found(name, version)
        check_text(found, _read(path))
        digest = text_digest(_read(path))
        published = publish_change(index, at=at, name=name, version=version, layer=found, digest=digest)
        changes = [] if published is None else [published]
        if label is not None:
            after = fold((*index.history, *changes))
            changes.append(label_change(after, at=at, name=name, version=version, label=label, share=share))
        self._write(index, changes)
        return tuple(changes)

    def rollback(self, name: str, label: str = PRODUCTION) -> Change:
        """Let a label point where it pointed before; see `PromptRegistry.rollback`."""
        index = self._for_change()
        change = rollback_change(index, at=moment(self._now), name=name, label=label)
        self.get(name, change.version)
        self._write(index, [change])
        return change

    def unpublished(self) -> tuple[str, ...]:
        """Return the files that lie in the layout and are not published, by their path in the directory."""
        entries = self.index().entries
        return tuple(
            path.relative_to(self._directory).as_posix()
            for path, name, version in self._lying()
            if name not in entries or version not in entries[name].versions
        )

    def _lying(self) -> Iterator[tuple[Path, str, str]]:
        for layer in LAYERS:
            for path in sorted((self._directory / _DIRECTORIES[layer]).glob("*_v*")):
                name, _, version = path.stem.rpartition("_v")
                if path.suffix in _SUFFIXES[layer]:
                    yield path, name, version

    def _for_change(self) -> Index:
        if self._read_only:
            raise PromptError("the shipped prompts are read-only; name a registry of your own")
        return self.index()

    def _found(self, name: str, version: str) -> tuple[Path, Layer]:
        found = [(path, layer) for layer in LAYERS for path in self._candidates(name, version, layer) if path.is_file()]
        if not found:
            folders = ", ".join(f"`{folder}/`" for folder in _DIRECTORIES.values())
            raise PromptError(
                f"`{name}@{version}`: no file `{name}_v{version}` with a known ending in {folders} of {self.place}"
            )
        if len(found) > 1:
            raise PromptError(f"`{name}@{version}`: lies in {found[0][0]} and in {found[1][0]}; keep one")
        return found[0]

    def _file(self, name: str, version: str, layer: Layer) -> Path:
        candidates = self._candidates(name, version, layer)
        return next((path for path in candidates if path.is_file()), candidates[0])

    def _candidates(self, name: str, version: str, layer: Layer) -> list[Path]:
        folder = self._directory / _DIRECTORIES[layer]
        return [folder / f"{name}_v{version}{suffix}" for suffix in _SUFFIXES[layer]]

    def _place(self, name: str, version: str, text: str, layer: Layer) -> None:
        """Write a text into its file, unless another text lies there."""
        check_text(layer, text)
        publish_change(fold(()), at="", name=name, version=version, layer=layer, digest="")
        path = self._file(name, version, layer)
        if path.exists() and _read(path) != text:
            raise PromptError(f"`{name}@{version}`: {path} holds another text; give it a new number")
        _replace(path, text)

    def _write(self, index: Index, changes: list[Change]) -> None:
        if changes:
            _replace(self._directory / REGISTRY, index_text(fold((*index.history, *changes))))


def _known_layer(index: Index, name: str) -> Layer:
    if name not in index.entries:
        raise PromptError(f"`{name}`: is new; say which layer it is: {', '.join(LAYERS)}")
    return index.entries[name].layer


def _read(path: Path) -> str:
    """Return the text of a file, every character of it."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise PromptError(f"{path}: cannot be read: {error.strerror}") from error
    if len(data) > _MAX_BYTES:
        raise PromptError(f"{path}: is larger than {_MAX_BYTES:,} bytes")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise PromptError(f"{path}: is not UTF-8 text (byte {error.start + 1})") from error


def _replace(path: Path, text: str) -> None:
    """Write a file in one step: a reader sees the old text or the new one."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        with os.fdopen(handle, "wb") as stream:
            stream.write(text.encode("utf-8"))
        Path(temporary).chmod(0o644)
        Path(temporary).replace(path)
    except OSError as error:
        raise PromptError(f"{path}: cannot be written: {error.strerror}") from error
