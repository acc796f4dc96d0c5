"""`interlock serve`: the page over a journal, or a judge for others, over HTTP.

Puts settings, key and server together; decides nothing itself.
Source: product specification, the command line; backends specification, section 7.
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
from types import ModuleType

import click

from interlock.cli._output import ERROR, OK, USAGE, epilog, fail
from interlock.cli._page import checked_roots, contracts_of, functions_of, registry_of, require_journal, some
from interlock.journal.gateway_log import GatewayLog
from interlock.journal.place import open_journal
from interlock.judge.base import Caps, Judge
from interlock.models.secret import Secret
from interlock.settings import Settings, load_settings
from interlock.tools.table import reference_table
from interlock.wiring import make_judge

__all__ = ["command"]

KEY_VARIABLE = "INTERLOCK_SERVE_KEY"
LEAST_KEY = 16
"""Characters of a key that strangers may try to guess, as fast as the server answers."""
DEFAULT_PORT = 8765
NEEDED_OPTIONS, NEEDED_LEVELS = 255, 10
"""What the public conformance suite asks of a server."""


@click.command(epilog=epilog("interlock serve --root . --port 8765", OK, ERROR, USAGE))
@click.option("--root", "roots", multiple=True, metavar="DIR", help="Let runs be started in DIR and below; repeatable.")
@click.option(
    "--functions",
    "modules",
    multiple=True,
    metavar="MODULE",
    help="Show forms for the functions and agents that MODULE lists; repeatable.",
)
@click.option("--contract", "contracts", multiple=True, metavar="FILE", help="A contract to show and use; repeatable.")
@click.option("--judge", "judges", multiple=True, metavar="ID", help="Who may answer, such as `rules`; repeatable.")
@click.option("--writer", "writers", multiple=True, metavar="ID", help="Who may write; repeatable.")
@click.option("--prompts", metavar="PLACE", help="The prompt registry to show; the settings name one.")
@click.option("--report", "reports", multiple=True, metavar="FILE", help="An experiment's JSON report; repeatable.")
@click.option("--gateway", is_flag=True, help="Serve POST /v1/systemone, GET /v1/models, /health and /metrics instead.")
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to bind.")
@click.option("--name", "names", multiple=True, metavar="HOST", help="A name by which browsers reach the page.")
@click.option(
    "--port", type=click.IntRange(0, 65535), default=DEFAULT_PORT, show_default=True, help="The port to bind."
)
@click.option("--journal", metavar="PLACE", help="The journal to show and to record in; the settings name one.")
def command(
    *,
    roots: tuple[str, ...],
    modules: tuple[str, ...],
    contracts: tuple[str, ...],
    judges: tuple[str, ...],
    writers: tuple[str, ...],
    prompts: str | None,
    reports: tuple[str, ...],
    gateway: bool,
    host: str,
    names: tuple[str, ...],
    port: int,
    journal: str | None,
) -> None:
    """Open the page over a journal, or serve a judge to others.

    The page shows runs, approvals, contracts, prompts and experiments, answers approvals, and decides again. It starts
    runs in the directories given with --root, and runs only functions given with --functions.

    With --gateway and one --judge, others can ask that judge as a System One server.

    A key in INTERLOCK_SERVE_KEY is asked of every visitor. An address other than loopback is refused without one
    of at least 16 characters.
    """
    text = os.environ.get(KEY_VARIABLE, "").strip() or None
    if not _is_loopback(host):
        _require_key(text, host)
    settings = load_settings(directory=Path(), environ=os.environ, flags={"journal": journal})
    key = None if text is None else Secret(text)
    if gateway:
        _gateway(judges, settings, key, (host, port))
        return
    require_journal(settings.journal)
    _server().serve_page(
        journal=settings.journal,
        settings=settings,
        roots=checked_roots(roots),
        judges=some(judges, settings.judge),
        writers=some(writers, settings.writer),
        contracts=contracts_of(contracts, settings.contract),
        functions=functions_of(modules),
        prompts=registry_of(prompts, settings),
        reports=tuple(Path(report) for report in reports),
        key=key,
        names=names,
        host=host,
        port=port,
    )


def _gateway(judges: tuple[str, ...], settings: Settings, key: Secret | None, place: tuple[str, int]) -> None:
    if len(judges) != 1:
        fail("serve: a gateway needs one judge; write --gateway --judge ID", USAGE)
    judging = make_judge(judges[0], environ=os.environ, tools=reference_table(), options=settings.judging)
    for line in _shortfalls(judging.caps):
        click.echo(f"interlock: {line}", err=True)
    with _recording(settings.journal, judges[0]) as log:
        _serve(judging, judges[0], key, log, place)


def _server() -> ModuleType:
    try:
        return import_module("interlock.server.serving")
    except ModuleNotFoundError:
        fail('serve: the server is not installed: pip install "interlock[server]"')


def _serve(judge: Judge, judge_id: str, key: Secret | None, log: GatewayLog, place: tuple[str, int]) -> None:
    _server().serve_gateway(
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


def _require_key(text: str | None, host: str) -> None:
    if text is None:
        fail(f"serve: `{host}` is not loopback; set {KEY_VARIABLE} or bind 127.0.0.1", USAGE)
    if len(text) < LEAST_KEY:
        fail(f"serve: {KEY_VARIABLE} has fewer than {LEAST_KEY} characters; take `openssl rand -hex 16`", USAGE)


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
