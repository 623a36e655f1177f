#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Imports the made-up subnet of names.py, 2,000 adapters with names of every kind, and judges its own dump by the result.

usage: imported.py FABRIC_BINARY [--seconds MOST]

No cable may be lost or made up, and `verify --level wire` has no finding. With --seconds, the import may take so much CPU time;
only meaningful for an optimised build.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import names


def main():
    fabric, arguments = sys.argv[1], sys.argv[2:]
    made = names.built()
    with tempfile.TemporaryDirectory() as temporary:
        document, dump = pathlib.Path(temporary, "fabric.yaml"), pathlib.Path(temporary, "subnet.txt")
        dump.write_text(made.subnet.dump())
        process = subprocess.Popen([fabric, "-q", "import", str(dump), "--out", str(document)])
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        seconds = usage.ru_utime + usage.ru_stime
        report, exit_code, _ = names.found_by(fabric, str(document), str(dump))
        states = {}
        for cable in report["cables"]:
            states[cable["state"]] = states.get(cable["state"], 0) + 1
        print(f"imported in {seconds:.3f} s of CPU time; exit {exit_code}, {json.dumps(states)}")
        bad = process.returncode != 0 or exit_code != 0 or states != {"ok": len(made.cables)}
        # Both ends of half as many lines would be a list, no document.
        lines = len(document.read_text().splitlines())
        bad |= lines > len(made.cables)
        if "--seconds" in arguments:
            bad |= seconds > float(arguments[arguments.index("--seconds") + 1])
    sys.exit(bad)


if __name__ == "__main__":
    main()
