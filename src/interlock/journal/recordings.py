"""What judges were asked and replied in the runs of a journal, to be replied again.

Knows nothing of the judge that will.
"""

from __future__ import annotations

from interlock.journal.decision_read import read_decision
from interlock.journal.place import read_journal
from interlock.journal.records import decode_body
from interlock.judge.recording import Recorded
from interlock.pipeline.readings import judge_ids
from interlock.pipeline.result import DecisionResult

__all__ = ["recorded_requests"]


def recorded_requests(place: str) -> list[Recorded]:
    """Return every request to a judge, runs from the oldest, each in its own order.

    Raises:
        JournalError: there is no journal at this place, or a decision in it cannot be read.
    """
    found: list[Recorded] = []
    with read_journal(place) as journal:
        for run_id in journal.run_ids():
            for row in journal.rows(run_id, ("decision",)):
                recorded = _recorded(read_decision(decode_body(row.body)).result)
                if recorded is not None:
                    found.append(recorded)
    return found


def _recorded(result: DecisionResult) -> Recorded | None:
    if result.reply is None or result.frame is None:
        return None
    ids = judge_ids(result.decision, result.questions)
    return Recorded(
        frame_state=result.frame.sent,
        questions={ids[name]: question for name, question in result.questions.items()},
        reply=result.reply,
    )
