"""Reads the `SKILL.md` that lies beside a module.

Source: next-step specification, section 17.
"""

from __future__ import annotations

import types
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import yaml

from interlock.errors import InterlockError

__all__ = ["Skill", "SkillError", "skills", "skills_block"]

FILE_NAME = "SKILL.md"


class SkillError(InterlockError, ValueError):
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
def _parsed(place: str, _changed_ns: int) -> Skill:
    lines = _lines(place)
    if not lines or lines[0].strip() != "---":
        raise SkillError(f"{place}:1: front matter is missing; begin the file with `---`")
    ends = next((index for index, line in enumerate(lines[1:], 1) if line.strip() == "---"), None)
    if ends is None:
        raise SkillError(f"{place}:1: front matter is not closed; end it with `---`")
    try:
        node = yaml.compose("\n".join(lines[1:ends]), Loader=yaml.SafeLoader)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line if error.problem_mark else 0
        raise SkillError(f"{place}:{line + _OFFSET}: front matter is not YAML: {error.problem}") from error
    return _skill(place, node)


_OFFSET = 2
"""The first line of front matter is the second of the file, and YAML counts from 0."""


def _lines(place: str) -> list[str]:
    data = Path(place).read_bytes()
    try:
        return data.decode("utf-8").splitlines()
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise SkillError(f"{place}:{line}: is not UTF-8 text; save it as UTF-8") from error


def _skill(place: str, node: yaml.Node | None) -> Skill:
    """Return the skill that the nodes of front matter hold; keys of other readers are passed over."""
    if not isinstance(node, yaml.MappingNode):
        raise SkillError(f"{place}:{_OFFSET}: front matter is a mapping of `name`, `description` and `triggers`")
    values = {key.value: value for key, value in node.value}
    description = _text(place, "description", values.get("description"))
    return Skill(
        name=_text(place, "name", values.get("name")),
        description=" ".join(description.split()),
        triggers=_triggers(place, values.get("triggers")),
    )


def _text(place: str, key: str, node: yaml.Node | None) -> str:
    if node is None:
        raise SkillError(f"{place}:{_OFFSET}: `{key}` is missing; write text")
    if node.tag != _TEXT or not node.value.strip():
        raise SkillError(f"{_at(place, node)}: `{key}` is text; write it in quotes")
    return str(node.value)


def _triggers(place: str, node: yaml.Node | None) -> tuple[str, ...]:
    if node is None:
        return ()
    items = node.value if isinstance(node, yaml.SequenceNode) else [node]
    wrong = next((item for item in items if item.tag != _TEXT), None if items is node.value else node)
    if wrong is not None:
        raise SkillError(f"{_at(place, wrong)}: `triggers` is a list of text")
    return tuple(str(item.value) for item in items)


_TEXT = "tag:yaml.org,2002:str"


def _at(place: str, node: yaml.Node) -> str:
    return f"{place}:{node.start_mark.line + _OFFSET}"
