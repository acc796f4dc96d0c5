"""One directory and the steps from it to a name in it, by handle where the system has them, by path elsewhere.

Knows nothing of roots or tools; whoever walks decides what a step may be.
Source: reference loop specification, path safety.
"""

from __future__ import annotations

import errno
import os
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

__all__ = ["Kind", "Place", "handles_supported", "kind_of"]

Kind: TypeAlias = Literal["file", "directory", "link", "other"]

_PLAIN = getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
_WAITLESS = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0)
_DIRECTORY = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0)


def handles_supported() -> bool:
    """Return whether every step can be taken relative to an open directory."""
    needed = {os.open, os.stat, os.mkdir, os.unlink, os.rename, os.readlink, os.link}
    return hasattr(os, "O_NOFOLLOW") and needed <= os.supports_dir_fd and os.scandir in os.supports_fd


def kind_of(status: os.stat_result) -> Kind:
    """Return what a status describes; devices, pipes and sockets are `other`."""
    mode = status.st_mode
    if stat.S_ISREG(mode):
        return "file"
    if stat.S_ISDIR(mode):
        return "directory"
    return "link" if stat.S_ISLNK(mode) else "other"


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A directory; every step takes one name and follows no link.

    Raises:
        OSError: the system refused a step; ELOOP when a directory was swapped for a link.
    """

    path: Path
    """Where the directory was found; used for steps only when there is no handle."""
    handle: int | None
    """An open descriptor; None where the system has no steps by handle."""

    @classmethod
    def root(cls, path: Path, *, handles: bool) -> Place:
        """Return the directory at a path without links."""
        return cls(path=path, handle=os.open(path, _DIRECTORY | _PLAIN) if handles else None)

    def close(self) -> None:
        """Give the handle back."""
        if self.handle is not None:
            os.close(self.handle)

    def again(self) -> Place:
        """Return the same directory with a handle of its own."""
        return Place(path=self.path, handle=None if self.handle is None else os.dup(self.handle))

    def enter(self, name: str) -> Place:
        """Return the directory `name`; the caller closes it."""
        path = self.path / name
        if self.handle is None:
            _require_unlinked(path)
            return Place(path=path, handle=None)
        return Place(path=path, handle=os.open(name, _DIRECTORY | _PLAIN, dir_fd=self.handle))

    def look(self, name: str) -> os.stat_result:
        """Return what `name` is; a link is a link."""
        return os.stat(self._at(name), dir_fd=self.handle, follow_symlinks=False)

    def aim(self, name: str) -> Path:
        """Return where the link `name` points."""
        return Path(os.readlink(self._at(name), dir_fd=self.handle))

    def open(self, name: str, flags: int) -> int:
        """Return a descriptor of the file `name`; never waits for another process."""
        if self.handle is None:
            _require_unlinked(self.path)
        descriptor = os.open(self._at(name), flags | _PLAIN | _WAITLESS, 0o666, dir_fd=self.handle)
        if self.handle is None:
            _require_same(descriptor, self._at(name))
        return descriptor

    def entries(self) -> list[tuple[str, Kind]]:
        """Return the names in the directory with what they are, sorted by name."""
        with os.scandir(self.path if self.handle is None else self.handle) as found:
            return sorted((entry.name, kind_of(entry.stat(follow_symlinks=False))) for entry in found)

    def make(self, name: str) -> None:
        """Create the directory `name`; one that exists stays."""
        try:
            os.mkdir(self._at(name), dir_fd=self.handle)
        except FileExistsError:
            return

    def replace(self, name: str, target: str) -> None:
        """Put `name` in the place of `target` in one step; a link there is replaced, not followed."""
        os.replace(self._at(name), self._at(target), src_dir_fd=self.handle, dst_dir_fd=self.handle)

    def link(self, name: str, to: Place, target: str) -> None:
        """Give the file `name` a second name; fails where that is taken."""
        follow = {"follow_symlinks": False} if os.link in os.supports_follow_symlinks else {}
        os.link(self._at(name), to._at(target), src_dir_fd=self.handle, dst_dir_fd=to.handle, **follow)

    def rename(self, name: str, to: Place, target: str) -> None:
        """Give the file another name."""
        os.rename(self._at(name), to._at(target), src_dir_fd=self.handle, dst_dir_fd=to.handle)

    def unlink(self, name: str) -> None:
        """Remove the name of one file."""
        if self.handle is None:
            _require_unlinked(self.path)
        os.unlink(self._at(name), dir_fd=self.handle)

    def sync(self) -> None:
        """Make changes of names survive a power cut, where a directory can be synced."""
        if self.handle is not None:
            os.fsync(self.handle)

    def _at(self, name: str) -> str | Path:
        return name if self.handle is not None else self.path / name


def _require_unlinked(path: Path) -> None:
    if Path(path).resolve() != path:
        raise OSError(errno.ELOOP, "a directory on the way is a link", path)


def _require_same(descriptor: int, path: str | Path) -> None:
    """Refuse a file that is no longer the one its path names; closes it."""
    opened, named = os.fstat(descriptor), Path(path).lstat()
    if (opened.st_dev, opened.st_ino) != (named.st_dev, named.st_ino) or Path(path).resolve() != path:
        os.close(descriptor)
        raise OSError(errno.ELOOP, "the file was swapped for a link", path)
