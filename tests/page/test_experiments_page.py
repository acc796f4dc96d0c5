"""A person reads the report of an experiment on the page; a damaged file says what is wrong with it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, expect

Look = Callable[..., Page]
Serve = Callable[..., str]


def report(name: str = "exact role", **changed: object) -> dict[str, Any]:
    """Return a report as `interlock prompts ab --json` writes one."""
    rate = {"value": 0.7, "low": 0.6, "high": 0.8}
    better = {"value": 0.9, "low": 0.85, "high": 0.94}
    arms = [
        {
            "arm": arm,
            "layer": {"name": "clerk", "version": version, "digest": "0" * 64},
            "answers": 100,
            "failures": 0,
            "rates": {"valid_at_first": value, "valid": better, "expected": None, "asked": rate},
            "actions": {"tool_call": 80, "<b>finish</b>": 20},
            "checks": {"1": 9},
            "tokens": {"value": 800.0, "low": 750.0, "high": 850.0},
            "tokens_estimated": False,
            "latency_s": None,
            "cost_usd": None,
        }
        for arm, version, value in (("A", "1.0", rate), ("B", "1.1", better))
    ]
    comparison = {
        "metric": "valid_at_first",
        "pairing": "paired",
        "pairs": {"both": 65, "only_a": 5, "only_b": 25, "neither": 5},
        "difference": {"value": 0.2, "low": 0.1, "high": 0.3},
        "p": 0.0003,
        "alpha": 0.05,
        "verdict": "difference",
        "detect": 0.1,
        "needed": 194,
    }
    return {
        "experiment": name,
        "layer": "role",
        "planned": 100,
        "looks": 1,
        "arms": arms,
        "comparison": comparison,
        "sentence": "",
        **changed,
    }


def written(path: Path, value: object) -> Path:
    path.write_text(value if isinstance(value, str) else json.dumps(value), encoding="utf-8")
    return path


def test_a_report_is_drawn_with_its_test_and_its_plots(serve: Serve, look: Look, tmp_path: Path) -> None:
    page = look(f"{serve(reports=(written(tmp_path / 'role.json', report()),))}/experiments")
    page.get_by_role("link", name="exact role").click()

    main = page.locator("main")
    expect(main).to_contain_text("B does it 20.0 points more often than A: valid at the first attempt")
    expect(main).to_contain_text("exact McNemar test, paired")
    expect(main).to_contain_text("65 both, 5 only A, 25 only B, 5 neither")
    expect(main).to_contain_text("194 to show 10 points four times in five; there are 100")
    expect(page.locator(".plots svg")).to_have_count(4)
    expect(page.locator(".plots svg").nth(1)).to_contain_text("B 90.0 % (85.0 … 94.0)")
    expect(page.locator(".plots svg").nth(2)).to_contain_text("<b>finish</b>")
    expect(page.locator("[style]")).to_have_count(0)


def test_a_report_is_read_in_chinese(serve: Serve, look: Look, tmp_path: Path) -> None:
    address = serve(reports=(written(tmp_path / "role.json", report()),))
    page = look(f"{address}/experiments/1", locale="zh-CN")

    expect(page.locator("main")).to_contain_text("B 比 A 多 20.0 个百分点")
    expect(page.locator(".plots svg").nth(1)).to_contain_text("首次即有效")


def test_a_damaged_file_says_what_is_wrong_beside_the_others(serve: Serve, look: Look, tmp_path: Path) -> None:
    files = (
        written(tmp_path / "cut.json", '{"experiment": "cut", "compar'),
        written(tmp_path / "whole.json", report("whole")),
        tmp_path / "gone.json",
    )
    address = serve(reports=files)
    page = look(f"{address}/experiments")

    rows = page.locator("table.list tbody tr")
    expect(rows.nth(0)).to_contain_text("is not JSON")
    expect(rows.nth(1)).to_contain_text("whole")
    expect(rows.nth(2)).to_contain_text("cannot be read")
    page.goto(f"{address}/experiments/1")
    expect(page.get_by_role("alert")).to_contain_text("cut.json: is not JSON")
    assert page.request.get(f"{address}/experiments/4").status == 404
