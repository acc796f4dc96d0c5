"""Runs the gateway's application on a socket."""

from __future__ import annotations

from collections.abc import Callable

import uvicorn

from interlock.journal.base import Journal
from interlock.judge.base import Judge
from interlock.models.secret import Secret
from interlock.server.gateway import ALIAS, Gateway, OnReply, gateway_app
from interlock.server.journal_counts import ScrapedJournal

__all__ = ["serve_gateway"]

RELEASED = "1970-01-01"
"""The wire asks for a release date; a judge of one's own has none."""


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
        journal_counts=ScrapedJournal(journal),
    )
    uvicorn.run(gateway_app(gateway), host=host, port=port, log_level="warning", access_log=False, server_header=False)
