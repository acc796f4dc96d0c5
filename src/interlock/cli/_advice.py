"""What `check` knows beside the contract when it is told: a judge, and a journal of earlier runs."""

from __future__ import annotations

import os
from pathlib import Path

from interlock.contract.lint import Sizes, Target
from interlock.journal.field_sizes import field_sizes
from interlock.settings import load_settings
from interlock.wiring import lint_targets

__all__ = ["sizes_in", "targets_of"]


def targets_of(judge: str) -> tuple[Target, ...]:
    """Return the judges that the contract is checked for; no key is needed."""
    settings = load_settings(directory=Path(), environ=os.environ, flags={"judge": judge})
    return lint_targets(settings.judge, environ=os.environ, options=settings.judging)


def sizes_in(journal: str) -> Sizes:
    """Return how large fields were in the runs of a journal."""
    return field_sizes(journal)
