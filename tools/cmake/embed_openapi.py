"""Writes a C++ source that holds an OpenAPI description, given as YAML, as JSON text.

    embed_openapi.py openapi.yaml openapi.cpp
"""

import json
import sys

import yaml


class Loader(yaml.SafeLoader):
    """Leaves dates as text, and refuses a key that is there twice, of which YAML drops one."""


def unique_mapping(loader, node):
    keys = [loader.construct_object(key) for key, _ in node.value]
    for key in keys:
        if keys.count(key) > 1:
            raise ValueError(f"{key} is there twice{node.start_mark}")
    return {
        loader.construct_object(key): loader.construct_object(value, deep=True)
        for key, value in node.value
    }


Loader.add_constructor(yaml.resolver.BaseResolver.DEFAULT_MAPPING_TAG, unique_mapping)
Loader.yaml_implicit_resolvers = {
    first: [(tag, regexp) for tag, regexp in resolvers if tag != "tag:yaml.org,2002:timestamp"]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


def load(path):
    with open(path, encoding="utf-8") as file:
        return yaml.load(file, Loader)


def main():
    source, target = sys.argv[1:]
    text = json.dumps(load(source), separators=(",", ":"))
    # Of limited length: compilers have a limit for one literal.
    pieces = [text[i : i + 8000] for i in range(0, len(text), 8000)]
    literals = "\n".join(f'      R"json({piece})json"' for piece in pieces)
    with open(target, "w", encoding="utf-8") as file:
        file.write(
            '#include "http/api/openapi.hpp"\n\nnamespace notify::http {\n\n'
            "std::string_view openapi_json() {\n"
            f"  static constexpr std::string_view text =\n{literals};\n"
            "  return text;\n}\n\n} // namespace notify::http\n"
        )


if __name__ == "__main__":
    main()
