"""`interlock engine`: pursue a goal with tools, one checked decision at a time.

Puts settings, prompts, model, tools, journal and engine together; decides nothing itself.
Source: decision-engine specification; product specification, the command line.
"""

from __future__ import annotations

import os
import sys
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import click

from interlock.actions import ASK_USER, check_tools
from interlock.cli._journal import reading
from interlock.cli._model import asking_options, decimal_of, model_id, prices_of, text_model
from interlock.cli._modules import load_tools
from interlock.cli._output import ERROR, NOT_DELIVERED, OK, USAGE, counted, epilog, fail, on_terminal, print_json
from interlock.cli._prompts import layer_options, opened, place_option
from interlock.cli._trace import Trace, visible
from interlock.engine import (
    EngineOptions,
    EngineResult,
    EngineTool,
    Limits,
    Prices,
    RunOptions,
    arun_engine,
    engine_tools,
    recorded_run,
    result_json,
)
from interlock.journal.place import open_journal
from interlock.journal.summary import find_run
from interlock.judge.base import Judge
from interlock.models.base import TextModel
from interlock.models.closing import close
from interlock.pipeline.blocking import run_blocking
from interlock.prompts import PromptPack
from interlock.questions import Json
from interlock.registry import load_pack
from interlock.settings import Settings, load_settings
from interlock.wiring import make_judge

__all__ = ["command"]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Runtime:
    model: TextModel
    judge: Judge | None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Job:
    """Everything of one run."""

    goal: str
    memory_summary: str
    modules: tuple[str, ...]
    model: str
    judge: str | None
    pack: PromptPack
    options: EngineOptions
    limits: Limits
    retries: int
    prices: Prices | None
    journal: str
    as_json: bool


