"""What is asked ahead: which decisions, on which states, how much of it, and what becomes of it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from interlock.errors import JournalError
from interlock.journal.chain import Head
from interlock.journal.records import Body, EventType, Record
from interlock.journal.store_memory import MemoryJournal
from interlock.journal.verify import verify_run
from interlock.judge.base import Caps, JudgeReply, QuestionId, Usage
from interlock.judge.combinators import Limit, Limits
from interlock.loop.budget import Budgets
from interlock.loop.reference import reference_host
from interlock.loop.result import RunResult
from interlock.loop.run import arun, run
from interlock.loop.scripted import ScriptedWriter
from interlock.pipeline.gating import Gating
from interlock.pipeline.plan import PLANS, PlanName
from interlock.questions import Choice, Content, Question
from interlock.testing import Scripted, ScriptedJudge

Judges = Callable[..., ScriptedJudge]


def by_state(done_after: int, state: Content, id_: QuestionId, question: Question) -> Scripted:
    """List, read so many files, answer: from what the frame says alone."""
    read = str(state).count("read_file ")
    answers: dict[str, Scripted] = {
        "needs_tool": 0.9,
        "grade_risk.risk": 0.0,
        "grade_risk.needs_auth": 0.1,
        "step_ok": 0.9,
        "is_done": 0.9 if read >= done_after else 0.1,
        "can_deliver.deliverable": 0.9,
        "can_deliver.unsupported": 0.1,
    }
    if isinstance(question, Choice):
        options = list(question.criteria)
        return next((one for one in ("list_dir", "read_file") if one in options), options[0])
    return answers[id_]


class Watched:
    """Answers by `by_state`; hangs on what it is told to, and keeps what it was asked and what was cancelled."""

    id = "watched"
    caps = Caps()

    def __init__(self, *, hangs: str = "", usage: Usage | None = None, done_after: int = 2) -> None:
        self.asked: list[tuple[str, ...]] = []
        self.cancelled: list[tuple[str, ...]] = []
        self._inner = ScriptedJudge(partial(by_state, done_after))
        self._hangs, self._usage = hangs, usage

    async def answer(self, frame_state: Content, questions: Mapping[QuestionId, Question]) -> JudgeReply:
        ids = tuple(questions)
        self.asked.append(ids)
        assert isinstance(frame_state, Mapping)
        untrusted = frame_state.get("untrusted_tool_output", {})
        hangs = self._hangs in ids and isinstance(untrusted, Mapping) and bool(untrusted.get("already_read"))
        try:
            await asyncio.sleep(3600 if hangs else 0.003 * ("is_done" in ids))
        except asyncio.CancelledError:
            self.cancelled.append(ids)
            raise
        reply = await self._inner.answer(frame_state, questions)
        if self._usage is None:
            return reply
        return JudgeReply(**{name: getattr(reply, name) for name in reply.__slots__} | {"usage": self._usage})


def bodies(result: RunResult, kind: str) -> list[Mapping[str, Any]]:
    return [record.body for record in result.records if record.type == kind]


def perform(project: Path, judge: Any, plan: PlanName = "next", **options: Any) -> RunResult:
    return run("read it all", judge=judge, writer=ScriptedWriter(["done"]), cwd=project, plan=plan, **options)


def test_after_a_tool_result_the_next_step_is_asked_in_the_same_wave(project: Path) -> None:
    judge = Watched()
    result = perform(project, judge)
    waves: dict[int, list[tuple[str, ...]]] = {}
    for body in bodies(result, "judge_request"):
        waves.setdefault(body["wave"], []).append(tuple(body["decisions"]))
    assert list(waves.values()) == [
        [("needs_tool", "pick_tool")],
        [("grade_risk",)],
        [("step_ok",), ("is_done",), ("needs_tool", "pick_tool"), ("pick_input",)],
        [("grade_risk",)],
        [("step_ok",), ("is_done",), ("needs_tool", "pick_tool")],
        [("grade_risk",)],
        [("step_ok",), ("is_done",), ("needs_tool", "pick_tool")],
        [("can_deliver",)],
    ]
    assert result.delivered


def test_what_was_asked_ahead_and_acted_says_so(project: Path) -> None:
    plans = [(body["decision"], body["plan"]) for body in bodies(perform(project, Watched()), "decision")]
    first, second = plans[0], plans[1]
    assert first[0] == "needs_tool"
    assert first[1] == {
        "name": "next",
        "wave": 1,
        "fused_with": ["pick_tool"],
        "speculative": False,
        "discarded": False,
    }
    assert second == ("pick_tool", {**first[1], "fused_with": ["needs_tool"], "speculative": True})


def test_what_was_asked_ahead_in_vain_is_on_record_and_did_not_act(project: Path) -> None:
    result = perform(project, Watched())
    lost = [body for body in bodies(result, "decision") if body["plan"]["discarded"]]
    assert [(body["decision"], body["step"]) for body in lost] == [("needs_tool", 4), ("pick_tool", 4)]
    assert all(body["plan"]["speculative"] and body["readings"] for body in lost)
    assert result.accounting.discarded == 2
    assert result.accounting.decisions == len(bodies(result, "decision")) - 2


@pytest.mark.parametrize("plan", PLANS)
def test_what_every_plan_records_verifies(project: Path, plan: PlanName) -> None:
    journal = MemoryJournal()
    result = perform(project, Watched(), plan, journal=journal)
    with journal.snapshot() as view:
        check = verify_run(view, result.run_id)
    assert (check.verdict, check.findings) == ("verified", ())


def test_a_changed_shared_request_is_found(project: Path) -> None:
    result = perform(project, Watched())
    forged = MemoryJournal()
    for record in result.records:
        body: Any = record.body
        if record.type == "judge_request" and "state" in body:
            body = {**body, "state": {**body["state"], "task": "another"}}
        forged.append(record.run_id, record.type, body, ts=record.ts)
    with forged.snapshot() as view:
        found = {finding.what for finding in verify_run(view, result.run_id).findings}
    assert "request digest: is not that of the state, the questions and the model" in found
    assert "request: its state does not hold the frame of this decision" in found


def test_a_shared_request_that_holds_what_one_excludes_is_found(project: Path) -> None:
    result = perform(project, Watched())
    forged = MemoryJournal()
    for record in result.records:
        body: Any = record.body
        if record.type == "decision" and body["decision"] == "pick_tool":
            exclusions = [*body["frame"]["exclusions"], {"cell": "task", "reason": "no"}]
            body = {**body, "frame": {**body["frame"], "exclusions": exclusions}}
        forged.append(record.run_id, record.type, body, ts=record.ts)
    with forged.snapshot() as view:
        found = {finding.what for finding in verify_run(view, result.run_id).findings}
    assert "request: it holds cell `task` of `needs_tool`, which `pick_tool` excludes" in found


def test_the_risk_of_the_likeliest_calls_is_asked_ahead_and_of_no_more_than_three(project: Path) -> None:
    for name in ("c.ts", "d.ts", "e.ts"):
        (project / name).write_text("x\n", encoding="utf-8")
    judge = Watched()
    result = run("read d.ts", judge=judge, writer=ScriptedWriter(["x"]), cwd=project, plan="full")
    assert sum(body["wave"] == 2 for body in bodies(result, "judge_request")) == 4 + 3
    graded = [body for body in bodies(result, "decision") if body["decision"] == "grade_risk" and body["step"] == 2]
    targets = {body["frame"]["state"]["untrusted_tool_output"]["target"]: body["plan"]["discarded"] for body in graded}
    assert targets == {"d.ts": False, "a.ts": True, "b.ts": True}
    assert all(body["plan"]["speculative"] for body in graded)


def test_an_effect_an_approval_and_a_draft_are_never_ahead(project: Path) -> None:
    """Whatever is in hand when the loop acts is given up before it does."""
    result = perform(project, Watched(), "full")
    open_requests: set[int] = set()
    for record in result.records:
        body: Any = record.body
        if record.type == "judge_request":
            open_requests.add(body["request"])
        elif record.type == "judge_reply":
            open_requests.discard(body["request"])
        elif record.type in ("tool_about_to_run", "approval_requested", "generation"):
            assert not open_requests


@pytest.mark.parametrize("hangs", ["needs_tool", "pick_input"])
def test_what_is_no_longer_needed_is_cancelled_at_the_judge(project: Path, hangs: str) -> None:
    """A run that ends must not wait for a question that it would have asked next."""
    (project / "c.ts").write_text("x\n", encoding="utf-8")
    judge = Watched(hangs=hangs, done_after=1)
    result = perform(project, judge)
    assert result.halt == "task_done"
    assert [ids for ids in judge.cancelled if hangs in ids]
    assert result.accounting.cancelled == len(judge.cancelled)
    given_up = [body for body in bodies(result, "judge_reply") if body["cancelled"]]
    assert len(given_up) == len(judge.cancelled)
    assert all(("state" in body) is (len(body["decisions"]) == 1) for body in given_up)


def test_a_run_that_is_cancelled_leaves_no_request_behind(project: Path) -> None:
    judge = Watched(hangs="is_done")
    journal = MemoryJournal()

    async def cut() -> None:
        task = asyncio.create_task(
            arun("read it all", judge=judge, writer=ScriptedWriter(["x"]), cwd=project, journal=journal)
        )
        while not any("is_done" in ids for ids in judge.asked[6:]):
            await asyncio.sleep(0.001)
        await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert len(asyncio.all_tasks()) == 1

    asyncio.run(cut())
    with journal.snapshot() as view:
        (run_id,) = view.run_ids()
    kinds = [record.type for record in journal.records(run_id)]
    assert kinds.count("judge_request") == kinds.count("judge_reply")
    assert kinds[-1] == "run_ended"


def test_time_that_runs_out_cancels_what_was_due(project: Path) -> None:
    judge = Watched(hangs="step_ok")
    result = perform(project, judge, budgets=Budgets(max_seconds=0.5))
    assert result.halt.startswith("budget:seconds")
    assert ("step_ok",) in judge.cancelled


def test_no_more_is_asked_ahead_once_the_budget_of_requests_is_used(project: Path) -> None:
    """What is due is still asked: the budget counts what acts, whatever the plan."""
    budgets = Budgets(max_judge_calls=9)
    runs = {plan: perform(project, Watched(), plan, budgets=budgets) for plan in PLANS}
    assert len({(result.halt, tuple(result.steps)) for result in runs.values()}) == 1
    assert runs["sequential"].halt.startswith("budget:judge_calls")
    assert runs["sequential"].accounting.requests == 9
    assert runs["next"].accounting.requests <= 2 * 9


def test_nothing_is_asked_ahead_of_a_step_that_may_not_be_taken(project: Path) -> None:
    result = perform(project, Watched(), budgets=Budgets(max_steps=1))
    last = max(body["wave"] for body in bodies(result, "judge_request") if "step_ok" in body["decisions"])
    asked = [name for body in bodies(result, "judge_request") if body["wave"] == last for name in body["decisions"]]
    assert asked == ["step_ok", "is_done"]


def test_a_decision_in_shadow_is_followed_by_its_safe_default(project: Path) -> None:
    result = perform(project, Watched(), gating=Gating(modes={"is_done": "shadow"}))
    wave = [body["decisions"] for body in bodies(result, "judge_request") if body["wave"] == 3]
    assert ["needs_tool", "pick_tool"] in wave


def test_tokens_of_shared_requests_count_once_and_cached_ones_are_told(project: Path) -> None:
    usage = Usage(input_tokens=100, output_tokens=2, cached_input_tokens=40)
    judge = Watched(usage=usage)
    result = run("read it all", judge=judge, writer=ScriptedWriter(["x"], usage=usage), cwd=project, plan="next")
    replied = len(judge.asked) - len(judge.cancelled)
    assert result.accounting.tokens == 102 * (replied + 1)
    assert result.accounting.cached_tokens == 40 * replied
    shared = [body for body in bodies(result, "decision") if body["plan"]["fused_with"]]
    assert all(body["reply"]["usage"] is None for body in shared)
    told = [body["reply"]["usage"]["cached_input_tokens"] for body in bodies(result, "judge_reply") if body["reply"]]
    assert told == [40] * replied


class Timed(Watched):
    """Writes down when each request came; its time passes only while somebody waits."""

    def __init__(self, *, usage: Usage | None = None) -> None:
        super().__init__(usage=usage)
        self.now_s = 0.0
        self.came: list[float] = []

    def now(self) -> float:
        return self.now_s

    async def wait(self, seconds: float) -> None:
        self.now_s += seconds
        await asyncio.sleep(0)

    async def answer(self, frame_state: Content, questions: Mapping[QuestionId, Question]) -> JudgeReply:
        self.came.append(self.now_s)
        return await super().answer(frame_state, questions)


@pytest.mark.parametrize(
    ("limits", "most"),
    [
        pytest.param(Limits(requests_per_minute=4), 4, id="requests"),
        pytest.param(Limits(tokens_per_minute=2_000), 5, id="tokens"),
    ],
)
@pytest.mark.parametrize("plan", PLANS)
def test_the_rates_of_a_judge_hold_across_waves(project: Path, plan: PlanName, limits: Limits, most: int) -> None:
    """Tokens are estimated before a reply, so a wave may take more of them than a minute has; the next one waits."""
    judge = Timed(usage=Usage(input_tokens=900, output_tokens=0))
    held = Limit(judge, limits=limits, now=judge.now, sleep=judge.wait)
    result = perform(project, held, plan)
    assert result.delivered
    assert judge.came[-1] > 0
    for at in judge.came:
        assert sum(at - 60 < other <= at for other in judge.came) <= most


class Full(MemoryJournal):
    """Refuses one kind of record from the second on."""

    def __init__(self, kind: str) -> None:
        super().__init__()
        self._kind, self._seen = kind, 0

    def append(
        self, run_id: str, kind: EventType, body: Body, *, ts: str, durable: bool = False, expected: Head | None = None
    ) -> Record:
        self._seen += kind == self._kind
        if kind == self._kind and self._seen > 4:
            raise JournalError("disk full")
        return super().append(run_id, kind, body, ts=ts, durable=durable, expected=expected)


@pytest.mark.parametrize("kind", ["judge_request", "judge_reply", "decision"])
def test_a_wave_that_cannot_be_recorded_stops_the_run_before_any_effect(project: Path, kind: str) -> None:
    with pytest.raises(JournalError, match="disk full"):
        perform(project, Watched(), "full", journal=Full(kind))


def test_a_host_that_reads_a_state_that_never_comes_is_asked_nothing_it_would_not_be(project: Path) -> None:
    """Providers are called on states that may come; one that raises there costs nothing."""
    host = reference_host(project)
    calls: list[object] = []

    def options(cells: Mapping[str, Any]) -> Mapping[str, Content | None]:
        calls.append(cells)
        raise RuntimeError

    broken = type(host)(
        capabilities=host.capabilities,
        projections=host.projections,
        providers={**host.providers, "fileOptions": options},
        tools=host.tools,
        facts=host.facts,
    )
    result = perform(project, Watched(), host=broken)
    assert calls
    assert result.halt.startswith("input_unclear") or result.halt.startswith("escalated:pick_input")
