"""On the wire: no request holds a cell that one of its decisions excludes, and requests of one run begin alike."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from interlock.contract.compile import compile_contract
from interlock.contract.compiled import Contract
from interlock.contract.declaration import capabilities_from_json
from interlock.judge.base import Judge
from interlock.judge.options import DEFAULTS, JudgeOptions
from interlock.loop.extractive import ExtractiveWriter
from interlock.loop.reference import reference_host, shipped_contract
from interlock.loop.run import arun
from interlock.models.closing import close
from interlock.pipeline import Host, decide_wave, plan_contract
from interlock.pipeline.plan import PLANS, PlanName
from interlock.wiring import make_judge

CONFORMANCE = Path(__file__).parents[2] / "spec" / "conformance"
VALID = sorted((CONFORMANCE / "valid").glob("*.md"))

pytestmark = [pytest.mark.anyio, pytest.mark.enable_socket]


class Server:
    """Answers every question with its first option, and keeps the bodies it was sent."""

    def __init__(self, hangs_on: str = "") -> None:
        self.url = ""
        self.bodies: list[bytes] = []
        self.most = 0
        """Requests under way at once."""
        self.given_up = 0
        """Connections that the client closed while it was owed an answer."""
        self._now = 0
        self._hangs_on = hangs_on

    async def connection(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
                size = int(head.split("content-length:")[1].split("\r\n")[0])
                body = await reader.readexactly(size)
                self.bodies.append(body)
                await self._work(reader, body)
                answers = {
                    id_: _answer(id_, question, done=bool(self._hangs_on))
                    for id_, question in json.loads(body)["questions"].items()
                }
                reply = json.dumps({"model": "m", "answers": answers, "usage": {"input_tokens": 1, "output_tokens": 1}})
                writer.write(f"HTTP/1.1 200 OK\r\ncontent-length: {len(reply.encode())}\r\n\r\n{reply}".encode())
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError):
            writer.close()

    async def _work(self, reader: asyncio.StreamReader, body: bytes) -> None:
        """Take as long as a judge that is worth waiting for, or until the client has gone."""
        self._now += 1
        self.most = max(self.most, self._now)
        if self._hangs_on in json.loads(body)["questions"] and len(self.bodies) > 1:
            assert await reader.read() == b""
            self.given_up += 1
        await asyncio.sleep(0.005)
        self._now -= 1

    @property
    def requests(self) -> list[dict[str, Any]]:
        return [json.loads(body) for body in self.bodies]


def _answer(id_: str, question: Mapping[str, Any], *, done: bool) -> dict[str, Any]:
    if question["type"] == "noul":
        no = id_ == "grade_risk.needs_auth" or (id_ == "is_done" and not done)
        return {"type": "noul", "noul": 0.05 if no else 0.95}
    options = (
        list(question["criteria"]) if question["type"] == "choice" else list(map(str, range(len(question["criteria"]))))
    )
    spread = {option: float(at == 0) for at, option in enumerate(options)}
    if question["type"] == "choice":
        return {"type": "choice", "choice": options[0], "probabilities": spread}
    return {"type": "score", "score": 0.0, "probabilities": spread}


@asynccontextmanager
async def serving(*, hangs_on: str = "", options: JudgeOptions = DEFAULTS) -> AsyncIterator[tuple[Server, Judge]]:
    told = Server(hangs_on)
    server = await asyncio.start_server(told.connection, "127.0.0.1", 0)
    told.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    environ = {"TYPESAFE_BASE_URL": told.url, "TYPESAFE_API_KEY": "local"}
    judge = make_judge("typesafe:m", environ=environ, tools={}, options=options)
    try:
        yield told, judge
    finally:
        await close(judge)
        server.close()


STATE: Mapping[str, object] = {
    "task": "canary-task",
    "output": "canary-output",
    "files": ["canary-files-1", "canary-files-2"],
    "canWrite": True,
    "draft": "canary-draft",
    "facts": ["canary-facts"],
}


def _conformance_host() -> Host:
    text = (CONFORMANCE / "capabilities.json").read_text(encoding="utf-8")
    return Host(
        capabilities=capabilities_from_json(json.loads(text)),
        projections={
            "outputMaybe": lambda output: output,
            "filesMaybe": lambda files: files,
            "fileCount": len,
            "baseRisk": lambda _: 0,
        },
        providers={"fileOptions": lambda cells: dict.fromkeys(cells["files"], "wanted")},
        rules={"within_budget": lambda _: None},
    )


def _hidden(contract: Contract, questions: Sequence[str]) -> set[str]:
    """Return the canaries of every cell that a decision of a request excludes."""
    decisions = [contract.decisions[id_.partition(".")[0]] for id_ in questions]
    cells = {item.cell for decision in decisions if decision.frame is not None for item in decision.frame.exclusions}
    return {f"canary-{cell}" for cell in cells}


@pytest.mark.parametrize("file", VALID, ids=lambda file: file.stem)
async def test_no_request_holds_a_cell_that_one_of_its_decisions_excludes(file: Path) -> None:
    host = _conformance_host()
    contract = compile_contract(file.read_bytes().decode("utf-8"), host.capabilities)
    async with serving() as (server, judge):
        wave = await decide_wave(contract, list(contract.decisions), STATE, judge, host=host)
    assert all(one.result.reply is None or one.result.reply.failure is None for one in wave.values())
    judged = [name for name, decision in contract.decisions.items() if decision.frame is not None]
    asked = [id_ for request in server.requests for id_ in request["questions"]]
    assert {id_.partition(".")[0] for id_ in asked} == set(judged)
    for request in server.requests:
        state = json.dumps(request["state"])
        assert not [canary for canary in _hidden(contract, list(request["questions"])) if canary in state]
        if len({id_.partition(".")[0] for id_ in request["questions"]}) > 1:
            whole = json.dumps(request)
            assert not [canary for canary in _hidden(contract, list(request["questions"])) if canary in whole]


async def test_decisions_of_a_conformance_file_do_share_a_request() -> None:
    """Without one that is shared the test above would show nothing."""
    host = _conformance_host()
    text = (CONFORMANCE / "valid" / "every-kind.md").read_text(encoding="utf-8")
    contract = compile_contract(text, host.capabilities)
    async with serving() as (server, judge):
        await decide_wave(contract, list(contract.decisions), STATE, judge, host=host)
    assert [list(request["questions"]) for request in server.requests] == [
        ["done", "grade.risk", "grade.allowed", "route"],
        ["pick_file"],
        ["effort"],
    ]


@pytest.mark.parametrize("plan", PLANS)
async def test_the_requests_of_a_run_keep_apart_what_its_contract_does_and_begin_alike(
    tmp_path: Path, plan: PlanName
) -> None:
    for name in ("a.txt", "b.txt", "c.txt"):
        (tmp_path / name).write_text(f"text of {name}\n", encoding="utf-8")
    contract, host = shipped_contract(), reference_host(tmp_path)
    made = plan_contract(contract, host_caps(), name=plan)
    async with serving() as (server, judge):
        result = await arun("read it all", judge=judge, writer=ExtractiveWriter(), host=host, cwd=tmp_path, plan=plan)
    assert len(result.steps) >= 3
    shared = 0
    for request in server.requests:
        decisions = list(dict.fromkeys(id_.partition(".")[0] for id_ in request["questions"]))
        keys = set(request["state"]) | set(request["state"].get("untrusted_tool_output", {}))
        shared += len(decisions) > 1
        assert all(made.may_share(one, other) for one in decisions for other in decisions if one != other)
        for decision in decisions:
            frame = contract.decisions[decision].frame
            assert frame is not None
            hidden = {exclusion.cell for exclusion in frame.exclusions}
            fields = [field for one in decisions for field in contract.decisions[one].frame.fields]  # type: ignore[union-attr]
            assert not {field.cell for field in fields if field.key in keys} & hidden
    assert (shared > 0) is (plan != "sequential")
    with_task = [body for body in server.bodies if b'"task"' in body]
    assert all(body.startswith(b'{"model":"m","state":{"task":"read it all"') for body in with_task)


async def test_no_more_requests_are_under_way_than_the_judge_takes_whatever_a_wave_holds(tmp_path: Path) -> None:
    for name in ("a.txt", "b.txt", "c.txt"):
        (tmp_path / name).write_text(f"text of {name}\n", encoding="utf-8")
    host, told = reference_host(tmp_path), {}
    for most in (None, 2, 1):
        async with serving(options=JudgeOptions(max_in_flight=most)) as (server, judge):
            result = await arun(
                "read it all", judge=judge, writer=ExtractiveWriter(), host=host, cwd=tmp_path, plan="full"
            )
        told[most] = (server.most, [(step.tool, step.input) for step in result.steps], result.answer)
    assert told[None][0] > 2
    assert (told[2][0], told[1][0]) == (2, 1)
    assert told[None][1:] == told[2][1:] == told[1][1:]


async def test_what_nobody_waits_for_any_more_is_cancelled_at_the_server(tmp_path: Path) -> None:
    """The task is done; the question that would have been next hangs, and the run does not wait for it."""
    (tmp_path / "a.txt").write_text("text\n", encoding="utf-8")
    async with serving(hangs_on="needs_tool") as (server, judge):
        result = await arun("list it", judge=judge, writer=ExtractiveWriter(), cwd=tmp_path)
        await asyncio.sleep(0.05)
    assert result.halt.startswith("task_done")
    assert result.accounting.cancelled == server.given_up == 1


def host_caps() -> Any:
    """Return what the profile of the judge says."""
    return make_judge("typesafe:m", environ={"TYPESAFE_API_KEY": "local"}, tools={}).caps
