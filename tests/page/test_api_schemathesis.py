"""What is generated from the API's own document, right and wrong, is answered as it says, and never with 5xx."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from schemathesis.core.result import Ok
from schemathesis.specs.openapi import checks

Serve = Callable[..., str]
Park = Callable[..., tuple[str, str]]

REFUSED = [400, 404, 405, 409, 413, 415, 422]
CONFIG = schemathesis.Config.from_dict({"checks": {"negative_data_rejection": {"expected-statuses": REFUSED}}})
EXAMPLES = 8
"""Per endpoint and kind of input."""
CHECKS = [
    schemathesis.checks.not_a_server_error,
    checks.status_code_conformance,
    checks.content_type_conformance,
    checks.response_schema_conformance,
    checks.response_headers_conformance,
    checks.negative_data_rejection,
]


def greet(name: str, times: int = 1, loud: bool = False) -> str:
    """Greet somebody.

    Args:
        name: Who.
        times: How often.
        loud: With a mark.
    """
    return " ".join([f"hello {name}{'!' if loud else ''}"] * min(max(times, 0), 3))


@pytest.fixture
def api(serve: Serve, park: Park, tmp_path: Path) -> tuple[str, Mapping[str, Mapping[str, str]]]:
    """Return the address of a server on which there is something of everything, and the names of it."""
    approval, run_id = park("delete_file", {"path": "build.lock"})
    report = tmp_path / "report.json"
    report.write_text("{}", encoding="utf-8")
    url = serve(roots=(), functions={"greet": greet}, reports=(report,))
    names = {
        "run_id": run_id, "approval_id": approval, "contract": "shipped", "number": "1", "call_id": "none",
    }  # fmt: skip
    return url, {"functions": {**names, "name": "greet"}, "": {**names, "name": "engine_role"}}


@pytest.mark.parametrize("mode", [schemathesis.GenerationMode.POSITIVE, schemathesis.GenerationMode.NEGATIVE], ids=str)
def test_every_endpoint_answers_what_its_document_says(
    mode: schemathesis.GenerationMode, api: tuple[str, Mapping[str, Mapping[str, str]]]
) -> None:
    url, names = api
    schema = schemathesis.openapi.from_url(f"{url}/api/openapi.json", config=CONFIG)
    asked = set()
    for found in schema.get_all_operations():
        assert isinstance(found, Ok)
        operation = found.ok()
        told = operation.definition.raw
        takes_nothing = not told["parameters"] and "requestBody" not in told
        if told["operationId"] == "watchRun" or (takes_nothing and mode is schemathesis.GenerationMode.NEGATIVE):
            continue
        known = names["functions" if "/functions/" in operation.path else ""]
        asked.add(operation.label)
        _try(operation, mode, known)
    assert len(asked) > 20


def _try(operation: Any, mode: schemathesis.GenerationMode, known: Mapping[str, str]) -> None:
    """Ask one endpoint again and again, half of the time for something that is there."""

    @given(case=operation.as_strategy(generation_mode=mode), exists=st.booleans())
    @settings(
        max_examples=EXAMPLES,
        deadline=None,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    def ask(case: Any, exists: bool) -> None:
        if exists and case.path_parameters:
            case.path_parameters.update({name: known[name] for name in case.path_parameters if name in known})
        case.call_and_validate(checks=CHECKS, timeout=20)

    ask()
