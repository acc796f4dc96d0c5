"""`interlock prompts ab`: two versions of one layer on the same cases, compared with honest statistics.

Source: decision-engine specification, experiments.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, cast

import click

from interlock.cli._files import read_text
from interlock.cli._model import asking_options, model_id, prices_of, text_model
from interlock.cli._output import ERROR, OK, USAGE, epilog, fail, on_terminal, print_json
from interlock.cli._prompts import layer_options, opened, place_option
from interlock.engine import EngineOptions
from interlock.experiments import (
    METRICS,
    Case,
    Experiment,
    Outcome,
    Report,
    ResultsFile,
    RunPlan,
    cases_digest,
    make_experiment,
    make_report,
    read_cases,
    report_json,
    report_page,
    report_table,
    run_offline,
)
from interlock.judge.base import Judge
from interlock.models.base import TextModel
from interlock.models.closing import close
from interlock.pipeline.blocking import run_blocking
from interlock.prompts import LAYERS, Layer, PromptPack
from interlock.questions import Json
from interlock.registry import PromptRegistry, load_pack
from interlock.settings import load_settings
from interlock.wiring import make_judge

__all__ = ["compare"]

MAX_CASES_BYTES = 64 * 1_048_576
_BAR = "interlock.cli._bar"

OnOutcome = Callable[[Outcome], object]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Runtime:
    model: TextModel
    judge: Judge | None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Job:
    """Everything of one comparison."""

    experiment: Experiment
    cases: tuple[Case, ...]
    model: str
    judge: str | None
    plan: RunPlan
    results: str | None


@click.command(
    "ab",
    epilog=epilog(
        "interlock prompts ab role:web_research@1.0 role:web_research@1.1 --cases cases.jsonl --model openai:MODEL",
        OK,
        ERROR,
        USAGE,
    ),
)
@click.argument("a", metavar="LAYER:NAME@VERSION")
@click.argument("b", metavar="LAYER:NAME@VERSION")
@click.option(
    "--cases", "cases_file", required=True, metavar="FILE", help="One JSON object with `loop` and `expect` per line."
)
@asking_options
@layer_options
@place_option
@click.option("--metric", type=click.Choice(METRICS), default=METRICS[0], show_default=True, help="What is tested.")
@click.option("--jobs", type=click.IntRange(1), default=4, show_default=True, help="Decisions at the same time.")
@click.option("--looks", type=click.IntRange(1), default=1, show_default=True, help="How often the stop rule looks.")
@click.option("--detect", type=float, default=0.1, show_default=True, help="The difference that would matter.")
@click.option("--results", metavar="FILE", help="Keep every outcome here; a run that was cut off goes on from it.")
@click.option("--html", metavar="FILE", help="Write a page with plots that needs no network.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object in place of the table.")
def compare(*, a: str, b: str, cases_file: str, as_json: bool, html: str | None, **given: Any) -> None:  # noqa: ANN401 -- the options above
    """Compare two versions of one layer on the same cases.

    A and B name the same layer, such as `role:coder@1.0`; the other layers are those of the options, the same for
    both. The result is a difference, or that none was shown; both end with 0.
    """
    job = _job(a, b, cases_file, given)
    _check_page(html)
    try:
        outcomes = run_blocking(partial(_run, job), name="prompts ab", instead="run_offline")
    except KeyboardInterrupt:
        kept = (
            "nothing was kept; name a file with --results"
            if job.results is None
            else f"{job.results} goes on from here"
        )
        fail(f"cancelled; {kept}", ERROR)
    report = make_report(
        job.experiment,
        outcomes,
        planned=len(job.cases),
        metric=job.plan.metric,
        looks=job.plan.looks,
        detect=given["detect"],
    )
    _show(report, as_json=as_json, html=html)


def _job(a: str, b: str, cases_file: str, given: Mapping[str, Any]) -> _Job:
    settings = load_settings(directory=Path(), environ=os.environ)
    if not 0 < given["detect"] < 1:
        fail("--detect: is a part of one, such as 0.1", USAGE)
    (layer, first), (layer_of_b, second) = _layer_of(a), _layer_of(b)
    if layer != layer_of_b:
        fail(f"{a} and {b}: are different layers; let one layer differ", USAGE)
    with opened(given["place"]) as registries:
        packs = [_pack(registries, given, layer, ref) for ref in (first, second)]
    name = f"{packs[0].refs()[layer]} against {packs[1].refs()[layer]}"
    return _Job(
        experiment=make_experiment(name, *packs),
        cases=read_cases(read_text(cases_file, max_bytes=MAX_CASES_BYTES), cases_file),
        model=model_id(given["model"], settings),
        judge=given["judge"],
        plan=RunPlan(
            options=EngineOptions(mode=given["mode"], form=given["form"], deliberate=given["deliberate"]),
            max_retries=given["retries"],
            prices=prices_of(given["prices"]),
            jobs=given["jobs"],
            metric=given["metric"],
            looks=given["looks"],
        ),
        results=given["results"],
    )


def _layer_of(text: str) -> tuple[Layer, str]:
    before, _, ref = text.partition(":")
    layer = next((layer for layer in LAYERS if layer == before), None)
    if layer is None or not ref:
        fail(f"{text}: write LAYER:NAME@VERSION, LAYER being {', '.join(LAYERS)}", USAGE)
    return layer, ref


def _pack(registries: tuple[PromptRegistry, ...], given: Mapping[str, Any], layer: Layer, ref: str) -> PromptPack:
    named = {each: given[each] for each in LAYERS} | {layer: ref}
    return load_pack(registries, system=named["system"], role=named["role"], loop=named["loop"])


async def _run(job: _Job) -> tuple[Outcome, ...]:
    model = text_model(job.model)
    judge = None if job.judge is None else make_judge(job.judge, environ=os.environ, tools={})
    results = None if job.results is None else ResultsFile(Path(job.results), _header(job))
    done = () if results is None else results.outcomes
    try:
        with _bar(2 * len(job.cases), len(done)) as advance:

            def keep(outcome: Outcome) -> None:
                advance()
                if results is not None:
                    results.add(outcome)

            runtime = _Runtime(model=model, judge=judge)
            return await run_offline(job.experiment, job.cases, runtime, plan=job.plan, done=done, on_outcome=keep)
    finally:
        if results is not None:
            results.close()
        await close(model, judge)


def _header(job: _Job) -> Mapping[str, Json]:
    """Return what tells one comparison from another."""
    digests: dict[str, Json] = {
        arm: {str(layer): ref.digest for layer, ref in pack.refs().items()}
        for arm, pack in job.experiment.packs.items()
    }
    options = job.plan.options
    return {
        "name": job.experiment.name,
        "layers": digests,
        "cases": cases_digest(job.cases),
        "model": job.model,
        "judge": job.judge,
        "mode": options.mode,
        "form": options.form,
        "deliberate": options.deliberate,
        "retries": job.plan.max_retries,
    }


@contextmanager
def _bar(total: int, done: int) -> Iterator[Callable[[], object]]:
    """Yield what moves the progress bar; the library that draws it is loaded only for a person at a terminal."""
    if not on_terminal(sys.stderr):
        yield lambda: None
        return
    with cast("Any", import_module(_BAR)).bar(total, done) as advance:
        yield advance


def _check_page(html: str | None) -> None:
    """End the program before anything is paid for when the page could not be written."""
    if html is not None and Path(html).is_dir():
        fail(f"--html {html}: is a directory; name a file", USAGE)
    if html is not None and not Path(html).parent.is_dir():
        fail(f"--html {html}: there is no directory `{Path(html).parent}`", USAGE)


def _show(report: Report, *, as_json: bool, html: str | None) -> None:
    if as_json:
        print_json(report_json(report))
    else:
        click.echo(report_table(report))
    if html is not None:
        Path(html).write_text(report_page(report), encoding="utf-8")
        click.echo(f"interlock: {click.format_filename(html)}: written", err=True)
