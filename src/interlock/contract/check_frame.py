"""Checks a frame and a provider against the cells of the host: each is read, or excluded with a reason, and not both.

Source: decision-contract/v1, frame.
"""

from __future__ import annotations

from collections.abc import Sequence

from interlock._text import nearest
from interlock.contract.capabilities import ProviderSpec
from interlock.contract.document import Entry
from interlock.contract.draft import DraftDecision, DraftDynamic, DraftField, DraftFrame
from interlock.contract.findings import Findings, quoted, suggest
from interlock.contract.host_names import HostNames

__all__ = ["check_frame"]

UNTRUSTED = "untrusted_tool_output"
"""The key under which everything that a tool returned is sent."""


def check_frame(draft: DraftDecision, host: HostNames | None, findings: Findings) -> None:
    """Report what is wrong with what a decision sees; without a host, cells are not compared."""
    _check_dynamic_place(draft, findings)
    if draft.dynamic is not None and host is not None:
        _check_provider(draft.dynamic, host, findings)
    if draft.kind == "rule":
        if draft.frame is not None:
            line = draft.frame.entry
            message, fix = "code answers this decision, so nothing is shown to a judge", "drop `frame:` and its lines"
            findings.add("rule-with-frame", line.line, line.column, len("frame:"), message, fix=fix)
        return
    if draft.frame is not None:
        _check_twice(draft.frame, findings)
        if host is not None and (draft.frame.fields or draft.frame.exclusions):
            _check_cells(draft.frame, host, findings)
    elif host is not None and draft.kind is not None and draft.id not in host.capabilities.frames:
        message = f"neither the file nor the host says what a judge sees of {quoted(draft.id)}"
        fix = "write `frame:` with one line for each cell"
        heading = draft.heading
        findings.add("missing-frame", heading.line, heading.text_column, len(heading.text), message, fix=fix)


def _check_dynamic_place(draft: DraftDecision, findings: Findings) -> None:
    if draft.dynamic_entry is None or any(question.type is None for question in draft.questions):
        return
    choices = sum(question.type == "choice" for question in draft.questions)
    entry = draft.dynamic_entry
    if choices == 1 or entry is None:
        return
    message = (
        f"candidates are for one choice, and there are {choices}" if choices else "there is no choice to take them"
    )
    fix = "write a decision of its own for the choice, or drop the line"
    findings.add("dynamic-without-choice", entry.line, entry.column, len("dynamic:"), message, fix=fix)


def _check_provider(dynamic: DraftDynamic, host: HostNames, findings: Findings) -> None:
    entry, name = dynamic.entry, dynamic.provider
    spec = host.capabilities.providers.get(name)
    if spec is None:
        message, fix = f"no provider {quoted(name)}", suggest(name, host.capabilities.providers)
        findings.add("unknown-provider", entry.line, entry.text_column, len(name), message, fix=fix)
    elif dynamic.output != spec.output:
        message = f"the provider {quoted(name)} does not give {quoted(dynamic.output)}"
        column = entry.text_column + entry.text.index(dynamic.output, entry.text.index(")"))
        findings.add("unknown-output", entry.line, column, len(dynamic.output), message, fix=f"write `→ {spec.output}`")
    _check_reads(dynamic, spec, host, findings)


def _check_reads(dynamic: DraftDynamic, spec: ProviderSpec | None, host: HostNames, findings: Findings) -> None:
    entry, seen = dynamic.entry, set[str]()
    text_column, at = entry.text_column, entry.text.index(":")
    for cell in dynamic.reads:
        at = entry.text.index(cell, at)
        column = text_column + at
        at += len(cell)
        if cell not in host.capabilities.cells:
            message, fix = f"no cell {quoted(cell)}", suggest(cell, host.capabilities.cells)
            findings.add("unknown-cell", entry.line, column, len(cell), message, fix=fix)
        elif cell in seen:
            message = f"the cell {quoted(cell)} is named twice"
            findings.add("duplicate-read", entry.line, column, len(cell), message, fix="keep one of them")
        elif spec is not None and cell not in spec.reads:
            message = f"the provider {quoted(dynamic.provider)} does not read {quoted(cell)}"
            findings.add("unread-cell", entry.line, column, len(cell), message, fix="drop it from the line")
        seen.add(cell)
    for cell in () if spec is None else spec.reads:
        if cell not in seen:
            message = f"the provider {quoted(dynamic.provider)} reads {quoted(cell)}, and the line does not say so"
            fix = f"write `{dynamic.provider}(ctx: {', '.join(() if spec is None else spec.reads)})`"
            findings.add("undeclared-read", entry.line, entry.text_column, len(dynamic.provider), message, fix=fix)


