"""Ids of judges and writers → the objects behind them.

The only place that names concrete backends and reads their part of the environment. Backends are loaded by
name when they are asked for, so that nothing else pays for a heavy library.
Source: backends specification, section 9.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.resources import files
from pathlib import Path
from typing import cast
from urllib.parse import urlsplit

from interlock.diagnostics import did_you_mean
from interlock.errors import SettingsError
from interlock.judge.base import Judge
from interlock.judge.combinators import Deadline, Fallback, Fit, Retry, SingleCandidate
from interlock.judge.profile import Profile, parse_profiles
from interlock.judge.readings import Identity
from interlock.judge.wire import parse_json
from interlock.loop.writer import Writer
from interlock.models.base import TextModel
from interlock.models.retry import RetryModel
from interlock.models.secret import Secret
from interlock.questions import Json
from interlock.tools.base import ToolTable

__all__ = ["make_judge", "make_writer"]

JUDGE_BUDGET_S = 10.0
WRITER_BUDGET_S = 60.0
OPENAI_BASE = "https://api.openai.com/v1"

_RULES = "interlock.judge.rules:RuleJudge"
_SCRIPTED_JUDGE = "interlock.judge.script_file:judge_from_json"
_REMOTE = "interlock.judge.remote:RemoteJudge"
_TRANSPORT = "interlock.judge.transport:Transport"
_EXTRACTIVE = "interlock.loop.extractive:ExtractiveWriter"
_MODEL_WRITER = "interlock.loop.model_writer:ModelWriter"
_SCRIPTED_MODEL = "interlock.models.scripted:ScriptedModel"
_OPENAI = "interlock.models.openai_compatible:OpenAIChat"

_WIRES: Mapping[str, str] = {
    "systemone": "interlock.judge.systemone:SystemOneWire",
    "openai-decisions": "interlock.judge.openai_decisions:OpenAIDecisionsWire",
}
"""Name of a wire format in a profile → what speaks it."""
_EXTRAS: Mapping[str, str] = {"openai": "openai"}
"""Package → the extra that brings it."""
_WRITERS = ("extractive", "openai", "scripted")
_CODE_JUDGES = ("rules", "scripted")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Id:
    """`provider:model`, split at the first colon."""

    text: str
    provider: str
    model: str
    """Empty when there is none."""

    @property
    def address(self) -> str | None:
        """The base URL, when the model part is one; `#model` is cut off."""
        return self.model.partition("#")[0] if self.model.startswith("http") else None

    @property
    def name(self) -> str:
        """The model's name, empty when there is none."""
        return self.model.partition("#")[2] if self.model.startswith("http") else self.model


def make_judge(
    id_: str,
    *,
    environ: Mapping[str, str],
    tools: ToolTable,
    fallback: Sequence[str] = (),
    budget_s: float = JUDGE_BUDGET_S,
) -> Judge:
    """Return the judge of an id, the judges of `fallback` behind it, all within one budget per request.

    It may hold connections: close it with `interlock.models.closing.close`.

    Raises:
        SettingsError: an id is unknown or incomplete, or something it needs is missing.
    """
    if not fallback and _split(id_).provider in _CODE_JUDGES:
        return _code_judge(_split(id_), tools)
    identity = _identity(_split(id_), environ)
    legs = [_leg(_split(each), environ, tools, budget_s) for each in (id_, *fallback)]
    chain = legs[0] if len(legs) == 1 else Fallback(legs, now=time.monotonic)
    return SingleCandidate(Deadline(chain, identity=identity, budget_s=budget_s, now=time.monotonic), identity=identity)


def make_writer(id_: str, *, environ: Mapping[str, str], budget_s: float = WRITER_BUDGET_S) -> Writer:
    """Return the writer of an id; a model gets one budget per request, retries included.

    It may hold connections: close it with `interlock.models.closing.close`.

    Raises:
        SettingsError: the id is unknown or incomplete, or something it needs is missing.
    """
    parsed = _split(id_)
    match parsed.provider:
        case "extractive":
            return cast("Writer", _load(_EXTRACTIVE)())
        case "openai" | "scripted":
            model = _text_model(parsed, environ, budget_s)
            return cast("Writer", _load(_MODEL_WRITER)(model, writer=id_, budget_s=budget_s, now=time.monotonic))
        case _ if parsed.provider in _judges():
            raise SettingsError(
                f"writer: `{parsed.provider}` is a judge and writes no text; write one of {_listed(_WRITERS)}"
            )
        case _:
            raise SettingsError(f"writer: no provider `{parsed.provider}`; {did_you_mean(parsed.provider, _WRITERS)}")


@cache
def _profiles() -> Mapping[str, Profile]:
    return parse_profiles(files("interlock").joinpath("judge/profiles.toml").read_text(encoding="utf-8"))


def _judges() -> tuple[str, ...]:
    return (*_CODE_JUDGES, *_profiles())


def _split(id_: str) -> _Id:
    provider, _, model = id_.partition(":")
    return _Id(text=id_, provider=provider, model=model)


def _leg(id_: _Id, environ: Mapping[str, str], tools: ToolTable, budget_s: float) -> Judge:
    if id_.provider in _CODE_JUDGES:
        return _code_judge(id_, tools)
    identity = _identity(id_, environ)
    profile = _profiles()[id_.provider]
    now = time.monotonic
    server = _load(_REMOTE)(
        identity=identity,
        profile=profile,
        wire=_load(_WIRES[profile.wire])(),
        base=_base(id_, profile, environ),
        key=_key(id_.provider, profile.key_env, environ, required=profile.key_required),
        transport=_load(_TRANSPORT)(timeout_s=min(JUDGE_BUDGET_S, budget_s)),
        now=now,
        wall=time.time,
    )
    retry = Retry(cast("Judge", server), now=now, sleep=asyncio.sleep, rng=random.random)
    return Fit(retry, identity=identity, now=now)


