"""What stands between a question and a server when it is asked for: orders, kept answers, recordings, readouts."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any, Protocol

import pytest

from interlock.errors import SettingsError
from interlock.judge.base import Judge, JudgeReply
from interlock.judge.human import Asked, Said
from interlock.judge.locks import Lock, locks_json, question_digest
from interlock.judge.options import JudgeOptions
from interlock.models.closing import close
from interlock.questions import Choice, ChoiceAnswer, Noul, NoulAnswer, Question
from interlock.testing import ScriptedJudge
from interlock.wiring import make_baseline, make_judge

pytestmark = [pytest.mark.anyio, pytest.mark.enable_socket]

CHOICE = Choice(instructions="Which?", criteria={"a": None, "b": None})
ASKED: Mapping[str, Question] = {"ok": Noul(instructions="ok?"), "pick": CHOICE}
CHAT = {"OPENAI_BASE_URL": "", "OPENAI_API_KEY": "sk-canary"}


class Counted(Protocol):
    url: str
    bodies: list[dict[str, Any]]


Serving = Callable[..., AbstractAsyncContextManager[Counted]]


async def ask(
    id_: str, options: JudgeOptions, *, environ: Mapping[str, str] | None = None, times: int = 1
) -> JudgeReply:
    judge = make_judge(id_, environ=environ or {}, tools={}, options=options)
    try:
        for _ in range(times):
            reply = await judge.answer({"task": "t"}, ASKED)
    finally:
        await close(judge)
    return reply


def completion(content: str, **logprobs: Any) -> dict[str, Any]:
    choice = {"index": 0, "message": {"role": "assistant", "content": content}, "finish_reason": "stop", **logprobs}
    usage = {"prompt_tokens": 7, "completion_tokens": 2, "total_tokens": 9}
    return {"id": "c-1", "object": "chat.completion", "created": 1, "model": "m-7", "choices": [choice], "usage": usage}


async def test_a_flip_is_reported_through_the_whole_chain(serving: Serving) -> None:
    """The server takes the first option whatever it is; only asking twice shows it."""
    async with serving() as server:
        reply = await ask(
            f"typesafe:{server.url}#m", JudgeOptions(order="reversed_check"), environ={"TYPESAFE_API_KEY": "k"}
        )
        assert [len(body["questions"]) for body in server.bodies] == [2, 1]
    assert (reply.readings["pick"].reason, reply.readings["ok"].reason) == ("order-flip", "ok")
    assert reply.readout == "reversed_check"


async def test_kept_answers_are_not_asked_for_again(serving: Serving, tmp_path: Path) -> None:
    async with serving() as server:
        memory = await ask(f"system-one:{server.url}#m-1", JudgeOptions(cache="memory"), times=3)
        assert len(server.bodies) == len(ASKED)
        for _ in range(2):
            kept = await ask(f"system-one:{server.url}#m-1", JudgeOptions(cache=str(tmp_path / "kept.db")))
        assert len(server.bodies) == 2 * len(ASKED)
    assert (memory.attempts, kept.attempts) == (0, 0)


@pytest.mark.parametrize("model", ["jev-latest", "jev-preview", "~jev"])
async def test_a_name_that_moves_is_kept_within_one_process_only(serving: Serving, tmp_path: Path, model: str) -> None:
    path = tmp_path / "kept.db"
    async with serving() as server:
        for _ in range(2):
            await ask(f"system-one:{server.url}#{model}", JudgeOptions(cache=str(path)), times=2)
        assert len(server.bodies) == 2 * len(ASKED)
    assert not path.exists()


async def test_what_is_recorded_is_replayed_without_a_server(serving: Serving, tmp_path: Path) -> None:
    path = tmp_path / "run.jevl"
    async with serving() as server:
        live = await ask(f"system-one:{server.url}", JudgeOptions(record=str(path)))
    replayed = await ask(f"replay:{path}", JudgeOptions())
    assert replayed.readings == live.readings
    assert (replayed.request_digest, replayed.served_model) == (live.request_digest, live.served_model)


async def test_a_judge_that_is_code_can_be_recorded_too(tmp_path: Path) -> None:
    path = tmp_path / "run.jevl"
    live = await ask("hash", JudgeOptions(record=str(path)))
    assert (await ask(f"replay:{path}", JudgeOptions())).readings == live.readings


async def test_a_file_that_is_neither_journal_nor_lines_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x"
    for data, message in (
        (b"\xff\xfe", "neither a journal nor lines"),
        (b"{", "line 1 is no record"),
        (b"SQLite format 3\0", "replay"),
    ):
        path.write_bytes(data)
        with pytest.raises(SettingsError, match=message):
            make_judge(f"replay:{path}", environ={}, tools={})


async def test_a_chat_model_judges_by_what_it_writes(serving: Serving) -> None:
    def write(body: dict[str, Any]) -> dict[str, Any]:
        keys = body["response_format"]["json_schema"]["schema"]["required"]
        return completion('{"p_true": 0.75}' if keys == ["p_true"] else '{"a": 0.25, "b": 0.75}')

    async with serving(write) as server:
        environ = CHAT | {"OPENAI_BASE_URL": server.url}
        reply = await ask("openai:gpt", JudgeOptions(readout="json"), environ=environ)
    assert reply.readings["ok"].answer == NoulAnswer(noul=0.75, basis="self_report")
    assert (reply.wire, reply.readout, reply.requested_model, reply.served_model) == ("chat", "json-1", "gpt", "m-7")
    assert reply.attempts == len(ASKED)


async def test_a_chat_model_judges_by_its_first_token(serving: Serving) -> None:
    top = [{"token": "A", "logprob": math.log(0.2)}, {"token": "B", "logprob": math.log(0.6)}]
    content = [{"token": "B", "logprob": math.log(0.6), "bytes": None, "top_logprobs": top}]

    async with serving(lambda _body: completion("B", logprobs={"content": content, "refusal": None})) as server:
        environ = CHAT | {"OPENAI_BASE_URL": server.url}
        reply = await ask("openai:gpt", JudgeOptions(readout="logprobs"), environ=environ)
        assert all(body["max_tokens"] == 1 for body in server.bodies)
    answer = reply.readings["pick"].answer
    assert isinstance(answer, ChoiceAnswer)
    assert answer.probabilities == pytest.approx({"a": 0.25, "b": 0.75})
    assert answer.option_mass == pytest.approx(0.8)


async def test_a_chat_model_without_log_probabilities_has_no_answer(serving: Serving) -> None:
    async with serving(lambda _body: completion("B")) as server:
        environ = CHAT | {"OPENAI_BASE_URL": server.url}
        reply = await ask("openai:gpt", JudgeOptions(readout="logprobs"), environ=environ)
    assert {(r.kind, r.reason) for r in reply.readings.values()} == {("unscored", "no-logprobs")}


async def test_a_person_behind_a_server_is_not_hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only the server has a budget; the person is asked after it failed, for as long as it takes."""
    monkeypatch.setattr("sys.stdin", None)
    chain = make_judge(
        "system-one:http://127.0.0.1:9, human", environ={}, tools={}, options=JudgeOptions(timeout_s=0.2)
    )
    reply = await chain.answer("s", ASKED)
    await close(chain)
    assert {reading.kind for reading in reply.readings.values()} == {"transport_error"}
    assert {reading.reason for reading in reply.readings.values()} <= {"connect", "deadline"}


