"""A person reads a contract beside what it compiles to, and edits a copy into an error and back."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

Look = Callable[..., Page]
Serve = Callable[..., str]
Park = Callable[..., tuple[str, str]]


def serious(page: Page) -> list[str]:
    found = Axe().run(page).response["violations"]
    return [each["id"] for each in found if each["impact"] in ("serious", "critical")]


def test_a_contract_is_edited_into_an_error_and_back(serve: Serve, look: Look) -> None:
    page = look(f"{serve()}/contracts")
    page.get_by_role("link", name="Edit a copy").click()
    verdict, text = page.locator("#findings .verdict"), page.get_by_label("Text of the contract")
    expect(verdict).to_contain_text("compiles")
    right = text.input_value()

    text.fill(right.replace("- else", "- els", 1))
    expect(verdict).to_contain_text("does not compile")
    item = page.locator("#findings li.error").first
    number = right[: right.index("- else")].count("\n") + 1
    expect(item).to_contain_text(f"line {number}")
    expect(page.locator(".gutter b.error")).to_have_text(str(number))
    expect(page.locator(".lens i.error")).to_be_visible()
    assert serious(page) == []
    item.get_by_role("link", name=f"line {number}").click()
    assert page.evaluate("getSelection().toString()").strip() != ""

    text.fill(right)
    expect(verdict).to_contain_text("0 errors")
    expect(page.locator(".gutter b.error")).to_have_count(0)


def test_a_safe_fix_is_applied_in_the_text(serve: Serve, look: Look) -> None:
    page = look(f"{serve()}/contract-editor")
    text = page.get_by_label("Text of the contract")
    right = text.input_value()
    text.fill("# 决策 😀\n\n" + right.partition("\n")[2].replace("kind: noul", "kind：noul", 1))

    page.get_by_role("button", name="Apply the fix").click()
    expect(page.locator("#findings .verdict")).to_contain_text("0 errors")
    assert "kind:noul\nwhen: step-start" in text.input_value()


def test_a_copy_is_given_back_as_a_file(serve: Serve, look: Look) -> None:
    page = look(f"{serve()}/contract-editor")
    page.get_by_label("Text of the contract").fill("# mine\n\n中文\n")
    with page.expect_download() as started:
        page.get_by_role("button", name="Download").click()

    assert started.value.suggested_filename == "DECISION.md"
    assert Path(started.value.path()).read_text(encoding="utf-8") == "# mine\n\n中文\n"


def test_source_and_meaning_lead_to_each_other(serve: Serve, look: Look) -> None:
    page = look(f"{serve()}/contracts/shipped")
    article = page.locator("article.compiled", has=page.locator("h3 code", has_text="grade_risk"))
    rule = article.locator(".rules li").first
    expect(rule).to_contain_text("score:risk >= 2 → ask_human")
    number = rule.locator(".at").inner_text()
    rule.locator(".at").click()

    line = page.locator(f"#L{number}")
    expect(line).to_be_in_viewport()
    expect(line).to_contain_text("ask_human")
    line.locator(".n a").click()
    expect(rule).to_be_in_viewport()
    assert page.url.endswith(f"#c{number}")


def test_the_plan_shows_what_is_asked_together_and_why_the_rest_is_not(serve: Serve, look: Look) -> None:
    page = look(f"{serve()}/contracts/shipped")
    expect(page.locator(".waves > li")).to_have_count(4)
    first = page.locator(".request").first
    expect(first.locator(".chip")).to_have_text(["needs_tool", "pick_tool"])
    expect(first.locator(".chip.ahead")).to_have_text(["pick_tool"])
    page.get_by_role("combobox", name="Plan").select_option("sequential")

    expect(page.locator(".waves > li")).to_have_count(7)
    page.get_by_text("Why decisions do or do not share a request").first.click()
    expect(page.locator("details tr", has_text="needs_tool, step_ok")).to_contain_text("`step_ok` excludes")


def test_a_file_that_does_not_compile_says_so_at_its_lines(serve: Serve, look: Look, tmp_path: Path) -> None:
    file = tmp_path / "mine.md"
    file.write_text("# Mine\n\nschema: decision-contract/v1\n\n## a\nkind: nul\n\u202eask: x\n", encoding="utf-8")
    base = serve(contracts={"dir/mine.md": file, "shipped": None})
    page = look(f"{base}/contracts")
    expect(page.locator("tbody tr").first).to_contain_text("does not compile")
    page.get_by_role("link", name="dir/mine.md").click()

    expect(page.locator("tr.found.error", has_text="unknown-kind")).to_contain_text("nul")
    expect(page.locator("#L7")).to_contain_text(r"\u202eask: x")
    page.get_by_role("link", name="unknown-kind").click()
    expect(page.locator("tr:target")).to_contain_text("The kind is none of the five that exist.")
    assert serious(page) == []


def test_a_run_shows_the_contract_that_it_was_decided_by(serve: Serve, look: Look, park: Park) -> None:
    _, run_id = park("delete_file", {"path": "build.lock"})
    page = look(f"{serve()}/runs/{run_id}")
    page.locator("#head a[href$='/contract']").click()

    expect(page.locator("h1")).to_contain_text(run_id)
    expect(page.locator("article.compiled")).to_have_count(7)
    page.get_by_role("link", name="Edit a copy").click()
    expect(page.locator("#findings .verdict")).to_contain_text("compiles")


@pytest.mark.parametrize("path", ["/contracts", "/contracts/shipped", "/contract-editor", "/contract-codes"])
def test_a_page_of_contracts_fits_a_telephone(serve: Serve, look: Look, path: str) -> None:
    page = look(f"{serve()}{path}", viewport={"width": 360, "height": 740}, color_scheme="dark", locale="zh-CN")

    assert page.evaluate("document.documentElement.scrollWidth") <= 360


def test_what_the_codes_stand_for_can_be_read_by_everybody(serve: Serve, look: Look) -> None:
    assert serious(look(f"{serve()}/contract-codes", color_scheme="dark")) == []
