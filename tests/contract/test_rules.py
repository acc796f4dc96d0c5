"""Rules of the format beyond the one broken file of each code: the exact place, the fix, and what is let through."""

from __future__ import annotations

import dataclasses

import pytest

from interlock.contract import Capabilities, CheckResult, check_contract, compile_contract
from interlock.contract.fix import apply_edits
from interlock.diagnostics import Diagnostic


def changed(text: str, old: str, new: str, host: Capabilities | None) -> CheckResult:
    assert text.count(old) == 1, f"`{old}` stands {text.count(old)} times"
    return check_contract(text.replace(old, new), host)


def brief(found: Diagnostic) -> tuple[str, int, int]:
    return found.code, found.span.line, found.span.column


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        pytest.param("prob:done>=0.6→answer", "prob:done >= 0.6 → answer", id="no-spaces"),
        pytest.param("prob:done >= .6 -> answer", "prob:done >= 0.6 → answer", id="short-number-and-ascii-arrow"),
        pytest.param("prob:done   <  0.250 → answer", "prob:done < 0.25 → answer", id="wide-spaces"),
        pytest.param("top >= 1 → answer", "top >= 1 → answer", id="top-at-one"),
        pytest.param("top < 00.75 → escalate", "top < 0.75 → escalate", id="leading-zero"),
        pytest.param("prob:done >= 1.0 → answer <!-- why -->", "prob:done >= 1 → answer", id="comment-behind"),
    ],
)
def test_one_rule_has_one_canonical_spelling(rule: str, expected: str, minimal: str, host: Capabilities) -> None:
    """Spaces, the ASCII arrow and comments are no part of the meaning."""
    contract = compile_contract(minimal.replace("prob:done >= 0.6 → answer", rule), host)

    assert contract.decisions["done"].policy.rules[0].text == expected


