"""The gateway: the public conformance suite, the official client, and what each bad request gets."""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import httpx2
import jevcompat.runner
import pytest
import typesafe_sdk
from backports import zstd

from interlock.judge.base import Caps, Failure, JudgeReply, Reading, Usage
from interlock.judge.hashed import HashJudge
from interlock.judge.scripted import ScriptedJudge
from interlock.questions import ChoiceAnswer, Content, Question

pytestmark = pytest.mark.enable_socket

GOOD: dict[str, Any] = {
    "model": "jev-latest",
    "state": {"note": "the order was charged twice"},
    "questions": {"twice": {"type": "noul", "instructions": "The order was charged twice"}},
}
CANARY = "canary-4711"


def _post(url: str, body: object, **headers: str) -> httpx2.Response:
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    return httpx2.post(f"{url}/v1/systemone", content=content, headers=headers, timeout=10)


def _with(**changes: object) -> dict[str, Any]:
    return {**GOOD, **changes}


def _asking(question: object) -> dict[str, Any]:
    return _with(questions={"q": question})


def _counts(report: Any, level: str) -> tuple[int, int]:
    asked = [item for item in report.results if item.level == level and item.status != "skip"]
    return sum(item.status == "pass" for item in asked), len(asked)


@pytest.mark.parametrize(
    ("key", "should"), [pytest.param(None, (13, 13), id="without-a-key"), pytest.param("k1", (15, 15), id="with-a-key")]
)
def test_the_public_suite_calls_it_conformant(serve: Any, key: str | None, should: tuple[int, int]) -> None:
    """Every MUST that applies, 32 of 33, and every SHOULD."""
    report = jevcompat.runner.run(serve(key=key), key=key)

    assert report.verdict == "conformant"
    assert _counts(report, "MUST") == (32, 32)
    assert _counts(report, "SHOULD") == should


def test_the_official_client_talks_to_it_unmodified(serve: Any) -> None:
    with typesafe_sdk.TypeSafeClient(api_key="k1", base_url=serve(key="k1"), model="jev-latest") as client:
        answered = client.system_one(
            state="x" * 5000,
            questions={
                "which": typesafe_sdk.Choice(instructions="Which one?", criteria={"a": "first", "b": None}),
                "sure": typesafe_sdk.Noul(instructions="Is it so?"),
            },
        )

    assert answered.model == "hash"
    which, sure = answered.answers["which"], answered.answers["sure"]
    assert isinstance(which, typesafe_sdk.ChoiceAnswer)
    assert which.choice in ("a", "b")
    assert isinstance(sure, typesafe_sdk.NoulAnswer)
    assert 0 <= sure.noul <= 1


def test_a_compressed_body_is_read_and_a_bomb_is_not(serve: Any) -> None:
    url = serve()
    packed = zstd.compress(json.dumps(GOOD).encode())

    assert _post(url, packed, **{"content-encoding": "zstd"}).status_code == 200
    assert _post(url, packed[:-4], **{"content-encoding": "zstd"}).status_code == 415
    assert _post(url, zstd.compress(b" " * 50_000_000), **{"content-encoding": "zstd"}).status_code == 413
    assert _post(url, packed, **{"content-encoding": "br"}).status_code == 415


LEVELS = [str(level) for level in range(11)]


@pytest.mark.parametrize(
    ("body", "loc"),
    [
        pytest.param(b"{", ["body", 1], id="cut-off"),
        pytest.param(b'{"a": 1, "a": 2}', ["body", 0], id="repeated-key"),
        pytest.param(b'{"state": NaN}', ["body", 0], id="nan"),
        pytest.param(b"[" * 100_000, ["body", 0], id="nested-too-deep"),
        pytest.param(b'{"state": "\\ud800"}', ["body", 0], id="lone-surrogate"),
        pytest.param([], ["body"], id="not-an-object"),
        pytest.param(_with(model=""), ["body", "model"], id="empty-model"),
        pytest.param(_with(state=None), ["body", "state"], id="null-state"),
        pytest.param(_with(state=True), ["body", "state"], id="boolean-state"),
        pytest.param(_with(questions={}), ["body", "questions"], id="no-questions"),
        pytest.param(
            _with(questions={"": {"type": "noul", "instructions": "x"}}), ["body", "questions", ""], id="empty-id"
        ),
        pytest.param(_asking({"type": "noul"}), ["body", "questions", "q"], id="noul-of-nothing"),
        pytest.param(
            _asking({"type": "ask", "instructions": "x"}), ["body", "questions", "q", "type"], id="unknown-type"
        ),
        pytest.param(
            _asking({"type": "noul", "instructions": " "}), ["body", "questions", "q", "instructions"], id="blank"
        ),
        pytest.param(
            _asking({"type": "choice", "instructions": "x", "criteria": {}}),
            ["body", "questions", "q", "criteria"],
            id="no-options",
        ),
        pytest.param(
            _asking({"type": "choice", "instructions": "x", "criteria": dict.fromkeys(map(str, range(256)))}),
            ["body", "questions", "q", "criteria"],
            id="256-options",
        ),
        pytest.param(
            _asking({"type": "score", "instructions": "x", "criteria": LEVELS}),
            ["body", "questions", "q", "criteria"],
            id="11-levels",
        ),
        pytest.param(
            _asking({"type": "score", "instructions": "x", "criteria": ["one"]}),
            ["body", "questions", "q", "criteria"],
            id="1-level",
        ),
        pytest.param(
            _asking({"type": "score", "instructions": "x", "criteria": {"a": "b"}}),
            ["body", "questions", "q", "criteria"],
            id="score-map",
        ),
        pytest.param(
            _asking({"type": "score", "instructions": "x", "criteria": ["a", None]}),
            ["body", "questions", "q", "criteria", 1],
            id="null-level",
        ),
    ],
)
def test_bad_input_is_a_422_with_its_place(serve: Any, body: object, loc: list[object]) -> None:
    """Never a 5xx: clients retry those, so a 500 on bad input would make them loop."""
    response = _post(serve(), body)

    assert response.status_code == 422
    assert response.json()["detail"][0]["loc"] == loc


