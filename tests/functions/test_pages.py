"""The pages about functions say what the code does."""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path

import pytest

from interlock.functions.metadata import INPUT_KEYS

DOCS = Path(__file__).parents[2] / "docs"
REFERENCE = (DOCS / "reference/functions.md").read_text(encoding="utf-8")
GUIDE = (DOCS / "guides/functions.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("page", [pytest.param(REFERENCE, id="reference"), pytest.param(GUIDE, id="guide")])
def test_the_examples_run_and_print_what_the_page_shows(page: str) -> None:
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec("\n".join(re.findall(r"```python\n(.*?)```", page, re.DOTALL)), {"__name__": "example"})

    shown = "".join(re.findall(r"```text\n(.*?)```", page, re.DOTALL))
    assert printed.getvalue().strip() == shown.strip()


def test_every_key_of_input_is_on_the_page() -> None:
    for key in INPUT_KEYS:
        assert f'"{key}"' in REFERENCE
