"""Runs an application on a socket: the gateway's, or the page's."""

from __future__ import annotations

import logging
import os
import socket
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

import uvicorn

from interlock.journal.base import Journal
from interlock.judge.base import Judge
from interlock.models.secret import Secret
from interlock.server.gateway import ALIAS, Gateway, OnReply, gateway_app
from interlock.server.journal_counts import ScrapedJournal
from interlock.server.site.app import page_app
from interlock.server.site.desk import Desk, Function
from interlock.settings import Settings

__all__ = ["serve_gateway", "serve_page"]

RELEASED = "1970-01-01"
"""The wire asks for a release date; a judge of one's own has none."""
MAX_CONNECTIONS = 1000
"""More at once are answered with 503 before a request is looked at."""


def serve_gateway(
    *,
    judge: Judge,
    judge_id: str,
    key: Secret | None,
    on_reply: OnReply,
    journal: Journal,
    make_id: Callable[[], str],
    host: str,
    port: int,
) -> None:
    """Serve until interrupted."""
    gateway = Gateway(
        judge=judge,
        judge_id=judge_id,
        key=key,
        models=((judge_id, "the configured judge", RELEASED), (ALIAS, f"an alias of {judge_id}", RELEASED)),
        make_id=make_id,
        on_reply=on_reply,
        journal_counts=ScrapedJournal(journal.snapshot),
    )
    _log_to_stderr("interlock.gateway")
    config = uvicorn.Config(
        gateway_app(gateway),
        host=host,
        port=port,
        log_level="warning",
        access_log=False,
        server_header=False,
        limit_concurrency=MAX_CONNECTIONS,
    )
    _Announced(config).run()


def serve_page(
    *,
    journal: str,
    settings: Settings,
    roots: tuple[Path, ...],
    judges: tuple[str, ...],
    writers: tuple[str, ...],
    contracts: Mapping[str, Path | None],
    functions: Mapping[str, Function],
    prompts: str | None,
    reports: tuple[Path, ...],
    key: Secret | None,
    names: Sequence[str],
    host: str,
    port: int,
) -> None:
    """Serve the page until interrupted; open streams are given a moment to end."""
    desk = Desk(
        journal=journal,
        settings=settings,
        roots=roots,
        judges=judges,
        writers=writers,
        contracts=contracts,
        functions=functions,
        prompts=prompts,
        reports=reports,
        key=key,
        hosts=frozenset(name.lower().rstrip(".") for name in names),
        clock=lambda: datetime.now(UTC),
        environ=os.environ,
    )
    app = page_app(desk)
    config = uvicorn.Config(
        app,
        host=host,
        port=port,
        log_level="warning",
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=2,
    )
    _Announced(config, before_end=app.state.watches.end).run()


def _log_to_stderr(name: str) -> None:
    """Let one logger write its lines to standard error."""
    handler = logging.StreamHandler()
    handler.setFormatter(logging.Formatter("%(asctime)s %(message)s"))
    logger = logging.getLogger(name)
    logger.setLevel(logging.INFO)
    logger.addHandler(handler)


class _Announced(uvicorn.Server):
    """Prints where it listens, once it does; `before_end` lets go of what would never end by itself."""

    def __init__(self, config: uvicorn.Config, *, before_end: Callable[[], None] = lambda: None) -> None:
        super().__init__(config)
        self._before_end = before_end

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Let go, then wait for the rest."""
        self._before_end()
        await super().shutdown(sockets)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Listen, then say where."""
        try:
            await super().startup(sockets)
        except SystemExit:  # uvicorn has told why, and its code means something else here
            raise SystemExit(1) from None
        for server in self.servers:
            for bound in server.sockets:
                host, port = bound.getsockname()[:2]
                print(f"http://{f'[{host}]' if ':' in host else host}:{port}/", flush=True)  # noqa: T201
