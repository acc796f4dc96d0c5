"""A caller's own host in a run: what it must bring, and what happens when one of its functions raises."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest

from interlock.contract.compile import compile_contract
from interlock.errors import HostError, UsageError
from interlock.journal.store_memory import MemoryJournal
from interlock.loop.capabilities import REFERENCE
from interlock.loop.earlier import MAX_TURN_CHARS, MAX_TURNS, earlier_tasks
from interlock.loop.reference import reference_host, shipped_contract, shipped_text
from interlock.loop.result import RunResult
from interlock.loop.run import run
from interlock.loop.scripted import ScriptedWriter
from interlock.loop.writer import ProvidedInput, WriteRequest
from interlock.pipeline.gating import GapPolicy, Gating
from interlock.pipeline.host import Cells, Host
from interlock.policy.rules import Mode
from interlock.questions import Json
from interlock.testing import ScriptedJudge
from interlock.tools.base import Target, Tool

Judges = Callable[..., ScriptedJudge]
WRITE = {"path": "c.ts", "content": "export const c = 1\n"}


def _writing(judge: Judges) -> ScriptedJudge:
    return judge(pick_tool="write_file", grade_risk__risk=1.0, is_done=0.9)


def _run(host: Host, project: Path, judge: Judges, writer: ScriptedWriter | None = None) -> RunResult:
    author = ScriptedWriter(["done"]) if writer is None else writer
    return run("write c.ts", judge=_writing(judge), writer=author, host=host, cwd=project, can_write=True)


def _errors(result: RunResult) -> list[object]:
    return [record.body["message"] for record in result.records if record.type == "error"]


async def _given(tool: str, cells: Cells) -> Mapping[str, Json] | None:
    return WRITE if tool == "write_file" and cells["canWrite"] is True else None


async def _nothing(tool: str, cells: Cells) -> Mapping[str, Json] | None:
    return None


async def _raising(tool: str, cells: Cells) -> Mapping[str, Json] | None:
    raise KeyError(str(cells["task"]))


def test_the_hosts_own_input_is_used_and_the_writer_is_not_asked(project: Path, judge: Judges) -> None:
    result = _run(replace(reference_host(project), provide_input=_given), project, judge)
    assert (project / "c.ts").read_text(encoding="utf-8") == WRITE["content"]
    assert result.accounting.writer_calls == 1


@pytest.mark.parametrize(
    ("provide", "says"),
    [
        pytest.param(_nothing, "the host gave no input for `write_file`", id="gives-nothing"),
        pytest.param(_raising, "provide_input raised KeyError", id="raises"),
    ],
)
def test_an_input_that_the_host_does_not_give_is_unclear(
    project: Path, judge: Judges, provide: Callable[..., object], says: str
) -> None:
    host = replace(reference_host(project), provide_input=provide)  # type: ignore[arg-type]  # one of the two above
    result = _run(host, project, judge)
    assert result.halt == "input_unclear"
    assert result.reason == says
    assert not (project / "c.ts").exists()


class _NoInput(ScriptedWriter):
    async def provide(self, tool: Tool, request: WriteRequest) -> ProvidedInput:
        raise ValueError(request.task)


def test_a_writer_that_raises_on_an_input_leaves_it_unclear(project: Path, judge: Judges) -> None:
    result = _run(reference_host(project), project, judge, _NoInput(["nothing was written"]))
    assert (result.halt, result.reason) == ("input_unclear", "the writer raised ValueError")
    assert _errors(result) == ["writer raised ValueError"]


def test_facts_that_cannot_be_looked_up_are_no_facts(project: Path, judge: Judges) -> None:
    def look(cells: Cells) -> Sequence[str]:
        raise OSError(str(cells["task"]))

    result = _run(replace(reference_host(project), provide_input=_given, facts=look), project, judge)
    assert set(_errors(result)) == {"facts raised OSError"}
    assert result.delivered


def test_a_host_without_facts_has_none(project: Path, judge: Judges) -> None:
    writer = ScriptedWriter(["done"])
    _run(replace(reference_host(project), provide_input=_given, facts=None), project, judge, writer)
    assert writer.requests[0].facts == ()


def test_what_is_about_to_change_is_on_record_as_it_was(project: Path, judge: Judges) -> None:
    (project / "c.ts").write_text("old", encoding="utf-8")
    result = _run(replace(reference_host(project), provide_input=_given), project, judge)
    about = next(record.body for record in result.records if record.type == "tool_about_to_run")
    old = hashlib.sha256(b"old").hexdigest()
    assert about["targets"] == [{"path": "c.ts", "exists": True, "size_bytes": 3, "sha256": old}]


def test_targets_that_cannot_be_looked_at_do_not_stop_the_call(project: Path, judge: Judges) -> None:
    def look(arguments: Mapping[str, Json]) -> Sequence[Target]:
        raise OSError

    host = replace(reference_host(project), provide_input=_given)
    blind = replace(host.tools["write_file"], targets=look)
    result = _run(replace(host, tools={**host.tools, "write_file": blind}), project, judge)
    assert (project / "c.ts").exists()
    assert result.delivered


def test_a_host_whose_functions_break_a_frame_ends_the_run_on_record(project: Path, judge: Judges) -> None:
    journal = MemoryJournal()
    host = reference_host(project)
    broken = replace(host, tools={**host.tools, "write_file": replace(host.tools["write_file"], input_text=_broken)})
    writer = ScriptedWriter(["x"], [WRITE])
    with pytest.raises(ZeroDivisionError):
        run("w", judge=_writing(judge), writer=writer, host=broken, cwd=project, can_write=True, journal=journal)
    with journal.snapshot() as view:
        (run_id,) = view.run_ids()
        assert view.count(run_id, "error") == 1
        assert view.count(run_id, "tool_about_to_run") == 0


def _broken(arguments: Mapping[str, Json]) -> str:
    raise ZeroDivisionError


def test_a_contract_without_a_decision_of_the_loop_is_refused(project: Path, judge: Judges) -> None:
    head, _, rest = shipped_text().partition("## is_done\n")
    lacking = compile_contract(head + "## " + rest.partition("\n## ")[2], REFERENCE)
    with pytest.raises(HostError, match="does not define: decision `is_done` at `after-tool`"):
        run("w", judge=judge(), writer=ScriptedWriter(["x"]), cwd=project, contract=lacking)


def test_a_contract_for_another_host_is_refused(project: Path, judge: Judges) -> None:
    host = reference_host(project)
    other = replace(host, capabilities=replace(REFERENCE, safe_defaults={}))
    with pytest.raises(HostError, match="compiled for other capabilities"):
        run("w", judge=judge(), writer=ScriptedWriter(["x"]), host=other, cwd=project, contract=shipped_contract())


def test_a_contract_with_an_action_that_the_loop_does_not_know_is_refused(project: Path, judge: Judges) -> None:
    positions = {**REFERENCE.positions, "step-start": ("use_tool", "answer", "host:launch")}
    capabilities = replace(REFERENCE, positions=positions)
    contract = compile_contract(shipped_text().replace("→ use_tool", "→ host:launch", 1), capabilities)
    host = replace(reference_host(project), capabilities=capabilities)
    with pytest.raises(HostError, match="`needs_tool`: the reference loop has no action `host:launch`"):
        run("w", judge=judge(), writer=ScriptedWriter(["x"]), host=host, cwd=project, contract=contract)


@pytest.mark.parametrize(
    ("options", "error", "says"),
    [
        pytest.param({"plan": "nxt"}, UsageError, "no plan `nxt`; did you mean `next`?", id="plan"),
        pytest.param({"gating": Gating(modes={"step_k": "off"})}, UsageError, "no decision `step_k`", id="decision"),
        pytest.param({"gating": Gating(modes={"step_ok": cast("Mode", "of")})}, UsageError, "no mode `of`", id="mode"),
        pytest.param(
            {"gating": Gating(gaps={"step_k": "warn"})}, UsageError, "no decision `step_k`", id="gap-decision"
        ),
        pytest.param(
            {"gating": Gating(gaps={"step_ok": cast("GapPolicy", "wran")})},
            UsageError,
            "no gap policy `wran`; did you mean `warn`?",
            id="gap-policy",
        ),
    ],
)
def test_what_a_run_cannot_be_held_to_is_refused_before_it_begins(
    project: Path, judge: Judges, options: dict[str, Any], error: type[Exception], says: str
) -> None:
    journal = MemoryJournal()
    with pytest.raises(error, match=says):
        run("read", judge=judge(), writer=ScriptedWriter(["done"]), cwd=project, journal=journal, **options)
    with journal.snapshot() as view:
        assert list(view.run_ids()) == []


def _turns(tasks: Sequence[str], *, first_after: str | None = None) -> MemoryJournal:
    journal = MemoryJournal()
    before = first_after
    for at, task in enumerate(tasks):
        journal.append(f"r{at}", "run_started", {"task": task, "after": before}, ts="2026-01-01T00:00:00.000000Z")
        before = f"r{at}"
    return journal


def test_earlier_turns_are_bounded_in_number_and_in_length() -> None:
    journal = _turns([f"task {at} " + "x" * 1000 for at in range(9)])
    lines = earlier_tasks(journal, "r8").split("\n")
    assert [line[:6] for line in lines] == ["task 8", "task 7", "task 6", "task 5", "task 4"]
    assert len(lines) == MAX_TURNS
    assert {len(line) for line in lines} == {MAX_TURN_CHARS}


def test_earlier_turns_end_where_the_journal_does() -> None:
    assert earlier_tasks(_turns(["one", "two"], first_after="gone"), "r1") == "two\none"
    assert earlier_tasks(_turns(["round"], first_after="r0"), "r0") == "round"


def test_no_gap_is_silent_and_no_log_quotes_the_state(
    project: Path, judge: Judges, caplog: pytest.LogCaptureFixture
) -> None:
    host = reference_host(project)
    blind = replace(host, projections={**host.projections, "filesMaybe": lambda files: 7})
    caplog.set_level("DEBUG", logger="interlock")
    result = run("a secret task", judge=judge(), writer=ScriptedWriter(["x"]), host=blind, cwd=project)
    warned = [record.body["warnings"] for record in result.records if record.body.get("decision") == "needs_tool"]
    assert warned[-1] == ["gap in the frame: files_known: wrong_type"]
    assert "needs_tool: use_tool, 1 warnings on record" in caplog.text
    for canary in ("secret", "a.ts", "totalOf", str(project)):
        assert canary not in caplog.text
