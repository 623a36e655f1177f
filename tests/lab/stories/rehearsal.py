# SPDX-License-Identifier: Apache-2.0
"""Rehearsals: of live nodes and of the examples."""
from documents import example
from lab import Lab, root


def screen(name, *texts, lab_yaml=None):
    if lab_yaml:
        lab_yaml = (root / f"examples/{name}/lab.yaml").read_text()
    with Lab(document=example(name), lab_yaml=lab_yaml) as lab:
        done = lab.fabric("--lab", "rehearse", "--seeds", "2", expect=0)
        assert len(done.stdout.splitlines()) <= 24 and max(map(len, done.stdout.splitlines())) <= 80, done.stdout
        for text in ("2 seeds of faults", "converged under every fault", *texts):
            assert text in done.stdout, f"{name}: {text!r} is not in:\n{done.stdout}"


def ring_rehearsed():
    """An example prints its one screen: what no provider does yet would be said on it, and the exit code would say so too."""
    screen("ring", "never cut by the plan itself")


def routed_rings_rehearsed():
    """The same of hosts that forward for each other."""
    screen("ring-cx7")
    screen("mesh-ceph")


def infiniband_rehearsed():
    """The same of subnets with a manager on hosts."""
    screen("cx3-pair-infiniband")
    screen("nvos-subnet")


def bonds_at_onyx_rehearsed():
    """The same of bonds at a switch that rolls nothing back."""
    screen("roce-lag", "nothing was left out")


def bonds_at_cumulus_rehearsed():
    """The same of bonds at a pair of switches."""
    screen("roce-lag-cumulus")


def esx_rehearsed():
    """The same of ESX hosts of both kinds."""
    screen("esx-classic", "2 reboots in 3 waves", lab_yaml=True)
    screen("vsphere8-sriov", "4 reboots in 4 waves", lab_yaml=True)


def rehearsed():
    """Drift of a live node is in its copy; the rehearsal changes nothing, and a seed is told again word by word."""
    with Lab() as lab:
        lab.apply()
        lab.ssh("pve2", "mstconfig -d 0000:01:00.0 -y set HOST_CHAINING_MODE=0; ip link set dev enp1s0f0np0 mtu 1500")
        before = lab.fabric("--lab", "plan", expect=0).stdout
        done = lab.fabric("--lab", "rehearse", "--seeds", "2", expect=0)
        for text in ("copies of 3 nodes, 2 seeds", "never cut by the plan itself", "nothing was left out", "it converged under every fault"):
            assert text in done.stdout, f"{text!r} is not in:\n{done.stdout}"
        assert len(done.stdout.splitlines()) <= 24 and max(map(len, done.stdout.splitlines())) <= 80, done.stdout
        story = lab.fabric("--lab", "rehearse", "--seed", "2", expect=0).stdout
        assert story == lab.fabric("--lab", "rehearse", "--seed", "2", expect=0).stdout
        assert lab.fabric("--lab", "plan", expect=0).stdout == before
        lab.monitor_is_clean(reboots=3)
