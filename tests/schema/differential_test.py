#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Our validator and python3-jsonschema agree on the same schema over thousands of documents.

differential_test.py DOCUMENT_PROBE SOURCE_DIR

Documents are made from the schema itself (every branch of it can come up) and then damaged, a few
damages each. They are written as JSON, which is YAML that both YAML 1.1 and 1.2 read alike, so that
only the validators are compared. The seed is fixed. Where the two may differ is listed in
DIFFERENCES, each with its reason, and counted.
"""
import copy
import json
import pathlib
import random
import subprocess
import sys
import tempfile

try:
    import jsonschema
except ImportError:
    print("skipped: python3-jsonschema is not installed")
    sys.exit(77)

DOCUMENTS = 4000
NAMES = ["a", "b", "pve[1-4]", "leaf1", "cx5", "storage", "rack", "net.core.rmem_max", "p-1", "ALL"]
TEXTS = ["a", "", "a/1", "leaf1/[1-36]", "10.30.0.0/24", "10.30.0.7", "15m", "90s", "1 h", "full",
         "limited", "fabric/v1", "chain", "linux", "sudo", "auto", "default", "[1-4]", "bond0",
         "eth40a", "0x8001", "connectx-5-vpi", "äö", "name with blank", "a\tb", "x" * 40,
         "node", "port", "yes", "null", "7", "1.5", "-"]
# One text per pattern of the schema that fits it; a new pattern has to be added here.
FITTING = {
    "^[A-Za-z0-9][A-Za-z0-9._-]*$": "pve-ring",
    "^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$": "rack.row",
    "^[A-Za-z0-9][A-Za-z0-9_-]{0,62}$": "backup-1",
    "^[A-Za-z][A-Za-z0-9_]{0,63}$": "lmc",
    "^[A-Za-z0-9_.*/:@+-]+$": "net.core.rmem_max",
    "^[0-9]+(ms|s|m|h)$": "15m",
    "\\[": "[1-4]",
    "^[A-Za-z][A-Za-z0-9_]*(\\[[0-9.]+\\])?$": "NUM_OF_VFS",
    "^[A-Za-z_][A-Za-z0-9_]*$": "i",
    "^[1-4]$": "1",
    "^[0-9]+([.,][0-9]+)? ?(m|cm|mm|km|ft|in|mi)?$": "0.5m",
    "^[A-Za-z][A-Za-z0-9_.-]{0,14}$": "eth40a",
    "^[A-Za-z0-9_-]+$": "mlx5_core",
    "^[A-Za-z0-9_.-]{1,64}$": "storage",
    "^[A-Za-z0-9_-]+( *, *[A-Za-z0-9_-]+)*$": "ftree, updn",
    "^0[xX][0-9a-fA-F]{1,16}$": "0xfe80000000000000",
    "^[A-Za-z0-9]([A-Za-z0-9+._-]*[A-Za-z0-9+._])?$": "rdma-core",
    "^[0-9A-Fa-f]{2}(:[0-9A-Fa-f]{2}){5}$": "00:00:5e:00:01:5d",
    "^[0-9.]+/[0-9]+$": "192.0.2.82/24",
    "^(SHA256:)?[0-9A-Fa-f]{2}(:[0-9A-Fa-f]{2}){31}$": "SHA256:" + ":".join(["0B", "e5"] * 16),
}


def has_fraction(value):
    if isinstance(value, float):
        return True
    if isinstance(value, dict):
        return any(has_fraction(item) for item in value.values())
    return isinstance(value, list) and any(has_fraction(item) for item in value)


def has_final_newline(value):
    if isinstance(value, str):
        return value.endswith("\n")
    if isinstance(value, dict):
        return any(has_final_newline(k) or has_final_newline(v) for k, v in value.items())
    return isinstance(value, list) and any(has_final_newline(item) for item in value)


def has_several_lines(value):
    if isinstance(value, str):
        return any(ord(c) < 32 or 127 <= ord(c) < 160 for c in value)
    if isinstance(value, dict):
        return any(has_several_lines(item) for item in value.values())
    return isinstance(value, list) and any(has_several_lines(item) for item in value)


# (name, reason, which documents, which verdict of ours it may change)
DIFFERENCES = [
    ("fraction",
     "a plain number with a fraction is refused as an unquoted version (`28.40`), also where JSON "
     "Schema takes 1.0 for an integer: how a number is written is not in its data model",
     has_fraction, lambda slugs: slugs == ["ambiguous-scalar"]),
    ("final newline",
     "`$` in Python matches before a final newline; in ECMAScript, which the schema is written in, "
     "and in our matcher it does not",
     has_final_newline, lambda slugs: slugs == ["out-of-range"] or slugs == ["unknown-key"]),
    ("several lines",
     "a text is one line without control characters, but for a command: no pattern of JSON Schema says that of all texts",
     has_several_lines, lambda slugs: set(slugs) == {"out-of-range"}),
]


class Generator:
    """Values that fit the schema, chosen by chance."""

    def __init__(self, schema, chance):
        self.schema, self.chance = schema, chance

    def make(self, rule, depth=0):
        rule = self.resolve(rule)
        if "const" in rule:
            return rule["const"]
        if "enum" in rule:
            return self.chance.choice(rule["enum"])
        if "anyOf" in rule:
            return self.make(self.chance.choice(rule["anyOf"]), depth)
        kind = rule.get("type", "string")
        if isinstance(kind, list):
            kind = self.chance.choice(kind if depth else kind[:1])
        return getattr(self, "make_" + kind)(rule, depth)

    def resolve(self, rule):
        while "$ref" in rule:
            rule = self.schema["$defs"][rule["$ref"].rsplit("/", 1)[1]]
        return rule

    def make_null(self, rule, depth):
        return None

    def make_boolean(self, rule, depth):
        return self.chance.random() < 0.5

    def make_integer(self, rule, depth):
        low = rule.get("minimum", -5)
        return self.chance.choice([low, rule.get("maximum", low + 9000),
                                   low + self.chance.randrange(2)])

    def make_string(self, rule, depth):
        if "pattern" in rule:
            return FITTING[rule["pattern"]]
        return self.chance.choice([text for text in TEXTS if len(text) >= rule.get("minLength", 0)])

    def make_array(self, rule, depth):
        low = rule.get("minItems", 0)
        count = min(low + self.chance.randrange(3), rule.get("maxItems", 99))
        return [self.make(rule["items"], depth + 1) for _ in range(count)]

    def make_object(self, rule, depth):
        value = {}
        properties = dict(rule.get("properties", {}))
        for pattern, property_rule in rule.get("patternProperties", {}).items():
            properties[FITTING[pattern]] = property_rule
        optional = [key for key in properties if key not in rule.get("required", [])]
        self.chance.shuffle(optional)
        count = min(self.chance.randrange(4 if depth else 7), len(optional))
        count = max(count, rule.get("minProperties", 0))
        for key in rule.get("required", []) + optional[:min(count, rule.get("maxProperties", 99))]:
            value[key] = self.make(properties[key], depth + 1)
        if isinstance(rule.get("additionalProperties"), dict):
            name_rule = rule.get("propertyNames", {})
            names = [FITTING[name_rule["pattern"]]] if name_rule else NAMES
            for _ in range(max(self.chance.randrange(3), rule.get("minProperties", 0))):
                value[self.chance.choice(names)] = self.make(rule["additionalProperties"], depth + 1)
        return value


class Damage:
    """Changes one place of a document; most changes make it invalid, some do not."""

    def __init__(self, chance):
        self.chance = chance

    def some_value(self):
        return self.chance.choice(
            [None, True, 0, 1, -1, 2, 15, 16, 4094, 4095, 65536, 10**20, 1.0, 1.5, [], {}, [1],
             ["a", "b"], {"a": 1}, {"ring": ["a"]}, {"ends": ["a/1", "b/1"]}, "15m\n",
             *self.chance.sample(TEXTS, 6)])

    def places(self, value, found):
        if isinstance(value, dict):
            found += [(value, key) for key in value]
            for item in value.values():
                self.places(item, found)
        elif isinstance(value, list):
            found += [(value, index) for index in range(len(value))]
            for item in value:
                self.places(item, found)
        return found

    def apply(self, document):
        found = self.places(document, [])
        if not found:
            return
        holder, key = self.chance.choice(found)
        act = self.chance.choice([self.replace, self.replace, self.remove, self.rename, self.add,
                                  self.wrap, self.move])
        act(document, holder, key)

    def replace(self, document, holder, key):
        holder[key] = self.some_value()

    def remove(self, document, holder, key):
        del holder[key]

    def rename(self, document, holder, key):
        if isinstance(holder, dict):
            at = self.chance.randrange(len(key) + 1)
            holder[key[:at] + self.chance.choice(["x", "e", "", "\n", "3"]) + key[at + 1:]] = holder.pop(key)
        else:
            holder.append(copy.deepcopy(holder[key]))

    def add(self, document, holder, key):
        name = self.chance.choice(["ports", "mtu", "mode", "nodes", "new", "ring", "ends", "env"])
        if isinstance(holder[key], dict):
            holder[key][name] = self.some_value()
        elif isinstance(holder[key], list):
            holder[key].append(self.some_value())

    def wrap(self, document, holder, key):
        holder[key] = [holder[key]] if self.chance.random() < 0.5 else {"a": holder[key]}

    def move(self, document, holder, key):
        other, name = self.chance.choice(self.places(document, []))
        holder[key] = copy.deepcopy(other[name])


def make_documents(schema):
    chance = random.Random(20240229)
    generator, damage = Generator(schema, chance), Damage(chance)
    head = {"apiVersion": "fabric/v1", "name": "f", "nodes": {}}
    documents = []
    for number in range(DOCUMENTS):
        document = generator.make(schema)
        for _ in range(number % 4):
            damage.apply(document)
        documents.append(document)
    return documents + [head | {"networks": {"n": {"mode": "chain", "mtu": 9000.0}}},
                        head | {"rollout": {"reboot_timeout": "15m\n"}}]


def our_verdicts(probe, documents):
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl", encoding="utf-8") as file:
        for document in documents:
            file.write(json.dumps(document, ensure_ascii=False) + "\n")
        file.flush()
        run = subprocess.run([probe, "judge", file.name], check=True, capture_output=True, text=True)
    return [[] if line == "valid" else line.split() for line in run.stdout.splitlines()]


def excuse(document, slugs, theirs_valid):
    for name, _, applies, may_change in DIFFERENCES:
        if applies(document) and theirs_valid and may_change(slugs):
            return name
    return None


def main():
    probe, source = sys.argv[1], pathlib.Path(sys.argv[2])
    schema = json.loads((source / "schemas/fabric.schema.json").read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    documents = make_documents(schema)
    verdicts = our_verdicts(probe, documents)
    assert len(verdicts) == len(documents), "one verdict per document"
    valid = failures = 0
    used = dict.fromkeys((name for name, *_ in DIFFERENCES), 0)
    for document, slugs in zip(documents, verdicts):
        theirs_valid = validator.is_valid(document)
        valid += theirs_valid
        if theirs_valid == (not slugs):
            continue
        name = excuse(document, slugs, theirs_valid)
        if name:
            used[name] += 1
            continue
        failures += 1
        if failures <= 5:
            theirs = [f"{error.json_path}: {error.message}" for error in validator.iter_errors(document)]
            print(f"DISAGREE: ours {slugs or 'valid'}, theirs {theirs or 'valid'}\n  "
                  + json.dumps(document, ensure_ascii=False)[:2000])
    print(f"{len(documents)} documents, {valid} valid, {failures} disagreements; listed differences: "
          + ", ".join(f"{name} {count}" for name, count in used.items()))
    # Both verdicts must come up often, or the comparison says little.
    balanced = 0.25 * len(documents) < valid < 0.75 * len(documents)
    if not balanced:
        print("the documents are not balanced")
    idle = [name for name, count in used.items() if count == 0]
    if idle:
        print("listed, but no difference: " + ", ".join(idle))
    return 1 if failures or not balanced or idle else 0


if __name__ == "__main__":
    sys.exit(main())
