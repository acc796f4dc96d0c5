"""The outcomes of an experiment that runs in production, read from a journal.

Source: decision-engine specification, experiments.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from interlock.experiments.arms import ARMS
from interlock.experiments.outcomes import Outcome
from interlock.journal.base import JournalView
from interlock.journal.fields import flag, number, objects, optional_text, section, text, whole
from interlock.journal.records import Body, read_rows

__all__ = ["online_outcomes"]


def online_outcomes(view: JournalView, experiment: str) -> Iterator[Outcome]:
    """Yield what every recorded decision of an experiment came to; its case is the run and the step.

    Raises:
        JournalError: a row cannot be read.
    """
    for run_id in view.run_ids():
        for record in read_rows(view.rows(run_id, ["action"])):
            name, _, arm = (optional_text(record.body, "experiment") or "").rpartition("/")
            for each in ARMS:
                if name == experiment and arm == each:
                    yield _outcome(each, f"{run_id}#{whole(record.body, 'step')}", record.body)


def _outcome(arm: str, case: str, body: Body) -> Outcome:
    attempts, used = objects(body, "attempts"), section(body, "used")
    return Outcome(
        arm="A" if arm == "A" else "B",
        case=case,
        action=text(body, "action"),
        tool=optional_text(body, "tool"),
        valid_at_first=not attempts and not flag(body, "fallback"),
        valid=not flag(body, "fallback"),
        expected=None,
        expected_tool=None,
        checks=_checks(attempts),
        mode=text(body, "mode"),
        input_tokens=whole(used, "input_tokens"),
        output_tokens=whole(used, "output_tokens"),
        tokens_estimated=flag(used, "tokens_estimated"),
        cost_usd=optional_text(used, "cost_usd"),
        elapsed_s=number(body, "elapsed_s"),
    )


def _checks(attempts: Sequence[Mapping[str, object]]) -> tuple[int, ...]:
    return tuple(check for check in (attempt.get("check") for attempt in attempts) if isinstance(check, int))
