"""Judges that wrap a judge: one candidate taken, answers kept, a deadline, orders, retries, splitting, falling back."""

from interlock.judge.combinators.cache import Cache, MemoryStore
from interlock.judge.combinators.deadline import Deadline
from interlock.judge.combinators.fallback import Fallback
from interlock.judge.combinators.fit import Fit
from interlock.judge.combinators.order import OrderBalanced
from interlock.judge.combinators.retry import Retry
from interlock.judge.combinators.single import SingleCandidate

__all__ = ["Cache", "Deadline", "Fallback", "Fit", "MemoryStore", "OrderBalanced", "Retry", "SingleCandidate"]
