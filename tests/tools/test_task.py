"""What a task asks for: acts, targets, and what is to be searched for."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from interlock.tools.task import asks_general_knowledge, goals_of, is_small_talk, share, terms
from interlock.tools.task.clauses import clauses_of
from interlock.tools.task.filesets import is_test
from interlock.tools.task.patterns import search_pattern
from interlock.tools.task.verbs import phrase_act, root, verb_act

KNOWN = ("src/alpha.ts", "src/beta.ts", "src/beta.test.ts", "README.md", "说明.md")


def brief(task: str) -> list[tuple[str, tuple[str, ...]]]:
    return [(goal.act, goal.targets) for goal in goals_of(task, KNOWN)]


@pytest.mark.parametrize(
    ("task", "goals"),
    [
        pytest.param("What does alpha.ts do?", [("read", ("src/alpha.ts",))], id="question"),
        pytest.param("List the files here", [("list", ())], id="listing"),
        pytest.param("Is there a Makefile?", [("list", ())], id="existence"),
        pytest.param("List the functions of alpha.ts", [("read", ("src/alpha.ts",))], id="a-list-of-what-a-file-holds"),
        pytest.param("Where is fooBar defined?", [("search", ("fooBar",))], id="search"),
        pytest.param(
            "Copy f from alpha.ts into new.ts", [("read", ("src/alpha.ts",)), ("write", ("new.ts",))], id="copy"
        ),
        pytest.param(
            "Copy f from alpha.ts and write it to new.ts",
            [("read", ("src/alpha.ts",)), ("write", ("new.ts",))],
            id="copy-in-two-clauses",
        ),
        pytest.param(
            "Fix the typo in README.md", [("read", ("README.md",)), ("write", ("README.md",))], id="an-edit-reads-first"
        ),
        pytest.param(
            "Remove the unused import from alpha.ts",
            [("read", ("src/alpha.ts",)), ("write", ("src/alpha.ts",))],
            id="removing-a-part-is-an-edit",
        ),
        pytest.param("Delete alpha.ts and beta.ts", [("delete", ("src/alpha.ts", "src/beta.ts"))], id="two-targets"),
        pytest.param("Rename README.md to INTRO.md", [("move", ("README.md", "INTRO.md"))], id="move"),
        pytest.param(
            "Summarise README.md into brief.md", [("read", ("README.md",)), ("write", ("brief.md",))], id="into"
        ),
        pytest.param("Do not delete README.md, only read it", [("read", ("README.md",))], id="forbidden"),
        pytest.param("Please shut down web-4", [("stop", ("web-4",))], id="a-verb-of-two-words"),
        pytest.param(
            "Send INV-9 to a@b.example, then close T-1",
            [("send", ("INV-9", "a@b.example")), ("close", ("T-1",))],
            id="other-domains",
        ),
        pytest.param(
            "Read every TypeScript file except the tests",
            [("read", ("src/alpha.ts", "src/beta.ts"))],
            id="all-of-a-kind",
        ),
        pytest.param(
            "把 alpha.ts 里的 f 抄到新文件 new.ts", [("read", ("src/alpha.ts",)), ("write", ("new.ts",))], id="copy-zh"
        ),
        pytest.param("删除 README.md", [("delete", ("README.md",))], id="delete-zh"),
        pytest.param("说明.md 里写了什么？", [("read", ("说明.md",))], id="question-zh"),
        pytest.param("列出所有文件", [("list", ())], id="listing-zh"),
        pytest.param("不要删除 README.md，读一下 说明.md", [("read", ("说明.md",))], id="forbidden-zh"),
        pytest.param("Hello!", [], id="small-talk"),
    ],
)
def test_a_task_is_a_list_of_effects(task: str, goals: list[tuple[str, tuple[str, ...]]]) -> None:
    assert brief(task) == goals


def test_a_number_of_files_counts_where_no_name_is_given() -> None:
    (goal,) = goals_of("What do these two files export?", ("a.ts", "b.ts", "c.md"))

    assert (goal.count, goal.targets) == (2, ())


def test_a_follow_up_points_back_to_the_turn_before() -> None:
    (goal,) = goals_of("Read it again", KNOWN, "user asked about README.md")

    assert goal.targets == ("README.md",)


@pytest.mark.parametrize(
    ("task", "understood"),
    [
        pytest.param("Delete the file", True, id="known-verb"),
        pytest.param("Transmogrify the file", False, id="unknown-verb"),
        pytest.param("the timeout of the service", True, id="no-verb"),
        pytest.param("Elimina el archivo", False, id="another-language"),
        pytest.param("ファイルを消してください", False, id="japanese"),
        pytest.param("把文件搞一下", False, id="unknown-verb-zh"),
    ],
)
def test_a_clause_says_whether_it_was_understood(task: str, understood: bool) -> None:
    (clause,) = clauses_of(task)

    assert clause.understood is understood


def test_words_in_quotes_are_no_orders() -> None:
    """A quoted sentence is an object, not a second clause."""
    clauses = clauses_of('Write "delete it. then stop" to a.md')

    assert [clause.act for clause in clauses] == ["write"]


@pytest.mark.parametrize(
    ("task", "text", "regex"),
    [
        pytest.param("Where is MAX_RETRIES set?", "MAX_RETRIES", False, id="identifier"),
        pytest.param('Find "order paid twice"', "order paid twice", False, id="quoted"),
        pytest.param("Who calls a_b() or c_d?", "a_b|c_d", True, id="several"),
        pytest.param("Which error classes are there?", r"\b(?:class)\s+\w*[Ee]rror", True, id="definitions-of-a-kind"),
        pytest.param("定义了哪些错误类？", r"\b(?:class)\s+\w*Error", True, id="definitions-of-a-kind-zh"),
    ],
)
def test_what_to_search_for(task: str, text: str, regex: bool) -> None:
    pattern = search_pattern(task)

    assert pattern is not None
    assert (pattern.text, pattern.regex) == (text, regex)


def test_a_task_without_names_has_nothing_to_search_for() -> None:
    assert search_pattern("Which classes are there?") is None
    assert search_pattern("What is the refund policy?") is None


def test_words_have_one_form() -> None:
    assert {root(word) for word in ("define", "defines", "defined", "defining")} == {"defin"}
    assert (verb_act("wrote"), verb_act("copied"), verb_act("table")) == ("write", "write", None)
    assert (phrase_act("turn the lights off"), phrase_act("turn around")) == ("stop", None)
    assert terms("The totalOf function of the 订单服务") == {"total", "function", "订单", "服务"}


def test_a_chinese_question_finds_an_english_line() -> None:
    assert share(terms("超时是多少？"), "timeout_seconds: 120") == 1.0
    assert share(terms("超时是多少？"), "port: 80") == 0.0


@pytest.mark.parametrize(
    ("task", "talk", "knowledge"),
    [
        pytest.param("Thanks a lot!", True, False, id="thanks"),
        pytest.param("(3 + 4) * 2", True, False, id="arithmetic"),
        pytest.param("讲个笑话", True, False, id="made-up"),
        pytest.param("What is the capital of Peru?", False, True, id="knowledge"),
        pytest.param("What does main.py do?", False, False, id="a-file"),
        pytest.param("Write a joke to joke.txt", False, False, id="made-up-but-written"),
    ],
)
def test_what_needs_no_look_at_anything(task: str, talk: bool, knowledge: bool) -> None:
    assert is_small_talk(task) is talk
    assert asks_general_knowledge(task) is knowledge


def test_a_file_of_tests_is_known_by_its_name() -> None:
    assert all(map(is_test, ("a_test.go", "test_a.py", "a.spec.ts", "tests/a.py")))
    assert not any(map(is_test, ("latest.py", "contest/a.py")))


@settings(max_examples=150, deadline=None)
@given(st.text(max_size=200), st.lists(st.text(min_size=1, max_size=20), max_size=4))
def test_any_task_is_read(task: str, known: list[str]) -> None:
    assert isinstance(goals_of(task, known), tuple)
    assert search_pattern(task) is None or search_pattern(task)
