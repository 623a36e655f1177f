# SPDX-License-Identifier: Apache-2.0
"""What is rolled back, or begun again: a node that is cut off, a bond with it, a power loss."""
import json
import subprocess

from machines import STACKS, binary, boot_id, control, ssh, until
from networks import NOTHING, TWO_PORTS, bonded
from observed import addresses, mtu, no_guard_is_left, pinged, proc_bond
from repository import Repository

# SSH comes in from 10.0.2.2; a smaller subnet that holds it takes the way back: refused, unless that is allowed.
CUT = """\
  storage:
    mode: ethernet
    mtu: 1500
    ipv4: {subnet: 10.0.2.0/29, addresses: {%s/1: 10.0.2.3}}
    ports: [%s/1]
"""


def apply_that_cuts_off(repository):
    """What it said, in one line."""
    refused = " ".join(repository.fabric("apply", "--auto-approve", expect=3).split())
    assert "comes from 10.0.2.2, to which enp0s2 has the route now" in refused and "nothing was changed" in refused, refused
    return " ".join(repository.fabric("apply", "--auto-approve", "--allow-mgmt-path", expect=11).split())


def cut_off_live():
    """An apply that cuts its own network: the node rolls it back by itself, and the run says so."""
    for node in STACKS:
        with Repository(CUT % (node, node), nodes=(node,)) as repository:
            said = apply_that_cuts_off(repository)
            assert "rolled back by the node itself" in said, said
            assert addresses(node, "enp0s16f0") == []
            no_guard_is_left(node)
            print(said)
            stays_as_before(repository)


def stays_as_before(repository, networks=NOTHING):
    """What was there before the apply that was rolled back is all there is, also after a reboot."""
    repository.write(networks)
    repository.fabric("plan", "--detailed-exitcode", expect=0)
    repository.survives_a_reboot()


def cut_off_across_a_reboot():
    """What cuts the node off only after its reboot is rolled back after it, addresses that the boot gave included."""
    for node in STACKS:
        with Repository(CUT % (node, node), nodes=(node,), adapter=", firmware: {params: {SRIOV_EN: 1}}") as repository:
            before = boot_id(node)
            said = apply_that_cuts_off(repository)
            assert "rolled back by the node itself" in said, said
            assert boot_id(node) != before
            assert addresses(node, "enp0s16f0") == []
            no_guard_is_left(node)
            print(said)
            stays_as_before(repository)


def cut_off_by_a_name():
    """A boot that calls the port something else and cuts the node off: it is called, and configured, as it was before."""
    for node in STACKS:
        own = f"  storage-a:\n    mode: ethernet\n    mtu: 9000\n    ipv4: {{subnet: 10.30.0.0/24}}\n    ports: [{node}/1]\n"
        with Repository(own, nodes=(node,)) as repository:
            repository.converges()
            before = addresses(node, "enp0s16f0")
            assert before == [f"10.30.0.{node[1]}/24"], before
            repository.adapter = ", names: {1: cut0}"
            repository.write(CUT % (node, node))
            started = boot_id(node)
            said = apply_that_cuts_off(repository)
            assert "rolled back by the node itself" in said, said
            assert boot_id(node) != started
            assert "cut0" not in ssh(node, "ls /sys/class/net")
            assert addresses(node, "enp0s16f0") == before and mtu(node, "enp0s16f0") == 9000
            no_guard_is_left(node)
            print(said)
            repository.adapter = ""
            stays_as_before(repository, own)
            assert addresses(node, "enp0s16f0") == before, addresses(node, "enp0s16f0")


def events_of(repository, node):
    """What the journal of the only run says of a node so far."""
    lines = [line for path in repository.path.glob(".fabric/runs/*/journal.jsonl") for line in path.read_text().splitlines(keepends=True)]
    events = [json.loads(line) for line in lines if line.endswith("\n")]
    ids = {each["id"] for each in events if each.get("node") == node and "id" in each}
    return [each for each in events if each.get("id") in ids]


