"""The registry in a directory: its layout, what a person may do to it, and the shipped one."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest

from interlock.errors import PromptError
from interlock.registry import FileRegistry, diff_prompts, open_registry, shipped_registry

ROLE = "You write.\n"


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """Return a directory with one text that is not published yet."""
    (tmp_path / "roles").mkdir()
    (tmp_path / "roles" / "writer_v1.0.txt").write_text(ROLE, encoding="utf-8")
    return tmp_path


def test_a_file_counts_once_it_is_published(place: Path) -> None:
    registry = FileRegistry(place)

    assert registry.unpublished() == ("roles/writer_v1.0.txt",)
    with pytest.raises(PromptError, match="no prompt `writer`"):
        registry.get("writer")
    registry.publish("writer", "1.0", label="production")
    assert registry.get("writer").text == ROLE
    assert registry.unpublished() == ()


def test_the_register_is_written_for_people_and_for_git(place: Path) -> None:
    FileRegistry(place).publish("writer", "1.0", label="canary", share=10)
    written = json.loads((place / "registry.json").read_text(encoding="utf-8"))

    assert written["prompts"]["writer"]["layer"] == "role"
    assert list(written["prompts"]["writer"]["versions"]) == ["1.0"]
    assert written["prompts"]["writer"]["labels"] == {"canary": {"version": "1.0", "share": 10.0}}
    assert [change["act"] for change in written["history"]] == ["publish", "label"]
    assert sorted(path.name for path in place.iterdir()) == ["registry.json", "roles"]


def test_a_file_that_was_edited_after_its_publication_is_not_used(place: Path) -> None:
    registry = FileRegistry(place)
    registry.publish("writer", "1.0", label="production")
    (place / "roles" / "writer_v1.0.txt").write_text(f"{ROLE} ", encoding="utf-8")

    with pytest.raises(PromptError, match=r"is not what was published as `writer@1\.0`"):
        registry.get("writer")
    with pytest.raises(PromptError, match="give it a new number"):
        registry.publish("writer", "1.0")


def test_a_file_that_was_deleted_is_named(place: Path) -> None:
    registry = FileRegistry(place)
    registry.publish("writer", "1.0", label="production")
    (place / "roles" / "writer_v1.0.txt").unlink()

    with pytest.raises(PromptError, match=r"writer_v1\.0\.txt: cannot be read: No such file"):
        registry.get("writer")


def test_markdown_is_read_too(place: Path) -> None:
    (place / "roles" / "poet_v1.0.md").write_text("# A poet", encoding="utf-8")
    registry = FileRegistry(place)
    registry.publish("poet", "1.0", label="production")

    assert registry.get("poet").text == "# A poet"


def test_two_files_for_one_version_are_one_too_many(place: Path) -> None:
    (place / "roles" / "writer_v1.0.md").write_text("# x", encoding="utf-8")
    with pytest.raises(PromptError, match=r"lies in .* and in .*; keep one"):
        FileRegistry(place).publish("writer", "1.0")


def test_a_version_without_a_file_cannot_be_published(place: Path) -> None:
    with pytest.raises(PromptError, match=r"no file `writer_v1\.1`"):
        FileRegistry(place).publish("writer", "1.1")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        pytest.param(lambda text: "{", "is not JSON", id="not-json"),
        pytest.param(lambda text: "[" * 100_000, "is not JSON", id="too-deep"),
        pytest.param(lambda text: f'{{"format": 1, {text[1:]}', "names a key twice", id="a-key-twice"),
        pytest.param(
            lambda text: text.replace('"history": [', '"history": [1, '),
            r"history\[0\]: is not an object",
            id="no-object",
        ),
        pytest.param(
            lambda text: text.replace('"act": "publish"', '"act": "label"', 1),
            r"registry\.json: the history cannot have been written so: no prompt `writer`",
            id="a-label-before-its-version",
        ),
        pytest.param(
            lambda text: text.replace('"name": "writer"', '"name": "Writer"', 1), "lower-case letters", id="a-name"
        ),
        pytest.param(lambda text: "{}", "is not a registry of format 1", id="another-format"),
        pytest.param(
            lambda text: text.replace('"1.0": "', '"1.0": "0', 1), "`prompts` disagrees with `history`", id="a-digest"
        ),
        pytest.param(
            lambda text: text.replace('"act": "publish"', '"act": "bless"'), r"history\[0\]: `act`", id="an-act"
        ),
        pytest.param(
            lambda text: text.replace('"version": "1.0",\n      "layer"', '"version": "1.1",\n      "layer"', 1),
            "1.0",
            id="a-version",
        ),
    ],
)
def test_a_register_that_was_edited_by_hand_is_found_out(place: Path, change: object, message: str) -> None:
    registry = FileRegistry(place)
    registry.publish("writer", "1.0", label="production")
    file = place / "registry.json"
    assert callable(change)
    file.write_text(change(file.read_text(encoding="utf-8")), encoding="utf-8")

    with pytest.raises(PromptError, match=message):
        registry.index()


def test_what_is_no_file_is_not_waiting_to_be_published(place: Path) -> None:
    (place / "roles" / "poet_v1.0.txt").mkdir()

    assert FileRegistry(place).unpublished() == ("roles/writer_v1.0.txt",)


def test_a_text_that_is_too_large_is_refused(place: Path) -> None:
    (place / "roles" / "writer_v1.1.txt").write_text("x" * 1_048_577, encoding="utf-8")
    with pytest.raises(PromptError, match=r"writer_v1\.1\.txt: is larger than 1,048,576 bytes"):
        FileRegistry(place).publish("writer", "1.1")


def test_a_text_that_lies_there_unpublished_is_not_written_over(place: Path) -> None:
    registry = FileRegistry(place)
    with pytest.raises(PromptError, match="holds another text; remove it, or give a new number"):
        registry.publish("writer", "1.0", text="Other.", layer="role")

    assert (place / "roles" / "writer_v1.0.txt").read_text(encoding="utf-8") == ROLE
    assert registry.publish("writer", "1.0", text=ROLE, layer="role")[0].act == "publish"


def test_a_file_that_is_not_text_is_named(place: Path) -> None:
    (place / "roles" / "writer_v1.0.txt").write_bytes(b"\xff\xfe")
    with pytest.raises(PromptError, match=r"is not UTF-8 text \(byte 1\)"):
        FileRegistry(place).publish("writer", "1.0")


def test_the_shipped_prompts_are_what_was_published() -> None:
    registry = shipped_registry()
    index = registry.index()

    assert {name: (entry.layer, tuple(entry.versions)) for name, entry in index.entries.items()} == {
        "decision_engine": ("system", ("1.0", "1.1")),
        "web_research": ("role", ("1.0",)),
        "coder": ("role", ("1.0",)),
        "code_review": ("role", ("1.0",)),
        "data_analysis": ("role", ("1.0",)),
        "state_schema": ("loop", ("1.0",)),
    }
    for name, entry in index.entries.items():
        for version in entry.versions:
            assert registry.get(name, version).text
        assert "production" in entry.labels
    assert registry.unpublished() == ()


def test_the_shipped_prompts_cannot_be_changed() -> None:
    with pytest.raises(PromptError, match="read-only; name a registry of your own"):
        shipped_registry().rollback("decision_engine")


def test_a_difference_is_shown_line_by_line() -> None:
    registry = shipped_registry()
    lines = list(diff_prompts(registry.get("decision_engine", "1.0"), registry.get("decision_engine", "1.1")))

    assert lines[:2] == ["--- decision_engine@1.0", "+++ decision_engine@1.1"]
    assert any(line.startswith("+Budget:") for line in lines)


@pytest.mark.parametrize(
    ("place", "message"),
    [
        pytest.param("mysql://host/prompts", "a `mysql` registry is not known", id="another-database"),
        pytest.param("", "the place is empty", id="empty"),
        pytest.param("a\0b", "holds a NUL", id="a-nul"),
    ],
)
def test_a_place_that_holds_no_registry_is_refused(place: str, message: str) -> None:
    with pytest.raises(PromptError, match=message):
        open_registry(place)


def test_a_file_that_is_no_database_is_refused(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("x", encoding="utf-8")
    (tmp_path / "notes.db").write_text("x" * 200, encoding="utf-8")
    with pytest.raises(PromptError, match="is a file"):
        open_registry(str(tmp_path / "notes.txt"))
    with pytest.raises(PromptError, match="cannot be used as a registry"):
        open_registry(str(tmp_path / "notes.db")).index()


@pytest.mark.parametrize("name", ["prompts", "prompts.db"])
def test_a_place_inside_a_file_is_refused(name: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x", encoding="utf-8")
    with pytest.raises(PromptError, match=r"cannot be (written|opened)"):
        open_registry(str(tmp_path / "file" / name)).publish("writer", "1.0", text=ROLE, layer="role")


def test_a_folder_that_is_a_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "roles").write_text("x", encoding="utf-8")
    with pytest.raises(PromptError, match=r"writer_v1\.0\.txt: cannot be written"):
        FileRegistry(tmp_path).publish("writer", "1.0", text=ROLE, layer="role")


def test_a_file_system_without_locks_is_written_all_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise OSError("no locks available")

    monkeypatch.setattr("interlock.registry.locking.fcntl.flock", refuse)
    FileRegistry(tmp_path).publish("writer", "1.0", text=ROLE, layer="role")

    assert FileRegistry(tmp_path).get("writer", "1.0").text == ROLE


def test_a_database_is_not_told_a_text_by_a_file(tmp_path: Path) -> None:
    registry = open_registry(str(tmp_path / "prompts.db"))
    with pytest.raises(PromptError, match="a database reads no file by itself; give the text"):
        registry.publish("writer", "1.0")
    assert not isinstance(registry, FileRegistry)
    registry.close()


def test_a_database_is_read_while_another_writes(tmp_path: Path) -> None:
    place = f"{tmp_path}/prompts.db"
    first = open_registry(place)
    first.publish("writer", "1.0", text=ROLE, layer="role", label="production")
    other = sqlite3.connect(place, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")

    assert first.get("writer").text == ROLE
    other.execute("ROLLBACK")
    other.close()
    assert not isinstance(first, FileRegistry)
    first.close()


def test_a_database_is_opened_by_its_ending(tmp_path: Path) -> None:
    registry = open_registry(str(tmp_path / "new" / "prompts.db"))
    registry.publish("writer", "1.0", text=ROLE, layer="role", label="production")
    again = open_registry(str(tmp_path / "new" / "prompts.db"))

    assert again.get("writer").text == ROLE
    for opened in (registry, again):
        assert not isinstance(opened, FileRegistry)
        opened.close()
