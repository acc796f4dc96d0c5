"""Derives again, with the host that a run had, what a record alone cannot prove: contract, policy, frame and floors.

Calls the host's projections and nothing else of it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from interlock.contract.compile import compile_contract
from interlock.contract.compiled import Contract, Decision
from interlock.errors import ContractError, SettingsError
from interlock.frame.build import build_frame
from interlock.frame.spec import FrameSpec, StateView
from interlock.journal.cells import recorded_cells
from interlock.journal.decision_read import RecordedDecision
from interlock.journal.fields import number, optional_whole, section, text
from interlock.journal.records import Body
from interlock.journal.verify_decision import Checked
from interlock.pipeline.floors import floors_for
from interlock.pipeline.host import Host
from interlock.questions import Json

__all__ = ["HostRederiver"]


class HostRederiver:
    """Checks the runs of one host."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self._contract: Contract | None = None
        self._why = "the run does not say under which contract it was taken"
        self._same_tools = False

    def start(self, body: Body) -> Checked:
        """Compile the run's contract again; a run of another host can only be checked without it."""
        overrides = section(body, "overrides")
        self._same_tools = _risks(body) == {name: tool.base_risk for name, tool in self._host.tools.items()}
        self._contract = None
        try:
            contract = compile_contract(
                text(body, "contract_text"),
                self._host.capabilities,
                overrides={key: number(overrides, key) for key in overrides},
            )
        except (ContractError, SettingsError):
            self._why = "its contract does not compile for the host at hand"
            return Checked(unchecked=[f"contract: {self._why}"])
        if contract.digest != text(body, "contract_digest"):
            self._why = "its contract was compiled for another host, or by another release"
            return Checked(unchecked=[f"contract: {self._why}"])
        self._contract = contract
        return Checked()

    def decision(self, recorded: RecordedDecision) -> Checked:
        """Compare policy, frame and floors with those of the contract and the recorded state."""
        checked = Checked()
        decision = None if self._contract is None else self._contract.decisions.get(recorded.result.decision)
        if decision is None:
            if self._contract is not None:
                checked.wrong.append("decision: is not in the contract of the run")
            elif recorded.cells is not None:
                checked.unchecked.append(f"frame: was not built again: {self._why}")
            return checked
        if recorded.policy is not None and recorded.policy != decision.policy:
            checked.wrong.append("policy: is not that of the contract")
        if recorded.cells is not None and recorded.result.frame is not None:
            self._check_frame(recorded, recorded.cells, decision, checked)
        return checked

    def _check_frame(
        self, recorded: RecordedDecision, written: Mapping[str, Json], decision: Decision, checked: Checked
    ) -> None:
        if decision.frame is None:
            checked.wrong.append("frame: the contract has none")
            return
        cells, missing = recorded_cells(written)
        why = self._unbuildable(decision.frame, missing)
        if why is not None:
            checked.unchecked.append(f"frame: was not built again: {why}")
            return
        if build_frame(decision.id, decision.frame, self._view(cells)) != recorded.result.frame:
            checked.wrong.append("frame: is not the one that the recorded state gives")
        if floors_for(decision, self._host, cells) != recorded.result.floors:
            checked.wrong.append("floors: are not those that the recorded state gives")

    def _unbuildable(self, spec: FrameSpec, missing: Sequence[str]) -> str | None:
        if not self._same_tools:
            return "the run had other tools"
        lost = [field.cell for field in spec.fields if field.cell in missing]
        return f"cell `{lost[0]}` has no JSON form" if lost else None

    def _view(self, cells: Mapping[str, Json]) -> StateView:
        return StateView(cells=cells, projections=self._host.projections)


def _risks(body: Body) -> dict[str, int | None]:
    tools = section(body, "tools")
    return {name: optional_whole(tools, name) for name in tools}
