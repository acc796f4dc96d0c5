"""Advice on a contract that compiles: what is known to make judges answer worse, and what one judge cannot take."""

from interlock.contract.lint.run import linter
from interlock.contract.lint.target import Sizes, Target

__all__ = ["Sizes", "Target", "linter"]
