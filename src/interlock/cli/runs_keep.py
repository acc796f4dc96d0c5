"""The verbs below `interlock runs` that change a journal: take runs in, delete old ones, take a cell out of one.

Source: journal and safety specification, journal.
"""

from __future__ import annotations

import getpass
from collections.abc import Iterator
from contextlib import ExitStack
from datetime import UTC, datetime
from itertools import chain
from typing import IO

import click

from interlock.cli._files import STDIN
from interlock.cli._journal import reading, writing
from interlock.cli._output import ERROR, OK, USAGE, counted, epilog, fail, print_json
from interlock.cli._trace import visible
from interlock.errors import HeadMovedError, JournalError
from interlock.journal.base import Store
from interlock.journal.jsonl_read import is_row, numbered, read_runs
from interlock.journal.prune import OldRun, old_runs, parse_age, pruned_body
from interlock.journal.records import timestamp
from interlock.journal.redact import Redaction, redact
from interlock.journal.restore import Restored, restore_records, restore_run
from interlock.journal.summary import find_run
from interlock.journal.verify_chain import chain_problem

__all__ = ["prune", "redact_run", "take_in"]

_JOURNAL = click.option("--journal", "place", metavar="PLACE", help="The journal; the settings name one.")


@click.command("import", epilog=epilog("interlock runs import runs.jsonl", OK, ERROR, USAGE))
@click.argument("file")
@_JOURNAL
@click.option(
    "--unfinished", is_flag=True, help="Take in also runs that can be resumed; they act as they were written."
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object: `imported`, with run, records and head.")
def take_in(file: str, place: str | None, unfinished: bool, as_json: bool) -> None:
    """Take in runs that were exported as lines.

    FILE holds what `export` printed as `jsonl` or as `decision-record`; `-` reads standard input. The chain of a
    run is checked before it is taken in, and every run is taken in whole or not at all; one that is there already
    is left as it is. A run that has not ended could go on here, with the contract, the thresholds and the decisions
    in FILE: it is taken in with --unfinished alone, and never with a yes to a call that is still to be made.
    Compare the head that is printed with one that was kept elsewhere: lines hold none, so that
    a cut end shows nowhere else. Decision records become one run, whose chain begins here.
    """
    done: list[Restored] = []
    try:
        with click.open_file(file, encoding="utf-8") as stream, writing(place, must_exist=False) as store:
            for restored in _restored(store, stream, _name(file), unfinished=unfinished):
                done.append(restored)
                if not as_json:
                    click.echo(_taken(restored))
    except FileNotFoundError:
        fail(f"{_name(file)}: no such file", USAGE)
    except UnicodeDecodeError:
        fail(f"{_name(file)}: is not UTF-8 text", ERROR)
    if as_json:
        print_json({"imported": [_restored_json(restored) for restored in done]})


@click.command("prune", epilog=epilog("interlock runs prune --older-than 30d --dry-run", OK, ERROR, USAGE))
@click.option("--older-than", "age", required=True, metavar="AGE", help="Hours, days or weeks, such as `30d`.")
@click.option("--dry-run", is_flag=True, help="Say what would be deleted, and delete nothing.")
@_JOURNAL
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object: `pruned`, and `kept` with the reason.")
def prune(age: str, dry_run: bool, place: str | None, as_json: bool) -> None:
    """Delete whole runs whose last record is older than an age.

    What was deleted stays on record in the run `pruned-runs`: the run, its length, its head, when and by whom. A
    run that a process works on is kept.
    """
    now, older_than = datetime.now(UTC), parse_age(age)
    with reading(place) as view:
        old = list(old_runs(view, now=now, older_than=older_than))
    kept: dict[str, str] = {}
    if not dry_run and old:
        with writing(place, must_exist=True) as store:
            kept = {run.run_id: why for run in old if (why := _deleted(store, run, now)) is not None}
    gone = [run for run in old if run.run_id not in kept]
    if as_json:
        print_json({"dry_run": dry_run, "pruned": [_old_json(run) for run in gone], "kept": kept})
        return
    for run in gone:
        click.echo(f"{visible(run.run_id)}  {counted(run.head.seq, 'record')}, last {visible(run.last_ts)}")
    for run_id, why in kept.items():
        click.echo(f"kept {visible(run_id)}: {visible(why)}")
    click.echo(f"{counted(len(gone), 'run')} {'would be ' if dry_run else ''}deleted")


@click.command("redact", epilog=epilog("interlock runs redact last --cell task", OK, ERROR, USAGE))
@click.argument("run")
@click.option("--cell", required=True, metavar="NAME", help="The cell of the host whose values go.")
@_JOURNAL
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object: rows, and where values still stand.")
def redact_run(run: str, cell: str, place: str | None, as_json: bool) -> None:
    """Take the values of one cell out of RUN.

    They are taken out of every frame, out of recorded state, and for the reference loop out of the records that
    the cell is made of. Answers, outcomes and digests stay. A record at the end of the run says what was taken
    out, and `interlock verify` counts such rows as partial. Rows that repeat a value in another place are named:
    what they say must be judged by a person.
    """
    with writing(place, must_exist=True) as store:
        with store.snapshot() as view:
            run_id = find_run(view, run)
            problem, head = chain_problem(view, run_id), view.head(run_id)
        if problem is not None or head is None:
            fail(f"run `{visible(run_id)}`: {visible(problem or 'has no head')}; it is not what was written", ERROR)
        redaction = redact(list(store.records(run_id)), cell=cell, by=_person())
        record = store.redact(run_id, redaction.texts, redaction.body, ts=timestamp(datetime.now(UTC)), expected=head)
    if as_json:
        print_json(_redaction_json(run_id, redaction, head=record.hash))
        return
    for row in redaction.rows:
        click.echo(f"row {row.seq}: {', '.join(row.what)}")
    if redaction.remaining:
        click.echo(f"values still stand in rows {', '.join(map(str, redaction.remaining))}; read them")
    click.echo(f"run {visible(run_id)}: {len(redaction.rows)} rows redacted; head {record.hash}")


def _restored(store: Store, stream: IO[str], name: str, *, unfinished: bool) -> Iterator[Restored]:
    lines = numbered(stream, name)
    first = next(lines, None)
    if first is None:
        fail(f"{name}: holds no line", ERROR)
    whole = chain([first], lines)
    if is_row(first[1]):
        yield from (restore_run(store, run, unfinished=unfinished) for run in read_runs(whole, name=name))
    else:
        yield restore_records(store, whole, name=name, ts=timestamp(datetime.now(UTC)))


def _taken(restored: Restored) -> str:
    done = {"imported": "imported", "there": "there already", "own": "not imported, the journal has its own"}
    size = f"{counted(restored.head.seq, 'record')}, head {restored.head.hash}"
    return f"run {visible(restored.run_id)}: {done[restored.state]}, {size}"


def _restored_json(restored: Restored) -> dict[str, object]:
    return {
        "run_id": visible(restored.run_id),
        "state": restored.state,
        "records": restored.head.seq,
        "head": restored.head.hash,
    }


def _deleted(store: Store, run: OldRun, now: datetime) -> str | None:
    """Delete one run; return why it was kept instead."""
    with ExitStack() as stack:
        try:
            stack.enter_context(store.hold(run.run_id))
        except JournalError as busy:
            return str(busy)
        try:
            store.prune(run.run_id, pruned_body(run, by=_person()), ts=timestamp(now), expected=run.head)
        except HeadMovedError as moved:
            return str(moved)
    return None


def _old_json(run: OldRun) -> dict[str, object]:
    return {
        "run_id": visible(run.run_id),
        "records": run.head.seq,
        "head": run.head.hash,
        "first_ts": run.first_ts,
        "last_ts": run.last_ts,
    }


def _redaction_json(run_id: str, redaction: Redaction, *, head: str) -> dict[str, object]:
    return {
        "run_id": run_id,
        "rows": [{"seq": row.seq, "what": list(row.what)} for row in redaction.rows],
        "remaining": list(redaction.remaining),
        "head": head,
    }


def _name(file: str) -> str:
    return "standard input" if file == STDIN else click.format_filename(file)


def _person() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return "unknown"
