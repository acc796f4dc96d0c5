"""The canonical spelling keeps the meaning and the prose of a contract, and is reached in one step."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from interlock.contract.compile import compile_contract
from interlock.contract.format import format_contract
from interlock.errors import ContractError
from interlock.loop.capabilities import REFERENCE

SHIPPED = (Path(__file__).parents[2] / "src/interlock/contracts/reference.md").read_text(encoding="utf-8")


def meaning(text: str) -> object:
    """What the text compiles to, reasons included, or the codes of its findings and their lines."""
    try:
        contract = compile_contract(text, REFERENCE)
        return contract.digest, contract.decisions
    except ContractError as problem:
        return [(item.code, item.span.line) for item in problem.diagnostics]


def decision(*lines: str) -> str:
    return "\n".join(("# T", "schema: decision-contract/v1", "## d", *lines, ""))


@pytest.mark.parametrize(
    ("line", "canonical"),
    [
        pytest.param("when:step-start -- why", "when: step-start —— why", id="reason-sign"),
        pytest.param("when: step-start——why", "when: step-start —— why", id="reason-sign-without-spaces"),
        pytest.param("  Kind :  noul  ", "  Kind: noul", id="key-as-written"),
        pytest.param("kind: novl", "kind: novl", id="a-wrong-value-stays"),
        pytest.param("when: step-start extra -- why", "when: step-start extra -- why", id="a-wrong-line-stays"),
        pytest.param(
            "dynamic: p( ctx:a,b )->candidates -- why", "dynamic: p(ctx: a, b) → candidates —— why", id="provider"
        ),
        pytest.param("dynamic: p(ctx:a) -> candidates", "dynamic: p(ctx: a) → candidates", id="provider-without-why"),
        pytest.param("dynamic: p -> candidates", "dynamic: p -> candidates", id="malformed-provider-stays"),
        pytest.param("ask:  What  now? ", "ask: What  now?", id="spaces-inside-a-text-stay"),
        pytest.param("* true -- yes -- really", "- true — yes -- really", id="option"),
        pytest.param("  *  a level ", "  - a level", id="level-keeps-its-indent"),
        pytest.param("* --", "* --", id="would-become-a-rule-across-the-page"),
        pytest.param("Some  prose -- and -> more ", "Some  prose -- and -> more ", id="prose"),
        pytest.param("ask: x <!-- a -- note -->", "ask: x <!-- a -- note -->", id="a-line-with-a-comment-stays"),
        pytest.param("| a -- b | c -> d |", "| a -- b | c -> d |", id="table"),
    ],
)
def test_one_line_is_written_canonically(line: str, canonical: str) -> None:
    """Signs and spaces around parts change; texts and what cannot be read do not."""
    assert format_contract(decision(line)) == decision(canonical)


def test_the_columns_of_a_list_are_aligned() -> None:
    """The reasons of a frame and the arrows of a policy stand below each other."""
    untidy = decision(
        "frame:",
        "+ task 400 -- a",
        "     + 名字   0090  earlierMaybe——b",
        "+ broken -- no bound",
        "- cwd -- c",
        "policy:",
        "* prob:d>=0.50->use_tool",
        "- picked:d =  a -> b  → answer",
        "-   else->answer",
    )

    assert format_contract(untidy) == decision(
        "frame:",
        "  + task  400              —— a",
        "  + 名字 0090 earlierMaybe —— b",
        "+ broken -- no bound",
        "  - cwd                    —— c",
        "policy:",
        "  - prob:d >= 0.50    → use_tool",
        "  - picked:d = a -> b → answer",
        "  - else              → answer",
    )


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(decision("```", "* true -- x"), id="unclosed-fence"),
        pytest.param(decision("<!--", "* true -- x"), id="unclosed-comment"),
        pytest.param(decision("* a\rb -- x"), id="bare-carriage-return"),
        pytest.param(decision("* a\0b -- x"), id="control-character"),
        pytest.param("* true -- x\n" * 60_000, id="too-large"),
        pytest.param("", id="empty"),
    ],
)
def test_a_text_that_cannot_be_read_is_left_alone(text: str) -> None:
    """Nothing is lost where lines cannot be told from prose."""
    assert format_contract(text) == text


def test_line_ends_and_byte_order_mark_stay() -> None:
    """A formatter that rewrites every line end hides its own change."""
    text = "\ufeff" + decision("* a -- b", "ask: x").replace("\n", "\r\n")

    assert format_contract(text) == text.replace("* a -- b", "- a — b")


def test_the_writers_section_is_verbatim() -> None:
    """It goes word for word to a model."""
    text = decision("ask: x") + "## generator\n* write -- so\nask:  nothing\n"

    assert format_contract(text) == text


def test_the_shipped_contract_is_canonical() -> None:
    """We write as we say."""
    assert format_contract(SHIPPED) == SHIPPED


MEANING = meaning(SHIPPED)
SPELLINGS = {" —— ": [" —— ", "——", " -- ", "  ——   "], " → ": [" → ", "->", "   →", " -> "], " — ": [" — ", " -- "]}


@st.composite
def respelled(draw: st.DrawFn) -> str:
    """The shipped contract with other signs, spaces, bullets and line ends, which all mean the same."""
    lines, reading = [], True
    for line in SHIPPED.split("\n"):
        reading = reading and line != "## generator"
        lines.append(draw(respelled_line(line)) if reading and draw(st.booleans()) else line)
    return draw(st.sampled_from(["", "\ufeff"])) + draw(st.sampled_from(["\n", "\r\n"])).join(lines)


@st.composite
def respelled_line(draw: st.DrawFn, line: str) -> str:
    """One line that is read, in another spelling; prose as it is."""
    is_rule = " → " in line and line.startswith("  - ")
    is_option = line.startswith("- ")
    if not (is_rule or is_option or line.startswith(("  + ", "  - ", "when:", "dynamic:", "kind:"))):
        return line
    for sign in (" —— ", " → ") if not is_option else (" — ",):
        line = line.replace(sign, draw(st.sampled_from(SPELLINGS[sign])), 1)
    if is_rule or is_option:
        line = line.replace("- ", draw(st.sampled_from(["- ", "* ", "-   "])), 1)
    return draw(st.sampled_from(["", " ", "\t"])) + line + draw(st.sampled_from(["", "  "]))


@settings(max_examples=40, deadline=None)
@given(respelled())
def test_every_spelling_of_one_contract_formats_alike(text: str) -> None:
    """Whatever the spelling, one canonical text comes out, with the meaning of the file that went in."""
    formatted = format_contract(text)

    assert meaning(text) == meaning(formatted) == MEANING
    assert unindented(formatted) == unindented(SHIPPED)


def unindented(text: str) -> list[str]:
    """The lines without the spaces before them, which an author may keep on keys and options."""
    return [line.lstrip() for line in text.removeprefix("\ufeff").replace("\r\n", "\n").split("\n")]


FRAGMENTS = [
    "# T",
    "schema: decision-contract/v1",
    "## d",
    "## e",
    "### q",
    "### r",
    "## generator",
    "kind: noul",
    "kind:score",
    "when: step-start -- a——b",
    "when: before-call",
    "dynamic: toolsFor(ctx:history,files) ->candidates -- w",
    "ask: x -- y",
    "ask: <!--",
    "* true -- a",
    "- false — b",
    "- * - *",
    "* - -",
    "- one",
    "+ one",
    "- x <!-- c --> -- y",
    "\u3000- a -- b",
    "frame:",
    "+ task 9 -- a -- b",
    "+ task  9 earlierMaybe —— c",
    "- cwd——d",
    "- cwd",
    "policy:",
    "- prob:d >=0.7 -> answer",
    "* score:q<1→answer",
    "- picked:q = a → b -> answer",
    "- top >= .9 -> call",
    "top >= 0.9 -> call",
    "* else -> answer",
    "- else",
    "",
    "  ",
    "prose -> with — signs",
    "```",
    "<!-- c -->",
    "-->",
    "* * *",
    "> q",
    "",
]


@settings(max_examples=200, deadline=None)
@given(st.lists(st.sampled_from(FRAGMENTS), max_size=25))
def test_any_pile_of_lines_keeps_its_meaning(pile: list[str]) -> None:
    """Broken files too: the same findings on the same lines, and nothing to format a second time."""
    text = "\n".join(["# T", "schema: decision-contract/v1", "## d", *pile])
    formatted = format_contract(text)

    assert format_contract(formatted) == formatted
    assert meaning(formatted) == meaning(text)
