"""A plan in words: what part a request has in its wave, and why decisions do or do not share one.

Pure.
Source: reference loop specification, the planner.
"""

from __future__ import annotations

from collections import defaultdict

from interlock.pipeline.plan import CALLS_AHEAD, Group, PlannedWave
from interlock.pipeline.plan_pairs import Pair

__all__ = ["condition_text", "refusal_text", "role_text"]


def role_text(wave: PlannedWave, group: Group) -> str:
    """Return what is asked ahead in a request, and what must agree for it; empty for neither."""
    ahead = [one for one in group.decisions if one != wave.due]
    roles = [] if not ahead else ["ahead" if len(ahead) == len(group.decisions) else f"`{ahead[0]}` ahead"]
    if "grade_risk" in ahead:
        roles.append(f"for at most {CALLS_AHEAD} calls")
    if group.equalities:
        fields = dict.fromkeys(f"`{one.field}`" for one in group.equalities)
        roles.append(f"one request while {_listed(list(fields))} agree")
    return ", ".join(roles)


def condition_text(pair: Pair) -> str:
    """Return when two decisions may share a request."""
    return "; ".join(f"while `{one.field}` agrees ({one.why})" for one in pair.equalities) or "always"


def refusal_text(pair: Pair) -> str:
    """Return why two decisions may not share a request."""
    excluded: dict[str, list[str]] = defaultdict(list)
    others: list[str] = []
    for refusal in pair.refusals:
        if refusal.by is None:
            others.append(refusal.text)
        else:
            excluded[refusal.by].append(f"`{refusal.subject}`")
    hidden = [f"`{by}` excludes {_listed(cells)}" for by, cells in excluded.items()]
    return "; ".join((*hidden, *others))


def _listed(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
