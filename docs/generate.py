"""Write the parts of the pages that code knows better: help pages and tables; `--check` only compares.

A page marks such a part with `<!-- begin: NAME -->` and `<!-- end: NAME -->`; the text between is replaced.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

import click

from interlock.actions.meaning import ACTIONS, ANYWHERE, POSITIONS
from interlock.cli.main import main as interlock
from interlock.contract.codes import CODES, LINT_CODES, Code
from interlock.engine.validate import CHECKS
from interlock.functions.lint_rules import RULES
from interlock.server.site.api.endpoint import Endpoint
from interlock.server.site.api.listing import fields_of
from interlock.server.site.api.rooms import endpoints as endpoints_of
from interlock.server.site.desk import Desk
from interlock.server.site.functions import calls_of
from interlock.server.site.held_runs import HeldRuns
from interlock.server.site.runner import Runner
from interlock.server.site.watch import Watches
from interlock.settings import load_settings

__all__ = ["PARTS", "pages", "rewritten"]

REPO = Path(__file__).parents[1]
BLOCK = re.compile(r"(<!-- begin: ([a-z-]+) -->\n).*?(<!-- end: \2 -->)", re.DOTALL)


def positions() -> str:
    """Return the table of positions and the actions that each handles."""
    rows = [(f"`{name}`", ", ".join(f"`{action}`" for action in actions)) for name, actions in POSITIONS.items()]
    return _table(("position", "actions"), [*rows, ("any", ", ".join(f"`{action}`" for action in ANYWHERE))])


def actions() -> str:
    """Return the table of what follows from each action."""
    rows = [
        (
            f"`{name}`",
            ", ".join(meaning.next),
            "yes" if meaning.ends_loop else "no",
            "yes" if meaning.needs_evidence else "no",
            str(meaning.retries),
        )
        for name, meaning in ACTIONS.items()
    ]
    return _table(("action", "next", "ends the tool loop", "needs evidence", "retries"), rows)


def codes() -> str:
    """Return the table of every diagnostic code of the compiler."""
    return _codes(CODES)


def lint_codes() -> str:
    """Return the table of every code of advice."""
    return _codes(LINT_CODES)


def function_rules() -> str:
    """Return the table of the style rules for functions."""
    return _table(("rule", "says"), [(f"`{rule}`", meaning) for rule, meaning in RULES.items()])


def checks() -> str:
    """Return the table of the checks of a reply."""
    return _table(("check", "holds"), [(str(number), text) for number, text in CHECKS.items()])


def endpoints() -> str:
    """Return what each endpoint of the API does, takes and gives back."""
    return "\n\n".join(_endpoint(each) for each in _endpoints())


def verbs() -> str:
    """Return the help page of every verb, verbs below verbs included."""
    return "\n\n".join(f"### `{name}`\n\n```text\n{text}\n```" for name, text in _help_pages())


PARTS: Mapping[str, Callable[[], str]] = {
    "actions": actions,
    "checks": checks,
    "codes": codes,
    "endpoints": endpoints,
    "function-rules": function_rules,
    "lint-codes": lint_codes,
    "positions": positions,
    "verbs": verbs,
}


def pages() -> list[Path]:
    """Return every page that has a generated part."""
    found = [REPO / "README.md", *sorted((REPO / "docs").rglob("*.md")), *sorted((REPO / "spec").glob("*.md"))]
    return [page for page in found if BLOCK.search(page.read_text(encoding="utf-8"))]


def rewritten(text: str) -> str:
    """Return the page `text` with its generated parts as the code has them now."""
    return BLOCK.sub(lambda match: f"{match[1]}{PARTS[match[2]]()}\n{match[3]}", text)


def _endpoints() -> tuple[Endpoint, ...]:
    """Return all endpoints, of a server that was given nothing."""
    desk = Desk(
        journal="",
        settings=load_settings(directory=REPO / "docs", environ={}, flags={}),
        roots=(),
        judges=(),
        writers=(),
        contracts={},
        functions={},
        prompts=None,
        reports=(),
        key=None,
        hosts=frozenset(),
        clock=lambda: datetime.now(UTC),
        environ={},
    )
    return endpoints_of(desk, Runner(), Watches(desk), HeldRuns(desk), calls_of(desk))


def _endpoint(each: Endpoint) -> str:
    stream = " as server-sent events" if each.stream is not None else ""
    refusals = ", ".join(str(status) for status in each.refusals)
    head = f"### `{each.method} {each.path}`\n\n{each.says} Gives `{each.gives.__name__}`{stream}, {each.status}"
    rows = [
        (f"`{field.name}`", field.place, field.type, f"`{field.default}`" if field.default else "", field.says)
        for field in fields_of(each)
    ]
    told = f"{head}; refuses with {refusals} too." if refusals else f"{head}."
    return told if not rows else f"{told}\n\n{_table(('field', 'in', 'type', 'default', 'says'), rows)}"


def _help_pages() -> Iterator[tuple[str, str]]:
    waiting: list[tuple[click.Command, click.Context]] = [
        (interlock, click.Context(interlock, info_name="interlock", terminal_width=80, **interlock.context_settings))
    ]
    while waiting:
        command, context = waiting.pop(0)
        yield context.command_path, command.get_help(context)
        if isinstance(command, click.Group):
            for name in command.list_commands(context):
                below = command.get_command(context, name)
                if below is not None:
                    waiting.append((below, click.Context(below, info_name=name, parent=context, terminal_width=80)))


def _codes(table: Mapping[str, Code]) -> str:
    rows = [(f"`{code}`", entry.severity, entry.layer, entry.meaning) for code, entry in sorted(table.items())]
    return _table(("code", "severity", "layer", "meaning"), rows)


def _table(head: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    lines = ["| " + " | ".join(row) + " |" for row in (head, *rows)]
    return "\n".join([lines[0], "|" + "---|" * len(head), *lines[1:]])


def main(arguments: list[str]) -> int:
    """Write every page, or with `--check` name those that are out of date; return the exit code."""
    stale = []
    for page in pages():
        old = page.read_text(encoding="utf-8")
        new = rewritten(old)
        if new != old:
            stale.append(page.relative_to(REPO).as_posix())
            if "--check" not in arguments:
                page.write_text(new, encoding="utf-8")
    if "--check" in arguments and stale:
        sys.stderr.write("out of date, run `make docs`: " + ", ".join(stale) + "\n")
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
