"""Ranks lines by how much they say about a question: BM25 over content words.

Pure. Source: reference loop specification, generation.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

from interlock.tools.task.terms import held, terms

__all__ = ["bm25", "coverage"]

_K1 = 1.2
_B = 0.75


def bm25(question: frozenset[str], texts: Sequence[str]) -> list[float]:
    """Return one score per text, 0 where it shares no content word with the question."""
    bags = [terms(text) for text in texts]
    mean = sum(len(bag) for bag in bags) / len(bags) if bags else 0.0
    found = [held(question, bag) for bag in bags]
    seen = Counter(word for words in found for word in words)
    rarity = {word: math.log(1 + (len(bags) - count + 0.5) / (count + 0.5)) for word, count in seen.items()}
    return [
        sum(rarity[word] * (_K1 + 1) / (1 + _K1 * (1 - _B + _B * len(bag) / mean)) for word in words)
        for words, bag in zip(found, bags, strict=True)
    ]


def coverage(question: frozenset[str], text: str) -> float:
    """Return which part of the question's content words `text` holds, in [0, 1]."""
    return len(held(question, terms(text))) / len(question) if question else 0.0