def test_routes_keys_models_and_sizes(serve: Any) -> None:
    url = serve(key="k1")
    bearer = {"authorization": "Bearer k1"}

    assert _post(url, GOOD).status_code == 403
    assert _post(url, GOOD, authorization="Bearer wrong").status_code == 401
    assert _post(url, GOOD, authorization="Basic k1").status_code == 401
    assert _post(url, _with(model="other"), **bearer).json()["detail"]["error_type"] == "api_usage_error"
    assert _post(url, b" " * (4 * 1024 * 1024 + 1), **bearer).status_code == 413
    assert httpx2.get(f"{url}/nowhere").json()["detail"]["error_type"] == "not_found"
    assert httpx2.get(f"{url}/v1/systemone").status_code == 405
    assert httpx2.get(f"{url}/health").json() == {"status": "ok"}
    assert httpx2.get(f"{url}/metrics").status_code == 403
    answered = _post(url, GOOD, **bearer)
    assert answered.headers["x-typesafe-request-id"].startswith("req_")
    measured = httpx2.get(f"{url}/metrics", headers=bearer).text
    assert 'interlock_gateway_requests_total{route="/v1/systemone",status="200"} 1' in measured
    assert 'interlock_gateway_readings_total{kind="answered",reason="ok"} 1' in measured


@pytest.mark.parametrize(
    ("reading", "status", "error_type"),
    [
        pytest.param("refused/refusal", 400, "question_not_answered", id="refused"),
        pytest.param("unscored/abstained", 400, "question_not_answered", id="abstained"),
        pytest.param("not_asked/over-caps", 400, "question_not_answered", id="over-caps"),
        pytest.param("invalid_response/sum", 502, "upstream_error", id="invalid"),
        pytest.param("transport_error/server", 502, "upstream_error", id="server"),
        pytest.param("transport_error/deadline", 504, "upstream_timeout", id="deadline"),
        pytest.param("transport_error/busy", 529, "overloaded_error", id="busy"),
    ],
)
def test_an_answer_is_never_invented(serve: Any, reading: str, status: int, error_type: str) -> None:
    kind, _, reason = reading.partition("/")
    told = Reading(kind=kind, reason=reason, answer=None, judge="scripted")  # type: ignore[arg-type]  # from the table

    response = _post(serve(ScriptedJudge({"twice": told})), GOOD)

    assert (response.status_code, response.json()["detail"]["error_type"]) == (status, error_type)


def test_a_label_without_numbers_is_no_answer_on_this_wire(serve: Any) -> None:
    answer = ChoiceAnswer(choice="a", probabilities=None, basis="label_only")
    told = Reading(kind="answered", reason="ok", answer=answer, judge="scripted")
    body = _asking({"type": "choice", "instructions": "x", "criteria": {"a": None, "b": None}})

    assert _post(serve(ScriptedJudge({"q": told})), body).status_code == 400


def test_a_busy_judge_says_how_long_to_wait(serve: Any) -> None:
    judge = ScriptedJudge([Failure(reason="busy", status=429, retryable=True, retry_after_s=2.5)])

    assert _post(serve(judge), GOOD).headers["retry-after-ms"] == "2500"


def test_a_full_queue_is_refused(serve: Any) -> None:
    assert _post(serve(max_waiting=0), GOOD).json()["detail"]["error_type"] == "overloaded_error"


def test_nothing_of_a_request_is_in_the_log_or_in_an_error(serve: Any, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG, logger="interlock")
    url = serve(key=f"key-{CANARY}")
    bodies = [
        {"model": CANARY, "state": CANARY, "questions": {"q": {"type": "noul", "instructions": CANARY}}},
        _asking({"type": "noul", "instructions": {"text": 1}, "criteria": CANARY}),
        f'{{"state": "{CANARY}"'.encode(),
    ]

    told = [_post(url, body, authorization=f"Bearer key-{CANARY}").text for body in bodies]

    assert CANARY not in "".join(told) + caplog.text


def test_every_judged_request_is_told(serve: Any) -> None:
    seen: list[str] = []
    url = serve(on_reply=lambda request_id, _request, reply: seen.append(f"{request_id} {reply.request_digest[:4]}"))

    _post(url, GOOD)

    assert len(seen) == 1


class Neighbourly(HashJudge):
    """A judge whose answers move with the other questions of a request, and which counts its tokens."""

    caps = Caps(joint_reads=True)

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[list[str]] = []

    async def answer(self, frame_state: Content, questions: Mapping[str, Question]) -> JudgeReply:
        self.asked.append(list(questions))
        reply = await super().answer(frame_state, questions)
        return replace(reply, usage=Usage(input_tokens=10, output_tokens=1))


def test_questions_that_would_move_each_other_are_asked_alone_and_their_tokens_added(serve: Any) -> None:
    judge = Neighbourly()
    asked = {f"q{at}": {"type": "noul", "instructions": f"Is it {at}?"} for at in range(3)}
    told = _post(serve(judge), _with(questions=asked)).json()
    assert sorted(judge.asked) == [["q0"], ["q1"], ["q2"]]
    assert list(told["answers"]) == ["q0", "q1", "q2"]
    assert told["usage"] == {"input_tokens": 30, "output_tokens": 3}
    assert len(told["x_request_digest"]) == 64
