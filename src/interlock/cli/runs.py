"""`interlock runs`: list, show and export what a journal holds; `runs_keep` and `runs_resume` change it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

import click

from interlock._text import clip
from interlock.cli import runs_keep
from interlock.cli._group import VerbGroup
from interlock.cli._journal import reading
from interlock.cli._output import ERROR, OK, USAGE, counted, epilog, fail, print_json
from interlock.cli._trace import Trace, visible
from interlock.cli.runs_resume import resume_run
from interlock.journal.decision_record import decision_lines
from interlock.journal.export import jsonl
from interlock.journal.metrics import prometheus
from interlock.journal.records import Record, read_rows
from interlock.journal.summary import LAST, RunSummary, find_run, kept_runs, summarize, summary_json
from interlock.journal.trace import markdown
from interlock.loop.many_record import ALL_DECIDED

__all__ = ["command"]

_JOURNAL = click.option("--journal", "place", metavar="PLACE", help="The journal to read; the settings name one.")


@click.group(cls=VerbGroup)
def command() -> None:
    """List, show and export recorded runs.

    RUN is an id, the beginning of one, or `last`. Four verbs change a journal: `resume` goes on with a run, `import`
    takes runs in, `prune` deletes old ones, and `redact` takes a cell out of one.
    """


command.add_command(resume_run)
for _kept in (runs_keep.take_in, runs_keep.prune, runs_keep.redact_run):
    command.add_command(_kept)


@command.command("list", epilog=epilog("interlock runs list", OK, ERROR, USAGE))
@_JOURNAL
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object: `runs`, newest first.")
def list_runs(place: str | None, as_json: bool) -> None:
    """List every run of a journal, newest first."""
    with reading(place, may_be_missing=True) as view:
        found = [summarize(view, run_id) for run_id in reversed(kept_runs(view))]
    if as_json:
        print_json({"runs": [summary_json(summary) for summary in found]})
        return
    if not found:
        click.echo("no runs yet; `interlock run TASK` records one")
    for summary in found:
        click.echo(_line(summary))


@command.command(epilog=epilog("interlock runs show last", OK, ERROR, USAGE))
@click.argument("run", default=LAST)
@_JOURNAL
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object: the run in short, and its records.")
def show(run: str, place: str | None, as_json: bool) -> None:
    """Show what happened in RUN, the newest unless named."""
    with reading(place) as view:
        run_id = find_run(view, run)
        summary = summarize(view, run_id)
        if as_json:
            records = [_record_json(record) for record in read_rows(view.rows(run_id))]
            print_json({"run": summary_json(summary), "records": records})
            return
        click.echo(f"run {visible(run_id)}  {summary.started or 'start unknown'}")
        click.echo(f"task: {visible(summary.task or 'unknown')}")
        _trace(read_rows(view.rows(run_id)))
    if summary.answer is not None:
        click.echo(f"answer:\n{visible(summary.answer)}")
    click.echo(f"{_ending(summary)}; {counted(summary.decisions, 'decision')}, {counted(summary.records, 'record')}")
    click.echo(f"head {visible(summary.head or 'missing')}")


@command.command(epilog=epilog("interlock runs export last --format markdown > run.md", OK, ERROR, USAGE))
@click.argument("runs", nargs=-1, metavar="[RUN]...")
@click.option(
    "--format",
    "form",
    type=click.Choice(["jsonl", "markdown", "decision-record", "prometheus"]),
    default="jsonl",
    show_default=True,
    help="`jsonl`: one record per line; `markdown`: a trace for people; `decision-record`: one decision per line, for "
    "other programs; `prometheus`: counts of the whole journal.",
)
@click.option("--json", "as_json", is_flag=True, help="The same as `--format jsonl`.")
@_JOURNAL
def export(runs: tuple[str, ...], form: str, as_json: bool, place: str | None) -> None:
    """Print the records of each RUN, or of every run, oldest first."""
    chosen = "jsonl" if as_json else form
    if chosen == "prometheus" and runs:
        fail("prometheus: counts the whole journal; name no run", USAGE)
    with reading(place) as view:
        if chosen == "prometheus":
            lines: Iterable[str] = prometheus(view)
        else:
            named = [find_run(view, run) for run in runs] if runs else view.run_ids()
            records = (read_rows(view.rows(run_id)) for run_id in dict.fromkeys(named))
            lines = (line for stored in records for line in _WRITERS[chosen](stored))
        for line in lines:
            click.echo(line)


def _markdown(records: Iterable[Record]) -> Iterator[str]:
    return (f"{part}\n" for part in markdown(records))


_WRITERS: Mapping[str, Callable[[Iterable[Record]], Iterator[str]]] = {
    "jsonl": jsonl,
    "markdown": _markdown,
    "decision-record": decision_lines,
}


def _trace(records: Iterable[Record]) -> None:
    """Print one line per record; a record that was written by hand may lack what a line shows."""
    trace = Trace(click.echo)
    for record in records:
        try:
            trace(record)
        except (LookupError, TypeError, ValueError):
            click.echo(f"     row {record.seq} ({record.type}) cannot be shown; run `interlock verify`")


def _record_json(record: Record) -> dict[str, object]:
    return {
        "seq": record.seq,
        "ts": record.ts,
        "type": record.type,
        "body": record.body,
        "prev_hash": record.prev_hash,
        "hash": record.hash,
    }


def _line(summary: RunSummary) -> str:
    task = clip(" ".join(visible(summary.task or "").split()), 60)
    return f"{visible(summary.run_id)}  {_ending(summary):<26} {summary.decisions:>3} decisions  {task}"


def _ending(summary: RunSummary) -> str:
    if summary.imported:
        return "imported records"
    if summary.halt is None:
        return _WAITING[summary.waiting]
    mark = " (degraded)" if summary.degraded else ""
    kept_back = not summary.delivered and summary.halt != ALL_DECIDED
    return visible(summary.halt) + mark + (", not delivered" if kept_back else "")


_WAITING = {"answer": "waits for an approval", "resume": "answered, not resumed", None: "not ended"}