@pytest.mark.parametrize(
    ("rule", "code", "column"),
    [
        pytest.param("prob:done >= 0.6 → → answer", "unknown-predicate", 5, id="arrow-twice"),
        pytest.param("prob:done >= >= 0.6 → answer", "unknown-predicate", 5, id="comparison-twice"),
        pytest.param("prob:done > = 0.6 → answer", "unknown-predicate", 5, id="comparison-apart"),
        pytest.param("prob:done >= 0.6 0.6 → answer", "unknown-predicate", 5, id="number-twice"),
        pytest.param("prob: done >= 0.6 → answer", "unknown-predicate", 5, id="space-behind-the-colon"),
        pytest.param("Prob:done >= 0.6 → answer", "unknown-predicate", 5, id="capital"),
        pytest.param("top:done >= 0.6 → answer", "unknown-predicate", 5, id="top-with-an-id"),
        pytest.param("prob:done >= 0.6 and top >= 0.9 → answer", "unknown-predicate", 5, id="and"),
        pytest.param("else else → answer", "unknown-predicate", 5, id="else-twice"),
        pytest.param("- else → answer", "unknown-predicate", 5, id="sign-twice"),
        pytest.param("prob:done >= 0.6 → answer → answer", "unknown-predicate", 5, id="action-twice"),
        pytest.param("prob:done <= 0.6 → answer", "unknown-comparison", 15, id="at-most"),
        pytest.param("prob:done == 0.6 → answer", "unknown-comparison", 15, id="equals"),
        pytest.param("prob:done ≥ 0.6 → answer", "unknown-comparison", 15, id="one-sign"),
        pytest.param("prob:done >= 6e-1 → answer", "malformed-threshold", 18, id="exponent"),
        pytest.param("prob:done >= 0_6 → answer", "malformed-threshold", 18, id="underscore"),
        pytest.param("prob:done >= 0. → answer", "malformed-threshold", 18, id="nothing-behind-the-point"),
        pytest.param("prob:done >= +0.6 → answer", "malformed-threshold", 18, id="plus"),
        pytest.param("prob:done >= ０.6 → answer", "malformed-threshold", 18, id="full-width-digit"),
        pytest.param("prob:done >= nan → answer", "malformed-threshold", 18, id="not-a-number"),
        pytest.param("prob:done >= inf → answer", "malformed-threshold", 18, id="infinite"),
        pytest.param(f"prob:done >= {'9' * 400} → answer", "threshold-out-of-range", 18, id="more-than-a-float"),
        pytest.param("prob:done >= -0.6 → answer", "threshold-out-of-range", 18, id="below-zero"),
        pytest.param("prob:done >= 1.01 → answer", "threshold-out-of-range", 18, id="above-one"),
        pytest.param("prob:done < 0 → answer", "constant-predicate", 17, id="never-below-zero"),
        pytest.param("prob:done >= -0.0 → answer", "constant-predicate", 18, id="negative-zero"),
        pytest.param("top >= 0.5 → answer", "constant-predicate", 12, id="top-of-a-noul-is-at-least-a-half"),
        pytest.param("top < 0.4 → answer", "constant-predicate", 11, id="top-of-a-noul-is-never-less"),
        pytest.param("score:done >= 0.6 → answer", "wrong-question-type", 5, id="score-of-a-noul"),
        pytest.param("picked:done = true → answer", "wrong-question-type", 5, id="picked-of-a-noul"),
        pytest.param("picked:other = true → answer", "unknown-question", 12, id="picked-of-nothing"),
        pytest.param("prob:done >= 0.6 → Answer", "unknown-action", 24, id="action-in-another-case"),
        pytest.param("prob:done >= 0.6 → host:park", "unhandled-action", 24, id="action-of-another-position"),
        pytest.param("prob:done >= 0.6 → `answer`", "unknown-action", 24, id="action-in-code"),
        pytest.param("prob:done >= 0.6 ⇒ answer", "missing-arrow", 5, id="other-arrow"),
        pytest.param("prob:done >= 0.6", "missing-arrow", 5, id="no-arrow"),
    ],
)
def test_a_rule_is_read_as_written_or_not_at_all(
    rule: str, code: str, column: int, minimal: str, host: Capabilities
) -> None:
    """No spelling of a gate compiles to another gate."""
    result = changed(minimal, "prob:done >= 0.6 → answer", rule, host)

    assert [brief(item) for item in result.diagnostics] == [(code, 23, column)]
    assert result.contract is None


@pytest.mark.parametrize(
    ("rule", "code", "column"),
    [
        pytest.param("picked:route = park", None, 0, id="as-written"),
        pytest.param("picked:route=park", None, 0, id="no-spaces"),
        pytest.param("picked:route = Park", "unknown-option", 20, id="another-case"),
        pytest.param("picked:route = park park", "unknown-option", 20, id="twice"),
        pytest.param("picked:route == park", "unknown-comparison", 18, id="doubled-sign"),
        pytest.param("picked:route = = park", "unknown-comparison", 18, id="sign-twice"),
        pytest.param("picked:route >= park", "unknown-predicate", 5, id="another-sign"),
        pytest.param("picked:route park", "unknown-predicate", 5, id="no-sign"),
        pytest.param("picked = park", "unknown-predicate", 5, id="no-question"),
        pytest.param("prob:route >= 0.6", "wrong-question-type", 5, id="prob-of-a-choice"),
    ],
)
def test_picked_names_an_option_byte_for_byte(
    rule: str, code: str | None, column: int, every_kind: str, host: Capabilities
) -> None:
    """A look-alike is another option."""
    line = every_kind[: every_kind.index("picked:route")].count("\n") + 1
    result = changed(every_kind, "picked:route = park", rule, host)

    assert [brief(item) for item in result.diagnostics] == ([] if code is None else [(code, line, column)])


def test_top_of_nothing_says_what_is_missing_and_no_more(minimal: str, host: Capabilities) -> None:
    """A decision without a question has its own finding."""
    ask = minimal[minimal.index("ask:") : minimal.index("frame:")]
    text = minimal.replace(ask, "").replace("prob:done", "top")

    assert [item.code for item in check_contract(text, host).diagnostics] == ["question-count"]


