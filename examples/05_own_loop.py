"""A loop that is not ours: its own state, positions, graph and rules, gated by its own contract beside it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from interlock import Capabilities, Cell, FloorSpec, Host, ProjectionSpec, ProviderSpec, compile_contract, decide
from interlock.questions import Choice, Content, Noul, Question
from interlock.testing import ScriptedJudge

HOST = Host(
    capabilities=Capabilities(
        cells={
            "ticket": Cell(type="text", provenance="caller"),
            "orders": Cell(type="list", provenance="tool"),
            "amount": Cell(type="number", provenance="host"),
            "desks": Cell(type="list", provenance="host"),
            "hour": Cell(type="number", provenance="host"),
        },
        projections={
            "lastOrders": ProjectionSpec(cell="orders", shape="text", default="no orders"),
            "amountRisk": ProjectionSpec(cell="amount", shape="number", absent=True),
        },
        providers={"staffedDesks": ProviderSpec(reads=("desks",))},
        positions={
            "host:arrival": ("host:sort", "host:wait"),
            "host:sorting": ("host:hand_over",),
            "host:payout": ("host:pay", "ask_human"),
        },
        rules=("opening_hours",),
        floors={"refund.risk": FloorSpec(projection="amountRisk", absent=2)},
    ),
    projections={
        "lastOrders": lambda orders: "; ".join(orders[-3:]) or None,
        "amountRisk": lambda amount: 2 if amount > 50 else 1,
    },
    providers={"staffedDesks": lambda cells: {desk: f"questions for {desk}" for desk in cells["desks"]}},
    rules={"opening_hours": lambda cells: "host:sort" if 8 <= cells["hour"] < 18 else None},
)
GRAPH = {"host:sort": "desk", "host:hand_over": "refund"}
WORDS = {"billing": ("charged", "refund", "money"), "shipping": ("parcel", "late", "damaged")}
TICKETS: list[dict[str, Any]] = [
    {"ticket": "I was charged twice, refund one", "orders": ["A7 paid twice"], "amount": 20, "hour": 10},
    {"ticket": "My parcel is damaged, I want my money back", "orders": ["B2 damaged"], "amount": 180, "hour": 11},
    {"ticket": "Refund the order I never placed", "orders": [], "amount": 20, "hour": 12},
    {"ticket": "My parcel is late", "orders": ["C9 on its way"], "amount": 0, "hour": 23},
]


def answer(seen: Content, _: str, question: Question) -> float | dict[str, float]:
    """Answer from the words of the frame, as this shop's rules do."""
    fields = dict(seen) if isinstance(seen, Mapping) else {}
    if isinstance(question, Choice):
        text = str(fields["ticket"])
        hits = {desk: 1 + 9 * sum(word in text for word in WORDS[desk]) for desk in question.criteria}
        return {desk: count / sum(hits.values()) for desk, count in hits.items()}
    owed = any(word in str(fields["untrusted_tool_output"]) for word in ("twice", "damaged"))
    return (0.95 if owed else 0.1) if isinstance(question, Noul) else 0.0


contract = compile_contract(Path(__file__).with_suffix(".md").read_text(encoding="utf-8"), HOST.capabilities)
for ticket in TICKETS:
    node: str | None = "opening_hours"
    while node:
        result = decide(contract, node, ticket | {"desks": list(WORDS)}, ScriptedJudge(answer), host=HOST)
        rule = result.outcome.rule_text if result.outcome else "code"
        print(f"{ticket['ticket'][:32]:32}  {node:13}  {result.action:14}  {rule}")
        node = GRAPH.get(result.action)
