"""Doubles for tests: a judge and a text model that follow a script, and a clock; `plugin` is loaded by pytest."""

from interlock.judge.scripted import Script, Scripted, ScriptedJudge, Seen
from interlock.models.scripted import ScriptedModel
from interlock.testing.clock import FakeClock
from interlock.testing.replies import calling

__all__ = ["FakeClock", "Script", "Scripted", "ScriptedJudge", "ScriptedModel", "Seen", "calling"]
