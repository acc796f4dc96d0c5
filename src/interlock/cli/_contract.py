"""The contract that a command line names, compiled for one host; findings are printed like a compiler's."""

from __future__ import annotations

from collections.abc import Mapping

import click

from interlock.cli._files import read_text
from interlock.cli._output import ERROR, SCHEMA, USAGE
from interlock.contract.capabilities import Capabilities
from interlock.contract.compile import compile_contract
from interlock.contract.compiled import Contract
from interlock.diagnostics import Diagnostic, render
from interlock.errors import ContractError, SchemaVersionError
from interlock.loop.capabilities import REFERENCE
from interlock.loop.reference import shipped_text

__all__ = ["load_contract"]


def load_contract(file: str | None, gates: Mapping[str, float], *, capabilities: Capabilities = REFERENCE) -> Contract:
    """Return the contract in `file`, or the shipped one, with the thresholds in `gates` set.

    Ends the program when the file cannot be read or does not compile.
    """
    text = shipped_text() if file is None else read_text(file)
    try:
        return compile_contract(text, capabilities, overrides=gates)
    except ContractError as problem:
        errors = [found for found in problem.diagnostics if found.severity == "error"]
        shown = errors if file is None else problem.diagnostics
        click.echo(render(shown, file or "the shipped contract"), err=True)
        raise SystemExit(_code(problem, text, capabilities, gates)) from problem


def _code(problem: ContractError[Diagnostic], text: str, capabilities: Capabilities, gates: Mapping[str, float]) -> int:
    """Return the exit code of findings; those that the thresholds brought in are not the contract's."""
    if isinstance(problem, SchemaVersionError):
        return SCHEMA
    if not gates:
        return ERROR
    try:
        compile_contract(text, capabilities)
    except ContractError:
        return ERROR
    return USAGE
