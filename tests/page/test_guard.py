"""Who is not let in, from where, and with how much: names, origins, keys, paths and bodies."""

from __future__ import annotations

import logging
import socket
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from urllib.parse import urlsplit

import anyio
import httpx2
import pytest
from starlette.applications import Starlette

from interlock.journal import read_journal
from interlock.models.secret import Secret
from interlock.server.site.app import page_app
from interlock.server.site.desk import Desk

Serve = Callable[..., str]
Park = Callable[..., tuple[str, str]]
MakeDesk = Callable[..., Desk]
ServeAll = Callable[[Starlette], str]

KEY = "a-key-that-nobody-guesses"
FORM = {"content-type": "application/x-www-form-urlencoded"}
POSTS = ("/start", "/looks", "/sign-in", "/runs/none/stop", "/api/v1/runs", "/api/v1/check", "/contracts/check")


@pytest.fixture(scope="module")
def served() -> dict[str, str]:
    """Return where the addresses of the servers of this file are kept."""
    return {}


@pytest.fixture
def url(served: dict[str, str], serve_all: ServeAll, make_desk: MakeDesk) -> str:
    """Return the address of a server without a key, the same for all tests."""
    if "open" not in served:
        served["open"] = serve_all(page_app(make_desk()))
    return served["open"]


@pytest.fixture
def keyed(served: dict[str, str], serve_all: ServeAll, make_desk: MakeDesk) -> str:
    """Return the address of a server with a key, the same for all tests."""
    if "keyed" not in served:
        served["keyed"] = serve_all(page_app(make_desk(key=Secret(KEY), hosts=frozenset(("page.example",)))))
    return served["keyed"]


def raw(url: str, request: bytes) -> bytes:
    """Send bytes as they are, which no client would, and return what comes back."""
    found = urlsplit(url)
    with closing(socket.create_connection((found.hostname or "", found.port or 0), timeout=10)) as connection:
        connection.sendall(request)
        parts = []
        while part := connection.recv(65536):
            parts.append(part)
    return b"".join(parts)


def status_of(answer: bytes) -> int:
    return int(answer.split(b" ", 2)[1])


class TestNames:
    @pytest.mark.parametrize(
        "host",
        [
            "evil.example", "127.0.0.1.evil.example", "localhost.evil.example", "evil.example:80", "10.0.0.1", "[::2]",
            "127.0.0.2", "user@127.0.0.1", "127.0.0.1/evil", "", " ", "localhost,evil.example", "0x7f.1", "[::1",
        ],
    )  # fmt: skip
    @pytest.mark.parametrize("path", ["/runs", "/api/v1/health", "/static/base.css", "/health"])
    def test_a_name_that_is_not_the_servers_is_refused(self, url: str, host: str, path: str) -> None:
        answer = raw(url, f"GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n".encode())
        assert status_of(answer) in (400, 421)
        assert b"Runs" not in answer

    @pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "LOCALHOST:1", "[::1]:8765", "127.0.0.1:9"])
    def test_loopback_goes_by_its_own_names(self, url: str, host: str) -> None:
        assert httpx2.get(f"{url}/api/v1/health", headers={"host": host}).status_code == 200

    def test_a_name_that_was_given_is_known_and_an_address_where_there_is_a_key(self, keyed: str) -> None:
        for host in ("page.example", "192.0.2.1:8765"):
            headers = {"host": host, "authorization": f"Bearer {KEY}"}
            assert httpx2.get(f"{keyed}/api/v1/health", headers=headers).status_code == 200
        headers = {"host": "other.example", "authorization": f"Bearer {KEY}"}
        assert httpx2.get(f"{keyed}/api/v1/health", headers=headers).status_code == 421

    def test_two_names_in_one_request_are_refused(self, url: str) -> None:
        request = b"GET /runs HTTP/1.1\r\nHost: 127.0.0.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n"
        assert status_of(raw(url, request)) in (400, 421)


