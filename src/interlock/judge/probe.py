"""Measures what a judge takes and how steady it is, by asking it.

Spends about fifty requests on made-up questions. What it cannot find out it leaves as narrow as it was.
Source: backends specification, sections 3.4 and 3.5.
"""

from __future__ import annotations

import statistics
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from interlock.judge.base import Caps, Judge, JudgeReply, Reading
from interlock.models.patience import Clock
from interlock.questions import Choice, ChoiceAnswer, Content, Noul, NoulAnswer, Question, Score

__all__ = ["SAMPLE", "SAMPLE_STATE", "Measured", "ProbeFailedError", "measured_caps", "probe"]

OPTIONS = (2, 8, 26, 50, 64, 100, 128, 255)
LEVELS = (2, 3, 5, 7, 10, 16, 32)
QUESTIONS = (1, 2, 8, 32, 64, 128, 200)
"""Sizes that are tried; between the last one taken and the first one refused the search goes on."""
TIMINGS = 7
MOVED = 0.05
"""An answer that moves more than this, and more than it moves by itself, was moved by its neighbours."""
_DOWN = frozenset({"auth", "connect", "not-found", "not-supported", "redirect", "busy"})
"""What says nothing about the size of a request; a request that takes too long is too large."""

SAMPLE_STATE: Content = {
    "ticket": "The parcel arrived with a broken lamp. The customer wants the money back and is going on holiday."
}
_NOULS: Sequence[Noul] = (
    Noul(instructions="Does the customer ask for a refund?"),
    Noul(instructions="Is something damaged?"),
    Noul(instructions="Is the customer a company?"),
    Noul(instructions="Will the customer be away soon?"),
)
SAMPLE = _NOULS[0]
_CHOICES: Sequence[Choice] = (
    Choice(
        instructions="Which team should answer?",
        criteria={"billing": "money and refunds", "shipping": "parcels on their way", "other": "anything else"},
    ),
    Choice(
        instructions="What is broken?",
        criteria={"lamp": "a lamp", "chair": "a chair", "table": "a table", "nothing": "nothing is broken"},
    ),
    Choice(
        instructions="What does the customer do next?",
        criteria={"travel": "goes away", "wait": "stays at home", "unknown": "it is not said"},
    ),
    Choice(instructions="Is the customer content?", criteria={"yes": "content", "no": "not content"}),
)
_PRIVATE = Noul(instructions="Does the customer suffer from a mental illness?")
"""A question that a judge which can refuse has reason to refuse."""

Tell = Callable[[str], object]
Taken = Callable[[int], Awaitable[bool]]


