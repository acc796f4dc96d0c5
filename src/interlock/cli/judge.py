"""`interlock judge`: what a judge is like, measured.

Source: backends specification, sections 3.4 and 3.5.
"""

from __future__ import annotations

import dataclasses
import logging
import os
import sys
import time
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import click

from interlock.cli._contract import load_contract
from interlock.cli._group import VerbGroup
from interlock.cli._locks import locked_questions, read_locks, write_locks
from interlock.cli._output import ERROR, OK, USAGE, counted, epilog, fail, on_terminal, print_json
from interlock.cli._trace import visible
from interlock.judge.base import JudgeReply
from interlock.judge.locks import Lock, is_moving
from interlock.judge.probe import SAMPLE, SAMPLE_STATE, Measured, ProbeFailedError, measured_caps, probe
from interlock.judge.profile_text import profile_text
from interlock.models.closing import close
from interlock.pipeline.blocking import run_blocking
from interlock.settings import load_settings
from interlock.wiring import ProbeTarget, make_probe_target

__all__ = ["command"]

_CLEAR = "\r\x1b[K"
_SHOWN_MODELS = 12


@click.group(cls=VerbGroup)
def command() -> None:
    """Measure a judge, and lock thresholds to it."""


@command.command(
    "probe",
    epilog=epilog("interlock judge probe system-one:http://127.0.0.1:8000 --save judges.toml", OK, ERROR, USAGE),
)
@click.argument("id_", metavar="ID")
@click.option("--save", metavar="FILE", help="Add the limits found to a file of profiles, for `judging.profiles`.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def probe_command(id_: str, save: str | None, as_json: bool) -> None:
    """Measure what a judge takes and how steady it is.

    Asks about fifty made-up questions: the most options, levels and questions of one request, whether questions in
    one request move each other, whether the order of options changes the pick, whether a question is ever refused,
    and how long one question takes. A hosted judge bills them.
    """
    settings = load_settings(directory=Path(), environ=os.environ)
    target = make_probe_target(id_, environ=os.environ, options=settings.judging)
    if save is not None and target.profile is None:
        fail(f"--save: `{id_}` is no server and has no profile", USAGE)
    before = "" if save is None else _before(save, id_)
    try:
        with _quiet("interlock.judge"):  # what is refused is what is measured
            measured, models = run_blocking(partial(_probe, target), name="probe", instead="probe")
    except ProbeFailedError as problem:
        fail(f"{id_}: cannot be measured: {problem}", ERROR)
    if save is not None and target.profile is not None:
        profile = dataclasses.replace(target.profile, caps=measured_caps(target.profile.caps, measured))
        _save(save, before, profile_text(id_, profile, measured))
    if as_json:
        print_json({"judge": id_, **dataclasses.asdict(measured), "models": models})
    else:
        click.echo(visible(_shown(id_, measured, models)))


@command.command("lock", epilog=epilog("interlock judge lock typesafe:jev-1.13.0 --save locks.json", OK, ERROR, USAGE))
@click.argument("id_", metavar="ID")
@click.option("--contract", metavar="FILE", help="The contract whose thresholds were tried; the settings name one.")
@click.option("--save", metavar="FILE", required=True, help="Add the locks to a file, for `judging.locks`.")
def lock_command(id_: str, contract: str | None, save: str) -> None:
    """Lock the thresholds of a contract to the model that they were tried with.

    Asks one made-up question to learn which model answers. Every question that a threshold reads is then locked to
    that model; answers of another one are marked as degraded, and an alias is refused. Questions whose options come
    from code cannot be locked.
    """
    settings = load_settings(directory=Path(), environ=os.environ, flags={"contract": contract})
    questions = locked_questions(load_contract(settings.contract, settings.gates))
    before = read_locks(save)
    target = make_probe_target(id_, environ=os.environ, options=settings.judging)
    if is_moving(target.model):
        fail(f"{id_}: moves without notice; name the version that the thresholds were tried with, {_NAMED}", ERROR)
    reply = run_blocking(partial(_asked_once, target), name="lock", instead="Judge.answer")
    reading = reply.readings["q"]
    if reading.answer is None or reply.served_model is None:
        fail(f"{id_}: cannot be locked: {reading.kind}: {reading.reason}", ERROR)
    model, basis = reply.served_model, reading.answer.basis
    made = {Lock(question=digest, model=model, requested=target.model, basis=basis) for digest in questions}
    write_locks(save, before | made)
    click.echo(visible(f"{counted(len(made), 'question')} locked to {model} ({basis})"))


_NAMED = "such as `typesafe:jev-1.13.0`, or `system-one:http://HOST:PORT#MODEL` for a server of your own"


async def _asked_once(target: ProbeTarget) -> JudgeReply:
    try:
        return await target.judge.answer(SAMPLE_STATE, {"q": SAMPLE})
    finally:
        await close(target.judge)


@contextmanager
def _quiet(name: str) -> Iterator[None]:
    """Keep one logger from writing."""
    logger = logging.getLogger(name)
    before = logger.level
    logger.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        logger.setLevel(before)


async def _probe(target: ProbeTarget) -> tuple[Measured, tuple[str, ...] | None]:
    try:
        measured = await probe(target.judge, now=time.monotonic, tell=_tell)
        return measured, None if target.models is None else await target.models()
    finally:
        await close(target.judge)
        if on_terminal(sys.stderr):
            click.echo(_CLEAR, err=True, nl=False)


def _tell(what: str) -> None:
    if on_terminal(sys.stderr):
        click.echo(f"{_CLEAR}measuring {what}", err=True, nl=False)


def _shown(id_: str, measured: Measured, models: tuple[str, ...] | None) -> str:
    moved = "cannot be told, one question at a time" if measured.max_questions < 2 else f"{measured.moved:.3f}"
    rows = {
        "served model": measured.served_model or "not said",
        "models": "not listed" if models is None else ", ".join(models[:_SHOWN_MODELS]) or "none",
        "options": measured.max_options,
        "levels": measured.max_levels,
        "questions per request": measured.max_questions,
        "moved by neighbours": f"{moved} ({'they move each other' if measured.joint_reads else 'steady'})",
        "flipped by order": f"{measured.flips} of {measured.orders}",
        "refused": "yes" if measured.refusal else "not seen",
        "probabilities": "yes" if measured.numbers else "not always",
        "latency": f"{measured.latency_ms:.0f} ms (median)",
        "requests spent": measured.requests,
    }
    width = max(map(len, rows))
    return "\n".join([id_, *(f"  {name:<{width}}  {value}" for name, value in rows.items())])


def _before(file: str, id_: str) -> str:
    """Return what the file holds; ends the program, before anything is asked, when no entry can be added to it."""
    path = Path(file)
    try:
        before = path.read_text(encoding="utf-8") if path.exists() else ""
        known = tomllib.loads(before)
    except (OSError, ValueError) as problem:
        fail(f"{file}: cannot be added to: {getattr(problem, 'strerror', None) or 'is not TOML in UTF-8'}", ERROR)
    if id_ in known:
        fail(f"{file}: holds `{id_}` already; remove that entry, or name another file", ERROR)
    if not path.absolute().parent.is_dir():
        fail(f"{file}: cannot be added to: no such directory", ERROR)
    return before


def _save(file: str, before: str, entry: str) -> None:
    try:
        Path(file).write_text(before + ("\n" if before else "") + entry, encoding="utf-8")
    except OSError as problem:
        fail(f"{file}: cannot be written: {problem.strerror}", ERROR)
