"""Every error this package raises on purpose.

InterlockError
├── ContractError          a contract is wrong; carries every Diagnostic
│   └── SchemaVersionError     the file may be fine: this release cannot read its schema
├── HostError              a host does not supply what it declares
├── FrameError             a frame cannot be built as declared
├── QuestionError          a question cannot be asked
├── ToolError              a tool failed
├── JournalError           a journal cannot be opened, read or written
└── SettingsError          a setting is unknown or out of range
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Generic, TypeVar

__all__ = [
    "ContractError",
    "FrameError",
    "HostError",
    "InterlockError",
    "JournalError",
    "QuestionError",
    "SchemaVersionError",
    "SettingsError",
    "ToolError",
]

D = TypeVar("D")


class InterlockError(Exception):
    """Base of every deliberate error."""


class ContractError(InterlockError, Generic[D]):
    """A contract does not compile; `diagnostics` holds every finding, errors and warnings."""

    def __init__(self, message: str, diagnostics: Sequence[D]) -> None:
        super().__init__(message)
        self.diagnostics: tuple[D, ...] = tuple(diagnostics)


class SchemaVersionError(ContractError[D]):
    """The file names no schema, or one that this release cannot read."""


class HostError(InterlockError):
    """A host lacks something its capabilities declare; `missing` names every one."""

    def __init__(self, message: str, missing: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.missing: tuple[str, ...] = tuple(missing)


class FrameError(InterlockError):
    """A frame cannot be built as declared."""


class QuestionError(InterlockError):
    """A question cannot be asked; the message names the field and never its content."""


class ToolError(InterlockError):
    """A tool failed; `kind` is a short slug such as `not-found`."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind


class JournalError(InterlockError):
    """A journal cannot be opened, read or written."""


class SettingsError(InterlockError):
    """A setting is unknown, unreadable or out of range."""
