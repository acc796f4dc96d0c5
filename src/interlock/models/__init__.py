"""Text models: the seam, and what every backend reports about a call."""

from interlock.models.base import Delta, Done, Failure, TextEvent, TextModel, TextReply, TextRequest, Usage

__all__ = ["Delta", "Done", "Failure", "TextEvent", "TextModel", "TextReply", "TextRequest", "Usage"]
