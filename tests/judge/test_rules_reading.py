"""What single rules read out of a frame, one table per decision."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from interlock.judge.rules import RuleJudge
from interlock.judge.rules.risk import leaves_root
from interlock.judge.rules.shape import shape_of
from interlock.questions import Choice, ChoiceAnswer, Json, Noul, NoulAnswer, Question, Score, level
from interlock.tools.base import Tool, ToolTable
from interlock.tools.table import reference_table

NOTHING: Mapping[str, Json] = {"already_done": "nothing yet", "last": "none yet", "last_result": ""}
RISKS = Score(instructions="?", criteria=["read-only", "reversible", "irreversible", "destructive"])
YES_NO = Noul(instructions="?")


def says(name: str, state: Mapping[str, Json], question: Question = YES_NO, tools: ToolTable | None = None) -> Any:
    """Return what the judge picks and whether it is sure; None when it abstains."""
    waiting = RuleJudge(reference_table() if tools is None else tools).answer(state, {name: question})
    with pytest.raises(StopIteration) as stopped:
        waiting.send(None)
    answer = stopped.value.value.readings[name].answer
    if answer is None:
        return None
    if isinstance(answer, NoulAnswer):
        return answer.noul >= 0.5, max(answer.noul, 1 - answer.noul) > 0.8
    if isinstance(answer, ChoiceAnswer):
        return answer.choice, (answer.probabilities or {})[answer.choice] > 0.8
    return level(answer), max(answer.probabilities) > 0.8


def own(name: str, base_risk: int | None, *, network: bool = False) -> Tool:
    async def run(_given: Mapping[str, Json]) -> str:
        raise AssertionError("a judge runs no tool")

    return Tool(
        name=name,
        description="it is needed",
        parameters={"type": "object"},
        run=run,
        input_text=str,
        base_risk=base_risk,
        leaves_root=False,
        network=network,
    )


@pytest.mark.parametrize(
    ("result", "outcome", "certain"),
    [
        pytest.param("[TOOL_ERROR] not-found: no file `a`", "failed", True, id="own-error"),
        pytest.param("[TOOL_ERROR] is how errors begin\nsecond line", "worked", False, id="text-about-own-errors"),
        pytest.param("(empty)", "empty", True, id="own-empty"),
        pytest.param(" \n ", "empty", True, id="blank"),
        pytest.param("[]", "empty", True, id="empty-list"),
        pytest.param("未找到任何记录", "empty", True, id="nothing-zh"),
        pytest.param("id | name\n---\n(0 rows)", "empty", False, id="table-without-rows"),
        pytest.param("EPERM: operation not permitted", "failed", True, id="errno"),
        pytest.param("bash: foo: command not found", "failed", True, id="shell"),
        pytest.param("ValueError: bad literal", "failed", True, id="exception-line"),
        pytest.param("HTTP 502 Bad Gateway", "failed", True, id="http"),
        pytest.param('{"success": false, "message": "no"}', "failed", True, id="json"),
        pytest.param('{"items": [1], "error": null}', "worked", False, id="json-without-error"),
        pytest.param("权限不足", "failed", False, id="plain-zh"),
        pytest.param("保存失败：磁盘已满", "failed", True, id="failure-zh"),
        pytest.param("# Errors\nerror: is written in red", "worked", True, id="page-about-errors"),
        pytest.param("7 passed, 2 failed", "worked", True, id="report-of-tests"),
        pytest.param("created order 9: payment failed notice", "worked", True, id="success-that-names-a-failure"),
        pytest.param("  File 'a.py', line 1\n    x(\nSyntaxError: bad", "failed", False, id="failure-in-the-last-line"),
    ],
)
def test_a_result_is_judged_by_its_shape(result: str, outcome: str, certain: bool) -> None:
    """Failure is a form, not a word: content may talk about errors."""
    shape = shape_of(result)

    assert (shape.outcome, shape.certain) == (outcome, certain)


@pytest.mark.parametrize(
    ("state", "expected"),
    [
        pytest.param({"tool": "read_file", "input": "a.md", "output": "read_file a.md -> hi"}, (True, True), id="lead"),
        pytest.param(
            {"tool": "read_file", "input": "a.md", "output": "ENOENT: no such file"}, (False, False), id="foreign"
        ),
        pytest.param({"tool": "read_file", "input": "run.log", "output": "Error: x"}, None, id="a-log-may-hold-errors"),
        pytest.param({"tool": "get_x", "input": "1", "output": "ok"}, (True, False), id="an-unknown-tool-is-likely"),
        pytest.param(
            {"tool": "delete_file", "input": "a.md", "output": "deleted b.md"}, (False, False), id="another-target"
        ),
        pytest.param({"tool": "read_file", "input": "a.md"}, None, id="no-output-field"),
    ],
)
def test_a_step_is_judged_by_its_result(state: Mapping[str, Json], expected: object) -> None:
    assert says("step_ok", state) == expected


@pytest.mark.parametrize(
    ("path", "outside"),
    [
        pytest.param("a/b.md", False, id="inside"),
        pytest.param("./a.md", False, id="dot"),
        pytest.param("a/../b.md", False, id="up-and-down"),
        pytest.param("a..b.md", False, id="dots-in-a-name"),
        pytest.param("../b.md", True, id="up"),
        pytest.param("a/../../b.md", True, id="up-twice"),
        pytest.param("/etc/hosts", True, id="absolute"),
        pytest.param("~/x", True, id="home"),
        pytest.param("$HOME/x", True, id="variable"),
        pytest.param("C:\\x", True, id="drive"),
        pytest.param("a\\..\\..\\x", True, id="backslashes"),
        pytest.param("file:///x", True, id="url"),
    ],
)
def test_a_path_as_written_is_inside_or_outside(path: str, outside: bool) -> None:
    assert leaves_root(path) is outside


@pytest.mark.parametrize(
    ("tool", "target", "risk", "needs_auth"),
    [
        pytest.param("list_dir", ".", (0, True), (False, True), id="list"),
        pytest.param("search_text", "/etc/passwd", (0, True), (False, True), id="a-pattern-is-no-path"),
        pytest.param("read_file", "/etc/passwd", (0, False), (True, False), id="read-outside"),
        pytest.param("write_file", "a.md\n../x", (1, True), (False, True), id="content-is-no-path"),
        pytest.param("write_file", "../a.md\nx", (3, True), (True, True), id="write-outside"),
        pytest.param("move_file", "a.md -> b.md", (2, True), (True, True), id="move"),
        pytest.param("delete_file", "a.md", (3, True), (True, True), id="delete"),
        pytest.param("lookup", "7", (0, True), (False, True), id="a-callers-tool"),
        pytest.param("fetch", "7", (0, True), (True, False), id="one-that-reaches-a-network"),
        pytest.param("mystery", "7", None, None, id="undeclared"),
        pytest.param("send_email", "a@b.example", None, None, id="unknown"),
    ],
)
def test_risk_comes_from_the_table_and_the_target(tool: str, target: str, risk: object, needs_auth: object) -> None:
    """The task's own words, such as a permission, do not count."""
    tools = {
        **reference_table(),
        "lookup": own("lookup", 0),
        "fetch": own("fetch", 0, network=True),
        "mystery": own("mystery", None),
    }
    state: Mapping[str, Json] = {"tool": tool, "base_risk": 0, "target": target, "task": "you may do anything"}

    assert says("grade_risk.risk", state, RISKS, tools) == risk
    assert says("grade_risk.needs_auth", state, YES_NO, tools) == needs_auth


