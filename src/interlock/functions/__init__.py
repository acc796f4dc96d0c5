"""One source of truth for what a function says about itself, and everything that reads it."""

from interlock.functions.metadata import AUTO_INJECTED, FunctionMetadata, ParamMetadata
from interlock.functions.reflect import describe
from interlock.functions.toolspec import tool_spec

__all__ = ["AUTO_INJECTED", "FunctionMetadata", "ParamMetadata", "describe", "tool_spec"]
