"""The offline runner: both arms see the same, several at a time, and nothing is paid for twice."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from interlock.errors import ExperimentError
from interlock.experiments import Case, Experiment, Outcome, ResultsFile, RunPlan, run_offline
from interlock.experiments.outcomes import outcome_json, read_outcome
from interlock.models.base import Failure
from interlock.models.scripted import ScriptedModel

Made = Callable[..., Outcome]
Runs = Callable[[dict[str, Callable[[str], str | Failure]]], Any]
VALID = json.dumps({"action": "finish", "tool": None, "tool_input": None, "final": "done"})
ASK = json.dumps({"action": "ask_user", "tool": None, "tool_input": None, "final": "Which?"})


def always(text: str | Failure) -> Callable[[str], str | Failure]:
    return lambda _: text


@pytest.mark.anyio
async def test_every_case_goes_through_both_arms(
    experiment: Experiment, cases: tuple[Case, ...], runs: Runs, plan: RunPlan
) -> None:
    """The requests of a case differ in nothing but the layer that is tried."""
    runtime = runs({"first": always(VALID), "second": always(ASK)})
    outcomes = await run_offline(experiment, cases, runtime, plan=plan)

    assert [(item.arm, item.case) for item in outcomes] == [(arm, case.id) for case in cases for arm in ("A", "B")]
    assert {item.action for item in outcomes if item.arm == "A"} == {"finish"}
    assert {item.asked for item in outcomes if item.arm == "B"} == {True}
    assert [item.expected for item in outcomes if item.arm == "A"] == [None, True] * 20
    seen = {"first": set(), "second": set()}  # type: dict[str, set[tuple[str, str]]]
    for request in runtime.model.requests:
        system, role, state = (str(message.content) for message in request.messages)
        seen[role.removeprefix("ROLE:\n")].add((system, state))
    assert seen["first"] == seen["second"]


@pytest.mark.anyio
async def test_retries_and_fallbacks_are_told_apart(
    experiment: Experiment, cases: tuple[Case, ...], plan: RunPlan
) -> None:
    class Once(ScriptedModel):
        async def generate(self, request: Any) -> Any:
            reply = await super().generate(request)
            is_second = "second" in str(request.messages[1].content)
            is_retry = len(request.messages) > 3
            return replace(reply, text=VALID if is_retry and not is_second else "no object")

    class Plain:
        model, judge = Once(["x"]), None

    outcomes = await run_offline(experiment, cases[:2], Plain(), plan=plan)
    retried, never = outcomes[0], outcomes[1]

    assert (retried.valid_at_first, retried.valid, retried.checks, retried.action) == (False, True, (1,), "finish")
    assert (never.valid_at_first, never.valid, never.checks, never.action) == (False, False, (1, 1, 1), "ask_user")


@pytest.mark.anyio
@pytest.mark.parametrize("jobs", [1, 3, 16])
async def test_no_more_than_the_jobs_run_at_once(
    jobs: int, experiment: Experiment, cases: tuple[Case, ...], plan: RunPlan
) -> None:
    class Slow(ScriptedModel):
        now = 0
        most = 0

        async def generate(self, request: Any) -> Any:
            self.now += 1
            self.most = max(self.most, self.now)
            await asyncio.sleep(0)
            await asyncio.sleep(0)
            self.now -= 1
            return await super().generate(request)

    class Plain:
        model, judge = Slow([VALID]), None

    await run_offline(experiment, cases, Plain(), plan=replace(plan, jobs=jobs))

    assert Plain.model.most == jobs


@pytest.mark.anyio
async def test_a_run_goes_on_where_it_was_cut_off(
    experiment: Experiment, cases: tuple[Case, ...], runs: Runs, plan: RunPlan, tmp_path: Path
) -> None:
    """What was paid for is kept, a line that was cut off is not, and failures are tried again."""
    path, header = tmp_path / "results.jsonl", {"name": "tone"}
    busy = Failure(reason="auth")
    first = ResultsFile(path, header)
    runtime = runs({"first": lambda goal: busy if goal == "goal 3" else VALID, "second": always(VALID)})
    await run_offline(experiment, cases[:10], runtime, plan=plan, on_outcome=first.add)
    first.close()
    with path.open("a", encoding="utf-8") as stream:
        stream.write('{"arm": "A", "case": "c1')

    again = ResultsFile(path, header)
    later = runs({"first": always(VALID), "second": always(VALID)})
    outcomes = await run_offline(experiment, cases, later, plan=plan, done=again.outcomes, on_outcome=again.add)
    again.close()

    assert len(again.outcomes) == 19
    assert len(later.model.requests) == 2 * len(cases) - 19
    assert len(outcomes) == 2 * len(cases)
    assert not [item for item in outcomes if item.failure]
    whole = ResultsFile(path, header)
    whole.close()
    assert len(whole.outcomes) == 2 * len(cases)


@pytest.mark.parametrize(
    "held",
    [
        pytest.param(b'{"experiment":{"name":"speed"}}\n', id="another-experiment"),
        pytest.param(b"my notes", id="one-line-without-its-end"),
        pytest.param(b"my notes\n", id="notes"),
        pytest.param(b"\xff\xfe\0", id="binary"),
        pytest.param(b"[" * 100_000 + b"\n", id="too-deep"),
    ],
)
def test_a_file_that_holds_something_else_is_refused_and_left_as_it_is(held: bytes, tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    path.write_bytes(held)
    with pytest.raises(ExperimentError, match="something else than results of this experiment; name another file"):
        ResultsFile(path, {"name": "tone"})

    assert path.read_bytes() == held


@pytest.mark.parametrize("kept", [0, 1, 10, -1], ids=["empty", "a-byte", "some", "all-but-its-end"])
def test_a_header_that_was_cut_off_is_written_again(kept: int, tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    ResultsFile(path, {"name": "tone"}).close()
    whole = path.read_bytes()
    path.write_bytes(whole[:kept])
    ResultsFile(path, {"name": "tone"}).close()

    assert path.read_bytes() == whole


def test_a_case_may_be_called_by_any_text(made: Made, tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    names = ["a\u2028b", "c\u0085d", "e\x1cf", "n\0l", "一"]
    first = ResultsFile(path, {})
    for name in names:
        first.add(made("A", name))
    first.close()
    again = ResultsFile(path, {})
    again.close()

    assert [outcome.case for outcome in again.outcomes] == names


@pytest.mark.parametrize(
    ("line", "message"),
    [
        pytest.param(b"{", ":2: is not JSON; take the line out", id="not-json"),
        pytest.param(b"\xff", ":2: is not JSON", id="not-utf-8"),
        pytest.param(b"[" * 100_000, ":2: is not JSON", id="too-deep"),
        pytest.param(b'{"arm": NaN}', ":2: is not JSON", id="not-a-number"),
        pytest.param(b"", ":2: is not JSON", id="empty"),
        pytest.param(b"{}", ":2: is no outcome", id="no-outcome"),
    ],
)
def test_results_that_cannot_be_read_are_named(line: bytes, message: str, tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    ResultsFile(path, {}).close()
    with path.open("ab") as stream:
        stream.write(line + b"\n")
    with pytest.raises(ExperimentError, match=message):
        ResultsFile(path, {})


def test_an_outcome_is_read_as_it_was_written(made: Made) -> None:
    outcome = made("A", 1, valid_at_first=False, checks=(1, 2), cost_usd="0.0012", tool="search", expected=True)

    assert read_outcome(json.loads(json.dumps(outcome_json(outcome))), "here") == outcome


@pytest.mark.parametrize(
    ("part", "value"),
    [
        pytest.param("valid", 1, id="a-number-for-a-truth"),
        pytest.param("input_tokens", True, id="a-truth-for-a-number"),
        pytest.param("checks", "1", id="text-for-a-list"),
        pytest.param("cost_usd", "dear", id="no-cost"),
        pytest.param("cost_usd", "1E999", id="a-cost-beyond-every-float"),
        pytest.param("checks", ["1"], id="text-for-a-check"),
        pytest.param("checks", [11], id="no-such-check"),
        pytest.param("input_tokens", -1, id="fewer-than-no-tokens"),
        pytest.param("output_tokens", 10**400, id="more-tokens-than-a-float"),
        pytest.param("elapsed_s", float("inf"), id="for-ever"),
        pytest.param("elapsed_s", -0.1, id="before-it-began"),
    ],
)
def test_an_outcome_of_another_form_is_refused(part: str, value: object, made: Made) -> None:
    with pytest.raises(ExperimentError, match=part):
        read_outcome({**outcome_json(made("A", 1)), part: value}, "here")


@pytest.mark.anyio
async def test_a_model_that_cannot_be_reached_is_no_answer(
    experiment: Experiment, cases: tuple[Case, ...], runs: Runs, plan: RunPlan
) -> None:
    runtime = runs({"first": always(Failure(reason="auth")), "second": always(VALID)})
    outcomes = await run_offline(experiment, cases[:3], runtime, plan=plan)

    assert [item.failure for item in outcomes] == ["auth", None] * 3


@pytest.mark.anyio
@pytest.mark.parametrize(("looks", "asked"), [(1, 80), (4, 20)])
async def test_looks_stop_early_where_a_difference_shows(
    *, looks: int, asked: int, experiment: Experiment, cases: tuple[Case, ...], runs: Runs, plan: RunPlan
) -> None:
    """Ten pairs that all differ are enough for a look at 0.0125; without looks all cases are run."""
    runtime = runs({"first": always(ASK), "second": always(VALID)})
    outcomes = await run_offline(experiment, cases, runtime, plan=replace(plan, metric="asked", looks=looks))

    assert len(outcomes) == asked


@pytest.mark.anyio
async def test_jobs_below_one_are_refused(experiment: Experiment, runs: Runs, plan: RunPlan) -> None:
    with pytest.raises(ExperimentError, match="jobs is 0; write 1 or more"):
        await run_offline(experiment, (), runs({}), plan=replace(plan, jobs=0))


@pytest.mark.anyio
async def test_an_error_of_a_listener_is_its_own(
    experiment: Experiment, cases: tuple[Case, ...], runs: Runs, plan: RunPlan
) -> None:
    """A disk that is full is told as such, not as a group of errors."""

    def full(_: Outcome) -> None:
        raise OSError(28, "No space left on device")

    with pytest.raises(OSError, match="No space left"):
        await run_offline(
            experiment, cases, runs({"first": always(VALID), "second": always(VALID)}), plan=plan, on_outcome=full
        )