def test_tiers_are_compared_per_question_and_comparison(every_kind: str, host: Capabilities) -> None:
    """`<` goes up, `>=` goes down, and the two do not meet."""
    rules = "  - prob:allowed < 0.2 → ask_human\n  - prob:allowed < 0.4 → auto_audit\n"
    good = changed(every_kind, "  - prob:allowed < 0.5 → ask_human\n", rules, host)
    bad = changed(every_kind, "  - prob:allowed < 0.5 → ask_human\n", rules.replace("0.2", "0.4001"), host)

    assert good.verdict == "ok"
    assert [item.code for item in bad.diagnostics] == ["unordered-tiers"]


@pytest.mark.parametrize(
    ("text", "position", "purpose", "codes"),
    [
        pytest.param("step-start", "step-start", None, [], id="no-purpose"),
        pytest.param("step-start —— a —— b", "step-start", "a —— b", [], id="first-sign-counts"),
        pytest.param("step-start -- a", "step-start", "a", [], id="ascii-sign"),
        pytest.param("step-start --", "step-start", None, [], id="sign-without-a-purpose"),
        pytest.param("step-start——a", "step-start", "a", [], id="no-spaces"),
        pytest.param("step-start (a)", None, None, ["leftover-position"], id="leftover"),
        pytest.param("step-start a —— b", None, None, ["leftover-position"], id="leftover-before-the-purpose"),
        pytest.param("host:nowhere —— a", None, None, ["unknown-position"], id="unknown-host-position"),
        pytest.param("Step-start", None, None, ["unknown-position"], id="another-case"),
        pytest.param("—— a", None, None, ["missing-when"], id="purpose-alone"),
        pytest.param("", None, None, ["missing-when"], id="nothing"),
    ],
)
def test_a_position_is_one_word(
    text: str, position: str | None, purpose: str | None, codes: list[str], *, minimal: str, host: Capabilities
) -> None:
    """What follows the first reason sign is for people."""
    result = changed(minimal, "step-start —— before every step", text, host)

    assert [item.code for item in result.diagnostics] == codes
    if result.contract is not None:
        decision = result.contract.decisions["done"]
        assert (decision.position, decision.purpose) == (position, purpose)


@pytest.mark.parametrize(
    ("line", "codes"),
    [
        pytest.param("+ output 300 outputMaybe——why", [], id="no-spaces"),
        pytest.param("+ output 300 outputMaybe -- why", [], id="ascii-sign"),
        pytest.param("+ output\t300\toutputMaybe\t--\twhy", [], id="tabs"),
        pytest.param("+ anything 300 outputMaybe —— why", [], id="another-name"),
        pytest.param("- output —— why", [], id="excluded"),
        pytest.param("+ out--put 300 outputMaybe —— why", [], id="hyphens-without-spaces-are-no-sign"),
        pytest.param("+ —— why", ["unaccounted-cell", "missing-field"], id="nothing-but-a-reason"),
        pytest.param("+ output 0 outputMaybe —— why", ["missing-bound"], id="zero"),
        pytest.param("+ output -3 outputMaybe —— why", ["missing-bound"], id="negative"),
        pytest.param("+ output 3.5 outputMaybe —— why", ["missing-bound"], id="fraction"),
        pytest.param(f"+ output {'9' * 5000} outputMaybe —— why", ["missing-bound"], id="endless"),
        pytest.param("+ output outputMaybe 300 —— why", ["missing-bound"], id="swapped"),
        pytest.param("+ output 300 outputMaybe", ["missing-reason"], id="no-reason"),
        pytest.param("+ output 300 outputMaybe ——", ["missing-reason"], id="sign-without-a-reason"),
        pytest.param("+ output 300 outputMaybe --", ["missing-reason"], id="ascii-sign-without-a-reason"),
        pytest.param("+ output 300 outputMaybe — why", ["missing-reason", "leftover-field"], id="one-dash"),
        pytest.param("- output 300 —— why", ["leftover-field"], id="exclusion-with-a-bound"),
        pytest.param("+ outputs 300 —— why", ["unknown-cell"], id="unknown-cell"),
        pytest.param("+ zzz 300 —— why", ["unaccounted-cell", "unknown-cell"], id="unlike-any-cell"),
        pytest.param("+ output 300 zzz —— why", ["unaccounted-cell", "unknown-projection"], id="unlike-any-projection"),
        pytest.param("- zzz —— why", ["unaccounted-cell", "unknown-cell"], id="exclusion-unlike-any-cell"),
    ],
)
def test_a_line_of_a_frame_is_complete(line: str, codes: list[str], minimal: str, host: Capabilities) -> None:
    """One mistake gives one finding: a misspelt name does not report its cell as missing too."""
    result = changed(minimal, "+ output 300 outputMaybe —— what happened last", line, host)

    assert [item.code for item in result.diagnostics] == codes


