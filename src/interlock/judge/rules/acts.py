"""What a call does, read from the tool table where the tool is known and from its name and input elsewhere.

Knows nothing of tasks.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType

from interlock.tools.base import ToolTable
from interlock.tools.task.verbs import OBSERVING, verb_act

__all__ = ["acts_of", "name_words"]

_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_SHELLS = frozenset({"run", "exec", "execute", "shell", "bash", "sh", "terminal", "command", "cmd", "powershell"})
_FILES = frozenset({"dir", "dirs", "directory", "file", "files", "folder", "folders", "tree", "ls"})
_STRONG = re.compile(r"^(?:sudo )?(\w[\w.-]*)(?: (\w+))?")
_COMMANDS: Mapping[str, str] = MappingProxyType(
    {
        "rm": "delete", "rmdir": "delete", "mv": "move", "cp": "write", "touch": "write", "mkdir": "write",
        "tee": "write", "cat": "read", "less": "read", "head": "read", "tail": "read", "wc": "read", "stat": "read",
        "df": "read", "du": "read", "ps": "read", "ls": "list", "tree": "list", "find": "search", "grep": "search",
        "rg": "search", "curl": "read", "mail": "send", "sendmail": "send", "pytest": "test", "make": "build",
    }
)  # fmt: skip
_STATEMENTS: Mapping[str, str] = MappingProxyType(
    {
        "select": "read", "show": "read", "describe": "read", "explain": "read", "with": "read", "insert": "write",
        "update": "write", "create": "write", "alter": "write", "replace": "write", "merge": "write",
        "delete": "delete", "drop": "delete", "truncate": "delete",
    }
)  # fmt: skip


def name_words(name: str) -> tuple[str, ...]:
    """Return the words of a tool's name: `sendEmail`, `send_email` and `mail.send-email` hold `send`, `email`."""
    return tuple(word.lower() for word in _WORD.findall(name))


def acts_of(name: str, given: str, tools: ToolTable) -> frozenset[str]:
    """Return the acts that a call performs; empty when neither table nor name tells.

    Args:
        name: The tool's name.
        given: Its input, or the empty text when it is not known.
        tools: The host's tools.
    """
    tool = tools.get(name)
    if tool is not None and tool.effect != "other":
        return frozenset({tool.effect})
    words = name_words(name)
    if "sql" in words or "query" in words:
        found = _STATEMENTS.get(given.split(maxsplit=1)[0].lower()) if given.strip() else "read"
        return frozenset({found or "read"})
    if _SHELLS & set(words):
        return _of_command(given)
    if words and words[0] in {"http", "rest", "api"}:
        return frozenset({"read"}) if "get" in words else frozenset({"send"})
    return _of_words(words)


def _of_words(words: tuple[str, ...]) -> frozenset[str]:
    """The first verb of a name decides; a list of anything but files shows what it lists, as a read does."""
    found = [act for act in (verb_act(word) for word in words) if act]
    if found[:1] == ["list"]:
        return frozenset({"list"}) if _FILES & set(words) else frozenset({"list", "read"})
    if found and found[0] in OBSERVING:
        return frozenset({found[0]})
    return frozenset(act for act in found if act not in OBSERVING)


def _of_command(command: str) -> frozenset[str]:
    match = _STRONG.match(command.strip())
    if match is None:
        return frozenset({"run"})
    program, verb = match.group(1), match.group(2)
    acts = {"run", _COMMANDS.get(program, ""), (verb_act(verb) or "") if verb and program not in _COMMANDS else ""}
    return frozenset(acts - {""})
