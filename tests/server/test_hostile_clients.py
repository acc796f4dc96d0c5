"""What a gateway does about clients that are broken, hostile or a web page: it answers and goes on."""

from __future__ import annotations

import json
import logging
import socket
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from urllib.parse import urlsplit

import httpx2
import openai
import pytest

from interlock.judge.base import Caps, JudgeReply
from interlock.questions import Content, Question

pytestmark = pytest.mark.enable_socket

CANARY = "canary-4711"
GOOD: dict[str, Any] = {
    "model": "jev-latest",
    "state": {"note": CANARY},
    "questions": {"twice": {"type": "noul", "instructions": "The order was charged twice"}},
}


def raw(url: str, sent: bytes, *, timeout_s: float = 10.0) -> bytes:
    """Return all that the server says to these bytes before it closes the connection or falls silent."""
    parts = urlsplit(url)
    with socket.create_connection((parts.hostname or "", parts.port or 0), timeout=timeout_s) as connection:
        connection.sendall(sent)
        received = b""
        try:
            while chunk := connection.recv(65536):
                received += chunk
        except (TimeoutError, ConnectionResetError):
            pass
        return received


def head(*headers: str, length: int) -> bytes:
    lines = ["POST /v1/systemone HTTP/1.1", f"content-length: {length}", "connection: close", *headers]
    return ("\r\n".join(lines) + "\r\n\r\n").encode()


def post(url: str, body: bytes, **headers: str) -> httpx2.Response:
    return httpx2.post(f"{url}/v1/systemone", content=body, headers=headers, timeout=20)


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(b"\xff\xfe{", id="not-utf-8"),
        pytest.param(json.dumps(GOOD).encode("utf-16"), id="utf-16"),
        pytest.param(b"[" * 1_000_000, id="deep-lists"),
        pytest.param(b'{"a":' * 300_000, id="deep-objects"),
        pytest.param(b'{"model":' + b"9" * 100_000 + b"}", id="a-long-number"),
        pytest.param(b'{"model":1e999999999}', id="a-large-number"),
        pytest.param(b"", id="nothing"),
        pytest.param(b"\x00" * 1000, id="zeros"),
    ],
)
def test_a_body_that_is_none_is_a_422(serve: Any, body: bytes) -> None:
    response = post(serve(), body)
    assert response.status_code == 422
    assert response.json()["detail"]


def test_a_body_that_comes_too_slowly_is_not_waited_for(serve: Any) -> None:
    url = serve(body_timeout_s=0.2)
    told = raw(url, head("host: 127.0.0.1", length=1000) + b'{"model"')
    assert told.startswith(b"HTTP/1.1 408 ")
    assert post(url, json.dumps(GOOD).encode()).status_code == 200


def test_a_client_that_leaves_in_the_middle_is_forgotten(serve: Any, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    url = serve()
    parts = urlsplit(url)
    for _ in range(5):
        with socket.create_connection((parts.hostname or "", parts.port or 0)) as connection:
            connection.sendall(head("host: 127.0.0.1", length=1000) + b"{")
    assert post(url, json.dumps(GOOD).encode()).status_code == 200
    assert not [record for record in caplog.records if record.levelno >= logging.ERROR]


@pytest.mark.parametrize(
    "sent",
    [
        pytest.param(b"SSH-2.0-x\r\n\r\n", id="another-protocol"),
        pytest.param(head("host: 127.0.0.1", "x: " + "y" * 200_000, length=0), id="a-long-header"),
        pytest.param(head("host: 127.0.0.1", "content-length: 3", length=0), id="two-lengths"),
        pytest.param(head("host: 127.0.0.1", "x\x00y: 1", length=0), id="a-broken-name"),
    ],
)
def test_what_is_no_request_is_refused_and_the_next_one_served(serve: Any, sent: bytes) -> None:
    url = serve()
    told = raw(url, sent, timeout_s=2.0)
    assert told.startswith(b"HTTP/1.1 4") or not told  # a connection that is reset may lose what was said
    assert post(url, json.dumps(GOOD).encode()).status_code == 200


def test_many_at_once_are_each_answered(serve: Any) -> None:
    url = serve()
    body = json.dumps(GOOD).encode()
    with httpx2.Client(timeout=20) as client, ThreadPoolExecutor(32) as pool:
        told = list(pool.map(lambda _: client.post(f"{url}/v1/systemone", content=body), range(200)))
    assert [response.status_code for response in told] == [200] * 200


def test_thousands_of_questions_are_answered_together(serve: Any) -> None:
    asked = {f"q{at}": {"type": "noul", "instructions": f"Is it {at}?"} for at in range(3000)}
    response = post(serve(), json.dumps(GOOD | {"questions": asked}).encode())
    assert response.status_code == 200
    assert response.json()["answers"].keys() == asked.keys()


class Failing:
    """A judge with a fault of its own."""

    caps = Caps()

    async def answer(self, frame_state: Content, questions: Mapping[str, Question]) -> JudgeReply:
        raise LookupError(f"{frame_state} {questions}")


def test_a_judge_that_raises_is_an_error_without_its_words(serve: Any, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    response = post(serve(Failing()), json.dumps(GOOD).encode())
    assert response.status_code == 500
    assert response.json() == {"detail": {"error_type": "internal_error", "message": "the judge failed"}}
    assert response.headers["x-typesafe-request-id"]
    assert CANARY not in caplog.text
    assert "LookupError" in caplog.text


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        pytest.param({"host": "127.0.0.1:8765"}, 200, id="an-address"),
        pytest.param({"host": "localhost"}, 200, id="localhost"),
        pytest.param({"host": "[::1]:8765"}, 200, id="an-address-of-the-sixth-version"),
        pytest.param({"host": "evil.example"}, 421, id="a-name-that-points-here"),
        pytest.param({"host": "127.0.0.1.evil.example:80"}, 421, id="a-name-like-an-address"),
        pytest.param({"host": ""}, 421, id="no-name"),
        pytest.param({"origin": "https://evil.example"}, 403, id="a-page"),
        pytest.param({"origin": "null"}, 403, id="a-page-without-a-place"),
    ],
)
def test_without_a_key_no_web_page_reaches_it(serve: Any, headers: dict[str, str], status: int) -> None:
    url = serve()
    assert post(url, json.dumps(GOOD).encode(), **headers).status_code == status
    assert httpx2.get(f"{url}/v1/models", headers=headers).status_code == status


def test_with_a_key_it_may_have_any_name(serve: Any) -> None:
    headers = {"host": "judges.example", "authorization": "Bearer k1", "origin": "https://app.example"}
    assert post(serve(key="k1"), json.dumps(GOOD).encode(), **headers).status_code == 200


@pytest.mark.parametrize("given", ["Bearer \xe9", "Bearer", "Basic azE=", "bearer  k2", "Bearer k1 k1"])
def test_a_key_that_is_none_is_refused(serve: Any, given: str) -> None:
    key = b"authorization: " + given.encode("latin-1")
    sent = head("host: x", length=0).replace(b"connection", key + b"\r\nconnection")
    assert raw(serve(key="k1"), sent).startswith(b"HTTP/1.1 401 ")


def test_the_client_of_openai_lists_the_models_and_asks(serve: Any) -> None:
    with openai.OpenAI(api_key="k1", base_url=f"{serve(key='k1')}/v1", max_retries=0) as client:
        assert [model.id for model in client.models.list().data] == ["hash", "jev-latest"]
        told = client.post("/systemone", body=GOOD, cast_to=dict[str, Any])
    assert told["answers"]["twice"]["type"] == "noul"