def _check_twice(frame: DraftFrame, findings: Findings) -> None:
    names = {field.key for field in frame.fields}
    if len(names) < len(frame.fields) or UNTRUSTED in names:
        _report_fields(frame, findings)
    if len({exclusion.cell for exclusion in frame.exclusions}) < len(frame.exclusions):
        _report_exclusions(frame, findings)


def _report_fields(frame: DraftFrame, findings: Findings) -> None:
    keys: dict[str, int] = {}
    for field in frame.fields:
        line = keys.setdefault(field.key, field.entry.line)
        if field.key == UNTRUSTED:
            message = f"`{UNTRUSTED}` is the name under which the output of tools is sent"
            _report(
                "reserved-field", field.entry, field.key, findings, message=message, fix="give the field another name"
            )
        elif line != field.entry.line:
            message = f"the field {quoted(field.key)} stands on line {line} too"
            _report(
                "duplicate-field",
                field.entry,
                field.key,
                findings,
                message=message,
                fix="give the fields different names",
            )


def _report_exclusions(frame: DraftFrame, findings: Findings) -> None:
    cells: dict[str, int] = {}
    for exclusion, entry in zip(frame.exclusions, frame.exclusion_entries, strict=True):
        line = cells.setdefault(exclusion.cell, entry.line)
        if line != entry.line:
            message = f"the cell {quoted(exclusion.cell)} is excluded on line {line} too"
            _report("duplicate-exclusion", entry, exclusion.cell, findings, message=message, fix="keep one of them")


def _check_cells(frame: DraftFrame, host: HostNames, findings: Findings) -> None:
    read = {cell for field in frame.fields if (cell := _cell_of(field, host, findings)) is not None}
    excluded: set[str] = set()
    cells = host.capabilities.cells
    for exclusion, entry in zip(frame.exclusions, frame.exclusion_entries, strict=True):
        cell = exclusion.cell
        excluded.add(cell)
        if cell not in cells:
            excluded.add(nearest(cell, cells) or cell)
            _report("unknown-cell", entry, cell, findings, message=f"no cell {quoted(cell)}", fix=suggest(cell, cells))
        elif cell in read:
            message = f"the cell {quoted(cell)} is excluded here and read by another line of the frame"
            _report("contradiction", entry, cell, findings, message=message, fix="drop one of the two lines")
    missing = host.accountable - read - excluded
    if missing:
        _report_missing(frame, [cell for cell in cells if cell in missing], host, findings)


def _cell_of(field: DraftField, host: HostNames, findings: Findings) -> str | None:
    """Return the cell that a field reads; for an unknown name, that of the nearest known one."""
    cells, projections = host.capabilities.cells, host.capabilities.projections
    name = field.projection
    if name is None:
        if field.key in cells:
            return field.key
        message = f"no cell {quoted(field.key)}, and the field names no projection"
        _report("unknown-cell", field.entry, field.key, findings, message=message, fix=suggest(field.key, cells))
        return nearest(field.key, cells)
    spec = projections.get(name)
    if spec is not None:
        return spec.cell
    entry = field.entry
    column = entry.text_column + entry.text.index(name, entry.text.index(str(field.bound), len(field.key)))
    message, fix = f"no projection {quoted(name)}", suggest(name, projections)
    findings.add("unknown-projection", entry.line, column, len(name), message, fix=fix)
    near = nearest(name, projections)
    return None if near is None else projections[near].cell


def _report_missing(frame: DraftFrame, missing: Sequence[str], host: HostNames, findings: Findings) -> None:
    """Report the cells left out, except those that a line which cannot be read names."""
    words = {word for entry in frame.unread for word in entry.text.split()}
    projections = host.capabilities.projections
    named = words | {projections[word].cell for word in words if word in projections}
    for cell in missing:
        if cell not in named:
            message = f"the cell {quoted(cell)} is neither read nor excluded"
            fix = f"add {quoted(f'- {cell} —— why')}, or a field that reads it"
            findings.add("unaccounted-cell", frame.entry.line, frame.entry.column, len("frame:"), message, fix=fix)


def _report(code: str, entry: Entry, name: str, findings: Findings, *, message: str, fix: str) -> None:
    findings.add(code, entry.line, entry.text_column, len(name), message, fix=fix)
