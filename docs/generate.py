#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the reference pages of docs/ from the schemas, the hardware table and the program itself.

usage: generate.py [--check] FABRIC_BINARY

--check writes nothing and fails if a page is not what would be written (ctest lint.docs).
"""
import json
import os
import pathlib
import re
import subprocess
import sys

check = "--check" in sys.argv[1:]
binary = [argument for argument in sys.argv[1:] if not argument.startswith("--")][0]
here = pathlib.Path(__file__).resolve().parent
root = here.parent
MADE = "<!-- Made by docs/generate.py; don't edit. -->\n\n"


def fabric(*arguments):
    environment = {**os.environ, "NO_COLOR": "1", "COLUMNS": "80", "LC_ALL": "C.UTF-8"}
    return subprocess.run([binary, *arguments], env=environment, capture_output=True, text=True, check=True, cwd=root,
                          timeout=60).stdout


def cell(text):
    return str(text).replace("|", "\\|").replace("\n", " ")


def table(head, rows):
    lines = [head, ["---"] * len(head), *rows]
    return "".join(f"| {' | '.join(cell(text) for text in line)} |\n" for line in lines) + "\n"


class DocumentPage:
    """Every key of the schema, one table per mapping."""

    # Shapes that stand in several places, and the place that describes them.
    HOME = {"node": "nodes.NODE", "hooks": "hooks", "ip": "networks.NETWORK.ipv4"}
    # Shapes that are a kind of value rather than a mapping of their own.
    KINDS = {"texts": "list of texts", "duration": "duration", "command": "command", "scalar": "scalar",
             "endpoint": "endpoint", "stations": "list of stations"}
    # What a free key stands for.
    NAMES = {"nodes": "NODE", "profiles": "PROFILE", "networks": "NETWORK", "adapters": "ADAPTER", "vlans": "VLAN",
             "partitions": "PARTITION", "labels": "LABEL", "modules": "MODULE", "MODULE": "PARAMETER", "sysctl": "KEY",
             "params": "PARAMETER", "options": "OPTION", "names": "PORT", "port_guid": "PORT", "segment": "PORT", "addresses": "MEMBER", "members": "MEMBER", "for": "VARIABLE"}

    def __init__(self, schema):
        self.schema, self.sections = schema, []

    def resolve(self, node):
        """The node with what it refers to; its own words win. Second: the name it refers to."""
        name = node.get("$ref", "").rsplit("/", 1)[-1]
        return ({**self.schema["$defs"][name], **node} if name else node), name

    def type_of(self, node):
        node, name = self.resolve(node)
        if name in self.KINDS:
            return self.KINDS[name]
        if "const" in node:
            return f"`{node['const']}`"
        if "enum" in node:
            return "choice"
        if "anyOf" in node:
            return " or ".join(dict.fromkeys(self.type_of(each) for each in node["anyOf"]))
        if node.get("type") == "array":
            return f"list of {self.type_of(node['items'])}" if "items" in node else "list"
        types = node.get("type", "any")
        names = {"string": "text", "integer": "integer", "boolean": "true/false", "object": "mapping", "null": "empty"}
        return " or ".join(names.get(each, each) for each in ([types] if isinstance(types, str) else types))

    def range_of(self, node):
        node, name = self.resolve(node)
        if name in self.KINDS:
            return ""
        parts = [f"`{choice}`" for choice in node.get("enum", [])]
        if "minimum" in node or "maximum" in node:
            parts.append(f"{node.get('minimum', '')} to {node['maximum']}" if "maximum" in node else f"from {node['minimum']}")
        if "pattern" in node:
            parts.append("a node set" if node["pattern"] == r"\[" else f"`{node['pattern']}`")
        if "minItems" in node:
            least, most = node["minItems"], node.get("maxItems")
            parts.append(f"{least} items" if least == most else f"{least} or more items")
        for each in node.get("anyOf", []):
            parts += [part for part in [self.range_of(each)] if part]
        return ", ".join(parts)

    def row(self, path, node, required):
        node, _ = self.resolve(node)
        default = "required" if required else f"`{json.dumps(node['default'])}`" if "default" in node else ""
        text = node.get("description", "")
        if node.get("examples"):
            shown = [example if isinstance(example, str) else json.dumps(example) for example in node["examples"]]
            text += " For example " + ", ".join(f"`{example}`" for example in shown) + "."
        return [f"`{path}`", self.type_of(node), default, self.range_of(node), text]

    def add(self, path, node):
        """The section of a mapping, and those below it."""
        node, _ = self.resolve(node)
        rows, below = [], []
        for key, value in node.get("properties", {}).items():
            child = f"{path}.{key}" if path else key
            rows.append(self.row(child, value, key in node.get("required", [])))
            below.append((child, value))
        for value in node.get("patternProperties", {}).values():
            rows.append(self.row(f"{path}.{self.NAMES[path.rsplit('.', 1)[-1]]}", value, False))
        free = node.get("additionalProperties")
        if isinstance(free, dict) and path:
            child = f"{path}.{self.NAMES[path.rsplit('.', 1)[-1]]}"
            below.append((child, free))
            if "properties" not in self.resolve(free)[0]:
                rows.append(self.row(child, free, False))
        if rows:
            self.sections.append((path, node.get("description", ""), rows))
        for child, value in below:
            self.descend(child, value)

    def descend(self, path, node):
        resolved, name = self.resolve(node)
        if name in self.KINDS:
            return
        home = self.HOME.get(name)
        if home and home != path:
            self.sections.append((path, f"{resolved.get('description', '')} The keys are those of `{home}`.", []))
        elif resolved.get("type") == "array":
            self.descend(f"{path}[]", resolved.get("items", {}))
        elif "anyOf" in resolved:
            for each in resolved["anyOf"]:
                self.descend(path, each)
        else:
            self.add(path, {**resolved, **{key: value for key, value in node.items() if key != "$ref"}})

    def text(self):
        self.add("", self.schema)
        page = "# The document: every key\n\n" + MADE + self.schema["description"] + "\n\n"
        page += ("`NODE`, `NETWORK` and so on stand for names of your own, `[]` for the items of a list. Units stand in the "
                 "description. Node sets, merging, addresses and endpoints: [writing-a-document.md](writing-a-document.md).\n\n## Kinds of values\n\n")
        page += table(["kind", "form", "meaning"], [[kind, self.range_of(self.schema["$defs"][name]), self.schema["$defs"][name]["description"]]
                                                    for name, kind in self.KINDS.items()])
        for path, description, rows in self.sections:
            page += f"## {f'`{path}`' if path else 'Top level'}\n\n{description}\n\n"
            if rows:
                page += table(["key", "type", "default", "range", "description"], rows)
        return page


def linked(evidence):
    """The ids of docs/evidence.md as links."""
    return re.sub(r"E-[a-z][a-z0-9-]*", lambda found: f"[{found.group(0)}](evidence.md#{found.group(0).lower()})", evidence)


def rules_page():
    rules = [event for event in map(json.loads, fabric("--json", "explain", "--all").splitlines()) if event["type"] == "rule"]
    page = "# Rules\n\n" + MADE
    page += (f"What `fabric` can find wrong: {len(rules)} rules. `fabric explain SLUG` prints one of them. The severity is "
             "the usual one, some rules warn in milder cases. The stage says when a finding can first be made: by the "
             "*reader*, over the whole *document*, at *plan* time with what the nodes tell, or by *verify* on the wire.\n\n")
    page += "The ids behind *Evidence* lead to what is known and from where: [evidence.md](evidence.md).\n\n"
    for stage in ("reader", "document", "plan", "verify"):
        page += f"## Stage {stage}\n\n"
        for rule in rules:
            if rule["stage"] == stage:
                page += (f"### {rule['rule']}\n\n{rule['reason']}\n\n* Severity: {rule['severity']}\n"
                         f"* Evidence: {linked(rule['evidence'])}\n* Fix: {rule['fix']}\n\n")
    return page.rstrip() + "\n"


def hardware_page():
    hardware = json.loads((root / "schemas" / "hardware.json").read_text())
    page = "# Hardware\n\n" + MADE + (
        "What each model of adapter and of switch can do, as `schemas/hardware.json` has it. Speeds are per port in Gb/s, - where the ports "
        "cannot run that link type; both is VPI. PCIe is the widest card of the model. Firmware: the first number of the "
        "card's versions. VFs: the most virtual functions of a PCI function.\n\n")

    def yes(value):
        return "yes" if value else "no"

    rows = [[f"`{model['slug']}`", model["driver"], ", ".join(model["device_ids"]), model["ports"], model["infiniband_gbps"] or "-",
             model["ethernet_gbps"] or "-", f"{model['pcie_generation']} x{model['pcie_width']}", yes(model["host_chaining"]),
             yes(model["roce_lag"]), model["pkeys"], model["vfs"], f"{model['firmware_major']}.x"] for model in hardware["models"]]
    page += table(["model", "driver", "PCI ids (15b3)", "ports", "InfiniBand", "Ethernet", "PCIe", "chaining", "RoCE LAG",
                   "P_Keys", "VFs", "firmware"], rows)
    page += "## Switches\n\n" + (
        "By how their models begin, the longest wins. Ports are counted before any is split; - is not judged. Ports that are "
        "SFP28 have 25 Gb/s and can't be split.\n\n")
    page += table(["model", "chip", "ports", "parts of a split one", "SFP28", "InfiniBand", "Ethernet", "source"], [
        [", ".join(f"`{name}`" for name in model["models"]), model["chip"], model["ports"] or "-", model["parts"] or "-",
         f"{model['sfp28_first']} to {model['sfp28_last']}" if "sfp28_first" in model else "",
         model["infiniband_gbps"] or "-", model["ethernet_gbps"] or "-", model["source"]] for model in hardware["switches"]])
    page += "## Names and sources\n\n"
    page += table(["model", "name", "mstconfig", "reads current values", "also known as", "source"], [
        [f"`{model['slug']}`", model["name"],
         (model["tool_name"] or "-") + (f", up to {model['tool_last_version']}" if model["tool_last_version"] else ""),
         yes(model["current_settings"]), ", ".join(model["aliases"]), model["source"]] for model in hardware["models"]])
    return page.rstrip() + "\n"


def tuning_page():
    tuning = json.loads((root / "schemas" / "tuning.json").read_text())
    page = "# Tuning profiles\n\n" + MADE + tuning["description"] + "\n\n"
    for profile in tuning["profiles"]:
        page += f"## `{profile['name']}`\n\n{profile['description']} Source: {profile['source']}.\n\n"
        page += table(["parameter", "value", "why"],
                      [[f"`{value['key']}`", value["value"], value["why"]] for value in profile["values"]])
    return page.rstrip() + "\n"


# What stands in docs/platforms.md between these is made, the rest is written.
BEGIN, END = "<!-- Made by docs/generate.py up to the end mark. -->\n\n", "<!-- End of what is made. -->\n"


def platforms_page():
    before, rest = (here / "platforms.md").read_text().split(BEGIN)
    keys = json.loads(fabric("schema", "platforms"))
    names = list(dict.fromkeys(name for key in keys for name in key["platforms"]))

    def use(key, name):
        row = key["platforms"].get(name)
        return "" if row is None else row["use"] + (f", with `{row['needs']}`" if row["needs"] else "")

    text = ""
    for title, prefix in (("Keys of a node", "nodes."), ("Keys of a network", "networks.")):
        text += f"### {title}\n\n"
        text += table(["key", *names], [[f"`{key['shown']}`", *(use(key, name) for name in names)]
                                        for key in keys if key["key"].startswith(prefix)])
    text += "### Why not, and what to write\n\n"
    refused = {}
    for key in keys:
        for name, row in key["platforms"].items():
            if row["instead"]:
                refused.setdefault((key["shown"], row["why"], row["instead"]), []).append(name)
    text += table(["key", "on", "why", "instead"], [[f"`{shown}`", ", ".join(on), why or "the platform has no such key", instead]
                                                    for (shown, why, instead), on in refused.items()])
    return before + BEGIN + text + END + rest.split(END)[1]


def resources_page():
    page = "# Kinds of resource\n\n" + MADE + (
        "What a plan is made of: each resource of a node has one of these kinds, is found on the node by its binding, and has the attributes that the document asks for. "
        "A provider of a platform reads what stands here and nothing else.\n\n")
    kinds = json.loads(fabric("schema", "resources"))
    names = lambda words: ", ".join(f"`{word}`" for word in words.split())
    for place in ("host", "switch"):
        page += f"## Of a {place}\n\n"
        page += table(["kind", "called", "binding", "attributes", "forms that a provider may lack", "meaning"],
                      [[f"`{kind['kind']}`", kind["name"], *(names(kind[part]) for part in ("binding", "attributes", "features")), kind["meaning"]]
                       for kind in kinds["kinds"] if kind["of"] == place])
    page += "## Groups of names\n\n" + table(["group", "names", "meaning"], [[f"`{group['name']}`", names(group["keys"]), group["meaning"]]
                                                                            for group in kinds["groups"]])
    return page.rstrip() + "\n"


def commands_page():
    page = "# Commands\n\n" + MADE + "## fabric\n\n```\n" + fabric("--help").strip() + "\n```\n\n"
    for verb in fabric_verbs():
        page += f"## fabric {verb}\n\n```\n{fabric(*verb.split(), '--help').strip()}\n```\n\n"
    return page.rstrip() + "\n"


def touches_page():
    page = "# What each verb touches\n\n" + MADE + (
        "What `fabric` starts, writes and connects to on the machine where it runs: this list, and nothing else. "
        "The test `hostile.wall` runs every verb under strace and compares with `tests/wall/verbs.json`, from which this page is made. "
        "`.` is the folder of the document, `~` the home directory, `*` any text, `RUN` the name of a run. "
        "Reading is not listed. Nodes are reached by SSH from the process itself.\n\n"
        "Options add what they name: `--log`, `--csv`, `--out` and `--sign` a file, `--policy` a program, `--credentials` and `--trust-document` the programs "
        "that give passwords, `SSH_AUTH_SOCK` the socket of an agent.\n\n")
    for verb, touched in json.loads((root / "tests" / "wall" / "verbs.json").read_text()).items():
        page += f"## fabric {verb}\n\n"
        rows = [[kind, f"`{what}`", why] for kind in ("executes", "writes", "connects") for what, why in touched.get(kind, {}).items()]
        page += table(["it", "what", "why"], rows) if rows else "It starts nothing, writes nothing and connects to nothing.\n\n"
    return page.rstrip() + "\n"


def fabric_verbs():
    """In the order of --help, with the sub-commands of those that have them."""
    for verb in subcommands(fabric("--help")):
        yield verb
        for below in subcommands(fabric(verb, "--help")):
            yield f"{verb} {below}"


def subcommands(text):
    lines = text.split("Subcommands:\n", 1)[1].splitlines() if "Subcommands:\n" in text else []
    found = []
    for line in lines:
        if not line.startswith("  "):
            break
        if line[2] != " ":
            found.append(line.split()[0])
    return found


pages = {
    "document.md": DocumentPage(json.loads((root / "schemas" / "fabric.schema.json").read_text())).text().rstrip() + "\n",
    "rules.md": rules_page(),
    "hardware.md": hardware_page(),
    "tuning.md": tuning_page(),
    "commands.md": commands_page(),
    "platforms.md": platforms_page(),
    "resources.md": resources_page(),
    "what-each-verb-touches.md": touches_page(),
}
stale = []
for name, text in pages.items():
    path = here / name
    if not path.exists() or path.read_text() != text:
        stale.append(f"docs/{name}")
        if not check:
            path.write_text(text)
print(f"{len(pages)} pages, {len(stale)} {'stale' if check else 'renewed'}{': ' if stale else ''}{', '.join(stale)}")
if check and stale:
    sys.exit(f"renew with: docs/generate.py {binary}")
