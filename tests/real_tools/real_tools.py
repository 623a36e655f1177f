#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""usage: real_tools.py FABRIC_BINARY SOURCE_ROOT [SUITE...]

Each command line that a plan sends to mstconfig, by the real tool of each release (SUITE: trixie, unstable) on a card of each model
that it knows, and by the mstconfig of our lab on the same card. What the tool prints is read by our parser and has to be what the
card has; a difference to the lab's text is a finding.
"""
import collections
import concurrent.futures
import difflib
import json
import os
import pathlib
import re
import shlex
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "lab")]
import cards  # noqa: E402  pylint: disable=wrong-import-position
from lab import Lab, binary, root  # noqa: E402  pylint: disable=wrong-import-position
import unlike_the_lab  # noqa: E402  pylint: disable=wrong-import-position
from tool import Skipped, Tool  # noqa: E402  pylint: disable=wrong-import-position

SUITES = sys.argv[3:] or ["trixie", "unstable"]
FOLDER = pathlib.Path(os.environ.get("REAL_TOOLS_DIR", "/tmp/real-tools"))
ADDRESS = "0000:01:00.0"
MODELS = {model["slug"]: model for model in json.loads((root / "schemas/hardware.json").read_text())["models"]
          if model["tool_name"] and not model["tool_last_version"]}
# One card of each model, and some that are not as their model. ConnectX-4 learnt late to tell its default and current values.
CARDS = {slug: (model, {}) for slug, model in MODELS.items()} | {
    "tells-nothing": (MODELS["connectx-4-vpi"], {"firmware": "12.12.1240"}),
    "tells-default": (MODELS["connectx-4-vpi"], {"firmware": "12.14.2036"}),
    "one-port": (MODELS["connectx-5-vpi"], {"ports": 1})}

# What the lab does not imitate, and why. A difference that none of these matches fails the test.
ACCEPTED = {
    r"order of the rows": "the lab lists them as older releases did; nobody reads them by their place",
    r"lines \['\(the usage\)'\], the lab's are \[\]": "after a parameter that is given twice; a plan gives none",
    r"lines \['-E- Unknown Parameter: \S+'\], .* support \S+ parameter\"\]": "the lab knows no parameters but those of its cards",
    r"lines \['mstconfig, mstflint [0-9.]+, Git SHA Hash: [0-9a-f]+'\], .*N/A'\]": "the commit of the tool",
}


def accepted(what):
    return next((why for pattern, why in ACCEPTED.items() if re.fullmatch(pattern, what)), None)


def is_vpi(model):
    return model["infiniband_gbps"] and model["ethernet_gbps"]


def wanted(model, has):
    """Parameters that a document asks for, one of each kind: what a plan has to say is the plan's."""
    ports = range(1, ports_of(model, has) + 1)
    params = {"SRIOV_EN": 1, "NUM_OF_VFS": 8, "ADVANCED_PCI_SETTINGS": 1, "ROCE_CONTROL": 1, "CNP_DSCP_P1": 26, "LLDP_NB_RX_MODE_P1": 2}
    params |= {f"KEEP_ETH_LINK_UP_P{port}": 0 for port in ports} | {f"KEEP_IB_LINK_UP_P{port}": 1 for port in ports}
    if is_vpi(model):
        params |= {f"LINK_TYPE_P{port}": 2 for port in ports} | {"FORCE_ETH_PCI_SUBCLASS": 1}
    if model["host_chaining"]:
        params["HOST_CHAINING_MODE"] = 1
    return params


def ports_of(model, has):
    return has.get("ports", model["ports"])


def document():
    nodes = {node: {"adapters": {"card": {"model": model["slug"], "ports": ports_of(model, has), "firmware": {"params": wanted(model, has)}}}}
             for node, (model, has) in CARDS.items()}
    return json.dumps({"apiVersion": "fabric/v1", "name": "cards", "nodes": nodes})


