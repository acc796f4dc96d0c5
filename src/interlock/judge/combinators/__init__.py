"""Judges that wrap a judge: one candidate taken, a deadline, retries, splitting, falling back."""

from interlock.judge.combinators.deadline import Deadline
from interlock.judge.combinators.fallback import Fallback
from interlock.judge.combinators.fit import Fit
from interlock.judge.combinators.retry import Retry
from interlock.judge.combinators.single import SingleCandidate

__all__ = ["Deadline", "Fallback", "Fit", "Retry", "SingleCandidate"]
