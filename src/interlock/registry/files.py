"""A registry in a directory of text files, meant to be committed: the files hold texts, `registry.json` their history.

Source: decision-engine specification, versions and registry.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from interlock.errors import PromptError
from interlock.prompts import LAYERS, Layer
from interlock.prompts.layers import text_digest
from interlock.registry.base import MAX_BYTES, PRODUCTION, Clock, Prompt, moment, utc_now
from interlock.registry.index import Change, Index, check_name, fold, rollback_change
from interlock.registry.ledger import index_text, read_index
from interlock.registry.locking import locked
from interlock.registry.publishing import known_layer, publication

__all__ = ["FileRegistry"]

REGISTRY = "registry.json"
_DIRECTORIES: Mapping[Layer, str] = {"system": "system", "role": "roles", "loop": "loop_templates"}
_SUFFIXES: Mapping[Layer, tuple[str, ...]] = {
    "system": (".txt", ".md"),
    "role": (".txt", ".md"),
    "loop": (".json",),
}
_UNFINISHED = ".unfinished"
"""How the name of a file ends while it is written."""


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
        at = moment(self._now)
        with self._changing() as index:
            path, found, content = self._given(index, name, version, text, layer)
            changes = publication(
                index, at=at, name=name, version=version, text=content, layer=found, label=label, share=share
            )
            if text is not None and not path.exists():
                _replace(path, text)
            self._write(index, changes)
        return changes

    def rollback(self, name: str, label: str = PRODUCTION) -> Change:
        """Let a label point where it pointed before; see `PromptRegistry.rollback`."""
        with self._changing() as index:
            change = rollback_change(index, at=moment(self._now), name=name, label=label)
            self.get(name, change.version)
            self._write(index, [change])
        return change

    def unpublished(self) -> tuple[str, ...]:
        """Return the files that lie in the layout and are not published, by their path in the directory."""
        index = self.index()
        return tuple(
            path.relative_to(self._directory).as_posix()
            for path, name, version in self._lying()
            if not _is_published(index, name, version)
        )

    def _lying(self) -> Iterator[tuple[Path, str, str]]:
        for layer in LAYERS:
            for path in sorted((self._directory / _DIRECTORIES[layer]).glob("*_v*")):
                name, _, version = path.stem.rpartition("_v")
                if path.suffix in _SUFFIXES[layer] and path.is_file():
                    yield path, name, version

    @contextmanager
    def _changing(self) -> Iterator[Index]:
        """Yield the index while nobody else changes it, after removing what a killed process left half written."""
        if self._read_only:
            raise PromptError("the shipped prompts are read-only; name a registry of your own")
        with locked(self._directory):
            for folder in (self._directory, *(self._directory / name for name in _DIRECTORIES.values())):
                for leftover in folder.glob(f".*{_UNFINISHED}"):
                    leftover.unlink(missing_ok=True)
            yield self.index()

    def _given(
        self, index: Index, name: str, version: str, text: str | None, layer: Layer | None
    ) -> tuple[Path, Layer, str]:
        """Return the file of a version, its layer, and the text that it holds or is to hold."""
        if text is None:
            path, found = self._found(name, version)
            return path, found, _read(path)
        found = layer or known_layer(index, name)
        check_name(name, version)
        path = self._file(name, version, found)
        if path.exists() and _read(path) != text:
            way = "give it a new number" if _is_published(index, name, version) else "remove it, or give a new number"
            raise PromptError(f"`{name}@{version}`: {path} holds another text; {way}")
        return path, found, text

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

    def _write(self, index: Index, changes: Sequence[Change]) -> None:
        if changes:
            _replace(self._directory / REGISTRY, index_text(fold((*index.history, *changes))))


def _is_published(index: Index, name: str, version: str) -> bool:
    return name in index.entries and version in index.entries[name].versions


def _read(path: Path) -> str:
    """Return the text of a file, every character of it."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise PromptError(f"{path}: cannot be read: {error.strerror}") from error
    if len(data) > MAX_BYTES:
        raise PromptError(f"{path}: is larger than {MAX_BYTES:,} bytes")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise PromptError(f"{path}: is not UTF-8 text (byte {error.start + 1})") from error


def _replace(path: Path, text: str) -> None:
    """Write a file in one step: a reader sees the old text or the new one."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=_UNFINISHED)
        with os.fdopen(handle, "wb") as stream:
            stream.write(text.encode("utf-8"))
            stream.flush()
            os.fsync(stream.fileno())
        Path(temporary).chmod(0o644)
        Path(temporary).replace(path)
    except OSError as error:
        raise PromptError(f"{path}: cannot be written: {error.strerror}") from error
