"""`interlock approvals`: what waits for a person, and a person's answer, from any process.

Source: journal and safety specification, approvals.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime

import click

from interlock._canonical import compact_json
from interlock._text import clip
from interlock.cli._group import VerbGroup
from interlock.cli._journal import reading, writing
from interlock.cli._output import ERROR, OK, USAGE, epilog, fail, print_json
from interlock.cli._result import in_journal
from interlock.cli._trace import visible
from interlock.errors import JournalError
from interlock.journal.approval_checks import require_answerable, require_intact
from interlock.journal.approval_desk import approve as give
from interlock.journal.approval_desk import deny as refuse
from interlock.journal.approval_desk import every_approval, is_open
from interlock.journal.approvals import Answer, Approval, find_approval
from interlock.loop.approval import request_of
from interlock.loop.approval_shown import shown_request
from interlock.questions import Json

__all__ = ["command"]

_JOURNAL = click.option("--journal", "place", metavar="PLACE", help="The journal; the settings name one.")


@click.group(cls=VerbGroup)
def command() -> None:
    """List, show and answer the calls that wait for a person.

    ID is what `list` prints, or the beginning of it. One answer covers one call, once; nothing answers several.
    """


@command.command("list", epilog=epilog("interlock approvals list", OK, ERROR, USAGE))
@click.option("--all", "every", is_flag=True, help="Also those that are used, expired or replaced.")
@_JOURNAL
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object: `approvals`, oldest first.")
def list_approvals(every: bool, place: str | None, as_json: bool) -> None:
    """List what waits for an answer, and what is answered and waits for `interlock runs resume`."""
    now = datetime.now(UTC)
    with reading(place, may_be_missing=True) as view:
        found = [one for one in every_approval(view, unread=_say_unread) if every or is_open(one, now)]
    if as_json:
        print_json({"approvals": [_json(one, now) for one in found]})
        return
    if not found:
        click.echo("nothing waits for approval")
    for one in found:
        call = one.bound.call
        what = clip(" ".join(visible(f"{call.tool} {call.input}").split()), 60)
        click.echo(f"{one.id[:16]}  {one.state(now):<9} until {visible(one.expires)[:16]}Z  {what}  run {one.run_id}")


@command.command(epilog=epilog("interlock approvals show 3f9a1c", OK, ERROR, USAGE))
@click.argument("id_", metavar="ID")
@_JOURNAL
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object: the approval with all it is bound to.")
def show(id_: str, place: str | None, as_json: bool) -> None:
    """Show one call with everything that an approval of it is tied to, nothing left out."""
    now = datetime.now(UTC)
    with reading(place) as view:
        one = find_approval(view, id_.strip().lower())
    if as_json:
        print_json(_json(one, now))
        return
    for name, value in _facts(one, now):
        click.echo(f"{name:<10} {visible(value)}")
    click.echo("input")
    for line in visible(one.bound.call.input).split("\n"):
        click.echo(f"  {line}")


def _answer_options(function: Callable[..., None]) -> Callable[..., None]:
    """Add what both answers are given with."""
    for option in reversed(_ANSWER_OPTIONS):
        function = option(function)
    return function


_ANSWER_OPTIONS = (
    click.argument("id_", metavar="ID"),
    click.option("--by", required=True, metavar="NAME", help="Who answers; it goes on record."),
    click.option("--note", metavar="TEXT", help="Why; it goes on record."),
    _JOURNAL,
    click.option("--json", "as_json", is_flag=True, help="Print one JSON object: `approval`, and how to go on."),
)


@command.command(epilog=epilog("interlock approvals approve 3f9a1c --by ada", OK, ERROR, USAGE))
@_answer_options
def approve(id_: str, by: str, note: str | None, place: str | None, as_json: bool) -> None:
    """Let one call run, once, as it is shown. Nothing runs here: `interlock runs resume` makes the call."""
    _answer(id_, approved=True, by=by, note=note, place=place, as_json=as_json)


@command.command(epilog=epilog('interlock approvals deny 3f9a1c --by ada --note "wrong file"', OK, ERROR, USAGE))
@_answer_options
def deny(id_: str, by: str, note: str | None, place: str | None, as_json: bool) -> None:
    """Refuse one call; the resumed run ends its steps there and says so."""
    _answer(id_, approved=False, by=by, note=note, place=place, as_json=as_json)


def _answer(id_: str, *, approved: bool, by: str, note: str | None, place: str | None, as_json: bool) -> None:
    name = by.strip()
    if not name:
        fail("--by: is empty; say who answers", USAGE)
    with writing(place, must_exist=True) as store:
        with store.snapshot() as view:
            one = find_approval(view, id_.strip().lower())
            require_intact(view, one.run_id)
        require_answerable(one, datetime.now(UTC))
        shown = None
        if not as_json:
            shown = shown_request(request_of(one))
            click.echo(shown)
        answered = (give if approved else refuse)(store, one.id, by=name, note=note, saw=shown)
    go_on = f"interlock runs resume {one.run_id}{in_journal(place)}"
    if as_json:
        print_json({"approval": _json(answered, datetime.now(UTC)), "resume": go_on})
        return
    verdict = "approved" if approved else "denied"
    click.echo(f"{verdict} by {visible(name)}; the run goes on with: {go_on}")


def _say_unread(problem: JournalError) -> None:
    click.echo(f"interlock: {visible(str(problem))}", err=True)


def _facts(one: Approval, now: datetime) -> Iterator[tuple[str, str]]:
    request = request_of(one)
    yield "approval", one.id
    yield "state", one.state(now)
    yield "run", f"{one.run_id} step {request.step}"
    yield "tool", request.tool
    yield "directory", request.cwd
    yield "arguments", compact_json(request.arguments)
    yield "because", request.reason or "the policy asks"
    yield "asked", one.asked
    yield "expires", one.expires
    yield "binding", one.binding
    if one.answer is not None:
        yield "answered", _said(one.answer)
    if one.used is not None:
        yield "used", f"by record {one.used} at {one.used_at}"
    if one.replaced_by is not None:
        yield "replaced", f"by {one.replaced_by}"


def _said(answer: Answer) -> str:
    verdict = "approved" if answer.approved else "denied"
    note = "" if answer.note is None else f": {answer.note}"
    return f"{verdict} by {answer.by} at {answer.at}{note}"


def _json(one: Approval, now: datetime) -> dict[str, Json]:
    call, answer = one.bound.call, one.answer
    said: dict[str, Json] | None = None
    if answer is not None:
        said = {"approved": answer.approved, "by": answer.by, "note": answer.note, "at": answer.at, "saw": answer.saw}
    return {
        "id": one.id,
        "state": one.state(now),
        "run_id": one.run_id,
        "step": call.step,
        "tool": call.tool,
        "input": call.input,
        "arguments": dict(call.arguments),
        "base_risk": one.base_risk,
        "cwd": one.bound.cwd,
        "reason": one.reason,
        "judgement": None if one.judgement is None else dict(one.judgement),
        "asked": one.asked,
        "expires": one.expires,
        "binding": one.binding,
        "contract_digest": one.bound.contract_digest,
        "frame_digest": one.bound.frame_digest,
        "answer": said,
        "used": one.used,
        "used_at": one.used_at,
        "replaced_by": one.replaced_by,
    }
