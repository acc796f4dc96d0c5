"""What a contract is checked for: the limits and habits of the judges of an id, without asking or needing a key."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import cast

from interlock.contract.lint import Target
from interlock.judge.base import Caps
from interlock.judge.options import JudgeOptions
from interlock.wiring.code_judges import code_judge
from interlock.wiring.ids import Id, chain_of
from interlock.wiring.legs import READOUTS, identity_of, readout_of
from interlock.wiring.locking import locks_of
from interlock.wiring.names import CODE_JUDGES, profile_of
from interlock.wiring.text_models import TEXT_PROVIDERS

__all__ = ["lint_targets"]


def lint_targets(id_: str, *, environ: Mapping[str, str], options: JudgeOptions) -> tuple[Target, ...]:
    """Return one target per judge of the chain.

    Raises:
        SettingsError: an id is unknown or incomplete.
    """
    return tuple(_target(each, environ, options) for each in chain_of(id_))


def _target(id_: Id, environ: Mapping[str, str], options: JudgeOptions) -> Target:
    model = identity_of(id_, environ, options).model
    locks = None if options.locks is None else locks_of(options)
    if id_.provider in CODE_JUDGES:
        return Target(id=id_.text, caps=code_judge(id_, {}).caps, model=model)
    unchecked = options.order == "as_given"
    if id_.provider in TEXT_PROVIDERS:
        module = import_module(READOUTS[readout_of(id_, options)].partition(":")[0])
        return Target(id=id_.text, caps=cast("Caps", module.CAPS), model=model, order_matters=unchecked, locks=locks)
    profile = profile_of(id_, options.profiles)
    if profile is None:
        raise AssertionError("an id with a model and no profile was refused above")
    return Target(
        id=id_.text,
        caps=profile.caps,
        model=model,
        sharpens=profile.sharpens,
        order_matters=unchecked and not profile.steady_order,
        locks=locks,
    )
