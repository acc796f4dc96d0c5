"""`interlock prompts`: list, show and compare versions of prompts, publish new ones, and move labels.

Source: decision-engine specification, versions and registry.
"""

from __future__ import annotations

from collections.abc import Sequence

import click

from interlock.cli._files import read_text
from interlock.cli._group import VerbGroup
from interlock.cli._output import ERROR, OK, USAGE, epilog, fail, print_json
from interlock.cli._prompts import opened, own_registry, place_option
from interlock.cli._trace import visible
from interlock.cli.prompts_ab import compare
from interlock.prompts import LAYERS, Layer
from interlock.registry import (
    PRODUCTION,
    Change,
    Entry,
    FileRegistry,
    Label,
    PromptRegistry,
    diff_prompts,
    find_prompt,
    parse_ref,
)
from interlock.registry.ledger import change_json

__all__ = ["command"]


@click.group(cls=VerbGroup)
def command() -> None:
    """List, show and compare versions of prompts, publish new ones, and move labels.

    A prompt is one layer: system, role or loop. It is named NAME, NAME@VERSION or NAME@LABEL; without either, the
    label `production` is meant. What was published never changes.
    """


command.add_command(compare)


@command.command("list", epilog=epilog("interlock prompts list", OK, ERROR, USAGE))
@place_option
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object: `registries`, each with its prompts.")
def list_prompts(place: str | None, as_json: bool) -> None:
    """List every prompt with its versions and labels."""
    with opened(place) as registries:
        if as_json:
            print_json({"registries": [_registry_json(registry) for registry in registries]})
            return
        for registry in registries:
            entries = sorted(registry.index().entries.items())
            click.echo(f"{registry.place}:")
            for name, entry in entries:
                click.echo(f"  {entry.layer:<6}  {name:<20}  {', '.join(entry.versions)}  {_labels(entry)}".rstrip())
            for path in _unpublished(registry):
                click.echo(f"  {visible(path)} is not published")


@command.command(epilog=epilog("interlock prompts show decision_engine@1.1", OK, ERROR, USAGE))
@click.argument("prompt", metavar="NAME[@VERSION]")
@place_option
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object: name, version, layer, digest, text.")
def show(prompt: str, place: str | None, as_json: bool) -> None:
    """Print the text of a prompt, character for character."""
    with opened(place) as registries:
        found = find_prompt(registries, prompt)
    if as_json:
        ref = found.ref()
        print_json(
            {
                "name": found.name,
                "version": found.version,
                "layer": found.layer,
                "digest": ref.digest,
                "text": found.text,
            }
        )
        return
    click.echo(found.text, nl=not found.text.endswith("\n"))


@command.command(epilog=epilog("interlock prompts diff decision_engine@1.0 decision_engine@1.1", OK, ERROR, USAGE))
@click.argument("old", metavar="NAME@VERSION")
@click.argument("new", metavar="NAME@VERSION")
@place_option
def diff(old: str, new: str, place: str | None) -> None:
    """Print what differs between two versions, line by line; nothing when they are equal."""
    with opened(place) as registries:
        lines = list(diff_prompts(find_prompt(registries, old), find_prompt(registries, new)))
    for line in lines:
        click.echo(line)


@command.command(epilog=epilog("interlock prompts history web_research", OK, ERROR, USAGE))
@click.argument("name")
@place_option
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object: `history`, oldest first.")
def history(name: str, place: str | None, as_json: bool) -> None:
    """Print every publication, move and rollback of a prompt, oldest first."""
    with opened(place) as registries:
        found = next((registry for registry in registries if name in registry.index().entries), registries[0])
        found.index().entry(name)
        changes = [change for change in found.index().history if change.name == name]
    if as_json:
        print_json({"registry": found.place, "history": [change_json(change) for change in changes]})
        return
    for change in changes:
        click.echo(f"{change.at}  {_change(change)}  {change.digest[:16]}")


@command.command(
    epilog=epilog("interlock prompts publish web_research@1.1 --label canary --share 10", OK, ERROR, USAGE)
)
@click.argument("prompt", metavar="NAME@VERSION")
@place_option
@click.option(
    "--file", metavar="FILE", help="The text; a directory registry reads LAYER/NAME_vVERSION.txt unless given."
)
@click.option("--layer", type=click.Choice(LAYERS), help="Which layer a new name is.")
@click.option("--label", metavar="LABEL", help="Let this label point to the version, such as `production` or `canary`.")
@click.option(
    "--share", type=click.FloatRange(0, 100), metavar="PERCENT", help="For how many of all keys; needs --label."
)
def publish(
    *, prompt: str, place: str | None, file: str | None, layer: Layer | None, label: str | None, share: float | None
) -> None:
    """Publish a version, or let a label point to a published one.

    A version that was published with another text is refused: give it a new number. With --share, the label takes
    that part of the keys that ask for another label; the same key always gets the same version.
    """
    wanted = parse_ref(prompt)
    if "@" not in prompt:
        fail(f"{prompt}: say which version, as {prompt}@1.0", USAGE)
    if share is not None and label is None:
        fail("--share: needs --label", USAGE)
    text = None if file is None else read_text(file)
    with own_registry(place) as registry:
        changes = registry.publish(wanted.name, wanted.which, text=text, layer=layer, label=label, share=share)
    for change in changes:
        click.echo(_change(change))
    if not changes:
        click.echo(f"{prompt} is published already, with this text")


@command.command(epilog=epilog("interlock prompts rollback web_research", OK, ERROR, USAGE))
@click.argument("name")
@place_option
@click.option("--label", default=PRODUCTION, show_default=True, metavar="LABEL", help="The label to move.")
def rollback(name: str, place: str | None, label: str) -> None:
    """Let a label of a prompt point where it pointed before, to the same text as then."""
    with own_registry(place) as registry:
        change = registry.rollback(name, label)
    click.echo(_change(change))


def _change(change: Change) -> str:
    if change.act == "publish":
        return f"published {change.name}@{change.version}"
    verb = "rolled back" if change.act == "rollback" else "moved"
    share = "" if change.share is None else f" for {change.share:g} % of the keys"
    return f"{verb} {change.label} of {change.name} to {change.version}{share}"


def _labels(entry: Entry) -> str:
    return "  ".join(_label(name, label) for name, label in sorted(entry.current().items()))


def _label(name: str, label: Label) -> str:
    share = "" if label.share is None else f" ({label.share:g} %)"
    return f"{name} → {label.version}{share}"


def _unpublished(registry: PromptRegistry) -> Sequence[str]:
    return registry.unpublished() if isinstance(registry, FileRegistry) else ()


def _registry_json(registry: PromptRegistry) -> dict[str, object]:
    return {
        "place": registry.place,
        "prompts": {
            name: {
                "layer": entry.layer,
                "versions": dict(entry.versions),
                "labels": {
                    label: {"version": to.version, "share": to.share} for label, to in sorted(entry.current().items())
                },
            }
            for name, entry in sorted(registry.index().entries.items())
        },
        "unpublished": list(_unpublished(registry)),
    }
