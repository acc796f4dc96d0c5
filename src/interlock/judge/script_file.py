"""A script for a judge, as a file holds it: question id → an answer, or a list of successive answers.

An answer is a number, a label, a distribution `{label or level: probability}`, or null to abstain.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from interlock.errors import SettingsError
from interlock.judge.scripted import Script, ScriptedJudge
from interlock.questions import Json

__all__ = ["judge_from_json"]


def judge_from_json(value: Json, *, judge: str) -> ScriptedJudge:
    """Return the judge that follows the script.

    Raises:
        SettingsError: the script is not of the form above; the message names the question.
    """
    if not isinstance(value, Mapping):
        raise SettingsError(f"`{judge}` must hold one JSON object, question id → answer or list of answers")
    for id_, given in value.items():
        successive = given if isinstance(given, list) else [given]
        if not all(_is_answer(item) for item in successive):
            raise SettingsError(f"`{judge}`: `{id_}`: write a number, a label, a distribution, null, or a list of them")
    return ScriptedJudge(cast("Script", value), judge=judge)


def _is_answer(item: Json) -> bool:
    if isinstance(item, Mapping):
        return all(_is_number(p) for p in item.values())
    return item is None or isinstance(item, str | bool) or _is_number(item)


def _is_number(item: Json) -> bool:
    return isinstance(item, int | float) and not isinstance(item, bool)