@pytest.mark.parametrize(
    ("line", "codes"),
    [
        pytest.param("fileOptions(ctx:files,canWrite)->candidates -- why", [], id="tight-and-ascii"),
        pytest.param("fileOptions ( ctx : canWrite , files ) → candidates —— why", [], id="wide-in-another-order"),
        pytest.param("fileOptions(ctx: files, canWrite) → —— why", ["malformed-dynamic"], id="no-output"),
        pytest.param("fileOptions(ctx: files canWrite) → candidates —— why", [], id="spaces-for-commas"),
        pytest.param("fileOptions(ctx: files, canWrite,) → candidates —— why", [], id="comma-at-the-end"),
        pytest.param("fileOptions(ctx: ,) → candidates —— why", ["malformed-dynamic"], id="no-name"),
        pytest.param("fileOptions(files, canWrite) → candidates —— why", ["malformed-dynamic"], id="no-ctx"),
        pytest.param("fileOptions → candidates —— why", ["malformed-dynamic"], id="no-call"),
        pytest.param("", ["malformed-dynamic"], id="nothing"),
        pytest.param(
            "fileOptions(ctx: files, canwrite) → candidates —— w", ["undeclared-read", "unknown-cell"], id="c"
        ),
        pytest.param("zzz(ctx: files, nowhere) → candidates —— w", ["unknown-provider", "unknown-cell"], id="unknown"),
    ],
)
def test_a_provider_is_called_with_the_cells_it_reads(
    line: str, codes: list[str], every_kind: str, host: Capabilities
) -> None:
    """Both ways: what it reads is said, and what is said it reads."""
    old = "fileOptions(ctx: files, canWrite) → candidates —— listed anew every step"
    result = changed(every_kind, old, line, host)

    assert [item.code for item in result.diagnostics] == codes


@pytest.mark.parametrize(
    ("old", "new", "codes"),
    [
        pytest.param(
            "- true — nothing", "- True — nothing", ["kind-mismatch", "wrong-question-type"], id="capital-true"
        ),
        pytest.param("- true — nothing is left to do\n", "", ["kind-mismatch", "wrong-question-type"], id="one-of-two"),
        pytest.param("- false", "- maybe — unclear\n- false", ["kind-mismatch", "wrong-question-type"], id="a-third"),
        pytest.param("kind: noul", "kind: rule", ["rule-with-question"], id="rule"),
        pytest.param("kind: noul", "kind: Noul", ["unknown-kind"], id="capital-kind"),
        pytest.param("kind: noul", "kind: noul or so", ["unknown-kind"], id="more-words"),
        pytest.param("kind: noul", "kind:", ["unknown-kind"], id="no-kind"),
        pytest.param("- false —", "- false - ", ["mixed-options"], id="a-hyphen-is-no-dash"),
        pytest.param("- false —", "- — ", ["empty-option"], id="no-name"),
        pytest.param("## done", "## needs work", ["bad-id"], id="two-words"),
        pytest.param("## done", "## a.b", ["bad-id"], id="a-point"),
    ],
)
def test_the_options_make_the_type(old: str, new: str, codes: list[str], minimal: str, host: Capabilities) -> None:
    """A kind never falls back to another one."""
    text = minimal.replace("prob:done", "top") if "bad-id" in codes else minimal
    found = [item.code for item in changed(text, old, new, host).diagnostics]

    assert [code for code in found if code in codes] == codes


