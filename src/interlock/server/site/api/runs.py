"""Endpoints of runs: the list, one with its records, what is added to it, and starting, stopping and going on."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import contextmanager
from typing import Literal, TypeAlias

import anyio.to_thread
from pydantic import Field

from interlock.errors import InterlockError, JournalError
from interlock.journal.base import JournalView
from interlock.journal.records import EventType, Record, read_rows
from interlock.journal.summary import RunSummary, find_run, summarize, summary_json
from interlock.questions import Json
from interlock.server.site.api.endpoint import Closed, Endpoint, Failed, Given
from interlock.server.site.api.models import Body, RunShort, ThisRun
from interlock.server.site.api.written import written
from interlock.server.site.desk import Desk, reading
from interlock.server.site.forms import Form
from interlock.server.site.runner import Runner
from interlock.server.site.runs import list_runs, state_of
from interlock.server.site.start import go_on, start_run, wanted_of
from interlock.server.site.watch import Watches

__all__ = ["endpoints", "named_run", "run_named"]

State: TypeAlias = Literal["", "running", "waiting", "answered", "delivered", "undelivered", "ended"]


class RunQuery(Closed):
    text: str = Field(default="", max_length=300, description="What task, id, ending or answer must hold.")
    state: State = Field(default="", description="How they must stand; empty for any.")
    page: int = Field(default=1, ge=1, le=1_000_000, description="Of fifty runs each.")


class RunPage(Closed):
    runs: list[RunShort] = Field(description="Newest first.")
    total: int
    page: int
    pages: int


class RunDetail(Closed):
    run: RunShort
    is_working: bool = Field(description="True while this server works on it.")
    started: Body | None = Field(description="What its first record says.")
    ended: Body | None = Field(description="What its last record says; null while it has none.")


class RunRecord(Closed):
    seq: int
    ts: str
    type: str
    body: Body
    hash: str
    prev_hash: str


class RunRecords(Closed):
    run_id: str
    records: list[RunRecord]
    next: int | None = Field(description="Ask for what comes `after` this; null when there was no more.")


class NewRun(Closed):
    task: str = Field(min_length=1, max_length=100_000, description="What is to be done.")
    directory: str = Field(min_length=1, max_length=4096, description="Within the directories of the server.")
    contract: str = Field(default="", max_length=300, description="One that the server offers; its first when empty.")
    judge: str = Field(default="", max_length=300, description="One that the server offers; its first when empty.")
    writer: str = Field(default="", max_length=300, description="One that the server offers; its first when empty.")
    can_write: bool = Field(default=False, description="It may create files.")
    can_delete: bool = Field(default=False, description="It may remove files.")


class RunId(Closed):
    run_id: str


class RecordQuery(ThisRun):
    after: int = Field(default=0, ge=0, le=2**53, description="The number of the last record that is known.")
    limit: int = Field(default=100, ge=1, le=500, description="How many records at most.")
    type: EventType | Literal[""] = Field(default="", description="One type of records only; empty for all.")


class EventQuery(ThisRun):
    after: int = Field(default=0, ge=0, le=2**53, description="The number of the last record that is known.")


def endpoints(desk: Desk, runner: Runner, watches: Watches) -> Sequence[Endpoint]:
    """Return the endpoints."""
    room = _Room(desk, runner, watches)
    path = "/api/v1/runs"
    one = f"{path}/{{run_id}}"
    return [
        Endpoint(
            method="GET", path=path, name="listRuns", says="Lists runs, newest first.", tag="runs", takes=RunQuery,
            gives=RunPage, handle=room.listed,
        ),
        Endpoint(
            method="POST", path=path, name="startRun", says="Starts a run.", tag="runs", takes=NewRun, gives=RunId,
            handle=room.start, status=201,
        ),
        Endpoint(
            method="GET", path=one, name="getRun", says="Shows how a run stands.", tag="runs", takes=ThisRun,
            gives=RunDetail, handle=room.one,
        ),
        Endpoint(
            method="GET", path=f"{one}/records", name="listRecords", says="Lists records of a run, oldest first.",
            tag="runs", takes=RecordQuery, gives=RunRecords, handle=room.records,
        ),
        Endpoint(
            method="GET", path=f"{one}/events", name="watchRun",
            says="Streams the records that are added to a run, each as an event `record`, until it ends.",
            tag="runs", takes=EventQuery, gives=RunRecord, stream=room.events,
        ),
        Endpoint(
            method="POST", path=f"{one}/stop", name="stopRun", says="Stops a run that this server works on.",
            tag="runs", takes=ThisRun, gives=RunId, handle=room.stop, refusals=(409,),
        ),
        Endpoint(
            method="POST", path=f"{one}/resume", name="resumeRun",
            says="Goes on with a run that waited for an answer or was cut off.",
            tag="runs", takes=ThisRun, gives=RunId, handle=room.resume, refusals=(409,),
        ),
    ]  # fmt: skip


@contextmanager
def named_run(desk: Desk, named: str) -> Iterator[tuple[JournalView, str]]:
    """Yield the journal and the id of the run that is meant.

    Raises:
        Failed: no run, or more than one, is meant.
    """
    with reading(desk) as view:
        try:
            run_id = find_run(view, named)
        except JournalError as problem:
            raise Failed(404, str(problem)) from problem
        yield view, run_id


def run_named(desk: Desk, named: str) -> str:
    """Return the id of the run that is meant.

    Raises:
        Failed: no run, or more than one, is meant.
    """
    with named_run(desk, named) as (_, run_id):
        return run_id


class _Room:
    def __init__(self, desk: Desk, runner: Runner, watches: Watches) -> None:
        self._desk = desk
        self._runner = runner
        self._watches = watches

    def listed(self, asked: RunQuery) -> Given:
        found = list_runs(self._desk, text=asked.text.strip(), state=asked.state, page=asked.page)
        runs = [_short(run) for run in found.runs]
        return {"runs": runs, "total": found.total, "page": found.page, "pages": found.pages}

    def one(self, asked: ThisRun) -> Given:
        with named_run(self._desk, asked.run_id) as (view, run_id):
            summary = summarize(view, run_id)
            kinds: list[EventType] = ["run_started", "engine_started", "run_ended", "engine_ended"]
            ends = {record.type.partition("_")[2]: record.body for record in read_rows(view.rows(run_id, kinds))}
        return {
            "run": _short(summary),
            "is_working": self._runner.is_working(run_id),
            "started": ends.get("started"),
            "ended": ends.get("ended"),
        }

    def records(self, asked: RecordQuery) -> Given:
        kinds = [] if asked.type == "" else [asked.type]
        found: list[Json] = []
        last: int | None = None
        with named_run(self._desk, asked.run_id) as (view, run_id):
            for record in read_rows(view.rows(run_id, kinds, after=asked.after)):
                if len(found) == asked.limit:
                    return {"run_id": run_id, "records": found, "next": last}
                found.append(_record(record))
                last = record.seq
        return {"run_id": run_id, "records": found, "next": None}

    def start(self, asked: NewRun) -> Given:
        fields = {"task": asked.task, "cwd": asked.directory}
        offered = {"contract": tuple(self._desk.contracts), "judge": self._desk.judges, "writer": self._desk.writers}
        fields |= {name: getattr(asked, name) or next(iter(known), "") for name, known in offered.items()}
        fields |= {name: "on" for name in ("can_write", "can_delete") if getattr(asked, name)}
        return {"run_id": start_run(self._desk, self._runner, wanted_of(self._desk, Form(fields)))}

    def stop(self, asked: ThisRun) -> Given:
        run_id = run_named(self._desk, asked.run_id)
        if not self._runner.stop(run_id):
            raise Failed(409, "this server does not work on that run")
        return {"run_id": run_id}

    def resume(self, asked: ThisRun) -> Given:
        run_id = run_named(self._desk, asked.run_id)
        try:
            go_on(self._desk, self._runner, run_id)
        except InterlockError as problem:
            raise Failed(409, str(problem)) from problem
        return {"run_id": run_id}

    async def events(self, asked: EventQuery) -> AsyncIterator[str]:
        run_id = await anyio.to_thread.run_sync(run_named, self._desk, asked.run_id)
        yield ": open\n\n"
        try:
            async for batch in self._watches.follow(run_id, asked.after):
                yield "".join(map(_event, batch.records)) or ": nothing new\n\n"
        except JournalError as problem:
            yield f"event: error\ndata: {written({'error': str(problem)}).decode()}\n\n"
        yield "event: end\ndata:\n\n"


def _short(run: RunSummary) -> Json:
    told = {**summary_json(run), "state": state_of(run)}
    return {name: told[name] for name in RunShort.model_fields}


def _record(record: Record) -> Json:
    return {
        "seq": record.seq,
        "ts": record.ts,
        "type": record.type,
        "body": dict(record.body),
        "hash": record.hash,
        "prev_hash": record.prev_hash,
    }


def _event(record: Record) -> str:
    return f"id: {record.seq}\nevent: record\ndata: {written(_record(record)).decode()}\n\n"
