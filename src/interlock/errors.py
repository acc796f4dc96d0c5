"""Every error this package raises on purpose.

InterlockError
├── ContractError          a contract is wrong; carries every Diagnostic
│   └── SchemaVersionError     the file may be fine: this release cannot read its schema
├── HostError              a host does not supply what it declares
├── FrameError             a frame cannot be built as declared
├── QuestionError          a question cannot be asked
├── DecisionError          no valid pick after every attempt (also a ValueError)
├── MissingContextError    a hidden parameter has neither context nor default (also a TypeError)
├── ModelError             a text model's call failed as a whole
├── ApprovalDenied         no approver allowed a call that requires approval
├── FunctionTimeout        a function took longer than it may (also a TimeoutError)
├── ToolError              a tool failed
├── PromptError            a prompt, a pack or a registry of prompts is wrong
├── ExperimentError        an experiment or its cases cannot show anything
├── JournalError           a journal cannot be opened, read or written
│   └── HeadMovedError         another process appended first
├── ApprovalError          an approval cannot be given or used
└── SettingsError          a setting is unknown or out of range
    └── UsageError             what was named does not exist, or is not spelt as it should be
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Generic, TypeVar

__all__ = [
    "ApprovalDenied",
    "ApprovalError",
    "Cancelled",
    "ContractError",
    "DecisionError",
    "ExperimentError",
    "FrameError",
    "FunctionTimeout",
    "HeadMovedError",
    "HostError",
    "InterlockError",
    "JournalError",
    "MissingContextError",
    "ModelError",
    "PromptError",
    "QuestionError",
    "SchemaVersionError",
    "SettingsError",
    "ToolError",
    "UsageError",
]

D = TypeVar("D")


class InterlockError(Exception):
    """Base of every deliberate error; each survives `pickle` and `copy` with its attributes."""

    def __reduce__(self) -> tuple[object, ...]:
        return (_made_again, (type(self), self.args), vars(self))


def _made_again(kind: type[InterlockError], args: tuple[object, ...]) -> InterlockError:
    """Return an error without running its constructor, whose arguments are not `args`."""
    error = kind.__new__(kind, *args)
    error.args = args
    return error


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


class DecisionError(InterlockError, ValueError, Generic[D]):
    """No valid pick after every attempt."""

    def __init__(
        self, message: str, kind: str, attempts: Sequence[D], replies: Sequence[str | None], options: Sequence[str]
    ) -> None:
        super().__init__(message)
        self.kind = kind
        """The kind of the last attempt."""
        self.attempts: tuple[D, ...] = tuple(attempts)
        self.replies: tuple[str | None, ...] = tuple(replies)
        """The raw replies in full; None for one that was not text."""
        self.options: tuple[str, ...] = tuple(options)
        """Option names in menu order."""


class MissingContextError(InterlockError, TypeError):
    """A hidden parameter has neither a value in `context` nor a default."""


class ModelError(InterlockError):
    """A text model's call failed as a whole; holds no text of the request."""

    def __init__(self, message: str, *, reason: str, retryable: bool) -> None:
        super().__init__(message)
        self.reason = reason
        self.retryable = retryable


class ApprovalDenied(InterlockError):  # noqa: N818  (the outcome's own name)
    """A call requires approval, and nobody who may give it did."""


class FunctionTimeout(InterlockError, TimeoutError):  # noqa: N818  (the outcome's own name)
    """A function took longer than it may; `still_running`: its thread could not be stopped."""

    def __init__(self, message: str, *, still_running: bool) -> None:
        super().__init__(message)
        self.still_running = still_running


class Cancelled(BaseException):
    """Raised in the abandoned body of a call that timed out, when it asks a model; not an `Exception` on purpose."""


class ToolError(InterlockError):
    """A tool failed; `kind` is a short slug such as `not-found`."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind


class PromptError(InterlockError):
    """A prompt, a pack of layers or a registry of prompts is wrong, or a version is not what was published."""


class ExperimentError(InterlockError):
    """An experiment cannot show anything as it stands: its arms, its cases or its results."""


class JournalError(InterlockError):
    """A journal cannot be opened, read or written."""


class HeadMovedError(JournalError):
    """A record was to follow a certain one, and another process appended first; nothing was written."""


class ApprovalError(InterlockError):
    """An approval cannot be given or used; `kind` is a short slug such as `expired`."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind


class SettingsError(InterlockError):
    """A setting is unknown, unreadable or out of range."""


class UsageError(SettingsError):
    """What a caller named does not exist, or a value is not spelt as it should be; nothing was looked at yet."""
