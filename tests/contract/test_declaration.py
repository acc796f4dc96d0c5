"""Capabilities survive JSON, and what is wrong in a declaration is named by its path."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from interlock.contract.capabilities import Capabilities, Cell, ProjectionSpec
from interlock.contract.declaration import capabilities_from_json, capabilities_to_json
from interlock.errors import HostError
from interlock.frame.spec import Exclusion, FrameField, FrameSpec
from interlock.loop.capabilities import REFERENCE

SCHEMA = json.loads((Path(__file__).parents[2] / "spec" / "capabilities.schema.json").read_text(encoding="utf-8"))

FOREIGN = Capabilities(
    cells={
        "page": Cell(type="text", provenance="tool"),
        "clicks": Cell(type="number", provenance="host", extension=True),
    },
    projections={"pageMaybe": ProjectionSpec(cell="page", shape="list", default=("a", ("b",)))},
    positions={"host:route": ("host:left", "host:right"), "host:idle": ()},
    rules=("throttle",),
    frames={
        "route": FrameSpec(
            fields=(
                FrameField(
                    key="page",
                    bound=9,
                    cell="page",
                    projection=None,
                    type="text",
                    provenance="tool",
                    default=None,
                    has_default=False,
                    may_be_absent=False,
                    reason="what is shown",
                ),
                FrameField(
                    key="seen",
                    bound=3,
                    cell="page",
                    projection="pageMaybe",
                    type="list",
                    provenance="tool",
                    default=("a", ("b",)),
                    has_default=True,
                    may_be_absent=False,
                    reason="what was shown",
                ),
            ),
            exclusions=(Exclusion(cell="clicks", reason="no bearing"),),
        )
    },
)


def frame(**changes: object) -> dict[str, Any]:
    field = {"key": "task", "bound": 5, "projection": None, "reason": "r"} | changes
    return {"fields": [field], "exclusions": [{"cell": "cwd", "reason": "r"}]}


def as_json(capabilities: Capabilities) -> Any:
    return json.loads(json.dumps(capabilities_to_json(capabilities)))


@pytest.mark.parametrize("declared", [pytest.param(REFERENCE, id="reference"), pytest.param(FOREIGN, id="foreign")])
def test_reading_what_was_written_gives_the_same_declaration(declared: Capabilities) -> None:
    """`check --capabilities` reads what `spec --capabilities` prints."""
    assert capabilities_from_json(as_json(declared)) == declared


@pytest.mark.parametrize("declared", [pytest.param(REFERENCE, id="reference"), pytest.param(FOREIGN, id="foreign")])
def test_what_is_written_fits_the_published_schema(declared: Capabilities) -> None:
    """Other tools validate with the schema, so it must accept ours."""
    jsonschema.validate(as_json(declared), SCHEMA)


def test_the_published_schema_is_a_schema() -> None:
    """A mistake in the schema itself would accept anything."""
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


IN_SHAPE_ALONE = [
    pytest.param([], [], "capabilities: is not an object", id="not-an-object"),
    pytest.param(["cells"], ..., "capabilities: `cells` is missing", id="no-cells"),
    pytest.param(["cell"], {}, "capabilities: no key `cell`; did you mean `cells`", id="unknown-part"),
    pytest.param(["cells"], [], "cells: is not an object of names", id="cells-as-a-list"),
    pytest.param(["cells", "task"], "text", "cells.task: is not an object", id="cell-as-text"),
    pytest.param(["cells", "task", "type"], ..., "cells.task: `type` is missing", id="no-type"),
    pytest.param(["cells", "task", "type"], "texte", "cells.task.type: no value `texte`; did you", id="type"),
    pytest.param(["cells", "task", "provenance"], "me", "cells.task.provenance: no value `me`", id="provenance"),
    pytest.param(["cells", "task", "extension"], 1, "extension: is neither true nor false", id="extension"),
    pytest.param(["providers", "toolsFor", "reads"], "history", "toolsFor.reads: is not an array", id="array"),
    pytest.param(["providers", "toolsFor", "output"], "", "output: is not a text of at least one", id="output"),
    pytest.param(["positions", "step-start", 0], 3, r"positions.step-start\[0\]: is not a text", id="action"),
    pytest.param(["rules"], {}, "rules: is not an array", id="rules"),
    pytest.param(["safe_defaults", "step_ok"], None, "safe_defaults.step_ok: is not a text", id="safe-default"),
    pytest.param(["floors", "grade_risk.risk", "absent"], "2", "risk.absent: is not a number", id="floor"),
    pytest.param(["frames", "d"], frame(bound=0), r"frames.d.fields\[0\].bound: is not a whole", id="bound"),
    pytest.param(["frames", "d"], frame(bound=True), r"bound: is not a whole number", id="bound-as-flag"),
    pytest.param(["frames", "d", "fields"], ..., "frames.d: `fields` is missing", id="no-fields"),
    pytest.param(["frames", "d", "exclusions", 0, "reason"], ..., "`reason` is missing", id="no-reason"),
]
"""What a schema can refuse too, with our message."""

BETWEEN_NAMES = [
    pytest.param(["projections", "lastInput", "cell"], "histroy", "did you mean `history`", id="cell"),
    pytest.param(["projections", "lastInput", "default"], 3, "lastInput.default: is not a text", id="promise"),
    pytest.param(["projections", "lastInput", "default"], {"a": 1}, "default: is not a text", id="promise-object"),
    pytest.param(["projections", "readCount", "default"], True, "default: is not a number", id="promise-flag"),
    pytest.param(["providers", "toolsFor", "reads", 0], "x", r"toolsFor.reads\[0\]: no cell `x`", id="reads"),
    pytest.param(["floors", "grade_risk.risk", "projection"], "x", "no projection `x`", id="floor"),
    pytest.param(["frames", "d"], frame(key="tusk"), r"fields\[0\].key: no cell `tusk`", id="field"),
    pytest.param(["frames", "d"], frame(projection="x"), r"fields\[0\].projection: no pro", id="field-projection"),
]


@pytest.mark.parametrize(("path", "value", "message"), IN_SHAPE_ALONE + BETWEEN_NAMES)
def test_a_broken_declaration_is_named_by_its_path(path: list[str | int], value: object, message: str) -> None:
    """Whoever edits the file must find the place."""
    with pytest.raises(HostError, match=message):
        capabilities_from_json(edited(path, value))


@pytest.mark.parametrize(("path", "value", "message"), IN_SHAPE_ALONE)
def test_the_published_schema_refuses_the_same(path: list[str | int], value: object, message: str) -> None:
    """What needs no knowledge of other names is refused by the schema too."""
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(edited(path, value), SCHEMA)


def edited(path: list[str | int], value: object) -> object:
    whole = as_json(REFERENCE)
    whole["frames"]["d"] = frame()
    if not path:
        return value
    place = whole
    for step in path[:-1]:
        place = place[step]
    if value is ...:
        del place[path[-1]]
    else:
        place[path[-1]] = value
    return whole
