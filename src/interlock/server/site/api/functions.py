"""Endpoints of functions: those on offer, the form of one, calling it, and what came of a call."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import Field

from interlock.errors import InterlockError
from interlock.functions import FormField
from interlock.questions import Json
from interlock.server.site.api.endpoint import Closed, Endpoint, Failed, Given
from interlock.server.site.api.models import Name, Nothing
from interlock.server.site.desk import Desk, Function
from interlock.server.site.function_calls import Call, Calls, Wanted
from interlock.server.site.function_view import Entry, entry_of, read_given, selectable
from interlock.server.site.results import Shown, Text

__all__ = ["endpoints"]

_PATIENCE_S = 1.5
"""So long a call is waited for before the answer says that it goes on."""


class FunctionField(Closed):
    name: str
    type: str
    optional: bool
    description: str | None
    control: str = Field(description="One of `toggle`, `select`, `chips`, `textarea`, `line`.")
    chips: list[str]
    takes_other: bool = Field(description="True when a text beside the chips may be given.")
    placeholder: str | None
    default: str | None = Field(description="What Tab puts into the empty field.")
    toggled: bool | None


class FunctionShort(Closed):
    name: str
    summary: str
    needs_approval: bool
    timeout_s: float | None
    refusal: str = Field(description="`context`, `here` or `form` where it cannot be called from here; else empty.")


class FunctionList(Closed):
    functions: list[FunctionShort]


class FunctionForm(Closed):
    function: FunctionShort
    doc: str
    fields: list[FunctionField]
    selectable: list[str] = Field(description="What a `select` offers.")


class ThisFunction(Closed):
    name: Name = Field(description="Of the function.")


class NewCall(ThisFunction):
    arguments: dict[Name, str | bool] = Field(
        default={}, max_length=100, description="Field and text, as in the form; of a toggle true or false."
    )


class ThisCall(Closed):
    call_id: Name = Field(description="As the call was given it.")


class CallQuestion(Closed):
    id: str
    function: str
    arguments: str


class FunctionCall(Closed):
    id: str
    function: str
    state: str = Field(description="One of `running`, `ok`, `error`, `timeout`.")
    arguments: str
    result: str | None
    problem: str
    elapsed_s: float | None
    question: CallQuestion | None = Field(description="What it waits for a yes or no to.")


class CallAnswer(ThisCall):
    question: Name = Field(description="The id of what is asked.")
    yes: bool = Field(description="Whether the call may go on.")


def endpoints(desk: Desk, calls: Calls) -> Sequence[Endpoint]:
    """Return the endpoints."""
    room = _Room(desk, calls)
    one = "/api/v1/functions/{name}"
    return [
        Endpoint(
            method="GET", path="/api/v1/functions", name="listFunctions", says="Lists the functions on offer.",
            tag="functions", takes=Nothing, gives=FunctionList, handle=room.listed,
        ),
        Endpoint(
            method="GET", path=one, name="getFunction", says="Shows the form of a function.", tag="functions",
            takes=ThisFunction, gives=FunctionForm, handle=room.form,
        ),
        Endpoint(
            method="POST", path=one, name="callFunction", says="Calls a function, and waits a moment for it.",
            tag="functions", takes=NewCall, gives=FunctionCall, handle=room.call, refusals=(409,),
        ),
        Endpoint(
            method="GET", path="/api/v1/calls/{call_id}", name="getCall", says="Shows how a call stands.",
            tag="functions", takes=ThisCall, gives=FunctionCall, handle=room.state,
        ),
        Endpoint(
            method="POST", path="/api/v1/calls/{call_id}", name="answerCall", says="Answers what a call asks.",
            tag="functions", takes=CallAnswer, gives=FunctionCall, handle=room.answer, refusals=(409,),
        ),
    ]  # fmt: skip


class _Room:
    def __init__(self, desk: Desk, calls: Calls) -> None:
        self._desk = desk
        self._calls = calls

    def listed(self, _: Nothing) -> Given:
        entries = [entry_of(name, function) for name, function in self._desk.functions.items()]
        return {"functions": [_entry(entry) for entry in entries]}

    def form(self, asked: ThisFunction) -> Given:
        entry = entry_of(asked.name, self._function(asked.name))
        return {
            "function": _entry(entry),
            "doc": entry.doc,
            "fields": [_field(field) for field in entry.fields],
            "selectable": list(selectable(self._desk.functions)),
        }

    def call(self, asked: NewCall) -> Given:
        function = self._function(asked.name)
        entry = entry_of(asked.name, function)
        if entry.refusal:
            raise Failed(409, f"it cannot be called from here: {entry.problem or entry.refusal}")
        known = [field.name for field in entry.fields]
        if not asked.arguments.keys() <= set(known):
            raise Failed(422, f"an argument is unknown; known: {', '.join(known) or 'none'}")
        given = {name: _text(value) for name, value in asked.arguments.items()}
        read = read_given(function, given, self._desk.functions)
        if read.errors:
            raise Failed(422, "; ".join(f"`{name}`: {says}" for name, says in read.errors.items()))
        wanted = Wanted(name=asked.name, function=function, values=read.values, given=given, once="")
        try:
            return _call(self._calls.start(wanted, wait_s=_PATIENCE_S))
        except InterlockError as problem:
            raise Failed(409, str(problem)) from problem

    def state(self, asked: ThisCall) -> Given:
        return _call(self._kept(asked.call_id))

    def answer(self, asked: CallAnswer) -> Given:
        call = self._kept(asked.call_id)
        if not self._calls.answer(call, asked.question, said=asked.yes):
            raise Failed(409, "this call does not ask that any more; look at how it stands")
        call.settled.wait(_PATIENCE_S)
        return _call(call)

    def _function(self, name: str) -> Function:
        function = self._desk.functions.get(name)
        if function is None:
            raise Failed(404, "this server was not given a function of that name")
        return function

    def _kept(self, call_id: str) -> Call:
        call = self._calls.find(call_id)
        if call is None:
            raise Failed(404, "this call is not kept any more; calls are forgotten when the server stops")
        return call


def _text(value: str | bool) -> str:
    return value if isinstance(value, str) else "yes" if value else "no"


def _entry(entry: Entry) -> dict[str, Json]:
    return {
        "name": entry.name,
        "summary": entry.summary,
        "needs_approval": entry.needs_approval,
        "timeout_s": entry.timeout_s,
        "refusal": entry.refusal,
    }


def _field(field: FormField) -> dict[str, Json]:
    return {
        "name": field.name,
        "type": field.type,
        "optional": field.optional,
        "description": field.description,
        "control": field.control,
        "chips": list(field.chips),
        "takes_other": field.takes_other,
        "placeholder": field.placeholder,
        "default": field.tab_text,
        "toggled": field.toggled,
    }


def _call(call: Call) -> dict[str, Json]:
    asked = call.asked
    question = None if asked is None else {"id": asked.id, "function": asked.name, "arguments": _whole(asked.arguments)}
    return {
        "id": call.id,
        "function": call.wanted.name,
        "state": call.state,
        "arguments": _whole(call.arguments),
        "result": None if call.result is None else _whole(call.result),
        "problem": call.problem,
        "elapsed_s": call.elapsed_s,
        "question": question,
    }


def _whole(shown: Shown) -> str:
    text: Text = shown.text
    return text.first + text.rest
