"""The OpenAPI document of the JSON API, made from the endpoints themselves."""

from __future__ import annotations

import inspect
from collections.abc import Iterable
from typing import Any

from clew import __version__
from clew.dashboard.endpoint import Endpoint

_SCHEMAS = "#/components/schemas/{model}"


def openapi_document(endpoints: Iterable[Endpoint]) -> dict[str, Any]:
    """Returns the document: every path with its parameters and the schema of its answer."""
    paths: dict[str, dict[str, Any]] = {}
    schemas: dict[str, Any] = {}
    for endpoint in endpoints:
        paths.setdefault(endpoint.path, {})[endpoint.method.lower()] = _operation(endpoint, schemas)
    return {
        "openapi": "3.1.0",
        "info": {"title": "Clew", "version": __version__},
        "paths": paths,
        "components": {
            "schemas": dict(sorted(schemas.items())),
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
        "security": [{}, {"token": []}],
    }


def _operation(endpoint: Endpoint, schemas: dict[str, Any]) -> dict[str, Any]:
    fields = {name: (_schema(kind, schemas), default) for name, (kind, default) in endpoint.parameters.items()}
    placed = {name for name in fields if f"{{{name}}}" in endpoint.path}
    asked = placed if endpoint.changes else fields
    operation: dict[str, Any] = {
        "summary": endpoint.about.partition(".")[0],
        "description": endpoint.about,
        "operationId": endpoint.answer.__name__,
        "parameters": [
            {
                "name": name,
                "in": "path" if name in placed else "query",
                "required": default is inspect.Parameter.empty,
                "schema": schema,
            }
            for name, (schema, default) in fields.items()
            if name in asked
        ],
        "responses": {
            "200": {"description": "The answer", "content": _json(_schema(endpoint.result, schemas, "serialization"))},
            "400": {"description": "The request cannot be read", "content": _json(_ERROR)},
            "404": {"description": "It is not there", "content": _json(_ERROR)},
        },
    }
    if body := {name: schema for name, (schema, _) in fields.items() if name not in asked}:
        needed = [name for name in body if fields[name][1] is inspect.Parameter.empty]
        operation["requestBody"] = {"content": _json({"type": "object", "properties": body, "required": needed})}
    return operation


_ERROR = {"type": "object", "properties": {"error": {"type": "string"}}, "required": ["error"]}


def _schema(kind: Any, schemas: dict[str, Any], mode: Any = "validation") -> dict[str, Any]:
    """The schema of a type; those that it names are put among ``schemas``."""
    found: dict[str, Any] = kind.json_schema(mode=mode, ref_template=_SCHEMAS)
    schemas.update(found.pop("$defs", {}))
    return found


def _json(schema: dict[str, Any]) -> dict[str, Any]:
    return {"application/json": {"schema": schema}}