class TestOrigins:
    @pytest.mark.parametrize(
        "headers",
        [
            pytest.param({"origin": "http://evil.example"}, id="another-origin"),
            pytest.param({"origin": "null"}, id="no-origin"),
            pytest.param({"origin": ""}, id="an-empty-origin"),
            pytest.param({"origin": "http://127.0.0.1"}, id="another-port"),
            pytest.param({"origin": "http://127.0.0.1:1"}, id="a-third-port"),
            pytest.param({"sec-fetch-site": "cross-site"}, id="a-foreign-page"),
            pytest.param({"sec-fetch-site": "same-site"}, id="a-page-next-door"),
            pytest.param({"sec-fetch-site": "CROSS-SITE"}, id="in-capitals"),
        ],
    )
    @pytest.mark.parametrize("path", POSTS)
    def test_what_another_page_sends_is_refused(self, url: str, path: str, headers: dict[str, str]) -> None:
        found = httpx2.post(f"{url}{path}", headers={**FORM, **headers}, content=b"task=x")
        assert found.status_code == 403
        assert "set-cookie" not in found.headers

    @pytest.mark.parametrize(
        ("told", "status"),
        [
            pytest.param("cross-site navigate document", 200, id="a-link"),
            pytest.param("cross-site navigate iframe", 403, id="a-frame"),
            pytest.param("cross-site no-cors script", 403, id="a-script"),
            pytest.param("same-site cors empty", 403, id="a-fetch"),
            pytest.param("same-origin cors empty", 200, id="the-page-itself"),
            pytest.param("none navigate document", 200, id="an-address-typed"),
        ],
    )
    def test_a_foreign_page_may_lead_here_but_not_read(self, url: str, told: str, status: int) -> None:
        headers = dict(zip(("sec-fetch-site", "sec-fetch-mode", "sec-fetch-dest"), told.split(), strict=True))
        for path in ("/runs", "/api/v1/runs", "/static/base.css"):
            assert httpx2.get(f"{url}{path}", headers=headers).status_code == status

    def test_with_the_servers_origin_or_none_a_form_is_taken(self, url: str) -> None:
        for headers in ({"origin": url, "sec-fetch-site": "same-origin"}, {}):
            found = httpx2.post(f"{url}/looks", headers={**FORM, **headers}, content=b"language=zh")
            assert found.status_code == 303

    def test_a_form_of_another_kind_is_not_read(self, url: str) -> None:
        for kind in ("text/plain", "multipart/form-data; boundary=x", "application/json"):
            found = httpx2.post(f"{url}/looks", headers={"content-type": kind}, content=b"language=zh")
            assert found.status_code == 415

    def test_no_other_origin_is_told_that_it_may_read(self, url: str) -> None:
        found = httpx2.request("OPTIONS", f"{url}/api/v1/runs", headers={"origin": "http://evil.example"})
        assert found.status_code == 405
        assert not [name for name in found.headers if name.startswith("access-control-")]

    def test_going_back_stays_on_the_server(self, url: str, keyed: str) -> None:
        for back in ("//evil.example", "http://evil.example", "/\\evil.example", "/a\r\nx: y", "javascript:alert(1)"):
            found = httpx2.post(f"{url}/looks", data={"back": back})
            assert (found.status_code, found.headers["location"]) == (303, "/")
            found = httpx2.post(f"{keyed}/sign-in", data={"key": KEY, "back": back})
            assert (found.status_code, found.headers["location"]) == (303, "/")


