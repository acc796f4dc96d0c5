"""Advice on the options of a choice and the levels of a score.

Source: backends specification, section 11.
"""

from __future__ import annotations

import re

from interlock._text import fold
from interlock.contract.draft import DraftDecision, DraftQuestion
from interlock.contract.findings import Findings, quoted
from interlock.contract.lint.place import at_entry
from interlock.questions import Choice, Score

__all__ = ["advise_on_options"]

_WAY_OUT = frozenset(
    ["none", "other", "others", "unknown", "unclear", "undecided", "unsure", "neither", "nothing", "anything"]
) | frozenset(["done", "skip", "else", "na", "escalate"])
_OUT_WORDS = re.compile(
    r"\b(?:none of|nothing|no (?:other|option|match|such)|anything else|everything else|otherwise|unknown|unclear|"
    r"not (?:stated|clear|known|sure|given)|cannot (?:tell|say|be told)|以上|其他|都不|不确定|未知)",
    re.IGNORECASE,
)
_GRADES = re.compile(
    r"(?:no|low|little|minor|slight|some|mild|moderate|medium|average|high|great|major|severe|very|extreme|critical|"
    r"full|complete|partial)\s+(\w+)$",
    re.IGNORECASE,
)
_LETTER = re.compile(r"[^\W\d_]")


def advise_on_options(draft: DraftDecision, findings: Findings) -> None:
    """Report options that say too little, and a menu that has no way out."""
    for question in draft.questions:
        match question.question:
            case Choice() as choice:
                if draft.dynamic_entry is None:
                    _way_out(question, choice, findings)
                _undescribed(question, choice, findings)
            case Score() as score:
                _bare_levels(question, score, findings)
                _mixed_scale(question, score, findings)
            case _:
                pass


def _way_out(question: DraftQuestion, choice: Choice, findings: Findings) -> None:
    for label, criterion in choice.criteria.items():
        words = set(re.split(r"[\W_]+", label.casefold()))
        if words & _WAY_OUT or _OUT_WORDS.search(f"{label} {criterion or ''}"):
            return
    message = f"the choice {quoted(question.id)} has no option for a state that fits none of them"
    fix = "add one, such as `- none — nothing above fits`"
    place = question.ask if question.ask is not None else question.heading
    at_entry(findings, "no-way-out", place, message, fix)


def _undescribed(question: DraftQuestion, choice: Choice, findings: Findings) -> None:
    for entry, (label, criterion) in zip(question.options, choice.criteria.items(), strict=True):
        said = criterion if isinstance(criterion, str) else ""
        if _LETTER.search(said) and fold(said).strip(" .") != fold(label).strip(" ."):
            continue
        worse = ", and that is a number" if label.isdecimal() else ""
        message = f"{quoted(label)} is not described, so it is read by its name alone{worse}"
        at_entry(findings, "undescribed-option", entry, message, "say after the dash when it is right")


def _bare_levels(question: DraftQuestion, score: Score, findings: Findings) -> None:
    bare = [
        entry
        for entry, level in zip(question.options, score.criteria, strict=True)
        if isinstance(level, str) and len(level.split()) < 2 and level.isascii()
    ]
    if bare:
        message = (
            f"{len(bare)} of {len(score.criteria)} levels are one word or a number, such as {quoted(bare[0].text)}"
        )
        fix = "describe each level; where it stands on the scale is all that a word alone says"
        at_entry(findings, "bare-level", bare[0], message, fix)


def _mixed_scale(question: DraftQuestion, score: Score, findings: Findings) -> None:
    """Report levels that grade different things, such as `low cost` beside `high risk`."""
    graded = [
        (entry, match[1].casefold())
        for entry, level in zip(question.options, score.criteria, strict=True)
        if isinstance(level, str) and (match := _GRADES.fullmatch(level.strip())) is not None
    ]
    first = graded[0][1] if graded else ""
    other = next(((entry, noun) for entry, noun in graded if noun != first), None)
    if other is not None:
        message = f"the levels grade {quoted(first)} and {quoted(other[1])}: two dimensions in one scale"
        at_entry(findings, "mixed-scale", other[0], message, "ask one score per dimension")
