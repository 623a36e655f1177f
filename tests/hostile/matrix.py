#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Hostile texts in every field of a document, in everything that is printed of it.

usage: matrix.py FABRIC_SERVED SOURCE_ROOT [--pairs N] [--seed S]

The fields are those of schemas/fabric.schema.json, keys of mappings and comments included; verbs, formats and exports are
those that the program lists itself: what is added to either is tried without a change here. --pairs takes so many pairs of
a field and a text, by the seed; without it all of them. No output is a command to a CI system or to a terminal, forges a line,
is a formula in a table, or is of another form than it says; and nothing crashes.
"""
import argparse
import concurrent.futures
import copy
import csv
import functools
import io
import json
import os
import pathlib
import random
import re
import shutil
import sys
import tempfile
import unicodedata
import xml.etree.ElementTree

import yaml

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from served import Served  # noqa: E402  pylint: disable=wrong-import-position

WHITE_SPACE = [chr(code) for code in (*range(0x09, 0x0e), 0x20, 0x85, 0xa0, 0x1680, *range(0x2000, 0x200b), 0x2028, 0x2029,
                                      0x202f, 0x205f, 0x3000)]
COMMAND = "::stop-commands::forged"
TEXTS = [f"{blank}{COMMAND}" for blank in WHITE_SPACE] + [f"word {blank}{COMMAND}" for blank in WHITE_SPACE if blank > "\x7f"] + [
    COMMAND, f"a\n{COMMAND}", f"{'w ' * 60}\u00a0{COMMAND}", f"\u200b{COMMAND}", f"\ufeff{COMMAND}", "##[error]forged", "a ##vso[task.x]y",
    "##teamcity[x]", "a\nFORGED line", "a\r\nFORGED", "a\u2028FORGED", "a\vFORGED", "\x1b[2J\x1b]0;x\a", "\x9b31m", "\u202eabc", "\u2066abc",
    "\U000e0041", "=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\uff1d1", "\u00a0=1", " \uff0b1", "\u3000\uff20x", "<script>alert(1)</script>",
    "]]><x/>", "--><x>", "${x}`id`$(id)", "'; id; '", "a,b;c\"d", "../../x", "a/b", "%0A::x::", "x" * 5000, "\0", "{{ x }}", "%s%n", "-x", ""]
# What commands a terminal, turns the direction of reading, or is not seen at all.
DECEPTIVE = re.compile("[\0-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\U000e0000-\U000e0fff]")
# A line of a long text that is broken at a blank of its own is indented, and forges nothing.
FORGED = re.compile(r"^(?:\s*::stop-commands::|FORGED)", re.M)
LOG_COMMAND = re.compile(r"##[A-Za-z-]*\[")

# Verbs that read no document, or do what no output of a document shows: why.
LEFT_OUT = {"init": "writes a new one", "import": "reads other files", "apply": "writes", "parse": "reads outputs of tools",
            "history": "of runs", "undo": "of runs", "support-bundle": "of runs", "unlock": "of nodes", "schema": "of none", "lab": "serves", "version": "of none",
            "rehearse": "prints what plan prints", "show": "tried behind plan", "completion": "tried with nodes"}
# With what they are run besides a document.
WITH = {"fmt": [["--diff"], ["--check"]], "completion": [["nodes"]],
        "explain": [["nodes"], ["networks"], ["nodes.machine-1"], ["networks.net"], ["machine-1/cx3", "machine-2/cx3"]]}
HEAD = "apiVersion: fabric/v1\nname: pair\nnodes:\n  machine-[1-2]: {address: \"192.0.2.[41-42]\", adapters: {cx3: {model: connectx-3}}}\n"
BASES = {
    "pair-ethernet": HEAD + "  sw1: {platform: unmanaged}\nnetworks:\n  net:\n    mode: ethernet\n    mtu: 9000\n"
    "    ipv4: {subnet: 10.30.0.0/24}\n    vlans: {back: {id: 7, ipv4: {subnet: 10.31.0.0/24}}}\n"
    "    cables: [{ends: [machine-1/1, machine-2/1], label: c1}]\n",
    "pair-infiniband": HEAD + "networks:\n  net:\n    mode: infiniband\n    mtu: 4096\n"
    "    subnet_managers: [{node: machine-1, priority: 10}, {node: machine-2, priority: 5}]\n"
    "    partitions: {part: {pkey: \"0x0010\", members: {ALL: full}}}\n    ipoib: {mode: datagram, ipv4: {subnet: 10.32.0.0/24}}\n"
    "    cables: [{ends: [machine-1/1, machine-2/1], label: c1}]\n",
}
OF_INFINIBAND = {"subnet_managers", "subnet_manager", "partitions", "ipoib", "partition"}


def leaves(schema, node, path=(), within=()):
    """Where a value can stand: ('key', name), ('any',) for a key of the author's own, ('item',) of a list; ('name',) is such a key itself."""
    reference = node.get("$ref")
    if reference:
        if reference in within:
            return
        yield from leaves(schema, schema["$defs"][reference.rsplit("/", 1)[1]], path, (*within, reference))
    for choice in (*node.get("oneOf", ()), *node.get("anyOf", ()), *node.get("allOf", ())):
        yield from leaves(schema, choice, path, within)
    for name, child in node.get("properties", {}).items():
        yield from leaves(schema, child, (*path, ("key", name)), within)
    for child in [node.get("additionalProperties"), *node.get("patternProperties", {}).values()]:
        if isinstance(child, dict):
            yield (*path, ("name",))
            yield from leaves(schema, child, (*path, ("any",)), within)
    items = node.get("items")
    if isinstance(items, dict):
        yield from leaves(schema, items, (*path, ("item",)), within)
    if path and not any(key in node for key in ("$ref", "properties", "oneOf", "anyOf", "allOf", "items")):
        yield path


