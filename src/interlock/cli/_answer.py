"""One answer as text and as JSON, with the numbers read from it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import assert_never

from interlock.cli._trace import visible
from interlock.judge.base import JudgeReply, Reading
from interlock.judge.offered import offered
from interlock.questions import (
    Answer,
    ChoiceAnswer,
    Json,
    NoulAnswer,
    Question,
    ScoreAnswer,
    as_json,
    confidence,
    lead,
    level,
    top,
)

__all__ = ["answer_json", "answer_text"]


def answer_text(id_: str, question: Question, reply: JudgeReply) -> str:
    """Return the answer on the first line, then the distribution, the numbers and who answered."""
    reading = reply.readings[id_]
    if reading.answer is None:
        return visible(f"no answer: {reading.kind}/{reading.reason}\n{_who(reading, reply)}")
    lines = [_picked(question, reading.answer), *_rows(question, reading.answer), _numbers(reading.answer)]
    return visible("\n".join(line for line in (*lines, _who(reading, reply)) if line))


def answer_json(id_: str, question: Question, reply: JudgeReply) -> dict[str, Json]:
    """Return everything that is known about the answer; a number that does not apply is null."""
    reading = reply.readings[id_]
    answer = reading.answer
    usage = reply.usage
    return {
        "question": as_json(question),
        "kind": reading.kind,
        "reason": reading.reason,
        "answer": None if answer is None else _plain(answer),
        "top": None if answer is None else top(answer),
        "lead": None if answer is None else lead(answer),
        "confidence": None if answer is None else confidence(answer),
        "basis": None if answer is None else answer.basis,
        "option_mass": None if answer is None else answer.option_mass,
        "judge": reading.judge,
        "degraded": reading.degraded,
        "served_model": reply.served_model,
        "request_id": reply.request_id,
        "request_digest": reply.request_digest,
        "input_tokens": None if usage is None else usage.input_tokens,
        "output_tokens": None if usage is None else usage.output_tokens,
        "attempts": reply.attempts,
        "elapsed_s": reply.elapsed_s,
    }


def _plain(answer: Answer) -> dict[str, Json]:
    match answer:
        case NoulAnswer():
            return {"noul": answer.noul}
        case ChoiceAnswer():
            return {"choice": answer.choice, "probabilities": answer.probabilities}
        case ScoreAnswer():
            return {"score": answer.score, "level": level(answer), "probabilities": list(answer.probabilities)}
        case _:
            assert_never(answer)


def _picked(question: Question, answer: Answer) -> str:
    match answer:
        case NoulAnswer():
            return (
                f"{'true' if answer.noul > 0.5 else 'false' if answer.noul < 0.5 else 'undecided'}  {answer.noul:.4g}"
            )
        case ChoiceAnswer():
            return answer.choice
        case ScoreAnswer():
            return f"{answer.score:.4g}  {offered(question)[level(answer)].text}"
        case _:
            assert_never(answer)


def _rows(question: Question, answer: Answer) -> Iterator[str]:
    spread = _spread(answer)
    outcomes = offered(question)
    width = max(len(outcome.name) for outcome in outcomes)
    for outcome in outcomes:
        if outcome.name in spread:
            meaning = "" if outcome.text is None else f"  {outcome.text}"
            yield f"  {outcome.name:<{width}}  {spread[outcome.name]:.4f}{meaning}"


def _spread(answer: Answer) -> Mapping[str, float]:
    match answer:
        case NoulAnswer():
            return {}
        case ChoiceAnswer():
            return answer.probabilities or {}
        case ScoreAnswer():
            return {str(at): p for at, p in enumerate(answer.probabilities)}
        case _:
            assert_never(answer)


def _numbers(answer: Answer) -> str:
    numbers = {"top": top(answer), "lead": lead(answer), "confidence": confidence(answer)}
    numbers["option mass"] = answer.option_mass
    return ", ".join(f"{name} {value:.4g}" for name, value in numbers.items() if value is not None)


def _who(reading: Reading, reply: JudgeReply) -> str:
    model = "" if reply.served_model in (None, reading.judge) else f", model {reply.served_model}"
    basis = "" if reading.answer is None else f", basis {reading.answer.basis}"
    mark = ", degraded" if reading.degraded else ""
    return f"by {reading.judge}{model}{basis}{mark}"
