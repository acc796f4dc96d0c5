"""Reads what an endpoint takes, strictly: no unknown field, no repeated one, no type turned into another.

Source: journal and safety specification, what an attacker may not do.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache

from pydantic import ValidationError
from pydantic_core import ErrorDetails
from starlette.requests import Request

from interlock._text import plain_number
from interlock.judge.wire import parse_json
from interlock.questions import Json
from interlock.server.site.api.endpoint import Closed, Endpoint, Failed

__all__ = ["read_input"]

MAX_DEPTH = 32
_TYPE = "application/json"
_WHOLE = re.compile(r"-?[0-9]{1,18}")


async def read_input(endpoint: Endpoint, request: Request) -> Closed:
    """Return what an endpoint takes.

    Raises:
        Failed: 415 for another type of body, 400 for one that is no JSON, 422 for a field that is wrong; it is named.
    """
    given: dict[str, Json] = {name: request.path_params[name] for name in endpoint.in_path}
    told = _query(endpoint, request) if endpoint.method == "GET" else await _body(endpoint, request)
    for name in told:
        if name in given or name not in endpoint.takes.model_fields:
            known = ", ".join(f"`{field}`" for field in endpoint.beside) or "none"
            raise Failed(422, f"there is a field that is unknown; known: {known}")
    try:
        return endpoint.takes.model_validate({**given, **told})
    except ValidationError as problem:
        raise Failed(422, "; ".join(_fault(each) for each in problem.errors(include_url=False))) from problem


def _query(endpoint: Endpoint, request: Request) -> dict[str, Json]:
    kinds = _kinds(endpoint.takes)
    found: dict[str, Json] = {}
    for name, text in request.query_params.multi_items():
        if name in found:
            raise Failed(422, "a field of the query is repeated")
        found[name] = _spelt(text, kinds.get(name, "string"))
    return found


@cache
def _kinds(model: type[Closed]) -> Mapping[str, str]:
    """Return field → its JSON type, as the model's schema says it."""
    properties = model.model_json_schema().get("properties", {})
    return {name: str(schema.get("type", "string")) for name, schema in properties.items()}


def _spelt(text: str, kind: str) -> Json:
    """Return the value that a text of the query spells; the text itself where it spells none of that type."""
    if kind == "integer" and _WHOLE.fullmatch(text):
        return int(text)
    if kind == "boolean" and text in ("true", "false"):
        return text == "true"
    if kind == "number":
        number = plain_number(text)
        return text if number is None else number
    return text


async def _body(endpoint: Endpoint, request: Request) -> Mapping[str, Json]:
    if list(request.query_params):
        raise Failed(422, "this endpoint takes nothing in the query")
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    raw = await request.body()
    if not endpoint.beside and not raw:
        return {}
    if kind != _TYPE:
        raise Failed(415, f"send the body as `{_TYPE}`")
    try:
        told = parse_json(raw)
    except ValueError as problem:
        raise Failed(400, f"the body is not JSON: {_why(problem)}") from problem
    if _depth(told) > MAX_DEPTH:
        raise Failed(400, f"the body is nested deeper than {MAX_DEPTH} levels")
    if not isinstance(told, Mapping):
        raise Failed(422, "the body is not a JSON object")
    return told


def _why(problem: ValueError) -> str:
    """Return what is wrong without what was sent."""
    said = str(problem)
    return said.removeprefix("json: ") if said.startswith("json: ") else "it cannot be parsed as UTF-8 and JSON"


def _depth(value: Json) -> int:
    deepest, waiting = 0, [(value, 1)]
    while waiting:
        item, level = waiting.pop()
        deepest = max(deepest, level)
        if isinstance(item, Mapping):
            waiting += [(each, level + 1) for each in item.values()]
        elif isinstance(item, list):
            waiting += [(each, level + 1) for each in item]
    return deepest


def _fault(found: ErrorDetails) -> str:
    place = ".".join(str(part) for part in found["loc"])
    said = found["msg"]
    return f"`{place}`: {said[:1].lower()}{said[1:]}" if place else said
