"""`interlock serve`: what it refuses to start, and that it serves from the shell."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import httpx2
import pytest


def _interlock(*args: str, **environ: str) -> subprocess.CompletedProcess[str]:
    code = "from interlock.cli.main import main; main()"
    return subprocess.run(
        [sys.executable, "-c", code, *args], capture_output=True, text=True, env={**os.environ, **environ}, check=False
    )


@pytest.mark.parametrize(
    ("args", "told"),
    [
        pytest.param(["serve", "--gateway"], "write --gateway --judge ID", id="no-judge"),
        pytest.param(
            ["serve", "--gateway", "--judge", "rules", "--host", "0.0.0.0"],
            "INTERLOCK_SERVE_KEY",
            id="open-without-a-key",
        ),
    ],
)
def test_what_would_be_unsafe_or_empty_is_not_started(args: list[str], told: str) -> None:
    done = _interlock(*args)

    assert done.returncode == 2
    assert told in done.stderr
    assert "Traceback" not in done.stderr


def test_a_key_that_can_be_guessed_opens_no_other_address() -> None:
    told = ["serve", "--gateway", "--judge", "rules", "--host", "0.0.0.0"]
    done = _interlock(*told, INTERLOCK_SERVE_KEY="  fifteen letters ")

    assert (done.returncode, "Traceback" in done.stderr) == (2, False)
    assert "INTERLOCK_SERVE_KEY has fewer than 16 characters; take `openssl rand -hex 16`" in done.stderr
    assert "fifteen" not in done.stderr


@pytest.mark.enable_socket
def test_it_serves_until_it_is_told_to_stop(tmp_path: Path) -> None:
    """Requests are recorded in a run of their own, which ends with the process."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    place = str(tmp_path / "journal.db")
    code = "from interlock.cli.main import main; main()"
    log = tmp_path / "log"
    with log.open("wb") as stderr:
        server = subprocess.Popen(
            [
                sys.executable,
                "-c",
                code,
                "serve",
                "--gateway",
                "--judge",
                "rules",
                "--port",
                str(port),
                "--journal",
                place,
            ],
            stderr=stderr,
        )
    try:
        _wait_for(port)
        body = {"model": "rules", "state": {}, "questions": {"q": {"type": "noul", "instructions": "x"}}}
        answered = httpx2.post(f"http://127.0.0.1:{port}/v1/systemone", json=body, timeout=10)
        scraped = httpx2.get(f"http://127.0.0.1:{port}/metrics", timeout=10).text.splitlines()
    finally:
        server.send_signal(signal.SIGINT)
        server.wait(10)

    assert "POST /v1/systemone 400 " in (told := log.read_text(encoding="utf-8"))
    assert " 1 questions" in told
    assert {"interlock_journal_up 1", "interlock_runs_started_total 1"} <= set(scraped)
    assert answered.json()["detail"]["error_type"] == "question_not_answered"
    shown = _interlock("runs", "export", "last", "--format", "jsonl", "--journal", place).stdout
    assert [
        kind for kind in ("run_started", "judge_request", "judge_reply", "run_ended") if f'"{kind}"' not in shown
    ] == []


@pytest.mark.enable_socket
def test_a_port_that_is_taken_is_an_error_with_one_line(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        done = _interlock("serve", "--gateway", "--judge", "hash", "--port", port, "--journal", str(tmp_path / "j.db"))
    assert (done.returncode, "Traceback" in done.stderr) == (1, False)
    assert "address already in use" in done.stderr


@pytest.mark.enable_socket
def test_a_gateway_that_is_killed_leaves_a_journal_that_is_whole(tmp_path: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    place = str(tmp_path / "journal.db")
    code = "from interlock.cli.main import main; main()"
    server = subprocess.Popen(
        [sys.executable, "-c", code, "serve", "--gateway", "--judge", "hash", "--port", str(port), "--journal", place],
        stdout=subprocess.DEVNULL,
    )
    try:
        _wait_for(port)
        body = {"model": "hash", "state": {}, "questions": {"q": {"type": "noul", "instructions": "x"}}}
        told = [httpx2.post(f"http://127.0.0.1:{port}/v1/systemone", json=body, timeout=10) for _ in range(5)]
    finally:
        server.kill()
        server.wait(10)
    shown = _interlock("runs", "export", "last", "--format", "jsonl", "--journal", place).stdout
    assert [response.status_code for response in told] == [200] * 5
    assert shown.count('"judge_reply"') == 5
    assert _interlock("verify", "--journal", place).returncode == 0


def _wait_for(port: int) -> None:
    for _ in range(200):
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            time.sleep(0.05)
        else:
            return
    raise AssertionError("the server did not start")
