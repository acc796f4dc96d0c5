"""The providers that ids may name, and the profiles of those that serve decisions."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from pathlib import Path

from interlock.diagnostics import did_you_mean
from interlock.errors import SettingsError, UsageError
from interlock.judge.profile import Profile, parse_profiles
from interlock.wiring.ids import Id, backticked
from interlock.wiring.text_models import TEXT_PROVIDERS

__all__ = ["CODE_JUDGES", "JUDGES_ONLY", "WRITERS", "profile_of", "profiles", "unknown_judge"]

CODE_JUDGES = ("rules", "scripted", "replay", "human", "hash")
"""Judges that are code, a recording or a person: no server, so no budget and no retries."""
JUDGES_ONLY = ("rules", "replay", "human", "hash", "baseline")
WRITERS = ("extractive", *TEXT_PROVIDERS, "scripted")


def profiles(file: str | None) -> Mapping[str, Profile]:
    """Return the package's profiles, and those of `file` over them.

    Raises:
        SettingsError: the file cannot be read or holds something else.
    """
    return _shipped() if file is None else {**_shipped(), **_measured(file)}


def profile_of(id_: Id, file: str | None) -> Profile | None:
    """Return the profile measured for this very id, else that of its provider, else None."""
    known = profiles(file)
    return known.get(id_.text) or known.get(id_.provider)


def unknown_judge(provider: str) -> UsageError:
    """Return the error for an id that no judge has."""
    known = (*CODE_JUDGES, *profiles(None), *TEXT_PROVIDERS)
    if provider == "extractive":
        return UsageError(f"judge: `{provider}` writes text and judges nothing; write one of {backticked(known)}")
    return UsageError(f"judge: no provider `{provider}`; {did_you_mean(provider, known)}")


@cache
def _shipped() -> Mapping[str, Profile]:
    return parse_profiles(files("interlock").joinpath("judge/profiles.toml").read_text(encoding="utf-8"))


def _measured(file: str) -> Mapping[str, Profile]:
    try:
        return parse_profiles(Path(file).read_text(encoding="utf-8"))
    except OSError as error:
        raise SettingsError(f"profiles: `{file}` cannot be read: {error.strerror}") from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise SettingsError(f"profiles: `{file}` holds no profiles; write it with `interlock judge probe`") from error
