"""Break every policy line of every shipped contract in every small way; no mutant may change meaning silently.

A mutant is refused, means exactly the same, or differs in a threshold's number only, which is a valid contract
with another threshold. Anything else is a silent change, and the program ends with 1.
Source: decision-contract/v1, tests that keep it honest.
"""

from __future__ import annotations

import dataclasses
import string
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Literal, TypeAlias

from interlock.contract import Contract, compile_contract
from interlock.errors import ContractError
from interlock.loop.capabilities import REFERENCE

__all__ = ["ALPHABET", "CONTRACTS", "Mutant", "Verdict", "character_mutants", "judge", "policy_lines", "token_mutants"]

CONTRACTS = Path(__file__).parents[1] / "src" / "interlock" / "contracts"
ALPHABET = string.ascii_letters + string.digits + "_:.<>=→-" + " "

Verdict: TypeAlias = Literal["refused", "same", "threshold", "silent"]


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Mutant:
    """One line replaced."""

    line: int
    """0-based."""
    text: str


def policy_lines(text: str) -> Iterator[tuple[int, str]]:
    """Yield the 0-based number and text of every `policy:` line and of every item below it."""
    inside = False
    for number, line in enumerate(text.splitlines()):
        word = line.strip()
        inside = word == "policy:" or (inside and word.startswith("- "))
        if inside:
            yield number, line


def token_mutants(number: int, line: str) -> Iterator[Mutant]:
    """Yield the line with each token deleted, doubled, and swapped with the next one."""
    tokens = line.split()
    for i, token in enumerate(tokens):
        yield _joined(number, line, [*tokens[:i], *tokens[i + 1 :]])
        yield _joined(number, line, [*tokens[: i + 1], token, *tokens[i + 1 :]])
        if i + 1 < len(tokens):
            yield _joined(number, line, [*tokens[:i], tokens[i + 1], token, *tokens[i + 2 :]])


def character_mutants(number: int, line: str) -> Iterator[Mutant]:
    """Yield the line with each character replaced by each other character of the alphabet."""
    for i, old in enumerate(line):
        for new in ALPHABET:
            if new != old:
                yield Mutant(line=number, text=line[:i] + new + line[i + 1 :])


def judge(lines: Sequence[str], mutant: Mutant, original: Contract) -> Verdict:
    """Return what became of `original`, whose text is `lines`, under `mutant`."""
    text = "\n".join((*lines[: mutant.line], mutant.text, *lines[mutant.line + 1 :]))
    try:
        changed = compile_contract(text, original.capabilities)
    except ContractError:
        return "refused"
    if changed.digest == original.digest:
        return "same"
    return "threshold" if _without_thresholds(changed) == _without_thresholds(original) else "silent"


def _joined(number: int, line: str, tokens: Iterable[str]) -> Mutant:
    indent = line[: len(line) - len(line.lstrip())]
    return Mutant(line=number, text=indent + " ".join(tokens))


def _without_thresholds(contract: Contract) -> object:
    plain: list[object] = []
    for decision in contract.decisions.values():
        rules = [(dataclasses.replace(rule.predicate, threshold=None), rule.action) for rule in decision.policy.rules]
        plain.append(dataclasses.replace(decision, policy=dataclasses.replace(decision.policy, rules=()), line=0))
        plain.append(rules)
    return (plain, contract.generator, contract.title)


def _sweep_line(path: Path, number: int, line: str) -> list[tuple[Verdict, str]]:
    text = path.read_text(encoding="utf-8")
    original = compile_contract(text, REFERENCE)
    mutants = (*token_mutants(number, line), *character_mutants(number, line))
    return [(judge(text.splitlines(), mutant, original), mutant.text) for mutant in mutants]


def main() -> int:
    """Sweep every shipped contract; return the exit code."""
    started = time.perf_counter()
    jobs = [
        (path, number, line)
        for path in sorted(CONTRACTS.glob("*.md"))
        for number, line in policy_lines(path.read_text(encoding="utf-8"))
    ]
    counts: dict[Verdict, int] = {"refused": 0, "same": 0, "threshold": 0, "silent": 0}
    with ProcessPoolExecutor() as pool:
        for (path, number, line), results in zip(jobs, pool.map(_sweep_line, *zip(*jobs, strict=True)), strict=True):
            for verdict, text in results:
                counts[verdict] += 1
                if verdict == "silent":
                    print(f"{path.name}:{number + 1}: `{line}` became `{text}`")
    print(
        f"mutants {sum(counts.values())}, refused {counts['refused']}, same {counts['same']}, "
        f"threshold edits {counts['threshold']}, silent changes {counts['silent']}"
    )
    print(f"{time.perf_counter() - started:.1f} s", file=sys.stderr)
    return 1 if counts["silent"] else 0


if __name__ == "__main__":
    raise SystemExit(main())
