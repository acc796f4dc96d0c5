"""What a text names, in English and in Chinese."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from interlock.tools.mentions import find_named, language, mentions, normal_number, numbers, stem


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        pytest.param("Copy f from alpha.ts into src/new/summary.ts.", ("alpha.ts", "src/new/summary.ts"), id="files"),
        pytest.param("Move a.pdf to reports/2026/ now", ("a.pdf", "reports/2026/"), id="a-folder-keeps-its-slash"),
        pytest.param("See src/api and either/or", ("src/api",), id="a-usual-folder"),
        pytest.param(
            "Write '/etc/passwd', ~/.bashrc and ../b.md", ("/etc/passwd", "~/.bashrc", "../b.md"), id="outside"
        ),
        pytest.param("C:\\Windows\\x.ini", ("C:\\Windows\\x.ini",), id="drive"),
        pytest.param("Delete .env and .gitignore", (".env", ".gitignore"), id="hidden"),
        pytest.param("src/alpha.ts:13: x", ("src/alpha.ts",), id="with-a-line-number"),
        pytest.param("读一下notes.md里的内容", ("notes.md",), id="between-chinese-words"),
        pytest.param("把report.md移到archive/下", ("report.md", "archive/"), id="two-in-one-run"),
        pytest.param("看看配置.yaml", ("配置.yaml",), id="a-chinese-name"),
        pytest.param("把 notes/客户反馈.md 写好", ("notes/客户反馈.md",), id="a-chinese-name-in-a-folder"),
        pytest.param("e.g. Node.js 1.2.3 at 3.14, mail a@b.example", (), id="no-paths"),
    ],
)
def test_paths_are_found_as_written(text: str, paths: tuple[str, ...]) -> None:
    assert mentions(text).paths == paths


def test_everything_else_a_text_names_is_told_apart() -> None:
    """A path holds no identifier, an identifier no number."""
    found = mentions('Does `foo_bar()` or parseAll send INV-0342 and "two words" to a@b.example, 1,240.50 EUR?')

    assert found.identifiers == ("foo_bar", "parseAll", "INV-0342")
    assert found.quoted == ("foo_bar()", "two words")
    assert found.addresses == ("a@b.example",)
    assert found.numbers == ("1240.5",)


def test_names_of_products_are_no_identifiers() -> None:
    assert mentions("Is it TypeScript or JavaScript on GitHub?").identifiers == ()


@pytest.mark.parametrize(
    ("written", "normal"),
    [
        pytest.param("1,204", ("1204",), id="grouped"),
        pytest.param("49.00", ("49",), id="trailing-zeros"),
        pytest.param("007", ("7",), id="leading-zeros"),
        pytest.param("3,5", ("3", "5"), id="a-comma-that-does-not-group"),
        pytest.param("1.2.3", ("1.2.3",), id="a-version"),
    ],
)
def test_numbers_have_one_spelling(written: str, normal: tuple[str, ...]) -> None:
    assert normal_number(written) == normal
    assert numbers(f"x {written} y") == normal


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("What is in 说明.md?", "en", id="a-chinese-name-in-english"),
        pytest.param("README.md 的标题是什么？", "zh", id="a-latin-name-in-chinese"),
        pytest.param("解释 parse_date", "zh", id="an-identifier-in-chinese"),
        pytest.param("", "en", id="nothing"),
        pytest.param("“你好”", "zh", id="only-a-quote"),
    ],
)
def test_the_language_is_that_of_the_words_around_names(text: str, expected: str) -> None:
    assert language(text) == expected


def test_known_names_are_found_in_the_order_of_the_text() -> None:
    """By path or by last part; a folder in front of the name must agree."""
    known = ["test/x.yaml", "a/dev.yaml", "prod/x.yaml", "Makefile", "make"]

    assert find_named("compare prod/x.yaml with dev.yaml and the Makefile", known) == (
        "prod/x.yaml",
        "a/dev.yaml",
        "Makefile",
    )


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        pytest.param("a/b_test.go", "b_test", id="extension"),
        pytest.param(".env", ".env", id="hidden"),
        pytest.param("a/b/", "b", id="folder"),
    ],
)
def test_a_stem_is_the_name_without_its_extension(path: str, expected: str) -> None:
    assert stem(path) == expected


@settings(max_examples=150, deadline=None)
@given(st.text(max_size=300))
def test_any_text_is_read(text: str) -> None:
    found = mentions(text)

    assert language(text) in {"en", "zh"}
    assert all(path in text for path in found.paths)
    assert find_named(text, found.paths) is not None


def test_a_word_without_end_names_nothing() -> None:
    """A run of letters that is longer than any name is skipped, however long it is."""
    assert mentions("a" * 200_000 + ".b") == mentions("")
