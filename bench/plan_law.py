"""The law of the planner: under every plan the same actions, effects and answer, for judges that answer alone.

Generates runs and compares each plan with `sequential`. Beside it: how often a judge that mixes the questions of a
request breaks the law when its capabilities deny it, and when they admit it. Ends with 1 when the law is broken.
"""

from __future__ import annotations

import argparse
import asyncio
import logging
import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Literal, TypeAlias

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from interlock._canonical import compact_json, sha256_hex
from interlock.contract.compiled import Contract, Decision
from interlock.errors import ToolError
from interlock.frame.build import UNTRUSTED
from interlock.frame.spec import FrameSpec
from interlock.judge.base import Caps, Failure, JudgeReply, QuestionId, Reading
from interlock.judge.readings import Identity, digest_of, failed_reply, same_reading
from interlock.loop.approval import ApprovalAnswer, ApprovalRequest
from interlock.loop.budget import Budgets
from interlock.loop.candidates import DONE, providers
from interlock.loop.capabilities import REFERENCE
from interlock.loop.projections import projections
from interlock.loop.reference import shipped_contract
from interlock.loop.result import RunResult
from interlock.loop.run import arun
from interlock.loop.writer import Draft, ProvidedInput, WriteRequest
from interlock.pipeline.gating import GapPolicy, Gating
from interlock.pipeline.host import Host
from interlock.pipeline.plan import PLANS, PlanName
from interlock.policy.rules import Mode
from interlock.questions import (
    Answer,
    Choice,
    ChoiceAnswer,
    Content,
    Json,
    Noul,
    NoulAnswer,
    Question,
    ScoreAnswer,
    as_json,
)
from interlock.tools.base import Tool, ToolTable
from interlock.tools.table import reference_table

__all__ = ["Manners", "World", "differing", "main", "observe", "worlds"]

RUNS = 2_000
PLANS_AHEAD: tuple[PlanName, ...] = PLANS[1:]
Manners: TypeAlias = Literal["alone", "mixes", "admits"]
"""`alone`: the class of judges that the law is about. `mixes`: moved by what else is in a request, and denies it.
`admits`: the same judge with `joint_reads`."""
TASKS = ("Read {0}.", "What do {0} and {1} say?", "List the files.", "Copy {0} into new.txt, then delete {1}.", "Hm.")


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """Everything that one generated run depends on."""

    seed: int
    files: int
    task: str
    open_frames: bool
    """True: no decision excludes anything, so more of them may share a request."""
    goes_on: float
    """How often an answer leads on instead of ending the run."""
    fails: float
    abstains: float
    breaks: float
    """How often a tool fails."""
    can_write: bool
    can_delete: bool
    person: Literal["yes", "no", "absent"]
    modes: Mapping[str, Mode]
    gaps: Mapping[str, GapPolicy]
    max_steps: int
    max_judge_calls: int
    max_writer_calls: int
    manners: Manners = "alone"

    @property
    def names(self) -> list[str]:
        """The files there are at first."""
        return [f"dir{index % 3}/file{index}.txt" for index in range(self.files)]


def worlds() -> st.SearchStrategy[World]:
    """Return how runs are generated."""
    rates = st.sampled_from((0.0, 0.0, 0.02, 0.1))
    return st.builds(
        World,
        seed=st.integers(0, 2**32),
        files=st.one_of(st.integers(2, 6), st.integers(7, 30)),
        task=st.sampled_from(TASKS),
        open_frames=st.booleans(),
        goes_on=st.sampled_from((0.9, 0.97, 1.0)),
        fails=rates,
        abstains=rates,
        breaks=rates,
        can_write=st.booleans(),
        can_delete=st.booleans(),
        person=st.sampled_from(("yes", "no", "absent")),
        modes=st.sampled_from(({}, {}, {"needs_tool": "shadow"}, {"step_ok": "off"}, {"is_done": "shadow"})),
        gaps=st.sampled_from(({}, {}, {"is_done": "refuse"}, {"pick_tool": "refuse"})),
        max_steps=st.integers(2, 12),
        max_judge_calls=st.one_of(st.just(200), st.integers(3, 60)),
        max_writer_calls=st.integers(2, 6),
    )


