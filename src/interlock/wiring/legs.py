"""One judge of a chain: the server or model behind an id, its limits kept and its failures repeated.

Source: backends specification, section 6.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import cast

from interlock.errors import UsageError
from interlock.judge.base import Caps, Judge
from interlock.judge.combinators import Fit, Retry
from interlock.judge.human import AskPerson
from interlock.judge.options import JudgeOptions, ReadoutName
from interlock.judge.profile import Profile
from interlock.judge.readings import Identity
from interlock.tools.base import ToolTable
from interlock.wiring.code_judges import code_judge
from interlock.wiring.environment import checked_address, key_from, value_of
from interlock.wiring.ids import Id, backticked
from interlock.wiring.loading import load
from interlock.wiring.names import CODE_JUDGES, profile_of, unknown_judge
from interlock.wiring.text_models import TEXT_PROVIDERS, text_model
from interlock.wiring.tracing import traced, traced_model

__all__ = ["READOUTS", "identity_of", "leg", "readout_of", "server"]

_REMOTE = "interlock.judge.remote:RemoteJudge"
_TRANSPORT = "interlock.judge.transport:Transport"
_WIRES: Mapping[str, str] = {
    "systemone": "interlock.judge.systemone:SystemOneWire",
    "openai-decisions": "interlock.judge.openai_decisions:OpenAIDecisionsWire",
}
"""Name of a wire format in a profile → what speaks it."""
_READOUT_JUDGE = "interlock.judge.readout:ReadoutJudge"
READOUTS: Mapping[ReadoutName, str] = {
    "json": "interlock.judge.readout_json:JsonReadout",
    "logprobs": "interlock.judge.readout_logprobs:LogprobReadout",
    "options": "interlock.judge.gguf_options:GgufOptions",
    "decisions": "interlock.judge.gguf_decisions:LocalTransport",
}
_DECISION_PROFILE = "interlock.judge.gguf_decisions:decision_profile"
_LOCAL_ONLY: tuple[ReadoutName, ...] = ("options", "decisions")
_GGUF_SERVER = "interlock.models.gguf_server:GgufServer"
_CHAT = "chat"
_LOCAL = "gguf"
_READOUT_VERSION = 1
"""Of the prompts: part of what an answer depends on."""
_LONGEST_STEP_S = 10.0
_PROXIES = ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY")
"""Variables by which every client library sends plain requests through a proxy."""


def leg(
    id_: Id, environ: Mapping[str, str], tools: ToolTable, options: JudgeOptions, ask: AskPerson | None = None
) -> Judge:
    """Return the judge of one id; `ask` as for `make_judge`.

    Raises:
        SettingsError: the id is unknown or incomplete, or something it needs is missing.
    """
    if id_.provider in CODE_JUDGES:
        return code_judge(id_, tools, ask)
    now = time.monotonic
    identity = identity_of(id_, environ, options)
    if id_.provider in TEXT_PROVIDERS:
        read = traced(_read_model(id_, identity, environ, options), identity, id_.provider, environ)
        return Fit(read, identity=identity, now=now)
    retry = Retry(
        traced(server(id_, environ, options), identity, id_.provider, environ),
        now=now,
        sleep=asyncio.sleep,
        rng=random.random,
    )
    return Fit(retry, identity=identity, now=now)


def server(id_: Id, environ: Mapping[str, str], options: JudgeOptions, *, unlimited: bool = False) -> Judge:
    """Return the judge behind a server, which makes one attempt per call; `unlimited`: with no limits of ours.

    Raises:
        SettingsError: no profile has this provider, or something it needs is missing.
    """
    profile = _profile(id_, options)
    if unlimited:
        profile = replace(profile, caps=Caps(refusal=True), bare_label=True)
    base = _base(id_, profile, environ)
    judge = load(_REMOTE)(
        identity=identity_of(id_, environ, options),
        profile=profile,
        wire=load(_WIRES[profile.wire])(),
        base=base,
        key=key_from(id_.provider, profile.key_env, environ, required=profile.key_required),
        transport=load(_TRANSPORT)(timeout_s=min(_LONGEST_STEP_S, options.timeout_s), direct=_is_direct(base, environ)),
        now=time.monotonic,
        wall=time.time,
    )
    return cast("Judge", judge)


def _is_direct(base: str, environ: Mapping[str, str]) -> bool:
    """Return whether neither TLS nor a proxy stands before the server."""
    return base.startswith("http://") and not any(value_of(environ, name) for name in _PROXIES)


def identity_of(id_: Id, environ: Mapping[str, str], options: JudgeOptions) -> Identity:
    """Return who answers, as readings and digests name it.

    Raises:
        SettingsError: the id is unknown or names no model, or a text model has no readout.
    """
    if id_.provider in CODE_JUDGES:
        return Identity(judge=id_.text, model=id_.text)
    if id_.provider in TEXT_PROVIDERS:
        return _text_identity(id_, options)
    profile = _profile(id_, options)
    named = id_.name or value_of(environ, profile.model_env) or profile.alias
    if named is None:
        by_variable = f" or set `{profile.model_env}`" if profile.model_env else ""
        raise UsageError(f"judge: `{id_.text}` names no model; write `{id_.provider}:MODEL`{by_variable}")
    return Identity(judge=id_.text, model=named, wire=profile.wire)


def _profile(id_: Id, options: JudgeOptions) -> Profile:
    profile = profile_of(id_, options.profiles)
    if profile is None:
        if id_.provider == "baseline":
            raise UsageError("judge: a baseline looks at nothing and may decide nothing; it answers in evaluations")
        raise unknown_judge(id_.provider)
    return profile


def _base(id_: Id, profile: Profile, environ: Mapping[str, str]) -> str:
    base = id_.address or value_of(environ, profile.base_env) or profile.base
    if base is None:
        raise UsageError(
            f"judge: `{id_.text}` has no address; write `{id_.provider}:http://HOST:PORT` or set `{profile.base_env}`"
        )
    return checked_address(base, id_.provider)


def _text_identity(id_: Id, options: JudgeOptions) -> Identity:
    """Return who answers for a text model; a file is known by its name, wherever it lies."""
    readout = f"{readout_of(id_, options)}-{_READOUT_VERSION}"
    if id_.provider == _LOCAL:
        return Identity(judge=id_.text, model=Path(id_.model).name, wire=_LOCAL, readout=readout)
    return Identity(judge=id_.text, model=id_.name, wire=_CHAT, readout=readout)


def _read_model(id_: Id, identity: Identity, environ: Mapping[str, str], options: JudgeOptions) -> Judge:
    """Return a text model as a judge; one that runs here is small, and its answers are marked."""
    now, budget_s = time.monotonic, options.timeout_s
    name = readout_of(id_, options)
    if id_.provider == _LOCAL and not id_.model:
        raise UsageError(f"judge: `{id_.text}` names no file; write `gguf:FILE`")
    if name == "decisions":
        return _decision_file(identity, load(READOUTS[name])(load(_GGUF_SERVER)(Path(id_.model))))
    if name == "options":
        server = load(_GGUF_SERVER)(Path(id_.model))
        readout = load(READOUTS[name])(server, budget_s=budget_s, now=now)
    else:
        model = text_model(id_, environ, budget_s)
        readout = load(READOUTS[name])(traced_model(model, identity.model, id_.provider, environ))
    degraded = id_.provider == _LOCAL
    return cast("Judge", load(_READOUT_JUDGE)(readout, identity=identity, now=now, degraded=degraded))


def _decision_file(identity: Identity, transport: object) -> Judge:
    """Return a decision model that runs here: it has no address, and answers like a server."""
    profile = cast("Profile", load(_DECISION_PROFILE)())
    judge = load(_REMOTE)(
        identity=identity,
        profile=profile,
        wire=load(_WIRES[profile.wire])(),
        base="",
        key=None,
        transport=transport,
        now=time.monotonic,
        wall=time.time,
    )
    return cast("Judge", judge)


def readout_of(id_: Id, options: JudgeOptions) -> ReadoutName:
    """Return how the answers of a text model are read.

    Raises:
        SettingsError: it is not said, or the model cannot be read so.
    """
    known = tuple(name for name in READOUTS if name not in _LOCAL_ONLY or id_.provider == _LOCAL)
    if options.readout not in known:
        how = "say how its answers are read" if options.readout is None else f"`{options.readout}` cannot read it"
        raise UsageError(
            f"judge: `{id_.text}` writes text; {how}: set `judging.readout` to one of {backticked(known)}, "
            "as in INTERLOCK_JUDGING=readout=json"
        )
    return options.readout