def put(document, path, text):
    """False: there is no place for it, as of a name that is there already."""
    step, rest = path[0], path[1:]
    if step[0] == "item":
        if not document:
            document.append(None)
        key = 0
    elif step[0] == "name":
        first = next(iter(document), None)
        document[text] = copy.deepcopy(document[first]) if first is not None else {}
        return True
    else:
        key = step[1] if step[0] == "key" else next(iter(document), "x")
        document.setdefault(key, None)
    if not rest:
        document[key] = text
        return True
    wanted = list if rest[0][0] == "item" else dict
    if not isinstance(document[key], wanted):
        document[key] = wanted()
    return put(document[key], rest, text)


def dump(document, comment):
    # In a form that `fmt` changes on every line.
    text = yaml.dump(document, allow_unicode=True, width=10 ** 6, indent=4, sort_keys=False)
    return text + (f"# {comment}\n" if comment else "")


class Program:
    def __init__(self, program, folder):
        self.environment = {**os.environ, "NO_COLOR": "1", "COLUMNS": "80", "LC_ALL": "C.UTF-8", "HOME": "/nonexistent",
                            "ASAN_OPTIONS": "detect_leaks=0:detect_odr_violation=0"}
        self.served = Served(os.path.abspath(program), self.environment)
        self.folder = folder
        self.runs = 0

    def run(self, *arguments):
        self.runs += 1
        done = self.served.run(arguments, self.folder, self.environment)
        return done.returncode, done.stdout.decode(errors="surrogateescape"), done.stderr.decode(errors="surrogateescape")

    def choices(self, verb, option):
        found = re.search(option + r"[^\n]*:\{([^}]*)\}", self.run(verb, "--help")[1])
        return found.group(1).split(",") if found else []

    def command_lines(self):
        listed = re.search(r"^Subcommands:\n(.*?)\n\n", self.run("--help")[1], re.M | re.S).group(1)
        verbs = [line.split()[0] for line in listed.splitlines()]
        assert len(verbs) > 15, verbs
        lines = []
        for verb in verbs:
            if verb == "export":
                lines += [(verb, each) for each in self.choices(verb, r"^\s+FORMAT ".replace("^", "(?m)^")) if each != "overlay"]
            elif verb in WITH:
                lines += [(verb, *each) for each in WITH[verb]]
            elif verb not in LEFT_OUT:
                lines += [(verb, "--format", each) for each in self.choices(verb, "--format") or [""]]
                if verb == "plan":
                    lines += [("show", "--format", each) for each in self.choices("show", "--format")]
        return [tuple(word for word in line if word not in ("", "--format") or line[-1]) for line in lines]


def formula(cell):
    text = cell.lstrip("".join(WHITE_SPACE))
    return text[:1] and unicodedata.normalize("NFKC", text[0]) in "=+-@"