def bond_rolled_back():
    """A bond with a VLAN on it is as it was after a change that cut its node off; and options that the document drops are the kernel's again, live."""
    before = bonded("active-backup", ", primary: cx5/1, updelay: 200, downdelay: 100")

    def stands(mtu_of_it, delays, vlan=True):
        for node in STACKS:
            said = proc_bond(node)
            assert said.count("Slave Interface: enp0s16f") == 2, said
            assert all(f"{name} Delay (ms): {value}" in said for name, value in zip(("Up", "Down"), delays)), said
            assert [mtu(node, device) for device in ("bond0", "enp0s16f0", "enp0s16f1")] == 3 * [mtu_of_it]
            assert addresses(node, "bond0") == [f"10.30.0.{node[1]}/24"], addresses(node, "bond0")
            if vlan:
                assert addresses(node, "bond0.100") == [f"10.40.0.{node[1]}/24"], addresses(node, "bond0.100")

    # As CUT.
    cut = bonded("active-backup", ", primary: cx5/1").replace("9000", "4200").replace(
        "subnet: 10.30.0.0/24", "subnet: 10.0.2.0/29, addresses: {%s}" % ", ".join(f"{node}: 10.0.2.{int(node[1:]) + 2}" for node in STACKS))
    with Repository(before) as repository:
        repository.converges()
        stands(9000, (200, 100))
        repository.write(cut)
        said = apply_that_cuts_off(repository)
        print(said[said.find("Plan:"):], flush=True)
        assert "rolled back by the node itself" in said, said
        for node in STACKS:
            no_guard_is_left(node)
        stands(9000, (200, 100))
        repository.write(before)
        repository.converges()  # the MTU of the VLAN was an action of its own, and went well
        stands(9000, (200, 100))
        pinged()
        pinged(size=56, subnet=40)
        # Another mode wants another bond, and the VLAN comes back on it.
        repository.write(bonded("balance-rr", ", updelay: 200, downdelay: 100"))
        repository.converges()
        for node in STACKS:
            assert "round-robin" in proc_bond(node), proc_bond(node)
        stands(9000, (200, 100))
        repository.write(before)
        repository.converges()
        stands(9000, (200, 100))
        dropped = bonded("active-backup", ", primary: cx5/1", vlan=False).replace("    mtu: 9000\n", "")
        repository.write(dropped)
        started = {node: boot_id(node) for node in STACKS}
        repository.converges()
        stands(1500, (0, 0), vlan=False)
        assert started == {node: boot_id(node) for node in STACKS}
        pinged(size=1472)
        repository.survives_a_reboot()
        stands(1500, (0, 0), vlan=False)


def power_loss():
    """The power fails in the middle of an apply, while files are being changed; a plain new one converges."""
    with Repository(TWO_PORTS) as repository:
        applying = subprocess.Popen([binary, "--timeout", "120s", "apply", "--auto-approve"], cwd=repository.path, stdin=subprocess.DEVNULL,
                                    stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        until(300, "n1 is being changed", lambda: applying.poll() is not None
              or any(each.get("phase", "").startswith("changing it") for each in events_of(repository, "n1")))
        control("reset", "n1")
        ended = [each for each in events_of(repository, "n1") if each["event"] == "action_ended"]
        said = applying.communicate(timeout=1800)[0]
        assert not ended, f"it was over before the power failed: {ended}\n{said}"
        assert applying.returncode in (0, 1, 4, 10, 11, 12), (applying.returncode, said)  # 0: the boot had the files, and they were read back
        print(f"n1 was reset in the middle: exit {applying.returncode}", said[said.find("Plan:"):], sep="\n", flush=True)
        until(300, "n1 answers", lambda: boot_id("n1") != "")
        # Not --all: a unit that was wanted by the boot stays known to systemd, stopped and without a file, until it reloads.
        until(120, "no timer is armed any more", lambda: "fabric-guard" not in ssh("n1", "systemctl list-timers"))
        print(repository.fabric("apply", "--auto-approve", expect=0).split("reading")[0][-600:], flush=True)
        repository.fabric("plan", "--detailed-exitcode", expect=0)
        no_guard_is_left("n1")
        repository.survives_a_reboot()