class TestKeys:
    def test_without_the_key_nothing_is_seen(self, keyed: str) -> None:
        assert httpx2.get(f"{keyed}/runs").headers["location"] == "/sign-in?back=%2Fruns"
        for path in ("/api/v1/runs", "/api/openapi.json", "/api/v1/health"):
            found = httpx2.get(f"{keyed}{path}")
            assert (found.status_code, list(found.json())) == (401, ["error"])
        for path in POSTS:
            if path != "/sign-in":
                assert httpx2.post(f"{keyed}{path}", headers=FORM).status_code == 401
        for path in ("/sign-in", "/health", "/static/base.css"):
            assert httpx2.get(f"{keyed}{path}").status_code == 200

    @pytest.mark.parametrize(
        "path",
        [
            "/static/../runs",
            "/static/%2e%2e/runs",
            "/sign-in/../runs",
            "/sign-input",
            "/healthy",
            "/sign-in/x",
            "//runs",
        ],
    )
    def test_what_looks_like_an_open_path_is_none(self, keyed: str, path: str) -> None:
        answer = raw(keyed, f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n".encode())
        assert status_of(answer) in (303, 404, 421)
        assert b"<h1>Runs" not in answer

    @pytest.mark.parametrize(
        "authorization",
        ["Bearer ", "Bearer wrong", KEY, f"Basic {KEY}", f"Bearer {KEY}x", f"Bearer {KEY[:-1]}", "Bearer é"],
    )
    def test_a_wrong_key_is_refused(self, keyed: str, authorization: str) -> None:
        headers = {b"authorization": authorization.strip().encode()}
        assert httpx2.get(f"{keyed}/api/v1/runs", headers=headers).status_code == 401

    def test_a_browser_signs_in_and_out(self, keyed: str) -> None:
        with httpx2.Client(base_url=keyed) as client:
            assert client.post("/sign-in", data={"key": "wrong"}).status_code == 401
            entered = client.post("/sign-in", data={"key": KEY})
            cookie = entered.headers["set-cookie"]
            assert "HttpOnly" in cookie
            assert "SameSite=strict" in cookie
            assert KEY not in cookie
            assert client.get("/runs").status_code == 200
            assert client.get("/api/v1/runs").status_code == 200
            kept = {"cookie": f"interlock_session={client.cookies['interlock_session']}"}
            client.post("/sign-out")
            assert client.get("/runs").status_code == 303
        assert httpx2.get(f"{keyed}/api/v1/runs", headers=kept).status_code == 401
        forged = {"cookie": f"interlock_session={KEY}"}
        assert httpx2.get(f"{keyed}/api/v1/runs", headers=forged).status_code == 401

    def test_signing_in_leads_to_what_was_asked_for(self, keyed: str) -> None:
        asked = "/approvals?run=2026&all=1"
        with httpx2.Client(base_url=keyed) as client:
            door = client.get(asked).headers["location"]
            assert 'name="back" value="/approvals?run=2026&amp;all=1"' in client.get(door).text
            refused = client.post("/sign-in", data={"key": "wrong", "back": asked})
            assert 'name="back" value="/approvals?run=2026&amp;all=1"' in refused.text
            assert client.post("/sign-in", data={"key": KEY, "back": asked}).headers["location"] == asked


class TestPaths:
    @pytest.mark.parametrize(
        "path",
        [
            "/static/../app.py", "/static/%2e%2e/site/app.py", "/static/..%2fsite%2fapp.py", "/static//etc/passwd",
            "/static/%2fetc/passwd", "/static/..\\site\\app.py", "/static/vendor/../../site/app.py", "/static/",
            "/static/%00", "/static/" + "a" * 5000, "/contracts/../../etc/passwd", "/contracts/%2fetc%2fpasswd",
            "/api/v1/contracts/%2fetc%2fpasswd", "/api/v1/contracts/..%2f..%2fetc%2fpasswd", "/runs/..%2f..",
            "/runs/%00",
            "/api/v1/prompts/..%2f..%2fsecret", "/functions/os.system", "/experiments/..%2f1", "/runs/%F0%9F/contract",
        ],
    )  # fmt: skip
    def test_no_path_leads_out(self, url: str, path: str) -> None:
        answer = raw(url, f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n".encode())
        assert status_of(answer) in (400, 404, 405)
        assert b"root:" not in answer
        assert b"def page_app" not in answer

    def test_a_link_among_the_static_files_would_not_be_followed(self, url: str) -> None:
        for name in ("base.css", "vendor/htmx-2.0.11.min.js"):
            found = httpx2.get(f"{url}/static/{name}")
            assert found.headers["x-content-type-options"] == "nosniff"


class TestBodies:
    @pytest.mark.parametrize("path", POSTS)
    def test_a_declared_body_that_is_too_long_is_not_waited_for(self, url: str, path: str) -> None:
        head = f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: {FORM['content-type']}\r\nContent-Length: "
        answer = raw(url, head.encode() + b"1048577\r\nConnection: close\r\n\r\n")
        assert status_of(answer) == 413

    @pytest.mark.parametrize("path", ["/looks", "/start", "/api/v1/check", "/contracts/check"])
    def test_a_body_in_pieces_is_cut_off_where_it_is_too_long(self, url: str, path: str) -> None:
        def pieces() -> Iterator[bytes]:
            for _ in range(40):
                yield b"a" * 65536

        kind = "application/json" if path.startswith("/api/") else FORM["content-type"]
        found = httpx2.post(f"{url}{path}", content=pieces(), headers={"content-type": kind})
        assert found.status_code == 413
        assert "content-security-policy" in found.headers

    @pytest.mark.parametrize("length", ["-1", "1e3", "0x10", "9" * 30, "٣"])
    def test_a_length_that_is_none_is_refused(self, url: str, length: str) -> None:
        request = f"POST /looks HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n"
        assert status_of(raw(url, request.encode())) in (400, 413)

    def test_a_form_has_a_bounded_number_of_fields(self, url: str) -> None:
        content = "&".join(f"a{at}=1" for at in range(5000)).encode()
        assert httpx2.post(f"{url}/looks", headers=FORM, content=content).status_code == 400


class TestReading:
    def test_no_get_changes_anything(self, serve: Serve, park: Park, journal: str) -> None:
        approval, run = park("delete_file", {"path": "build.lock"})
        url = serve()
        with read_journal(journal) as view:
            before = dict(view.heads())
        paths = [
            f"/runs/{run}", f"/runs/{run}/stop", f"/runs/{run}/resume", f"/approvals/{approval}",
            f"/approvals/{approval}/answer", "/start", "/what-if?gate.needs_tool=0.9", "/contracts/check", "/looks",
            "/sign-out", f"/api/v1/approvals/{approval}", f"/api/v1/runs/{run}/resume", f"/api/v1/runs/{run}/verify",
            "/api/v1/replay", "/prompts/-/rollback", "/prompts/-/publish",
        ]  # fmt: skip
        for path in paths:
            for method in ("GET", "HEAD", "OPTIONS"):
                assert httpx2.request(method, f"{url}{path}").status_code in (200, 404, 405, 409, 422)
        with read_journal(journal) as view:
            assert dict(view.heads()) == before


class TestHeaders:
    @pytest.mark.parametrize(
        ("method", "path", "status"),
        [
            pytest.param("GET", "/runs", 200, id="a-page"),
            pytest.param("GET", "/", 307, id="a-way-on"),
            pytest.param("GET", "/static/base.css", 200, id="a-file"),
            pytest.param("GET", "/static/none.css", 404, id="no-file"),
            pytest.param("GET", "/nowhere", 404, id="no-page"),
            pytest.param("GET", "/api/v1/nowhere", 404, id="no-endpoint"),
            pytest.param("PUT", "/runs", 405, id="another-method"),
            pytest.param("GET", "/api/v1/runs?page=0", 422, id="a-wrong-field"),
            pytest.param("GET", "/api/openapi.json", 200, id="the-document"),
            pytest.param("POST", "/looks", 415, id="no-form"),
            pytest.param("GET", "/runs/none/events", 404, id="a-stream-of-nothing"),
        ],
    )
    def test_every_answer_forbids_what_is_not_the_pages_own(
        self, url: str, method: str, path: str, status: int
    ) -> None:
        found = httpx2.request(method, f"{url}{path}")
        assert found.status_code == status
        _are_closed(found.headers)

    def test_a_refusal_is_closed_too(self, keyed: str) -> None:
        _are_closed(httpx2.get(f"{keyed}/runs", headers={"host": "evil.example"}).headers)
        _are_closed(httpx2.get(f"{keyed}/runs").headers)
        _are_closed(httpx2.get(f"{keyed}/api/v1/runs").headers)
        _are_closed(httpx2.post(f"{keyed}/looks", headers={"origin": "null"}).headers)

    @pytest.mark.parametrize("path", ["/what-if", "/api/v1/runs", "/runs"])
    def test_a_fault_of_the_server_is_closed_and_says_nothing(
        self, make_desk: MakeDesk, path: str, caplog: pytest.LogCaptureFixture
    ) -> None:
        """The journal is of a type that nothing expects: whatever reads it fails."""
        app = page_app(make_desk(journal=None))

        async def ask() -> httpx2.Response:
            transport = httpx2.ASGITransport(app=app, raise_app_exceptions=False)
            async with httpx2.AsyncClient(transport=transport, base_url="http://localhost") as client:
                return await client.get(path)

        with ThreadPoolExecutor(1) as apart:  # a browser's loop may be running in this thread
            found = apart.submit(anyio.run, ask).result()
        assert found.status_code == 500
        assert "that nobody foresaw" in found.text
        assert "Traceback" not in found.text
        assert "NoneType" not in found.text
        _are_closed(found.headers)


class TestSecrets:
    def test_neither_an_answer_nor_a_log_holds_a_key(
        self, serve: Serve, shop: Path, caplog: pytest.LogCaptureFixture
    ) -> None:
        secret = "sk-never-shown-to-anybody"
        caplog.set_level(logging.DEBUG)
        url = serve(key=KEY, environ={"OPENAI_API_KEY": secret}, judges=("rules", "openai:gpt-5"))
        headers = {"authorization": f"Bearer {KEY}"}
        answers = [httpx2.get(f"{url}{path}", headers=headers).text for path in _PAGES]
        answers += [httpx2.post(f"{url}/sign-in", data={"key": f"{KEY}x"}).text]
        wanted = {"task": "x", "directory": str(shop), "judge": "openai:none"}
        answers += [httpx2.post(f"{url}/api/v1/runs", headers=headers, json=wanted).text]
        for text in (*answers, caplog.text):
            assert secret not in text
            assert KEY not in text


_PAGES = (
    "/runs", "/start", "/approvals", "/contracts", "/what-if", "/functions", "/prompts", "/experiments", "/api",
    "/api/openapi.json", "/api/v1/runs", "/api/v1/health", "/api/v1/contracts", "/nowhere",
)  # fmt: skip


def _are_closed(headers: Mapping[str, str]) -> None:
    policy = headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "script-src 'self';" in policy
    assert "unsafe" not in policy
    assert "frame-ancestors 'none'" in policy
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["x-frame-options"] == "DENY"
    assert headers["referrer-policy"] == "same-origin"
