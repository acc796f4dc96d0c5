"""Several processes publish into one registry: nothing is lost, and a version has one content whoever comes first."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from interlock.errors import PromptError
from interlock.registry import DatabaseRegistry, FileRegistry, open_registry

COUNT = 12
PUBLISHER = """
import sys
from interlock.errors import PromptError
from interlock.registry import open_registry
place, name, count = sys.argv[1:]
registry = open_registry(place)
print("ready", flush=True)
sys.stdin.readline()
for number in range(int(count)):
    registry.publish(name, f"1.{number}", text=f"{name} {number}", layer="role", label="production")
    try:
        registry.publish("shared", f"1.{number}", text=f"{name} was first", layer="role")
        print("first", flush=True)
    except PromptError as error:
        print(error, flush=True)
"""


@contextmanager
def _opened(place: str) -> Iterator[FileRegistry | DatabaseRegistry]:
    registry = open_registry(place)
    yield registry
    if isinstance(registry, DatabaseRegistry):
        registry.close()


def _publisher(place: str, name: str, count: int) -> subprocess.Popen[str]:
    """Return a process that publishes once it is told to go."""
    command = [sys.executable, "-c", PUBLISHER, place, name, str(count)]
    publisher = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert publisher.stdout is not None
    assert publisher.stdout.readline() == "ready\n"
    return publisher


def _go(publisher: subprocess.Popen[str]) -> None:
    assert publisher.stdin is not None
    publisher.stdin.write("go\n")
    publisher.stdin.flush()


def test_two_processes_publish_at_once_and_no_version_is_lost(registry_place: str) -> None:
    names = ("ann", "ben")
    publishers = [_publisher(registry_place, name, COUNT) for name in names]
    for publisher in publishers:
        _go(publisher)
    said = [publisher.communicate(timeout=60)[0].splitlines() for publisher in publishers]
    assert [publisher.returncode for publisher in publishers] == [0, 0]

    with _opened(registry_place) as registry:
        index = registry.index()
        assert {name: list(index.entries[name].versions) for name in names} == {
            name: [f"1.{number}" for number in range(COUNT)] for name in names
        }
        assert len(index.history) == 2 * len(names) * COUNT + COUNT
        winners = [registry.get("shared", f"1.{number}").text for number in range(COUNT)]
    for number, pair in enumerate(zip(*said, strict=True)):
        lost, won = sorted(pair, key="first".__eq__)
        assert won == "first"
        assert f"`shared@1.{number}`" in lost
        assert "give it a new number" in lost
        assert winners[number] == f"{names[pair.index('first')]} was first"


@pytest.mark.parametrize("delay_s", [0.0, 0.013, 0.031])
def test_a_killed_publisher_leaves_whole_versions_and_no_lock(registry_place: str, delay_s: float) -> None:
    publisher = _publisher(registry_place, "ann", 10_000)
    _go(publisher)
    assert publisher.stdout is not None
    publisher.stdout.readline()
    time.sleep(delay_s)
    publisher.send_signal(signal.SIGKILL)
    publisher.communicate()

    with _opened(registry_place) as registry:
        for name, entry in registry.index().entries.items():
            assert all(registry.get(name, version).text for version in entry.versions)
        before = len(registry.index().history)
        registry.publish("after", "1.0", text="Go on.", layer="role", label="production")
        assert registry.get("after").text == "Go on."
        assert len(registry.index().history) == before + 2


def test_what_a_killed_publisher_left_half_written_is_removed(tmp_path: Path) -> None:
    registry = FileRegistry(tmp_path)
    registry.publish("ann", "1.0", text="x", layer="role")
    left = [tmp_path / ".registry.json.a1b2.unfinished", tmp_path / "roles" / ".ann_v1.1.txt.c3.unfinished"]
    for path in left:
        path.write_text("half", encoding="utf-8")
    assert registry.unpublished() == ()
    registry.publish("ann", "1.1", text="y")

    assert not any(path.exists() for path in left)


def test_a_directory_that_another_process_holds_is_not_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("interlock.registry.locking.LOCK_TIMEOUT_S", 0.05)
    registry = FileRegistry(tmp_path)
    code = (
        "import sys\nfrom pathlib import Path\nfrom interlock.registry.locking import locked\n"
        "with locked(Path(sys.argv[1])):\n    print('held', flush=True)\n    sys.stdin.readline()\n"
    )
    holder = subprocess.Popen(
        [sys.executable, "-c", code, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert holder.stdout is not None
    holder.stdout.readline()
    with pytest.raises(PromptError, match="another process publishes into it; try again"):
        registry.publish("ann", "1.0", text="x", layer="role")
    holder.communicate("done\n")

    registry.publish("ann", "1.0", text="x", layer="role")


def test_a_refused_change_leaves_no_directory_behind(tmp_path: Path) -> None:
    registry = FileRegistry(tmp_path / "prompts")
    with pytest.raises(PromptError, match="no prompt `ann`"):
        registry.rollback("ann")

    assert not (tmp_path / "prompts").exists()