def reality(version):
    return json.dumps({"hosts": {
        node: {"tool_version": version, "adapters": {"card": {key: value for key, value in has.items() if key == "firmware"}}}
        for node, (_, has) in CARDS.items()}})


def sent(lab):
    """For each node what the plan runs, and how that is undone."""
    lab.fabric("--lab", "plan", "--out", "plan.json", expect=0)
    commands = collections.defaultdict(lambda: ([], []))
    for action in json.loads((lab.path / "plan.json").read_text())["actions"]:
        for steps, into in zip((action.get("steps", []), action.get("undo", [])), commands[action["node"]]):
            into += [step["run"] for step in steps if step.get("run", [""])[0] == "mstconfig"]
    return commands


def parsed(lab, text):
    """By our parser: parameter: {default, current, next_boot}."""
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
        file.write(text)
        file.flush()
        done = lab.fabric("parse", "mlxconfig-query", file.name, expect=0)
    return json.loads(done.stdout)["devices"][0]


def number(cell):
    return None if cell is None else cell.get("number")


def make_card(lab, tool, node, model, has):
    """The card as the lab has it. What the tool does not know of it is returned."""
    table = parsed(lab, lab.ssh(node, f"mstconfig -d {ADDRESS} -e q").stdout)
    ports = ports_of(model, has)
    card = cards.Card(tool.database, model["tool_name"], ports, table["name"], table["description"])
    card.shows = [layer for layer in card.shows if layer in table["columns"]]
    unknown = []
    for name, row in table["parameters"].items():
        array = re.fullmatch(r"Array\[0\.\.(\d+)\]", row["next_boot"]["text"])
        values = {name: row}
        if array:
            values = parsed(lab, lab.ssh(node, f"mstconfig -d {ADDRESS} -e q '{name}[0..{array[1]}]'").stdout)["parameters"]
        for each, cells in values.items():
            # A card in its factory state: where a layer is not told it is as the next boot.
            if not card.add(each, *(number(cells.get(layer, cells["next_boot"])) for layer in ("default", "current", "next_boot"))):
                unknown.append(name)
                break
    # ADVANCED_PCI_SETTINGS brings it; the card can do it from the beginning.
    if is_vpi(model):
        card.add("FORCE_ETH_PCI_SUBCLASS", 0, 0, 0)
    card.complete()
    for capability, value in {"max_vfs_per_pf_valid": 1, "max_vfs_per_pf": model["vfs"], "max_num_pfs": ports}.items():
        card.can(f"nv_global_pci_cap.{capability}", value)
    tool.path_of(node).write_text(card.text())
    return unknown


class Findings:
    """What differs, how, and where it was seen."""

    def __init__(self):
        self.seen = collections.defaultdict(set)
        self.counts = collections.defaultdict(collections.Counter)

    def add(self, what, release, model, command):
        self.seen[what].add((release, model, command))


def table_rows(text):
    """Name: the line; and the lines outside of the table."""
    rows, rest = {}, []
    inside = False
    for line in text.splitlines():
        if line.startswith("Configurations:"):
            inside = True
        elif inside and re.match(r"^[ *](RO|  )? +[A-Z][A-Za-z0-9_]+(\[\d+\])? ", line):
            rows[line[3:].split()[0]] = line
            continue
        elif line.strip():
            inside = False
        # Some errors are followed by all that the tool can do.
        if line.strip() == "NAME:":
            line = "(the usage)"
        rest.append(line)
        if line == "(the usage)":
            break
    return rows, rest


def plain(line):
    """Without blanks and without what belongs to one card or one port."""
    line = " ".join(line.split())
    line = re.sub(r"^(Device type|Name|Description): .*", r"\1: ...", line)
    return re.sub(r"allowed \d+$", "allowed N", re.sub(r"_P\d\b", "_Pn", line))


