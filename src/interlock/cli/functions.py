"""`interlock functions`: what functions say about themselves, and whether they say it well.

Source: next-step specification, sections 15 and 17.
"""

from __future__ import annotations

import importlib
import inspect
import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

import click

from interlock.cli._files import STDIN, read_text
from interlock.cli._findings import FileFindings, counts, diagnostic_json, github, sarif, tally
from interlock.cli._group import VerbGroup
from interlock.cli._output import ERROR, OK, USAGE, epilog, fail, print_json
from interlock.diagnostics import render
from interlock.functions import FormField, describe, form_model, lint, tool_spec
from interlock.functions.lint_rules import RULES
from interlock.menu import read_options, render_menu

__all__ = ["command"]


@click.group(cls=VerbGroup)
def command() -> None:
    """Check and show the functions that a model is offered."""


@command.command("lint", epilog=epilog("interlock functions lint agents.py --format github", OK, ERROR, USAGE))
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json", "sarif", "github"]),
    default="text",
    show_default=True,
    help="Form of the findings.",
)
@click.option("--json", "as_json", is_flag=True, help="The same as --format json.")
def lint_command(*, files: tuple[str, ...], form: str, as_json: bool) -> None:
    """Check the style of Agent methods and of functions with `input_meta`.

    FILE is a Python file, which is read and never imported; `-` reads standard input. Every finding has a place, a
    rule and, where there is one, a fix. Warnings do not change the exit code.
    """
    found = [FileFindings(file=_shown(file), diagnostics=lint(read_text(file))) for file in files]
    click.echo(_FORMATS["json" if as_json else form](found))
    raise SystemExit(ERROR if any(item.severity == "error" for each in found for item in each.diagnostics) else OK)


@command.command("show", epilog=epilog("interlock functions show shop.tools:refund", OK, ERROR, USAGE))
@click.argument("function", metavar="MODULE:FUNCTION")
@click.option("--json", "as_json", is_flag=True, help="Print menu, tool spec and form as one JSON object.")
def show_command(*, function: str, as_json: bool) -> None:
    """Show what a model and a person are shown of a function.

    MODULE is imported; FUNCTION may be `agent.method`, or `Class.method` of an Agent class that takes no arguments.
    """
    fn = _imported(function)
    try:
        name, form, spec = describe(fn).name, form_model(fn), tool_spec(fn)
        menu = render_menu(read_options({name: fn}))
    except TypeError as problem:
        fail(f"{function}: {problem}", ERROR)
    if as_json:
        fields = [
            {key: value for key, value in _field_json(field).items() if value is not None} for field in form.fields
        ]
        print_json({"menu": menu, "spec": spec, "form": fields})
    else:
        click.echo("\n".join(["menu:", *_indented(menu), "form:", *map(_field_line, form.fields)]))


def _shown(file: str) -> str:
    return "standard input" if file == STDIN else click.format_filename(file)


def _text(found: Sequence[FileFindings]) -> str:
    lines = [render(each.diagnostics, each.file) for each in found if each.diagnostics]
    everything = [item for each in found for item in each.diagnostics]
    return "\n".join([*lines, tally(everything)])


def _json(found: Sequence[FileFindings]) -> str:
    whole = {
        "summary": counts([item for each in found for item in each.diagnostics]),
        "files": [
            {"file": each.file, "diagnostics": [diagnostic_json(item) for item in each.diagnostics]} for each in found
        ],
    }
    return json.dumps(whole, ensure_ascii=False, indent=2)


def _sarif(found: Sequence[FileFindings]) -> str:
    return sarif(found, RULES)


_FORMATS: Mapping[str, Callable[[Sequence[FileFindings]], str]] = {
    "text": _text,
    "json": _json,
    "sarif": _sarif,
    "github": github,
}


def _imported(place: str) -> Callable[..., Any]:
    """Return the function that `MODULE:FUNCTION` names; the working directory is searched first.

    Ends the program when there is none.
    """
    module_name, _, path = place.partition(":")
    if not module_name or not path:
        fail(f"`{place}` is no function; write MODULE:FUNCTION", USAGE)
    sys.path.insert(0, str(Path.cwd()))
    try:
        found: Any = importlib.import_module(module_name)
        for name in path.split("."):
            found = getattr(found() if inspect.isclass(found) else found, name)
    except (ImportError, AttributeError, TypeError) as problem:
        fail(f"`{place}` cannot be imported: {problem}", USAGE)
    finally:
        sys.path.remove(str(Path.cwd()))
    if not callable(found):
        fail(f"`{place}` is not a function", USAGE)
    return cast("Callable[..., Any]", found)


def _indented(text: str) -> list[str]:
    return [f"  {line}" for line in text.splitlines()]


def _field_json(field: FormField) -> dict[str, object]:
    return {
        "name": field.name,
        "label": field.label,
        "control": field.control,
        "chips": list(field.chips) or None,
        "takes_other": field.takes_other or None,
        "placeholder": field.placeholder,
        "tab_text": field.tab_text,
        "toggled": field.toggled,
    }


def _field_line(field: FormField) -> str:
    return f"  {field.label}: {', '.join(_field_words(field))}"


def _field_words(field: FormField) -> Iterator[str]:
    yield field.control
    yield from (f"`{chip}`" for chip in field.chips)
    if field.takes_other:
        yield "or other text"
    if field.placeholder is not None:
        yield f"shows `{field.placeholder}`"
