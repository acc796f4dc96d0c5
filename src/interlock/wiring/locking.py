"""The file of locks that the settings name.

Source: backends specification, sections 6 and 11.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from interlock.errors import SettingsError
from interlock.judge.locks import Locks, is_moving, locks_from_json
from interlock.judge.options import JudgeOptions
from interlock.judge.readings import Identity
from interlock.judge.wire import parse_json

__all__ = ["locks_of", "refuse_moving"]


def locks_of(options: JudgeOptions) -> Locks:
    """Return the locks, none where no file is named.

    Raises:
        SettingsError: the file cannot be read or holds something else.
    """
    if options.locks is None:
        return Locks()
    try:
        value = parse_json(Path(options.locks).read_bytes())
    except OSError as error:
        raise SettingsError(f"locks: `{options.locks}` cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise SettingsError(f"locks: `{options.locks}` is not JSON in UTF-8") from error
    return locks_from_json(value, f"locks: `{options.locks}`")


def refuse_moving(identities: Sequence[Identity], locks: Locks) -> None:
    """Refuse aliases beside locked thresholds.

    Raises:
        SettingsError: a model moves without notice.
    """
    for identity in identities:
        if locks.locks and is_moving(identity.model):
            raise SettingsError(
                f"judge: `{identity.judge}` moves without notice, and thresholds are locked; name a version"
            )
