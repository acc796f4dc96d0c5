"""How the judge is asked, as settings: every source, every value, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from interlock.errors import SettingsError
from interlock.judge.options import DEFAULTS, JudgeOptions
from interlock.settings import load_settings

HOME = {"HOME": "/home/nobody"}


def test_without_any_source_a_judge_is_asked_once_and_nothing_is_kept(tmp_path: Path) -> None:
    settings = load_settings(directory=tmp_path, environ=HOME)
    assert settings.judging == DEFAULTS
    assert settings.origins["judging.order"] == "default"


def test_a_file_and_the_environment_are_merged_key_by_key(tmp_path: Path) -> None:
    (tmp_path / "interlock.toml").write_text(
        'judge = "typesafe:jev-1.13.0, rules"\n[judging]\norder = "balanced"\ncache = "kept.db"\n', encoding="utf-8"
    )
    environ = HOME | {"INTERLOCK_JUDGING": "order=reversed_check,timeout_s=2.5,readout=logprobs"}
    settings = load_settings(directory=tmp_path, environ=environ)
    assert settings.judge == "typesafe:jev-1.13.0, rules"
    assert settings.judging == JudgeOptions(order="reversed_check", cache="kept.db", timeout_s=2.5, readout="logprobs")
    assert settings.origins["judging.order"] == "environment INTERLOCK_JUDGING"
    assert settings.origins["judging.cache"] == "file interlock.toml"


@pytest.mark.parametrize(
    ("given", "message"),
    [
        pytest.param("ordr=balanced", r"no setting `judging\.ordr`; did you mean `order`\?", id="an-unknown-key"),
        pytest.param("order=blanced", r"`judging\.order` cannot be `blanced`; did you mean `balanced`\?", id="a-word"),
        pytest.param("readout=xml", r"`judging\.readout` cannot be `xml`; write one of: `json`", id="a-readout"),
        pytest.param("refusals=no", r"`judging\.refusals` cannot be `no`", id="refusals"),
        pytest.param("timeout_s=0", r"`judging\.timeout_s` is `0`; write a number above 0", id="no-time"),
        pytest.param("timeout_s=soon", r"write a number", id="no-number"),
        pytest.param("record=", r"`judging\.record` is not text", id="an-empty-path"),
    ],
)
def test_what_cannot_be_stops_the_program(tmp_path: Path, given: str, message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        load_settings(directory=tmp_path, environ=HOME | {"INTERLOCK_JUDGING": given})
