"""The gate that wasn't: three slips that would open a gate, each refused with its place before anything runs.

Run it from anywhere: `python examples/demos/gate_that_wasnt.py`. Needs no network.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from interlock.loop.reference import shipped_text

INTERLOCK = Path(sys.executable).with_name("interlock")


@dataclass(frozen=True, slots=True, kw_only=True)
class Slip:
    """One small change of one line of the decision `grade_risk`, and what must be said about it."""

    story: str
    line: str
    """How the line begins."""
    old: str
    new: str | None
    """What `old` becomes; None deletes the line."""
    code: str


SLIPS = (
    Slip(
        story="an action is misspelt: a rule that could never ask anyone",
        line="- score:risk >= 2",
        old="ask_human",
        new="ask_humn",
        code="unknown-action",
    ),
    Slip(
        story="`prob:` is aimed at a score: a comparison with a number that does not exist",
        line="- score:risk >= 2",
        old="score:risk",
        new="prob:risk",
        code="wrong-question-type",
    ),
    Slip(
        story="an exclusion is deleted: nothing keeps tool output out of the question about risk any more",
        line="- lastResult",
        old="- lastResult",
        new=None,
        code="unaccounted-cell",
    ),
)


def check(text: str, folder: Path) -> tuple[int, list[str]]:
    """Return exit code and output lines of `interlock check` on `text`."""
    (folder / "DECISION.md").write_text(text, encoding="utf-8")
    done = subprocess.run([INTERLOCK, "check"], cwd=folder, capture_output=True, text=True, check=False)  # noqa: S603 -- our own program
    return done.returncode, (done.stdout + done.stderr).splitlines()


def slipped(contract: str, slip: Slip) -> tuple[str, str]:
    """Return the changed contract, and the `line:column` at which the finding must stand."""
    lines = contract.splitlines()
    section = lines.index("## grade_risk")
    number = next(i for i in range(section, len(lines)) if lines[i].lstrip().startswith(slip.line))
    if slip.new is None:
        del lines[number]
        number, slip_at = lines.index("frame:", section), "frame:"
    else:
        lines[number] = lines[number].replace(slip.old, slip.new)
        slip_at = slip.new
    return "\n".join(lines), f"{number + 1}:{lines[number].index(slip_at) + 1}"


def try_slip(slip: Slip, contract: str, folder: Path) -> bool:
    """Print what the check says about the slip; return whether it is what it must be."""
    text, place = slipped(contract, slip)
    code, lines = check(text, folder)
    errors = [line for line in lines if ": warning: " not in line]
    print(f"\n{slip.story}\n$ interlock check", *errors, f"exit code {code}", sep="\n  ")
    return code == 1 and any(line.startswith(f"DECISION.md:{place}: {slip.code}: ") for line in lines)


def main() -> int:
    """Check the shipped contract, then each slip; return 0 when every finding stands where it must."""
    contract = shipped_text()
    with tempfile.TemporaryDirectory() as name:
        code, lines = check(contract, Path(name))
        print("the contract as shipped\n$ interlock check", lines[-1], f"exit code {code}", sep="\n  ")
        as_promised = [try_slip(slip, contract, Path(name)) for slip in SLIPS]
    if code or not all(as_promised):
        print("\nnot as promised", file=sys.stderr)
        return 1
    print(f"\n{len(SLIPS)} slips, each refused with its line and column")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
