"""Which decisions may be due next, and on which states: the reducer walked along the answers that lead on.

Pure: `prepare` is handed in, and nothing is asked here.
Source: reference loop specification, the planner.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from typing import TypeAlias

from interlock.loop.events import Ask, Decided, Node
from interlock.loop.state import State
from interlock.loop.step import Next, step
from interlock.loop.verdict import decided
from interlock.pipeline.conclude import conclude
from interlock.pipeline.plan import CALLS_AHEAD
from interlock.pipeline.prepare import Prepared
from interlock.questions import Choice

__all__ = ["Future", "Prepare", "futures"]

Prepare: TypeAlias = Callable[[State, Node], Prepared | None]
"""Prepares a decision on a state that may come; None when that is not possible without side effects or errors."""

_GOES_ON = {"needs_tool": "use_tool", "step_ok": "continue", "is_done": "keep_going"}
"""The action of a decision without options after which the loop asks on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Future:
    """One decision that may be due before the loop acts."""

    node: Node
    path: tuple[State, ...]
    """The states on the way to it, the one it is asked on last; it is due only if each of them comes."""
    prepared: Prepared

    @property
    def state(self) -> State:
        """The state it is asked on."""
        return self.path[-1]


def futures(
    state: State, due: Node, prepared: Prepared, *, allowed: Collection[str], prepare: Prepare
) -> tuple[Future, ...]:
    """Return the `allowed` decisions that may follow `due` without an effect in between, nearest first.

    Of several tools whose input is picked, the first one offered is followed. Risk is foreseen of the first calls in
    the order in which they are offered: those that the task names come first.
    """
    walk = _Walk(allowed, prepare)
    return tuple(walk.after(state, due, prepared, ()))


class _Walk:
    def __init__(self, allowed: Collection[str], prepare: Prepare) -> None:
        self._allowed = allowed
        self._prepare = prepare
        self._calls = 0

    def after(self, state: State, node: Node, prepared: Prepared, path: tuple[State, ...]) -> Iterator[Future]:
        followed: set[Node] = set()
        for event in self._answers(node, prepared):
            following = _following(state, event)
            if following is None or not isinstance(following.effects[0], Ask):
                continue
            asked = following.effects[0].decision
            if asked not in self._allowed or (asked in followed and asked != "grade_risk"):
                continue
            followed.add(asked)
            yield from self._at(following.state, asked, (*path, following.state))

    def _at(self, state: State, node: Node, path: tuple[State, ...]) -> Iterator[Future]:
        if node == "grade_risk":
            if self._calls >= CALLS_AHEAD:
                return
            self._calls += 1
        prepared = self._prepare(state, node)
        if prepared is None:
            return
        if prepared.ask:
            yield Future(node=node, path=path, prepared=prepared)
        yield from self.after(state, node, prepared, path)

    def _answers(self, node: Node, prepared: Prepared) -> Iterator[Decided]:
        """Yield the answers worth following: the one that is known, else those that lead on."""
        if not prepared.ask:
            yield decided(node, conclude(prepared, None))
        elif prepared.safe is not None:
            yield Decided(decision=node, action=prepared.safe)
        elif node in _GOES_ON:
            yield Decided(decision=node, action=_GOES_ON[node])
        elif node in ("pick_tool", "pick_input"):
            action = "call" if node == "pick_tool" else "use"
            yield from (Decided(decision=node, action=action, picked=label) for label in _options(prepared))


def _following(state: State, event: Decided) -> Next | None:
    """Return what the reducer makes of an answer; None when a tool cannot even say what its input would be."""
    try:
        return step(state, event)
    except Exception:  # noqa: BLE001 - a tool's own function, called before it is known to be needed
        return None


def _options(prepared: Prepared) -> tuple[str, ...]:
    choices = [question for question in prepared.menu.questions.values() if isinstance(question, Choice)]
    return tuple(choices[0].criteria) if len(choices) == 1 else ()
