"""Endpoints of questions that a run puts to a person."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import Field

from interlock.judge.human import Said
from interlock.questions import Json
from interlock.server.site.api.endpoint import Closed, Endpoint, Failed, Given
from interlock.server.site.api.models import Name, ThisRun
from interlock.server.site.api.runs import run_named
from interlock.server.site.desk import Desk
from interlock.server.site.forms import Form
from interlock.server.site.names import named_in
from interlock.server.site.people import Waiting
from interlock.server.site.questions import view_of_question
from interlock.server.site.runner import Runner

__all__ = ["endpoints"]


class QuestionOutcome(Closed):
    name: str
    text: str


class QuestionField(Closed):
    key: str
    text: str
    is_foreign: bool = Field(description="True for what a tool gave: data, whatever it says.")


class QuestionShort(Closed):
    id: str
    title: str
    instructions: str
    state: list[QuestionField] = Field(description="The frame, field by field.")
    outcomes: list[QuestionOutcome] = Field(description="What can be picked, in order.")


class QuestionList(Closed):
    run_id: str
    questions: list[QuestionShort] = Field(description="Oldest first.")


class NewPick(ThisRun):
    question: Name = Field(description="The id of the question.")
    by: str = Field(min_length=1, max_length=100, description="Who answers.")
    pick: int | None = Field(ge=0, le=10_000, description="The place of an outcome from 0; null for cannot say.")


def endpoints(desk: Desk, runner: Runner) -> Sequence[Endpoint]:
    """Return the endpoints."""
    room = _Room(desk, runner)
    path = "/api/v1/runs/{run_id}/questions"
    return [
        Endpoint(
            method="GET", path=path, name="listQuestions", says="Lists what a run asks a person.", tag="runs",
            takes=ThisRun, gives=QuestionList, handle=room.listed,
        ),
        Endpoint(
            method="POST", path=path, name="answerQuestion", says="Answers a question of a run, once.", tag="runs",
            takes=NewPick, gives=QuestionList, handle=room.answer, refusals=(409,),
        ),
    ]  # fmt: skip


class _Room:
    def __init__(self, desk: Desk, runner: Runner) -> None:
        self._desk = desk
        self._runner = runner

    def listed(self, asked: ThisRun) -> Given:
        return self._waiting(run_named(self._desk, asked.run_id))

    def answer(self, asked: NewPick) -> Given:
        run_id, by = run_named(self._desk, asked.run_id), named_in(Form({"by": asked.by}))
        waiting = self._runner.people.waiting(run_id)
        found = next((each for each in waiting if each.id == asked.question), None)
        if found is not None and asked.pick is not None and asked.pick >= len(found.asked.outcomes):
            raise Failed(422, f"`pick`: there are {len(found.asked.outcomes)} outcomes, counted from 0")
        if found is None or not self._runner.people.answer(run_id, found.id, Said(pick=asked.pick, by=by)):
            raise Failed(409, "nobody waits for that answer any more: it was given, or the run was stopped")
        return self._waiting(run_id)

    def _waiting(self, run_id: str) -> Given:
        return {"run_id": run_id, "questions": [_question(each) for each in self._runner.people.waiting(run_id)]}


def _question(waiting: Waiting) -> Json:
    view = view_of_question(waiting)
    return {
        "id": view.id,
        "title": view.title,
        "instructions": view.instructions,
        "state": [{"key": each.key, "text": each.text, "is_foreign": each.is_foreign} for each in view.state],
        "outcomes": [{"name": name, "text": text} for name, text in view.outcomes],
    }
