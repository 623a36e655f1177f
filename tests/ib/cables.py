#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Two leaves and four hosts held by ibsim and OpenSM: a cable that was moved, a port without a link, a loop and a cable too many
are each seen by `verify` in what ibnetdiscover and iblinkinfo (with and without -l) print there and what libibnetdisc sees, with both ends named, and
nothing else is: every view gives the same findings.

usage: cables.py FABRIC_BINARY
"""
import json
import pathlib
import subprocess
import sys
import tempfile

import simulator

BINARY = str(pathlib.Path(sys.argv[1]).resolve())
HOSTS, LEAVES = ["c1", "c2", "c3", "c4"], ["leaf1", "leaf2"]
DOCUMENT = """apiVersion: fabric/v1
name: leaves
nodes:
  c[1-4]: {adapters: {hca: {model: connectx-6, ports: 1}}}
  leaf[1-2]: {platform: unmanaged}
networks:
  compute:
    mode: infiniband
    cables:
      - ["c[1-2]/1", "leaf1/[1-2]"]
      - ["c[3-4]/1", "leaf2/[1-2]"]
      - ["leaf1/[5-6]", "leaf2/[5-6]"]
    subnet_manager: {external: true}
"""
RIGHT = [(("c1", 1), ("leaf1", 1)), (("c2", 1), ("leaf1", 2)), (("c3", 1), ("leaf2", 1)), (("c4", 1), ("leaf2", 2)),
         (("leaf1", 5), ("leaf2", 5)), (("leaf1", 6), ("leaf2", 6))]


VIEWS = (["ibnetdiscover"], ["iblinkinfo", "-l"], ["iblinkinfo"], LIVE := ["local"])
# The simulator's ports all say that they could do 12X, which ibnetdiscover does not print: there every cable is degraded.
TELLS_WIDTH = VIEWS[1:3]


def judged(fabric, document, view):
    verify = [BINARY, "--json", "verify", str(document), "--level", "wire", "--wire"]
    if view == LIVE:
        done, _ = fabric.run(*verify, "local")
    else:
        listed, _ = fabric.run(*view)
        assert listed.returncode == 0, listed.stderr
        (fabric.folder / "subnet.txt").write_text(listed.stdout)
        done = subprocess.run([*verify, fabric.folder / "subnet.txt"], capture_output=True, text=True, check=False)
    events = [json.loads(line) for line in done.stdout.splitlines()]
    states = {tuple(event["cable"]["ends"]): event["cable"]["state"] for event in events if "cable" in event}
    return done.returncode, states, [event["finding"]["message"] for event in events if "finding" in event]


def story(folder, name, change, expect, *texts):
    """`change` makes of the cables as declared those that are there; `expect`: state of each cable that is not ok."""
    cables = dict(RIGHT)
    change(cables)
    links = {one: other for pair in cables.items() for one, other in (pair, pair[::-1])}
    document = folder / "fabric.yaml"
    document.write_text(DOCUMENT)
    with simulator.Fabric(folder / name, simulator.netlist(links, LEAVES, HOSTS, 36, "4xEDR"), "c1 HCA-1") as fabric:
        of_views = {}
        for view in VIEWS:
            exit_code, states, findings = judged(fabric, document, view)
            fine = ("ok", "degraded") if view in TELLS_WIDTH else ("ok",)
            wrong = {ends: state for ends, state in states.items() if state not in fine}
            assert wrong == expect and len(states) >= len(RIGHT), (name, view, states, findings)
            bad = any(state != "unexpected" for state in expect.values())
            assert view in TELLS_WIDTH or exit_code == (13 if bad else 0), (name, view, exit_code, findings)
            said = " ".join(findings)
            for text in texts:
                assert text in said, (name, view, text, findings)
            of_views[" ".join(view)] = sorted(text for text in findings if "is degraded" not in text)
        assert len(set(map(tuple, of_views.values()))) == 1, (name, of_views)
    print(f"{name}: {'; '.join(texts) or 'all ok'}", flush=True)


def main():
    simulator.need_programs()

    def moved(cables):
        cables["c2", 1] = ("leaf1", 9)

    def unlinked(cables):
        del cables["leaf1", 6]

    def loop(cables):
        del cables["leaf1", 6]
        cables["leaf1", 6] = ("leaf1", 7)

    def more(cables):
        cables["leaf1", 20] = ("leaf2", 20)

    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        story(folder, "as declared", lambda cables: None, {})
        story(folder, "moved", moved, {("c2/hca/1", "leaf1/2"): "mis-wired"}, "c2/hca/1 is cabled to leaf1/9")
        story(folder, "unlinked", unlinked, {("leaf1/6", "leaf2/6"): "missing"}, "leaf1/6 - leaf2/6")
        story(folder, "loop", loop, {("leaf1/6", "leaf2/6"): "loopback"}, "leaf1/6 is cabled to leaf1/7")
        story(folder, "one more", more, {("leaf1/20", "leaf2/20"): "unexpected"}, "leaf1/20 - leaf2/20")


main()
