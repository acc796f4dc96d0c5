"""How often the rule judge answers labelled questions, how often it is right, and where it is sure and wrong.

Fields are wrapped as `build_frame` would: bounds and provenance of the shipped contract's frames. Items that do not
belong to the reference loop are asked too; a rule judge abstains from them. Uniform chance stands beside.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeAlias

from interlock.errors import QuestionError
from interlock.frame import StateView, build_frame
from interlock.judge.base import Judge
from interlock.judge.rules import RuleJudge
from interlock.loop.reference import shipped_contract
from interlock.questions import (
    Answer,
    Choice,
    ChoiceAnswer,
    Content,
    Noul,
    NoulAnswer,
    NoulCriteria,
    Question,
    Score,
    level,
    top,
)
from interlock.tools.table import reference_table

__all__ = ["CONFIDENT", "Case", "Result", "ask", "main", "read_cases"]

DEFAULT_FILE = Path(__file__).parents[1] / "tests" / "judge" / "decisions.jsonl"
CONFIDENT = 0.8
LOOP = "loop"

Gold: TypeAlias = bool | str | int


class CaseError(Exception):
    """A line of the file is not a case; the message says where and why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One labelled question."""

    id: str
    group: str
    decision: str
    state: Content
    question: Question
    gold: Gold
    lang: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """What the judge said to one case."""

    case: Case
    picked: Gold | None
    """None when it abstained."""
    probability: float | None

    @property
    def right(self) -> bool:
        """True when it answered with the label."""
        return self.picked is not None and self.picked == self.case.gold

    @property
    def confident_and_wrong(self) -> bool:
        """True for the worst outcome."""
        return self.picked is not None and not self.right and (self.probability or 0) >= CONFIDENT


def main(arguments: Sequence[str] | None = None) -> int:
    """Evaluate one file and print the tables; 2 when it cannot be read."""
    parser = argparse.ArgumentParser(prog="rules_eval.py", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("file", nargs="?", type=Path, default=DEFAULT_FILE, metavar="FILE")
    file: Path = parser.parse_args(arguments).file
    try:
        cases = read_cases(file)
    except (OSError, CaseError) as error:
        print(f"rules_eval: {error}", file=sys.stderr)
        return 2
    results = asyncio.run(ask(RuleJudge(reference_table()), cases))
    print("\n".join(_report(results)))
    return 0


def read_cases(file: Path) -> list[Case]:
    """Return the cases of a JSON Lines file; blank lines do not count.

    Raises:
        CaseError: a line is not a case; the message names file and line.
        OSError: the file cannot be read.
    """
    try:
        text = file.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise CaseError(f"{file}: is not UTF-8 at byte {error.start}") from error
    lines = text.split("\n")
    return [_case(line, f"{file}:{number}") for number, line in enumerate(lines, start=1) if line.strip()]


async def ask(judge: Judge, cases: Iterable[Case]) -> list[Result]:
    """Return what `judge` says to each case, one request each."""
    return [await _ask_one(judge, case) for case in cases]


async def _ask_one(judge: Judge, case: Case) -> Result:
    reply = await judge.answer(_sent(case), {case.decision: case.question})
    answer = reply.readings[case.decision].answer
    return Result(
        case=case,
        picked=None if answer is None else _picked(answer),
        probability=None if answer is None else top(answer),
    )


def _picked(answer: Answer) -> Gold:
    if isinstance(answer, NoulAnswer):
        return answer.noul >= 0.5
    return answer.choice if isinstance(answer, ChoiceAnswer) else level(answer)


def _sent(case: Case) -> Content:
    """The state as a frame of the shipped contract sends it; as it is where no such frame exists."""
    decision = shipped_contract().decisions.get(case.decision.partition(".")[0])
    if decision is None or decision.frame is None or not isinstance(case.state, Mapping):
        return case.state
    own = tuple(replace(f, cell=f.key, projection=None) for f in decision.frame.fields if f.key in case.state)
    spec = replace(decision.frame, fields=own)
    return build_frame(decision.id, spec, StateView(cells=case.state, projections={})).sent


def _case(line: str, place: str) -> Case:
    try:
        row = json.loads(line)
    except json.JSONDecodeError as error:
        raise CaseError(f"{place}:{error.colno}: is not JSON ({error.msg}); write one object per line") from error
    if not isinstance(row, dict):
        raise CaseError(f"{place}: is not an object; write one case per line")
    state = row.get("state")
    if not isinstance(state, str | dict | list):
        raise CaseError(f"{place}: `state` is missing or no content; write an object of the frame's fields")
    if not isinstance(row.get("gold"), bool | str | int):
        raise CaseError(f"{place}: `gold` is missing or no label; write true or false, an option, or a level")
    return Case(
        id=_text(row, "id", place),
        group=_text(row, "group", place),
        decision=_text(row, "decision", place),
        state=state,
        question=_question(row.get("question"), place),
        gold=row["gold"],
        lang=str(row.get("lang", "?")),
    )


def _text(row: Mapping[str, object], key: str, place: str) -> str:
    value = row.get(key)
    if not isinstance(value, str) or not value:
        raise CaseError(f"{place}: `{key}` is missing or no text")
    return value


def _question(wire: object, place: str) -> Question:
    if not isinstance(wire, dict):
        raise CaseError(f"{place}: `question` is missing or no object")
    criteria = wire.get("criteria")
    try:
        match (wire.get("type"), criteria):
            case ("noul", dict() | None):
                given = criteria or {}
                return Noul(
                    instructions=wire.get("instructions", ""),
                    criteria=NoulCriteria(true=given.get("true"), false=given.get("false")),
                )
            case ("choice", dict()):
                return Choice(instructions=wire.get("instructions", ""), criteria=criteria)
            case ("score", list()):
                return Score(instructions=wire.get("instructions", ""), criteria=criteria)
            case _:
                raise CaseError(f"{place}: `question` is no noul, choice or score with criteria of its kind")
    except QuestionError as error:
        raise CaseError(f"{place}: question: {error}") from error


def _chance(case: Case) -> float:
    return 0.5 if isinstance(case.question, Noul) else 1 / max(1, len(case.question.criteria))


def _report(results: Sequence[Result]) -> list[str]:
    loop = [result for result in results if result.case.group == LOOP]
    other = [result for result in results if result.case.group != LOOP]
    lines = [f"{'':28}{'items':>6}{'covered':>9}{'right':>8}{'chance':>8}{'sure and wrong':>16}", _row("loop", loop)]
    lines += [_row(f"  {name}", group) for name, group in _by(loop, "decision").items()]
    lines += [_row(f"  language {name}", group) for name, group in _by(loop, "lang").items()]
    if other:
        abstained = sum(result.picked is None for result in other)
        lines.append(f"{'other groups':28}{len(other):>6}  abstained from {abstained}")
    wrong = [result for result in loop if result.confident_and_wrong]
    lines += [
        f"sure and wrong: {result.case.id} picked {result.picked!r}, gold {result.case.gold!r}" for result in wrong
    ]
    return lines


def _by(results: Sequence[Result], field: str) -> dict[str, list[Result]]:
    groups: dict[str, list[Result]] = {}
    for result in results:
        groups.setdefault(getattr(result.case, field), []).append(result)
    return dict(sorted(groups.items()))


def _row(name: str, results: Sequence[Result]) -> str:
    answered = [result for result in results if result.picked is not None]
    covered = len(answered) / len(results) if results else 0.0
    right = f"{sum(r.right for r in answered) / len(answered):.2f}" if answered else "-"
    chance = sum(_chance(r.case) for r in results) / len(results) if results else 0.0
    wrong = sum(r.confident_and_wrong for r in results)
    return f"{name:28}{len(results):>6}{covered:>9.2f}{right:>8}{chance:>8.2f}{wrong:>16}"


if __name__ == "__main__":
    sys.exit(main())
