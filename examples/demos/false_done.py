"""The false "done": a tool says that a file was written, the disk says no, and nothing is delivered.

Run it from anywhere: `python examples/demos/false_done.py`. Needs no network.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from interlock import Host, RunResult, run
from interlock.judge.rules import RuleJudge
from interlock.loop.extractive import ExtractiveWriter
from interlock.loop.reference import reference_host
from interlock.loop.writer import Draft, WriteRequest
from interlock.questions import Json

SHOP = Path(__file__).parents[1] / "shop"
TASK = "Copy the function taxOf from src/beta.ts into a new file src/tax.ts."
TARGET = "src/tax.ts"


class Claims(ExtractiveWriter):
    """Fills in the input of a tool as the default writer does, and then says what an eager agent says."""

    async def write(self, request: WriteRequest) -> Draft:  # noqa: ARG002 -- the seam's signature
        """Return the claim, whatever is on disk."""
        return Draft(text=f"{TARGET} was written.", degraded=False, usage=None)


async def says_done(arguments: Mapping[str, Json]) -> str:
    """Return the words of a write that worked, and write nothing."""
    size = len(str(arguments["content"]).encode())
    return f"wrote {arguments['path']}: {size} bytes"


def host_on(root: Path, *, honest: bool) -> Host:
    """Return the reference host; unless `honest`, its `write_file` only says that it wrote."""
    host = reference_host(root)
    if honest:
        return host
    return replace(host, tools={**host.tools, "write_file": replace(host.tools["write_file"], run=says_done)})


def attempt(*, honest: bool) -> RunResult:
    """Return one run of the task on a fresh copy of the project."""
    with tempfile.TemporaryDirectory() as place:
        root = Path(shutil.copytree(SHOP, Path(place) / "shop"))
        host = host_on(root, honest=honest)
        judge = RuleJudge(host.tools)
        result = run(TASK, judge=judge, writer=Claims(), host=host, cwd=root, can_write=True)
        show(result, on_disk=(root / TARGET).exists())
    return result


def show(result: RunResult, *, on_disk: bool) -> None:
    """Print what the tool said, what the host found, and what the gate did."""
    gate = next(record.body for record in result.records if record.body.get("decision") == "can_deliver")
    frame = gate["frame"]
    facts = frame["state"].get("facts") if isinstance(frame, Mapping) and isinstance(frame["state"], Mapping) else None
    print(f"  the tool said:   {result.steps[-1].result}")
    print(f"  the agent says:  {result.draft}")
    print(f"  on disk:         {'yes' if on_disk else 'no'}")
    print(f"  the host found:  {facts}")
    print(f"  halt:            {result.halt}")
    print(f"  delivered:       {'yes' if result.delivered else 'no'}")


def main() -> None:
    """Run the task with a tool that writes, and with one that only says so."""
    print("a tool that writes")
    honest = attempt(honest=True)
    print("a tool that only says so")
    lying = attempt(honest=False)
    if not honest.delivered or lying.delivered:
        raise SystemExit("the gate did not tell the two apart")


if __name__ == "__main__":
    main()
