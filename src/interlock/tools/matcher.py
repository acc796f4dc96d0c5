"""Match a regular expression in a process of its own, so that a pattern without end can be stopped.

Runs as a script with nothing but the standard library: JSON on standard input, JSON on standard output.
In: {"pattern", "files": [text, …], "limit"}. Out: {"hits": [[file, line, column], …]} from 0, or {"error"}.
"""

from __future__ import annotations

import json
import re
import sys

__all__ = ["find", "main"]


def find(pattern: str, files: list[str], limit: int) -> dict[str, object]:
    """Return the lines that match, at most `limit`, or why the pattern is no pattern."""
    try:
        search = re.compile(pattern).search
    except (re.error, OverflowError, RecursionError) as error:
        return {"error": str(error)}
    hits: list[list[int]] = []
    for index, text in enumerate(files):
        for number, line in enumerate(text.split("\n")):
            found = search(line)
            if found is not None:
                hits.append([index, number, found.start()])
                if len(hits) >= limit:
                    return {"hits": hits}
    return {"hits": hits}


def main() -> None:
    """Answer one request."""
    request = json.load(sys.stdin)
    json.dump(find(request["pattern"], request["files"], request["limit"]), sys.stdout)


if __name__ == "__main__":
    main()
