"""Environment, one settings file and flags → one frozen value that knows where each of its parts came from.

Reads files, never a contract: whether a gate or a decision exists is checked where the contract is known.
Source: product specification, the command line; contract specification, threshold overrides and modes.
"""

from __future__ import annotations

import dataclasses
import math
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, TypeAlias, cast

from interlock._text import plain_number
from interlock.diagnostics import did_you_mean
from interlock.errors import SettingsError, UsageError
from interlock.judge.options import DEFAULTS, ORDERS, READOUTS, REFUSALS, JudgeOptions
from interlock.loop.budget import Budgets
from interlock.pipeline.plan import PLANS, PlanName
from interlock.policy.rules import Mode

__all__ = ["GapPolicy", "Settings", "load_settings"]

GapPolicy: TypeAlias = Literal["refuse", "warn"]
"""What a gap in a frame does: `refuse` the judge call, or `warn` and ask all the same."""

Value: TypeAlias = str | int | float


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Every setting with its effective value."""

    judge: str
    """An id, or several separated by commas, each asked what those before could not answer."""
    judging: JudgeOptions
    """How the judge is asked."""
    writer: str
    journal: str
    """A path, or the address of a database."""
    prompts: str
    """Where prompts are published: a directory, a file, or the address of a database."""
    contract: str | None
    """A path; None is the contract that ships with the package."""
    gates: Mapping[str, float]
    """`decision.question`, `decision`, or either with `[i]` → threshold."""
    modes: Mapping[str, Mode]
    """Decision id → mode; a decision that is not listed is enforced."""
    gap_policy: Mapping[str, GapPolicy]
    """Decision id → what its gaps do; a decision that is not listed follows what it can cause."""
    plan: PlanName
    """How far a run asks ahead."""
    budgets: Budgets
    origins: Mapping[str, str]
    """Dotted name of a setting → `default`, `file NAME`, `environment NAME` or `flag`."""


@dataclass(frozen=True, slots=True)
class _Given:
    """One value as one source gave it."""

    key: str
    value: object
    origin: str


_TEXTS = ("judge", "writer", "journal", "prompts", "contract")
_PLAN = "plan"
_BUDGETS: Mapping[str, Value | None] = dataclasses.asdict(Budgets())
_JUDGING: Mapping[str, Value | None] = dataclasses.asdict(DEFAULTS)
_AMOUNTS = ("timeout_s", "max_in_flight", "requests_per_minute", "tokens_per_minute")
_TABLES = ("gates", "modes", "gap_policy")
_WORDS: Mapping[str, tuple[str, ...]] = {
    "modes": ("enforce", "shadow", "off"),
    "gap_policy": ("refuse", "warn"),
    "judging.readout": READOUTS,
    "judging.order": ORDERS,
    "judging.refusals": REFUSALS,
    _PLAN: PLANS,
}
_TOP = (*_TEXTS, _PLAN, "judging", *_TABLES, "budgets")
_PREFIX = "INTERLOCK_"
_NOT_SETTINGS = (
    "INTERLOCK_CAPTURE_CONTENT",
    "INTERLOCK_SERVE_KEY",
    "INTERLOCK_TEST_ALL",
    "INTERLOCK_TEST_POSTGRES_URL",
    "INTERLOCK_UPDATE_SNAPSHOTS",
)


def load_settings(
    *, directory: Path, environ: Mapping[str, str], flags: Mapping[str, object] | None = None
) -> Settings:
    """Return the settings in force: flags before environment before file before default.

    `flags` has the shape of the file: `{"judge": "rules", "gates": {"grade_risk.risk[0]": 3}}`; a value of
    None was not given. Tables are merged key by key.

    Raises:
        SettingsError: a file cannot be read, or a key or value is unknown; a UsageError where a flag is.
    """
    given: dict[str, _Given] = {}
    for item in (*_from_file(directory), *_from_environment(environ)):
        given[item.key] = _checked(item)
    try:
        given |= {item.key: _checked(item) for item in _flatten(flags or {}, "flag")}
    except SettingsError as problem:
        raise UsageError(str(problem)) from problem
    return _settings(given, environ)


def _settings(given: Mapping[str, _Given], environ: Mapping[str, str]) -> Settings:
    defaults: dict[str, Value | None] = {
        "judge": "rules",
        "writer": "extractive",
        "journal": _default_journal(environ),
        "prompts": "prompts",
        "contract": None,
        _PLAN: "next",
        **{f"judging.{name}": value for name, value in _JUDGING.items()},
        **{f"budgets.{name}": value for name, value in _BUDGETS.items()},
    }
    # Every value was checked by `_checked`; the casts below repeat what it guarantees.
    plain: dict[str, Any] = {**defaults, **{key: item.value for key, item in given.items()}}
    tables = {name: _table(plain, name) for name in _TABLES}
    origins = dict.fromkeys(defaults, "default") | {key: item.origin for key, item in given.items()}
    return Settings(
        judge=plain["judge"],
        judging=JudgeOptions(**{name: plain[f"judging.{name}"] for name in _JUDGING}),
        writer=plain["writer"],
        journal=plain["journal"],
        prompts=plain["prompts"],
        contract=plain["contract"],
        gates=cast("Mapping[str, float]", tables["gates"]),
        modes=cast("Mapping[str, Mode]", tables["modes"]),
        gap_policy=cast("Mapping[str, GapPolicy]", tables["gap_policy"]),
        plan=plain[_PLAN],
        budgets=Budgets(**{name: plain[f"budgets.{name}"] for name in _BUDGETS}),
        origins=MappingProxyType(origins),
    )


def _table(plain: Mapping[str, Any], name: str) -> Mapping[str, Value]:
    prefix = f"{name}."
    return MappingProxyType({key.removeprefix(prefix): plain[key] for key in plain if key.startswith(prefix)})


def _default_journal(environ: Mapping[str, str]) -> str:
    base = environ.get("XDG_DATA_HOME")
    home = Path(environ.get("HOME") or "~").expanduser()
    return str((Path(base) if base else home / ".local" / "share") / "interlock" / "journal.db")


def _from_file(directory: Path) -> list[_Given]:
    own = _read_toml(directory / "interlock.toml")
    tools = (_read_toml(directory / "pyproject.toml") or {}).get("tool")
    project = tools.get("interlock") if isinstance(tools, dict) else None
    if own is not None and project is not None:
        raise SettingsError(
            "pyproject.toml: `[tool.interlock]` and interlock.toml both hold settings; keep them in one of the two"
        )
    if own is not None:
        return list(_flatten(own, "file interlock.toml"))
    if project is None:
        return []
    if not isinstance(project, dict):
        raise SettingsError("pyproject.toml: `tool.interlock` is not a table; write `[tool.interlock]`")
    return list(_flatten(project, "file pyproject.toml"))


def _read_toml(path: Path) -> dict[str, Any] | None:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    except UnicodeDecodeError as cause:
        raise SettingsError(f"{path.name}: is not UTF-8 text") from cause
    except tomllib.TOMLDecodeError as cause:
        raise SettingsError(f"{path.name}: is not TOML: {cause}") from cause
    except OSError as cause:
        raise SettingsError(f"{path.name}: cannot be read: {cause.strerror}") from cause


def _from_environment(environ: Mapping[str, str]) -> Iterator[_Given]:
    names = {_PREFIX + key.upper(): key for key in (*_TEXTS, _PLAN, "judging", *_TABLES)}
    names |= {_PREFIX + key.upper(): f"budgets.{key}" for key in _BUDGETS}
    for name, text in environ.items():
        if not name.startswith(_PREFIX) or name in _NOT_SETTINGS or not text:
            continue
        if name not in names:
            raise SettingsError(f"environment: no setting `{name}`; {did_you_mean(name, list(names))}")
        origin = f"environment {name}"
        if names[name] in ("judging", *_TABLES):
            yield from _pairs(names[name], text, origin)
        else:
            yield _Given(names[name], text, origin)


def _pairs(table: str, text: str, origin: str) -> Iterator[_Given]:
    for part in text.split(","):
        key, sign, value = part.partition("=")
        if not sign or not key.strip():
            raise SettingsError(f"{origin}: `{part.strip()}` is not `name=value`; separate several by commas")
        yield _Given(f"{table}.{key.strip()}", value.strip(), origin)


def _flatten(table: Mapping[str, object], origin: str) -> Iterator[_Given]:
    for key, value in table.items():
        if key not in _TOP:
            raise SettingsError(f"{origin}: no setting `{key}`; {did_you_mean(key, _TOP)}")
        if key in (*_TEXTS, _PLAN):
            yield from _leaf(key, value, origin)
        elif isinstance(value, Mapping):
            yield from _leaves(key, value, origin)
        else:
            raise SettingsError(f"{origin}: `{key}` is not a table; write `[{key}]` and one line per name")


def _leaves(prefix: str, table: Mapping[str, object], origin: str) -> Iterator[_Given]:
    for key, value in table.items():
        name = f"{prefix}.{key}"
        if isinstance(value, Mapping):
            yield from _leaves(name, value, origin)
        else:
            yield from _leaf(name, value, origin)


def _leaf(key: str, value: object, origin: str) -> Iterator[_Given]:
    if value is not None:
        yield _Given(key, value, origin)


def _checked(item: _Given) -> _Given:
    table, _, name = item.key.partition(".")
    if table in _TEXTS:
        return _Given(item.key, _text(item), item.origin)
    if table == "budgets":
        if name not in _BUDGETS:
            raise SettingsError(f"{item.origin}: no budget `{name}`; {did_you_mean(name, list(_BUDGETS))}")
        return _Given(item.key, _limit(item, whole=name != "max_seconds"), item.origin)
    if table == "gates":
        return _Given(item.key, _number(item), item.origin)
    return _word(item, _WORDS[table]) if table in _WORDS else _checked_judging(item, name)


def _checked_judging(item: _Given, name: str) -> _Given:
    if name not in _JUDGING:
        raise SettingsError(f"{item.origin}: no setting `{item.key}`; {did_you_mean(name, list(_JUDGING))}")
    if item.key in _WORDS:
        return _word(item, _WORDS[item.key])
    if name in _AMOUNTS:
        return _Given(item.key, _limit(item, whole=name != "timeout_s"), item.origin)
    return _Given(item.key, _text(item), item.origin)


def _word(item: _Given, words: tuple[str, ...]) -> _Given:
    if item.value not in words:
        raise SettingsError(
            f"{item.origin}: `{item.key}` cannot be `{item.value}`; {did_you_mean(str(item.value), words)}"
        )
    return item


def _text(item: _Given) -> str:
    if not isinstance(item.value, str) or not item.value.strip():
        raise SettingsError(f"{item.origin}: `{item.key}` is not text; write a name or a path in quotes")
    return item.value


def _number(item: _Given) -> float:
    """Return the value as a finite number; text is read, since the environment holds nothing else."""
    number: float | None = None
    if isinstance(item.value, str):
        number = plain_number(item.value.strip())
    elif isinstance(item.value, int | float) and not isinstance(item.value, bool):
        number = _finite(item.value)
    if number is None:
        raise SettingsError(f"{item.origin}: `{item.key}` is `{item.value}`; write a number")
    return number


def _finite(value: float) -> float | None:
    """Return `value` as a float; None for one that is not finite, or is an integer beyond every float."""
    try:
        return float(value) if math.isfinite(value) else None
    except OverflowError:
        return None


def _limit(item: _Given, *, whole: bool) -> float | int:
    number = _number(item)
    if number <= 0 or (whole and number != int(number)):
        wanted = "a whole number of at least 1" if whole else "a number above 0"
        raise SettingsError(f"{item.origin}: `{item.key}` is `{item.value}`; write {wanted}")
    return int(number) if whole else number
