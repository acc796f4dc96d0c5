"""A compiled contract as JSON values, for people and programs that do not run this package.

The shape is that of the files beside `spec/conformance/valid/*.md`.
Source: decision-contract/v1, compile.
"""

from __future__ import annotations

import dataclasses
from typing import assert_never

from interlock.contract.compiled import Contract, Decision
from interlock.questions import Choice, Json, Noul, Question, Score

__all__ = ["contract_to_json"]


def contract_to_json(contract: Contract) -> dict[str, Json]:
    """Return what `contract` means, in the order of the file."""
    return {
        "title": contract.title,
        "schema": contract.schema,
        "decisions": {name: _decision(decision) for name, decision in contract.decisions.items()},
        "generator": contract.generator,
        "warnings": [item.code for item in contract.diagnostics],
        "digest": contract.digest,
    }


def _decision(decision: Decision) -> dict[str, Json]:
    entry = dataclasses.asdict(decision)
    asked = {name: _question(question) for name, question in decision.questions.items()}
    return {**entry, "questions": asked}


def _question(question: Question) -> dict[str, Json]:
    return {"type": _type(question), **dataclasses.asdict(question)}


def _type(question: Question) -> str:
    match question:
        case Noul():
            return "noul"
        case Choice():
            return "choice"
        case Score():
            return "score"
        case _:
            assert_never(question)
