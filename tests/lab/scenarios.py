#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The real program against the real lab over real SSH: what a user would do, and what then goes wrong.

usage: scenarios.py FABRIC_BINARY SOURCE_ROOT [--long [SECONDS] | SCENARIO...]

Each scenario has a lab of its own in a temporary folder; they run side by side. Without names all are played that are not marked as
long: those stories differ from another one in what they are told about, not in the way through the program. With --long the others
are played, for about so many seconds, from another one on each day, and those that were left are named.
"""
import concurrent.futures
import importlib
import pkgutil
import sys
import time

import stories

scenarios = {}
for file in pkgutil.iter_modules(stories.__path__):
    subject = importlib.import_module(f"stories.{file.name}")
    for name, value in vars(subject).items():
        if (callable(value) and getattr(value, "__doc__", None) and not isinstance(value, type) and value.__module__ == subject.__name__
                and not value.__code__.co_argcount):
            assert name not in scenarios, f"two stories are called {name}"
            scenarios[name] = value
# Those that take longest begin first, so that none of them is waited for at the end.
FIRST = ("roce_lag_cumulus", "a_ring_routes", "bonds_at_cumulus_rehearsed", "hooks", "roce_lag_onyx", "canaries", "esxi_example", "qos_of_switches",
         "routes_come_and_go", "transit_goes", "onyx_pair", "vlan_of_another_id_or_port", "manager_waited_for", "types_by_the_driver")
assert set(FIRST) <= set(scenarios), set(FIRST) - set(scenarios)
by_length = sorted(scenarios, key=lambda name: (FIRST.index(name) if name in FIRST else len(FIRST), name))
wanted, until = sys.argv[3:], None
if wanted[:1] == ["--long"]:
    seconds = wanted[1:]
    wanted = [name for name in by_length if hasattr(scenarios[name], "long")]
    if seconds:
        until = time.monotonic() + int(seconds[0])
        # A few of them each day; a week or two sees all of them.
        first = (time.localtime().tm_yday * 7) % len(wanted)
        wanted = wanted[first:] + wanted[:first]
elif not wanted:
    wanted = [name for name in by_length if not hasattr(scenarios[name], "long")]
failed, left = 0, []
took = {}  # seconds by name


def play(name):
    began = time.monotonic()
    took[name] = 0
    if until and began > until:
        left.append(name)
        return
    try:
        scenarios[name]()
    finally:
        took[name] = time.monotonic() - began


# They wait for reboots most of the time and take little of the processor: side by side even on a small machine.
with concurrent.futures.ThreadPoolExecutor(max_workers=12) as pool:
    started = {pool.submit(play, name): name for name in wanted}
    for future in concurrent.futures.as_completed(started):
        name = started[future]
        try:
            future.result()
            if name in left:
                continue
            print(f"ok      {name} ({took[name]:.0f} s)", flush=True)
        except Exception as failure:  # pylint: disable=broad-except
            failed += 1
            print(f"FAILED  {name} ({took[name]:.0f} s): {failure}", flush=True)
if left:
    print("no time was left for " + ", ".join(sorted(left)))
print(f"{len(wanted) - failed - len(left)} passed, {failed} failed")
sys.exit(failed != 0)
