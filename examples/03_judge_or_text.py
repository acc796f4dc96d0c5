"""One menu, answered in two ways: written by a text model, or picked by a judge with probabilities.

A judge reads the options as one question and answers it without writing; the text model is asked only for the
arguments of the picked option, and only when it has any. Offline: both follow a script.
"""

from __future__ import annotations

from interlock import Runtime, decision
from interlock.testing import ScriptedJudge, ScriptedModel

STEPS = {
    "answer": ("WRITE", "the ticket says everything that is needed"),
    "refund": ("money is owed", {"amount": int}),
    "pass_on": decision.abstain("another desk has to look at it", then="PASSED ON"),
}


def show(title: str, picked: decision.Pick) -> None:
    """Print how a pick was made and what it leads to."""
    likely = {} if picked.probabilities is None else dict(picked.probabilities)
    print(f"{title}: {picked.name} by {picked.way}, {likely or 'no probabilities'}, {picked.resolve()}")


def main() -> None:
    """Print the same decision three times, and one that nobody made."""
    written = Runtime(ScriptedModel(['{"call": "refund", "args": {"amount": 20}}']))
    show("text model", decision.pick("Which step?", STEPS, runtime=written))

    judge = ScriptedJudge({"pick": {"answer": 0.7, "refund": 0.2, "pass_on": 0.1}})
    show("judge alone", decision.pick("Which step?", STEPS, runtime=Runtime(ScriptedModel([]), judge=judge)))

    both = Runtime(
        ScriptedModel(['{"call": "refund", "args": {"amount": 15}}']),
        judge=ScriptedJudge({"pick": {"answer": 0.1, "refund": 0.8, "pass_on": 0.1}}),
    )
    show("judge, then text", decision.pick("Which step?", STEPS, runtime=both))

    silent = Runtime(ScriptedModel([]), judge=ScriptedJudge({"pick": None}))
    print(decision.make("Which step?", STEPS, runtime=silent, fallback=lambda error: f"a person decides: {error.kind}"))


if __name__ == "__main__":
    main()
