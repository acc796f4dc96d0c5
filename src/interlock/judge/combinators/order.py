"""Asks a choice in several orders of its options; a pick that depends on the order is no answer.

Source: backends specification, section 6.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

from interlock.judge.base import Caps, Failure, Judge, JudgeReply, QuestionId, Reading
from interlock.judge.merge import merge
from interlock.judge.options import OrderMode
from interlock.judge.readings import Identity, digest_of, same_reading
from interlock.models.closing import close
from interlock.models.patience import Clock
from interlock.questions import Choice, ChoiceAnswer, Content, Question

__all__ = ["OrderBalanced", "orderings"]

MOST_ORDERINGS = 4


def orderings(options: int, mode: OrderMode) -> tuple[tuple[int, ...], ...]:
    """Return the orders to ask in, the given one first, each a permutation of the positions.

    `balanced`: at most four rows of a Williams design, spread over it, so that options meet other neighbours on
    either side; with an odd number of options, rows and their mirror images.
    """
    given = tuple(range(options))
    if mode == "as_given" or options < 2:
        return (given,)
    if mode == "reversed_check":
        return given, given[::-1]
    if options % 2:
        rows = [_williams(options, shift) for shift in (0, options // 2)]
        return tuple(order for row in rows for order in (row, row[::-1]))
    count = min(options, MOST_ORDERINGS)
    return tuple(_williams(options, row * options // count) for row in range(count))


class OrderBalanced:
    """Averages the probabilities of a choice over its orders; anything but a choice is asked once."""

    def __init__(self, inner: Judge, *, identity: Identity, mode: OrderMode, now: Clock) -> None:
        self._inner = inner
        self._identity = identity
        self._mode = mode
        self._now = now

    @property
    def caps(self) -> Caps:
        """What one request may hold."""
        return self._inner.caps

    async def answer(self, frame_state: Content, questions: Mapping[QuestionId, Question]) -> JudgeReply:
        """Return one reading per question; `unscored/order-flip` where two orders picked different labels."""
        began = self._now()
        asked = [dict(questions), *self._reordered(questions)]
        async with asyncio.TaskGroup() as group:
            calls = [group.create_task(self._inner.answer(frame_state, request)) for request in asked]
        replies = [call.result() for call in calls]
        readings = {
            id_: _agreed(question, [reply.readings[id_] for reply in replies if id_ in reply.readings])
            for id_, question in questions.items()
        }
        failure = replies[0].failure
        if len({reply.served_model for reply in replies if reply.served_model is not None}) > 1:
            failure = Failure(reason="model-split")
            readings = same_reading(questions, failure.reason, self._identity.judge)
        merged = merge(
            replies,
            readings,
            failure=failure,
            request_digest=digest_of(self._identity, frame_state, questions),
            elapsed_s=self._now() - began,
        )
        return replace(merged, readout=self._identity.readout)

    async def aclose(self) -> None:
        """Close the judge inside."""
        await close(self._inner)

    def _reordered(self, questions: Mapping[QuestionId, Question]) -> list[dict[QuestionId, Question]]:
        """Return the further requests: each holds the choices that have so many orders."""
        choices = {id_: asked for id_, asked in questions.items() if isinstance(asked, Choice)}
        orders = {id_: orderings(len(asked.criteria), self._mode)[1:] for id_, asked in choices.items()}
        most = max((len(rows) for rows in orders.values()), default=0)
        return [
            {id_: _in_order(choices[id_], rows[at]) for id_, rows in orders.items() if at < len(rows)}
            for at in range(most)
        ]


def _williams(options: int, shift: int) -> tuple[int, ...]:
    """Return one row of the square; the row with shift 0 is put in the given order."""
    zigzag = [(at + 1) // 2 if at % 2 else -(at // 2) for at in range(options)]
    first = [step % options for step in zigzag]
    name = {position: at for at, position in enumerate(first)}
    return tuple(name[(position + shift) % options] for position in first)


def _in_order(question: Choice, order: Sequence[int]) -> Choice:
    pairs = list(question.criteria.items())
    return replace(question, criteria=dict(pairs[at] for at in order))


def _agreed(question: Question, readings: Sequence[Reading]) -> Reading:
    """Return the one reading that several orders amount to."""
    if len(readings) == 1 or not isinstance(question, Choice):
        return readings[0]
    unanswered = next((reading for reading in readings if reading.kind != "answered"), None)
    if unanswered is not None:
        return unanswered
    answers = [reading.answer for reading in readings if isinstance(reading.answer, ChoiceAnswer)]
    if len({answer.choice for answer in answers}) > 1:
        return same_reading(["q"], "order-flip", readings[0].judge)["q"]
    return replace(
        readings[0], answer=_averaged(question, answers), degraded=any(reading.degraded for reading in readings)
    )


def _averaged(question: Choice, answers: Sequence[ChoiceAnswer]) -> ChoiceAnswer:
    spreads = [answer.probabilities or {} for answer in answers]
    masses = [answer.option_mass for answer in answers if answer.option_mass is not None]
    return ChoiceAnswer(
        choice=answers[0].choice,
        probabilities={label: _mean([spread[label] for spread in spreads]) for label in question.criteria},
        basis=answers[0].basis,
        option_mass=_mean(masses) if len(masses) == len(answers) else None,
    )


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)