def differences(ours, real):
    """Of two answers to one command, as short texts."""
    if ours.returncode != real.returncode:
        yield f"exit status {real.returncode}, the lab's is {ours.returncode}"
    rows, rest = table_rows(ours.stdout)
    real_rows, real_rest = table_rows(real.stdout)
    for name, line in rows.items():
        if name not in real_rows:
            yield f"no row of {plain(name)}"
        elif line.split() != real_rows[name].split():
            yield f"row {plain(real_rows[name])!r}, the lab's is {plain(line)!r}"
        elif line != real_rows[name]:
            yield "blanks within rows" if line.rstrip() != real_rows[name].rstrip() else "blanks at the end of rows"
    if [name for name in rows if name in real_rows] != [name for name in real_rows if name in rows]:
        yield "order of the rows"
    lines, real_lines = [plain(line) for line in rest], [plain(line) for line in real_rest]
    for kind, begin, end, real_begin, real_end in difflib.SequenceMatcher(None, lines, real_lines, autojunk=False).get_opcodes():
        if kind == "equal":
            for line, real_line in zip(rest[begin:end], real_rest[real_begin:real_end]):
                if line != real_line:
                    yield f"blanks in {plain(line)!r}"
        else:
            yield f"lines {real_lines[real_begin:real_end]}, the lab's are {lines[begin:end]}"


def query(*names):
    return ["mstconfig", "-d", ADDRESS, "-e", "q", *names]


def change(*words):
    return ["mstconfig", "-d", ADDRESS, "-y", *words]


def commands_of(model, plan):
    """(label, argv); "boot" in place of argv is a boot."""
    steps, undo = plan
    yield "version", ["mstconfig", "-v"]
    yield "query -e", query()
    yield "query", ["mstconfig", "-d", ADDRESS, "q"]
    for argv in steps:
        yield "set", argv
    yield "query -e", query()
    yield "boot", None
    yield "query -e", query()
    for argv in reversed(undo):
        yield "set back", argv
    yield "query -e", query()
    yield "boot", None
    yield "query -e", query()
    yield "set a text", change("set", "SRIOV_EN=True", "ROCE_CONTROL=ROCE_ENABLE")
    yield "query of one", query("SRIOV_EN")
    if model["firmware_major"] >= 16:
        yield "set an array", change("set", "HOST_CHAINING_DESCRIPTORS[1..2]=9")
        yield "query an array", query("HOST_CHAINING_DESCRIPTORS[0..7]")
    # As providers/linux/machine/sh/link_readings.sh asks; not every card lists them.
    yield "query arrays", query("HOST_CHAINING_DESCRIPTORS[0..7]", "HOST_CHAINING_TOTAL_BUFFER_SIZE[0..7]")
    absent = "LINK_TYPE_P1" if not is_vpi(model) else "FORCE_ETH_PCI_SUBCLASS"
    yield "refused: absent", query(absent)
    yield "refused: absent", change("set", f"{absent}=1")
    yield "refused: device", ["mstconfig", "-d", "0000:99:00.0", "-e", "q"]
    yield "refused: name", change("set", "NO_SUCH_PARAMETER=1")
    yield "refused: text", change("set", "SRIOV_EN=maybe")
    yield "refused: number", change("set", "SRIOV_EN=7")
    yield "refused: too many", change("set", "SRIOV_EN=1", "NUM_OF_VFS=4000")
    yield "refused: twice", change("set", "SRIOV_EN=1", "SRIOV_EN=0")
    yield "reset", change("reset")
    yield "query -e", query()


def compare(lab, tool, findings):
    plans = sent(lab)

    def judge(node):
        model, has = CARDS[node]
        for name in make_card(lab, tool, node, model, has):
            findings.add(f"parameter {plain(name)} is unknown to the tool", tool.version, node, "make")
        for label, argv in commands_of(model, plans[node]):
            if argv is None:
                lab.reboot(node)
                cards.boot(tool.path_of(node))
            else:
                run_both(lab, tool, findings, node, model, label, argv)

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        list(pool.map(judge, CARDS))


