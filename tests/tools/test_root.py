"""What a root gives and refuses, walked by handle and by path."""

from __future__ import annotations

import os
import shutil
import socket
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from interlock.errors import ToolError
from interlock.tools.place import handles_supported
from interlock.tools.root import Root


@pytest.fixture(
    params=[
        pytest.param(True, id="by-handle", marks=pytest.mark.skipif(not handles_supported(), reason="no handles here")),
        pytest.param(False, id="by-path"),
    ]
)
def root(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Root]:
    """A root with a file, a directory, a secret beside it and links of every kind."""
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret").write_text("secret")
    inside = tmp_path / "inside"
    (inside / "sub").mkdir(parents=True)
    (inside / "a.txt").write_text("alpha")
    (inside / "sub" / "b.txt").write_text("beta")
    for name, target in _LINKS.items():
        (inside / name).symlink_to(target)
    (inside / "absolute").symlink_to(outside / "secret")
    opened = Root(inside, handles=request.param)
    yield opened
    opened.close()
    assert (outside / "secret").read_text() == "secret"
    assert sorted(entry.name for entry in outside.iterdir()) == ["secret"]


_LINKS = {
    "near": "a.txt",
    "deep": "sub/b.txt",
    "folder": "sub",
    "round": "sub/../a.txt",
    "out": "../outside/secret",
    "outfolder": "../outside",
    "sneaky": "sub/../../outside/secret",
    "circle": "circle",
    "broken": "nowhere",
}

_READS_REFUSED = [
    pytest.param("..", "outside-root", id="parent"),
    pytest.param("../outside/secret", "outside-root", id="parent-file"),
    pytest.param("sub/../../outside/secret", "outside-root", id="parent-in-the-middle"),
    pytest.param("sub/../a.txt", "outside-root", id="parent-that-stays-inside"),
    pytest.param("/etc/passwd", "outside-root", id="absolute"),
    pytest.param(".//etc/passwd", "outside-root", id="absolute-after-dot"),
    pytest.param("//etc/passwd", "outside-root", id="two-slashes"),
    pytest.param("out", "outside-root", id="link-out"),
    pytest.param("outfolder/secret", "outside-root", id="linked-folder-out"),
    pytest.param("sneaky", "outside-root", id="link-out-by-detour"),
    pytest.param("absolute", "outside-root", id="absolute-link"),
    pytest.param("circle", "outside-root", id="link-to-itself"),
    pytest.param("broken", "not-found", id="link-to-nothing"),
    pytest.param("", "bad-arguments", id="empty"),
    pytest.param("./", "bad-arguments", id="only-dot-slash"),
    pytest.param(".", "bad-arguments", id="dot"),
    pytest.param("a.txt/", "bad-arguments", id="closing-slash"),
    pytest.param("sub//b.txt", "bad-arguments", id="empty-name"),
    pytest.param("sub/./b.txt", "bad-arguments", id="dot-in-the-middle"),
    pytest.param("a.txt\x00.png", "bad-arguments", id="nul"),
    pytest.param("a\n.txt", "bad-arguments", id="line-break"),
    pytest.param("a.t\u202ext", "bad-arguments", id="turned-direction"),
    pytest.param("cafe\u0301.txt", "bad-arguments", id="not-composed"),
    pytest.param("a\ud800.txt", "bad-arguments", id="lone-surrogate"),
    pytest.param("sub\\b.txt", "bad-arguments", id="backslash"),
    pytest.param("a" * 300, "bad-arguments", id="long-name"),
    pytest.param("a/" * 3000 + "a", "bad-arguments", id="long-path"),
    pytest.param("a/" * 200 + "a", "bad-arguments", id="many-names"),
    pytest.param("nothing", "not-found", id="nothing-there"),
    pytest.param("sub/nothing/more", "not-found", id="no-such-folder"),
    pytest.param("a.txt/more", "not-found", id="through-a-file"),
    pytest.param("sub", "is-a-directory", id="folder"),
    pytest.param("folder", "is-a-directory", id="linked-folder"),
]


@pytest.mark.parametrize(("path", "kind"), _READS_REFUSED)
def test_a_path_that_is_no_file_inside_is_refused_for_reading(root: Root, path: str, kind: str) -> None:
    with pytest.raises(ToolError, match=r".") as refused, root.open(path):
        pass
    assert refused.value.kind == kind