async def observe(world: World, plan: PlanName) -> tuple[RunResult, list[Json]]:
    """Return one run and every effect that it had."""
    effects: list[Json] = []
    contract = _contract(open_frames=world.open_frames)
    host = _host(world, effects)
    result = await arun(
        world.task.format(*world.names, "none.txt", "none.txt"),
        judge=_Judge(world, contract),
        writer=_Writer(world),
        host=host,
        can_write=world.can_write,
        can_delete=world.can_delete,
        contract=contract,
        gating=Gating(modes=world.modes, gaps=world.gaps),
        budgets=Budgets(
            max_steps=world.max_steps,
            max_judge_calls=world.max_judge_calls,
            max_writer_calls=world.max_writer_calls,
        ),
        plan=plan,
        ask=None if world.person == "absent" else _Person(world),
    )
    return result, effects


@cache
def _contract(*, open_frames: bool) -> Contract:
    shipped = shipped_contract()
    if not open_frames:
        return shipped
    decisions = {name: _opened(decision) for name, decision in shipped.decisions.items()}
    return replace(shipped, decisions=decisions, digest=sha256_hex("open"))


def _opened(decision: Decision) -> Decision:
    """Return a decision that excludes nothing and has no field that is a count here and a list there."""
    assert decision.frame is not None
    fields = tuple(field for field in decision.frame.fields if field.projection != "readCount")
    return replace(decision, frame=FrameSpec(fields=fields, exclusions=()))


class _Chance:
    """Numbers that depend on nothing but what they are asked about."""

    def __init__(self, seed: int) -> None:
        self._seed = seed

    def __call__(self, *about: object) -> float:
        return int(sha256_hex(compact_json([self._seed, *about]))[:12], 16) / 16**12


class _Judge:
    """Answers each question from itself and the fields of its own decision; fails by decision and frame."""

    id = "generated"

    def __init__(self, world: World, contract: Contract) -> None:
        self.caps = Caps(joint_reads=world.manners == "admits")
        self._world = world
        self._chance = _Chance(world.seed)
        self._keys = {
            name: {field.key for field in decision.frame.fields}
            for name, decision in contract.decisions.items()
            if decision.frame is not None
        }

    async def answer(self, frame_state: Content, questions: Mapping[QuestionId, Question]) -> JudgeReply:
        """Return the answers after a while that depends on them."""
        identity = Identity(judge=self.id, model=self.id)
        own = {id_.partition(".")[0]: self._own(frame_state, id_) for id_ in questions}
        for _ in range(int(self._chance("pace", list(own), frame_state) * 6)):
            await asyncio.sleep(0)
        for decision, fields in own.items():
            if self._chance("fails", decision, fields) < self._world.fails:
                if self._chance("raises", decision, fields) < 0.3:
                    raise ConnectionResetError
                reason = "timeout" if self._chance("how", decision, fields) < 0.5 else "not-json"
                return failed_reply(identity, frame_state, questions, Failure(reason=reason), elapsed_s=0.0)
        beside = [sorted(questions), frame_state] if self._world.manners != "alone" else []
        readings = {
            id_: self._reading(id_, question, own[id_.partition(".")[0]], beside) for id_, question in questions.items()
        }
        return JudgeReply(
            readings=readings,
            failure=None,
            requested_model=self.id,
            served_model=self.id,
            request_id=None,
            request_digest=digest_of(identity, frame_state, questions),
            usage=None,
            attempts=1,
            elapsed_s=0.0,
        )

    def _own(self, frame_state: Content, id_: QuestionId) -> dict[str, Json]:
        assert isinstance(frame_state, Mapping)
        shown = dict(frame_state)
        untrusted = shown.pop(UNTRUSTED, {})
        assert isinstance(untrusted, Mapping)
        keys = self._keys[id_.partition(".")[0]]
        return {key: shown.get(key, untrusted.get(key)) for key in sorted(keys) if key in shown or key in untrusted}

    def _reading(
        self, id_: QuestionId, question: Question, own: Mapping[str, Json], beside: Sequence[object]
    ) -> Reading:
        about = (id_, as_json(question), own, *beside)
        if self._chance("abstains", *about) < self._world.abstains:
            return same_reading([id_], "abstained", self.id)[id_]
        leads = self._chance("leads", *about) < self._world.goes_on
        answer = _answer(id_, question, self._chance("value", *about), leads=leads)
        return Reading(kind="answered", reason="ok", answer=answer, judge=self.id)


