"""Every code that a diagnostic of a contract can carry, with what it says about the file.

Findings of the compiler stand apart from advice, which only `interlock check` gives.

A code never changes its meaning. Data only; pages are made from it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from interlock.diagnostics import Layer, Severity

__all__ = ["CODES", "LINT_CODES", "Code", "code_of"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Code:
    """What one code stands for."""

    layer: Layer
    severity: Severity
    meaning: str
    """One sentence, the same for every file."""


def _codes(layer: Layer, severity: Severity, meanings: Mapping[str, str]) -> dict[str, Code]:
    return {code: Code(layer=layer, severity=severity, meaning=meaning) for code, meaning in meanings.items()}


_SCHEMA = {
    "missing-schema": "The file names no schema before its first decision.",
    "unknown-schema": "The file names a schema that this release cannot read.",
    "misplaced-schema": "The schema is named inside a decision instead of before the first one.",
}

_TEXT = {
    "too-large": "The text is longer than any contract, so nothing in it was read.",
    "lone-surrogate": "The text holds half of a character.",
    "control-character": "The text holds a control character other than a tab or a line end.",
    "bare-carriage-return": "A line ends with a carriage return alone.",
    "unclosed-fence": "A fenced block has no end, so everything after it would be prose.",
    "unclosed-comment": "A comment has no end, so everything after it would be prose.",
}

_STRUCTURE = {
    "no-decisions": "The file declares no decision.",
    "malformed-heading": "A heading has no space after its signs, or no text.",
    "bad-id": "An id is not one word of letters, digits, `_`, `-` and `:`.",
    "duplicate-decision": "Two decisions have the same id, or ids that look alike.",
    "duplicate-generator": "The file has two sections for the writer.",
    "key-outside-decision": "A key of a decision stands before the first decision.",
    "unknown-key": "A line reads as a key, and no such key exists.",
    "malformed-key": "A line looks like a key without its colon, so it would be prose.",
    "duplicate-key": "A key is written twice where one counts.",
    "value-after-list-key": "A key that opens a list has text on its own line.",
    "item-outside-list": "A list item belongs to no list, because a blank line or prose ended the list before it.",
    "malformed-item": "A line in a list lacks the sign of an item, or has the sign of another list.",
    "empty-item": "A list item has no text.",
}

_QUESTIONS = {
    "missing-kind": "A decision does not say who answers it.",
    "unknown-kind": "The kind is none of the five that exist.",
    "kind-mismatch": "The way the options are written makes the question another type than the kind says.",
    "question-count": "The kind and the number of questions do not fit together.",
    "rule-with-question": "A decision that code answers has a question.",
    "duplicate-question": "Two questions of a decision have the same id, or ids that look alike.",
    "missing-ask": "A question has options and no `ask`.",
    "empty-instructions": "An `ask` has no text.",
    "no-options": "A question has no option and no level.",
    "mixed-options": "Some options of a question are named and others are not.",
    "empty-option": "An option has no name or no criterion beside its dash.",
    "duplicate-option": "Two options of a question have the same name.",
    "label-collision": "Two options of a question have names that look alike.",
    "single-option": "A choice without candidates from code has fewer than two options.",
    "too-few-levels": "A score has fewer than two levels.",
}

_POLICY = {
    "missing-when": "A decision has no position.",
    "leftover-position": "Text stands after the position and is not marked as its purpose.",
    "unknown-position": "The host has no such position.",
    "missing-policy": "A decision has no policy.",
    "missing-arrow": "A rule has no arrow between what must hold and the action.",
    "missing-predicate": "Nothing stands before the arrow of a rule.",
    "missing-action": "Nothing stands after the arrow of a rule.",
    "leftover-action": "Text stands after the action of a rule.",
    "unknown-predicate": "What stands before the arrow is no predicate.",
    "unknown-comparison": "A predicate compares with a sign that does not exist.",
    "malformed-threshold": "A threshold is not a plain decimal number.",
    "threshold-out-of-range": "A threshold lies outside of the values that are compared with it.",
    "constant-predicate": "A predicate can never hold, or always holds.",
    "unknown-question": "A predicate names a question that the decision does not have.",
    "wrong-question-type": "A predicate is aimed at a question of another type.",
    "ambiguous-top": "A `top` stands in a decision with more than one question.",
    "unknown-option": "A rule waits for an option that the question does not have.",
    "unknown-action": "No position of the host handles the action.",
    "unhandled-action": "The position of the decision does not handle the action.",
    "missing-else": "A policy does not end with `else`.",
    "rule-after-else": "A rule stands after `else`, where it can never be reached.",
    "duplicate-predicate": "Two rules of a policy have the same predicate.",
    "unordered-tiers": "Thresholds on one question stand in an order in which a later one cannot be reached.",
    "rule-with-predicate": "A decision that code answers has a rule besides `else`.",
    "unknown-rule": "The host's code answers no decision of that id.",
    "floor-without-score": "The host bounds a question from below that is not a score.",
}

_FRAME = {
    "missing-frame": "A decision goes to a judge, and neither the file nor the host says what the judge sees.",
    "empty-frame": "A frame lists neither a field nor an exclusion.",
    "rule-with-frame": "A decision that code answers has a frame.",
    "missing-field": "A line of a frame names nothing before its reason.",
    "missing-bound": "A field has no bound, or one that is not a positive whole number.",
    "leftover-field": "A line of a frame has more words than it can hold.",
    "missing-reason": "A line of a frame does not say why.",
    "duplicate-field": "Two fields of a frame have the same name.",
    "reserved-field": "A field has the name under which the output of tools is sent.",
    "duplicate-exclusion": "A cell is excluded twice.",
    "unknown-cell": "The host has no such cell.",
    "unknown-projection": "The host has no such projection.",
    "contradiction": "A decision reads a cell that it excludes.",
    "unaccounted-cell": "A cell of the host is neither read by the decision nor excluded with a reason.",
    "malformed-dynamic": "The provider of candidates is not written as a call with the cells it reads.",
    "dynamic-without-choice": "Candidates are provided where no single choice could take them.",
    "unknown-provider": "The host has no such provider of candidates.",
    "unknown-output": "The provider gives something else than the line says.",
    "duplicate-read": "A cell is named twice among those that a provider reads.",
    "undeclared-read": "The provider reads a cell that the line does not name.",
    "unread-cell": "The line names a cell that the provider does not read.",
}

CODES: Mapping[str, Code] = MappingProxyType(
    _codes("schema", "error", _SCHEMA)
    | _codes("syntax", "error", _TEXT | _STRUCTURE | _QUESTIONS)
    | _codes(
        "syntax",
        "warning",
        {
            "missing-title": "The file has no title.",
            "missing-generator": "The file has no section for the writer, so the writer gets the host's default.",
            "continued-line": "Prose follows a line directly and is not part of it.",
            "sibling-reference": "A question names another one by its id, which no model ever sees.",
        },
    )
    | _codes("policy", "error", _POLICY)
    | _codes(
        "policy",
        "warning",
        {
            "unlisted-option": "A rule waits for an option that the file does not list; a provider may still offer it.",
            "uninformative-cut": "A threshold of exactly 0.5 lets an answer without information through.",
            "below-chance": "A threshold on the top probability is lower than an even spread over the options.",
            "unused-floor": "The host bounds a question from below that the decision does not have.",
        },
    )
    | _codes("frame", "error", _FRAME)
    | _codes(
        "frame",
        "warning",
        {"missing-dynamic-reason": "The line does not say why candidates come from code."},
    )
    | _codes("frame", "info", {"unverified-frame": "Cells, projections and providers were not compared with a host."})
    | _codes("policy", "info", {"unverified-policy": "Positions and actions were not compared with a host."})
)
"""Code → what it stands for."""


_WORDING = {
    "compound-question": "A yes or no joins two conditions.",
    "negated-question": "A question asks for what is not so, or negates twice in one sentence.",
    "counting": "A question asks to count, which judges do unreliably.",
    "arithmetic": "A question asks to calculate, which judges do unreliably.",
    "date-order": "A question compares dates, which judges do unreliably.",
    "generation-wording": "A question asks for text, which a judge cannot write.",
    "no-way-out": "A choice has no option for a state that fits none of them.",
    "undescribed-option": "An option says no more than its name, which is then all that a judge reads.",
    "bare-level": "A level of a score is one word or a number.",
    "mixed-scale": "The levels of a score grade more than one thing.",
    "repeated-question": "A question stands twice in the file, word for word.",
    "over-caps": "A question has more options or levels than the judge takes: an error when the judge is named.",
}

_CUTS = {
    "assumed-complement": "Two nouls are cut as if their probabilities summed to 1.",
    "ported-threshold": "One number cuts a noul and a choice between yes and no.",
    "no-escalation-branch": "No rule sends an unsure pick of a choice to a person.",
    "sharpened-menu": "The judge reports one option of a large menu as nearly certain, and a threshold reads it.",
    "confidence-cut": "A threshold reads a number that was not locked for this judge's model.",
    "floating-alias": "The judge's model is an alias that moves without notice: an error when thresholds are locked.",
}

LINT_CODES: Mapping[str, Code] = MappingProxyType(
    _codes("syntax", "warning", _WORDING)
    | _codes(
        "syntax",
        "info",
        {
            "presence-wording": "A question asks whether words are there, which a denial of them satisfies too.",
            "inverted-criteria": "The criterion of `true` describes a no.",
        },
    )
    | _codes("policy", "warning", _CUTS)
    | _codes(
        "policy",
        "info",
        {"order-sensitive": "The judge may pick another option in another order, and no order is checked."},
    )
    | _codes(
        "policy",
        "error",
        {
            "unsafe-fusion": "The judge lets the questions of one request move each other, and a decision has several.",
            "label-only-judge": "The judge gives a label without numbers, and a rule compares one.",
        },
    )
    | _codes(
        "frame",
        "warning",
        {
            "untrusted-into-gate": "Text that others wrote is shown to a decision that lets calls run: a note when a "
            "score of the decision is bounded from below by the host.",
            "frame-too-large": "A frame may be larger than the judge takes: a note from half of that on.",
        },
    )
    | _codes("frame", "info", {"tight-bound": "A field was longer than its bound in one of twenty recorded frames."})
)
"""Code of advice → what it stands for, with its usual severity."""


def code_of(code: str) -> Code:
    """Return what a code stands for, whoever reports it."""
    return CODES[code] if code in CODES else LINT_CODES[code]
