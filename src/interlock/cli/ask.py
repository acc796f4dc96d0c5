"""`interlock ask`: one question about a file or standard input, answered by a judge.

Source: product specification, the command line.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import click

from interlock.cli._answer import answer_json, answer_text
from interlock.cli._files import STDIN, read_text
from interlock.cli._output import ERROR, OK, USAGE, epilog, fail, on_terminal, print_json
from interlock.cli._trace import visible
from interlock.cli._waiting import waited_for
from interlock.errors import QuestionError
from interlock.judge.base import JudgeReply
from interlock.judge.wire import parse_json
from interlock.models.closing import close
from interlock.pipeline.blocking import run_blocking
from interlock.questions import Choice, Content, Noul, NoulCriteria, Question, Score
from interlock.settings import Settings, load_settings
from interlock.wiring import make_judge

__all__ = ["command"]


@click.command(
    epilog=epilog(
        'interlock ask mail.txt --choice "Which team should answer?" -o billing="money, invoices" -o other',
        OK,
        ERROR,
        USAGE,
    )
)
@click.argument("file", default=STDIN, metavar="[FILE]")
@click.option("--noul", metavar="TEXT", help="A question or statement answered with the probability that it is true.")
@click.option("--choice", metavar="TEXT", help="A question answered by one of the options.")
@click.option(
    "--score", metavar="TEXT", help="A question answered on levels; the options are the levels, lowest first."
)
@click.option(
    "-o",
    "--option",
    "options",
    multiple=True,
    metavar="NAME=CRITERION",
    help="An option and what it means, or a name alone; for --score the text of a level; for --noul `true=…` or "
    "`false=…`. Repeat it.",
)
@click.option("--judge", metavar="ID", help="Who answers; the settings name one.")
@click.option("--id", "id_", metavar="NAME", default="question", show_default=True, help="What rules know it as.")
@click.option(
    "--json", "as_json", is_flag=True, help="Print one JSON object: answer, reading, numbers, judge and usage."
)
def command(
    *,
    file: str,
    noul: str | None,
    choice: str | None,
    score: str | None,
    options: tuple[str, ...],
    judge: str | None,
    id_: str,
    as_json: bool,
) -> None:
    """Ask a judge one question.

    FILE is what the question is about; without one, or with `-`, standard input is read. A file that ends in
    .json is sent as JSON, anything else as text. Exactly one of --noul, --choice and --score is given. The exit
    code is 1 when there is no answer, whatever the reason.
    """
    question = _question(noul=noul, choice=choice, score=score, options=options)
    settings = load_settings(directory=Path(), environ=os.environ, flags={"judge": judge})
    state = _state(file)
    try:
        reply = run_blocking(partial(_ask, settings, state, id_, question), name="ask", instead="Judge.answer")
    except KeyboardInterrupt:
        fail("cancelled; nothing was decided", ERROR)
    if as_json:
        print_json(answer_json(id_, question, reply))
    else:
        click.echo(answer_text(id_, question, reply))
    if settings.judge == "rules" and reply.readings[id_].reason == "abstained":
        click.echo("interlock: `rules` knows the questions of the loop only; name another judge with --judge", err=True)
    raise SystemExit(OK if reply.readings[id_].answer is not None else ERROR)


async def _ask(settings: Settings, state: Content, id_: str, question: Question) -> JudgeReply:
    judge = make_judge(settings.judge, environ=os.environ, tools={}, options=settings.judging)
    try:
        asked = judge.answer(state, {id_: question})
        if _asks_a_person(settings.judge):  # whose prompt a line of progress would overwrite
            return await asked
        return await waited_for(asked, f"waiting for {visible(settings.judge)}")
    finally:
        await close(judge)


def _asks_a_person(judge: str) -> bool:
    return "human" in [part.strip() for part in judge.split(",")]


def _question(*, noul: str | None, choice: str | None, score: str | None, options: Sequence[str]) -> Question:
    """Return the question; ends the program when there is none, or more than one, or it cannot be asked."""
    asked = [text for text in (noul, choice, score) if text is not None]
    if len(asked) != 1:
        fail("give exactly one of --noul, --choice and --score", USAGE)
    try:
        if noul is not None:
            return Noul(instructions=noul, criteria=_sides(options))
        if choice is not None:
            return Choice(instructions=choice, criteria=_labels(options))
        return Score(instructions=asked[0], criteria=options)
    except QuestionError as problem:
        fail(str(problem), USAGE)


def _sides(options: Sequence[str]) -> NoulCriteria | None:
    sides = dict(map(_split, options))
    if len(sides) < len(options) or not sides.keys() <= {"true", "false"}:
        fail("-o: of --noul it is `true=…` or `false=…`, each once", USAGE)
    return NoulCriteria(true=sides.get("true"), false=sides.get("false")) if sides else None


def _labels(options: Sequence[str]) -> dict[str, Content | None]:
    labels: dict[str, Content | None] = dict(map(_split, options))
    if len(labels) < len(options):
        fail("-o: an option stands twice; give each another name", USAGE)
    if len(labels) < 2:
        fail("-o: a choice needs at least two options; repeat -o NAME=CRITERION", USAGE)
    return labels


def _split(option: str) -> tuple[str, str | None]:
    name, _, criterion = option.partition("=")
    return name.strip(), criterion.strip() or None


def _state(file: str) -> Content:
    if file == STDIN and on_terminal(sys.stdin):
        fail("nothing to judge: name a FILE, or pipe text to standard input", USAGE)
    text = read_text(file)
    if not file.endswith(".json"):
        return text
    try:
        state = parse_json(text)
    except ValueError as problem:
        fail(f"{file}: is not JSON: {problem}", USAGE)
    if not isinstance(state, str | dict | list):
        fail(f"{file}: holds a bare value; write an object, a list or a text", USAGE)
    return state
