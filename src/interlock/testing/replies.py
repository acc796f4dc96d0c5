"""Replies for a scripted text model that are more than text."""

from __future__ import annotations

from interlock.messages import ToolCall
from interlock.models.base import TextReply

__all__ = ["calling"]


def calling(*calls: str | tuple[str, str], text: str = "") -> TextReply:
    """Return a reply for a `ScriptedModel` that asks for native tools.

    `calls`: each the name of a tool, or its name and the arguments as the model writes them, JSON text.
    `text`: what the model says besides.
    """
    pairs = [(call, "{}") if isinstance(call, str) else call for call in calls]
    return TextReply(
        text=text,
        finish="stop",
        usage=None,
        requested_model="scripted",
        served_model="scripted",
        request_id=None,
        tool_calls=tuple(
            ToolCall(id=f"call-{at}", name=name, arguments=arguments) for at, (name, arguments) in enumerate(pairs)
        ),
    )
