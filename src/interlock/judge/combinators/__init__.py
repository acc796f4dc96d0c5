"""Judges that wrap a judge: one candidate taken, answers kept, deadline, limits, orders, retries, splits, fallback."""

from interlock.judge.combinators.cache import Cache, MemoryStore
from interlock.judge.combinators.deadline import Deadline
from interlock.judge.combinators.fallback import Fallback
from interlock.judge.combinators.fit import Fit
from interlock.judge.combinators.limit import Limit, Limits
from interlock.judge.combinators.locked import Locked
from interlock.judge.combinators.order import OrderBalanced
from interlock.judge.combinators.retry import Retry
from interlock.judge.combinators.single import SingleCandidate

__all__ = [
    "Cache",
    "Deadline",
    "Fallback",
    "Fit",
    "Limit",
    "Limits",
    "Locked",
    "MemoryStore",
    "OrderBalanced",
    "Retry",
    "SingleCandidate",
]
