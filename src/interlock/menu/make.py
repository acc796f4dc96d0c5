"""Asks until a reply is a valid pick, or a judge picks and the text model fills the arguments.

Source: next-step specification, sections 8, 11 and 12.
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from interlock.judge.base import Judge, Reading
from interlock.menu.attempts import Attempt, Chosen, Rejected, Way, attempt_of, decision_error
from interlock.menu.options import Option, OptionKind
from interlock.menu.prompts import first_text, repick_text
from interlock.menu.render import render_menu
from interlock.menu.reply import read_reply
from interlock.menu.reply_schema import reply_schema
from interlock.menu.resolve import arguments, resolve
from interlock.models.ask import Asked, Try, ask_until
from interlock.questions import Basis, Choice, ChoiceAnswer, Content
from interlock.schema import JsonSchema, Problem

__all__ = ["Ask", "MenuJudge", "Pick", "Question", "pick_by_judge", "pick_by_text"]

PICK = "pick"
"""The id under which a judge is asked for the option."""


class Ask(Protocol):
    """Sends the prompt followed by `addition` to the text model."""

    async def __call__(self, addition: str, *, first: bool, schema: JsonSchema) -> object:
        """Return the reply's text, or None when it was not text; a failed call raises."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class MenuJudge:
    """A judge, and what it is shown besides the question."""

    judge: Judge
    state: Content


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """One decision to make."""

    options: tuple[Option, ...]
    context: Mapping[str, object]
    runtime: object
    max_retries: int
    finish: bool
    """True when a whole turn comes before the pick, so that the finish instruction is added."""
    now: Callable[[], float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Pick:
    """A valid pick that has not been resolved."""

    name: str
    kind: OptionKind
    args: Mapping[str, object]
    """Visible arguments only."""
    probabilities: Mapping[str, float] | None
    """Option name → [0, 1] as a judge gave it; None from a text reply."""
    basis: Basis | None
    way: Way
    """Whether a text model or a judge picked."""
    attempts: tuple[Attempt, ...]
    """The failed attempts before this pick."""
    repaired: bool
    _option: Option = field(repr=False)
    _values: Mapping[str, object] = field(repr=False)

    def result(self) -> Any:  # noqa: ANN401  (whatever the next step returns)
        """Return the next step's result; an async function gives its awaitable."""
        return resolve(self._option, self._values)

    def resolve(self) -> Any:  # noqa: ANN401  (whatever the next step returns)
        """Return the next step's result; an async function runs in an event loop of its own.

        Raises:
            RuntimeError: the function is async and an event loop is already running here.
        """
        if self._option.function is not None and self._option.function.is_async and _loop_runs():
            raise RuntimeError(
                f"option `{self.name}` is async and an event loop is running here; write `await aresolve()`"
            )
        result = self.result()
        return asyncio.run(_awaited(result)) if inspect.isawaitable(result) else result

    async def aresolve(self) -> Any:  # noqa: ANN401  (whatever the next step returns)
        """Return the next step's result, awaited when it is awaitable."""
        result = self.result()
        return await result if inspect.isawaitable(result) else result


def _loop_runs() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


async def _awaited(result: Any) -> Any:  # noqa: ANN401  (whatever the next step returns)
    return await result


async def pick_by_text(question: Question, ask: Ask) -> Pick:
    """Return the text model's pick, asked again after each reply that is none.

    Raises:
        DecisionError: no attempt gave a valid pick.
    """
    attempts: list[Attempt] = []
    chosen = await _asked(question, question.options, ask, attempts)
    return _pick(question, chosen, attempts, None)


async def pick_by_judge(question: Question, asked: MenuJudge, instructions: Content, ask: Ask | None) -> Pick:
    """Return the judge's pick; the text model writes the arguments, and only where there are required ones.

    Raises:
        DecisionError: the judge gave no usable answer, or the arguments were never valid.
    """
    attempts: list[Attempt] = []
    answer = await _judged(question, asked, instructions, attempts)
    option = next(item for item in question.options if item.name == answer.choice)
    chosen = Chosen(option=option, args={})
    if ask is not None and any(item.required for item in option.fields):
        chosen = await _asked(question, (option,), ask, attempts)
    return _pick(question, chosen, attempts, answer)


async def _asked(question: Question, options: tuple[Option, ...], ask: Ask, attempts: list[Attempt]) -> Chosen:
    menu, schema = render_menu(options), reply_schema(options)

    async def send(before: Try[Rejected] | None) -> object:
        if before is None:
            addition = first_text(menu, finish=question.finish)
        else:
            addition = repick_text(before.reply, before.rejected, menu)
        return await ask(addition, first=before is None, schema=schema)

    asked: Asked[Chosen, Rejected] = await ask_until(
        send,
        lambda reply: read_reply(reply, options),
        Rejected,
        max_retries=question.max_retries,
        now=question.now,
    )
    attempts += [attempt_of(item, len(attempts)) for item in asked.tries]
    if asked.accepted is None:
        raise decision_error(attempts, question.options)
    return asked.accepted


async def _judged(question: Question, asked: MenuJudge, instructions: Content, attempts: list[Attempt]) -> ChoiceAnswer:
    names: Sequence[str] = [option.name for option in question.options]
    choice = Choice(
        instructions=instructions, criteria={option.name: option.description or None for option in question.options}
    )
    started = question.now()
    reply = await asked.judge.answer(asked.state, {PICK: choice})
    reading = reply.readings[PICK]
    if isinstance(reading.answer, ChoiceAnswer) and reading.answer.choice in names:
        return reading.answer
    tried = Try(number=1, reply=None, rejected=_no_answer(reading), elapsed_s=question.now() - started)
    attempts.append(attempt_of(tried))
    raise decision_error(attempts, question.options)


def _no_answer(reading: Reading) -> Rejected:
    message = f"the judge gave no answer: {reading.kind}/{reading.reason}"
    return Rejected(
        kind="no_answer",
        message=message,
        problems=(Problem(kind="no_answer", path="", message=message),),
        picked=None,
    )


def _pick(question: Question, chosen: Chosen, attempts: Sequence[Attempt], answer: ChoiceAnswer | None) -> Pick:
    return Pick(
        name=chosen.option.name,
        kind=chosen.option.kind,
        args=chosen.args,
        probabilities=None if answer is None else answer.probabilities,
        basis=None if answer is None else answer.basis,
        way="text" if answer is None else "judge",
        attempts=tuple(attempts),
        repaired=chosen.repaired,
        _option=chosen.option,
        _values=arguments(chosen.option, chosen.args, question.context, question.runtime),
    )
