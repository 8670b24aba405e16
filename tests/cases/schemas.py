"""The JSON Schemas in schema/, which can refer to each other by their `$id`."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator
from referencing import Registry, Resource

FOLDER = Path(__file__).parents[2] / "schema"


@cache
def schemas() -> dict[str, dict[str, Any]]:
    """By the field `schema` of a document: thence.map/1."""
    found = [json.loads(path.read_text()) for path in sorted(FOLDER.glob("*.schema.json"))]
    return {schema["$id"]: schema for schema in found}


@cache
def validator(name: str, definition: str = "") -> Draft202012Validator:
    """The validator for a whole document, or for one of the schema's `$defs`."""
    registry: Registry[Any] = Registry().with_resources(
        (known, Resource.from_contents(schema)) for known, schema in schemas().items()
    )
    schema = schemas()[name]
    if definition:
        schema = {**schema, **schema["$defs"][definition]}
    return Draft202012Validator(schema, registry=registry)


def problems(document: object, name: str, definition: str = "") -> list[str]:
    """The problems of a document, each with its location; none if it conforms."""
    return [
        f"{error.json_path}: {error.message[:300]}"
        for error in validator(name, definition).iter_errors(document)
    ]
