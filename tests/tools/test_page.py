"""The page about tools says what the code does."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from interlock.tools import facts
from interlock.tools.table import reference_table

REPO = Path(__file__).parents[2]
PAGE = (REPO / "docs/reference/tools.md").read_text(encoding="utf-8")


def test_the_table_of_tools_is_the_one_in_the_code() -> None:
    rows = re.findall(r"^\| `(\w+)` \| (\d) \| (\w+) \| (\w+) \| (.*?) \|", PAGE, re.MULTILINE)
    assert rows == [
        (
            tool.name,
            str(tool.base_risk),
            tool.effect,
            tool.input_source,
            ", ".join(f"`{cell}`" for cell in tool.needs) or "always",
        )
        for tool in reference_table().values()
    ]


def test_the_table_of_facts_is_the_one_in_the_code() -> None:
    table = [line for line in (facts.__doc__ or "").splitlines() if line.startswith("|")]
    assert "\n".join(table) in PAGE


def test_every_kind_of_failure_is_on_the_page() -> None:
    source = "\n".join(path.read_text(encoding="utf-8") for path in (REPO / "src/interlock/tools").glob("*.py"))
    raised = set(re.findall(r"ToolError\(\s*\"([a-z-]+)\"", source)) | set(
        re.findall(r"errno\.\w+: \(\"([a-z-]+)\"", source)
    )
    assert raised == set(re.findall(r"^\| `([a-z-]+)` \| [^|]* \|$", PAGE, re.MULTILINE))


@pytest.mark.parametrize("example", re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL))
def test_the_examples_run(example: str) -> None:
    exec(compile(example, "docs/reference/tools.md", "exec"), {"__name__": "example"})
