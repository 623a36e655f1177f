#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The 648-host fat tree of the examples, held by ibsim and OpenSM: all cables are ok; of ten that were swapped, five that
are missing and three too many, exactly those are found, by libibnetdisc and by ibnetdiscover's text.

usage: fat_tree.py FABRIC_BINARY SAME_VIEW_BINARY DOCUMENT
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import time

import simulator

BINARY, SAME_VIEW, DOCUMENT = (str(pathlib.Path(argument).resolve()) for argument in sys.argv[1:4])
# Four more than the document uses, so that there can be cables too many.
SWITCH_PORTS = 40
# As the document has them.
SPINE_GUIDS = {f"spine{i}": int(f"0x0002c902004110{i:02}", 16) for i in range(1, 19)}
EDGE = re.compile(r'"([^"]+)" -- "([^"]+)" \[taillabel="([^"]+)", headlabel="([^"]+)"')


def declared():
    """The cables of the document, in order, as the program expands them."""
    dot = subprocess.run([BINARY, "graph", DOCUMENT], capture_output=True, text=True, check=True).stdout
    return [((a, int(a_port.split("/")[-1])), (b, int(b_port.split("/")[-1]))) for a, b, a_port, b_port in EDGE.findall(dot)]


def both_ways(cables):
    return {one: other for cable in cables for one, other in (cable, cable[::-1])}


def is_switch(name):
    return not name.startswith("c")


def name_of(end):
    """As the program writes it."""
    node, port = end
    return f"{node}/{port}" if is_switch(node) else f"{node}/hca/{port}"


def make_wrong(cables):
    """(what is cabled, ends of the 10 swapped, of the 5 missing, of the 3 too many)"""
    links = both_ways(cables)
    swapped, missing = set(), set()
    pairs = [(cables[i], cables[j]) for i, j in ((3, 40), (100, 350), (500, 501), (660, 900), (1000, 1200))]
    for (a, b), (c, d) in pairs:
        # Swapped at the switch: hosts stay where they are.
        links |= both_ways([(a, d), (c, b)])
        swapped |= {frozenset((a, b)), frozenset((c, d))}
    for index in (10, 250, 700, 850, 1295):
        a, b = cables[index]
        del links[a], links[b]
        missing.add(frozenset((a, b)))
    extra = [(("leaf1", 37), ("leaf2", 37)), (("spine1", 40), ("spine18", 40)), (("sto1", 1), ("leaf36", 39))]
    links |= both_ways(extra)
    return links, swapped, missing, extra


def verify(fabric, way):
    done, seconds = fabric.run(BINARY, "--json", "verify", DOCUMENT, "--level", "wire", "--wire", way)
    events = [json.loads(line) for line in done.stdout.splitlines()]
    cables = [event["cable"] for event in events if "cable" in event]
    findings = [event["finding"] for event in events if "finding" in event]
    return done, cables, findings, seconds


def by_state(cables, state):
    return {frozenset(cable["ends"]) for cable in cables if cable["state"] == state}


def names(ends):
    return {frozenset(name_of(end) for end in cable) for cable in ends}


def look_both_ways(fabric):
    """The same verdicts from the library and from the text."""
    listed, discovery = fabric.run("ibnetdiscover")
    assert listed.returncode == 0, listed.stderr
    (fabric.folder / "subnet.txt").write_text(listed.stdout)
    same, _ = fabric.run(SAME_VIEW, "subnet.txt")
    if same.returncode == 77:
        simulator.skip("the program was built without libibnetdisc")
    assert same.returncode == 0, same.stdout + same.stderr
    print("  " + same.stdout.strip())
    local = verify(fabric, "local")
    text = verify(fabric, "subnet.txt")
    for one, other in zip(local[1] + local[2], text[1] + text[2]):
        assert one == other, f"by libibnetdisc {one}, by ibnetdiscover {other}"
    assert len(local[1]) == len(text[1]) and len(local[2]) == len(text[2])
    print(f"  ibnetdiscover {discovery:.2f} s; verify by libibnetdisc {local[3]:.2f} s, by text {text[3]:.2f} s")
    return text


def main():
    simulator.need_programs()
    cables = declared()
    assert len(cables) == 1296, f"{len(cables)} cables"
    nodes = sorted({end[0] for cable in cables for end in cable})
    switches, hosts = [n for n in nodes if is_switch(n)], [n for n in nodes if not is_switch(n)]
    with tempfile.TemporaryDirectory() as folder:
        print("as declared", flush=True)
        text = simulator.netlist(both_ways(cables), switches, hosts, SWITCH_PORTS, "4xEDR", SPINE_GUIDS)
        with simulator.Fabric(f"{folder}/right", text, "c101 HCA-1") as fabric:
            done, seen, findings, _ = look_both_ways(fabric)
            assert done.returncode == 0 and not findings, done.stdout[-2000:] + done.stderr
            assert by_state(seen, "ok") == names(cables) and len(seen) == len(cables)
        print("10 swapped, 5 missing, 3 too many", flush=True)
        links, swapped, missing, extra = make_wrong(cables)
        text = simulator.netlist(links, switches, [*hosts, "sto1"], SWITCH_PORTS, "4xEDR", SPINE_GUIDS)
        with simulator.Fabric(f"{folder}/wrong", text, "c101 HCA-1") as fabric:
            done, seen, findings, _ = look_both_ways(fabric)
            assert done.returncode == 13, f"exit {done.returncode}: {done.stderr}"
            assert by_state(seen, "mis-wired") == names(swapped)
            assert by_state(seen, "missing") == names(missing)
            strangers = [cable["ends"] for cable in seen if cable["state"] == "unexpected"]
            assert len(strangers) == 3, strangers
            assert {frozenset(ends) for ends in strangers[:2]} | {frozenset(strangers[2])} >= names(extra[:2]), strangers
            assert any(a == "leaf36/39" and "'sto1 HCA-1'" in b for a, b in strangers), strangers
            assert len(by_state(seen, "ok")) == 1296 - 15
            assert len(findings) == 18, [finding["message"] for finding in findings]
            for finding in findings:
                assert re.match(r"cable \S+ - ", finding["message"]), finding
            for a, b in [tuple(cable) for cable in names(swapped)]:
                assert any(f"{a} is cabled to" in f["message"] and f"{b} is cabled to" in f["message"] for f in findings), (a, b)
            print("  " + "\n  ".join(finding["message"] for finding in findings))


if __name__ == "__main__":
    started = time.monotonic()
    main()
    print(f"ok, {time.monotonic() - started:.1f} s")
