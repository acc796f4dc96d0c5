"""Lines: what is read, what is prose, and where a finding points."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from interlock.contract import Capabilities, check_contract, compile_contract
from interlock.contract.findings import Findings
from interlock.contract.sections import read_document
from interlock.contract.syntax import MASK, MAX_CHARS, scan

MARKS = st.sampled_from(
    ["```", "~~~", "````", "<!--", "-->", "`", "\n", "\r\n", "\r", " ", "x", "##", "\ufeff", "\ud800"]
)


def codes(text: str, host: Capabilities) -> list[str]:
    return [item.code for item in check_contract(text, host).diagnostics]


@given(st.lists(MARKS, max_size=30).map("".join))
def test_the_lines_are_the_text_again(text: str) -> None:
    """Formatting and fixing change one line and keep every other byte."""
    source = scan(text, Findings())

    assert source.text(source.lines) == text
    assert len(source.readable) == len(source.lines)
    assert all(len(readable) in (0, len(line)) for readable, line in zip(source.readable, source.lines, strict=True))


@pytest.mark.parametrize(
    ("lines", "readable"),
    [
        pytest.param(["```", "a", "```", "b"], ["", "", "", "b"], id="fence"),
        pytest.param(["  ~~~ text", "```", "a", "~~~~", "b"], ["", "", "", "", "b"], id="longer-close-of-another-sign"),
        pytest.param(["````", "```", "````", "b"], ["", "", "", "b"], id="shorter-run-does-not-close"),
        pytest.param(["```", "``` x", "```", "b"], ["", "", "", "b"], id="text-after-the-run-does-not-close"),
        pytest.param(["```code``` here", "b"], ["```code``` here", "b"], id="backticks-in-a-line"),
        pytest.param(["say ``` here", "b"], ["say ``` here", "b"], id="backticks-inside-a-line"),
        pytest.param(["a<!-- b -->c", "d"], ["a" + MASK * 10 + "c", "d"], id="comment-in-a-line"),
        pytest.param(["a <!-- b", "c", "d -->e"], ["a " + MASK * 6, MASK, MASK * 5 + "e"], id="comment-over-lines"),
        pytest.param(["`<!--` a", "b"], ["`<!--` a", "b"], id="comment-in-code-opens-nothing"),
        pytest.param(["``a`b`` <!--x-->", "b"], ["``a`b`` " + MASK * 8, "b"], id="comment-after-code"),
        pytest.param(["` <!--x--> b"], ["` " + MASK * 8 + " b"], id="lone-backtick"),
        pytest.param(["<!--a-->`<!--`<!--b-->"], [MASK * 8 + "`<!--`" + MASK * 8], id="code-between-comments"),
        pytest.param(["<!--", "```", "-->", "b"], [MASK * 4, MASK * 3, MASK * 3, "b"], id="fence-in-a-comment"),
        pytest.param(["```", "<!--", "```", "b"], ["", "", "", "b"], id="comment-in-a-fence"),
    ],
)
def test_fences_and_comments_hide_what_they_hold(lines: list[str], readable: list[str]) -> None:
    """Columns stay where they are."""
    findings = Findings()

    assert scan("\n".join(lines), findings).readable == readable
    assert not findings.found


@pytest.mark.parametrize(
    ("text", "place"),
    [
        pytest.param("a\n  ```\nb\n```x\n", (2, 3), id="fence"),
        pytest.param("a\nb <!-- c\nd\n", (2, 3), id="comment"),
    ],
)
def test_what_never_closes_is_reported_where_it_opens(text: str, place: tuple[int, int]) -> None:
    """It would hide a gate; the lines below it are read all the same, so that nothing else goes unsaid."""
    findings = Findings()
    source = scan(text, findings)

    assert [(item.span.line, item.span.column) for item in findings.found] == [place]
    assert source.readable[2:] == text.split("\n")[2:]


def test_a_text_that_is_too_long_is_not_read(host: Capabilities) -> None:
    """Ten megabytes are answered at once."""
    result = check_contract("- a\n" * (10_000_000 // 4), host)

    assert [item.code for item in result.diagnostics] == ["too-large"]
    assert str(MAX_CHARS) in (result.diagnostics[0].fix or "")
    assert (result.schema, result.verdict, result.decisions) == (None, "error", 0)


def test_places_count_characters_from_one(minimal: str, host: Capabilities) -> None:
    """Also behind a byte order mark, wide characters and tabs."""
    text = "\ufeff" + minimal.replace("  - else → use_tool", "\t-\t else → 使用")
    found = check_contract(text, host).diagnostics

    assert [(item.code, item.span.line, item.span.column, item.span.end_column) for item in found] == [
        ("unknown-action", 24, 12, 14)
    ]


def test_an_entry_knows_its_places() -> None:
    """The mark, the text and the end of both, for keys, items and headings."""
    text = "# t\n##  d \n  Kind :  noul <!-- x -->\nask:\n-  a — b\n"
    block = read_document(scan(text, Findings()), Findings()).blocks[0]
    kind, question = block.keys["kind"], block.questions[0]
    assert question.ask is not None

    assert (block.heading.column, block.heading.text_column, block.heading.width) == (1, 5, 5)
    assert (kind.mark, kind.text, kind.column, kind.text_column) == ("kind", "noul", 3, 11)
    assert (question.ask.text, question.ask.text_column) == ("", 5)
    assert (question.options[0].text, question.options[0].text_column) == ("a — b", 4)


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        pytest.param("policy:\n", "policy:\n\n", ["item-outside-list"] * 2, id="blank-line-below-the-key"),
        pytest.param("answer\n", "answer\nprose\n", ["continued-line", "item-outside-list"], id="prose-in-a-list"),
        pytest.param("  - prob", "  + prob", ["malformed-item"], id="sign-of-a-frame-in-a-policy"),
        pytest.param("  - draft", "  * draft", ["malformed-item"], id="sign-of-a-policy-in-a-frame"),
        pytest.param("  - draft", "  draft", ["malformed-item"], id="exclusion-without-its-sign"),
        pytest.param("  - draft", "  -draft", ["malformed-item"], id="sign-without-a-space"),
        pytest.param("  - else", "  else", ["malformed-item"], id="else-without-its-sign"),
        pytest.param("  - else", "  -else", ["malformed-item"], id="else-with-a-glued-sign"),
        pytest.param("  - prob:done", "  top", ["malformed-item"], id="first-rule-without-its-sign"),
        pytest.param(
            "- true",
            "+ true",
            ["item-outside-list", "kind-mismatch", "wrong-question-type"],
            id="plus-sign-among-options",
        ),
        pytest.param("\n## gen", "\n- a bullet\n\n## gen", ["item-outside-list"], id="bullet-after-the-policy"),
        pytest.param("\n## gen", "\n+ a bullet\n\n## gen", ["item-outside-list"], id="plus-bullet-after-the-policy"),
        pytest.param("use_tool\n", "use_tool\n-\n", ["empty-item"], id="empty-rule"),
        pytest.param("## done", "##", ["malformed-heading", "unknown-question"], id="heading-without-text"),
        pytest.param("ask:", "###\nask:", ["malformed-heading", "unknown-question"], id="question-without-text"),
        pytest.param("ask:", "###q\nask:", ["malformed-heading", "unknown-question"], id="question-without-space"),
        pytest.param("policy:\n", "policy\n", ["malformed-key"], id="policy-without-its-colon"),
        pytest.param("frame:\n", "frame -\n", ["malformed-key"], id="frame-without-its-colon"),
        pytest.param("kind: noul", "kind noul", ["malformed-key"], id="kind-without-its-colon"),
        pytest.param("kind: noul", "kind = noul", ["malformed-key"], id="kind-with-another-sign"),
        pytest.param("kind: noul", "kind：noul", ["malformed-key"], id="full-width-colon"),
        pytest.param(
            "ask:",
            "dynamic fileOptions(ctx: files, canWrite) → candidates —— x\nask:",
            ["malformed-key", "dynamic-without-choice"],
            id="lost-dynamic",
        ),
        pytest.param("kind: noul", "why: because\nkind: noul", ["unknown-key"], id="unknown-key"),
        pytest.param("kind: noul", "http://example.org\nkind: noul", ["unknown-key"], id="address-at-line-start"),
        pytest.param(
            "frame:\n",
            "frame:\n  + task 9 —— x\n\nframe:\n",
            ["unaccounted-cell"] * 4 + ["duplicate-key"],
            id="frame-twice",
        ),
        pytest.param("kind: noul\n", "kind: noul\nKIND: noul\n", ["duplicate-key"], id="key-twice-in-another-case"),
        pytest.param("ask:", "ask: once\nask:", ["duplicate-key"], id="ask-twice"),
        pytest.param("schema:", "schema: decision-contract/v1\nschema:", ["duplicate-key"], id="schema-twice"),
        pytest.param("use_tool\n", "use_tool\nmore\n", ["continued-line"], id="prose-below-a-policy"),
        pytest.param("written later\n", "written later\nmore\n", ["continued-line"], id="prose-below-a-frame"),
        pytest.param("is missing\n", "is missing\nmore\n", ["continued-line"], id="prose-below-an-option"),
        pytest.param("every step\n", "every step\nmore\n", ["continued-line"], id="prose-below-a-position"),
        pytest.param("later\n", "later\nnot -- this\n", ["malformed-item"], id="prose-with-the-sign-of-a-reason"),
    ],
)
def test_a_line_that_could_be_lost_is_reported(
    old: str, new: str, expected: list[str], minimal: str, host: Capabilities
) -> None:
    """A gate must never turn into prose without a word."""
    assert minimal.count(old) == 1

    assert codes(minimal.replace(old, new), host) == expected


@pytest.mark.parametrize(
    "prose",
    [
        "Prose with **emphasis**, `code` and a → sign.",
        "**Note:** a bold word before a colon.",
        "> kind: score",
        "| kind: | score |",
        "注意：这里没有键。",
        "12:30 is a time.",
        "1. kind: score",
        "# A title",
        "#### kind: score",
        "#kind: score",
        "---",
        "***",
        "* * *",
        "- - -",
        "-dash without a space",
        "*emphasis* at the start",
        "```\npolicy:\n  - else → nowhere\n```",
        "~~~\n## hidden\n~~~",
        "<!-- ## hidden -->",
        "<!--\nkind: score\n-->",
        "    a deep indentation",
    ],
)
def test_prose_changes_nothing(prose: str, minimal: str, host: Capabilities) -> None:
    """Set apart by blank lines it may stand anywhere."""
    original = compile_contract(minimal, host)
    for place in ("kind:", "ask:", "- true", "frame:", "policy:", "## generator"):
        changed = compile_contract(minimal.replace(place, f"\n{prose}\n\n{place}", 1), host)
        assert changed.digest == original.digest
        assert not changed.diagnostics


@pytest.mark.parametrize(
    "heading", ["## Generator", "## GENERATOR", "## 给生成模型", "##   生成模型", "## System Prompt", "  ## generator"]
)
def test_the_section_for_the_writer_has_four_names(heading: str, minimal: str, host: Capabilities) -> None:
    """In any case."""
    contract = compile_contract(minimal.replace("## generator", heading), host)

    assert contract.generator == "Write the answer from the evidence."


def test_the_section_for_the_writer_is_verbatim(minimal: str, host: Capabilities) -> None:
    """Comments, fences, keys and small headings are its text; line ends are line feeds."""
    body = "  - a list\n\n```\n## code\n```\n\n### part\nkind: word <!-- kept -->"
    text = minimal.replace("Write the answer from the evidence.", f"\n\n{body}\n\n").replace("\n", "\r\n")

    assert compile_contract(text, host).generator == body.strip()


def test_the_section_for_the_writer_may_stand_between_decisions(minimal: str, host: Capabilities) -> None:
    """It ends at the next section."""
    head, writer = minimal.split("## generator")
    text = head.replace("## done", "## generator" + writer + "\n## done")

    assert compile_contract(text, host).digest == compile_contract(minimal, host).digest
