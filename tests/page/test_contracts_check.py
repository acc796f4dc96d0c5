"""Contracts over HTTP: what is checked, what is refused, and that a hostile text holds up nobody."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx2
import pytest

from interlock.loop.reference import shipped_text
from interlock.settings import load_settings

Serve = Callable[..., str]

PIECE = {"hx-request": "true"}


def client(base: str) -> httpx2.Client:
    return httpx2.Client(base_url=base, headers={"origin": base}, timeout=60)


def test_a_text_is_checked_as_a_piece_of_the_editor(serve: Serve) -> None:
    with client(serve()) as web:
        right = web.post("/contracts/check", data={"text": shipped_text()}, headers=PIECE)
        wrong = web.post("/contracts/check", data={"text": "# x\n"}, headers=PIECE)

    assert ("compiles" in right.text, "<html" in right.text) == (True, False)
    assert "grade_risk" in right.text
    assert 'href="/contract-codes#missing-schema"' in wrong.text


def test_without_a_script_the_whole_editor_comes_back(serve: Serve) -> None:
    with client(serve()) as web:
        page = web.post("/contracts/check", data={"text": "\n# x </textarea>\n", "name": "mine"})

    assert page.status_code == 200
    assert "does not compile" in page.text
    assert "\n\n# x &lt;/textarea&gt;\n</textarea>" in page.text


@pytest.mark.parametrize(
    ("text", "status", "says"),
    [
        pytest.param("x" * (256 * 1024 + 1), 422, "the text has 262,145 bytes; up to 262,144", id="above-the-cap"),
        pytest.param("契" * 100_000, 422, "the text has 300,000 bytes", id="bytes-count"),
        pytest.param("x" * (1024 * 1024), 413, "", id="above-what-a-body-holds"),
    ],
)
def test_a_long_text_is_not_checked_and_says_so(serve: Serve, text: str, status: int, says: str) -> None:
    with client(serve()) as web:
        page = web.post("/contracts/check", data={"text": text})

    assert page.status_code == status
    assert says in page.text
    assert len(page.content) < 3_000_000


@pytest.mark.parametrize(
    "line",
    [
        pytest.param("knd: x\n", id="keys"),
        pytest.param("## a\n", id="headings"),
        pytest.param("- a >= 0.5 -> b\n", id="items"),
        pytest.param("```\n", id="fences"),
        pytest.param("\x01\n", id="controls"),
    ],
)
def test_a_hostile_text_holds_up_nobody_else(serve: Serve, line: str) -> None:
    text = ("# t\nschema: decision-contract/v1\n## a\nframe:\n" + line * 12_000)[: 200 * 1024]
    with client(serve()) as web, ThreadPoolExecutor(1) as pool:
        web.get("/health")
        hostile = pool.submit(web.post, "/contracts/check", data={"text": text}, headers=PIECE)
        waits = []
        while not hostile.done():
            began = time.perf_counter()
            assert web.get("/health").status_code == 200
            waits.append(time.perf_counter() - began)
            time.sleep(0.02)
        page = hostile.result()

    assert page.status_code == 200
    assert len(page.content) < 300_000
    assert max(waits, default=0) < 2


def test_findings_beyond_what_is_shown_are_counted(serve: Serve) -> None:
    text = "# t\nschema: decision-contract/v1\n" + "## a\nkind: nul\n" * 300
    with client(serve()) as web:
        page = web.post("/contracts/check", data={"text": text}, headers=PIECE)

    assert page.text.count("<li class=") == 200
    assert "more findings are not shown" in page.text


@pytest.mark.parametrize(
    ("path", "status"),
    [
        pytest.param("/contracts/none", 404, id="unknown"),
        pytest.param("/contracts/..%2f..%2fetc%2fpasswd", 404, id="outside"),
        pytest.param("/contract-editor?name=/etc/passwd", 404, id="editor-outside"),
        pytest.param("/contract-editor?run=none", 404, id="editor-unknown-run"),
        pytest.param("/runs/none/contract", 404, id="unknown-run"),
        pytest.param("/contracts/shipped?plan=none", 200, id="unknown-plan"),
        pytest.param("/contract-codes", 200, id="codes"),
    ],
)
def test_a_place_answers(serve: Serve, path: str, status: int) -> None:
    with client(serve()) as web:
        assert web.get(path).status_code == status


def test_a_file_that_cannot_be_read_is_named_and_the_others_are_shown(serve: Serve, tmp_path: Path) -> None:
    (tmp_path / "bad.md").write_bytes(b"\xff")
    with client(serve(contracts={"bad.md": tmp_path / "bad.md", "shipped": None})) as web:
        page, one = web.get("/contracts"), web.get("/contracts/bad.md")

    assert "its file cannot be read" in page.text
    assert "compiles" in page.text
    assert one.status_code == 422


@pytest.mark.parametrize(
    ("gates", "says"),
    [
        pytest.param({"grade_risk.risk[0]": 2.5}, "score:risk &gt;= 2.5", id="of-this-contract"),
        pytest.param({"other.gate": 0.5}, "are for another contract", id="of-another-contract"),
    ],
)
def test_thresholds_that_the_server_sets_are_shown(
    serve: Serve, shop: Path, journal: str, gates: Mapping[str, float], says: str
) -> None:
    settings = load_settings(directory=shop, environ={}, flags={"journal": journal, "gates": gates})
    with client(serve(settings=settings)) as web:
        page = web.get("/contracts/shipped")

    assert says in page.text


def test_a_contract_with_very_many_decisions_is_shown_in_part(serve: Serve, tmp_path: Path) -> None:
    head, _, rest = shipped_text().partition("## needs_tool")
    block, generator = rest.partition("## ")[0], rest.rpartition("## generator")[2]
    blocks = "".join(f"## d{at}{block.replace('needs_tool', f'd{at}')}" for at in range(80))
    file = tmp_path / "many.md"
    file.write_text(f"{head}{blocks}## generator{generator}", encoding="utf-8")
    with client(serve(contracts={"many.md": file})) as web:
        page = web.get("/contracts/many.md")

    assert page.text.count('<article class="compiled"') == 60
    assert "20 more decisions are not shown." in page.text
    assert "There are too many decisions to draw a plan." in page.text