def test_look_alike_labels_collide_after_folding(every_kind: str, host: Capabilities) -> None:
    """Composed and decomposed accents, case and doubled spaces."""
    options = "- café — a\n- cafe\u0301 — b\n- A  b — c\n- a B — d\n"
    result = changed(every_kind, "- reject — it is none of ours\n", options, host)

    assert [item.code for item in result.diagnostics] == ["label-collision"] * 2


def test_a_separator_is_the_first_dash_between_spaces(every_kind: str, host: Capabilities) -> None:
    """Hyphens, tight dashes and doubled dashes belong to the name."""
    options = "- re-ject—now —— then — it -- is — none\n- drop -- a — b\n"
    contract = compile_contract(every_kind.replace("- reject — it is none of ours\n", options), host)
    question = contract.decisions["route"].questions["route"]

    assert list(dataclasses.asdict(question)["criteria"].items())[2:] == [
        ("re-ject—now —— then", "it -- is — none"),
        ("drop", "a — b"),
    ]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param("## done", "##done", id="heading"),
        pytest.param("kind: noul", "kind：noul", id="full-width-colon"),
        pytest.param("policy:", "  policy ：", id="full-width-colon-of-a-list"),
        pytest.param("step-start ——", "step-start —", id="one-dash-after-a-position"),
        pytest.param("0.6 → answer", "0.6 => answer", id="arrow"),
        pytest.param(">= 0.6", "≥ 0.6", id="comparison"),
        pytest.param("  - else", "  else", id="sign-of-an-item"),
    ],
)
def test_a_safe_fix_gives_the_contract_that_was_meant(old: str, new: str, minimal: str, host: Capabilities) -> None:
    """One edit, no question to ask."""
    result = changed(minimal, old, new, host)

    assert len(result.diagnostics) == 1
    fixed = apply_edits(minimal.replace(old, new), result.diagnostics)
    assert compile_contract(fixed, host).digest == compile_contract(minimal, host).digest


def test_a_host_floor_wants_its_score(every_kind: str, host: Capabilities) -> None:
    """A renamed question would lose its floor in silence."""
    renamed = every_kind.replace("### risk", "### hazard").replace("score:risk", "score:hazard")

    assert [item.code for item in check_contract(renamed, host).diagnostics] == ["unused-floor"]


def test_a_missing_answer_asks_only_where_a_person_can_be_asked(every_kind: str, host: Capabilities) -> None:
    """Before a call; everywhere else, and with a host that asks nobody there, it escalates."""
    silent = dataclasses.replace(host, positions={**host.positions, "before-call": ("auto",)})
    contract = compile_contract(every_kind, host)
    rule = "# t\nschema: decision-contract/v1\n## within_budget\nkind: rule\nwhen: before-call\n"

    assert {name: decision.policy.on_missing for name, decision in contract.decisions.items()} == {
        "done": "escalate",
        "within_budget": "escalate",
        "grade": "ask_human",
        "route": "escalate",
        "pick_file": "escalate",
        "effort": "escalate",
    }
    assert compile_contract(rule, host).decisions["within_budget"].policy.rules[0].action == "ask_human"
    assert compile_contract(rule, silent).decisions["within_budget"].policy.rules[0].text == "else → escalate"


def test_a_host_with_very_many_names_does_not_list_them(minimal: str, host: Capabilities) -> None:
    """A message stays one line."""
    crowd = dataclasses.replace(host, positions={f"host:p{n}": ("answer",) for n in range(100)})
    found = check_contract(minimal, crowd).diagnostics[0]

    assert (found.code, found.fix) == ("unknown-position", "write one of the 100 declared names")