_YES_ENDS = frozenset(("is_done", "grade_risk.needs_auth", "can_deliver.unsupported"))


def _answer(id_: QuestionId, question: Question, chance: float, *, leads: bool) -> Answer:
    if isinstance(question, Noul):
        yes = leads != (id_ in _YES_ENDS)
        return NoulAnswer(noul=0.7 + 0.3 * chance if yes else 0.3 * chance, basis="scripted")
    if isinstance(question, Choice):
        labels = list(question.criteria)
        likely = [label for label in labels if label != DONE] if chance < 0.9 else labels
        picked = (likely or labels)[int(chance * 1000) % len(likely or labels)]
        rest = 0.05 if leads else 0.6
        others = (len(labels) - 1) or 1
        spread = dict.fromkeys(labels, rest / others) | {picked: 1 - rest}
        best = max(spread, key=spread.__getitem__)
        return ChoiceAnswer(choice=best, probabilities=spread, basis="scripted")
    levels = len(question.criteria)
    level = 0 if leads else int(chance * levels)
    return ScoreAnswer(
        score=float(level), probabilities=tuple(float(at == level) for at in range(levels)), basis="scripted"
    )


class _Writer:
    """Writes what the evidence and the reason come to."""

    id = "generated"

    def __init__(self, world: World) -> None:
        self._chance = _Chance(world.seed)
        self._names = world.names

    async def write(self, request: WriteRequest) -> Draft:
        """Return a draft that depends on the request alone."""
        about = [request.halt, request.reason, [piece.result for piece in request.evidence]]
        text = f"draft {sha256_hex(compact_json(about))[:8]}"
        return Draft(text=text, degraded=self._chance("degraded", text) < 0.1, usage=None)

    async def provide(self, tool: Tool, request: WriteRequest) -> ProvidedInput:
        """Return an input, or none."""
        chance = self._chance("input", tool.name, len(request.evidence))
        if chance < 0.1 or not self._names:
            return ProvidedInput(arguments=None, reason="unclear", usage=None)
        name = self._names[int(chance * len(self._names))]
        required = tool.parameters.get("required", ())
        assert isinstance(required, list | tuple)
        values = {"path": name, "source": name, "target": f"moved/{name}", "content": f"{chance}", "pattern": "e"}
        return ProvidedInput(arguments={str(key): values[str(key)] for key in required}, reason=None, usage=None)


class _Person:
    """Allows or refuses every call alike."""

    def __init__(self, world: World) -> None:
        self._allows = world.person == "yes"

    async def __call__(self, request: ApprovalRequest) -> ApprovalAnswer:  # noqa: ARG002 -- the seam's signature
        return ApprovalAnswer(approved=self._allows, by="ada")


def _host(world: World, effects: list[Json]) -> Host:
    chance, present = _Chance(world.seed), dict.fromkeys(world.names, "")
    table: ToolTable = {
        name: replace(tool, run=_runs(tool, world, chance, present, effects), check=None, targets=None)
        for name, tool in reference_table().items()
    }
    return Host(
        capabilities=REFERENCE,
        projections=projections(table),
        providers=providers(table),
        tools=table,
        facts=lambda _: [f"{len(present)} files exist"],
    )


def _runs(
    tool: Tool, world: World, chance: _Chance, present: dict[str, str], effects: list[Json]
) -> Callable[..., Any]:
    async def run(given: Mapping[str, Json]) -> str:
        effects.append([tool.name, dict(given)])
        await asyncio.sleep(0)
        if chance("breaks", tool.name, dict(given)) < world.breaks:
            raise ToolError("io", "broken")
        path, target = str(given.get("path", given.get("source", ""))), str(given.get("target", ""))
        if tool.effect == "list":
            return "\n".join(present)
        if tool.effect in ("delete", "move"):
            present.pop(path, None)
        if tool.effect in ("write", "move"):
            present[target or path] = ""
        return f"{tool.effect} {path} {chance('text', path)}"

    return run


def differing(world: World, *, strictly: bool = False) -> list[PlanName]:
    """Return the plans under which a run comes to other actions, effects or another answer than under `sequential`.

    `strictly`: frames, answers and reasons count too.
    """
    return asyncio.run(_differing(world, strictly=strictly))


