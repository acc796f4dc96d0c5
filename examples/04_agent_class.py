"""An agent as a class: methods that are tools, options and plain functions, on one Runtime that remembers the session.

Shows a tool that needs a person's yes, a parameter that no model can fill, and the graph that a run leaves.
Offline: the model follows a script, the person is a function.
"""

from __future__ import annotations

from interlock import Agent, Runtime, agent, llm
from interlock.agents import ApprovalRequest
from interlock.testing import ScriptedModel, calling


class Clerk(Agent):
    """Answers tickets of a shop."""

    method_options = {  # noqa: RUF012  (read once, by the base class)
        "orders": {
            "tool": True,
            "input": {"name": {"description": "The customer's name"}, "tenant": {"hidden": True}},
        },
        "refund": {
            "requires_approval": True,
            "input": {"amount": {"description": "In euros"}},
        },
        "answer": {"system": "Write two polite sentences."},
    }

    def orders(self, name: str, tenant: str = "shop-1") -> list[str]:
        """List the orders of a customer."""
        return [f"{tenant}/{name}/A-17: lost"]

    def refund(self, amount: int) -> str:
        """Pay money back; the order was lost or damaged."""
        return f"paid {amount}"

    def answer(self, ticket: str) -> str:
        """Answer the customer; nothing else has to happen."""
        return str(llm(f"Answer this ticket:\n{ticket}"))

    def handle(self, ticket: str) -> str:
        """Look a ticket up, then take the next step."""
        return str(agent(f"{ticket}\nLook it up.", choices=[self.refund, self.answer]))


def approve(request: ApprovalRequest) -> bool:
    """Say yes to small amounts; a person would be asked here."""
    amount = request.arguments["amount"]
    allowed = isinstance(amount, int) and amount <= 50
    print(f"approve {request.name}({dict(request.arguments)})? {'yes' if allowed else 'no'}")
    return allowed


def main() -> None:
    """Handle one ticket and print what the session keeps of it."""
    model = ScriptedModel(
        [
            calling(("orders", '{"name": "Ada", "tenant": "another-shop"}')),
            'The order was lost. {"call": "refund", "args": {"amount": 20}}',
        ]
    )
    runtime = Runtime(model, system="You work at the desk of a shop.", approver=approve, context_name="terminal")
    print(Clerk(runtime).handle("Ada: my parcel never came."))
    for node in runtime.nodes:
        print(f"{node.seq} {node.kind} {node.name}, called by {node.caller}: {node.status}, {node.output!r}")


if __name__ == "__main__":
    main()
