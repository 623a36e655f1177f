# SPDX-License-Identifier: Apache-2.0
"""Nodes that are down, known or not, and the machine that fabric runs on."""
import json
import pathlib

from documents import given_up_soon
from lab import RING, Lab

DEAD = "hosts: {pve1: {fault: refused}}\n"


def reboots(done):
    plan = json.loads(done.stdout)
    return {action["node"] for action in plan["actions"] if action["kind"] == "reboot"}, plan


def a_limit_counts_a_dead_neighbour():
    """With a dead node, --limit of the others boots nobody; --offline lets all of them go on, and says what it leaves."""
    with Lab(nodes=4, lab_yaml=DEAD) as lab:
        booted, plan = reboots(lab.fabric("--lab", "plan", "--limit", "pve[2-4]", "--format", "json", expect=4))
        assert not booted, booted
        for node in ("pve2", "pve3", "pve4"):
            assert "--offline pve1" in plan["nodes"][node]["withheld"]["release"], plan["nodes"][node]
        shown = " ".join(lab.fabric("--lab", "plan", "--limit", "pve[2-4]", expect=4).stdout.split())
        assert "pve2 is left as it is: its neighbour pve1 in ring storage is not reachable" in shown and "and 1 more: pve4" in shown, shown
        lab.fabric("--lab", "apply", "--limit", "pve[2-4]", "--auto-approve", expect=4)
        lab.monitor_is_clean(0)

        (lab.path / "down.txt").write_text("pve1\npve1  # down since Monday\n\nlogin[1-2]\n")
        booted, plan = reboots(lab.fabric("--lab", "plan", "--offline", "@down.txt", "--format", "json", expect=0))
        assert booted == {"pve2", "pve3", "pve4"} and plan["nodes"]["pve1"]["offline"], plan["nodes"]
        shown = " ".join(lab.fabric("--lab", "plan", "--offline", "pve1", expect=0).stdout.split())
        assert "offline: pve1" in shown and "node-offline" in shown, shown
        lab.fabric("--lab", "apply", "--offline", "pve1", "--auto-approve", expect=0)
        lab.fabric("--lab", "verify", "--offline", "pve1", expect=0)

        # It is offline by the document, too; and when it is back, a plain apply does the rest.
        card = "adapters: {cx5: {model: connectx-5-vpi}}"
        offline = (RING % (4, 4)).replace(f"pve[1-4]: {{{card}}}", f"pve[2-4]: {{{card}}}\n  pve1: {{state: offline, {card}}}")
        assert "offline" in offline
        (lab.path / "fabric.yaml").write_text(offline)
        lab.fabric("--lab", "plan", "--detailed-exitcode", expect=0)
        lab.fabric("--lab", "verify", expect=0)
        lab.fabric("--lab", "unlock", expect=0)
        (lab.path / "fabric.yaml").write_text(RING % (4, 4))
        lab.fabric("lab", "fault", "pve1", "none", expect=0)
        lab.apply()
        lab.plan_is_empty()


def a_limited_plan_file_is_proven_by_its_own_nodes():
    """A plan file of some nodes changes them alone, and is done when they are."""
    with Lab(nodes=3) as lab:
        lab.fabric("--lab", "plan", "--limit", "pve2", "--out", "some.plan", expect=0)
        lab.fabric("--lab", "apply", "some.plan", "--auto-approve", expect=0)
        lab.monitor_is_clean(1)
        done = lab.fabric("--lab", "apply", "some.plan", "--offline", "pve1", expect=3)
        assert "make it with `fabric plan --offline pve1`" in " ".join(done.stderr.split()), done.stderr


def a_lost_node_is_no_dead_end():
    """After exit code 12 the others go on without the lost one, which a plain apply catches up when it is back."""
    with Lab(document=given_up_soon(RING % (4, 4)), lab_yaml="hosts: {pve1: {fault: no-boot}}\n") as lab:
        done = lab.apply(expect=12)
        assert "--offline pve1" in done.stdout, done.stdout
        (lab.path / "fabric.yaml").write_text(RING % (4, 4))
        lab.fabric("--lab", "apply", "--offline", "pve1", "--auto-approve", expect=0)
        lab.fabric("lab", "fault", "pve1", "none", expect=0)
        lab.wait_until_up("pve1")
        lab.apply()
        lab.plan_is_empty()


def the_own_machine_comes_last_and_boots_by_hand():
    """fabric does not reboot the machine that it runs on, and goes on when its operator has."""
    boot = pathlib.Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    with Lab(nodes=3, lab_yaml="hosts: {pve1: {boot_id: %s}}\n" % boot) as lab:
        booted, plan = reboots(lab.fabric("--lab", "plan", "--format", "json", expect=0))
        assert booted == {"pve2", "pve3"} and plan["nodes"]["pve1"]["own"], plan["nodes"]["pve1"]
        assert plan["waves"][-1]["nodes"] == ["pve1"], plan["waves"]
        done = lab.apply(expect=10)
        assert "systemctl reboot" in done.stdout + done.stderr, done.stderr
        lab.monitor_is_clean(2)
        lab.apply(expect=10)
        lab.reboot("pve1")
        lab.apply()
        lab.plan_is_empty()


def a_session_that_nobody_can_trace_wants_to_be_allowed():
    """Without a route back to the client every change of an interface may cut the node off."""
    with Lab(nodes=2, lab_yaml="hosts: {pve1: {client: 198.51.100.7}}\n") as lab:
        done = lab.apply(expect=3)
        assert "touches the path of the SSH session to pve1; nothing was changed" in " ".join(done.stderr.split()), done.stderr
        assert "no route leads back to 198.51.100.7" in " ".join(done.stdout.split()), done.stdout
        lab.fabric("--lab", "apply", "--auto-approve", "--allow-mgmt-path", expect=0)
        lab.plan_is_empty()


def an_approved_plan_goes_on_without_a_node_that_died():
    """A node that died since stops a plan before the first write, unless that is to go on without it; a resumed run catches up."""
    document = "apiVersion: fabric/v1\nname: three\nnodes:\n  n[1-3]: {sysctl: {vm.swappiness: 10}, adapters: {cx5: {model: connectx-5-en}}}\n"
    with Lab(document=document) as lab:
        lab.fabric("--lab", "plan", "--out", "three.plan", expect=0)
        lab.fabric("lab", "fault", "n2", "refused", expect=0)
        told = " ".join(lab.fabric("--lab", "apply", "three.plan", expect=4).stderr.split())
        assert "n2" in told and "nothing was changed" in told and "--skip-unreachable" in told, told
        assert lab.ssh("n1", "cat /proc/sys/vm/swappiness").stdout == "60\n"
        done = lab.fabric("--lab", "apply", "three.plan", "--skip-unreachable", expect=4)
        told = " ".join(done.stderr.split())
        assert "n2 is left out: it can't be reached" in told and "verify was left out" in told, told
        assert lab.ssh("n1", "cat /proc/sys/vm/swappiness").stdout == "10\n"
        run = told.split("--resume ")[1].split()[0]
        lab.fabric("--lab", "apply", "--resume", run, "--skip-unreachable", expect=4)
        lab.fabric("lab", "fault", "n2", "none", expect=0)
        lab.fabric("--lab", "apply", "--resume", run, expect=0)
        assert lab.ssh("n2", "cat /proc/sys/vm/swappiness").stdout == "10\n"
        lab.plan_is_empty()
