"""The working directory as the one place that tools may touch: every path is walked from it, step by step.

Knows nothing of tools or judges. A read follows a link only as long as it stays inside; a change follows none.
Source: reference loop specification, path safety.
"""

from __future__ import annotations

import errno
import os
import weakref
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from io import BufferedReader
from pathlib import Path

from interlock.errors import ToolError
from interlock.tools.place import Kind, Place, handles_supported, kind_of
from interlock.tools.putting import put
from interlock.tools.spelling import path_names

__all__ = ["Entry", "Root"]

_MAX_LINKS = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One name in a directory."""

    name: str
    kind: Kind


class Root:
    """A directory whose contents may be read and changed, and nothing outside it.

    Paths are relative, with `/` between names; one file has one spelling, save a leading `./`.
    Every method raises ToolError: `outside-root`, `bad-arguments`, `not-found`, `is-a-directory`,
    `not-a-file`, `exists`, `permission`, or `exception` for what the system refuses otherwise.
    """

    def __init__(self, path: str | os.PathLike[str], *, handles: bool | None = None) -> None:
        """Open the directory.

        Args:
            path: an existing directory.
            handles: walk by directory handles; None means wherever the system has them.
        """
        self.path = Path(path).resolve()
        by_handle = handles_supported() if handles is None else handles
        with _reported(os.fspath(path)):
            self._top = Place.root(self.path, handles=by_handle)
            if not self.path.is_dir():
                raise NotADirectoryError(errno.ENOTDIR, "not a directory")
        self._finish = weakref.finalize(self, self._top.close)

    def close(self) -> None:
        """Give the directory's handle back; the root cannot be used afterwards."""
        self._finish()

    def names(self, path: str) -> tuple[str, ...]:
        """Return the names of a path, refused when it is not the one plain spelling of a place inside."""
        return path_names(path, strict_names=self._top.handle is None)

    def kind(self, path: str, *, change: bool = False) -> Kind | None:
        """Return what is at a path, None when nothing is; for a change, a link on the way is refused."""
        names = self.names(path)
        try:
            with _reported(path), self._reach(names, change=change) as (place, name):
                return kind_of(place.look(name))
        except ToolError as error:
            if error.kind != "not-found":
                raise
            return None

    def entries(self, path: str = "") -> list[Entry]:
        """Return what a directory holds, sorted by name; the empty path is the root itself."""
        with _reported(path), ExitStack() as opened:
            place = self._start()
            opened.callback(place.close)
            for name in self.names(path) if path else ():
                place = place.enter(name)
                opened.callback(place.close)
            return [Entry(name=name, kind=kind) for name, kind in place.entries()]

    @contextmanager
    def open(self, path: str) -> Iterator[BufferedReader]:
        """Give a regular file for reading; a device or a pipe is refused without opening it."""
        with _reported(path), self._reach(self.names(path)) as (place, name):
            _require_file(path, kind_of(place.look(name)))
            file = os.fdopen(place.open(name, os.O_RDONLY), "rb")
        with file:
            _require_file(path, kind_of(os.fstat(file.fileno())))
            with _reported(path):
                yield file

    def write(self, path: str, data: bytes) -> None:
        """Put a whole file in place in one step; missing directories are made; a link is refused."""
        with _reported(path), self._reach(self.names(path), change=True, make=True) as (place, name):
            put(place, name, data, mode=_mode_for_replacing(path, place, name))

    def move(self, source: str, target: str) -> None:
        """Give one file another path; never onto something that exists.

        A target that is another name of the source itself is a move that was cut short; it is finished.
        """
        targets = self.names(target)
        with _reported(source), self._reach(self.names(source), change=True) as (place, name):
            _require_file(source, kind_of(place.look(name)))
            with _reported(target), self._reach(targets, change=True, make=True) as (to, new):
                _rename_without_overwriting(place, name, to, new)
                to.sync()
                place.sync()

    def delete(self, path: str) -> None:
        """Remove one file; a directory or a link is refused."""
        with _reported(path), self._reach(self.names(path), change=True) as (place, name):
            _require_file(path, kind_of(place.look(name)))
            place.unlink(name)
            place.sync()

    def require_file(self, path: str, *, change: bool) -> None:
        """Refuse a path where no regular file is."""
        kind = self.kind(path, change=change)
        if kind is None:
            raise ToolError("not-found", f"`{path}` does not exist; list the directory to see what does")
        _require_file(path, kind)

    def require_movable(self, source: str, target: str) -> None:
        """Refuse a move that cannot work: no file at the source, or the target taken by anything but its other name."""
        self.require_file(source, change=True)
        if not self._cut_short(source, target):
            self.require_free(target, replace=False)

    def require_free(self, path: str, *, replace: bool) -> None:
        """Refuse a path that cannot be written: taken, or with `replace` taken by anything but a file."""
        kind = self.kind(path, change=True)
        if kind is not None and replace:
            _require_file(path, kind)
        elif kind is not None:
            raise ToolError("exists", f"`{path}` exists; choose a name that is free")

    def _cut_short(self, source: str, target: str) -> bool:
        targets = self.names(target)
        with _reported(source), self._reach(self.names(source), change=True) as (place, name):
            try:
                with _reported(target), self._reach(targets, change=True) as (to, new):
                    return _both_names(place, name, to, new)
            except ToolError as error:
                if error.kind != "not-found":
                    raise
                return False

    def _start(self) -> Place:
        if not self._finish.alive:
            raise ToolError("exception", "the working directory was closed; open it again")
        return self._top.again()

    @contextmanager
    def _reach(self, names: Sequence[str], *, change: bool = False, make: bool = False) -> Iterator[tuple[Place, str]]:
        """Walk to the directory of the last name, each step by itself.

        Places are kept until the end, so that `..` in a link goes back to the directory that was walked
        through, and never above the root.
        """
        with ExitStack() as opened:
            places = [self._start()]
            opened.callback(places[0].close)
            pending, links, last = deque(names), 0, "."
            while pending:
                name = pending.popleft()
                if name == "..":
                    _require_above(places)
                    places.pop()
                    continue
                status = _look(places[-1], name, make=make and bool(pending))
                if status is not None and kind_of(status) == "link":
                    links += 1
                    pending.extendleft(reversed(_aim(places[-1], name, change=change, links=links)))
                elif pending:
                    places.append(places[-1].enter(name))
                    opened.callback(places[-1].close)
                else:
                    last = name
            yield places[-1], last


