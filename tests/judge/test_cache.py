"""Kept answers: what counts as the same question, what is never kept, and where it is kept."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from interlock.errors import SettingsError
from interlock.judge.base import Caps, Failure, JudgeReply, Reading
from interlock.judge.cache_sqlite import SqliteStore
from interlock.judge.combinators import Cache, MemoryStore
from interlock.judge.combinators.cache import Kept, Store
from interlock.judge.readings import Identity
from interlock.models.closing import close
from interlock.questions import Choice, ChoiceAnswer, Content, Noul, NoulAnswer, Question, Score
from interlock.testing import Scripted, ScriptedJudge

pytestmark = pytest.mark.anyio

WHO = Identity(judge="typesafe:m", model="m", wire="systemone")
ASKED: dict[str, Question] = {
    "a": Noul(instructions="a?"),
    "b": Choice(instructions="b?", criteria={"x": None, "é 文": "2"}),
    "c": Score(instructions="c?", criteria=["low", "high"]),
}
SCRIPT: Mapping[str, Scripted] = {"a": 0.9, "b": {"x": 0.25, "é 文": 0.75}, "c": 0.5}


def cache(inner: ScriptedJudge, store: Store | None = None, identity: Identity = WHO) -> Cache:
    return Cache(inner, identity=identity, store=store or MemoryStore())


@pytest.fixture(params=["memory", "file"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Store:
    return MemoryStore() if request.param == "memory" else SqliteStore(tmp_path / "kept" / "answers.db")


async def test_the_same_question_is_asked_once(store: Store) -> None:
    judge = ScriptedJudge(SCRIPT)
    kept = cache(judge, store)
    first = await kept.answer("s", ASKED)
    again = await kept.answer("s", {f"other {id_}": asked for id_, asked in ASKED.items()})
    await close(kept)
    assert len(judge.seen) == 1
    assert list(again.readings.values()) == list(first.readings.values())
    assert (again.attempts, again.served_model, again.elapsed_s) == (0, "scripted", 0.0)
    assert again.usage is not None
    assert (again.usage.input_tokens, again.usage.output_tokens) == (0, 0)


async def test_only_what_is_not_kept_is_asked(store: Store) -> None:
    judge = ScriptedJudge(SCRIPT)
    kept = cache(judge, store)
    await kept.answer("s", {"b": ASKED["b"]})
    reply = await kept.answer("s", ASKED)
    await close(kept)
    assert [list(seen.questions) for seen in judge.seen] == [["b"], ["a", "c"]]
    assert list(reply.readings) == ["a", "b", "c"]
    assert {reading.reason for reading in reply.readings.values()} == {"ok"}


@pytest.mark.parametrize(
    ("state", "asked"),
    [
        pytest.param("t", {"b": ASKED["b"]}, id="another-state"),
        pytest.param(
            "s", {"b": Choice(instructions="b?", criteria={"é 文": "2", "x": None})}, id="another-order-of-options"
        ),
        pytest.param("s", {"b": Choice(instructions="b?", criteria={"x": "", "é 文": "2"})}, id="another-description"),
        pytest.param("s", {"b": Choice(instructions="b!", criteria={"x": None, "é 文": "2"})}, id="another-wording"),
    ],
)
async def test_what_differs_in_anything_is_asked(state: Content, asked: Mapping[str, Question]) -> None:
    judge = ScriptedJudge(lambda *_: "x")
    kept = cache(judge)
    await kept.answer("s", {"b": ASKED["b"]})
    await kept.answer(state, asked)
    assert len(judge.seen) == 2


@pytest.mark.parametrize(
    "other",
    [
        pytest.param(replace(WHO, model="m2"), id="another-model"),
        pytest.param(replace(WHO, judge="laya:m"), id="another-provider"),
        pytest.param(replace(WHO, wire="chat"), id="another-wire"),
        pytest.param(replace(WHO, readout="balanced"), id="another-readout"),
    ],
)
async def test_an_answer_belongs_to_one_judge(other: Identity) -> None:
    shared, judge = MemoryStore(), ScriptedJudge(SCRIPT)
    await cache(judge, shared).answer("s", ASKED)
    await cache(judge, shared, other).answer("s", ASKED)
    assert len(judge.seen) == 2


@pytest.mark.parametrize(
    "given",
    [
        pytest.param(None, id="abstained"),
        pytest.param(7.0, id="broken"),
        pytest.param(Reading(kind="refused", reason="refusal", answer=None, judge="j"), id="refused"),
        pytest.param(NoulAnswer(noul=1.0, basis="person"), id="a-person-answered-for-one-occasion"),
        pytest.param(
            Reading(kind="answered", reason="ok", answer=NoulAnswer(noul=1.0, basis="rule"), judge="j", degraded=True),
            id="degraded",
        ),
    ],
)
async def test_what_may_not_stand_is_not_kept(given: float | Reading | NoulAnswer | None) -> None:
    judge = ScriptedJudge(lambda *_: given)
    kept = cache(judge)
    for _ in range(2):
        await kept.answer("s", {"a": ASKED["a"]})
    assert len(judge.seen) == 2


async def test_a_failure_is_not_kept() -> None:
    judge = ScriptedJudge([Failure(reason="busy"), {"a": 0.9}])
    kept = cache(judge)
    assert (await kept.answer("s", {"a": ASKED["a"]})).failure is not None
    assert (await kept.answer("s", {"a": ASKED["a"]})).failure is None


async def test_where_questions_move_each_other_only_the_whole_request_is_the_same() -> None:
    judge = ScriptedJudge(SCRIPT, caps=Caps(joint_reads=True))
    kept = cache(judge)
    await kept.answer("s", ASKED)
    await kept.answer("s", {"a": ASKED["a"]})
    await kept.answer("s", ASKED)
    assert [len(seen.questions) for seen in judge.seen] == [3, 1]


async def test_answers_of_different_models_are_never_mixed() -> None:
    shared = MemoryStore()
    await cache(ScriptedJudge(SCRIPT, judge="build-1"), shared).answer("s", {"b": ASKED["b"]})
    later = ScriptedJudge(SCRIPT, judge="build-2")
    reply = await cache(later, shared).answer("s", ASKED)
    assert [list(seen.questions) for seen in later.seen] == [["a", "c"], ["a", "b", "c"]]
    assert reply.served_model == "build-2"
    assert {reading.judge for reading in reply.readings.values()} == {"build-2"}


async def test_kept_answers_of_two_models_are_asked_again() -> None:
    shared = MemoryStore()
    for name, question in (("one", "a"), ("two", "b")):
        await cache(ScriptedJudge(SCRIPT, judge=name), shared).answer("s", {question: ASKED[question]})
    judge = ScriptedJudge(SCRIPT)
    await cache(judge, shared).answer("s", {"a": ASKED["a"], "b": ASKED["b"]})
    assert [list(seen.questions) for seen in judge.seen] == [["a", "b"]]


def test_memory_forgets_what_was_unused_for_longest() -> None:
    store = MemoryStore(2)
    kept = Kept(
        reading=Reading(kind="answered", reason="ok", answer=NoulAnswer(noul=1, basis="rule"), judge="j"),
        served_model=None,
    )
    for key in ("a", "b"):
        store.put(key, kept)
    assert store.get("a", ASKED["a"]) is kept
    store.put("c", kept)
    assert [store.get(key, ASKED["a"]) is not None for key in ("a", "b", "c")] == [True, False, True]


async def test_a_file_serves_the_next_process(tmp_path: Path) -> None:
    path, judge = tmp_path / "answers.db", ScriptedJudge(SCRIPT)
    for _ in range(2):
        kept = cache(judge, SqliteStore(path))
        reply = await kept.answer("s", ASKED)
        await close(kept)
    assert len(judge.seen) == 1
    answer = reply.readings["b"].answer
    assert isinstance(answer, ChoiceAnswer)
    assert answer == ChoiceAnswer(choice="é 文", probabilities={"x": 0.25, "é 文": 0.75}, basis="scripted")


@pytest.mark.parametrize(
    "text",
    [
        "no json",
        "[1]",
        '{"model": 7, "reading": {"kind": "answered", "reason": "ok", "judge": "j"}}',
        '{"model": "m", "reading": {"kind": "odd", "reason": "ok", "judge": "j"}}',
        '{"model": "m", "reading": {"kind": "answered", "reason": "ok", "judge": "j", "basis": "odd", "answer": {}}}',
        '{"reading": {"kind": "answered", "reason": "ok", "judge": "j", "basis": "rule", "answer": {"noul": 7}}}',
        '{"model": "m", "reading": 3}',
    ],
)
def test_what_a_file_holds_is_checked_like_any_answer(tmp_path: Path, text: str) -> None:
    path = tmp_path / "answers.db"
    SqliteStore(path).close()
    with sqlite3.connect(path) as file:
        file.execute("insert into answers values ('k', ?)", (text,))
    file.close()
    store = SqliteStore(path)
    assert store.get("k", ASKED["a"]) is None
    store.close()


def test_a_file_that_is_something_else_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("not a database, but a note that is long enough to be read", encoding="utf-8")
    with pytest.raises(SettingsError, match=r"cannot hold answers: .*; name another file"):
        SqliteStore(path)


async def test_a_file_that_breaks_costs_answers_and_no_decision(tmp_path: Path) -> None:
    store, judge = SqliteStore(tmp_path / "answers.db"), ScriptedJudge(SCRIPT)
    kept = cache(judge, store)
    store.close()
    for _ in range(2):
        reply = await kept.answer("s", ASKED)
        assert {reading.reason for reading in reply.readings.values()} == {"ok"}
    assert len(judge.seen) == 2


async def test_a_request_that_is_not_json_passes_through() -> None:
    judge = ScriptedJudge(SCRIPT)
    reply: JudgeReply = replace(await judge.answer("s", ASKED), request_digest="")
    assert reply.request_digest == ""
    kept = Cache(_Always(reply), identity=WHO, store=MemoryStore())
    assert (await kept.answer({"n": float("inf")}, ASKED)) is reply
    assert (await kept.answer({"n": float("inf")}, ASKED)) is reply


class _Always:
    """Gives one reply."""

    caps = Caps()

    def __init__(self, reply: JudgeReply) -> None:
        self._reply = reply

    async def answer(self, frame_state: Content, questions: Mapping[str, Question]) -> JudgeReply:
        return self._reply