async def test_a_person_is_asked_once_and_the_server_before_in_every_order(
    serving: Serving, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The server flips with the order, so the choice goes on to the person; the noul does not."""
    shown: list[str] = []

    async def no_one(asked: Asked) -> Said:
        shown.append(asked.id)
        return Said(pick=1, by="ada")

    monkeypatch.setattr("interlock.judge.terminal.ask_at_terminal", no_one)
    async with serving() as server:
        environ = {"TYPESAFE_API_KEY": "k"}
        reply = await ask(f"typesafe:{server.url}#m, human", JudgeOptions(order="balanced"), environ=environ)
        assert [len(body["questions"]) for body in server.bodies] == [2, 1]
    assert shown == ["pick"]
    answer = reply.readings["pick"].answer
    assert isinstance(answer, ChoiceAnswer)
    assert (answer.choice, answer.basis, reply.readings["pick"].judge) == ("b", "person", "human:ada")


async def test_a_judge_that_is_code_is_asked_in_one_order(tmp_path: Path) -> None:
    """A recording holds one order, and rules read labels: asking again would only lose answers."""
    path = tmp_path / "run.jevl"
    live = await ask("hash", JudgeOptions(record=str(path), order="balanced"))
    replayed = await ask(f"replay:{path}", JudgeOptions(order="balanced"))
    assert (live.readout, replayed.readings) == (None, live.readings)


async def test_a_refused_question_stays_refused_unless_the_chain_says_otherwise(
    serving: Serving, tmp_path: Path
) -> None:
    def refuse(body: dict[str, Any]) -> dict[str, Any]:
        return {"model": body["model"], "answers": {id_: {"type": "refusal"} for id_ in body["questions"]}}

    script = tmp_path / "script.json"
    script.write_text('{"ok": 0.9, "pick": "a"}', encoding="utf-8")
    async with serving(refuse) as server:
        ids = f"openrouter:{server.url}#m,scripted:{script}"
        kinds = [
            {r.kind for r in (await ask(ids, options, environ={"OPENROUTER_API_KEY": "k"})).readings.values()}
            for options in (JudgeOptions(), JudgeOptions(refusals="pass-on"))
        ]
    assert kinds == [{"refused"}, {"answered"}]


async def test_measured_limits_replace_those_of_the_provider(serving: Serving, tmp_path: Path) -> None:
    async with serving() as server:
        path = tmp_path / "profiles.toml"
        path.write_text(
            f'["system-one:{server.url}"]\nwire = "systemone"\npath = "/v1/systemone"\nkey_env = "SYSTEM_ONE_API_KEY"\n'
            'key_required = false\nalias = "jev-latest"\ncaps = { max_options = 255, max_levels = 10 }\n',
            encoding="utf-8",
        )
        judge = make_judge(f"system-one:{server.url}", environ={}, tools={}, options=JudgeOptions(profiles=str(path)))
        await judge.answer("s", ASKED)
        await close(judge)
        assert [len(body["questions"]) for body in server.bodies] == [2]
    assert judge.caps.max_options == 255


@pytest.mark.parametrize(
    ("text", "message"),
    [
        pytest.param(None, r"^profiles: `.*` cannot be read: No such file", id="missing"),
        pytest.param("x = ", "holds no profiles; write it with `interlock judge probe`", id="not-toml"),
        pytest.param("[a]\nwire = 1\n", "holds no profiles", id="half-an-entry"),
        pytest.param("a = 1\n", "holds no profiles", id="no-entry"),
    ],
)
async def test_a_file_of_profiles_that_is_none_is_refused(tmp_path: Path, text: str | None, message: str) -> None:
    path = tmp_path / "profiles.toml"
    if text is not None:
        path.write_text(text, encoding="utf-8")
    with pytest.raises(SettingsError, match=message):
        make_judge("system-one:http://h", environ={}, tools={}, options=JudgeOptions(profiles=str(path)))


@pytest.mark.parametrize("id_", ["baseline:first", "baseline:random"])
async def test_a_baseline_is_made_for_an_evaluation(id_: str) -> None:
    judge: Judge = make_baseline(id_, seed=3)
    reply = await judge.answer("s", ASKED)
    assert {reading.judge for reading in reply.readings.values()} == {id_}
    assert (await make_baseline(id_, seed=3).answer("s", ASKED)).readings == reply.readings


async def test_the_majority_baseline_learns_from_a_split() -> None:
    judge = make_baseline("baseline:majority", split=[(CHOICE, "b")])
    answer = (await judge.answer("s", {"q": CHOICE})).readings["q"].answer
    assert isinstance(answer, ChoiceAnswer)
    assert answer.choice == "b"


@pytest.mark.parametrize(
    ("id_", "message"),
    [
        pytest.param("baseline:majority", "needs labelled questions", id="nothing-to-learn-from"),
        pytest.param("baseline:frist", r"no baseline `frist`; did you mean `first`\?", id="misspelt"),
    ],
)
async def test_a_baseline_that_cannot_be_says_why(id_: str, message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        make_baseline(id_)


async def test_a_chain_is_named_by_all_its_ids() -> None:
    """A run records who judged it, and goes on with the same chain."""
    chain = make_judge("rules,hash", environ={}, tools={})
    assert getattr(chain, "id", None) == "rules, hash"
    await close(chain)


async def test_a_judge_alone_that_is_code_is_not_wrapped(tmp_path: Path) -> None:
    script = tmp_path / "script.json"
    script.write_text("{}", encoding="utf-8")
    made = make_judge(f"scripted:{script}", environ={}, tools={}, options=JudgeOptions(cache="memory"))
    assert isinstance(made, ScriptedJudge)


def locks_at(path: Path, *locks: Lock) -> str:
    path.write_text(json.dumps(locks_json(locks)), encoding="utf-8")
    return str(path)


@pytest.mark.parametrize(("model", "degraded"), [("m", False), ("m-6", True)])
async def test_an_answer_of_another_model_than_was_locked_is_degraded(
    serving: Serving, tmp_path: Path, *, model: str, degraded: bool
) -> None:
    tried = Lock(question=question_digest(ASKED["ok"]), model=model, requested="m", basis="decision_model")
    options = JudgeOptions(locks=locks_at(tmp_path / "locks.json", tried))
    async with serving() as server:
        reply = await ask(f"typesafe:{server.url}#m", options, environ={"TYPESAFE_API_KEY": "k"})
    assert (reply.served_model, reply.readings["ok"].degraded, reply.readings["pick"].degraded) == (
        "m",
        degraded,
        False,
    )


async def test_an_alias_beside_locked_thresholds_is_refused(tmp_path: Path) -> None:
    tried = Lock(question="0", model="m", requested="m", basis="decision_model")
    options = JudgeOptions(locks=locks_at(tmp_path / "locks.json", tried))
    with pytest.raises(SettingsError, match=r"`typesafe:jev-latest` moves without notice, and thresholds are locked"):
        make_judge("typesafe:jev-latest", environ={"TYPESAFE_API_KEY": "k"}, tools={}, options=options)


@pytest.mark.parametrize(
    ("text", "message"),
    [(None, "cannot be read: No such file"), ("{", "is not JSON"), ("{}", "holds no locks")],
    ids=["no-file", "no-json", "another-file"],
)
async def test_a_file_of_locks_that_is_none_is_refused(tmp_path: Path, text: str | None, message: str) -> None:
    file = tmp_path / "locks.json"
    if text is not None:
        file.write_text(text, encoding="utf-8")
    with pytest.raises(SettingsError, match=message):
        make_judge("rules", environ={}, tools={}, options=JudgeOptions(locks=str(file)))