def _look(place: Place, name: str, *, make: bool) -> os.stat_result | None:
    """Return what a name is; None when nothing is there, a directory is then made when told to."""
    try:
        return place.look(name)
    except FileNotFoundError:
        if make:
            place.make(name)
        return None


def _aim(place: Place, name: str, *, change: bool, links: int) -> list[str]:
    if change:
        raise ToolError("outside-root", f"`{name}` is a link; a change never goes through one, name the file itself")
    target = place.aim(name)
    if links > _MAX_LINKS or target.is_absolute():
        raise ToolError("outside-root", f"`{name}` is a link that leaves the working directory or goes in circles")
    return list(target.parts)


def _require_above(places: Sequence[Place]) -> None:
    if len(places) == 1:
        raise ToolError("outside-root", "a link on the way leaves the working directory")


def _require_file(path: str, kind: Kind) -> None:
    if kind == "directory":
        raise ToolError("is-a-directory", f"`{path}` is a directory; name a file")
    if kind != "file":
        raise ToolError("not-a-file", f"`{path}` is no regular file; links, devices and pipes are left alone")


def _mode_for_replacing(path: str, place: Place, name: str) -> int | None:
    """Return the permissions to keep; None for a new file. A file that may not be written is refused."""
    try:
        kind = kind_of(place.look(name))
    except FileNotFoundError:
        return None
    _require_file(path, kind)
    descriptor = place.open(name, os.O_WRONLY)
    try:
        return os.fstat(descriptor).st_mode & 0o7777
    finally:
        os.close(descriptor)


def _rename_without_overwriting(place: Place, name: str, to: Place, new: str) -> None:
    """Link, then unlink: the system itself refuses a taken name. Where links are not to be had, look, then rename."""
    try:
        place.link(name, to, new)
    except FileExistsError:
        if not _both_names(place, name, to, new):
            raise
    except OSError as error:
        if error.errno not in {errno.EPERM, errno.ENOTSUP, errno.EMLINK, errno.ENOSYS}:
            raise
        _require_free(to, new)
        place.rename(name, to, new)
        return
    place.unlink(name)


def _both_names(place: Place, name: str, to: Place, new: str) -> bool:
    """Return whether two names, each listed as it is spelled, are of one regular file."""
    try:
        old, other = place.look(name), to.look(new)
    except FileNotFoundError:
        return False
    if not os.path.samestat(old, other) or kind_of(old) != "file" or old.st_nlink < 2:
        return False
    if os.path.samestat(place.look("."), to.look(".")) and name == new:
        return False
    return all(spelled in dict(listed.entries()) for listed, spelled in ((place, name), (to, new)))


def _require_free(to: Place, new: str) -> None:
    try:
        to.look(new)
    except FileNotFoundError:
        return
    raise FileExistsError(errno.EEXIST, "exists")


_KINDS = {
    errno.ENOENT: ("not-found", "does not exist; list the directory to see what does"),
    errno.ENOTDIR: ("not-found", "does not exist: a part of it is a file, not a directory"),
    errno.EISDIR: ("is-a-directory", "is a directory; name a file"),
    errno.EEXIST: ("exists", "exists; choose a name that is free"),
    errno.ELOOP: ("outside-root", "goes through a link that cannot be followed"),
    errno.EACCES: ("permission", "may not be opened or changed by this user"),
    errno.EPERM: ("permission", "may not be opened or changed by this user"),
    errno.EROFS: ("permission", "lies on a read-only file system"),
    errno.ENAMETOOLONG: ("bad-arguments", "is longer than the file system allows"),
    errno.ENXIO: ("not-a-file", "is a pipe or a device"),
}


@contextmanager
def _reported(path: str) -> Iterator[None]:
    """Turn what the system refuses into a ToolError that names the path as it was given."""
    try:
        yield
    except OSError as error:
        kind, what = _KINDS.get(error.errno or 0, ("exception", f"failed: {error.strerror or error}"))
        raise ToolError(kind, f"`{path}` {what}") from error
