"""A person moves thresholds and sees which recorded decisions become other ones."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path

import httpx2
import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from interlock.contract.compile import compile_contract
from interlock.contract.compiled import Contract
from interlock.journal import Recorder, open_journal, run_started_body
from interlock.judge.scripted import ScriptedJudge
from interlock.loop.capabilities import REFERENCE
from interlock.loop.reference import reference_host, shipped_text
from interlock.pipeline import decide
from interlock.pipeline.result import DecisionResult
from interlock.server.site.desk import Desk
from interlock.server.site.held_runs import HeldRuns

Look = Callable[..., Page]
Serve = Callable[..., str]
Record = Callable[..., None]
MakeDesk = Callable[..., Desk]

STATE: Mapping[str, object] = {
    "task": "Say what src/alpha.ts exports",
    "cwd": "/project",
    "files": ["src/alpha.ts"],
    "readFiles": ["src/alpha.ts"],
    "history": [{"step": 1, "tool": "read_file", "input": "src/alpha.ts", "result": "export function totalOf() {}"}],
    "lastTool": "read_file",
    "lastResult": "export function totalOf() {}",
}
VALUES = (0.55, 0.65, 0.9)
"""What the judge answered to `step_ok` at three steps; the shipped contract asks for 0.6."""


@pytest.fixture
def record(journal: str, shop: Path) -> Record:
    """Return a function that records a run of `step_ok` decisions, under a contract or thresholds of its own."""

    def record(
        run_id: str,
        values: Sequence[float] = VALUES,
        *,
        text: str | None = None,
        gates: Mapping[str, float] | None = None,
    ) -> None:
        contract = compile_contract(text or shipped_text(), REFERENCE, overrides=gates or {})
        store = open_journal(journal)
        recorder = Recorder(store, run_id, clock=lambda: datetime(2026, 1, 2, tzinfo=UTC), contract=contract)
        recorder.record(
            "run_started",
            run_started_body(
                task=f"the task of {run_id}",
                cwd="/project",
                contract_digest=contract.digest,
                contract_text=contract.text,
                judge="scripted",
                writer="extractive",
                plan="sequential",
                budgets={},
                overrides=contract.overrides,
                modes={},
                can_write=True,
                can_delete=False,
                tools={},
                after=None,
                version="0",
            ),
        )
        for step, value in enumerate(values, start=1):
            recorder.decision(_taken(contract, value, shop), step=step)
        store.close()

    return record


def _taken(contract: Contract, value: float, shop: Path) -> DecisionResult:
    """Return a decision, taken in a thread: the browser has an event loop in this one."""
    with ThreadPoolExecutor(1) as pool:
        judge = ScriptedJudge({"step_ok": value})
        return pool.submit(decide, contract, "step_ok", STATE, judge, host=reference_host(shop)).result()


def test_a_slider_moved_by_key_lists_the_flip_and_says_the_flags(serve: Serve, look: Look, record: Record) -> None:
    record("run-1")
    page = look(f"{serve()}/what-if")
    expect(page.locator("#flips")).to_have_text("0")

    slider = page.get_by_role("slider", name="step_ok", exact=True)
    slider.focus()
    for _ in range(7):
        page.keyboard.press("ArrowRight")

    expect(page.get_by_label("threshold of step_ok", exact=True)).to_have_value("0.67")
    flip = page.locator(".flips tbody tr")
    expect(flip).to_have_count(1)
    expect(flip).to_contain_text("continue → stop")
    expect(flip.locator("td.number")).to_have_text(["2", "0.650", "0.020"])
    expect(flip.get_by_role("link")).to_have_attribute("href", "/runs/run-1#r3")
    expect(page.locator("#export-text-1")).to_have_text("--gate step_ok=0.67")
    expect(page.locator("#export-text-2")).to_have_text("interlock replay --gate step_ok=0.67")
    expect(page.locator("#export-text-3")).to_have_text("[gates]\nstep_ok = 0.67")
    expect(page.get_by_role("status")).to_have_text("1 of 3 decisions become another one.")
    assert page.url.endswith("/what-if?gate.step_ok=0.67")

    page.reload()
    expect(slider).to_have_value("0.67")
    expect(flip).to_have_count(1)
    page.get_by_role("button", name="Reset step_ok", exact=True).click()
    expect(page.locator("#flips")).to_have_text("0")
    expect(page.locator(".export")).to_have_count(0)


def test_a_threshold_that_the_contract_refuses_says_why(serve: Serve, look: Look, record: Record) -> None:
    record("run-1")
    page = look(f"{serve()}/what-if")
    page.get_by_label("threshold of step_ok", exact=True).fill("1.5")
    expect(page.get_by_role("alert")).to_contain_text("a probability goes from 0 to 1")

    page.get_by_role("button", name="Reset all").click()
    expect(page.get_by_role("alert")).to_have_count(0)
    expect(page.locator("#flips")).to_have_text("0")


def test_runs_are_chosen_and_the_thresholds_stay(serve: Serve, look: Look, record: Record) -> None:
    record("run-1")
    record("run-2", [0.61, 0.62])
    page = look(f"{serve()}/what-if?gate.step_ok=0.7")
    expect(page.locator("#flips")).to_have_text("3")

    page.locator(".runs summary").click()
    page.get_by_role("checkbox", name="the task of run-2").check()
    page.get_by_role("button", name="Use").click()
    expect(page.locator("#flips")).to_have_text("2")
    expect(page.locator("#export-text-2")).to_have_text("interlock replay run-2 --gate step_ok=0.7")


def test_the_page_has_no_serious_fault_of_access(serve: Serve, look: Look, record: Record) -> None:
    record("run-1")
    page = look(f"{serve()}/what-if?gate.step_ok=0.7&run=run-1", locale="zh-CN")
    expect(page.get_by_role("heading", name="翻转")).to_be_visible()
    found = Axe().run(page).response["violations"]
    assert [each["id"] for each in found if each["impact"] in ("serious", "critical")] == []


class TestWithoutABrowser:
    @pytest.mark.parametrize(
        ("query", "status", "says"),
        [
            pytest.param("", 200, "of 3 decisions become another one.", id="all"),
            pytest.param("run=run-1&contract=shipped", 200, "of 3 decisions", id="a-contract-of-the-desk"),
            pytest.param("gate.step_ok.ok%5B0%5D=0.6", 200, "of 3 decisions", id="another-name-of-a-threshold"),
            pytest.param("gate.step_ok=", 200, "of 3 decisions", id="nothing-written"),
            pytest.param("gate.step_ok=much", 422, "`much` is not a number", id="no-number"),
            pytest.param("gate.step_ok=nan", 422, "`nan` is not a number", id="nan"),
            pytest.param("gate.other=0.5", 422, "no such threshold; known: `needs_tool`", id="unknown-threshold"),
            pytest.param("contract=mine", 422, "does not offer `mine`; it offers shipped", id="unknown-contract"),
            pytest.param("run=no-such", 404, "no run `no-such`", id="unknown-run"),
        ],
    )
    def test_what_is_asked_in_the_address(
        self, serve: Serve, record: Record, query: str, status: int, says: str
    ) -> None:
        record("run-1")
        found = httpx2.get(f"{serve()}/what-if?{query}")
        assert found.status_code == status
        assert says in found.text

    def test_under_another_contract_what_needs_a_judgement_is_listed(
        self, serve: Serve, record: Record, tmp_path: Path
    ) -> None:
        record("run-1")
        mine = tmp_path / "mine.md"
        text = shipped_text().replace("This tool call itself completed", "This call itself completed")
        mine.write_text(text, encoding="utf-8")
        found = httpx2.get(f"{serve(contracts={'mine.md': mine})}/what-if?contract=mine.md&gate.is_done=0.7").text
        assert "Needs a fresh judgement" in found
        assert "<code>step_ok</code> × 3: question `ok`" in found
        assert "interlock replay --contract mine.md --gate is_done=0.7" in found

    def test_runs_under_different_contracts_each_keep_their_own(self, serve: Serve, record: Record) -> None:
        record("run-1", text=shipped_text().replace("prob:ok >= 0.6", "prob:ok >= 0.5"))
        record("run-2")
        url = serve()
        before = httpx2.get(f"{url}/what-if").text
        assert "recorded 0.6, 0.5" in before
        assert '<strong id="flips">0</strong>' in before
        assert '<strong id="flips">1</strong>' in httpx2.get(f"{url}/what-if?gate.step_ok=0.58").text

    def test_a_run_that_cannot_be_read_is_named_and_left_out(self, serve: Serve, record: Record, journal: str) -> None:
        record("run-1")
        store = open_journal(journal)
        Recorder(store, "run-2", clock=lambda: datetime(2026, 1, 2, tzinfo=UTC)).record("decision", {"step": 1})
        store.close()
        found = httpx2.get(f"{serve()}/what-if").text
        assert "1 run cannot be read; run interlock verify. run-2" in found
        assert "of 3 decisions" in found

    def test_a_run_that_goes_on_is_read_again(self, serve: Serve, record: Record) -> None:
        record("run-1")
        url = serve()
        assert "of 3 decisions" in httpx2.get(f"{url}/what-if").text
        record("run-1", [0.7])
        assert "of 4 decisions" in httpx2.get(f"{url}/what-if").text

    def test_an_empty_journal_says_what_is_missing(self, serve: Serve) -> None:
        assert "Nothing here has a threshold." in httpx2.get(f"{serve()}/what-if").text


class TestBounds:
    def test_older_runs_are_left_out_and_named(self, make_desk: MakeDesk, record: Record) -> None:
        for number in range(1, 5):
            record(f"run-{number}", [0.7, 0.8])
        found = HeldRuns(make_desk(), most=3).choose((), "")
        assert [run.run_id for run in found.held.runs] == ["run-3", "run-4"]
        assert (found.left, found.cut, found.damaged) == (("run-1", "run-2"), (), ())

    def test_a_run_beyond_the_bound_is_cut_and_named(self, make_desk: MakeDesk, record: Record) -> None:
        record("run-1", [0.7] * 5)
        found = HeldRuns(make_desk(), most=3).choose((), "")
        assert (found.held.decisions, found.cut) == (3, ("run-1",))

    def test_what_was_read_once_is_not_read_again(self, make_desk: MakeDesk, record: Record) -> None:
        record("run-1")
        record("run-2")
        runs = HeldRuns(make_desk())
        first = runs.choose((), "").held
        assert runs.choose((), "").held is first
        record("run-2", [0.7])
        again = runs.choose((), "").held
        assert again.runs[0] is first.runs[0]
        assert again.decisions == first.decisions + 1
