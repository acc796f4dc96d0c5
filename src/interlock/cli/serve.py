"""`interlock serve`: answers over HTTP.

Puts judge, journal, key and server together; decides nothing itself.
Source: backends specification, section 7.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from importlib import import_module
from ipaddress import ip_address
from pathlib import Path

import click

from interlock.cli._output import ERROR, OK, USAGE, epilog, fail
from interlock.journal.gateway_log import GatewayLog
from interlock.journal.place import open_journal
from interlock.judge.base import Caps, Judge
from interlock.models.secret import Secret
from interlock.settings import load_settings
from interlock.tools.table import reference_table
from interlock.wiring import make_judge

__all__ = ["command"]

KEY_VARIABLE = "INTERLOCK_SERVE_KEY"
DEFAULT_PORT = 8765
NEEDED_OPTIONS, NEEDED_LEVELS = 255, 10
"""What the public conformance suite asks of a server."""


@click.command(epilog=epilog("interlock serve --gateway --judge rules --port 8765", OK, ERROR, USAGE))
@click.option("--gateway", is_flag=True, help="Serve POST /v1/systemone, GET /v1/models, /health and /metrics.")
@click.option("--judge", metavar="ID", help="Who answers, such as `rules`; required.")
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to bind.")
@click.option(
    "--port", type=click.IntRange(0, 65535), default=DEFAULT_PORT, show_default=True, help="The port to bind."
)
@click.option("--journal", metavar="PLACE", help="Where requests are recorded; `:memory:` keeps no record.")
def command(*, gateway: bool, judge: str | None, host: str, port: int, journal: str | None) -> None:
    """Serve a judge to others as a System One server.

    A key in INTERLOCK_SERVE_KEY is asked of every request as `Authorization: Bearer KEY`. An address other than
    loopback is refused without one. Requests, questions and answers are recorded; the log holds neither.
    """
    if not gateway:
        fail("serve: name what to serve; write --gateway --judge ID", USAGE)
    if judge is None:
        fail("serve: a gateway needs a judge; write --judge ID", USAGE)
    text = os.environ.get(KEY_VARIABLE) or None
    if text is None and not _is_loopback(host):
        fail(f"serve: `{host}` is not loopback; set {KEY_VARIABLE} or bind 127.0.0.1", USAGE)
    settings = load_settings(directory=Path(), environ=os.environ, flags={"judge": judge, "journal": journal})
    judging = make_judge(judge, environ=os.environ, tools=reference_table())
    for line in _shortfalls(judging.caps):
        click.echo(f"interlock: {line}", err=True)
    with _recording(settings.journal, judge) as log:
        _serve(judging, judge, None if text is None else Secret(text), log, (host, port))


def _serve(judge: Judge, judge_id: str, key: Secret | None, log: GatewayLog, place: tuple[str, int]) -> None:
    try:
        server = import_module("interlock.server.serving")
    except ModuleNotFoundError:
        fail('serve: the server is not installed: pip install "interlock[server]"')
    server.serve_gateway(
        judge=judge,
        judge_id=judge_id,
        key=key,
        on_reply=log.record,
        journal=log.journal,
        make_id=lambda: f"req_{secrets.token_hex(12)}",
        host=place[0],
        port=place[1],
    )


@contextmanager
def _recording(place: str, judge_id: str) -> Iterator[GatewayLog]:
    with closing(open_journal(place)) as journal:
        log = GatewayLog(journal, judge_id, clock=lambda: datetime.now(UTC), token=secrets.token_hex(4))
        try:
            yield log
        finally:
            log.end()


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _shortfalls(caps: Caps) -> list[str]:
    """Return what this judge cannot meet of what clients of the wire expect."""
    said = []
    if caps.max_options is not None and caps.max_options < NEEDED_OPTIONS:
        said.append(f"this judge takes at most {caps.max_options} options; clients may send {NEEDED_OPTIONS}")
    if caps.max_levels is not None and caps.max_levels < NEEDED_LEVELS:
        said.append(f"this judge takes at most {caps.max_levels} levels; clients may send {NEEDED_LEVELS}")
    missing = sorted({"noul", "choice", "score"} - caps.kinds)
    if missing:
        said.append(f"this judge does not answer: {', '.join(missing)}")
    return said
