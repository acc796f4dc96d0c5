"""Questions of runs that wait for a person: put in one thread, answered from another."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor

import pytest

from interlock.judge.human import Asked, Said
from interlock.judge.offered import offered
from interlock.questions import Json, Noul
from interlock.server.site.people import People, Waiting
from interlock.server.site.questions import view_of_question

ASKED = Asked(id="q", frame_state={"task": "x"}, instructions="Is it?", outcomes=offered(Noul(instructions="Is it?")))
ADA = Said(pick=0, by="Ada")


def in_thread(people: People, run_id: str) -> Future[Said]:
    """Put a question from a thread with an event loop of its own, as runs do."""
    answer: Future[Said] = Future()
    seat = people.seat(run_id)
    threading.Thread(target=lambda: answer.set_result(asyncio.run(seat.ask(ASKED)))).start()
    return answer


def first(people: People, run_id: str) -> Waiting:
    while not people.waiting(run_id):
        threading.Event().wait(0.005)
    return people.waiting(run_id)[0]


def test_an_answer_reaches_the_thread_that_waits() -> None:
    people = People()
    answer = in_thread(people, "run")
    waiting = first(people, "run")

    assert people.waiting("other") == ()
    assert people.answer("run", waiting.id, ADA)
    assert answer.result(5) == ADA
    assert people.waiting("run") == ()


def test_a_question_is_answered_once_however_many_try() -> None:
    people = People()
    answer = in_thread(people, "run")
    waiting = first(people, "run")

    with ThreadPoolExecutor(8) as pool:
        taken = list(pool.map(lambda at: people.answer("run", waiting.id, Said(pick=at, by=str(at))), range(8)))

    assert taken.count(True) == 1
    assert answer.result(5).pick == taken.index(True)


def test_a_question_is_answered_by_its_own_run_alone() -> None:
    people = People()
    answer = in_thread(people, "run")
    waiting = first(people, "run")

    assert not people.answer("other", waiting.id, ADA)
    assert not people.answer("run", "unknown", ADA)
    assert people.answer("run", waiting.id, ADA)
    answer.result(5)


@pytest.mark.anyio
async def test_a_question_goes_when_its_run_is_stopped() -> None:
    people = People()
    task = asyncio.create_task(people.seat("run").ask(ASKED))
    await asyncio.sleep(0.01)
    (waiting,) = people.waiting("run")
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task

    assert people.waiting("run") == ()
    assert not people.answer("run", waiting.id, ADA)


def test_an_answer_to_a_loop_that_is_gone_is_none() -> None:
    people = People()
    loop = asyncio.new_event_loop()
    task = loop.create_task(people.seat("run").ask(ASKED))
    loop.run_until_complete(asyncio.sleep(0))
    (waiting,) = people.waiting("run")
    loop.run_until_complete(stopped(task))
    loop.close()

    assert not people.answer("run", waiting.id, ADA)


async def stopped(task: asyncio.Task[Said]) -> None:
    task.cancel()
    await asyncio.wait([task])


def test_a_seat_learns_its_run_from_the_first_record() -> None:
    people = People()
    heard: list[object] = []
    seat = people.seat()
    listening: Callable[[object], object] = seat.listening(heard.append)  # type: ignore[assignment]
    listening(type("R", (), {"run_id": "run-7"})())
    answer: Future[Said] = Future()
    threading.Thread(target=lambda: answer.set_result(asyncio.run(seat.ask(ASKED)))).start()

    assert people.answer("run-7", first(people, "run-7").id, ADA)
    assert answer.result(5) == ADA
    assert len(heard) == 1


def test_a_question_is_shown_with_nothing_that_could_steer_it() -> None:
    state: dict[str, Json] = {"task": "a\u202eb", "untrusted_tool_output": {"last": "<b>\x1b[2J"}, "list": ["x"]}
    asked = Asked(id="q\u202e", frame_state=state, instructions={"text": "\x07"}, outcomes=ASKED.outcomes)
    view = view_of_question(Waiting(id="1", run_id="r", asked=asked))

    assert [(field.key, field.is_foreign) for field in view.state] == [("task", False), ("last", True), ("list", False)]
    assert all(field.text.replace("\n", "").isprintable() for field in view.state)
    assert view.title == "q\\u202e"
    assert "\x07" not in view.instructions
