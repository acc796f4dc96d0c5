"""Agents: methods that run on a Runtime, full turns, and the session graph they leave."""

from interlock.agents.agent import Agent
from interlock.agents.approving import ApprovalRequest
from interlock.agents.calls import aagent, agent, allm, llm
from interlock.agents.runtime import Runtime

__all__ = ["Agent", "ApprovalRequest", "Runtime", "aagent", "agent", "allm", "llm"]
