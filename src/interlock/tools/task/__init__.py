"""What a task asks for, in terms of what tools do: its acts, targets and content words, in English and Chinese."""

from interlock.tools.task.goals import (
    Goal,
    asks_general_knowledge,
    goals_of,
    is_small_talk,
    speaks_of_workspace,
)
from interlock.tools.task.terms import share, terms

__all__ = ["Goal", "asks_general_knowledge", "goals_of", "is_small_talk", "share", "speaks_of_workspace", "terms"]
