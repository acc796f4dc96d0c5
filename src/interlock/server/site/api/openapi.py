"""The OpenAPI 3.1 document of the endpoints, made from their models; nothing in it is written by hand twice.

Pure.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pydantic import BaseModel, Field
from pydantic.json_schema import JsonSchemaMode, models_json_schema

from interlock.server.site.api.endpoint import REFUSALS, Closed, Endpoint

__all__ = ["ErrorText", "document"]

_REF = "#/components/schemas/{model}"


class ErrorText(Closed):
    """What is wrong, and where that helps, what would be right."""

    error: str = Field(description="One sentence for a person.")


def document(endpoints: Sequence[Endpoint], *, version: str) -> dict[str, Any]:
    """Return the document."""
    models: list[type[Closed]] = [ErrorText]
    models += [model for each in endpoints for model in (each.takes, each.gives)]
    wanted: list[tuple[type[BaseModel], JsonSchemaMode]] = [(model, "validation") for model in dict.fromkeys(models)]
    names, schemas = models_json_schema(wanted, ref_template=_REF)
    defined: dict[str, Any] = schemas.get("$defs", {})
    refs: dict[type[Closed], str] = {model: names[model, "validation"]["$ref"].rsplit("/", 1)[1] for model in models}
    taken = {refs[each.takes] for each in endpoints}
    paths: dict[str, dict[str, Any]] = {}
    for each in endpoints:
        paths.setdefault(each.path, {})[each.method.lower()] = _operation(each, refs, defined[refs[each.takes]])
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Interlock",
            "version": version,
            "description": "Runs, approvals, contracts, functions, prompts and experiments of one journal.",
        },
        "tags": [{"name": tag} for tag in dict.fromkeys(each.tag for each in endpoints)],
        "security": [{}, {"key": []}, {"session": []}],
        "paths": paths,
        "components": {
            "schemas": {name: schema for name, schema in defined.items() if name not in taken},
            "responses": dict(_refusals()),
            "securitySchemes": {
                "key": {"type": "http", "scheme": "bearer"},
                "session": {"type": "apiKey", "in": "cookie", "name": "interlock_session"},
            },
        },
    }


def _operation(each: Endpoint, refs: Mapping[type[Closed], str], taken: Mapping[str, Any]) -> dict[str, Any]:
    kind = "application/json" if each.stream is None else "text/event-stream"
    content = {"schema": {"$ref": _REF.format(model=refs[each.gives])} if each.stream is None else {"type": "string"}}
    found: dict[str, Any] = {
        "operationId": each.name,
        "summary": each.says,
        "tags": [each.tag],
        "parameters": list(_parameters(each, taken)),
        "responses": {
            str(each.status): {"description": each.says, "content": {kind: content}},
            **{str(status): {"$ref": f"#/components/responses/{status}"} for status in each.statuses},
        },
    }
    if each.method == "POST":
        body = {"application/json": {"schema": _of(each.beside, taken)}}
        found["requestBody"] = {"required": bool(each.beside), "content": body}
    return found


def _parameters(each: Endpoint, taken: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    for name in each.in_path:
        yield {"name": name, "in": "path", "required": True, "schema": taken["properties"][name]}
    if each.method == "GET":
        for name in each.beside:
            required = name in taken.get("required", ())
            yield {"name": name, "in": "query", "required": required, "schema": taken["properties"][name]}


def _of(fields: Sequence[str], taken: Mapping[str, Any]) -> dict[str, Any]:
    """Return the schema of some of the fields of a model."""
    return {
        "type": "object",
        "properties": {name: taken["properties"][name] for name in fields},
        "required": [name for name in taken.get("required", ()) if name in fields],
        "additionalProperties": False,
    }


def _refusals() -> Iterator[tuple[str, dict[str, Any]]]:
    schema = {"$ref": _REF.format(model=ErrorText.__name__)}
    for status, says in REFUSALS.items():
        yield str(status), {"description": says, "content": {"application/json": {"schema": schema}}}
