"""The writer that works without a model: it says what was done and quotes what was seen.

It cannot state what no tool returned. Its answers are marked degraded.
Source: reference loop specification, generation.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from interlock.loop.extractive_input import provide_arguments
from interlock.loop.extracts import Extract, extract
from interlock.loop.passages import EFFECTS, Passage, failed, listed
from interlock.loop.phrases import Phrases, phrases
from interlock.loop.writer import Draft, Evidence, ProvidedInput, WriteRequest
from interlock.tools.base import Tool
from interlock.tools.execute import TOOL_ERROR
from interlock.tools.mentions import language
from interlock.tools.table import ARROW
from interlock.tools.task import Goal, goals_of

__all__ = ["ExtractiveWriter"]

MAX_CHARS = 860
"""A draft stays within what a delivery gate is shown of it."""
MAX_LISTED_CHARS = 480
MAX_QUOTES = 10
"""Each quote becomes one fact, and a gate is shown ten of those."""
_COUNTS = re.compile(r"\bhow many\b|\bcount\b|\bnumber of\b|多少|几个", re.IGNORECASE)
MAX_TASK_CHARS = 4_000


class ExtractiveWriter:
    """Quotes evidence in the language of the task."""

    @property
    def id(self) -> str:
        """The name under which settings choose it."""
        return "extractive"

    async def write(self, request: WriteRequest) -> Draft:
        """Return what was done and the lines that answer the task, or that nothing seen answers it."""
        text = "\n".join(_within(_lines(request), MAX_CHARS))
        return Draft(text=text, degraded=True, usage=None)

    async def provide(self, tool: Tool, request: WriteRequest) -> ProvidedInput:
        """Return arguments that the task and the evidence fix, else None with what is missing."""
        found = provide_arguments(tool, request.task[:MAX_TASK_CHARS], request.evidence)
        if isinstance(found, str):
            return ProvidedInput(arguments=None, reason=found, usage=None)
        return ProvidedInput(arguments=found, reason=None, usage=None)


def _lines(request: WriteRequest) -> list[str]:
    task = request.task[:MAX_TASK_CHARS]
    say = phrases(language(task))
    if not request.evidence:
        return [say.nothing_done()]
    goals = goals_of(task, listed(request.evidence) or (), request.earlier)
    changes = [goal for goal in goals if goal.changes]
    lines = [*_effects(request, say), *_failures(request, say)]
    if any(not _is_done(goal, request.evidence) for goal in changes) or (changes and not lines):
        lines.append(say.not_carried_out())
    asks = [goal for goal in goals if not goal.changes and goal.text not in {one.text for one in changes}]
    if changes and not asks:
        return lines
    if not asks or any(goal.act != "list" for goal in asks):
        return [*lines, *_answer(task, request, say)]
    return [*lines, *_listing(request, say)]


def _answer(task: str, request: WriteRequest, say: Phrases) -> list[str]:
    found = extract(task, request.evidence)
    quotes = _allowed(found.quotes, request)
    if not found.answers and not quotes:
        return [say.not_found()]
    if found.named:
        return _named_and_quoted(found, quotes, say)
    if not quotes:
        return [say.not_found()]
    return [say.quoted() if found.answers else say.nearest(), *_quoted(quotes, say)]


def _named_and_quoted(found: Extract, quotes: Sequence[Passage], say: Phrases) -> list[str]:
    """The sentences and the quotes that carry them, so many that all of it fits."""
    lines: list[str] = []
    for count in range(min(len(quotes), MAX_QUOTES), -1, -1):
        shown = quotes[:count]
        more = [say.more()] if count < len(quotes) else []
        lines = [*_named(found, shown, say), *(passage.quote for passage in shown), *more]
        if sum(len(line) + 1 for line in lines) <= MAX_CHARS:
            break
    return lines


def _named(found: Extract, quotes: Sequence[Passage], say: Phrases) -> list[str]:
    """One sentence for each file; it names only what a quote below it shows."""
    lines = []
    for one in found.named:
        shown = " ".join(passage.text for passage in quotes if passage.path == one.path)
        names = [name for name in one.names if name in shown]
        if names:
            lines.append(say.names(one.path, found.relation, names))
        elif not one.names:
            lines.append(say.no_names(one.path, found.relation))
    return lines


def _quoted(quotes: Sequence[Passage], say: Phrases) -> list[str]:
    lines = [passage.quote for passage in quotes[:MAX_QUOTES]]
    return [*lines, say.more()] if len(quotes) > MAX_QUOTES else lines


def _allowed(quotes: Sequence[Passage], request: WriteRequest) -> tuple[Passage, ...]:
    """On a revision only what the host verified is quoted again; without any fact about quotes, all of it."""
    checked = [fact for fact in request.facts if fact.startswith("quote ")]
    if request.revision_of is None or not checked:
        return tuple(quotes)
    good = {fact.removeprefix("quote verified: ") for fact in checked if fact.startswith("quote verified: ")}
    return tuple(p for p in quotes if f"{p.path}:{p.line}" in good)


def _effects(request: WriteRequest, say: Phrases) -> list[str]:
    lines: list[str] = []
    denied = {fact.removesuffix(" is missing") for fact in request.facts if fact.endswith(" is missing")}
    for piece in request.evidence:
        target = piece.input.partition("\n")[0]
        if failed(piece) or target.rpartition(ARROW)[2] in denied:
            continue
        match EFFECTS.get(piece.tool):
            case "write":
                lines.append(say.wrote(target))
            case "move":
                source, _, moved_to = target.partition(ARROW)
                lines.append(say.moved(source, moved_to))
            case "delete":
                lines.append(say.deleted(target))
            case _:
                continue
    return list(dict.fromkeys(lines))


def _failures(request: WriteRequest, say: Phrases) -> list[str]:
    last = request.evidence[-1]
    if not failed(last):
        return []
    message = last.result.removeprefix(TOOL_ERROR).strip()
    return [say.failed(f"{last.tool} {last.input.partition(chr(10))[0]}".strip(), message)]


def _is_done(goal: Goal, evidence: Sequence[Evidence]) -> bool:
    """A tool of that effect ran, or a tool of another kind, whose name tells nothing here."""
    return any(not failed(piece) and EFFECTS.get(piece.tool, goal.act) == goal.act for piece in evidence)


def _listing(request: WriteRequest, say: Phrases) -> list[str]:
    paths = listed(request.evidence)
    if paths is None:
        return [say.not_found()]
    if not paths:
        return [say.no_files()]
    if _COUNTS.search(request.task):
        return [say.count(len(paths))]
    kept = _within([f"- {path}" for path in paths], MAX_LISTED_CHARS)
    return [say.files(), *kept, *([say.more()] if len(kept) < len(paths) else [])]


def _within(lines: Sequence[str], max_chars: int) -> list[str]:
    """The lines that fit; a first line that alone is too long is cut."""
    kept: list[str] = []
    room = max_chars
    for line in lines:
        room -= len(line) + 1
        if room < 0:
            break
        kept.append(line)
    return kept if kept or not lines else [lines[0][:max_chars]]
