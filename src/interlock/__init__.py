"""Declare, compile, judge, gate, record and replay the decisions of an agent loop."""
