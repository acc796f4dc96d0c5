"""The flight recorder: records, the chain that ties them, and the stores that keep them."""

from interlock.journal.approval_bodies import (
    BoundCall,
    approval_answered_body,
    approval_consumed_body,
    approval_expired_body,
    approval_requested_body,
    judgement_json,
)
from interlock.journal.approval_desk import approve, deny, every_approval, open_approvals
from interlock.journal.approvals import Answer, Approval, approvals_of, find_approval
from interlock.journal.base import Journal, JournalView
from interlock.journal.binding import call_binding
from interlock.journal.bodies import (
    Accounting,
    CallTarget,
    ToolCall,
    accounting_json,
    audit_body,
    budget_body,
    error_body,
    generation_body,
    run_ended_body,
    run_started_body,
    tool_about_to_run_body,
    tool_result_body,
)
from interlock.journal.chain import Head
from interlock.journal.decision_body import SEQUENTIAL, Planned, decision_body
from interlock.journal.place import open_journal, read_journal
from interlock.journal.recording import Clock, OnEvent, Recorder
from interlock.journal.records import Body, EventType, Record, make_run_id, timestamp
from interlock.journal.store_memory import MemoryJournal
from interlock.journal.store_sqlite import SqliteJournal

__all__ = [
    "SEQUENTIAL",
    "Accounting",
    "Answer",
    "Approval",
    "Body",
    "BoundCall",
    "CallTarget",
    "Clock",
    "EventType",
    "Head",
    "Journal",
    "JournalView",
    "MemoryJournal",
    "OnEvent",
    "Planned",
    "Record",
    "Recorder",
    "SqliteJournal",
    "ToolCall",
    "accounting_json",
    "approval_answered_body",
    "approval_consumed_body",
    "approval_expired_body",
    "approval_requested_body",
    "approvals_of",
    "approve",
    "audit_body",
    "budget_body",
    "call_binding",
    "decision_body",
    "deny",
    "error_body",
    "every_approval",
    "find_approval",
    "generation_body",
    "judgement_json",
    "make_run_id",
    "open_approvals",
    "open_journal",
    "read_journal",
    "run_ended_body",
    "run_started_body",
    "timestamp",
    "tool_about_to_run_body",
    "tool_result_body",
]
