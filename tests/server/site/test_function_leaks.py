"""No page about a function says what Python fills, and none reads it from a form."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, ClassVar

import httpx2
import pytest

from interlock import Agent, Runtime
from interlock.journal.place import open_journal
from interlock.server.site.app import page_app
from interlock.server.site.desk import Desk
from interlock.settings import load_settings

NAMES = ("hid_tenant", "exec_runtime", "hid_session")
SECRET = "SECRET-VALUE"


class Shop(Agent):
    """Sells."""

    method_options: ClassVar[Any] = {
        "sell": {"requires_approval": True, "input": {"hid_tenant": {"hidden": True}}},
        "lend": {"input": {"hid_session": {"hidden": True}}},
    }

    def sell(self, amount: int, hid_tenant: str = SECRET) -> str:
        """Sell something."""
        return "sold" if hid_tenant == SECRET else "tampered with"

    def lend(self, amount: int, hid_session: str) -> str:
        """Lend something."""
        return hid_session


def plain(amount: int, exec_runtime: object = None, hid_tenant: str = SECRET) -> str:
    """Take what is given."""
    return "whole" if isinstance(exec_runtime, Runtime) and hid_tenant == SECRET else "tampered with"


plain.input_meta = {"hid_tenant": {"hidden": True}}  # type: ignore[attr-defined]


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    """Return a desk with these functions."""
    place = str(tmp_path / "journal.db")
    open_journal(place).close()
    shop = Shop()
    functions: dict[str, Callable[..., Any]] = {"plain": plain, "sell": shop.sell, "lend": shop.lend}
    return Desk(
        journal=place,
        settings=load_settings(directory=tmp_path, environ={}, flags={"journal": place}),
        roots=(),
        judges=("rules",),
        writers=("extractive",),
        contracts={"shipped": None},
        functions=functions,
        prompts=None,
        reports=(),
        key=None,
        hosts=frozenset(),
        clock=lambda: datetime.now(UTC),
        environ={},
    )


def told(page: str) -> list[str]:
    return [name for name in (*NAMES, SECRET) if re.search(rf"(?<!\w){name}(?!\w)", page)]


@pytest.mark.anyio
async def test_no_page_tells_what_python_fills_and_no_form_can_set_it(desk: Desk) -> None:
    evil = {"arg-amount": "3", **{f"arg-{name}": "EVIL" for name in NAMES}, **dict.fromkeys(NAMES, "EVIL")}
    transport = httpx2.ASGITransport(app=page_app(desk))
    async with httpx2.AsyncClient(transport=transport, base_url="http://127.0.0.1", follow_redirects=True) as client:
        pages = [await client.get(f"/functions{path}") for path in ("", "/plain", "/sell", "/lend")]
        wrong = await client.post("/functions/plain", data={**evil, "arg-amount": "many"})
        done = await client.post("/functions/plain", data=evil)
        asked = await client.post("/functions/sell", data=evil)
        question = re.search(r'name="question" value="([^"]+)"', asked.text)
        assert question is not None
        sold = await client.post(f"{asked.url}/answer", data={"question": question[1], "say": "yes"})
        refused = await client.post("/functions/lend", data=evil)

    assert (wrong.status_code, done.status_code, sold.status_code, refused.status_code) == (422, 200, 200, 409)
    assert ">whole<" in done.text
    assert ">sold<" in sold.text
    for page in (*pages, wrong, done, asked, sold, refused):
        assert told(page.text) == [], page.url
        assert "EVIL" not in page.text


@pytest.mark.anyio
async def test_nothing_is_called_by_looking_at_it(desk: Desk) -> None:
    transport = httpx2.ASGITransport(app=page_app(desk))
    async with httpx2.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
        for path in ("/functions/plain?arg-amount=3", "/functions/sell?say=yes"):
            page = await client.get(path)
            assert "Earlier calls" not in page.text
        assert (await client.get("/functions/calls/none")).status_code == 404
        assert (await client.get("/functions/calls/none/answer")).status_code == 405
        assert (await client.post("/functions/other", data={})).status_code == 404
        assert (await client.post("/functions/calls/none/answer", data={"say": "yes"})).status_code == 404