@pytest.mark.parametrize(
    ("state", "expected"),
    [
        pytest.param({**NOTHING, "task": "Show a.md"}, (True, True), id="nothing-done"),
        pytest.param({**NOTHING, "task": "What is 12 % of 80?"}, (False, True), id="a-percentage"),
        pytest.param({**NOTHING, "task": "7 * 8 = ?"}, (False, True), id="arithmetic"),
        pytest.param({**NOTHING, "task": "What does idempotent mean?"}, (False, False), id="knowledge"),
        pytest.param({**NOTHING, "task": "Who leads the design team?"}, (True, False), id="an-open-question-looks"),
        pytest.param({**NOTHING, "task": ""}, None, id="no-task"),
        pytest.param(
            {"task": "Show a.md", "already_done": "read_file a.md", "last": "hi", "already_read": ["a.md"]},
            (False, True),
            id="read",
        ),
        pytest.param(
            {"task": "Frobnicate the widgets in a.md", "already_done": "read_file a.md", "last": "hi"},
            (True, False),
            id="an-unknown-verb-is-not-met-by-reading",
        ),
        pytest.param(
            {"task": "Do not delete a.md, read it", "already_done": "read_file a.md", "last": "hi"},
            (False, True),
            id="what-is-forbidden-is-no-goal",
        ),
        pytest.param(
            {"task": "删除 a.md", "already_done": "delete_file a.md", "last": "[TOOL_ERROR] locked: `a.md`"},
            (True, True),
            id="a-failed-change-is-not-done",
        ),
    ],
)
def test_work_is_left_while_a_goal_is_not_met(state: Mapping[str, Json], expected: object) -> None:
    assert says("needs_tool", state) == expected


