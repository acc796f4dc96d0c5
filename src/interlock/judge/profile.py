"""What a provider of decisions is like, as data: where it is, what it takes, which keys it reads.

Source: backends specification, section 3.5.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from interlock.judge.base import Caps

__all__ = ["Profile", "endpoint", "parse_profiles"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """One provider."""

    name: str
    wire: str
    base: str | None
    """None: it must be given."""
    path: str
    key_env: str
    key_required: bool
    base_env: str | None
    model_env: str | None
    alias: str | None
    """The model name sent when none is given; None: one must be given."""
    bare_label: bool
    """True when the provider may leave probabilities out."""
    caps: Caps
    models_path: str | None = None
    """Where the provider lists its models; None: it lists none."""
    sharpens: bool = False
    """True when large menus come back with one option nearly certain, whatever the model thought."""
    steady_order: bool = False
    """True when the order of options was measured not to change the pick."""


def parse_profiles(text: str) -> dict[str, Profile]:
    """Return the profiles of a TOML text by name."""
    return {name: _profile(name, entry) for name, entry in tomllib.loads(text).items()}


def endpoint(base: str, path: str) -> str:
    """Return the address to post to; a base that already ends in `/v1` is not doubled."""
    trimmed = base.rstrip("/")
    if trimmed.endswith("/v1") and path.startswith("/v1/"):
        return trimmed + path.removeprefix("/v1")
    return trimmed + path


def _profile(name: str, entry: Mapping[str, Any]) -> Profile:
    return Profile(
        name=name,
        wire=entry["wire"],
        base=entry.get("base"),
        path=entry["path"],
        key_env=entry["key_env"],
        key_required=entry["key_required"],
        base_env=entry.get("base_env"),
        model_env=entry.get("model_env"),
        alias=entry.get("alias"),
        bare_label=entry.get("bare_label", False),
        caps=Caps(**entry["caps"]),
        models_path=entry.get("models_path"),
        sharpens=entry.get("sharpens", False),
        steady_order=entry.get("steady_order", False),
    )
