"""From what a provider gives to the options that are offered: windowed, in order, with no look-alikes.

Source: reference loop specification, candidates; backends specification, section 1, questions.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from interlock._text import fold
from interlock.questions import Choice, Content

__all__ = ["WINDOW", "Offer", "counted", "offer"]

WINDOW = 20
"""The most options offered at once."""

_NAMED, _NAMED_BY_STEM, _NOT_NAMED = range(3)


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """One dynamic choice as it will be asked."""

    question: Choice
    listed: tuple[int, int]
    """(options offered, candidates there are)."""
    warnings: tuple[str, ...]


def offer(asked: Choice, candidates: Mapping[str, Content | None], *, task: str, cap: int | None) -> Offer:
    """Return `asked` over the candidates: those that `task` names first, then the provider's order.

    An option that the contract lists keeps the contract's criterion. Of labels that look alike the first is
    offered. Where not all candidates are, the instructions say how many are.

    Raises:
        QuestionError: a criterion cannot be sent.
    """
    most = WINDOW if cap is None else min(WINDOW, cap)
    ranks = _ranks(candidates, task)
    shown, refused = _distinct(sorted(candidates, key=ranks.__getitem__), most)
    order = {label: index for index, label in enumerate(candidates)}
    shown.sort(key=lambda label: (ranks[label] == _NOT_NAMED, order[label]))
    question = replace(
        asked,
        instructions=counted(asked.instructions, len(shown), len(candidates)),
        criteria={label: asked.criteria.get(label, candidates[label]) for label in shown},
    )
    return Offer(question=question, listed=(len(shown), len(candidates)), warnings=tuple(refused))


def _ranks(labels: Iterable[str], task: str) -> dict[str, int]:
    folded = task.casefold()
    return {label: _rank(label.casefold(), folded) for label in labels}


def _rank(label: str, task: str) -> int:
    """Return how directly the task names a candidate; a path is also known by its last part."""
    name = label[max(label.rfind("/"), label.rfind("\\")) + 1 :]
    stem = name.rpartition(".")[0]
    if stem not in task:
        return _NOT_NAMED
    if _occurs(label, task) or _occurs(name, task):
        return _NAMED
    return _NAMED_BY_STEM if _occurs(stem, task) else _NOT_NAMED


def _occurs(name: str, text: str) -> bool:
    """Tell whether `name` stands in `text` and is not part of a longer ASCII word."""
    if not name or name not in text:
        return False
    return re.search(rf"(?<![a-z0-9_]){re.escape(name)}(?![a-z0-9_])", text) is not None


def _distinct(labels: Iterable[str], most: int) -> tuple[list[str], list[str]]:
    """Return the first labels that can be told apart, and why others before the cut are not among them."""
    shown: dict[str, str] = {}
    refused: list[str] = []
    for label in labels:
        if len(shown) == most:
            break
        like = shown.setdefault(fold(label), label) if _sendable(label) else None
        if like is None:
            refused.append("a candidate is not offered: its name is empty or not valid text")
        elif like != label:
            refused.append(f"candidate `{label}` is not offered: it looks like `{like}`")
    return list(shown.values()), refused


def _sendable(label: str) -> bool:
    try:
        label.encode()
    except UnicodeEncodeError:
        return False
    return label != ""


def counted(asked: Content, shown: int, there_are: int) -> Content:
    """Return the instructions of a dynamic choice, which say so where not all candidates are offered."""
    if shown == there_are:
        return asked
    note = f"{shown} of {there_are} options are listed."
    return f"{asked}\n{note}" if isinstance(asked, str) else [asked, note]
