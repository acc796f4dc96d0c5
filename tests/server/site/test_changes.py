"""What a call that waits would change, in a directory of files, links and other things."""

from __future__ import annotations

import os
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path

import pytest

from interlock.journal.approval_bodies import BoundCall
from interlock.journal.approvals import Approval
from interlock.journal.bodies import ToolCall
from interlock.journal.records import timestamp
from interlock.questions import Json
from interlock.server.site.changes import Change, change_of

LATER = datetime.now(UTC) + timedelta(hours=1)


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """Return a directory with files, and a secret outside it."""
    (tmp_path / "secret").write_text("hidden\n")
    root = tmp_path / "root"
    root.mkdir()
    (root / "a.txt").write_text("one\ntwo\n")
    (root / "blob").write_bytes(b"\x00\x01\x02")
    (root / "large").write_text("x" * 300_000)
    (root / "dir").mkdir()
    (root / "out").symlink_to(tmp_path / "secret")
    (root / "in").symlink_to("a.txt")
    return root


def change(
    tool: str, arguments: Mapping[str, Json], cwd: Path, *, roots: tuple[Path, ...] = (), asked: datetime = LATER
) -> Change:
    call = ToolCall(step=1, tool=tool, input="", arguments=arguments)
    bound = BoundCall(call=call, cwd=str(cwd), contract_digest="d", frame_digest=None)
    approval = Approval(
        id="i",
        run_id="r",
        seq=1,
        asked=timestamp(asked),
        expires=timestamp(asked),
        bound=bound,
        binding=bound.binding,
        base_risk=None,
        reason=None,
        judgement=None,
    )
    return change_of(approval, roots or (cwd,))


def test_a_write_is_a_difference_to_what_is_there(place: Path) -> None:
    found = change("write_file", {"path": "a.txt", "content": "one\n2\n"}, place)

    (file,) = found.files
    assert (file.kind, file.size, file.is_newer) == ("file", 8, False)
    assert file.sha256 == sha256(b"one\ntwo\n").hexdigest()
    assert [(line.sign, line.text) for line in found.lines] == [("@", "1"), (" ", "one"), ("-", "two"), ("+", "2")]
    assert (found.added, found.removed, found.new_bytes, found.refusal) == (1, 1, 6, "")


def test_a_new_file_is_all_new(place: Path) -> None:
    found = change("write_file", {"path": "new/b.txt", "content": "one\n"}, place)

    assert found.files[0].kind is None
    assert [line.sign for line in found.lines] == ["@", "+"]


def test_a_delete_shows_the_first_lines_of_what_is_lost(place: Path) -> None:
    found = change("delete_file", {"path": "a.txt"}, place)

    assert [(line.sign, line.text) for line in found.lines] == [("-", "one"), ("-", "two")]


def test_a_move_shows_both_ends(place: Path) -> None:
    found = change("move_file", {"source": "a.txt", "target": "dir/b.txt"}, place)

    assert [(file.path, file.kind) for file in found.files] == [("a.txt", "file"), ("dir/b.txt", None)]
    assert found.refusal == ""


@pytest.mark.parametrize(
    ("path", "unread"), [pytest.param("blob", "binary", id="binary"), pytest.param("large", "large", id="large")]
)
def test_a_file_that_cannot_be_shown_says_why_and_has_its_digest(place: Path, path: str, unread: str) -> None:
    for found in (
        change("delete_file", {"path": path}, place),
        change("write_file", {"path": path, "content": "x\n"}, place),
    ):
        assert (found.files[0].unread, found.files[0].text) == (unread, None)
        assert found.files[0].sha256 == sha256((place / path).read_bytes()).hexdigest()


@pytest.mark.parametrize("path", ["out", "in", "../secret", "/etc/passwd", "dir", "dir/../../secret", "a\u202etxt", ""])
def test_nothing_outside_is_read_and_no_link_is_followed(place: Path, path: str) -> None:
    for found in (
        change("delete_file", {"path": path}, place),
        change("write_file", {"path": path, "content": "x\n"}, place),
        change("move_file", {"source": path, "target": "free.txt"}, place),
    ):
        assert found.refusal
        assert "hidden" not in repr(found)
        assert found.files[0].text is None
        assert found.files[0].sha256 is None


def test_a_directory_that_became_a_link_is_not_entered(place: Path) -> None:
    (place / "dir").rmdir()
    (place / "dir").symlink_to(place.parent)

    found = change("delete_file", {"path": "dir/secret"}, place)

    assert "outside" in found.refusal or "link" in found.refusal
    assert "hidden" not in repr(found)


def test_a_file_that_changed_after_the_call_was_asked_for_is_newer(place: Path) -> None:
    asked = datetime.now(UTC) - timedelta(minutes=1)

    assert change("delete_file", {"path": "a.txt"}, place, asked=asked).files[0].is_newer


def test_a_pipe_is_not_opened(place: Path) -> None:
    os.mkfifo(place / "pipe")

    found = change("delete_file", {"path": "pipe"}, place)

    assert (found.files[0].kind, found.files[0].unread) == ("other", "closed")


@pytest.mark.parametrize(
    ("tool", "arguments", "says"),
    [
        pytest.param("delete_file", {"path": "gone.txt"}, "does not exist", id="gone"),
        pytest.param("move_file", {"source": "a.txt", "target": "blob"}, "exists", id="taken"),
        pytest.param("write_file", {"path": "a.txt", "content": 3}, "content", id="no-text"),
        pytest.param("write_file", {"path": "a.txt", "content": "\ud800"}, "surrogate", id="lone-surrogate"),
    ],
)
def test_a_call_that_cannot_work_says_so(place: Path, tool: str, arguments: Mapping[str, Json], says: str) -> None:
    assert says in change(tool, arguments, place).refusal


def test_a_call_that_reads_changes_nothing(place: Path) -> None:
    found = change("read_file", {"path": "a.txt"}, place)

    assert (found.effect, found.files, found.lines) == ("read", (), ())


def test_a_directory_that_the_server_was_not_given_is_not_looked_into(place: Path, tmp_path: Path) -> None:
    assert change("delete_file", {"path": "a.txt"}, place, roots=(tmp_path / "other",)).unseen == "outside"
    assert change("delete_file", {"path": "a.txt"}, tmp_path / "missing").unseen == "gone"
    assert change("launch", {}, place).unseen == "unknown-tool"