@click.command(
    epilog=epilog(
        'interlock engine "When was the bridge built?" --tools tools.py --model openai:MODEL',
        OK,
        ERROR,
        USAGE,
        NOT_DELIVERED,
    )
)
@click.argument("goal", required=False)
@click.option(
    "--tools",
    "modules",
    multiple=True,
    metavar="MODULE",
    help="A module or FILE.py with functions to offer: its list TOOLS, else its __all__, or `MODULE:NAME`. Repeat it.",
)
@asking_options
@layer_options
@place_option
@click.option("--key", metavar="KEY", help="Whose run it is; labels with a share give the same key the same version.")
@click.option("--max-steps", type=click.IntRange(1), default=6, show_default=True, help="Most decisions.")
@click.option("--max-tool-calls", type=click.IntRange(0), default=3, show_default=True, help="Most calls of tools.")
@click.option("--max-tokens", type=click.IntRange(1), metavar="N", help="Most tokens, failed attempts included.")
@click.option("--max-cost-usd", metavar="USD", help="Most cost of all model calls.")
@click.option("--journal", metavar="PLACE", help="Where the run is recorded; `:memory:` keeps no record.")
@click.option(
    "--rerun", metavar="RUN", help="Run the goal of this run again, with the prompts, mode and limits it had."
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object in place of trace and answer.")
def command(*, goal: str | None, rerun: str | None, journal: str | None, as_json: bool, **given: Any) -> None:  # noqa: ANN401 -- the options above
    """Pursue GOAL: the model takes one legal action at a time, and every one is checked.

    The answer goes to standard output and the trace to standard error. A question of the model is asked at the
    terminal; without a terminal it ends the run. Tools are called without asking: name only those that may be.
    """
    settings = load_settings(directory=Path(), environ=os.environ, flags={"journal": journal})
    if (goal is None) == (rerun is None):
        fail("give a goal, or --rerun RUN, and not both", USAGE)
    common = {"journal": settings.journal, "as_json": as_json}
    job = _again(str(rerun), given, common) if goal is None else _new(goal, given, settings, common)
    try:
        result = run_blocking(partial(_run, job), name="engine", instead="arun_engine")
    except KeyboardInterrupt:
        fail(f"cancelled; what was done is on record in {settings.journal}", ERROR)
    _show(result, as_json=as_json)
    raise SystemExit(_exit_code(result))


def _new(goal: str, given: dict[str, Any], settings: Settings, common: dict[str, Any]) -> _Job:
    if not goal.strip():
        fail("goal: is empty; say what is to be reached", USAGE)
    with opened(given["place"]) as registries:
        pack = load_pack(registries, system=given["system"], role=given["role"], loop=given["loop"], key=given["key"])
    cost = given["max_cost_usd"]
    return _Job(
        goal=goal.strip(),
        memory_summary="",
        modules=given["modules"],
        model=model_id(given["model"], settings),
        judge=given["judge"],
        pack=pack,
        options=EngineOptions(mode=given["mode"], form=given["form"], deliberate=given["deliberate"]),
        limits=Limits(
            max_steps=given["max_steps"],
            max_tool_calls=given["max_tool_calls"],
            max_tokens=given["max_tokens"],
            max_cost_usd=None if cost is None else decimal_of(cost, "--max-cost-usd"),
        ),
        retries=given["retries"],
        prices=prices_of(given["prices"]),
        **common,
    )


def _again(rerun: str, given: dict[str, Any], common: dict[str, Any]) -> _Job:
    with reading(common["journal"]) as view:
        recorded = recorded_run(view, find_run(view, rerun))
    origin = recorded.origin
    model, judge = given["model"] or origin.get("model"), given["judge"] or origin.get("judge")
    modules = given["modules"] or origin.get("tools")
    if not isinstance(model, str):
        fail(f"--rerun {rerun}: the record names no text model; name one with --model", USAGE)
    return _Job(
        goal=recorded.goal,
        memory_summary=recorded.memory_summary,
        modules=tuple(str(item) for item in modules) if isinstance(modules, list | tuple) else (),
        model=model,
        judge=judge if isinstance(judge, str) else None,
        pack=recorded.pack,
        options=recorded.options,
        limits=recorded.limits,
        retries=recorded.max_retries,
        prices=prices_of(given["prices"]) or _recorded_prices(origin),
        **common,
    )


async def _run(job: _Job) -> EngineResult:
    tools = _tools(job)
    model = text_model(job.model)
    judge = None if job.judge is None else make_judge(job.judge, environ=os.environ, tools={})
    asks = on_terminal(sys.stdin) and not job.as_json
    run = RunOptions(
        limits=job.limits,
        prices=job.prices,
        max_retries=job.retries,
        handlers={ASK_USER: _ask} if asks else {},
        memory_summary=job.memory_summary,
        origin=_origin(job),
    )
    try:
        with closing(open_journal(job.journal)) as journal:
            return await arun_engine(
                job.goal,
                tools,
                runtime=_Runtime(model=model, judge=judge),
                pack=job.pack,
                options=job.options,
                run=run,
                journal=journal,
                on_event=None if job.as_json else Trace(_echo),
            )
    finally:
        await close(model, judge)


def _tools(job: _Job) -> tuple[EngineTool, ...]:
    listed = [tool for module in job.modules for tool in load_tools(module)]
    try:
        tools = engine_tools(listed, context={}, runtime=None)
        check_tools([tool.spec for tool in tools], job.options.space)
    except (TypeError, ValueError) as problem:
        fail(f"--tools: {problem}", USAGE)
    return tools


def _origin(job: _Job) -> dict[str, Json]:
    prices = job.prices
    return {
        "model": job.model,
        "judge": job.judge,
        "tools": list(job.modules),
        "prices": None if prices is None else [str(prices.input_usd_per_million), str(prices.output_usd_per_million)],
    }


def _recorded_prices(origin: Any) -> Prices | None:  # noqa: ANN401  (as recorded)
    prices = origin.get("prices")
    return prices_of((str(prices[0]), str(prices[1]))) if isinstance(prices, list) and len(prices) == 2 else None


async def _ask(question: str) -> str:
    """Return what the person at the terminal answers."""
    try:
        answer: str = click.prompt(visible(question), err=True)
    except click.Abort:
        raise KeyboardInterrupt from None
    return answer


def _show(result: EngineResult, *, as_json: bool) -> None:
    if as_json:
        print_json(result_json(result))
        return
    if result.answer is not None:
        click.echo(visible(result.answer) if on_terminal(sys.stdout) else result.answer)
    for fell in result.fell:
        _echo(f"the provider lacks the mode `{fell.mode}` ({fell.reason})")
    if not result.delivered:
        said = result.final or result.reason or "no reason given"
        _echo(f"interlock: not delivered ({result.halt}): {visible(' '.join(said.split()))}")
    _echo(f"{result.halt}: {_account(result)}")
    _echo(f"run {result.run_id}  head {result.head}")


def _account(result: EngineResult) -> str:
    used = result.used
    about = "about " if used.tokens_estimated else ""
    cost = "unknown" if used.cost_usd is None else f"{used.cost_usd:f} USD"
    counts = ((used.steps, "decision"), (used.tool_calls, "tool call"), (used.model_calls, "model call"))
    named = [counted(count, what) for count, what in counts]
    return f"{', '.join(named)}, {about}{used.tokens} tokens, cost {cost}"


def _exit_code(result: EngineResult) -> int:
    if result.halt.startswith("model:"):
        return ERROR
    return OK if result.delivered else NOT_DELIVERED


def _echo(line: str) -> None:
    click.echo(line, err=True)
