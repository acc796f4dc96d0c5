"""Declare, compile, judge, gate, record and replay the decisions of an agent loop."""

from interlock import decision
from interlock.agents import Agent, Runtime, aagent, agent, allm, llm

__all__ = ["Agent", "Runtime", "aagent", "agent", "allm", "decision", "llm"]
