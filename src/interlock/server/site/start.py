"""Starting a run from the page, going on with one, and stopping one.

Only directories, contracts, judges and writers that the server was given can be used.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

import anyio.to_thread
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from interlock.contract.compile import compile_contract
from interlock.contract.compiled import Contract
from interlock.errors import InterlockError
from interlock.journal.place import open_journal
from interlock.journal.recording import OnEvent
from interlock.judge.options import DEFAULTS, MEMORY, JudgeOptions
from interlock.loop.capabilities import REFERENCE
from interlock.loop.reference import reference_host, shipped_text
from interlock.loop.resume import aresume
from interlock.loop.resume_read import Started, started
from interlock.loop.run import arun
from interlock.models.closing import close
from interlock.pipeline.gating import Gating
from interlock.server.site.desk import Desk, reading
from interlock.server.site.drawing import draw
from interlock.server.site.forms import Form, read_form
from interlock.server.site.people import Seat
from interlock.server.site.runner import Runner
from interlock.settings import load_settings
from interlock.wiring import make_judge, make_writer

__all__ = ["Wanted", "contract_text", "go_on", "routes", "start_run", "wanted_of"]

MAX_TASK_CHARS = 100_000
_FILES = ("cache", "record", "profiles", "locks")
"""The options of a judge that are places of files, which would be read or written."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """A run that somebody wants started; every name is one that the desk offers."""

    task: str
    cwd: Path
    contract: str
    judge: str
    writer: str
    can_write: bool = False
    can_delete: bool = False


def routes(desk: Desk, runner: Runner) -> Sequence[Route]:
    """Return what starts, stops and takes up runs."""
    rooms = _Rooms(desk, runner)
    return [
        Route("/start", rooms.form, methods=["GET"]),
        Route("/start", rooms.start, methods=["POST"]),
        Route("/runs/{run_id}/stop", rooms.stop, methods=["POST"]),
        Route("/runs/{run_id}/resume", rooms.resume, methods=["POST"]),
    ]


def wanted_of(desk: Desk, form: Form) -> Wanted:
    """Return the run that a form describes.

    Raises:
        InterlockError: it asks for what this server does not offer; the message names the field.
    """
    task = form.text("task")
    if not task:
        raise InterlockError("task: is empty; say what is to be done")
    if len(task) > MAX_TASK_CHARS:
        raise InterlockError(f"task: is longer than {MAX_TASK_CHARS:,} characters; name a file that holds it")
    return Wanted(
        task=task,
        cwd=_inside(desk.roots, form.text("cwd")),
        contract=_offered("contract", form.text("contract"), tuple(desk.contracts)),
        judge=_offered("judge", form.text("judge"), desk.judges),
        writer=_offered("writer", form.text("writer"), desk.writers),
        can_write=form.has("can_write"),
        can_delete=form.has("can_delete"),
    )


def contract_text(desk: Desk, name: str) -> str:
    """Return the text of a contract that the desk offers.

    Raises:
        InterlockError: its file cannot be read.
    """
    path = desk.contracts[name]
    if path is None:
        return shipped_text()
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as problem:
        raise InterlockError(f"contract `{name}`: its file cannot be read") from problem


def start_run(desk: Desk, runner: Runner, wanted: Wanted) -> str:
    """Begin a run and return its id.

    Raises:
        InterlockError: the contract does not compile, or judge, writer or journal cannot be used.
    """
    contract = compile_contract(contract_text(desk, wanted.contract), REFERENCE, overrides=desk.settings.gates)
    return runner.start(partial(_begun, desk, wanted, contract, runner.people.seat()))


def go_on(desk: Desk, runner: Runner, run_id: str) -> None:
    """Take up a run that waits or was cut off.

    Raises:
        InterlockError: the run cannot go on, or not here.
    """
    with reading(desk) as view:
        run = started(view, run_id)
    try:
        told = load_settings(directory=Path(), environ=desk.environ, flags=run.wired)
        _require_own_places(desk, run.cwd, told.judging)
        _offered("judge", told.judge, desk.judges)
        _offered("writer", told.writer, desk.writers)
    except InterlockError as problem:
        raise InterlockError(f"{problem}; `interlock runs resume {run_id}` goes on with it elsewhere") from problem
    runner.start(partial(_resumed, desk, run, runner.people.seat(run.run_id)), run_id=run.run_id)


async def _begun(desk: Desk, wanted: Wanted, contract: Contract, seat: Seat, on_event: OnEvent) -> object:
    settings, host = desk.settings, reference_host(wanted.cwd)
    judge = make_judge(wanted.judge, environ=desk.environ, tools=host.tools, options=settings.judging, ask=seat.ask)
    writer = make_writer(wanted.writer, environ=desk.environ)
    try:
        with closing(open_journal(desk.journal)) as journal:
            return await arun(
                wanted.task,
                judge=judge,
                writer=writer,
                host=host,
                cwd=wanted.cwd,
                can_write=wanted.can_write,
                can_delete=wanted.can_delete,
                contract=contract,
                gating=Gating(modes=settings.modes, gaps=settings.gap_policy),
                budgets=settings.budgets,
                plan=settings.plan,
                journal=journal,
                park=True,
                wired={"judge": wanted.judge, "writer": wanted.writer, "judging": asdict(settings.judging)},
                on_event=seat.listening(on_event),
            )
    finally:
        await close(judge, writer)


async def _resumed(desk: Desk, run: Started, seat: Seat, on_event: OnEvent) -> object:
    host = reference_host(run.cwd)
    told = load_settings(directory=Path(), environ=desk.environ, flags=run.wired)
    judge = make_judge(told.judge, environ=desk.environ, tools=host.tools, options=told.judging, ask=seat.ask)
    writer = make_writer(told.writer, environ=desk.environ)
    try:
        with closing(open_journal(desk.journal)) as journal:
            heard = seat.listening(on_event)
            return await aresume(run.run_id, journal=journal, judge=judge, writer=writer, host=host, on_event=heard)
    finally:
        await close(judge, writer)


def _require_own_places(desk: Desk, cwd: str, wanted: JudgeOptions) -> None:
    """Refuse a run that names places which this server was not given: its records may be anybody's."""
    if not Path(cwd).is_absolute():
        raise InterlockError("directory: the run names it without its beginning")
    _inside(desk.roots, cwd)
    for name in _FILES:
        place = getattr(wanted, name)
        if place not in (getattr(DEFAULTS, name), MEMORY, getattr(desk.settings.judging, name)):
            raise InterlockError(f"judging.{name}: the run names a file that the settings of this server do not name")


