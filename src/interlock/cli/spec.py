"""`interlock spec`: what a contract compiles to.

Source: decision-contract/v1, compile.
"""

from __future__ import annotations

from collections.abc import Iterator

import click

from interlock.cli._files import STDIN, read_text
from interlock.cli._output import ERROR, OK, SCHEMA, USAGE, epilog, print_json
from interlock.cli._report import census
from interlock.contract.compile import CheckResult, check_contract
from interlock.contract.compiled import Contract, Decision
from interlock.contract.declaration import capabilities_to_json
from interlock.contract.export import contract_to_json
from interlock.diagnostics import render
from interlock.loop.capabilities import REFERENCE
from interlock.questions import Choice, Noul, Question, Score

__all__ = ["command"]


@click.command(epilog=epilog("interlock spec DECISION.md --json", OK, ERROR, USAGE, SCHEMA))
@click.argument("file", default="DECISION.md", metavar="[FILE]")
@click.option("--json", "as_json", is_flag=True, help="Print the compiled contract as one JSON object.")
@click.option(
    "--capabilities",
    is_flag=True,
    help="Print what the reference host declares, as `interlock check --capabilities` reads it; FILE is not read.",
)
def command(*, file: str, as_json: bool, capabilities: bool) -> None:
    """Print what a contract compiles to.

    FILE is ./DECISION.md unless given; `-` reads standard input. It is compiled for the reference host.
    """
    if capabilities:
        print_json(capabilities_to_json(REFERENCE))
        return
    name = "standard input" if file == STDIN else click.format_filename(file)
    result = check_contract(read_text(file), REFERENCE)
    if result.contract is None:
        click.echo(render(result.diagnostics, name), err=True)
        raise SystemExit(SCHEMA if result.verdict == "schema" else ERROR)
    if as_json:
        summary = census(result) | {"sentence": result.sentence}
        print_json({"file": name, "summary": summary} | contract_to_json(result.contract))
    else:
        click.echo("\n".join(_page(result, result.contract)))


def _page(result: CheckResult, contract: Contract) -> Iterator[str]:
    yield f"{contract.title} ({contract.schema}, digest {contract.digest[:16]})"
    yield result.sentence
    for decision in contract.decisions.values():
        yield ""
        yield from _decision(decision)
    yield ""
    written = "none; the writer gets the host's default" if contract.generator is None else "verbatim to the writer"
    yield f"generator: {written}"


def _decision(decision: Decision) -> Iterator[str]:
    mark = ", a gate" if decision.is_gate else ""
    yield f"{decision.id}: {decision.kind} at {decision.position}{mark}"
    for name, question in decision.questions.items():
        yield f"  asks {name} ({_type(question)}): {question.instructions}"
        yield from (f"    {option}" for option in _options(question))
    if decision.dynamic is not None:
        reads = ", ".join(decision.dynamic.reads)
        yield f"  options from {decision.dynamic.provider}, which reads {reads}"
    if decision.frame is not None:
        for field in decision.frame.fields:
            shown = "" if field.projection is None else f" = {field.projection}({field.cell})"
            yield f"  sees {field.key}{shown}: {field.type}, at most {field.bound}, from {field.provenance}"
        yield f"  does not see {', '.join(item.cell for item in decision.frame.exclusions) or 'nothing else'}"
    for rule in decision.policy.rules:
        yield f"  {rule.text}"


def _type(question: Question) -> str:
    match question:
        case Noul():
            return "yes or no"
        case Choice():
            return "choice"
        case Score():
            return f"score 0 to {len(question.criteria) - 1}"


def _options(question: Question) -> Iterator[str]:
    match question:
        case Noul():
            criteria = question.criteria
            if criteria is not None:
                yield from (f"true: {criteria.true}", f"false: {criteria.false}")
        case Choice():
            yield from (f"{name}: {criterion}" for name, criterion in question.criteria.items())
        case Score():
            yield from (f"{level}: {criterion}" for level, criterion in enumerate(question.criteria))
