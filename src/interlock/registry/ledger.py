"""The history of a registry as JSON, and back; what a person edited by hand is found out.

Source: decision-engine specification, versions and registry.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import get_args

from interlock.errors import PromptError
from interlock.judge.wire import parse_json
from interlock.prompts import LAYERS
from interlock.questions import Json
from interlock.registry.index import Act, Change, Index, fold

__all__ = ["change_json", "index_text", "read_history", "read_index"]

FORMAT = 1
_KEYS = ("at", "act", "name", "version", "layer", "digest")


def index_text(index: Index) -> str:
    """Return `registry.json`: name → layer, versions and labels, then the history they follow from."""
    written = {
        "format": FORMAT,
        "prompts": _prompts(index),
        "history": [change_json(change) for change in index.history],
    }
    return json.dumps(written, ensure_ascii=False, indent=2) + "\n"


def read_index(text: str, place: str) -> Index:
    """Return the index that `registry.json` holds.

    Raises:
        PromptError: it is not of this format, or its parts disagree.
    """
    try:
        value = parse_json(text)
    except ValueError as error:
        raise PromptError(f"{place}: is not JSON, or names a key twice") from error
    written = value.get("history") if isinstance(value, Mapping) and value.get("format") == FORMAT else None
    if not isinstance(value, Mapping) or not isinstance(written, list):
        raise PromptError(f"{place}: is not a registry of format {FORMAT}")
    index = read_history(written, place)
    if value.get("prompts") != _prompts(index):
        raise PromptError(
            f"{place}: `prompts` disagrees with `history`; restore the file, changes go through `publish`"
        )
    return index


def read_history(written: Iterable[object], place: str) -> Index:
    """Return what a written history leads to.

    Raises:
        PromptError: a change is of another form, or could not have been made.
    """
    changes = [read_change(item, f"{place}: history[{at}]") for at, item in enumerate(written)]
    try:
        return fold(changes)
    except PromptError as error:
        raise PromptError(f"{place}: the history cannot have been written so: {error}") from error


def change_json(change: Change) -> dict[str, Json]:
    """Return a change as it is written; label and share only where there are any."""
    written: dict[str, Json] = {key: getattr(change, key) for key in _KEYS}
    if change.label is not None:
        written["label"] = change.label
    if change.share is not None:
        written["share"] = change.share
    return written


def read_change(value: object, place: str) -> Change:
    """Return the change that was written.

    Raises:
        PromptError: a part is missing or of another form.
    """
    if not isinstance(value, Mapping):
        raise PromptError(f"{place}: is not an object")
    texts = {key: value.get(key) for key in _KEYS}
    label, share = value.get("label"), value.get("share")
    wrong = next((key for key, text in texts.items() if not isinstance(text, str)), None)
    acts: tuple[Act, ...] = get_args(Act)
    act = next((act for act in acts if act == texts["act"]), None)
    layer = next((layer for layer in LAYERS if layer == texts["layer"]), None)
    is_number = share is None or (isinstance(share, int | float) and not isinstance(share, bool))
    if wrong is not None or act is None or layer is None or not is_number or not isinstance(label, str | None):
        raise PromptError(f"{place}: `{wrong or 'act'}` is not what a registry writes")
    return Change(
        at=str(texts["at"]),
        act=act,
        name=str(texts["name"]),
        version=str(texts["version"]),
        layer=layer,
        digest=str(texts["digest"]),
        label=label,
        share=None if share is None else float(share),
    )


def _prompts(index: Index) -> dict[str, Json]:
    return {
        name: {
            "layer": entry.layer,
            "versions": dict(entry.versions),
            "labels": {
                label: {"version": to.version} if to.share is None else {"version": to.version, "share": to.share}
                for label, to in entry.current().items()
            },
        }
        for name, entry in sorted(index.entries.items())
    }
