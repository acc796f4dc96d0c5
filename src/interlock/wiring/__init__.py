"""Ids of judges and writers → the objects behind them; the only place that names concrete backends."""

from interlock.wiring.baselines import make_baseline
from interlock.wiring.judges import make_judge
from interlock.wiring.locking import locks_of
from interlock.wiring.probing import ProbeTarget, make_probe_target
from interlock.wiring.targets import lint_targets
from interlock.wiring.text_models import make_text_model
from interlock.wiring.writers import make_writer

__all__ = [
    "ProbeTarget",
    "lint_targets",
    "locks_of",
    "make_baseline",
    "make_judge",
    "make_probe_target",
    "make_text_model",
    "make_writer",
]
