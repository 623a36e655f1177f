# SPDX-License-Identifier: Apache-2.0
"""A node that can't be talked to, or whose answers can't be relied on."""
from lab import Lab


def lost_reply():
    """The effect happened, the reply was lost: apply reads back and goes on."""
    with Lab() as lab:
        lab.fabric("--lab", "plan", "--out", "ring.plan", expect=0)
        for node in ("pve1", "pve2", "pve3"):
            lab.fabric("lab", "fault", node, "lost-reply", "--on", "-y set ", expect=0)
        lab.fabric("--lab", "apply", "ring.plan", expect=0)
        lab.monitor_is_clean(reboots=3)
        lab.plan_is_empty()


def lying_tool():
    """mstconfig says Done and does nothing: exit 0 is no evidence."""
    with Lab() as lab:
        lab.fabric("--lab", "plan", "--out", "ring.plan", expect=0)
        lab.fabric("lab", "fault", "pve1", "lying-exit", "--on", "-y set ", expect=0)
        done = lab.fabric("--lab", "apply", "ring.plan")
        if done.returncode != 0:
            assert done.returncode in (1, 10), done.stdout + done.stderr
            assert "expected" in done.stdout + done.stderr, done.stdout + done.stderr
        lab.fabric("lab", "fault", "pve1", "none", expect=0)
        lab.apply()
        lab.plan_is_empty()


def unreachable():
    """One node refuses connections: the plan is shown without it, exit 4, and nothing is cut."""
    with Lab() as lab:
        lab.fabric("lab", "fault", "pve3", "refused", expect=0)
        done = lab.fabric("--lab", "plan", expect=4)
        assert "pve3" in done.stdout and "not reached" in done.stdout, done.stdout
        lab.fabric("lab", "fault", "pve3", "none", expect=0)
        lab.apply()


def unknown_host_key():
    """A host key that is not known makes the node unreachable and says how to accept it."""
    with Lab() as lab:
        known_hosts = lab.path / ".fabric/lab/known_hosts"
        lines = known_hosts.read_text().splitlines(keepends=True)
        known_hosts.write_text("".join(lines[1:]))
        done = lab.fabric("--lab", "plan", expect=4)
        assert "host key" in done.stderr and "ssh-key" in done.stdout + done.stderr, done.stderr
