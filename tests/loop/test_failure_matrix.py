"""The failure matrix of a run: what it does, what its journal says, and that nothing was let through by the fault.

The fault strikes where a call that writes is graded; everything before it went well.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import anyio
import pytest

from interlock.journal import Body, EventType, Head, MemoryJournal, Record, timestamp
from interlock.journal.approvals import moment
from interlock.journal.verify import verify_run
from interlock.judge.base import Caps, Failure, Judge
from interlock.judge.combinators.deadline import Deadline
from interlock.judge.profile import Profile
from interlock.judge.readings import Identity
from interlock.judge.remote import RemoteJudge
from interlock.judge.sending import HttpReply
from interlock.judge.systemone import SystemOneWire
from interlock.judge.transport import Transport
from interlock.loop.approval import ApprovalAnswer, ApprovalRequest
from interlock.loop.reference import reference_host
from interlock.loop.result import RunResult
from interlock.loop.run import run
from interlock.loop.scripted import ScriptedWriter
from interlock.loop.writer import Draft, WriteRequest
from interlock.testing import ScriptedJudge
from interlock.tools.callables import tool_from_function

Judges = Callable[..., ScriptedJudge]
Fault = Callable[[dict[str, Any]], "bytes | tuple[int, tuple[tuple[str, str], ...]] | Failure"]
WRITE = {"path": "c.ts", "content": "export const c = 1\n"}
SURE = {
    "needs_tool": 0.9,
    "pick_tool": "write_file",
    "risk": {"0": 0.9, "1": 0.05, "2": 0.03, "3": 0.02},
    "needs_auth": 0.1,
    "step_ok": 0.9,
    "is_done": 0.9,
    "deliverable": 0.9,
    "unsupported": 0.1,
}


def _answer(id_: str, question: Mapping[str, Any]) -> dict[str, Any]:
    """Return the answer of a server that is sure, as the wire spells it."""
    said = SURE.get(id_.rpartition(".")[2], 0.9)
    match question["type"]:
        case "noul":
            return {"type": "noul", "noul": said}
        case "score":
            assert isinstance(said, dict)
            score = sum(int(level) * p for level, p in said.items())
            return {"type": "score", "score": score, "probabilities": dict(said), "confidence": 0.5}
        case _:
            labels = list(question["criteria"])
            picked = said if said in labels else labels[0]
            rest = 0.1 / max(1, len(labels) - 1)
            spread = {label: 0.9 if label == picked else rest for label in labels}
            if len(labels) == 1:
                spread = {picked: 1.0}
            return {"type": "choice", "choice": picked, "probabilities": spread, "confidence": 0.5}


class _Server(Transport):
    """A server that is well until the risk of a call is asked about."""

    def __init__(self, fault: Fault | None, *, delay_s: float = 0.0) -> None:
        super().__init__(timeout_s=1.0)
        self._fault = fault
        self._delay_s = delay_s
        self.graded = 0

    async def post(self, url: str, body: bytes, headers: Mapping[str, str]) -> HttpReply | Failure:
        asked = json.loads(body)["questions"]
        reply: dict[str, Any] = {"model": "m", "answers": {id_: _answer(id_, asked[id_]) for id_ in asked}}
        if any(id_.endswith(("risk", "needs_auth")) for id_ in asked):
            self.graded += 1
            await anyio.sleep(self._delay_s)
            broken = reply if self._fault is None else self._fault(reply)
            if isinstance(broken, Failure):
                return broken
            if isinstance(broken, tuple):
                return HttpReply(status=broken[0], headers=dict(broken[1]), body=b'{"error":{"message":"no"}}')
            if isinstance(broken, bytes):
                return HttpReply(status=200, headers={}, body=broken)
        return HttpReply(status=200, headers={}, body=json.dumps(reply).encode())


def _judge(server: Transport) -> Judge:
    profile = Profile(
        name="s", wire="systemone", base=None, path="/x", key_env="K", key_required=False, base_env=None,
        model_env=None, alias=None, bare_label=False, caps=Caps(),
    )  # fmt: skip
    identity = Identity(judge="s:m", model="m", wire="systemone")
    remote = RemoteJudge(
        identity=identity, profile=profile, wire=SystemOneWire(), base="http://127.0.0.1:9", key=None,
        transport=server, now=lambda: 0.0, wall=lambda: 0.0,
    )  # fmt: skip
    return Deadline(remote, identity=identity, budget_s=0.2, now=time.monotonic)


def _changed(change: Callable[[dict[str, Any]], object]) -> Fault:
    """Return a fault in the answers of an otherwise good reply."""

    def fault(reply: dict[str, Any]) -> bytes:
        change(reply["answers"])
        return json.dumps(reply).encode()

    return fault


def _each(change: Callable[[dict[str, Any]], object]) -> Fault:
    return _changed(lambda answers: [change(answer) for answer in answers.values()])


def _status(status: int, *headers: tuple[str, str]) -> Fault:
    return lambda reply: (status, headers)


def _flat(answer: dict[str, Any]) -> None:
    if answer["type"] == "noul":
        answer["noul"] = 0.5
    else:
        answer |= {"score": 1.5, "probabilities": {str(level): 0.25 for level in range(4)}}


@dataclass
class Ended:
    """A run that met a fault, and its journal."""

    result: RunResult
    records: tuple[Record, ...]

    def readings(self) -> set[str]:
        """Return what became of the questions about the call."""
        graded = [record.body for record in self.records if record.body.get("decision") == "grade_risk"]
        found: list[Any] = [reading for body in graded for reading in dict(body["readings"]).values()]  # type: ignore[arg-type] # checked JSON
        return {f"{reading['kind']}/{reading['reason']}" for reading in found}


def _run(project: Path, judge: Judge, **options: Any) -> Ended:
    journal = options.pop("journal", None) or MemoryJournal()
    writer = options.pop("writer", None) or ScriptedWriter(["nothing was written"] * 3, [WRITE] * 3)
    result = run("write c.ts", judge=judge, writer=writer, cwd=project, can_write=True, journal=journal, **options)
    with journal.snapshot() as view:
        assert verify_run(view, result.run_id).counts["mismatch"] == 0
    return Ended(result, tuple(journal.records(result.run_id)))


@pytest.mark.parametrize(
    ("fault", "reads"),
    [
        pytest.param(lambda _: Failure(reason="connect", retryable=True), "transport_error/connect", id="refused"),
        pytest.param(lambda _: Failure(reason="timeout", retryable=True), "transport_error/timeout", id="timeout"),
        pytest.param(_status(429, ("retry-after", "86400")), "transport_error/busy", id="429-with-a-day-to-wait"),
        pytest.param(_status(500), "transport_error/server", id="500"),
        pytest.param(_status(529), "transport_error/busy", id="529"),
        pytest.param(lambda _: b'{"model":"m","answers":{', "invalid_response/not-json", id="malformed-json"),
        pytest.param(
            _changed(lambda answers: [answers.update({f"{id_}x": answers.pop(id_)}) for id_ in list(answers)]),
            "invalid_response/answer-ids",
            id="wrong-ids",
        ),
        pytest.param(_changed(lambda answers: answers.popitem()), "invalid_response/answer-ids", id="missing-answer"),
        pytest.param(
            _each(lambda answer: answer.update({answer["type"]: float("nan")})), "invalid_response/not-json", id="nan"
        ),
        pytest.param(
            _each(lambda answer: answer.get("probabilities", {}).update({"0": 0.2})), "invalid_response/sum", id="sum"
        ),
        pytest.param(
            _each(lambda answer: answer.get("probabilities", {}).update({"7": 0.0})),
            "invalid_response/level-keys",
            id="a-label-that-was-not-offered",
        ),
        pytest.param(_each(_flat), "answered/ok", id="a-half-to-everything"),
    ],
)
def test_a_judge_that_fails_lets_no_call_through(project: Path, fault: Fault, reads: str) -> None:
    ended = _run(project, _judge(_Server(fault)))
    types = [record.type for record in ended.records]
    assert not (project / "c.ts").exists()
    assert "tool_about_to_run" not in types
    assert reads in ended.readings()
    assert ended.result.halt.partition("+")[0] in {"denied", "judge_down"}
    assert not ended.result.delivered or ended.result.halt.startswith("denied")
    assert [record.body["approved"] for record in ended.records if record.type == "approval_answered"] == [False]


def test_an_answer_after_the_deadline_is_no_answer(project: Path) -> None:
    server = _Server(None, delay_s=5.0)
    began = time.monotonic()
    ended = _run(project, _judge(server))
    assert server.graded >= 1
    assert time.monotonic() - began < 4.0
    assert ended.readings() == {"transport_error/deadline"}
    assert not (project / "c.ts").exists()


def test_the_same_server_without_a_fault_lets_the_call_through(project: Path) -> None:
    ended = _run(project, _judge(_Server(None)))
    assert (project / "c.ts").read_text() == WRITE["content"]
    assert ended.result.delivered


@dataclass
class _Writes(ScriptedWriter):
    """A writer whose draft is what it is told."""

    draft: Draft | BaseException

    def __post_init__(self) -> None:
        super().__init__([], [WRITE] * 3)

    async def write(self, request: WriteRequest) -> Draft:
        if isinstance(self.draft, BaseException):
            raise self.draft
        return self.draft


def _failed(reason: str, *, truncated: bool = False) -> Draft:
    return Draft(text="", degraded=False, usage=None, failure=reason, truncated=truncated)


@pytest.mark.parametrize(
    ("draft", "says"),
    [
        pytest.param(_failed("cannot be reached"), "cannot be reached", id="refused"),
        pytest.param(_failed("did not answer in time"), "did not answer in time", id="timeout"),
        pytest.param(_failed("429: busy"), "429: busy", id="429"),
        pytest.param(_failed("the stream was cut", truncated=True), "the stream was cut", id="cut-stream"),
        pytest.param(Draft(text="", degraded=False, usage=None), "empty answer", id="empty-answer"),
        pytest.param(Draft(text=" \n", degraded=False, usage=None), "empty answer", id="blank-answer"),
        pytest.param(RuntimeError("x"), "it raised RuntimeError", id="raises"),
    ],
)
def test_a_writer_that_fails_delivers_nothing_and_keeps_what_was_done(
    project: Path, judge: Judges, draft: Draft | BaseException, says: str
) -> None:
    done = judge(pick_tool="write_file", is_done=0.9)
    ended = _run(project, done, writer=_Writes(draft))
    assert (ended.result.halt, ended.result.failed, ended.result.answer) == ("writer_failed", True, None)
    assert says in (ended.result.reason or "")
    assert (project / "c.ts").exists()
    assert len(ended.result.steps) == 1
    assert [record.type for record in ended.records][-1] == "run_ended"


def test_a_draft_that_was_cut_off_is_on_record_as_cut(project: Path, judge: Judges) -> None:
    cut = Draft(text="Half an ans", degraded=False, usage=None, truncated=True)
    done = judge(pick_tool="write_file", is_done=0.9, can_deliver__deliverable=0.2)
    ended = _run(project, done, writer=_Writes(cut))
    assert (ended.result.delivered, ended.result.answer) == (False, None)
    assert all(
        record.body["truncated"]
        for record in ended.records
        if record.type == "generation" and record.body["purpose"] != "input"
    )


@pytest.mark.parametrize(
    ("behaviour", "kind"),
    [
        pytest.param("exception", "exception", id="an-exception"),
        pytest.param("hang", "timeout", id="a-hang"),
        pytest.param("binary", "binary", id="binary-output"),
        pytest.param("killed", "exception", id="killed"),
    ],
)
def test_a_tool_that_fails_is_a_failed_step_and_approves_nothing(
    project: Path, judge: Judges, behaviour: str, kind: str
) -> None:
    async def probe() -> str:
        """A probe is wanted."""
        if behaviour == "exception":
            raise ZeroDivisionError
        if behaviour == "hang":
            await asyncio.sleep(60)
        if behaviour == "killed":
            process = await asyncio.create_subprocess_exec("sleep", "60", stdout=asyncio.subprocess.PIPE)
            process.kill()
            raise ChildProcessError(f"the process ended with {await process.wait()}")
        return "\0\1"

    host = reference_host(project, tools=[tool_from_function(probe, base_risk=0, timeout_s=0.3)])
    judged = judge(pick_tool="probe", is_done=0.9, step_ok=0.9)
    ended = _run(project, judged, host=host)
    (result,) = [record.body for record in ended.records if record.type == "tool_result"]
    assert (result["failed"], str(result["result"]).startswith(f"[TOOL_ERROR] {kind}: ")) == (True, True)
    assert "approval_answered" not in [record.type for record in ended.records]


class _Ahead(MemoryJournal):
    """A journal in which a request was made by a clock that was an hour ahead and has been set back since."""

    def append(
        self, run_id: str, kind: EventType, body: Body, *, ts: str, durable: bool = False, expected: Head | None = None
    ) -> Record:
        if kind == "approval_requested":
            ts = timestamp(moment(ts) + timedelta(hours=1))
        return super().append(run_id, kind, body, ts=ts, durable=durable, expected=expected)


def test_a_clock_that_jumps_back_gives_an_approval_no_more_time(project: Path, judge: Judges) -> None:
    async def approve(request: ApprovalRequest) -> ApprovalAnswer:
        return ApprovalAnswer(approved=True, by="ada")

    ended = _run(project, judge(pick_tool="write_file", grade_risk__risk=3.0), ask=approve, journal=_Ahead())
    assert ended.result.halt.startswith("denied")
    assert not (project / "c.ts").exists()
    assert "the clock stands before" in (ended.result.reason or "")
    assert {record.body["kind"] for record in ended.records if record.type == "error"} == {"clock"}
