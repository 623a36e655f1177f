#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What `fabric export ibsim` writes is a subnet: ibsim holds it, OpenSM brings it up, and every cable of the document is seen there.

usage: exported.py FABRIC_BINARY SOURCE_ROOT
"""
import json
import pathlib
import subprocess
import sys
import tempfile

import simulator

BINARY, ROOT = (str(pathlib.Path(argument).resolve()) for argument in sys.argv[1:3])
# Of each document, a host whose port is in the subnet, and how many cables no subnet has: those of its Ethernet network.
DOCUMENTS = {"examples/fat-tree/fabric.yaml": ("c101 HCA-1", {}), "tests/golden/export/mixed/fabric.yaml": ("c1 HCA-2", {"storage": 8})}

simulator.need_programs()
failures = []
with tempfile.TemporaryDirectory() as temporary:
    for number, (document, (host, elsewhere)) in enumerate(DOCUMENTS.items()):
        document = f"{ROOT}/{document}"
        net = subprocess.run([BINARY, "-q", "export", "ibsim", document], capture_output=True, text=True, check=True).stdout
        with simulator.Fabric(pathlib.Path(temporary) / f"fabric{number}", net, host) as fabric:
            dump, _ = fabric.run("ibnetdiscover")
        seen = pathlib.Path(temporary) / f"seen{number}.txt"
        seen.write_text(dump.stdout)
        done = subprocess.run([BINARY, "--json", "verify", document, "--level", "wire", "--wire", str(seen)], capture_output=True, text=True,
                              check=False)
        states, unseen = {}, {}
        for event in map(json.loads, done.stdout.splitlines()):
            if cable := event.get("cable"):
                counts, key = (unseen, cable["network"]) if cable["state"] == "no-data" else (states, cable["state"])
                counts[key] = counts.get(key, 0) + 1
        print(f"{document}: exit {done.returncode}, {states}, not judged {unseen}")
        # ibsim has links of SDR alone: a cable with a `speed` is seen, and slow.
        if done.returncode != (4 if elsewhere else 0) or not states.get("ok") or set(states) - {"ok", "degraded"} or unseen != elsewhere:
            failures.append(f"{document}: {done.stdout[-600:]} {dump.stderr[-300:]}")
print("\n".join(failures))
sys.exit(bool(failures))
