"""Endpoints of what a server was given to read: prompts and the reports of experiments."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import Field

from interlock.experiments.shown import report_json
from interlock.questions import Json
from interlock.registry import Entry, Prompt, diff_prompts
from interlock.server.site.api.endpoint import Closed, Endpoint, Failed, Given
from interlock.server.site.api.models import Body, Name, Nothing
from interlock.server.site.desk import Desk
from interlock.server.site.experiment_view import Listed, listed
from interlock.server.site.prompt_view import Opened
from interlock.server.site.prompts import SHIPPED, open_prompt, registries

__all__ = ["endpoints"]


class PromptLabel(Closed):
    version: str
    share: float | None = Field(description="Percent of the keys that ask for another label.")


class PromptShort(Closed):
    name: str
    layer: str
    is_own: bool = Field(description="True for the registry of the server, false for what ships with the package.")
    versions: dict[str, str] = Field(description="Version and digest, in the order of publication.")
    labels: dict[str, PromptLabel]


class PromptList(Closed):
    prompts: list[PromptShort]


class PromptQuery(Closed):
    name: Name = Field(description="Of the prompt.")
    version: str = Field(default="", max_length=100, description="A version or label; the newest when empty.")
    shipped: bool = Field(default=False, description="Look only at what ships with the package.")


class PromptDetail(Closed):
    prompt: PromptShort
    version: str
    text: str


class PromptPair(Closed):
    name: Name = Field(description="Of the prompt.")
    old: str = Field(min_length=1, max_length=100, description="A version or label.")
    new: str = Field(default="", max_length=100, description="A version or label; the newest when empty.")
    shipped: bool = Field(default=False, description="Look only at what ships with the package.")


class PromptDiff(Closed):
    old: str
    new: str
    lines: list[str] = Field(description="A unified diff; none when the texts are equal.")


class ExperimentDetail(Closed):
    number: int
    file: str
    problem: str = Field(description="Why there is no report; empty where there is one.")
    report: Body | None


class ExperimentList(Closed):
    experiments: list[ExperimentDetail]


class ThisExperiment(Closed):
    number: str = Field(pattern="^[1-9][0-9]{0,5}$", description="Its place among the files of the server.")


def endpoints(desk: Desk) -> Sequence[Endpoint]:
    """Return the endpoints."""
    room = _Room(desk)
    one = "/api/v1/prompts/{name}"
    return [
        Endpoint(
            method="GET", path="/api/v1/prompts", name="listPrompts", says="Lists prompts with versions and labels.",
            tag="prompts", takes=Nothing, gives=PromptList, handle=room.prompts,
        ),
        Endpoint(
            method="GET", path=one, name="getPrompt", says="Shows a version of a prompt.", tag="prompts",
            takes=PromptQuery, gives=PromptDetail, handle=room.prompt,
        ),
        Endpoint(
            method="GET", path=f"{one}/diff", name="diffPrompt", says="Compares two versions of a prompt.",
            tag="prompts", takes=PromptPair, gives=PromptDiff, handle=room.diff,
        ),
        Endpoint(
            method="GET", path="/api/v1/experiments", name="listExperiments", says="Lists the reports of experiments.",
            tag="experiments", takes=Nothing, gives=ExperimentList, handle=room.experiments,
        ),
        Endpoint(
            method="GET", path="/api/v1/experiments/{number}", name="getExperiment", says="Shows a report.",
            tag="experiments", takes=ThisExperiment, gives=ExperimentDetail, handle=room.experiment,
        ),
    ]  # fmt: skip


class _Room:
    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    def prompts(self, _: Nothing) -> Given:
        with registries(self._desk) as both:
            owned = [
                (registry.index().entries, self._desk.prompts is not None and at == 0)
                for at, registry in enumerate(both)
            ]
        return {
            "prompts": [_entry(entries[name], is_own=is_own) for entries, is_own in owned for name in sorted(entries)]
        }

    def prompt(self, asked: PromptQuery) -> Given:
        opened, prompt = self._opened(asked.name, asked.version, is_shipped=asked.shipped)
        return {"prompt": _entry(opened.entry, is_own=opened.is_own), "version": opened.version, "text": prompt.text}

    def diff(self, asked: PromptPair) -> Given:
        old = self._opened(asked.name, asked.old, is_shipped=asked.shipped)[1]
        new = self._opened(asked.name, asked.new, is_shipped=asked.shipped)[1]
        return {"old": old.version, "new": new.version, "lines": list(diff_prompts(old, new))}

    def experiments(self, _: Nothing) -> Given:
        return {"experiments": [_experiment(each) for each in listed(self._desk.reports)]}

    def experiment(self, asked: ThisExperiment) -> Given:
        found = listed(self._desk.reports)
        if int(asked.number) > len(found):
            raise Failed(404, "this server was given no report of that number")
        return _experiment(found[int(asked.number) - 1])

    def _opened(self, name: str, which: str, *, is_shipped: bool) -> tuple[Opened, Prompt]:
        opened = open_prompt(self._desk, name, which, SHIPPED if is_shipped else "")
        if opened.prompt is None:
            raise Failed(422, opened.problem)
        return opened, opened.prompt


def _entry(entry: Entry, *, is_own: bool) -> dict[str, Json]:
    return {
        "name": entry.name,
        "layer": entry.layer,
        "is_own": is_own,
        "versions": dict(entry.versions),
        "labels": {name: {"version": label.version, "share": label.share} for name, label in entry.current().items()},
    }


def _experiment(found: Listed) -> dict[str, Json]:
    report = None if found.report is None else report_json(found.report)
    return {"number": found.number, "file": found.file, "problem": found.problem, "report": report}
