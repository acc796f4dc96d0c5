"""Reads the `SKILL.md` that lies beside a module.

Source: next-step specification, section 17.
"""

from __future__ import annotations

import types
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import yaml

__all__ = ["Skill", "SkillError", "skills", "skills_block"]

FILE_NAME = "SKILL.md"


class SkillError(ValueError):
    """A `SKILL.md` cannot be read; the message names its line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Skill:
    """What a module's skill file says of it."""

    name: str
    description: str
    triggers: tuple[str, ...]


def skills(module: types.ModuleType | None) -> tuple[Skill, ...]:
    """Return the skill beside `module`, none when there is no file.

    Raises:
        SkillError: the file's front matter is not of the known form.
    """
    path = _path(module)
    return () if path is None or not path.is_file() else (_read(path),)


def skills_block(module: types.ModuleType | None) -> str:
    """Return the `Skills:` block for a system prompt; empty text for none."""
    listed = skills(module)
    if not listed:
        return ""
    lines = [f"{item.name}: {item.description} (triggers: {', '.join(item.triggers)})" for item in listed]
    return "\n".join(["Skills:", *lines])


def _path(module: types.ModuleType | None) -> Path | None:
    file = getattr(module, "__file__", None)
    return None if file is None else Path(file).with_name(FILE_NAME)


def _read(path: Path) -> Skill:
    return _parsed(str(path), path.stat().st_mtime_ns)


@lru_cache(maxsize=256)
def _parsed(place: str, changed_ns: int) -> Skill:  # noqa: ARG001  (a changed file is read again)
    lines = Path(place).read_text(encoding="utf-8").splitlines()
    if not lines or lines[0].strip() != "---":
        raise SkillError(f"{place}:1: front matter is missing; begin the file with `---`")
    ends = next((index for index, line in enumerate(lines[1:], 1) if line.strip() == "---"), None)
    if ends is None:
        raise SkillError(f"{place}:1: front matter is not closed; end it with `---`")
    try:
        read = yaml.safe_load("\n".join(lines[1:ends]))
    except yaml.MarkedYAMLError as error:
        line = (error.problem_mark.line if error.problem_mark else 0) + 2
        raise SkillError(f"{place}:{line}: front matter is not YAML: {error.problem}") from error
    return _skill(place, read)


def _skill(place: str, read: object) -> Skill:
    if not isinstance(read, dict):
        raise SkillError(f"{place}:2: front matter is a mapping of `name`, `description` and `triggers`")
    name, description, triggers = read.get("name"), read.get("description"), read.get("triggers", [])
    if not isinstance(name, str) or not isinstance(description, str):
        raise SkillError(f"{place}:2: `name` and `description` are text")
    if not isinstance(triggers, list) or not all(isinstance(item, str) for item in triggers):
        raise SkillError(f"{place}:2: `triggers` is a list of text")
    return Skill(name=name, description=" ".join(description.split()), triggers=tuple(triggers))
