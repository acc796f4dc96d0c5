"""The JSON file that an id names."""

from __future__ import annotations

from pathlib import Path

from interlock.errors import SettingsError, UsageError
from interlock.judge.wire import parse_json
from interlock.questions import Json
from interlock.wiring.ids import Id

__all__ = ["json_of"]


def json_of(id_: Id) -> Json:
    """Return the value that the file holds.

    Raises:
        SettingsError: the id names no file, or it cannot be read.
    """
    if not id_.model:
        raise UsageError(f"`{id_.text}` names no file; write `{id_.provider}:FILE`")
    try:
        return parse_json(Path(id_.model).read_bytes())
    except OSError as error:
        raise SettingsError(f"`{id_.text}`: the file cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise SettingsError(f"`{id_.text}`: the file is not JSON in UTF-8") from error
