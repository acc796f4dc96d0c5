"""The host and the small contract that the tests of this room break."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from interlock.contract import Capabilities
from interlock.contract.declaration import capabilities_from_json

CONFORMANCE = Path(__file__).parents[2] / "spec" / "conformance"


@pytest.fixture(scope="session")
def host() -> Capabilities:
    """The host that the files of `spec/conformance` are written for."""
    return capabilities_from_json(json.loads((CONFORMANCE / "capabilities.json").read_text(encoding="utf-8")))


@pytest.fixture(scope="session")
def minimal() -> str:
    """One yes/no decision, `done`, at `step-start`."""
    return (CONFORMANCE / "valid" / "minimal.md").read_text(encoding="utf-8")


@pytest.fixture(scope="session")
def every_kind() -> str:
    """One decision of each kind: `done`, `within_budget`, `grade`, `route`, `pick_file`, `effort`."""
    return (CONFORMANCE / "valid" / "every-kind.md").read_text(encoding="utf-8")
