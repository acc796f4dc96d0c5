"""Run the tests of the pure rooms under branch coverage, and end with 1 where a line or a branch of one is not reached.

The pure rooms are those that `pyproject.toml` forbids a clock, randomness, files and an event loop.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Sequence
from pathlib import Path

REPO = Path(__file__).resolve().parents[1]
CONTRACT = "pure rooms"
TESTS = (
    "text", "questions", "actions", "frame", "policy", "contract", "schema", "menu", "functions", "prompts",
    "registry/test_index.py", "registry/test_registry.py", "registry/test_files.py", "experiments",
    "tools/test_facts.py", "tools/test_files.py", "tools/test_ignore.py", "tools/test_spelling.py",
    "tools/test_task.py", "tools/test_text.py", "engine", "decision", "postgres/test_address.py",
    "models/test_reply.py", "models/test_repair.py", "loop/test_step.py", "loop/test_step_actions.py",
    "loop/test_projections.py", "loop/test_candidates.py", "loop/test_budget_and_breaker.py",
    "pipeline/test_gating.py", "agents/test_session_graph.py",
)  # fmt: skip
SLOW = (
    "contract/test_diff.py::test_there_is_a_difference_exactly_where_the_digests_differ",
    "contract/test_format.py::test_every_spelling_of_one_contract_formats_alike",
    "contract/test_properties.py",
    "contract/test_sweep.py",
    "decision/test_colours.py",
    "engine/test_forms.py::test_a_valid_decision_is_read_as_it_was_written",
    "engine/test_forms.py::test_a_valid_line_form_is_read_as_it_was_written",
    "engine/test_forms.py::test_hostile_text_takes_time_in_proportion_to_its_length",
    "engine/test_forms.py::test_no_text_makes_a_reader_raise",
    "engine/test_real_server.py",
    "experiments/test_power.py",
    "functions/test_form_source.py::test_any_function_reads_alike",
    "functions/test_leaks.py",
    "loop/test_candidates.py::test_whoever_picks_anything_but_done_comes_to_an_end",
    "loop/test_projections.py::test_any_value_of_a_cell_without_steps_can_be_projected",
    "menu/test_reply.py::test_any_object_is_a_pick_or_a_problem",
    "menu/test_reply.py::test_any_text_is_a_pick_or_a_problem",
    "models/test_reply.py::test_any_text_is_answered",
    "models/test_reply.py::test_any_text_near_json_is_answered",
    "models/test_reply.py::test_what_was_written_is_what_is_read",
    "tools/test_files.py::test_a_long_listing_is_cut_and_says_so",
)
"""Tests that take long and reach nothing in these rooms that the others do not."""


def main() -> int:
    """Return the exit code."""
    settings = tomllib.loads((REPO / "pyproject.toml").read_text(encoding="utf-8"))["tool"]
    with tempfile.TemporaryDirectory() as place:
        configured = Path(place) / "coverage.toml"
        configured.write_text(_configuration(settings, Path(place) / "data"), encoding="utf-8")
        tests = [f"tests/{name}" for name in TESTS if (REPO / "tests" / name).exists()]
        left_out = [f"--deselect=tests/{name}" for name in SLOW]
        options = ["-q", "-p", "no:randomly", "-p", "no:cacheprovider", "--hypothesis-profile=ci", *sys.argv[1:]]
        ran = _coverage(configured, "run", "-m", "pytest", *options, *left_out, *tests)
        _coverage(configured, "combine", "--quiet")
        return max(ran, _coverage(configured, "report"))


def _configuration(settings: dict[str, dict[str, object]], data: Path) -> str:
    report = settings["coverage"]["report"]
    assert isinstance(report, dict)  # noqa: S101 - a table of pyproject.toml
    run = ["branch = true", "parallel = true", 'patch = ["subprocess"]', f'data_file = "{data}"']
    run.append(f"include = {_texts(_patterns(settings))}")
    told = ["fail_under = 100", "show_missing = true", "skip_covered = true", "precision = 1"]
    told.append(f"exclude_also = {_texts(report['exclude_also'])}")
    return "\n".join(["[tool.coverage.run]", *run, "[tool.coverage.report]", *told]) + "\n"


def _patterns(settings: dict[str, dict[str, object]]) -> Sequence[str]:
    """Return the files of the rooms: a module is one file, a package all that is in it."""
    contracts = settings["importlinter"]["contracts"]
    assert isinstance(contracts, list)  # noqa: S101 - a table of pyproject.toml
    (pure,) = [contract for contract in contracts if contract["name"].startswith(CONTRACT)]
    paths = [f"{REPO}/src/{module.replace('.', '/')}" for module in pure["source_modules"]]
    return [f"{path}/*" if Path(path).is_dir() else f"{path}.py" for path in paths]


def _texts(values: Sequence[str]) -> str:
    return "[" + ", ".join("'" + value + "'" for value in values) + "]"


def _coverage(configured: Path, *arguments: str) -> int:
    verb, *rest = arguments
    command = [sys.executable, "-m", "coverage", verb, f"--rcfile={configured}", *rest]
    return subprocess.run(command, cwd=REPO, check=False).returncode  # noqa: S603 - its own arguments


if __name__ == "__main__":
    raise SystemExit(main())
