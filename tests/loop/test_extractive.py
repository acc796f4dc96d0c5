"""The writer without a model: what it quotes, what it copies, and what it leaves unsaid."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from interlock.loop.extractive import MAX_CHARS, MAX_QUOTES, ExtractiveWriter
from interlock.loop.writer import Draft, Evidence, ProvidedInput, WriteRequest
from interlock.questions import Json
from interlock.tools.base import Tool
from interlock.tools.table import reference_table

ALPHA = "interface Order {\n  id: string;\n}\n\nexport function totalOf(order: Order): number {\n  return 1;\n}\n"
BETA = "export function taxOf(net: number): number {\n  return net;\n}\n\nfunction hidden() {}\n"
PROD = "service:\n  port: 8080\n  timeout_seconds: 120\n"
DEV = "service:\n  port: 4173\n  timeout_seconds: 30\n"
NOTES = "# Notes\n\n- Marcus moves the server to Lisbon.\n- Nobody has named the programme.\n"

CALLERS = Tool(
    name="get_order",
    description="an order is needed",
    parameters={"type": "object", "properties": {"number": {"type": "string"}}, "required": ["number"]},
    run=reference_table()["read_file"].run,
    input_text=str,
)


def read(path: str, text: str, *, dropped: int = 0) -> Evidence:
    return Evidence(tool="read_file", input=path, result=text, dropped_chars=dropped)


def listing(*paths: str) -> Evidence:
    return Evidence(tool="list_dir", input=".", result="\n".join(paths) or "(empty)")


def step(tool: str, given: str, result: str) -> Evidence:
    return Evidence(tool=tool, input=given, result=result)


def request(task: str, *evidence: Evidence, facts: Sequence[str] = (), revision_of: str | None = None) -> WriteRequest:
    return WriteRequest(
        system=None,
        task=task,
        earlier="",
        evidence=evidence,
        facts=tuple(facts),
        halt="task_done",
        revision_of=revision_of,
        reason=None if revision_of is None else "prob:unsupported >= 0.5 → revise",
    )


def run(waiting: Any) -> Any:
    """Return what a coroutine that never waits returns."""
    with pytest.raises(StopIteration) as stopped:
        waiting.send(None)
    return stopped.value.value


def write(task: str, *evidence: Evidence, **more: Any) -> str:
    draft: Draft = run(ExtractiveWriter().write(request(task, *evidence, **more)))
    assert draft.degraded
    assert draft.failure is None
    return draft.text


def provide(tool: str | Tool, task: str, *evidence: Evidence) -> ProvidedInput:
    chosen = tool if isinstance(tool, Tool) else reference_table()[tool]
    provided: ProvidedInput = run(ExtractiveWriter().provide(chosen, request(task, *evidence)))
    assert (provided.arguments is None) is (provided.reason is not None)
    return provided


@pytest.mark.parametrize(
    ("task", "evidence", "says"),
    [
        pytest.param(
            "Which function does alpha.ts export?",
            [read("src/alpha.ts", ALPHA)],
            ["src/alpha.ts exports `totalOf`.", "src/alpha.ts:5: export function totalOf(order: Order): number {"],
            id="one-export",
        ),
        pytest.param(
            "这两个文件各导出了什么函数？",
            [read("alpha.ts", ALPHA), read("beta.ts", BETA)],
            ["alpha.ts 导出了 `totalOf`。", "beta.ts 导出了 `taxOf`。", "beta.ts:1: export function taxOf"],
            id="two-exports-zh",
        ),
        pytest.param(
            "Which classes does alpha.ts export?",
            [read("alpha.ts", ALPHA)],
            ["alpha.ts exports nothing of that kind."],
            id="no-such-export",
        ),
        pytest.param(
            "Which error classes are there?",
            [step("search_text", "class", "a.py:3: class OldError(Exception):\nb.py:9: class Shelf:")],
            ["a.py defines `OldError`.", "a.py:3: class OldError(Exception):"],
            id="definitions-that-a-search-found",
        ),
        pytest.param("List the files", [listing("a.ts", "b/说明.md")], ["- a.ts", "- b/说明.md"], id="listing"),
        pytest.param("How many files are there?", [listing("a", "b", "c")], ["The listing holds 3 files."], id="count"),
        pytest.param(
            "Which exceptions does a.py define?",
            [read("a.py", "class LateError(Exception):\n    pass\n\n\nclass Shelf:\n    pass\n")],
            ["a.py defines `LateError`."],
            id="a-kind-of-class",
        ),
        pytest.param(
            "What went wrong with the backup?",
            [read("run.log", "01:00 INFO backup started\n01:05 ERROR backup: disk full\n01:06 INFO ended")],
            ["run.log:2: 01:05 ERROR backup: disk full"],
            id="trouble-in-a-log",
        ),
        pytest.param(
            "Which dependencies are there?",
            [read("p.json", '{\n  "name": "x",\n  "dependencies": {\n    "yaml": "^2"\n  }\n}')],
            ['p.json:3: "dependencies": {', 'p.json:4: "yaml": "^2"'],
            id="what-belongs-to-a-key",
        ),
        pytest.param("列出文件", [listing()], ["没有文件"], id="empty-listing-zh"),
        pytest.param(
            "What is the timeout in prod.yaml?",
            [read("prod.yaml", PROD)],
            ["prod.yaml:3: timeout_seconds: 120"],
            id="fact",
        ),
        pytest.param(
            "prod.yaml 的超时是多少？", [read("prod.yaml", PROD)], ["prod.yaml:3: timeout_seconds: 120"], id="fact-zh"
        ),
        pytest.param(
            "Compare dev.yaml and prod.yaml",
            [read("dev.yaml", DEV), read("prod.yaml", PROD)],
            ["dev.yaml:2: port: 4173", "prod.yaml:2: port: 8080"],
            id="compared",
        ),
        pytest.param(
            "Where does the server go?",
            [read("n.md", NOTES)],
            ["n.md:3: - Marcus moves the server to Lisbon."],
            id="prose",
        ),
        pytest.param("Summarise n.md", [read("n.md", NOTES)], ["n.md:1: # Notes", "n.md:3:"], id="overview"),
        pytest.param(
            "Who is the customer of order 7?",
            [step("get_order", "7", "customer: Ada\nstatus: paid")],
            ["> customer: Ada"],
            id="a-callers-tool-has-no-place",
        ),
        pytest.param(
            "Delete a.lock", [step("delete_file", "a.lock", "deleted a.lock")], ["Deleted a.lock."], id="deleted"
        ),
        pytest.param("把 a 移到 b/", [step("move_file", "a -> b/a", "moved")], ["已把 a 移动到 b/a。"], id="moved-zh"),
        pytest.param(
            "Delete a.lock",
            [step("delete_file", "a.lock", "[TOOL_ERROR] locked: `a.lock` is in use")],
            ["delete_file a.lock did not work: locked: `a.lock` is in use", "Not carried out"],
            id="failed",
        ),
        pytest.param("删除 a.lock", [listing("a.lock")], ["未完成"], id="never-tried-zh"),
        pytest.param("Hello", [], ["No tool was called"], id="nothing-to-report"),
    ],
)
def test_a_draft_says_what_was_done_and_quotes_what_was_seen(
    task: str, evidence: list[Evidence], says: list[str]
) -> None:
    text = write(task, *evidence)

    assert [part for part in says if part not in text] == [], text


def test_what_does_not_answer_is_not_passed_off_as_an_answer() -> None:
    """The closest lines may be shown, under a sentence that says what they are."""
    near = write("What is the password of the service?", read("prod.yaml", PROD))
    far = write("Who painted the ceiling?", read("prod.yaml", PROD))

    assert "does not answer" in near
    assert far == "Nothing that was read or found answers this."
    assert "没有答案" in write("谁粉刷了天花板？", read("prod.yaml", PROD))


def test_every_cited_line_stands_at_its_place() -> None:
    """The host compares each citation with the disk."""
    text = write("What is the port in dev.yaml and prod.yaml?", read("dev.yaml", DEV), read("prod.yaml", PROD))
    files = {"dev.yaml": DEV.split("\n"), "prod.yaml": PROD.split("\n")}

    cited = re.findall(r"^(\S+):(\d+): (.*)$", text, re.MULTILINE)
    assert len(cited) == 2
    assert all(files[path][int(line) - 1].strip() == quoted for path, line, quoted in cited)


def test_a_line_behind_a_cut_is_quoted_without_a_number() -> None:
    """How many lines were cut out is not known, so a number would be a guess."""
    cut = "first line\n[cut: 5000 characters]\nthe colour is green"

    assert write("Which colour is it?", read("a.txt", cut)).endswith("> the colour is green")


def test_a_revision_keeps_only_what_the_host_verified() -> None:
    evidence = [read("dev.yaml", DEV), read("prod.yaml", PROD)]
    text = write(
        "What is the port in dev.yaml and prod.yaml?",
        *evidence,
        facts=["quote differs: dev.yaml:2", "quote verified: prod.yaml:2"],
        revision_of="…",
    )

    assert "prod.yaml:2: port: 8080" in text
    assert "dev.yaml" not in text


def test_a_write_that_the_disk_denies_is_not_reported() -> None:
    written = step("write_file", "b.ts\nx", "wrote b.ts: 1 bytes")

    assert "Wrote b.ts." in write("Copy f from a.ts to b.ts", written)
    assert "Wrote" not in write("Copy f from a.ts to b.ts", written, facts=["b.ts is missing"], revision_of="…")


def test_a_draft_fits_what_a_gate_is_shown() -> None:
    """Ten facts and nine hundred characters; the rest is said to be left out."""
    many = "\n".join(f"export function f{number}() {{}}" for number in range(40))
    text = write("Which functions does a.ts export?", read("a.ts", many))
    files = write("List the files", listing(*(f"folder/file-{number}.txt" for number in range(500))))

    assert len(re.findall(r"^a\.ts:\d+: ", text, re.MULTILINE)) <= MAX_QUOTES
    assert max(len(text), len(files)) <= MAX_CHARS
    assert all("There is more" in part for part in (text, files))


@settings(max_examples=100, deadline=None)
@given(
    task=st.text(max_size=120),
    texts=st.lists(st.text(max_size=120), max_size=3),
    tool=st.sampled_from([*reference_table(), "other_tool"]),
)
def test_whatever_was_returned_a_draft_comes_of_it(task: str, texts: list[str], tool: str) -> None:
    text = write(task, *(step(tool, f"x{at}", text) for at, text in enumerate(texts)))

    assert text.strip()
    assert len(text) <= MAX_CHARS


@pytest.mark.parametrize(
    ("tool", "task", "evidence", "arguments"),
    [
        pytest.param(
            "write_file",
            "Copy the function totalOf from src/alpha.ts into a new file src/total.ts",
            [listing("src/alpha.ts"), read("src/alpha.ts", ALPHA)],
            {
                "path": "src/total.ts",
                "content": "export function totalOf(order: Order): number {\n  return 1;\n}\n",
            },
            id="copy",
        ),
        pytest.param(
            "write_file",
            "把 alpha.ts 里的 totalOf 抄到新文件 total.ts",
            [listing("alpha.ts"), read("alpha.ts", ALPHA)],
            {"path": "total.ts", "content": "export function totalOf(order: Order): number {\n  return 1;\n}\n"},
            id="copy-zh",
        ),
        pytest.param(
            "write_file",
            "Copy run to b.py",
            [read("a.py", "@cached\ndef run():\r\n    return 1\r\n\r\ndef other():\n    pass\n")],
            {"path": "b.py", "content": "@cached\ndef run():\r\n    return 1\r\n"},
            id="line-ends-are-kept",
        ),
        pytest.param("search_text", "Where is a_b used?", [], {"pattern": "a_b"}, id="identifier"),
        pytest.param(
            "search_text", 'Find "x (y)" or fooBar', [], {"pattern": r"x\ \(y\)|fooBar", "regex": True}, id="two"
        ),
        pytest.param("list_dir", "anything", [], {}, id="nothing-to-fill-in"),
        pytest.param(
            "delete_file", "Delete a.lock", [listing("x/a.lock", "b.lock")], {"path": "x/a.lock"}, id="delete"
        ),
        pytest.param(
            "delete_file",
            "Delete a.lock and b.lock",
            [listing("a.lock", "b.lock"), step("delete_file", "a.lock", "deleted a.lock")],
            {"path": "b.lock"},
            id="the-next-of-two",
        ),
        pytest.param(
            "move_file",
            "Move a.md to docs/",
            [listing("a.md")],
            {"source": "a.md", "target": "docs/a.md"},
            id="into-a-folder",
        ),
        pytest.param(
            "move_file", "Rename a.md to b.md", [listing("a.md")], {"source": "a.md", "target": "b.md"}, id="rename"
        ),
    ],
)
def test_arguments_come_from_the_task_and_the_evidence(
    tool: str, task: str, evidence: list[Evidence], arguments: dict[str, Json]
) -> None:
    assert provide(tool, task, *evidence).arguments == arguments


@pytest.mark.parametrize(
    ("tool", "task", "evidence", "reason"),
    [
        pytest.param("write_file", "Write it down", [read("a.ts", ALPHA)], "names no path", id="no-path"),
        pytest.param(
            "write_file", "Copy totalOf to x.ts and y.ts", [read("a.ts", ALPHA)], "names 2 paths", id="two-paths"
        ),
        pytest.param("write_file", "Copy totalOf to a.ts", [listing("a.ts")], "names no path", id="it-exists"),
        pytest.param("write_file", "Copy totalOf to x.ts", [], "nothing was read", id="nothing-read"),
        pytest.param(
            "write_file", "Copy it all to x.ts", [read("a.ts", ALPHA)], "names no definition", id="no-definition"
        ),
        pytest.param(
            "write_file",
            "Copy totalOf and taxOf to x.ts",
            [read("a.ts", ALPHA + BETA)],
            "names 2 definitions",
            id="two-definitions",
        ),
        pytest.param(
            "write_file",
            "Copy totalOf from a.ts to x.ts",
            [read("a.ts", ALPHA, dropped=10)],
            "was read with a cut",
            id="cut",
        ),
        pytest.param("search_text", "What is the policy?", [], "nothing|no identifier", id="no-words"),
        pytest.param("delete_file", "Delete the old one", [listing("a.md")], "names no path", id="no-file"),
        pytest.param("move_file", "Move a.md", [listing("a.md")], "one path", id="no-target"),
        pytest.param(CALLERS, "Show order 7", [], "use a writer with a model", id="a-callers-tool"),
    ],
)
def test_what_is_not_fixed_is_unclear(tool: str | Tool, task: str, evidence: list[Evidence], reason: str) -> None:
    """A placeholder would be a guess."""
    provided = provide(tool, task, *evidence)

    assert re.search(reason, provided.reason or "")


def test_the_writer_has_the_name_that_settings_choose_it_by() -> None:
    assert ExtractiveWriter().id == "extractive"
