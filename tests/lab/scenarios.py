#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The real program against the real lab over real SSH: what a user would do, and what then goes wrong.

usage: scenarios.py FABRIC_BINARY SOURCE_ROOT [SCENARIO...]

Each scenario has a lab of its own in a temporary folder; a few of them run side by side. Without names all are played.
"""
import importlib
import pkgutil
import sys

import stories
from play import play

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
play({name: scenarios[name] for name in sys.argv[3:] or by_length})
