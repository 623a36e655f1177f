# SPDX-License-Identifier: Apache-2.0
"""The cells of the table of back ends, and what was seen to work on each."""
from machines import STACKS

CELLS = ("static", "two-port", "bond", "vlan", "mtu", "removal", "adopt")
seen = {}


def cell(name, nodes=tuple(STACKS)):
    """Called when everything of that cell was seen to hold."""
    seen.setdefault(name, set()).update(STACKS[node] for node in nodes)
