"""A server that is interrupted while people watch ends at once, without a trace of where it was."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import httpx2

INTERLOCK = [sys.executable, "-c", "from interlock.cli.main import main; main()"]


def test_an_interrupted_server_lets_go_of_those_who_watch(journal: str, shop: Path) -> None:
    task = ["run", "Delete src/alpha.ts", "--allow-delete", "--park", "--cwd", str(shop), "--journal", journal]
    subprocess.run([*INTERLOCK, *task], capture_output=True, check=False)
    command = [*INTERLOCK, "serve", "--port", "0", "--journal", journal]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert server.stdout is not None
    address = server.stdout.readline().strip()
    run_id = httpx2.get(f"{address}api/v1/runs").json()["runs"][0]["run_id"]

    with httpx2.stream("GET", f"{address}runs/{run_id}/events", timeout=30) as stream:
        assert stream.status_code == 200
        began = time.monotonic()
        server.send_signal(signal.SIGINT)
        assert "".join(stream.iter_text()).count("event: items") <= 1
    _, said = server.communicate(timeout=20)

    assert "Traceback" not in said
    assert time.monotonic() - began < 15
