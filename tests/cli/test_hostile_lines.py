"""Lines that somebody made up are refused in one sentence, and nothing of them is taken in."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from interlock.cli.main import main
from interlock.journal.chain import GENESIS, row_hash

TS = "2026-01-02T03:04:05.000006Z"
Make = Callable[[], list[str]]


def _row(prev: str, body: str = '{"kind":"x"}', **columns: Any) -> tuple[str, str]:
    """Return one line with the hash that belongs to it, and that hash."""
    values: dict[str, Any] = {"run_id": "r", "seq": 1, "ts": TS, "type": "error", **columns}
    own = values.pop("hash", None)
    named = {key: value if isinstance(value, str) else str(value) for key, value in values.items()}
    text = "\n".join([prev, named["run_id"], named["seq"], named["ts"], named["type"], body])
    made = own or _sha(text)
    columns_text = [f"{json.dumps(key)}:{json.dumps(values[key])}" for key in ("run_id", "seq", "ts", "type")]
    return "{" + ",".join([*columns_text, f'"body":{body}', f'"prev_hash":"{prev}"', f'"hash":"{made}"']) + "}", made


def _sha(text: str) -> str:
    head, run_id, seq, ts, type_, *body = text.split("\n")
    try:
        return row_hash(prev_hash=head, run_id=run_id, seq=int(seq), ts=ts, type=type_, body="\n".join(body))
    except (ValueError, UnicodeEncodeError):
        return "0" * 64


def _one(body: str = '{"kind":"x"}', **columns: Any) -> Make:
    return lambda: [_row(GENESIS, body, **columns)[0]]


def _duplicate() -> list[str]:
    first, made = _row(GENESIS)
    return [first, _row(made)[0]]


def _gap() -> list[str]:
    first, made = _row(GENESIS)
    return [first, _row(made, seq=3)[0]]


def _fork() -> list[str]:
    first, _ = _row(GENESIS)
    return [first, _row(GENESIS, seq=2)[0]]


def _changed() -> list[str]:
    return [_row(GENESIS)[0].replace('"x"', '"y"')]


@pytest.mark.parametrize(
    ("make", "says"),
    [
        pytest.param(_changed, "row 1 was changed", id="changed"),
        pytest.param(_duplicate, "its number was changed, or it is a copy", id="a-number-twice"),
        pytest.param(_gap, "row 2 is missing before it", id="a-gap"),
        pytest.param(_fork, "does not follow from the row before", id="another-chain"),
        pytest.param(_one(type="approved_everything"), "unknown event type", id="a-type-that-is-none"),
        pytest.param(_one(run_id="../../etc"), "is not one word", id="a-run-id-that-is-a-path"),
        pytest.param(_one(seq=True), "is no line of", id="a-number-that-is-true"),
        pytest.param(_one(seq="1"), "is no line of", id="a-number-that-is-text"),
        pytest.param(_one(seq=10**30), "is missing before it|are missing before it", id="a-number-without-end"),
        pytest.param(_one(ts=f"{TS}\nerror"), "is no line of", id="a-time-of-two-lines"),
        pytest.param(_one(ts="\ud800"), "is no line of", id="half-a-character"),
        pytest.param(_one('{"x":NaN}'), "is not JSON", id="nan"),
        pytest.param(_one('{"x":1e999}'), "is no line of", id="overflow"),
        pytest.param(_one('{"x":' + "[" * 100_000 + "]" * 100_000 + "}"), "is no line of", id="deep"),
        pytest.param(_one('{"x":' + "9" * 10_000 + "}"), "is no line of", id="digits"),
        pytest.param(_one('{"kind":"a","kind":"b"}'), "is no line of", id="a-key-twice"),
        pytest.param(_one("[1]"), "is no line of", id="a-body-that-is-a-list"),
        pytest.param(lambda: [_row(GENESIS)[0][:-2]], "is no line of", id="cut-off"),
        pytest.param(lambda: [_row(GENESIS)[0] + "}"], "is no line of", id="more-behind-it"),
        pytest.param(lambda: ['{"run_id":' + '"x"' * 3], "is no line of", id="no-json"),
    ],
)
def test_lines_that_were_made_up_are_refused_and_leave_nothing(make: Make, says: str, tmp_path: Path) -> None:
    lines, place = tmp_path / "lines.jsonl", tmp_path / "journal.db"
    lines.write_text("\n".join(make()) + "\n", encoding="utf-8")
    result = CliRunner().invoke(main, ["runs", "import", str(lines), "--journal", str(place)])
    assert isinstance(result.exception, SystemExit), result.exception
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.count("\n") == 1
    assert len(result.stderr) < 600
    found: Mapping[str, Any] = json.loads(
        CliRunner().invoke(main, ["runs", "list", "--journal", str(place), "--json"]).stdout
    )
    assert found["runs"] == []
    assert any(part in result.stderr for part in says.split("|")), result.stderr


def test_a_line_of_a_hundred_megabytes_is_refused_before_it_is_read(tmp_path: Path) -> None:
    lines = tmp_path / "lines.jsonl"
    with lines.open("w", encoding="utf-8") as file:
        file.write('{"run_id":"')
        for _ in range(100):
            file.write("x" * 1_000_000)
        file.write('"}\n')
    result = CliRunner().invoke(main, ["runs", "import", str(lines), "--journal", str(tmp_path / "journal.db")])
    assert result.exit_code == 1
    assert "line 1: is longer than" in result.stderr
