"""Profiles as TOML, in the form that `parse_profiles` reads.

Source: backends specification, section 3.5.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields

from interlock.judge.base import Caps
from interlock.judge.probe import Measured
from interlock.judge.profile import Profile

__all__ = ["profile_text"]

_NUMBERS = ("max_options", "max_levels", "max_questions", "max_body_bytes", "context_tokens", "longest_question_tokens")
_FACTS = ("joint_reads", "refusal")


def profile_text(id_: str, profile: Profile, measured: Measured) -> str:
    """Return one entry: the provider's facts under the id of the judge, and beside its limits what was measured."""
    facts = {
        "wire": profile.wire,
        "base": profile.base,
        "path": profile.path,
        "models_path": profile.models_path,
        "key_env": profile.key_env,
        "key_required": profile.key_required,
        "base_env": profile.base_env,
        "model_env": profile.model_env,
        "alias": profile.alias,
        "bare_label": profile.bare_label or not measured.numbers,
        "sharpens": profile.sharpens,
        "steady_order": measured.orders > 0 and measured.flips == 0,
    }
    lines = [f"[{json.dumps(id_, ensure_ascii=False)}]"]
    lines += [f"{name} = {_value(value)}" for name, value in facts.items() if value is not None]
    lines += [f"caps = {{ {_inline(_caps(profile.caps))} }}", f"measured = {{ {_inline(_found(measured))} }}"]
    return "\n".join(lines) + "\n"


def _caps(caps: Caps) -> Mapping[str, str | int | float | bool]:
    numbers = {name: getattr(caps, name) for name in _NUMBERS if getattr(caps, name) is not None}
    return numbers | {name: getattr(caps, name) for name in _FACTS}


def _found(measured: Measured) -> Mapping[str, str | int | float | bool]:
    values = {item.name: getattr(measured, item.name) for item in fields(measured)}
    return {name: value for name, value in values.items() if value is not None and not name.startswith("max_")}


def _inline(values: Mapping[str, str | int | float | bool]) -> str:
    return ", ".join(f"{name} = {_value(value)}" for name, value in values.items())


def _value(value: str | float | bool) -> str:
    """Return a value as TOML writes it, which for text, numbers and booleans is as JSON does."""
    return json.dumps(round(value, 4) if isinstance(value, float) else value, ensure_ascii=False)
