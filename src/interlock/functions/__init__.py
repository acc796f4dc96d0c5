"""One source of truth for what a function says about itself, and everything that reads it."""

from interlock.functions.form import FormField, FormModel, form_model
from interlock.functions.form_read import FormValues, read_form
from interlock.functions.form_source import FormWarning, SourceForms, form_models_from_source
from interlock.functions.lint import lint
from interlock.functions.metadata import AUTO_INJECTED, FunctionMetadata, ParamMetadata
from interlock.functions.reflect import describe
from interlock.functions.skills import Skill, SkillError, skills
from interlock.functions.toolspec import tool_spec

__all__ = [
    "AUTO_INJECTED",
    "FormField",
    "FormModel",
    "FormValues",
    "FormWarning",
    "FunctionMetadata",
    "ParamMetadata",
    "Skill",
    "SkillError",
    "SourceForms",
    "describe",
    "form_model",
    "form_models_from_source",
    "lint",
    "read_form",
    "skills",
    "tool_spec",
]
