"""Warnings that come again and again in a long command are shown once."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["said_once"]

_MOST = 100
"""Different warnings; further ones are not shown."""


@contextmanager
def said_once(*names: str) -> Iterator[None]:
    """Let each message of the loggers called `names` through once while the block runs."""
    once = _Once()
    loggers = [logging.getLogger(name) for name in names]
    for logger in loggers:
        logger.addFilter(once)
    try:
        yield
    finally:
        for logger in loggers:
            logger.removeFilter(once)


class _Once(logging.Filter):
    def __init__(self) -> None:
        super().__init__()
        self._said: set[str] = set()

    def filter(self, record: logging.LogRecord) -> bool:
        text = record.getMessage()
        if text in self._said or len(self._said) >= _MOST:
            return False
        self._said.add(text)
        return True
