"""A user without rights of their own, for tests that root would pass anyway."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

import pytest

NOBODY = 65534


@pytest.fixture
def somebody() -> Callable[[], AbstractContextManager[None]]:
    """Act as a user who may not read everything."""

    @contextmanager
    def act() -> Iterator[None]:
        if os.geteuid() != 0:
            yield
            return
        os.seteuid(NOBODY)
        try:
            yield
        finally:
            os.seteuid(0)

    return act
