"""Native tools and images through the official SDK: what is sent, what comes back, and a whole turn."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any, Protocol

import pytest

from interlock import Agent, Runtime, aagent
from interlock.messages import ImagePart, Message, TextPart, ToolCall
from interlock.models.base import TextRequest
from interlock.models.closing import close
from interlock.wiring import make_text_model

pytestmark = [pytest.mark.anyio, pytest.mark.enable_socket]


class Told(Protocol):
    url: str
    bodies: list[dict[str, Any]]


Chat = Callable[..., AbstractAsyncContextManager[Told]]
ENVIRON = {"OPENAI_API_KEY": "k"}
SPEC: dict[str, Any] = {
    "name": "search",
    "description": "Search the ticket store.",
    "parameters": {"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]},
}


def completion(content: str | None, *calls: tuple[str, str, str], finish: str = "stop") -> bytes:
    """Return a response; `calls` are id, name and arguments."""
    message: dict[str, Any] = {"role": "assistant", "content": content}
    if calls:
        message["tool_calls"] = [
            {"id": id_, "type": "function", "function": {"name": name, "arguments": arguments}}
            for id_, name, arguments in calls
        ]
    choice = {"index": 0, "message": message, "finish_reason": finish}
    body = json.dumps({"id": "c", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice]})
    head = f"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {len(body.encode())}\r\n\r\n"
    return (head + body).encode()


async def test_tool_calls_of_a_reply_are_read_in_order(chat: Chat) -> None:
    answer = completion(None, ("a", "search", '{"query": "x"}'), ("b", "close", ""), finish="tool_calls")
    async with chat(answer) as server:
        model = make_text_model(f"openai:{server.url}#m", environ=ENVIRON)
        reply = await model.generate(TextRequest(messages=(Message(role="user", content="p"),), tools=(SPEC,)))
        await close(model)

    assert (reply.text, reply.finish, reply.failure) == ("", "stop", None)
    assert reply.tool_calls == (
        ToolCall(id="a", name="search", arguments='{"query": "x"}'),
        ToolCall(id="b", name="close", arguments=""),
    )
    assert server.bodies[0]["tools"] == [{"type": "function", "function": SPEC}]


async def test_a_request_without_tools_names_none(chat: Chat) -> None:
    async with chat(completion("hello")) as server:
        model = make_text_model(f"openai:{server.url}#m", environ=ENVIRON)
        await model.generate(TextRequest(messages=(Message(role="user", content="p"),)))
        await close(model)

    assert "tools" not in server.bodies[0]


async def test_every_role_and_part_has_its_form(chat: Chat) -> None:
    messages = (
        Message(role="system", content="Be brief."),
        Message(role="user", content=(TextPart(text="Look:"), ImagePart(data=b"\x00\x01", media_type="image/png"))),
        Message(role="assistant", content="Searching.", tool_calls=(ToolCall(id="a", name="search", arguments="{}"),)),
        Message(role="tool", content="found", tool_call_id="a"),
        Message(role="assistant", content="Found."),
    )
    async with chat(completion("done")) as server:
        model = make_text_model(f"openai:{server.url}#m", environ=ENVIRON)
        await model.generate(TextRequest(messages=messages))
        await close(model)

    assert server.bodies[0]["messages"] == [
        {"role": "system", "content": "Be brief."},
        {
            "role": "user",
            "content": [
                {"type": "text", "text": "Look:"},
                {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAE="}},
            ],
        },
        {
            "role": "assistant",
            "content": "Searching.",
            "tool_calls": [{"id": "a", "type": "function", "function": {"name": "search", "arguments": "{}"}}],
        },
        {"role": "tool", "content": "found", "tool_call_id": "a"},
        {"role": "assistant", "content": "Found."},
    ]


class Desk(Agent):
    method_options = {"search": {"tool": True}}  # noqa: RUF012  (options as an author writes them)

    def search(self, query: str) -> list[str]:
        """Search the ticket store."""
        return [f"ticket about {query}"]


async def test_a_turn_with_a_tool_ends_in_a_decision(chat: Chat) -> None:
    """The model searches, reads what was found, and picks; three requests in all, the last after a bad pick."""
    responses = (
        completion(None, ("a", "search", '{"query": "parcels"}'), finish="tool_calls"),
        completion("I would wait."),
        completion('{"call": "wait"}'),
    )
    async with chat(*responses) as server:
        model = make_text_model(f"openai:{server.url}#m", environ=ENVIRON)
        desk = Desk()
        result = await aagent("Go on.", choices={"wait": "waited"}, tools=[desk.search], runtime=Runtime(model))
        await close(model)

    first, second, third = server.bodies
    assert result == "waited"
    assert [tool["function"]["name"] for tool in first["tools"]] == ["search"]
    assert second["messages"][1]["tool_calls"][0]["function"] == {"name": "search", "arguments": '{"query": "parcels"}'}
    assert second["messages"][2] == {"role": "tool", "content": '["ticket about parcels"]', "tool_call_id": "a"}
    assert "tools" not in third
    assert third["response_format"]["type"] == "json_schema"


def test_plain_doors_reuse_the_connection(chat: Chat) -> None:
    """Plain calls share one event loop, so the client they talk through stays open between them."""

    async def serve() -> tuple[list[object], int]:
        async with chat(completion("hello")) as server:
            runtime = Runtime(make_text_model(f"openai:{server.url}#m", environ=ENVIRON))
            replies = [await asyncio.to_thread(runtime.exec, "p") for _ in range(3)]
            await asyncio.to_thread(runtime.close)
            return replies, getattr(server, "connections", 0)

    assert asyncio.run(serve()) == (["hello"] * 3, 1)


async def test_an_image_of_a_prompt_reaches_the_wire(chat: Chat, tmp_path: Path) -> None:
    picture = tmp_path / "a.png"
    picture.write_bytes(b"png")
    async with chat(completion("a cat")) as server:
        model = make_text_model(f"openai:{server.url}#m", environ=ENVIRON)
        prompt: Any = [{"type": "text", "text": "What is it?"}, {"type": "image", "path": str(picture)}]
        assert await aagent(prompt, runtime=Runtime(model)) == "a cat"
        await close(model)

    assert server.bodies[0]["messages"][0]["content"][1]["image_url"]["url"] == "data:image/png;base64,cG5n"
