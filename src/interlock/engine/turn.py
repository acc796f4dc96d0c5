"""One decision to make: the state, what is available, what was observed, and how it is asked for.

Source: decision-engine specification, retry and three layers.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from interlock._text import clip
from interlock.actions import ActionSpace, Observation, ToolSpec
from interlock.engine.modes import STANDARD_OPTIONS, EngineOptions, Mode, reply_form
from interlock.engine.validate import JSON_WORDS, LINE_WORDS, Situation
from interlock.messages import Message
from interlock.prompts import PromptPack, Wanted, fill_loop, observation_messages, render_pack
from interlock.questions import Json

__all__ = ["Turn"]

_SHOWN_CHARS = 400
"""Of the last observation in the state; the whole of it stands in a message of its own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One decision to make."""

    state: Mapping[str, Json]
    """Keys of the loop layer; those left out have the template's values."""
    tools: tuple[ToolSpec, ...]
    """Those that are available now."""
    pack: PromptPack
    options: EngineOptions = STANDARD_OPTIONS
    observations: tuple[Observation, ...] = ()
    failed_calls: Mapping[str, str] = field(default_factory=dict)
    """`call_key` → the error of the call."""
    max_retries: int = 2

    def __post_init__(self) -> None:
        if not isinstance(self.pack, PromptPack):
            raise TypeError(f"pack is a PromptPack; load one with interlock.registry.load_pack, got {self.pack!r}")

    def loop(self) -> dict[str, Json]:
        """Return the filled loop layer.

        Raises:
            PromptError: the state has an unknown key or a value of another form, or there is no goal.
        """
        last = self.observations[-1] if self.observations else None
        shown: dict[str, Json] = {} if last is None else {"last_observation": _shown(last)}
        return fill_loop(self.pack.loop, {**shown, **self.state}, self.tools)

    def messages(self, mode: Mode) -> tuple[Message, ...]:
        """Return what is sent at first in a mode."""
        options = self.options
        wanted = Wanted(
            space=options.space, tools=self.tools, form=reply_form(mode, options.form), deliberate=options.depth
        )
        one_system = options.observation_role != "system"
        return (
            *render_pack(self.pack, self.loop(), wanted, one_system=one_system),
            *observation_messages(self.observations, options.observation_role),
        )

    def situation(self, mode: Mode) -> Situation:
        """Return what a reply in a mode is checked against."""
        form, loop = reply_form(mode, self.options.form), self.loop()
        texts = [loop[key] for key in ("goal", "memory_summary", "last_observation", "last_error", "plan")]
        last = loop["last_observation"]
        return Situation(
            space=self.options.space,
            tools=self.tools,
            deliberate=self.options.depth,
            thought_is_optional=form == "functions",
            observations=self.observations,
            last_observation=last if isinstance(last, str) else None,
            said=(*(item for item in texts if isinstance(item, str)), *(item.text for item in self.observations)),
            failed_calls=self.failed_calls,
            words=LINE_WORDS if form == "lines" else JSON_WORDS,
        )

    def narrowed(self, space: ActionSpace, tools: tuple[ToolSpec, ...]) -> Turn:
        """Return the turn with fewer actions and tools."""
        return replace(self, options=replace(self.options, space=space), tools=tools)


def _shown(observation: Observation) -> str:
    return f"{observation.id}: {clip(observation.text, _SHOWN_CHARS)}"
