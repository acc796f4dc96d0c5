"""Ids of baselines → the judges that an evaluation holds others against."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from interlock.diagnostics import did_you_mean
from interlock.errors import UsageError
from interlock.judge.base import Judge
from interlock.judge.baselines import BASELINES, BaselineJudge, Labelled, first, majority, uniform
from interlock.wiring.ids import id_of

__all__ = ["make_baseline"]


def make_baseline(id_: str, *, split: Sequence[Labelled] = (), seed: int = 0) -> Judge:
    """Return the judge of `baseline:first`, `baseline:majority` or `baseline:random`.

    `split`: the labelled questions that `majority` learns from. `seed`: of `random`.

    Raises:
        SettingsError: there is no such baseline, or `majority` has nothing to learn from.
    """
    name = id_of(id_).model
    match name:
        case "first":
            return BaselineJudge(first, judge=id_)
        case "majority" if split:
            return BaselineJudge(majority(split), judge=id_)
        case "majority":
            raise UsageError("judge: `baseline:majority` needs labelled questions to learn from; give a split")
        case "random":
            return BaselineJudge(uniform(Random(seed).random), judge=id_)  # noqa: S311 -- no secret is drawn
        case _:
            raise UsageError(f"judge: no baseline `{name}`; {did_you_mean(name, BASELINES)}")