class ProbeFailedError(Exception):
    """The judge cannot be asked at all; the message is the reason of its reading."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """What was found out about one judge."""

    max_options: int
    max_levels: int
    max_questions: int
    joint_reads: bool
    moved: float
    """The most that an answer moved when it was asked with others, or in another order."""
    orders: int
    """How many choices were asked in two orders."""
    flips: int
    """How many of them were answered with another label then."""
    refusal: bool
    """True when a question was refused; false says only that none was."""
    numbers: bool
    """False when answers came without probabilities."""
    latency_ms: float
    """The median of single questions."""
    served_model: str | None
    requests: int


def measured_caps(before: Caps, measured: Measured) -> Caps:
    """Return the limits of a judge as they were measured; what cannot be measured stays."""
    return replace(
        before,
        max_options=measured.max_options,
        max_levels=measured.max_levels,
        max_questions=measured.max_questions,
        joint_reads=measured.joint_reads,
        refusal=before.refusal or measured.refusal,
    )


async def probe(judge: Judge, *, now: Clock, tell: Tell) -> Measured:
    """Return what the judge takes; `tell` is called with what is measured next.

    `judge`: without limits of its own, so that only the server's count.

    Raises:
        ProbeFailedError: it does not answer even the smallest question.
    """
    asking = _Asking(judge, now)
    tell("latency")
    latency_ms = await _latency_ms(asking)
    tell("options")
    options = await _largest(OPTIONS, lambda size: asking.takes({"q": _wide(size)}))
    tell("levels")
    levels = await _largest(LEVELS, lambda size: asking.takes({"q": _deep(size)}))
    tell("questions")
    questions = await _largest(QUESTIONS, lambda size: asking.takes(_many(size)))
    tell("neighbours")
    moved, own = await _moved(asking) if questions > 1 else (0.0, 0.0)
    tell("orders")
    orders, flips = await _flips(asking)
    tell("refusal")
    refused = (await asking.one(_PRIVATE)).kind == "refused"
    return Measured(
        max_options=options,
        max_levels=levels,
        max_questions=questions,
        joint_reads=questions < 2 or moved > max(MOVED, 3 * own),
        moved=moved,
        orders=orders,
        flips=flips,
        refusal=refused,
        numbers=asking.numbers,
        latency_ms=latency_ms,
        served_model=asking.served_model,
        requests=asking.requests,
    )


class _Asking:
    """Asks, and remembers what every reply says about the judge."""

    def __init__(self, judge: Judge, now: Clock) -> None:
        self._judge = judge
        self.now = now
        self.requests = 0
        self.numbers = True
        self.served_model: str | None = None

    async def ask(self, questions: Mapping[str, Question]) -> JudgeReply:
        self.requests += 1
        reply = await self._judge.answer(SAMPLE_STATE, questions)
        self.served_model = reply.served_model or self.served_model
        if any(reading.reason == "no-probabilities" for reading in reply.readings.values()):
            self.numbers = False
        return reply

    async def one(self, question: Question) -> Reading:
        return (await self.ask({"q": question})).readings["q"]

    async def takes(self, questions: Mapping[str, Question]) -> bool:
        """Tell whether a request of this size is answered; a server that is gone is no limit."""
        readings = (await self.ask(questions)).readings.values()
        reasons = {reading.reason for reading in readings}
        if reasons & _DOWN:
            raise ProbeFailedError(next(iter(reasons & _DOWN)))
        return all(reading.kind in ("answered", "refused", "unscored") for reading in readings)


async def _latency_ms(asking: _Asking) -> float:
    timings = []
    for at in range(TIMINGS):
        began = asking.now()
        reading = await asking.one(_NOULS[at % len(_NOULS)])
        timings.append((asking.now() - began) * 1000)
        if reading.answer is None:
            raise ProbeFailedError(reading.reason)
    return statistics.median(timings)


async def _largest(sizes: Sequence[int], taken: Taken) -> int:
    """Return the largest size that is taken, 0 when none is."""
    low, high = 0, sizes[-1] + 1
    for size in sizes:
        if not await taken(size):
            high = size
            break
        low = size
    while low and high <= sizes[-1] and high - low > 1:
        middle = (low + high) // 2
        if await taken(middle):
            low = middle
        else:
            high = middle
    return low


def _wide(size: int) -> Choice:
    """Return a choice with so many options, the answer among them."""
    fill = {f"item {at}": None for at in range(1, size)}
    return Choice(instructions="What is broken?", criteria={"lamp": "a lamp", **fill})


def _deep(size: int) -> Score:
    levels = [f"angry to a degree of {at} of {size - 1}" for at in range(size)]
    return Score(instructions="How angry is the customer?", criteria=levels)


def _many(size: int) -> dict[str, Question]:
    return {f"q{at}": Noul(instructions=f"Is the parcel number {at} broken?") for at in range(size)}


async def _moved(asking: _Asking) -> tuple[float, float]:
    """Return the most that answers move with their neighbours, and the most that they move by themselves."""
    ids = {f"q{at}": question for at, question in enumerate(_NOULS)}
    alone = {id_: await asking.one(question) for id_, question in ids.items()}
    again = {id_: await asking.one(question) for id_, question in ids.items()}
    together = (await asking.ask(ids)).readings
    turned = (await asking.ask(dict(reversed(ids.items())))).readings
    own = max(_distance(alone[id_], again[id_]) for id_ in ids)
    return max(_distance(alone[id_], other[id_]) for other in (together, turned) for id_ in ids), own


def _distance(one: Reading, other: Reading) -> float:
    """Return how far two answers lie apart; an answer that is there only once lies as far as can be."""
    if isinstance(one.answer, NoulAnswer) and isinstance(other.answer, NoulAnswer):
        return abs(one.answer.noul - other.answer.noul)
    return 0.0 if one.answer is None and other.answer is None else 1.0


async def _flips(asking: _Asking) -> tuple[int, int]:
    orders = flips = 0
    for question in _CHOICES:
        turned = replace(question, criteria=dict(reversed(list(question.criteria.items()))))
        first, second = await asking.one(question), await asking.one(turned)
        if isinstance(first.answer, ChoiceAnswer) and isinstance(second.answer, ChoiceAnswer):
            orders += 1
            flips += first.answer.choice != second.answer.choice
    return orders, flips
