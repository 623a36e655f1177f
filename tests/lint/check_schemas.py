#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
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


# Keys by which a document names something of the machine that fabric runs on: a program, a variable or a file. A new one
# has to say here what keeps a stranger's document from using it (docs/decisions/038-a-document-describes.md).
OF_THIS_MACHINE = {
    "password.env": "workflow/trust: only of a trusted document",
    "password.command": "workflow/trust: only of a trusted document",
    "hooks.before_disruption": "only as an action of the agreed plan",
    "hooks.after_disruption": "only as an action of the agreed plan",
    "reboot.command": "only as an action of the agreed plan",
    "ssh.identity_file": "goes to libssh alone, as it is written",
    "firmware.image": "opened beneath the folder of the document",
}
MARKS = ("control host", "machine that fabric runs on", "environment variable", "a file outside of the folder")


def named_here(node, path=()):
    """Paths of keys that take a command, or whose description speaks of this machine."""
    if isinstance(node, list):
        for item in node:
            yield from named_here(item, path)
    if not isinstance(node, dict):
        return
    for key, value in node.get("properties", {}).items():
        said = value.get("description", "").lower()
        is_mapping = "properties" in value or value.get("$ref", "").endswith("/hooks")
        if not is_mapping and (value.get("$ref") == "#/$defs/command" or any(mark in said for mark in MARKS)):
            yield ".".join((*path, key)[-2:])
        yield from named_here(value, (*path, key))
    for key, value in node.items():
        if key == "$defs":
            for name, definition in value.items():
                yield from named_here(definition, (name,))
        elif key != "properties":
            yield from named_here(value, path)


found = set(named_here(schemas["fabric"]))
for key in sorted(found ^ set(OF_THIS_MACHINE)):
    errors.append(f"schemas/fabric.schema.json: {key} names something of this machine and tests/lint/check_schemas.py does not know it"
                  if key in found else f"tests/lint/check_schemas.py: {key} names nothing of this machine any more")
print("\n".join(errors) or f"{len(schemas)} schemas, {len(examples)} documents")
sys.exit(bool(errors))
