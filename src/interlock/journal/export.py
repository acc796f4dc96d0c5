"""A run as lines of JSON, for machines: each line one record, its body byte for byte as it was hashed.

Pure over records; `trace` writes the same for people.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from interlock._canonical import compact_json
from interlock.journal.records import Record

__all__ = ["jsonl"]


def jsonl(records: Iterable[Record]) -> Iterator[str]:
    """Yield one line per record, without the line feed: the columns of the row, the body as an object."""
    for record in records:
        before = compact_json({"run_id": record.run_id, "seq": record.seq, "ts": record.ts, "type": record.type})
        after = compact_json({"prev_hash": record.prev_hash, "hash": record.hash})
        yield f'{before[:-1]},"body":{record.text},{after[1:]}'
