"""Looks for mistakes in an OpenAPI description that no reader of it would survive.

    openapi_lint.py openapi.yaml
"""

import pathlib
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "tools" / "cmake"))
sys.path.insert(0, str(pathlib.Path(__file__).parent))

import jsonschema
from embed_openapi import load
from openapi_schema import plain_schema

ROLES = {"public", "viewer", "operator"}
METHODS = {"get", "put", "post", "delete", "patch"}


class Lint:
    def __init__(self, spec):
        self.spec = spec
        self.problems = []
        self.used = set()

    def say(self, where, what):
        self.problems.append(f"{where}: {what}")

    def resolve(self, where, node):
        """Follows references; None if one leads nowhere."""
        while isinstance(node, dict) and "$ref" in node:
            reference = node["$ref"]
            self.used.add(reference)
            node = self.spec
            for part in reference.removeprefix("#/").split("/"):
                node = node.get(part) if isinstance(node, dict) else None
            if node is None:
                self.say(where, f"{reference} leads nowhere")
        return node

    def walk(self, where, node):
        if isinstance(node, dict):
            if "$ref" in node:
                self.resolve(where, node)
            for key, value in node.items():
                self.walk(f"{where}/{key}", value)
        elif isinstance(node, list):
            for index, value in enumerate(node):
                self.walk(f"{where}/{index}", value)

    def check_schema(self, where, schema):
        try:
            jsonschema.Draft7Validator.check_schema(plain_schema(schema))
        except jsonschema.SchemaError as error:
            self.say(where, f"is no schema: {error.message}")
        self.check_required(where, schema)

    def check_required(self, where, schema):
        """What is required must be described, unless anything is allowed."""
        if isinstance(schema, list):
            for item in schema:
                self.check_required(where, item)
        if not isinstance(schema, dict):
            return
        if schema.get("additionalProperties") is False:
            for name in set(schema.get("required", [])) - set(schema.get("properties", {})):
                self.say(where, f"{name} is required, but not described")
        for value in schema.values():
            self.check_required(where, value)

    def check_operation(self, path, method, operation):
        where = f"{method.upper()} {path}"
        for name in ("operationId", "summary", "responses", "x-role"):
            if name not in operation:
                self.say(where, f"has no {name}")
        role = operation.get("x-role")
        if role not in ROLES:
            self.say(where, f"has the unknown role {role}")
        is_open = {} in operation.get("security", [None]) or operation.get("security") == []
        if is_open != (role == "public"):
            self.say(where, "its security and its role do not fit")
        if method != "get" and role != "operator":
            self.say(where, "changes something, so its role must be operator")
        declared = set()
        for parameter in operation.get("parameters", []):
            parameter = self.resolve(where, parameter)
            if not parameter:
                continue
            if parameter["in"] == "path":
                declared.add(parameter["name"])
                if parameter.get("required") is not True:
                    self.say(where, f"{parameter['name']} is in the path, so it is required")
            self.check_schema(where, parameter["schema"])
        if declared != set(re.findall(r"{(.*?)}", path)):
            self.say(where, "the path's parameters and the described ones differ")
        answers = operation.get("responses", {})
        for status, answer in answers.items():
            answer = self.resolve(where, answer)
            if answer and "description" not in answer:
                self.say(where, f"answer {status} has no description")
            for media in (answer or {}).get("content", {}).values():
                self.check_schema(where, media["schema"])
        expected = [] if role == "public" else ["400", "401", "403", "429", "500", "503"]
        if method != "get":
            expected += ["413", "415"]
        for status in expected:
            if status not in answers:
                self.say(where, f"does not describe the answer {status}")

    def run(self):
        if not str(self.spec.get("openapi", "")).startswith("3.0."):
            self.say("openapi", "must be 3.0")
        ids = []
        for path, operations in self.spec["paths"].items():
            for method, operation in operations.items():
                if method not in METHODS:
                    self.say(path, f"{method} is no method")
                    continue
                ids.append(operation.get("operationId"))
                self.check_operation(path, method, operation)
        for name in {x for x in ids if ids.count(x) > 1}:
            self.say(name, "is the operationId of several operations")
        for name, schema in self.spec["components"].get("schemas", {}).items():
            self.check_schema(f"schema {name}", schema)
        self.walk("", self.spec)
        for kind, entries in self.spec["components"].items():
            for name in entries:
                if kind != "securitySchemes" and f"#/components/{kind}/{name}" not in self.used:
                    self.say(f"{kind}/{name}", "is never used")
        return self.problems


def main():
    problems = Lint(load(sys.argv[1])).run()
    for problem in problems:
        print(f"{sys.argv[1]}: {problem}")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
