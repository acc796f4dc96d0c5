"""Asks a text model for one decision until its reply passes every check, each time with what was wrong.

Source: decision-engine specification, retry and modes.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from interlock.actions import ASK_USER, ActionDecision, FailedAttempt
from interlock.engine.forms import Failed
from interlock.engine.meter import Meter
from interlock.engine.modes import Mode, check_reply, decision_schema, feedback, function_specs, reply_form, written
from interlock.engine.turn import Turn
from interlock.engine.validate import Situation
from interlock.engine.waiting import Waiting, wait_s
from interlock.errors import ModelError
from interlock.messages import Message, Role
from interlock.models.ask import Asked, Try, ask_until
from interlock.models.base import NOT_TEXT, Failure, TextModel, TextReply, TextRequest
from interlock.prompts import ReplyForm

__all__ = ["FALLBACK_QUESTION", "Asking", "Lacking", "fallback"]

FALLBACK_QUESTION = "I could not form a valid action. What exactly should be achieved, and within which limits?"
"""What is asked when no attempt was valid."""

_LACKS = ("bad-request", "not-supported")
"""What a provider answers to a request in a mode that it does not have."""


IGNORED = "ignored"
"""The reason when no reply called a function although one was required."""


class Lacking(Exception):  # noqa: N818  (an outcome, turned into another mode)
    """The provider does not have the mode; `attempts` were made in it all the same."""

    def __init__(self, reason: str, attempts: tuple[FailedAttempt, ...] = ()) -> None:
        super().__init__(reason)
        self.reason = reason
        self.attempts = attempts


@dataclass(slots=True)
class Asking:
    """One turn in one mode: what is sent, what was waited, and who answered."""

    turn: Turn
    mode: Mode
    model: TextModel
    waiting: Waiting
    meter: Meter
    replies: list[TextReply] = field(default_factory=list)
    """Every reply, in order."""
    _form: ReplyForm = field(init=False)
    _situation: Situation = field(init=False)
    _messages: list[Message] = field(init=False)
    _waits: list[float] = field(default_factory=lambda: [0.0])

    def __post_init__(self) -> None:
        self._form = reply_form(self.mode, self.turn.options.form)
        self._situation = self.turn.situation(self.mode)
        self._messages = list(self.turn.messages(self.mode))

    async def decision(self) -> ActionDecision:
        """Return the first decision that passes every check, or the fallback, with the attempts before it.

        Raises:
            Lacking: the provider does not have the mode.
            LimitReached: tokens or cost are used up.
            ModelError: a call failed as a whole.
        """
        asked: Asked[ActionDecision, Failed] = await ask_until(
            self._send,
            self._check,
            Failed,
            max_retries=self.turn.max_retries,
            now=self.waiting.now,
            pause=self._pause,
        )
        attempts = tuple(self._attempt(tried) for tried in asked.tries)
        if asked.accepted is not None:
            return replace(asked.accepted, attempts=attempts)
        if self.mode == "tools" and not any(reply.tool_calls for reply in self.replies):
            raise Lacking(IGNORED, attempts)
        return fallback(attempts)

    async def _send(self, before: Try[Failed] | None) -> str | None:
        """Make one model call, after telling what was wrong with the reply before it; return what was written."""
        if before is not None:
            self._messages.append(Message(role=self._host, content=feedback(before.rejected, self._form)))
        self.meter.require()
        request = self._request()
        reply = await self.model.generate(request)
        if reply.failure is not None and reply.failure.reason != NOT_TEXT:
            raise self._failed(reply.requested_model, reply.failure)
        self.meter.add(request, reply)
        self.replies.append(reply)
        return written(reply)

    @property
    def _host(self) -> Role:
        """Whose messages the host writes as."""
        return "system" if self.turn.options.observation_role == "system" else "user"

    def _request(self) -> TextRequest:
        return TextRequest(
            messages=tuple(self._messages),
            schema=decision_schema(self._situation) if self.mode == "json" else None,
            tools=function_specs(self._situation) if self.mode == "tools" else (),
            must_call=self.mode == "tools",
            max_tokens=self.turn.options.max_reply_tokens,
        )

    def _failed(self, model: str, failure: Failure) -> Exception:
        if self.mode in ("tools", "json") and failure.reason in _LACKS:
            return Lacking(failure.reason)
        status = "" if failure.status is None else f" (status {failure.status})"
        return ModelError(
            f"{model}: the model call failed: {failure.reason}{status}",
            reason=failure.reason,
            retryable=failure.retryable,
        )

    def _check(self, _: object) -> ActionDecision | Failed:
        return check_reply(self.replies[-1], self._form, self._situation)

    async def _pause(self, attempt: int) -> None:
        seconds = wait_s(attempt, self.waiting.rng)
        self._waits.append(seconds)
        await self.waiting.sleep(seconds)

    def _attempt(self, tried: Try[Failed]) -> FailedAttempt:
        return FailedAttempt(
            number=tried.number,
            check=tried.rejected.check,
            reason=tried.rejected.reason,
            reply=tried.reply if isinstance(tried.reply, str) else None,
            waited_s=self._waits[tried.number - 1],
            elapsed_s=tried.elapsed_s,
        )


def fallback(attempts: tuple[FailedAttempt, ...]) -> ActionDecision:
    """Return what is done when no attempt was valid: ask the one who set the goal."""
    return ActionDecision(action=ASK_USER, final=FALLBACK_QUESTION, fallback=True, attempts=attempts)
