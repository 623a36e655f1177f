#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""fabric against real Debian kernels that really reboot: what is promised of Linux hosts, seen on virtual machines.

usage: suite.py FABRIC_BINARY RUN_FOLDER [SCENARIO...]

The machines run already (tests/vm/run.sh starts them), each with a network stack of its own (STACKS), and have the
snapshot "clean"; each scenario begins from it. n1 and n2 are cabled to each other by both ports, so are n3 and n4.
Times are generous: without KVM one SSH login costs the guest a second. At the end stands the table of back ends and
what was seen to work on each.
"""
import os
import signal
import sys
import time

import addressing
import adoption
import bonds
import findings
import infiniband
import rdma
import ring
import rolled_back
from backends import CELLS, seen
from machines import STACKS

# The scenarios of each are its functions that have a docstring and take nothing; they run in this order, and in theirs.
SUBJECTS = (addressing, ring, bonds, adoption, rdma, findings, rolled_back, infiniband)
scenarios = {name: value for subject in SUBJECTS for name, value in vars(subject).items()
             if callable(value) and getattr(value, "__doc__", None) and value.__module__ == subject.__name__ and not isinstance(value, type)
             and not value.__code__.co_argcount}
# InfiniBand needs machines with software HCAs (VMLAB_IB), and those have no Ethernet card; a ring other cables (VMLAB_RING).
kind = "ib_" if os.environ.get("VMLAB_IB") else "ring_" if os.environ.get("VMLAB_RING") else ""
wanted = sys.argv[3:] or [name for name in scenarios if name.startswith(kind) and (kind or not name.startswith(("ib_", "ring_")))]
tries = int(os.environ.get("VMLAB_TRIES") or 1)
failed = 0


def time_is_over(*_):
    print("the time is over: what is not named above did not run", flush=True)
    sys.exit(1 if failed else 77)


signal.signal(signal.SIGTERM, time_is_over)
for name in wanted:
    for left in reversed(range(tries)):
        begun = time.monotonic()
        try:
            scenarios[name]()
            print(f"ok      {name} ({time.monotonic() - begun:.0f} s)", flush=True)
            break
        except Exception as failure:  # pylint: disable=broad-except
            failed += not left
            print(f"{'again  ' if left else 'FAILED '} {name} ({time.monotonic() - begun:.0f} s): {failure}", flush=True)
print(f"\n{'back end':16}" + "".join(f"{name:10}" for name in CELLS))
for stack in STACKS.values():
    print(f"{stack:16}" + "".join(f"{'passed' if stack in seen.get(name, ()) else '-':10}" for name in CELLS))
print(f"{len(wanted) - failed} passed, {failed} failed")
sys.exit(failed != 0)
