"""What was recorded is replied again, from this process, a file of lines or a line of another tool."""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Mapping
from pathlib import Path

import pytest

from interlock.errors import QuestionError, SettingsError
from interlock.judge.base import Failure, JudgeReply, Usage
from interlock.judge.jevl import read_lines, written_line
from interlock.judge.line_file import LineFile
from interlock.judge.recording import Recorded, Recording, ReplayJudge
from interlock.models.closing import close
from interlock.questions import Choice, ChoiceAnswer, Content, Json, Noul, NoulAnswer, NoulCriteria, Question, Score
from interlock.testing import Scripted, ScriptedJudge

pytestmark = pytest.mark.anyio

STATE: dict[str, Json] = {"task": "t", "n": 1.5, "文": "a\u2028b"}
ASKED: dict[str, Question] = {
    "ok": Noul(instructions="ok?", criteria=NoulCriteria(true="yes")),
    "한글 😀": Choice(instructions="which?", criteria={"x": None, "é": ["2"]}),
    "how": Score(instructions="how?", criteria=["low", "high"]),
    "no": Noul(instructions="no?"),
}
SCRIPT: Mapping[str, Scripted] = {"ok": 0.9, "한글 😀": {"x": 0.25, "é": 0.75}, "how": 0.5, "no": None}


async def recorded(script: Mapping[str, Scripted] = SCRIPT, state: Content = STATE) -> list[Recorded]:
    kept: list[Recorded] = []
    await Recording(ScriptedJudge(script), write=kept.append).answer(state, ASKED)
    return kept


async def test_an_equal_request_gets_the_recorded_reply() -> None:
    kept = await recorded()
    reply = await ReplayJudge(kept, judge="replay:x").answer(STATE, {f"other {id_}": q for id_, q in ASKED.items()})
    assert list(reply.readings.values()) == list(kept[0].reply.readings.values())
    assert (reply.request_digest, reply.served_model) == (kept[0].reply.request_digest, "scripted")
    assert reply.readings["other no"].reason == "abstained"


@pytest.mark.parametrize(
    ("state", "asked"),
    [
        pytest.param({"task": "u"}, ASKED, id="another-state"),
        pytest.param(STATE, dict(reversed(ASKED.items())), id="another-order-of-questions"),
        pytest.param(STATE, {"ok": ASKED["ok"]}, id="a-part-of-the-request"),
    ],
)
async def test_anything_else_was_not_asked(state: Mapping[str, str], asked: Mapping[str, Question]) -> None:
    reply = await ReplayJudge(await recorded(), judge="replay:x").answer(state, asked)
    assert {(r.kind, r.reason, r.judge) for r in reply.readings.values()} == {("not_asked", "no-recording", "replay:x")}
    assert reply.failure is None


async def test_equal_requests_are_replied_in_the_order_recorded_and_then_no_more() -> None:
    kept = [*(await recorded({"ok": 0.1})), *(await recorded({"ok": 0.2}))]
    replay = ReplayJudge(kept, judge="replay:x")
    answers = [(await replay.answer(STATE, ASKED)).readings["ok"].answer for _ in range(3)]
    assert answers[:2] == [NoulAnswer(noul=p, basis="scripted") for p in (0.1, 0.2)]
    assert answers[2] is None


async def test_parts_of_one_request_that_were_recorded_apart_become_one() -> None:
    """A journal holds one record per decision, also where several were asked in one request."""
    (whole,) = await recorded()
    parts = [
        Recorded(
            frame_state=STATE,
            questions={id_: ASKED[id_]},
            reply=JudgeReply(
                readings={id_: whole.reply.readings[id_]},
                failure=None,
                requested_model="scripted",
                served_model="scripted",
                request_id=None,
                request_digest=whole.reply.request_digest,
                usage=None,
                attempts=1,
                elapsed_s=0.0,
            ),
        )
        for id_ in ASKED
    ]
    reply = await ReplayJudge(parts, judge="r").answer(STATE, ASKED)
    assert reply.readings == whole.reply.readings


async def test_nothing_recorded_is_nothing_known() -> None:
    replay = ReplayJudge([], judge="r")
    assert (await replay.answer("s", {"a": ASKED["ok"]})).readings["a"].reason == "no-recording"
    assert replay.caps.max_options is None
    with pytest.raises(QuestionError, match="ask at least one"):
        await replay.answer("s", {})


async def test_a_line_is_of_the_exchange_format_and_holds_everything() -> None:
    (kept,) = await recorded()
    line = written_line(kept, at="2026-09-19T19:40:00Z")
    told = json.loads(line)
    assert line.endswith("}\n")
    assert line.count("\n") == 1
    assert list(told) == ["v", "id", "ts", "model", "request", "answers", "meta"]
    assert (told["v"], told["ts"], told["model"]) == (1, "2026-09-19T19:40:00Z", "scripted")
    assert told["request"]["state"] == STATE
    assert list(told["request"]["questions"]) == list(ASKED)
    assert told["answers"]["한글 😀"]["probabilities"] == {"x": 0.25, "é": 0.75}
    assert "no" not in told["answers"]
    (back,) = read_lines(line, name="f")
    assert (back.frame_state, back.questions) == (
        STATE,
        {**ASKED, "how": Score(instructions="how?", criteria=("low", "high"))},
    )
    assert back.reply.readings == kept.reply.readings


