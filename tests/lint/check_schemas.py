#!/usr/bin/env python3
"""The schemas are valid JSON Schema and accept what we ship (python3-jsonschema as the second opinion).

usage: check_schemas.py SOURCE_ROOT
"""
import json
import pathlib
import sys

import jsonschema
import yaml

root = pathlib.Path(sys.argv[1])


class Loader(yaml.SafeLoader):
    """YAML 1.2 typing for the scalars that our documents have."""


Loader.yaml_implicit_resolvers = {
    key: [(tag, regexp) for tag, regexp in value if tag not in ("tag:yaml.org,2002:timestamp", "tag:yaml.org,2002:bool")]
    for key, value in yaml.SafeLoader.yaml_implicit_resolvers.items()}
Loader.add_implicit_resolver("tag:yaml.org,2002:bool", __import__("re").compile(r"^(?:true|false)$"), list("tf"))

def as_json(value):
    """Keys as texts, as JSON Schema wants them and as our reader takes them."""
    if isinstance(value, dict):
        return {str(key): as_json(item) for key, item in value.items()}
    return [as_json(item) for item in value] if isinstance(value, list) else value


errors = []
schemas = {path.name.removesuffix(".schema.json"): json.loads(path.read_text()) for path in (root / "schemas").glob("*.schema.json")}
for name, schema in schemas.items():
    jsonschema.Draft202012Validator.check_schema(schema)


def check(schema, path):
    for error in jsonschema.Draft202012Validator(schemas[schema]).iter_errors(as_json(yaml.load(path.read_text(), Loader))):
        errors.append(f"{path.relative_to(root)}: {'/'.join(map(str, error.absolute_path))}: {error.message}")


examples = sorted((root / "examples").rglob("*.yaml"))
for path in examples:
    first = path.read_text().split("\n", 1)[0]
    schema = "lab" if path.name == "lab.yaml" else "fabric"
    if "kind: " in path.read_text()[:200] or path.name not in ("lab.yaml", "fabric.yaml"):
        continue
    check(schema, path)
    if not first.startswith("# yaml-language-server: $schema=") or not (path.parent / first.split("=", 1)[1]).resolve().exists():
        errors.append(f"{path.relative_to(root)}: first line must be the modeline of schemas/{schema}.schema.json")
for path in sorted((root / "tests" / "unit" / "plans").glob("*.plan.json")):
    for error in jsonschema.Draft202012Validator(schemas["plan"]).iter_errors(json.loads(path.read_text())):
        errors.append(f"{path.relative_to(root)}: {'/'.join(map(str, error.absolute_path))}: {error.message}")
print("\n".join(errors) or f"{len(schemas)} schemas, {len(examples)} documents")
sys.exit(bool(errors))
