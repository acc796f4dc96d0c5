"""No small slip in a policy of a shipped contract changes what it does without a word.

`make sweep` runs every mutant; here every token-level one runs, and a seeded sample of the rest.
"""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from bench.sweep import ALPHABET, CONTRACTS, Mutant, character_mutants, judge, policy_lines, token_mutants

from interlock.contract.compile import compile_contract
from interlock.loop.capabilities import REFERENCE

SAMPLE = 600
FILES = sorted(CONTRACTS.glob("*.md"))


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_no_token_level_mutant_is_a_silent_change(file: Path) -> None:
    """Deleting, doubling or swapping a word is refused or means the same."""
    text = file.read_text(encoding="utf-8")
    original = compile_contract(text, REFERENCE)
    mutants = [mutant for number, line in policy_lines(text) for mutant in token_mutants(number, line)]
    verdicts = [judge(text.splitlines(), mutant, original) for mutant in mutants]

    assert len(mutants) > 200
    assert [mutant.text for mutant, verdict in zip(mutants, verdicts, strict=True) if verdict == "silent"] == []


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_no_sampled_character_mutant_is_a_silent_change(file: Path) -> None:
    """One wrong character is refused, means the same, or is another threshold in plain sight."""
    text = file.read_text(encoding="utf-8")
    original = compile_contract(text, REFERENCE)
    mutants = [mutant for number, line in policy_lines(text) for mutant in character_mutants(number, line)]
    sample = random.Random(20_260_921).sample(mutants, SAMPLE)
    verdicts = {mutant: judge(text.splitlines(), mutant, original) for mutant in sample}

    assert [mutant.text for mutant, verdict in verdicts.items() if verdict == "silent"] == []
    assert set(verdicts.values()) >= {"refused", "threshold"}


CONTRACT = """\
# T
schema: decision-contract/v1
## d
kind: noul
when: step-start
ask: Is there work left?
- true — yes
- false — no
frame:
  + task 400 —— what is asked
{exclusions}
policy:
  - prob:d >= 0.7 → use_tool
  - else → answer
## generator
Write.
""".format(
    exclusions="\n".join(f"  - {cell} —— no bearing" for cell in REFERENCE.cells if cell not in {"task", "facts"})
)


@pytest.mark.parametrize(
    ("line", "replacement", "verdict"),
    [
        pytest.param("  - prob:d >= 0.7 → use_tool", "  - prob:d >= 0.7 → use_tol", "refused", id="typo-in-the-action"),
        pytest.param("  - prob:d >= 0.7 → use_tool", "  - prob:d > 0.7 → use_tool", "refused", id="no-such-sign"),
        pytest.param("  - prob:d >= 0.7 → use_tool", "", "refused", id="blank-line-ends-the-list"),
        pytest.param("  - prob:d >= 0.7 → use_tool", "-  prob:d>=0.7->use_tool", "same", id="another-spelling"),
        pytest.param("  - prob:d >= 0.7 → use_tool", "  - prob:d >= 0.70 → use_tool", "same", id="another-number"),
        pytest.param("  - prob:d >= 0.7 → use_tool", "  - prob:d >= 0.8 → use_tool", "threshold", id="threshold"),
        pytest.param("  - prob:d >= 0.7 → use_tool", "  - prob:d < 0.7 → use_tool", "silent", id="control-sign"),
        pytest.param("  - prob:d >= 0.7 → use_tool", "  - prob:d >= 0.7 → answer", "silent", id="control-action"),
        pytest.param("kind: noul", "kind: noul <!-- prose -->", "same", id="comment"),
        pytest.param("## generator", "**Note** for people.\n## generator", "same", id="prose"),
        pytest.param("Write.", "Write!", "silent", id="control-generator"),
    ],
)
def test_the_sweep_tells_the_kinds_of_mutants_apart(line: str, replacement: str, verdict: str) -> None:
    """The rows named control are larger than any mutant of the sweep: it would see a silent change."""
    lines = CONTRACT.splitlines()
    mutant = Mutant(line=lines.index(line), text=replacement)

    assert judge(lines, mutant, compile_contract(CONTRACT, REFERENCE)) == verdict


def test_every_policy_line_is_swept() -> None:
    """The key that opens the list and each item below it."""
    lines = CONTRACT.splitlines()

    assert [line for _, line in policy_lines(CONTRACT)] == lines[lines.index("policy:") : lines.index("## generator")]


def test_mutants_cover_every_place() -> None:
    """Each token three ways, each character by each other one."""
    assert [mutant.text for mutant in token_mutants(0, "  - a → b")] == [
        "  a → b",
        "  - - a → b",
        "  a - → b",
        "  - → b",
        "  - a a → b",
        "  - → a b",
        "  - a b",
        "  - a → → b",
        "  - a b →",
        "  - a →",
        "  - a → b b",
    ]
    assert len(list(character_mutants(0, "a→"))) == 2 * (len(ALPHABET) - 1)
