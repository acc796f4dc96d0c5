"""Endpoints of contracts: those on offer, one with its findings, a text that is checked, and the plan of either."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import Field

from interlock.contract.compile import compile_contract
from interlock.judge.base import Caps
from interlock.loop.capabilities import REFERENCE
from interlock.pipeline.plan import PlanName, plan_contract
from interlock.pipeline.plan_json import plan_to_json
from interlock.questions import Json
from interlock.server.site.api.endpoint import Closed, Endpoint, Failed, Given
from interlock.server.site.api.models import Body, Name, Nothing
from interlock.server.site.contract_view import CheckView, Finding, check_view
from interlock.server.site.contracts import MAX_TEXT_BYTES, check_text, list_contracts
from interlock.server.site.desk import Desk
from interlock.server.site.start import contract_text

__all__ = ["endpoints", "offered_text"]


class ContractFinding(Closed):
    code: str
    severity: str = Field(description="One of `error`, `warning`, `info`.")
    line: int
    column: int
    end_column: int
    decision: str | None
    message: str
    fix: str = Field(description="What would be right; empty when the message says it.")


class ContractCheck(Closed):
    verdict: str = Field(description="`ok`, `error`, or `schema` for a file that this release cannot read.")
    schema_: str | None = Field(alias="schema", description="As the text names it.")
    says: str = Field(description="What the text amounts to, as a sentence.")
    decisions: int
    gates: int
    digest: str | None = Field(description="Of what it compiles to; null with an error.")
    findings: list[ContractFinding]
    more: int = Field(description="Findings that are not listed.")


class ContractShort(Closed):
    name: str
    is_shipped: bool
    check: ContractCheck | None
    problem: str = Field(description="Why there is no check; empty where there is one.")


class ContractList(Closed):
    contracts: list[ContractShort]


class ThisContract(Closed):
    contract: Name = Field(description="Its name, which may hold slashes.")


class ContractDetail(Closed):
    name: str
    text: str
    check: ContractCheck


class ContractText(Closed):
    text: str = Field(max_length=MAX_TEXT_BYTES, description="What is checked.")


class PlanQuery(Closed):
    contract: str = Field(default="", max_length=300, description="One that the server offers; empty with a `text`.")
    text: str = Field(default="", max_length=MAX_TEXT_BYTES, description="What is planned, where none is named.")
    plan: PlanName = Field(default="next", description="How far is asked ahead.")


class ContractPlan(Closed):
    plan: str
    contract_digest: str
    decisions: list[Body]
    waves: list[Body]
    ahead: dict[str, list[str]]
    pairs: list[Body]


def endpoints(desk: Desk) -> Sequence[Endpoint]:
    """Return the endpoints."""
    room = _Room(desk)
    path = "/api/v1/contracts"
    return [
        Endpoint(
            method="GET", path=path, name="listContracts", says="Lists the contracts on offer.", tag="contracts",
            takes=Nothing, gives=ContractList, handle=room.listed,
        ),
        Endpoint(
            method="POST", path="/api/v1/check", name="checkContract", says="Checks a text, which is kept nowhere.",
            tag="contracts", takes=ContractText, gives=ContractCheck, handle=room.check, is_heavy=True,
        ),
        Endpoint(
            method="POST", path="/api/v1/plan", name="planContract",
            says="Tells which decisions are asked together or ahead, and why the others are not.",
            tag="contracts", takes=PlanQuery, gives=ContractPlan, handle=room.plan, is_heavy=True, refusals=(404,),
        ),
        Endpoint(
            method="GET", path=f"{path}/{{contract}}", name="getContract", says="Shows a contract with its findings.",
            tag="contracts", takes=ThisContract, gives=ContractDetail, handle=room.one,
        ),
    ]  # fmt: skip


def offered_text(desk: Desk, name: str) -> str:
    """Return the text of a contract that the desk offers.

    Raises:
        Failed: there is none of that name.
        InterlockError: its file cannot be read.
    """
    if name not in desk.contracts:
        raise Failed(404, f"this server does not offer such a contract; it offers {', '.join(desk.contracts)}")
    return contract_text(desk, name)


class _Room:
    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    def listed(self, _: Nothing) -> Given:
        return {
            "contracts": [
                {
                    "name": offer.name,
                    "is_shipped": offer.place is None,
                    "check": None if offer.check is None else _check(offer.check),
                    "problem": offer.problem,
                }
                for offer in list_contracts(self._desk)
            ]
        }

    def one(self, asked: ThisContract) -> Given:
        text = offered_text(self._desk, asked.contract)
        return {"name": asked.contract, "text": text, "check": _check(check_view(check_text(text)))}

    def check(self, asked: ContractText) -> Given:
        return _check(check_view(check_text(asked.text)))

    def plan(self, asked: PlanQuery) -> Given:
        if bool(asked.contract) == bool(asked.text):
            raise Failed(422, "give either a `contract` or a `text`")
        text = asked.text or offered_text(self._desk, asked.contract)
        return plan_to_json(plan_contract(compile_contract(text, REFERENCE), Caps(), name=asked.plan))


def _check(view: CheckView) -> dict[str, Json]:
    result = view.result
    return {
        "verdict": result.verdict,
        "schema": result.schema,
        "says": result.sentence,
        "decisions": result.decisions,
        "gates": result.gates,
        "digest": None if result.contract is None else result.contract.digest,
        "findings": [_finding(each) for each in view.findings],
        "more": view.more,
    }


def _finding(each: Finding) -> Json:
    return {
        "code": each.code,
        "severity": each.severity,
        "line": each.line,
        "column": each.column,
        "end_column": each.end_column,
        "decision": each.decision,
        "message": each.message,
        "fix": each.fix,
    }
