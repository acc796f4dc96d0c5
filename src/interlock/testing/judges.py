"""The judges that the pytest plugin hands out: a live one, one that is recorded, and one that replies a cassette.

Knows nothing of pytest.
"""

from __future__ import annotations

import os
import time
from contextlib import suppress
from functools import partial
from pathlib import Path

import anyio

from interlock.judge.base import Judge
from interlock.judge.line_file import LineFile
from interlock.judge.recording import Recording
from interlock.loop.reference import reference_host
from interlock.models.closing import close
from interlock.settings import load_settings
from interlock.testing.cassette import CassetteJudge, read_cassette
from interlock.wiring import make_judge

__all__ = ["close_judge", "recorded", "replayed", "settings_judge"]


def settings_judge() -> Judge:
    """Return the judge that the settings of the working directory and the environment name."""
    settings = load_settings(directory=Path(), environ=os.environ)
    tools = reference_host(".").tools
    return make_judge(settings.judge, environ=os.environ, tools=tools, options=settings.judging)


def close_judge(judge: Judge) -> None:
    """Close a judge after a test; connections that belong to the event loop of the test ended with it."""
    with suppress(RuntimeError):
        anyio.run(partial(close, judge))


def recorded(live: Judge, cassette: Path) -> Judge:
    """Return `live`, every request and reply written to a new cassette."""
    cassette.parent.mkdir(parents=True, exist_ok=True)
    cassette.unlink(missing_ok=True)
    return Recording(live, write=LineFile(cassette, wall=time.time))


def replayed(cassette: Path, *, place: str, missed: list[str]) -> Judge:
    """Return a judge that replies what the cassette holds; what it does not hold is told in `missed`.

    `place` is how messages call the cassette.
    """
    return CassetteJudge(read_cassette(cassette), place=place, missed=missed)