async def _differing(world: World, *, strictly: bool) -> list[PlanName]:
    expected = _told(*await observe(world, "sequential"), strictly=strictly)
    return [plan for plan in PLANS_AHEAD if _told(*await observe(world, plan), strictly=strictly) != expected]


def _told(result: RunResult, effects: Sequence[Json], *, strictly: bool) -> str:
    """Return what the law speaks of: the actions, the effects and the end of a run."""
    keys: tuple[str, ...] = ("decision", "action", "picked")
    if strictly:
        keys += ("digests", "readings", "outcome", "gaps", "warnings", "floors", "mode")
    acted = [[_shown(body, key) for key in keys] for body in _acted(result)]
    end: list[Json] = [result.halt, result.delivered, result.answer]
    if strictly:
        end += [result.draft, result.reason, result.degraded, *(step.result for step in result.steps)]
    return compact_json([acted, list(effects), end])


def _acted(result: RunResult) -> list[Mapping[str, Any]]:
    """Return the records of the decisions that acted, in order."""
    bodies: list[Mapping[str, Any]] = [record.body for record in result.records if record.type == "decision"]
    return [body for body in bodies if not body["plan"]["discarded"]]


def _shown(body: Mapping[str, Any], key: str) -> Json:
    """Return a part of a record; the digest of a request is that of the whole request."""
    if key == "digests":
        return [body[key]["frame"], body[key]["interchange"]]
    value: Json = body[key]
    return value


def main(arguments: Sequence[str] | None = None) -> int:
    """Generate, compare, print, and return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=RUNS, help="generated runs (default: %(default)s)")
    options = parser.parse_args(arguments)
    broken: dict[Manners, Counter[PlanName]] = {"alone": Counter(), "mixes": Counter(), "admits": Counter()}
    totals: Counter[str] = Counter()
    logging.disable(logging.WARNING)
    try:
        for world in _generated(options.runs):
            for manners, counter in broken.items():
                found = differing(replace(world, manners=manners), strictly=manners == "alone")
                counter.update(found)
                totals[manners] += bool(found)
            totals.update(asyncio.run(_covered(world)))
    finally:
        logging.disable(logging.NOTSET)
    print(_table(options.runs, broken, totals))
    shown = ", ".join(f"{totals[name] / options.runs:.1f} {name}" for name in _COVERED)
    print(f"\na run under `next` has on average {shown}")
    return 1 if totals["alone"] else 0


_COVERED = ("decisions", "tool calls", "waves", "requests", "fused requests", "discarded", "cancelled")


async def _covered(world: World) -> dict[str, int]:
    """Return what one run exercised."""
    result, effects = await observe(world, "next")
    shared = [record for record in result.records if record.type == "judge_request" and "state" in record.body]
    account = result.accounting
    counts = (account.decisions, len(effects), account.waves, account.requests, len(shared))
    return dict(zip(_COVERED, (*counts, account.discarded, account.cancelled), strict=True))


def _generated(runs: int) -> list[World]:
    found: list[World] = []

    @settings(
        max_examples=runs,
        database=None,
        deadline=None,
        derandomize=True,
        phases=(Phase.generate,),
        suppress_health_check=list(HealthCheck),
    )
    @given(worlds())
    def collect(world: World) -> None:
        found.append(world)

    collect()
    return found


_NAMES: Mapping[Manners, str] = {
    "alone": "answers each question alone",
    "mixes": "mixes questions, caps deny it",
    "admits": "mixes questions, caps say so",
}


def _table(runs: int, broken: Mapping[Manners, Counter[PlanName]], totals: Counter[str]) -> str:
    head = ("judge", "runs", *PLANS_AHEAD, "any plan")
    lines = [
        (
            _NAMES[manners],
            str(runs),
            *(str(counter[plan]) for plan in PLANS_AHEAD),
            f"{totals[manners]} ({totals[manners] / max(1, runs):.1%})",
        )
        for manners, counter in broken.items()
    ]
    rows = ["| " + " | ".join(row) + " |" for row in (head, *lines)]
    title = "runs that came to something else than under `sequential`"
    return "\n".join([title, "", rows[0], "|" + "---|" * len(head), *rows[1:]])


if __name__ == "__main__":
    sys.exit(main())
