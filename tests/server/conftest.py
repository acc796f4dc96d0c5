"""A gateway on a loopback port, over any judge."""

from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Callable, Iterator

import pytest
import uvicorn

from interlock.judge.base import Judge
from interlock.judge.hashed import HashJudge
from interlock.models.secret import Secret
from interlock.server.gateway import Gateway, gateway_app

Serve = Callable[..., str]


@pytest.fixture
def serve() -> Iterator[Serve]:
    """Return a function that starts a gateway and gives its address."""
    running: list[tuple[uvicorn.Server, threading.Thread]] = []

    def start(
        judge: Judge | None = None,
        *,
        key: str | None = None,
        max_waiting: int = 256,
        body_timeout_s: float = 30.0,
        on_reply: object = None,
        journal_counts: object = None,
    ) -> str:
        numbers = itertools.count(1)
        gateway = Gateway(
            judge=HashJudge() if judge is None else judge,
            judge_id="hash",
            key=None if key is None else Secret(key),
            models=(("hash", "derived from the request", "1970-01-01"), ("jev-latest", "an alias", "1970-01-01")),
            make_id=lambda: f"req_{next(numbers)}",
            on_reply=on_reply,  # type: ignore[arg-type]  # each test passes a function of the right shape
            journal_counts=journal_counts,  # type: ignore[arg-type]  # the same
            max_waiting=max_waiting,
            body_timeout_s=body_timeout_s,
        )
        config = uvicorn.Config(gateway_app(gateway), host="127.0.0.1", port=0, log_level="warning", access_log=False)
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, daemon=True)
        thread.start()
        while not server.started:
            time.sleep(0.01)
        running.append((server, thread))
        return f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"

    yield start
    for server, thread in running:
        server.should_exit = True
        thread.join(5)