@pytest.mark.parametrize(
    ("task", "steps", "expected"),
    [
        pytest.param(
            "Move a.md to old/", ["move_file a.md -> old/a.md -> moved a.md -> old/a.md"], (True, True), id="moved"
        ),
        pytest.param(
            "Move a.md to old/", ["move_file a.md -> new/a.md -> moved a.md -> new/a.md"], (False, True), id="elsewhere"
        ),
        pytest.param(
            "Read every Python file",
            ["list_dir . -> a.py\nb.py", "read_file a.py -> x"],
            (False, True),
            id="one-of-two",
        ),
        pytest.param(
            "Read every Python file",
            ["list_dir . -> a.py\nb…", "read_file a.py -> x"],
            (False, False),
            id="the-listing-is-cut",
        ),
        pytest.param("Reboot host-4", ["restart_host host-3 -> ok"], (False, False), id="another-host"),
        pytest.param("Hello", [], (True, False), id="nothing-to-do"),
        pytest.param("Elimina el archivo a.md", ["read_file a.md -> x"], None, id="a-language-it-does-not-know"),
    ],
)
def test_a_task_is_done_when_every_goal_is_met(task: str, steps: list[str], expected: object) -> None:
    read = [step.split()[1] for step in steps if step.startswith("read_file")]

    assert says("is_done", {"task": task, "already_read": read, "steps": steps}) == expected


@pytest.mark.parametrize(
    ("state", "options", "expected"),
    [
        pytest.param(
            {**NOTHING, "task": "Delete a.md"}, "list_dir delete_file done", ("list_dir", False), id="look-first"
        ),
        pytest.param(
            {"task": "Delete a.md", "already_done": "list_dir .", "last_result": "a.md", "files_known": ["a.md"]},
            "read_file delete_file done",
            ("delete_file", True),
            id="then-delete",
        ),
        pytest.param(
            {"task": "Delete a.md", "already_done": "list_dir .", "last_result": "a.md", "files_known": ["a.md"]},
            "read_file done",
            ("done", False),
            id="not-allowed",
        ),
        pytest.param(
            {"task": "Where is fooBar used?", "already_done": "list_dir .", "files_known": ["a.py", "b.py"]},
            "read_file search_text done",
            ("search_text", False),
            id="a-name-is-searched-for",
        ),
        pytest.param(
            {"task": "Who wrote the plan?", "already_done": "list_dir .", "files_known": ["a.py", "b.py"]},
            "read_file search_text done",
            ("read_file", False),
            id="nothing-to-search-for",
        ),
        pytest.param(
            {"task": "Close ticket T-1", "already_done": "get_ticket T-1", "last_result": "open"},
            "close_ticket close_account done",
            ("close_ticket", False),
            id="the-closest-of-two",
        ),
        pytest.param(
            {**NOTHING, "task": "Refund order 7"}, "get_order refund_order done", None, id="either-may-come-first"
        ),
    ],
)
def test_the_next_tool_follows_from_the_first_unmet_goal(
    state: Mapping[str, Json], options: str, expected: object
) -> None:
    question = Choice(instructions="?", criteria=dict.fromkeys(options.split()))

    assert says("pick_tool", state, question) == expected


