"""Schemas of OpenAPI 3.0 as plain JSON Schema."""

import datetime
import re
import uuid

import jsonschema


def plain_schema(node):
    """The same schema with `nullable` said the way JSON Schema does."""
    if isinstance(node, list):
        return [plain_schema(item) for item in node]
    if not isinstance(node, dict):
        return node
    result = {key: plain_schema(value) for key, value in node.items() if key != "nullable"}
    if node.get("nullable") is not True:
        return result
    if "enum" in result and None not in result["enum"]:
        result["enum"] = result["enum"] + [None]
    if "allOf" in result:
        return {"anyOf": [{"allOf": result.pop("allOf")}, {"type": "null"}]}
    if isinstance(result.get("type"), str):
        result["type"] = [result["type"], "null"]
    return result


formats = jsonschema.FormatChecker(formats=())


@formats.checks("uuid")
def is_uuid(text):
    if not isinstance(text, str):
        return True
    try:
        return str(uuid.UUID(text)) == text
    except ValueError:
        return False


@formats.checks("date-time")
def is_time(text):
    if not isinstance(text, str):
        return True
    if not re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?Z", text):
        return False
    try:
        datetime.datetime.fromisoformat(text[:19])
        return True
    except ValueError:
        return False


def problems_with(spec, schema, value):
    """What is wrong with a value, as texts."""
    whole = {"components": plain_schema(spec["components"]), "allOf": [plain_schema(schema)]}
    validator = jsonschema.Draft7Validator(whole, format_checker=formats)
    return [
        f"{'/'.join(str(x) for x in error.absolute_path) or '.'}: {error.message[:300]}"
        for error in validator.iter_errors(value)
    ]
