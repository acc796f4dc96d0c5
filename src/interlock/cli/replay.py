"""`interlock replay`: what recorded decisions come to under another contract or other thresholds; no judge is asked.

Source: journal and safety specification, replay.
"""

from __future__ import annotations

import click

from interlock.cli._capabilities import host_capabilities
from interlock.cli._contract import load_contract
from interlock.cli._journal import reading
from interlock.cli._output import ERROR, OK, SCHEMA, USAGE, epilog, print_json
from interlock.cli._replay import named_records, show_report
from interlock.journal.basis import Bases
from interlock.journal.replay import redecide
from interlock.journal.replay_report import report, report_json
from interlock.policy.overrides import parse_override

__all__ = ["command"]


@click.command(epilog=epilog("interlock replay last --gate step_ok=0.7", OK, ERROR, USAGE, SCHEMA))
@click.argument("runs", nargs=-1, metavar="[RUN]...")
@click.option("--contract", metavar="FILE", help="The contract to decide under; each run's own unless given.")
@click.option("--gate", "gates", multiple=True, metavar="KEY=N", help="Set a threshold, such as `step_ok=0.7`.")
@click.option(
    "--capabilities", metavar="FILE", help="JSON of the host that the runs had; the reference host unless given."
)
@click.option(
    "--fail-on-change", is_flag=True, help="End with exit code 1 when an action changes or a decision is gone."
)
@click.option("--journal", "place", metavar="PLACE", help="The journal to read; the settings name one.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object: counts, changes, and what is missing.")
def command(
    *,
    runs: tuple[str, ...],
    contract: str | None,
    gates: tuple[str, ...],
    capabilities: str | None,
    fail_on_change: bool,
    place: str | None,
    as_json: bool,
) -> None:
    """Decide recorded decisions again, under another contract or thresholds.

    Reads each RUN, or every run of the journal when none is named. No judge is asked: where the question and
    what was seen are the same, the recorded answers are read by the new policy; where they are not, the record
    is listed as in need of a fresh judgement, with what that would cost. Verify a journal before you rely on it:
    `interlock verify`.
    """
    thresholds = dict(map(parse_override, gates))
    host = host_capabilities(capabilities)
    compiled = None if contract is None else load_contract(contract, thresholds, capabilities=host)
    bases = Bases(host, contract=compiled, gates=thresholds)
    with reading(place) as view:
        told = report(redecide(named_records(view, runs), bases))
        journal = view.place
    if as_json:
        digest = None if compiled is None else compiled.digest
        print_json({"journal": journal, "contract_digest": digest, "gates": thresholds, **report_json(told)})
    else:
        show_report(told)
    raise SystemExit(ERROR if fail_on_change and told.changed else OK)