@pytest.mark.parametrize(
    ("task", "options", "expected"),
    [
        pytest.param("Explain src/a.ts", ["src/a.ts", "b.ts"], ("src/a.ts", True), id="named"),
        pytest.param("Explain a.ts and b.ts", ["b.ts", "a.ts"], ("a.ts", False), id="the-first-of-several-named"),
        pytest.param("Open the Ruby script", ["a.py", "b.rb", "c.md"], ("b.rb", False), id="by-kind"),
        pytest.param("Which module calls a.py?", ["a.py", "b.py"], None, id="a-relation-to-the-named-one"),
        pytest.param("Summarise it", ["a.py", "b.py"], None, id="no-hint"),
        pytest.param("How long is the lease?", ["a.toml", "terms.md"], ("terms.md", False), id="it-may-stand-anywhere"),
        pytest.param("租期是多久？", ["a.toml", "条款.md"], ("条款.md", False), id="it-may-stand-anywhere-zh"),
        pytest.param("Read ../terms.md", ["a.toml", "b.md"], None, id="the-named-one-is-not-offered"),
        pytest.param("Show the last file", ["a.py", "b.py"], ("b.py", False), id="by-place"),
        pytest.param("Sum up March 2025", ["2025-02.csv", "2025-03.csv"], ("2025-03.csv", False), id="by-date"),
    ],
)
def test_an_input_is_picked_by_name_kind_or_topic(task: str, options: list[str], expected: object) -> None:
    question = Choice(instructions="?", criteria=dict.fromkeys(options))

    assert says("pick_input", {"task": task, "already_read": []}, question) == expected


DELETE = {"task": "Delete a.lock", "answer": "Deleted a.lock.", "evidence": "delete_file a.lock -> deleted a.lock"}
QUOTE = {"task": "What is the code?", "evidence": "read_file m.txt -> Chapter one…"}


@pytest.mark.parametrize(
    ("state", "deliverable", "unsupported"),
    [
        pytest.param(DELETE, (True, False), (False, False), id="done-and-said"),
        pytest.param({**DELETE, "facts": ["a.lock is gone"]}, (True, False), (False, False), id="the-host-agrees"),
        pytest.param(
            {**DELETE, "facts": ["a.lock still exists, 3 bytes, sha256 ab"]},
            (False, True),
            (True, True),
            id="the-host-disagrees",
        ),
        pytest.param(
            {
                "task": "Copy f from a.py to b.py",
                "answer": "Wrote b.py.",
                "evidence": "write_file b.py\ndef f(): ...\n -> wrote b.py: 12 bytes\nread_file a.py -> def f(): ...",
                "facts": ["b.py is missing"],
            },
            (False, True),
            (True, True),
            id="written-says-the-draft-missing-says-the-disk",
        ),
        pytest.param(
            {
                "task": "Copy f from a.py to b.py",
                "answer": "Wrote b.py. Note that its imports were not copied.",
                "evidence": "write_file b.py\ndef f(): ...\n -> wrote b.py: 12 bytes\nread_file a.py -> def f(): ...",
                "facts": ["b.py exists, 12 bytes, sha256 ab"],
            },
            (True, False),
            (False, False),
            id="a-true-caveat",
        ),
        pytest.param(
            {
                "task": "Copy f from a.py to b.py",
                "answer": "b.py should rather hold:\n```\nimport sys\ndef f(): sys.exit()\n```",
                "evidence": "write_file b.py\ndef f(): ...\n -> wrote b.py: 12 bytes\nread_file a.py -> def f(): ...",
            },
            (False, False),
            (True, False),
            id="content-never-written",
        ),
        pytest.param(
            {**QUOTE, "answer": "m.txt:900: the code is 7741", "facts": ["quote verified: m.txt:900"]},
            (True, False),
            (False, True),
            id="a-verified-quote-beyond-the-evidence",
        ),
        pytest.param(
            {**QUOTE, "answer": "m.txt:900: the code is 7741", "facts": ["quote differs: m.txt:900"]},
            (False, True),
            (True, True),
            id="a-quote-that-differs",
        ),
        pytest.param({**QUOTE, "answer": "The code is 7741."}, None, None, id="nobody-can-tell"),
        pytest.param({**QUOTE, "answer": ""}, (False, True), None, id="an-empty-draft"),
        pytest.param({"task": "x", "answer": "y"}, None, None, id="no-evidence-field"),
        pytest.param(
            {"task": "删除 a.lock", "answer": "没有权限，a.lock 没有删除。", "evidence": "list_dir . -> a.lock"},
            (False, True),
            (False, False),
            id="an-honest-report-of-what-was-not-done",
        ),
    ],
)
def test_a_draft_is_held_against_evidence_and_facts(
    state: Mapping[str, Json], deliverable: object, unsupported: object
) -> None:
    assert says("can_deliver.deliverable", state) == deliverable
    assert says("can_deliver.unsupported", state) == unsupported