async def test_the_id_of_a_line_is_the_digest_that_other_tools_compute() -> None:
    """Keys sorted, no space, numbers in the shortest form (RFC 8785)."""
    state: Content = {"b": [1.0, 0.1, 1e-7, 1e21, 0.00001234, -2.5e-6], "a": {"z": None, "é": True}}
    kept: list[Recorded] = []
    question = Noul(instructions="q")
    await Recording(ScriptedJudge({"q": 1}, judge="m"), write=kept.append).answer(state, {"q": question})
    canonical = (
        '{"model":"m","questions":{"q":{"instructions":"q","type":"noul"}},'
        '"state":{"a":{"z":null,"é":true},"b":[1,0.1,1e-7,1e+21,0.00001234,-0.0000025]}}'
    )
    told = json.loads(written_line(kept[0], at="t"))
    assert told["id"] == f"sha256:{hashlib.sha256(canonical.encode()).hexdigest()}"


THEIRS = {
    "v": 1,
    "id": "sha256:00",
    "ts": "2026-09-19T19:40:00Z",
    "model": "jev-1.13.0",
    "request": {
        "state": "s",
        "questions": {
            "team": {"type": "choice", "instructions": "who?", "criteria": {"a": "1", "b": None}},
            "ok": {"type": "noul", "instructions": "ok?"},
        },
    },
    "answers": {
        "team": {"type": "choice", "choice": "a", "probabilities": {"a": 0.9, "b": 0.1}, "confidence": 0.8},
        "ok": {"type": "noul", "noul": 7},
    },
    "usage": {"input_tokens": 424, "output_tokens": 73},
    "tags": ["x"],
    "other": 1,
}


async def test_a_line_of_another_tool_is_replied_and_checked() -> None:
    text = json.dumps(THEIRS) + "\n\n"
    asked: dict[str, Question] = {
        "t": Choice(instructions="who?", criteria={"a": "1", "b": None}),
        "o": Noul(instructions="ok?"),
    }
    reply = await ReplayJudge(read_lines(text, name="f"), judge="replay:f").answer("s", asked)
    assert reply.readings["t"].answer == ChoiceAnswer(
        choice="a", probabilities={"a": 0.9, "b": 0.1}, basis="decision_model", reported_confidence=0.8
    )
    assert (reply.readings["o"].kind, reply.readings["o"].reason) == ("invalid_response", "noul-range")
    assert (reply.served_model, reply.usage) == ("jev-1.13.0", Usage(input_tokens=424, output_tokens=73))


@pytest.mark.parametrize(
    ("line", "message"),
    [
        pytest.param("{", "`f`: line 2 is no record of format 1", id="cut"),
        pytest.param("7", "line 2 is no record", id="a-number"),
        pytest.param("{}", "line 2 is no record", id="empty"),
        pytest.param(json.dumps(THEIRS | {"v": 2}), "line 2 is of format 2; this release reads format 1", id="later"),
        pytest.param(json.dumps(THEIRS | {"answers": {}}), "line 2 is no record", id="an-answer-missing"),
        pytest.param(json.dumps(THEIRS | {"model": 3}), "line 2 is no record", id="model-is-a-number"),
        pytest.param(
            json.dumps(THEIRS | {"request": {"state": "s", "questions": {"q": {"type": "odd", "instructions": "x"}}}}),
            "line 2 is no record",
            id="an-unknown-type",
        ),
        pytest.param(
            json.dumps(THEIRS | {"meta": {"interlock": {"readings": {"team": {"kind": "odd"}}}}}),
            "line 2 is no record",
            id="a-reading-that-is-none",
        ),
    ],
)
def test_a_line_that_cannot_be_read_is_an_error_and_not_a_gap(line: str, message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        list(read_lines(f"{json.dumps(THEIRS)}\n{line}\n", name="f"))


async def test_a_file_grows_by_whole_lines(tmp_path: Path) -> None:
    path = tmp_path / "run.jevl"
    for state, inner in (("s", ScriptedJudge(SCRIPT)), ("t", ScriptedJudge([Failure(reason="busy")]))):
        judge = Recording(inner, write=LineFile(path, wall=lambda: 1_790_000_000.5))
        await judge.answer(state, ASKED)
        await close(judge)
    lines = list(read_lines(path.read_text(encoding="utf-8"), name="f"))
    assert [item.frame_state for item in lines] == ["s", "t"]
    assert {reading.reason for reading in lines[1].reply.readings.values()} == {"busy"}
    assert '"ts":"2026-09-21T14:13:20.500Z"' in path.read_text(encoding="utf-8")


def test_a_request_that_is_not_json_has_no_line(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = tmp_path / "run.jevl"
    file = LineFile(path, wall=lambda: 0.0)
    reply = JudgeReply(
        readings={},
        failure=Failure(reason="bad-request"),
        requested_model="m",
        served_model=None,
        request_id=None,
        request_digest="",
        usage=None,
        attempts=0,
        elapsed_s=0.0,
    )
    with caplog.at_level(logging.WARNING, logger="interlock"):
        for state in ({"n": float("nan")}, "\ud800"):
            file(Recorded(frame_state=state, questions={}, reply=reply))
    assert path.read_text(encoding="utf-8") == ""
    assert caplog.messages == ["record: a request that is not JSON is not recorded"] * 2


def test_a_file_that_cannot_be_written_stops_before_anything_is_asked(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"^record: `.*` cannot be written: Is a directory$"):
        LineFile(tmp_path, wall=lambda: 0.0)
