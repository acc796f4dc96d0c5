"""Files that a command line names are read and replaced without surprises."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

from interlock.cli._files import MAX_CONTRACT_BYTES, read_text, write_text


def test_text_is_read_byte_for_byte(tmp_path: Path) -> None:
    """Line ends and a byte order mark belong to the text; a formatter gives them back."""
    file = tmp_path / "a.md"
    file.write_bytes(b"\xef\xbb\xbf# T\r\n\r\nx\n")

    assert read_text(str(file)) == "\ufeff# T\r\n\r\nx\n"


def test_a_dash_reads_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    """A contract may come through a pipe."""
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO("# 题\n".encode()), encoding="ascii"))

    assert read_text("-") == "# 题\n"


def test_a_closed_standard_input_is_wrong_usage(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A service starts programs without one."""
    monkeypatch.setattr(sys, "stdin", None)

    with pytest.raises(SystemExit, match=r"\A2\Z"):
        read_text("-")

    assert capsys.readouterr().err == "interlock: standard input: is closed; name a file\n"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        pytest.param(b"# \xff\n", "is not UTF-8 text (byte 3); save it as UTF-8", id="not-utf-8"),
        pytest.param("# T\n".encode("utf-16"), "is binary; write UTF-8 text", id="utf-16"),
        pytest.param(b"\x7fELF\0\0", "is binary; write UTF-8 text", id="binary"),
        pytest.param(
            b"a" * (MAX_CONTRACT_BYTES + 1), "is larger than 1,048,576 bytes, the most that is read", id="large"
        ),
    ],
)
def test_content_that_is_no_contract_is_one_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], content: bytes, message: str
) -> None:
    """Exit code 1: the file was found and cannot be used."""
    file = tmp_path / "a.md"
    file.write_bytes(content)

    with pytest.raises(SystemExit, match=r"\A1\Z"):
        read_text(str(file))

    assert capsys.readouterr().err == f"interlock: {file}: {message}\n"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        pytest.param("nowhere.md", "no such file", id="missing"),
        pytest.param(".", "is a directory; name a file", id="directory"),
    ],
)
def test_a_wrong_name_is_wrong_usage(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, message: str
) -> None:
    """Exit code 2: the command line names no file."""
    file = tmp_path / name

    with pytest.raises(SystemExit, match=r"\A2\Z"):
        read_text(str(file))

    assert capsys.readouterr().err == f"interlock: {file}: {message}\n"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        pytest.param("a\0b", "cannot be read: is no path", id="nul-byte"),
        pytest.param("n" * 300, "cannot be read: File name too long", id="too-long"),
    ],
)
def test_a_name_that_no_system_takes_is_one_sentence(
    capsys: pytest.CaptureFixture[str], name: str, message: str
) -> None:
    """Neither ends in a traceback."""
    with pytest.raises(SystemExit, match=r"\A1\Z"):
        read_text(name)

    assert capsys.readouterr().err.endswith(f": {message}\n")


def test_replacing_keeps_permissions_and_leaves_nothing_behind(tmp_path: Path) -> None:
    """The temporary file has become the file."""
    file = tmp_path / "a.md"
    file.write_text("old", encoding="utf-8")
    file.chmod(0o640)

    write_text(str(file), "new\r\n")

    assert file.read_bytes() == b"new\r\n"
    assert file.stat().st_mode & 0o777 == 0o640
    assert list(tmp_path.iterdir()) == [file]


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    """What it points to is replaced, not the link."""
    real, link = tmp_path / "real.md", tmp_path / "link.md"
    real.write_text("old", encoding="utf-8")
    link.symlink_to(real)

    write_text(str(link), "new")

    assert link.is_symlink()
    assert real.read_text(encoding="utf-8") == "new"


def test_text_that_cannot_be_written_leaves_the_old_file(tmp_path: Path) -> None:
    """A failure half way loses nothing."""
    file = tmp_path / "a.md"
    file.write_text("old", encoding="utf-8")

    with pytest.raises(UnicodeEncodeError, match="surrogates"):
        write_text(str(file), "\ud800")

    assert file.read_text(encoding="utf-8") == "old"
    assert list(tmp_path.iterdir()) == [file]