def _inside(roots: Sequence[Path], given: str | Path) -> Path:
    """Return a directory that lies within one of `roots`, links followed."""
    path = Path(given)
    if not roots:
        raise InterlockError("directory: this server starts no runs; start it with `--root DIR`")
    if not path.is_absolute():
        path = roots[0] / path
    try:
        found = path.resolve(strict=True)
    except (OSError, ValueError, RuntimeError) as problem:
        raise InterlockError("directory: there is none of that name") from problem
    if not any(found.is_relative_to(root) for root in roots):
        raise InterlockError(f"directory: lies outside {', '.join(f'`{root}`' for root in roots)}; name one inside")
    if not found.is_dir():
        raise InterlockError("directory: is a file")
    return found


def _offered(what: str, name: str, known: Sequence[str]) -> str:
    if name not in known:
        raise InterlockError(f"{what}: this server does not offer `{name}`; it offers {', '.join(known)}")
    return name


class _Rooms:
    def __init__(self, desk: Desk, runner: Runner) -> None:
        self._desk = desk
        self._runner = runner

    def form(self, request: Request) -> Response:
        """Ask what is to be done, where, and under which contract."""
        return self._drawn(request, Form({"cwd": str(self._desk.roots[0])} if self._desk.roots else {}))

    async def start(self, request: Request) -> Response:
        """Start a run and show it."""
        form = await read_form(request)
        return await anyio.to_thread.run_sync(self._started, request, form)

    def stop(self, request: Request) -> Response:
        """Stop a run that this server works on."""
        run_id = request.path_params["run_id"]
        if not self._runner.stop(run_id):
            raise HTTPException(409, "this server does not work on that run")
        return RedirectResponse(f"/runs/{run_id}", status_code=303)

    def resume(self, request: Request) -> Response:
        """Go on with a run that waits or was cut off."""
        run_id = request.path_params["run_id"]
        try:
            go_on(self._desk, self._runner, run_id)
        except InterlockError as problem:
            return draw(
                request, "problem.html", {"says": str(problem), "back": f"/runs/{run_id}"}, here="runs", status=409
            )
        return RedirectResponse(f"/runs/{run_id}", status_code=303)

    def _started(self, request: Request, form: Form) -> Response:
        try:
            run_id = start_run(self._desk, self._runner, wanted_of(self._desk, form))
        except InterlockError as problem:
            return self._drawn(request, form, status=422, says=str(problem))
        return RedirectResponse(f"/runs/{run_id}", status_code=303)

    def _drawn(self, request: Request, form: Form, *, status: int = 200, says: str = "") -> Response:
        return draw(
            request, "start.html", {"desk": self._desk, "form": form, "says": says}, here="start", status=status
        )
