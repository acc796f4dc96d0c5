"""A reply that shall be a function call is asked for as one, and only then."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import Any, Protocol

import pytest

from interlock.messages import Message
from interlock.models.base import TextRequest
from interlock.models.closing import close
from interlock.wiring import make_text_model

SPEC: dict[str, Any] = {"name": "search", "description": "", "parameters": {"type": "object", "properties": {}}}


class Told(Protocol):
    url: str
    bodies: list[dict[str, Any]]


Chat = Callable[..., AbstractAsyncContextManager[Told]]


@pytest.mark.anyio
@pytest.mark.enable_socket
@pytest.mark.parametrize(("must_call", "sent"), [(True, "required"), (False, None)])
async def test_a_call_is_required_only_where_one_is_wanted(must_call: bool, sent: str | None, chat: Chat) -> None:
    choice = {"index": 0, "message": {"role": "assistant", "content": "x"}, "finish_reason": "stop"}
    body = json.dumps({"id": "c", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice]})
    head = f"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {len(body)}\r\n\r\n"
    async with chat((head + body).encode()) as server:
        model = make_text_model(f"openai:{server.url}#m", environ={"OPENAI_API_KEY": "k"})
        request = TextRequest(messages=(Message(role="user", content="p"),), tools=(SPEC,), must_call=must_call)
        await model.generate(request)
        await close(model)

    assert server.bodies[0].get("tool_choice") == sent