def _identity(id_: _Id, environ: Mapping[str, str]) -> Identity:
    """Return who answers, as readings and digests name it."""
    if id_.provider in _CODE_JUDGES:
        return Identity(judge=id_.text, model=id_.text)
    profile = _profiles().get(id_.provider)
    if profile is None:
        raise _unknown_judge(id_.provider)
    named = id_.name or _get(environ, profile.model_env) or profile.alias
    if named is None:
        by_variable = f" or set `{profile.model_env}`" if profile.model_env else ""
        raise SettingsError(f"judge: `{id_.text}` names no model; write `{id_.provider}:MODEL`{by_variable}")
    return Identity(judge=id_.text, model=named, wire=profile.wire)


def _unknown_judge(provider: str) -> SettingsError:
    if provider in _WRITERS:
        return SettingsError(f"judge: `{provider}` writes text and judges nothing; write one of {_listed(_judges())}")
    return SettingsError(f"judge: no provider `{provider}`; {did_you_mean(provider, _judges())}")


def _base(id_: _Id, profile: Profile, environ: Mapping[str, str]) -> str:
    base = id_.address or _get(environ, profile.base_env) or profile.base
    if base is None:
        raise SettingsError(
            f"judge: `{id_.text}` has no address; write `{id_.provider}:http://HOST:PORT` or set `{profile.base_env}`"
        )
    return _checked_address(base, id_.provider)


def _checked_address(base: str, place: str) -> str:
    """Return `base`; a key, a query or a broken port in it is refused, without showing it."""
    try:
        parts = urlsplit(base)
        usable = parts.scheme in {"http", "https"} and bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError:
        usable = False
    if not usable:
        raise SettingsError(f"{place}: the address is not usable; write `http://HOST:PORT` or `https://HOST`")
    if parts.username is not None or parts.password is not None or parts.query or parts.fragment:
        raise SettingsError(f"{place}: an address holds no user, password or query; put the key in its variable")
    return base


def _key(place: str, variable: str, environ: Mapping[str, str], *, required: bool) -> Secret | None:
    value = _get(environ, variable)
    if value is None:
        if required:
            raise SettingsError(f"{place}: no key; set `{variable}`")
        return None
    if not value.isascii() or not value.isprintable() or " " in value:
        raise SettingsError(f"{place}: `{variable}` holds a space or a character that no key has; copy it again")
    return Secret(value)


def _get(environ: Mapping[str, str], variable: str | None) -> str | None:
    """Return a variable's value; an empty one counts as unset."""
    return (environ.get(variable) or None) if variable else None


def _code_judge(id_: _Id, tools: ToolTable) -> Judge:
    if id_.provider == "scripted":
        return cast("Judge", _load(_SCRIPTED_JUDGE)(_file(id_), judge=id_.text))
    made = _load(id_.model or _RULES)(tools)
    if not hasattr(made, "answer") or not hasattr(made, "caps"):
        raise SettingsError(f"judge: `{id_.text}` does not make a judge; it must return one for a tool table")
    return cast("Judge", made)


def _text_model(id_: _Id, environ: Mapping[str, str], budget_s: float) -> TextModel:
    if id_.provider == "scripted":
        replies = _file(id_)
        if not isinstance(replies, list) or not all(isinstance(reply, str) for reply in replies):
            raise SettingsError(f"writer: `{id_.text}` must hold one JSON list of texts")
        return cast("TextModel", _load(_SCRIPTED_MODEL)(replies, model=id_.text))
    if not id_.name:
        raise SettingsError(f"writer: `{id_.text}` names no model; write `openai:MODEL`")
    base = id_.address or _get(environ, "OPENAI_BASE_URL") or OPENAI_BASE
    chat = _load(_OPENAI)(
        model=id_.name,
        base=_checked_address(base, "openai"),
        key=_key("openai", "OPENAI_API_KEY", environ, required=base == OPENAI_BASE),
        budget_s=budget_s,
        now=time.monotonic,
        wall=time.time,
    )
    return RetryModel(
        cast("TextModel", chat),
        model=id_.name,
        budget_s=budget_s,
        now=time.monotonic,
        sleep=asyncio.sleep,
        rng=random.random,
    )


def _file(id_: _Id) -> Json:
    if not id_.model:
        raise SettingsError(f"`{id_.text}` names no file; write `{id_.provider}:FILE`")
    try:
        return parse_json(Path(id_.model).read_bytes())
    except OSError as error:
        raise SettingsError(f"`{id_.text}`: the file cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise SettingsError(f"`{id_.text}`: the file is not JSON in UTF-8") from error


def _load(place: str) -> Callable[..., object]:
    """Return what `module:attribute` names.

    Raises:
        SettingsError: the module, the attribute or an extra is missing.
    """
    module_name, _, attribute = place.partition(":")
    try:
        module = import_module(module_name)
    except ModuleNotFoundError as error:
        extra = _EXTRAS.get(error.name or "")
        if extra is not None:
            raise SettingsError(f'`{extra}` is not installed: pip install "interlock[{extra}]"') from error
        raise SettingsError(f"`{place}`: no module `{error.name}`") from error
    except ValueError as error:
        raise SettingsError(f"`{place}` names no module; write `module:attribute`") from error
    found: object = getattr(module, attribute, None)
    if not callable(found):
        raise SettingsError(f"`{place}`: no callable `{attribute}`; {did_you_mean(attribute, sorted(vars(module)))}")
    return found


def _listed(names: Sequence[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)