@pytest.mark.parametrize(
    ("path", "kind"), [row for row in _READS_REFUSED if row.values[1] != "not-found" and row.values[0] != "folder"]
)
@pytest.mark.parametrize("act", ["write", "delete", "move", "onto"])
def test_what_may_not_be_read_may_not_be_changed_either(root: Root, path: str, kind: str, act: str) -> None:
    acts: dict[str, Callable[[], None]] = {
        "write": lambda: root.write(path, b"x"),
        "delete": lambda: root.delete(path),
        "move": lambda: root.move(path, "free"),
        "onto": lambda: root.move("a.txt", path),
    }
    with pytest.raises(ToolError, match=r".") as refused:
        acts[act]()
    expected = {"is-a-directory": "exists"} if act == "onto" else {}
    assert refused.value.kind == expected.get(kind, kind)
    assert (root.path / "a.txt").read_text() == "alpha"


@pytest.mark.parametrize(
    ("path", "content"),
    [
        pytest.param("a.txt", "alpha", id="file"),
        pytest.param("./a.txt", "alpha", id="leading-dot-slash"),
        pytest.param("sub/b.txt", "beta", id="in-a-folder"),
        pytest.param("near", "alpha", id="link"),
        pytest.param("deep", "beta", id="link-into-a-folder"),
        pytest.param("folder/b.txt", "beta", id="through-a-linked-folder"),
        pytest.param("round", "alpha", id="link-down-and-up"),
    ],
)
def test_a_file_inside_is_read_also_through_links_that_stay_inside(root: Root, path: str, content: str) -> None:
    with root.open(path) as file:
        assert file.read().decode() == content


@pytest.mark.parametrize("path", ["near", "folder/new.txt", "folder/b.txt", "broken"])
def test_a_change_goes_through_no_link_even_one_that_stays_inside(root: Root, path: str) -> None:
    changes: list[Callable[[], None]] = [
        lambda: root.write(path, b"x"),
        lambda: root.delete(path),
        lambda: root.move("a.txt", path),
    ]
    for change in changes:
        with pytest.raises(ToolError, match="is a link") as refused:
            change()
        assert refused.value.kind == "outside-root"
    assert (root.path / "a.txt").read_text() == "alpha"
    assert (root.path / "sub" / "b.txt").read_text() == "beta"


@pytest.mark.parametrize("path", ["new.txt", "x/y/new.txt", "a.txt", "发布说明.md", "with space.txt"])
def test_a_written_file_is_there_whole_and_leaves_nothing_beside_it(root: Root, path: str) -> None:
    root.write(path, b"\x00content\r\n")
    written = root.path / path
    assert written.read_bytes() == b"\x00content\r\n"
    assert not [entry for entry in written.parent.iterdir() if entry.name.startswith(".interlock")]


def test_replacing_keeps_the_permissions_of_the_file(root: Root) -> None:
    (root.path / "a.txt").chmod(0o640)
    root.write("a.txt", b"new")
    assert (root.path / "a.txt").stat().st_mode & 0o777 == 0o640


