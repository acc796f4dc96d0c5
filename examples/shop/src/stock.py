"""Counts what is on the shelves."""

from __future__ import annotations

REORDER_BELOW = 5


class OutOfStockError(Exception):
    """More was asked for than is on the shelf."""


class Shelf:
    """The pieces of each article, by its number."""

    def __init__(self, pieces: dict[str, int]) -> None:
        self._pieces = dict(pieces)

    def take(self, sku: str, quantity: int) -> int:
        """Take pieces off the shelf and return how many are left."""
        left = self._pieces.get(sku, 0) - quantity
        if left < 0:
            raise OutOfStockError(sku)
        self._pieces[sku] = left
        return left

    def to_reorder(self) -> list[str]:
        """Return the articles of which few are left."""
        return sorted(sku for sku, left in self._pieces.items() if left < REORDER_BELOW)