def run_both(lab, tool, findings, node, model, label, argv):
    ours, real = lab.ssh(node, shlex.join(argv)), tool.as_sent(node, argv, ADDRESS)
    if os.environ.get("REAL_TOOLS_KEEP"):
        keep = pathlib.Path(os.environ["REAL_TOOLS_KEEP"], tool.version, node)
        keep.mkdir(parents=True, exist_ok=True)
        count = len(list(keep.iterdir())) // 2
        for side, done in (("lab", ours), ("real", real)):
            (keep / f"{count:02} {label} {side}".replace(" ", "-")).write_text(f"{shlex.join(argv)}\n{done.stdout}status {done.returncode}\n")
    found = set(differences(ours, real))
    for what in found:
        findings.add(what, tool.version, node, label)
    findings.counts[label]["ran"] += 1
    findings.counts[label]["differed" if not all(map(accepted, found)) else "accepted" if found else "equal"] += 1
    if label.startswith("query") and real.returncode == 0:
        read_back(lab, tool, findings, node, model, real.stdout)


def read_back(lab, tool, findings, node, model, text):
    """By our parser, against the file of the card."""
    table = parsed(lab, text)
    if table["device_type"] != model["tool_name"]:
        findings.add(f"device type {table['device_type']}", tool.version, node, "read back")
    has = cards.values(tool.database, tool.path_of(node).read_text())
    for name, row in table["parameters"].items():
        for layer, value in zip(cards.LAYERS, has(name)):
            cell = row.get("next_boot" if layer == "next" else layer)
            if cell is not None and number(cell) is not None and number(cell) != value:
                findings.add(f"{name}: {layer} is {value} in the card and {cell} for our parser", tool.version, node, "read back")
            findings.counts["values read back"]["ran"] += cell is not None
            findings.counts["values read back"]["equal"] += cell is not None and number(cell) in (None, value)


def main():
    findings, ran, skipped = Findings(), [], []
    for suite in SUITES:
        try:
            tool = Tool(suite, FOLDER / suite)
        except Skipped as why:
            skipped.append(str(why))
            continue
        with Lab(document=document(), lab_yaml=reality(tool.version)) as lab:
            compare(lab, tool, findings)
            for name, check in vars(unlike_the_lab).items():
                if name.startswith("says_"):
                    check(tool, lambda text: parsed(lab, text))  # pylint: disable=cell-var-from-loop
        ran.append(tool.version)
    for line in skipped:
        print(line)
    if not ran:
        print("skipped: no release of mstflint can be had")
        return 77
    print(f"mstflint {' and '.join(ran)}, {len(MODELS)} models, {len(CARDS)} cards, {binary}\n")
    columns = ("ran", "equal", "accepted", "differed")
    print(f"{'command':<20}" + "".join(f"{column:>10}" for column in columns))
    for label, count in findings.counts.items():
        print(f"{label:<20}" + "".join(f"{count[column]:>10}" for column in columns))
    unknown = 0
    print(f"\n{len(findings.seen)} kinds of differences: releases, cards, commands")
    for what, places in sorted(findings.seen.items(), key=lambda each: (-len(each[1]), each[0])):
        releases, models, labels = (sorted({place[at] for place in places}) for at in range(3))
        why = accepted(what)
        unknown += why is None
        print(f"{what}\n    {', '.join(releases)}; {len(models)} cards, as {models[0]}; {', '.join(labels)}; {why or 'NOT ACCEPTED'}")
    print(f"{sum(count['ran'] for count in findings.counts.values())} answers and values of {len(ran)} releases and {len(CARDS)} cards; "
          f"{unknown} kinds of differences that nobody has accepted")
    return 1 if unknown else 0


if __name__ == "__main__":
    sys.exit(main())
