"""The field language of options and functions, pydantic's adapters, and JSON Schema, kept in step."""

from interlock.schema.annotation import AdapterError, Annotation, adapter_for
from interlock.schema.fields import ABSENT, Absent, Accepted, Field, FieldValues, field_for, read_value, read_values
from interlock.schema.json_schema import Hoisted, JsonNode, JsonSchema, forms_of, hoisted, schema_of, without_defaults
from interlock.schema.language import schema_fields
from interlock.schema.problems import Problem, ProblemKind

__all__ = [
    "ABSENT",
    "Absent",
    "Accepted",
    "AdapterError",
    "Annotation",
    "Field",
    "FieldValues",
    "Hoisted",
    "JsonNode",
    "JsonSchema",
    "Problem",
    "ProblemKind",
    "adapter_for",
    "field_for",
    "forms_of",
    "hoisted",
    "read_value",
    "read_values",
    "schema_fields",
    "schema_of",
    "without_defaults",
]
