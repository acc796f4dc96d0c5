"""What it costs to find and check the pick in a model's reply, by its length, and in replies made to be slow.

Prints two Markdown tables of CPU time. Ends with 1 when the time per byte grows with the length: more than threefold
from 1 KB to 256 KB. `--check` also ends with 1 when a reply of 64 KiB that was made to be slow takes longer than 50 ms.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
import time
from collections.abc import Callable, Mapping, Sequence

from interlock.menu import read_options
from interlock.menu.attempts import Chosen
from interlock.menu.reply import read_reply

KB = 1024
SIZES = (1 * KB, 16 * KB, 256 * KB)
HOSTILE_SIZE = 64 * KB
HOSTILE_LIMIT_MS = 50.0
MAX_GROWTH = 3.0
RUNS = 3
"""The fastest counts: what else the machine does only adds."""

OPTIONS = read_options(
    {
        "answer": ("Answer the question.", {"text": str, "sources": [{"path": str, "line": int}], "sure": bool}),
        "search": ("Search for more.", {"query": str}),
        "stop": ("STOP", "when nothing is left to do"),
    }
)
PROSE = 'The file `src/a.py` holds {"total": 3, "rows": [1, 2]} and {x, y}; it says "no" twice, see https://a.b/c.\n'
SOURCE = {"path": "src/alpha/total.py", "line": 17}


def prose_reply(size: int) -> str:
    """Return a reply of prose that ends with a short pick."""
    pick = json.dumps({"call": "search", "args": {"query": "total"}})
    return (PROSE * (size // len(PROSE) + 1))[: size - len(pick)] + pick


def object_reply(size: int) -> str:
    """Return a reply that is one long pick."""

    def pick(count: int, text: str) -> str:
        args = {"text": text, "sources": [SOURCE] * count, "sure": True}
        return json.dumps({"call": "answer", "args": args})

    count = (size - len(pick(0, ""))) // (2 * len(json.dumps(SOURCE)))
    return pick(count, "y" * (size - len(pick(count, ""))))


def hostile_replies() -> Mapping[str, str]:
    """Return replies of 64 KiB that repeat what a reader could be made to read again and again."""

    def fill(unit: str, head: str = "", tail: str = "") -> str:
        return head + unit * (HOSTILE_SIZE // len(unit)) + tail

    end = ' {"call": "stop"}'
    units = {
        "open braces": "{",
        "open brackets": "[",
        "nested opens": '{"a":[',
        "nested objects": '{"a":',
        "quotes behind braces": '{"',
        "single quotes behind braces": "{'",
        "both quotes in turn": "{\"{'",
        "both quotes in members": '{"a":{\'',
        "comment openers": "{/*",
        "line comments": "{//\n",
        "values without a comma": '{"a":"b" ',
        "keys without a colon": '{"a":"b","c" ',
        "texts that open texts": '{"a":"',
        "small objects": '{"a":1}',
        "reasoning tags": "<think>",
        "closed reasoning": "<think>x</think>",
        "picks that are cut off": '{"call":"x" ',
        "picks inside picks": '{"call":',
    }
    special = {
        "a fence and spaces": fill(" ", head="```json\n", tail=end),
        "backslashes": fill("\\", head='{"', tail=end),
        "long digits": fill("1", head='{"a":', tail=end),
        "a long list": fill("1,", head='{"a":[', tail=end),
        "comment openers and one end": fill("{/*", tail="*/x" + end),
    }
    return {name: fill(unit, tail=end) for name, unit in units.items()} | special


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print the tables, and return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--check", action="store_true", help="end with 1 when a reply made to be slow is above its limit"
    )
    options = parser.parse_args(arguments)
    growing = [name for name, make in {"prose": prose_reply, "one object": object_reply}.items() if _grows(name, make)]
    slow = _hostile()
    print(
        f"\n{platform.python_implementation()} {platform.python_version()}, {os.cpu_count()} cores, "
        f"load {os.getloadavg()[0]:.1f}; CPU time, fastest of {RUNS}."
    )
    if growing:
        print(f"time per byte grows more than {MAX_GROWTH:g} times: {', '.join(growing)}", file=sys.stderr)
    if slow:
        print(f"above {HOSTILE_LIMIT_MS:g} ms: {', '.join(slow)}", file=sys.stderr)
    return 1 if growing or (slow and options.check) else 0


def _grows(name: str, make: Callable[[int], str]) -> bool:
    """Print the rows of one kind of reply; tell whether its time per byte grows."""
    per_byte = []
    print(f"| a reply of {name} | ms | ns per byte |\n|---|---|---|")
    for size in SIZES:
        reply = make(size)
        assert isinstance(read_reply(reply, OPTIONS), Chosen)
        seconds = _fastest(reply, passes=max(1, SIZES[-1] // size))
        per_byte.append(seconds * 1e9 / len(reply))
        print(f"| {size // KB} KB | {seconds * 1000:.3f} | {per_byte[-1]:.1f} |")
    print()
    return max(per_byte[1:]) > MAX_GROWTH * per_byte[0]


def _hostile() -> list[str]:
    """Print the rows of the replies made to be slow; return those above the limit."""
    print("| 64 KiB of | ms |\n|---|---|")
    slow = []
    for name, reply in hostile_replies().items():
        ms = _fastest(reply) * 1000
        slow += [name] if ms > HOSTILE_LIMIT_MS else []
        print(f"| {name} | {ms:.1f} |")
    return slow


def _fastest(reply: str, passes: int = 1) -> float:
    """Return the seconds that one reading takes, in the fastest of several runs of `passes` readings."""
    seconds = []
    for _ in range(RUNS):
        started = time.process_time()
        for _ in range(passes):
            read_reply(reply, OPTIONS)
        seconds.append((time.process_time() - started) / passes)
    return min(seconds)


if __name__ == "__main__":
    raise SystemExit(main())