def judge(line, code, out, err):
    """What is wrong with an output."""
    words = " ".join(line)
    if code < 0 or code >= 128 or "fabric: bug" in err or "Sanitizer" in err:
        yield f"exit {code}: {err[-300:]}"
    for stream, text in (("output", out), ("error output", err)):
        if "svg" not in line and "html" not in words and DECEPTIVE.search(text):
            yield f"{stream} has {DECEPTIVE.search(text).group()!r}"
        if FORGED.search(text) or any(each.strip("".join(WHITE_SPACE)).startswith(COMMAND) for each in text.split("\n")):
            yield f"{stream} forges a line"
        if LOG_COMMAND.search(text):
            yield f"{stream} has {LOG_COMMAND.search(text).group()!r}"
    if code not in (0, 2, 3, 4, 13) or not out:
        return
    try:
        if "json" in line or "sarif" in line:
            json.loads(out)
        elif "junit" in line or "svg" in line:
            xml.etree.ElementTree.fromstring(out)
        elif "netbox" in line or "work-order" in line:
            for row in csv.reader(io.StringIO(out)):
                for cell in filter(formula, row):
                    yield f"the cell {cell!r} is a formula"
    except (ValueError, xml.etree.ElementTree.ParseError) as failure:
        yield f"is not of its form: {failure}"


def tried(options, lines, pairs):
    """The valid documents, the runs, and what came through."""
    failed = {}
    valid = 0
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        for base in BASES:
            shutil.copytree(options.root / "tests/facts" / base, folder / base)
        program = Program(options.served, folder)
        for field, text in pairs:
            base = "pair-infiniband" if OF_INFINIBAND & {step[-1] for step in field} else "pair-ethernet"
            document = yaml.safe_load(BASES[base])
            comment = text if field == (("comment",),) else ""
            if not comment and field != (("comment",),):
                put(document, field, text)
            if any(c in comment for c in "\n\r\0\x1b\x07\x9b\v\x85\u2028\u2029"):
                continue
            (folder / "fabric.yaml").write_text(dump(document, comment), errors="surrogatepass")
            is_valid = program.run("validate")[0] == 0
            valid += is_valid
            for line in lines:
                verb = line[0]
                # One refusal of each says what all of them would.
                if not is_valid and verb in ("export", "show", "plan", "verify", "discover") and line != ("plan", "--format", "human"):
                    continue
                path = ["plan.json"] if verb == "show" else [] if verb in ("explain", "completion", "discover") else ["."]
                facts = ["--facts", base] if verb in ("plan", "verify", "discover") else []
                if verb == "show" and not (folder / "plan.json").exists():
                    continue
                for what in judge(line, *program.run(*facts, *line, *path)):
                    failed.setdefault((line, what.split(":")[0][:60]), []).append((field, text, what))
                if line == ("plan", "--format", "human") and is_valid:
                    (folder / "plan.json").unlink(missing_ok=True)
                    program.run(*facts, "plan", "--out", "plan.json", ".")
    return valid, program.runs, failed


def command_lines(options):
    """Those of the program; in the bases themselves nothing is wrong, and everything is printed."""
    with tempfile.TemporaryDirectory() as scratch:
        program = Program(options.served, pathlib.Path(scratch))
        for text in BASES.values():
            (program.folder / "fabric.yaml").write_text(text)
            assert program.run("validate")[0] == 0, program.run("validate")
        return program.command_lines()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("served")
    parser.add_argument("root", type=pathlib.Path)
    parser.add_argument("--pairs", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    schema = json.loads((options.root / "schemas/fabric.schema.json").read_text())
    fields = sorted(set(leaves(schema, schema))) + [(("comment",),)]
    assert len(fields) > 150, len(fields)
    pairs = [(field, text) for field in fields for text in TEXTS]
    random.Random(options.seed).shuffle(pairs)
    pairs = pairs[:options.pairs or None]
    lines = command_lines(options)
    assert len(lines) > 40, lines
    valid = runs = 0
    failed = {}
    with concurrent.futures.ProcessPoolExecutor() as workers:
        shares = [pairs[start:start + 100] for start in range(0, len(pairs), 100)]
        for done, share in enumerate(workers.map(functools.partial(tried, options, lines), shares), 1):
            valid += share[0]
            runs += share[1]
            for kind, examples in share[2].items():
                failed.setdefault(kind, []).extend(examples)
            if done % 5 == 0:
                print(f"{done} of {len(shares)} shares, {runs} runs, {len(failed)} kinds came through", flush=True)
    print(f"{len(fields)} fields, {len(TEXTS)} texts, {len(lines)} command lines; {len(pairs)} documents, {valid} of them valid, {runs} runs")
    for (line, _), examples in failed.items():
        field, text, what = examples[0]
        print(f"fabric {' '.join(line)}: {what}\n  {len(examples)} times, as by {text!r} at {'.'.join(step[-1] for step in field)}", file=sys.stderr)
    sys.exit(1 if failed else 0)


main()
