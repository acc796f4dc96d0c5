"""The browsers that showed the key: each carries a name of its own, until it signs out or its time is over.

Kept by this server alone: nothing of the key is in them, and a server that is started anew knows none.
"""

from __future__ import annotations

import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from hashlib import sha256

__all__ = ["SESSION_S", "Sessions"]

SESSION_S = 12 * 3600
_MOST = 1_000
"""Of more, the oldest end."""


class Sessions:
    """Names of browsers; what is kept of one does not tell the name."""

    def __init__(self, *, now_s: Callable[[], float] = time.monotonic) -> None:
        """Take a clock that never goes back."""
        self._now_s = now_s
        self._ends: OrderedDict[bytes, float] = OrderedDict()
        self._lock = threading.Lock()

    def begin(self) -> str:
        """Return the name of one more."""
        name = secrets.token_urlsafe(32)
        with self._lock:
            self._ends[_kept(name)] = self._now_s() + SESSION_S
            while len(self._ends) > _MOST:
                self._ends.popitem(last=False)
        return name

    def knows(self, name: str) -> bool:
        """Tell whether a browser of that name may come in."""
        with self._lock:
            return self._now_s() < self._ends.get(_kept(name), float("-inf"))

    def end(self, name: str) -> None:
        """Let nobody in by that name any more."""
        with self._lock:
            self._ends.pop(_kept(name), None)


def _kept(name: str) -> bytes:
    return sha256(name.encode("utf-8", "replace")).digest()
