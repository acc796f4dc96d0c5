"""Writes the nodes of a session into a journal; a store that fails never breaks a call.

Source: next-step specification, section 17; journal specification, event types.
"""

from __future__ import annotations

import logging
from typing import cast

from interlock.functions.visibility import Node
from interlock.journal.recording import Recorder
from interlock.journal.records import Body
from interlock.questions import Json

__all__ = ["NodeWriter"]

log = logging.getLogger("interlock")


class NodeWriter:
    """Writes `node_started` and `node_ended`; a call given up that still ends has a second `node_ended`, `late`."""

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder

    def __call__(self, node: Node) -> None:
        """Write one node as it is now; a failure is logged by its type."""
        is_open = node.status == "running"
        try:
            self._recorder.record(*(("node_started", _started(node)) if is_open else ("node_ended", _ended(node))))
        except Exception as error:  # noqa: BLE001  (no record is worth more than the call it tells of)
            log.warning("journal: node %d was not written: `%s`", node.seq, type(error).__name__)


def _started(node: Node) -> Body:
    return {
        "node": node.seq,
        "kind": node.kind,
        "name": node.name,
        "caller": node.caller,
        "input": cast("Json", node.input),
        "hidden": cast("Json", node.hidden),
        "expose": node.expose,
        "doc": node.doc,
    }


def _ended(node: Node) -> Body:
    return {
        "node": node.seq,
        "status": node.status,
        "output": cast("Json", node.output),
        "facts": cast("Json", node.facts),
        "duration_s": node.duration_s,
    }
