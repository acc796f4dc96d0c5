"""What advice may know besides the contract: the judge it is meant for, and how large fields were in earlier runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

from interlock.judge.base import Caps
from interlock.judge.locks import Locks

__all__ = ["Sizes", "Target"]

Sizes: TypeAlias = Mapping[tuple[str, str], int]
"""Decision and field → the 95th percentile of the field's size before it was cut, in the unit of its bound."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """The judge that a contract is checked for."""

    id: str
    caps: Caps
    model: str
    """The model that is asked for; the id itself for a judge that is code."""
    sharpens: bool = False
    """True when large menus come back with one option nearly certain, whatever the model thought."""
    order_matters: bool = False
    """True when other answers are known or to be expected for another order of the options, and no order is checked."""
    locks: Locks | None = None
    """The questions that were tried, and with which models; None: no file of them is kept."""