def test_a_write_that_fails_leaves_the_old_content_and_no_temporary_file(
    root: Root, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(ToolError, match=r"`a\.txt` failed: No space left") as refused:
        root.write("a.txt", b"new")
    assert refused.value.kind == "exception"
    assert (root.path / "a.txt").read_text() == "alpha"
    assert not [entry for entry in root.path.iterdir() if entry.name.startswith(".interlock")]


def test_a_move_takes_the_file_to_a_free_path_and_makes_its_folders(root: Root) -> None:
    root.move("a.txt", "x/y/z.txt")
    assert (root.path / "x" / "y" / "z.txt").read_text() == "alpha"
    assert not (root.path / "a.txt").exists()


@pytest.mark.parametrize("target", ["sub/b.txt", "sub", "a.txt"])
def test_a_move_never_overwrites(root: Root, target: str) -> None:
    with pytest.raises(ToolError, match="exists") as refused:
        root.move("a.txt", target)
    assert refused.value.kind == "exists"
    assert (root.path / "a.txt").read_text() == "alpha"
    assert (root.path / "sub" / "b.txt").read_text() == "beta"


def test_where_files_cannot_be_linked_a_move_still_never_overwrites(
    root: Root, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unsupported(*_: object, **__: object) -> None:
        raise OSError(95, "Operation not supported")

    monkeypatch.setattr(os, "link", unsupported)
    with pytest.raises(ToolError, match="exists"):
        root.move("a.txt", "sub/b.txt")
    root.move("a.txt", "c.txt")
    assert (root.path / "c.txt").read_text() == "alpha"


def test_one_file_is_deleted_and_nothing_else(root: Root) -> None:
    root.delete("sub/b.txt")
    assert not (root.path / "sub" / "b.txt").exists()
    assert (root.path / "a.txt").exists()


def test_the_entries_of_a_directory_come_sorted_with_what_they_are(root: Root) -> None:
    kinds = {entry.name: entry.kind for entry in root.entries()}
    assert list(kinds) == sorted(kinds)
    assert (kinds["a.txt"], kinds["sub"], kinds["near"]) == ("file", "directory", "link")
    assert [entry.name for entry in root.entries("sub")] == ["b.txt"]


@pytest.mark.parametrize("path", ["folder", "outfolder", "..", "/", "nothing", "a.txt"])
def test_only_a_real_directory_inside_has_entries(root: Root, path: str) -> None:
    with pytest.raises(ToolError, match=r"."):
        root.entries(path)


@pytest.mark.parametrize("name", ["pipe", "socket"])
def test_a_pipe_or_a_socket_is_refused_without_waiting(root: Root, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(root.path)
    os.mkfifo("pipe")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("socket")
        for act in (lambda: root.open(name).__enter__(), lambda: root.write(name, b"x"), lambda: root.delete(name)):
            with pytest.raises(ToolError, match="no regular file") as refused:
                act()
            assert refused.value.kind == "not-a-file"


@pytest.mark.parametrize("device", ["null", "zero"])
def test_a_device_is_refused(device: str) -> None:
    devices = Root("/dev")
    with pytest.raises(ToolError, match="no regular file") as refused, devices.open(device):
        pass
    assert refused.value.kind == "not-a-file"


def test_a_root_that_was_closed_opens_nothing(root: Root) -> None:
    root.close()
    with pytest.raises(ToolError, match="was closed"):
        root.entries()
    with pytest.raises(ToolError, match="was closed"):
        root.delete("a.txt")


@pytest.mark.parametrize(("name", "kind"), [("nowhere", "not-found"), ("a.txt", "not-found")])
def test_a_root_must_be_a_directory(root: Root, name: str, kind: str) -> None:
    for handles in (True, False):
        with pytest.raises(ToolError, match=name) as refused:
            Root(root.path / name, handles=handles)
        assert refused.value.kind == kind


def test_a_file_that_may_not_be_read_or_written_says_so(
    root: Root, somebody: Callable[[], AbstractContextManager[None]]
) -> None:
    (root.path / "a.txt").chmod(0o000)
    root.path.chmod(0o755)
    with somebody(), pytest.raises(ToolError, match="may not be opened") as refused, root.open("a.txt"):
        pass
    assert refused.value.kind == "permission"
    with somebody(), pytest.raises(ToolError, match="may not be") as refused:
        root.write("a.txt", b"x")
    assert refused.value.kind == "permission"


@pytest.mark.parametrize("name", ["con", "NUL.txt", "a.txt:stream", "a.txt.", "a.txt ", "COM1.log"])
def test_without_handles_a_name_that_some_systems_read_otherwise_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(ToolError, match="something else") as refused:
        Root(tmp_path, handles=False).write(name, b"x")
    assert refused.value.kind == "bad-arguments"
    assert list(tmp_path.iterdir()) == []


def test_a_directory_swapped_for_a_link_between_check_and_use_leads_nowhere(root: Root) -> None:
    """A thread swaps `sub` for a link to the outside and back while the root reads and deletes through it.

    By path, what was read is checked afterwards; a deletion cannot be, so only handles are held to it.
    """
    outside, real, spare = root.path.parent / "outside", root.path / "sub", root.path / "spare"
    by_handle = root._top.handle is not None

    def swap() -> None:
        real.rename(spare)
        real.symlink_to(outside)
        real.unlink()
        spare.rename(real)

    seen: set[bytes] = set()
    with _repeated(swap):
        for _ in range(400):
            with suppress(ToolError), root.open("sub/secret") as file:
                seen.add(file.read())
            if by_handle:
                with suppress(ToolError):
                    root.delete("sub/secret")
    assert seen == set()
    assert (outside / "secret").exists()


@pytest.mark.parametrize("handles", [pytest.param(True, id="by-handle"), pytest.param(False, id="by-path")])
def test_a_directory_made_for_a_write_and_swapped_for_a_link_leads_nowhere(tmp_path: Path, handles: bool) -> None:
    """By path, a name may come to stand outside for a moment; content never does."""
    outside, inside = tmp_path / "outside", tmp_path / "inside"
    outside.mkdir()
    inside.mkdir()
    made = inside / "made"
    root = Root(inside, handles=handles)

    def swap() -> None:
        acts: list[Callable[[], object]] = [
            lambda: made.symlink_to(outside),
            made.unlink,
            lambda: shutil.rmtree(made),
        ]
        for act in acts:
            with suppress(OSError):
                act()

    with _repeated(swap):
        for _ in range(300):
            with suppress(ToolError):
                root.write("made/new", b"x")
    assert [entry for entry in outside.iterdir() if handles or entry.stat().st_size] == []


def test_a_file_swapped_for_a_link_between_check_and_use_leads_nowhere(root: Root) -> None:
    outside, link, plain = root.path.parent / "outside", root.path / "link", root.path / "plain"

    def swap() -> None:
        link.symlink_to(outside / "secret")
        link.replace(root.path / "target")
        plain.write_text("plain")
        plain.replace(root.path / "target")

    seen: set[bytes] = set()
    with _repeated(swap):
        for _ in range(300):
            with suppress(ToolError), root.open("target") as file:
                seen.add(file.read())
            with suppress(ToolError):
                root.write("target", b"mine")
    assert seen <= {b"plain", b"mine"}


@contextmanager
def _repeated(act: Callable[[], None]) -> Iterator[None]:
    """Do something over and over in a thread while the block runs."""
    stop = threading.Event()

    def run() -> None:
        while not stop.is_set():
            act()

    thread = threading.Thread(target=run)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


_PARTS = st.sampled_from(
    [
        "..",
        ".",
        "",
        "a",
        "b.txt",
        "out",
        "up",
        "near",
        "/",
        "~",
        "\x00",
        "C:",
        "\\",
        "\uff0e\uff0e",
        "e\u0301",
        "%2e%2e",
    ]
)


@given(parts=st.lists(_PARTS | st.text(max_size=3), max_size=6), handles=st.booleans())
@settings(max_examples=150, deadline=None)
def test_whatever_path_is_given_nothing_outside_is_touched(parts: list[str], handles: bool) -> None:
    """The directory around the root, watched byte for byte, stays as it was."""
    path = "/".join(parts)
    with tempfile.TemporaryDirectory() as place:
        around = Path(place)
        (around / "secret").write_text("secret")
        inside = around / "inside"
        (inside / "a").mkdir(parents=True)
        (inside / "b.txt").write_text("beta")
        (inside / "out").symlink_to(around)
        (inside / "up").symlink_to("..")
        (inside / "near").symlink_to("a")
        root = Root(inside, handles=handles)
        read = _attempt_everything(root, path)
        root.close()
        assert b"secret" not in read
        assert {entry.name for entry in around.iterdir()} == {"secret", "inside"}
        assert (around / "secret").read_text() == "secret"


def _attempt_everything(root: Root, path: str) -> list[bytes]:
    read: list[bytes] = []
    with suppress(ToolError), root.open(path) as file:
        read.append(file.read())
    changes: tuple[Callable[[], object], ...] = (
        lambda: root.entries(path),
        lambda: root.move("b.txt", path),
        lambda: root.move(path, "moved"),
        lambda: root.write(path, b"written"),
        lambda: root.delete(path),
    )
    for change in changes:
        with suppress(ToolError):
            change()
    return read
