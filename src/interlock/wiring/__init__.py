"""Ids of judges and writers → the objects behind them; the only place that names concrete backends."""

from interlock.wiring.baselines import make_baseline
from interlock.wiring.judges import make_judge
from interlock.wiring.writers import make_writer

__all__ = ["make_baseline", "make_judge", "make_writer"]
