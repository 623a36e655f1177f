#!/usr/bin/env python3
"""The real program against the real lab over real SSH: what a user would do, and what then goes wrong.

usage: scenarios.py FABRIC_BINARY SOURCE_ROOT [SCENARIO...]

Each scenario has a lab of its own in a temporary folder; they run side by side.
"""
import concurrent.futures
import json
import os
import pathlib
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from lab import RING, Lab, binary, root


def converges():
    """Factory settings to a ring; a second plan and a second apply find nothing; a reboot changes nothing."""
    with Lab() as lab:
        lab.fabric("--lab", "plan", "--out", "ring.plan", expect=0)
        lab.fabric("--lab", "apply", "ring.plan", expect=0)
        lab.monitor_is_clean(reboots=3)
        lab.plan_is_empty()
        lab.apply()
        lab.monitor_is_clean(reboots=3)
        lab.reboot("pve2")
        lab.plan_is_empty()
        lab.fabric("--lab", "verify", expect=0)


def ifupdown_with_names():
    """The other back end: interfaces are named by us, because a link-type change renames them."""
    document = (RING % (3, 3)).replace("model: connectx-5-vpi}", "model: connectx-5-vpi, names: {1: fab1, 2: fab2}}")
    with Lab(document=document, lab_yaml='hosts: {"pve[1-3]": {backend: ifupdown}}\n') as lab:
        lab.apply()
        lab.monitor_is_clean(reboots=3)
        lab.plan_is_empty()
        lab.fabric("--lab", "verify", expect=0)


def connectx3_pair():
    """An example as it stands: mlx4 ports, InfiniBand from the factory, named before they are Ethernet."""
    document = (root / "examples/cx3-pair-ethernet/fabric.yaml").read_text()
    # Debian 12's mstflint; newer ones don't know the card.
    with Lab(document=document, lab_yaml='hosts: {"machine-[1-2]": {tool_version: "4.21"}}\n') as lab:
        lab.apply()
        lab.monitor_is_clean(reboots=2)
        lab.plan_is_empty()
        lab.fabric("--lab", "verify", expect=0)
        lab.reboot("machine-1")
        lab.plan_is_empty()


def virtual_functions():
    """Firmware first, then the functions of both ports, at every boot; another number without one; and away again."""
    def document(sriov):
        return (RING % (3, 3)).replace("mode: chain", "mode: ethernet").replace(
            "model: connectx-5-vpi", "model: connectx-5-vpi" + sriov).replace(
            "cables: [{ring: [\"pve[1-3]\"]}]", "cables: [[pve1/1, pve2/1]]")

    def found(node):
        return lab.ssh(node, "cat /sys/bus/pci/devices/0000:01:00.*/sriov_numvfs").stdout.split()

    with Lab(document=document(", sriov: {vfs: 8}")) as lab:
        lab.apply()
        lab.monitor_is_clean(reboots=3)
        lab.plan_is_empty()
        assert found("pve3") == ["8", "8"], found("pve3")
        lab.reboot("pve3")
        lab.plan_is_empty()
        # The firmware keeps nine: one in reserve.
        (lab.path / "fabric.yaml").write_text(document(", firmware: {params: {NUM_OF_VFS: 9}}, sriov: {vfs: 4}"))
        lab.apply()
        assert found("pve3") == ["4", "4"], found("pve3")
        lab.plan_is_empty()
        (lab.path / "fabric.yaml").write_text(document(""))
        lab.apply()
        assert found("pve3") == ["0", "0"], found("pve3")
        lab.plan_is_empty()


def cables():
    """A cut cable, a swapped pair and a card that does not chain are each named."""
    with Lab(nodes=4) as lab:
        lab.apply()
        lab.fabric("lab", "recable", "pve1/cx5/1", "pve3/cx5/2", expect=0)
        lab.fabric("lab", "recable", "pve3/cx5/1", "pve2/cx5/2", expect=0)
        lab.fabric("lab", "recable", "pve2/cx5/1", "pve4/cx5/2", expect=0)
        lab.verify_says("cable-mis-wired", "pve1/cx5/1 is cabled to pve3/cx5/2")
        lab.fabric("lab", "recable", "pve1/cx5/1", "pve2/cx5/2", expect=0)
        lab.fabric("lab", "recable", "pve2/cx5/1", "pve3/cx5/2", expect=0)
        lab.verify_says("cable-missing", "pve3/cx5/1 - pve4/cx5/2")
        lab.fabric("lab", "recable", "pve3/cx5/1", "pve4/cx5/2", expect=0)
        lab.fabric("--lab", "verify", expect=0)
        lab.reboot("pve3", "mstconfig -d 0000:01:00.0 -y set HOST_CHAINING_MODE=0")
        lab.verify_says("transit-lost", "in transit through pve3")
        done = lab.fabric("--lab", "plan", "--detailed-exitcode", expect=2)
        assert "HOST_CHAINING_MODE" in done.stdout and "pve3" in done.stdout, done.stdout


def old_firmware():
    """9000 on firmware 16.22.1002 is refused at plan time; with the rule obeyed it converges."""
    lab_yaml = 'hosts: {pve2: {adapters: {cx5: {firmware: "16.22.1002"}}}}\n'
    with Lab(lab_yaml=lab_yaml) as lab:
        done = lab.fabric("--lab", "plan", expect=3)
        assert "chain-mtu-firmware" in done.stderr and "pve2" in done.stderr, done.stderr
        document = lab.path / "fabric.yaml"
        document.write_text(document.read_text().replace("mtu: 9000", "mtu: 8000"))
        lab.apply()
        lab.fabric("--lab", "verify", expect=0)


def lost_reply():
    """The effect happened, the reply was lost: apply reads back and goes on."""
    with Lab() as lab:
        lab.fabric("--lab", "plan", "--out", "ring.plan", expect=0)
        for node in ("pve1", "pve2", "pve3"):
            lab.fabric("lab", "fault", node, "lost-reply", "--on", " set ", expect=0)
        lab.fabric("--lab", "apply", "ring.plan", expect=0)
        lab.monitor_is_clean(reboots=3)
        lab.plan_is_empty()


def node_never_returns():
    """A node that stays down: its neighbours are skipped by name, the ring is cut no further, exit 12."""
    with Lab(nodes=4) as lab:
        lab.fabric("lab", "fault", "pve2", "no-boot", expect=0)
        done = lab.apply(expect=12)
        assert "pve2 did not come back" in done.stdout, done.stdout
        assert "skipped" in done.stderr and "pve3" in done.stderr, done.stderr
        lab.monitor_is_clean(reboots=2)
        down = [name for name, node in lab.status()["nodes"].items() if node["power"] != "up"]
        assert down == ["pve2"], down


def lying_tool():
    """mstconfig says Done and does nothing: exit 0 is no evidence."""
    with Lab() as lab:
        lab.fabric("--lab", "plan", "--out", "ring.plan", expect=0)
        lab.fabric("lab", "fault", "pve1", "lying-exit", "--on", " set ", expect=0)
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


def stale_plan():
    """Reality moved between plan and apply: exit 7 names field, expected and found; nothing is written."""
    with Lab() as lab:
        lab.fabric("--lab", "plan", "--out", "ring.plan", expect=0)
        lab.reboot("pve2", "mstconfig -d 0000:01:00.0 -y set HOST_CHAINING_MODE=1 LINK_TYPE_P1=2 LINK_TYPE_P2=2")
        lab.ssh("pve2", "mstconfig -d 0000:01:00.0 -y set LINK_TYPE_P2=1")
        done = lab.fabric("--lab", "apply", "ring.plan", expect=7)
        assert "pve2" in done.stderr and "expected" in done.stderr and "found" in done.stderr, done.stderr
        lab.monitor_is_clean(reboots=1)


def same_bytes():
    """plan gives the same bytes at any parallelism, from live nodes and from saved facts."""
    with Lab(nodes=6) as lab:
        plans = []
        for name, arguments in (("1", ("--lab", "--parallelism", "1")), ("64", ("--lab", "--parallelism", "64"))):
            lab.fabric(*arguments, "plan", "--out", f"{name}.plan", expect=0)
            plans.append((lab.path / f"{name}.plan").read_bytes())
        lab.fabric("--lab", "discover", "--save", "facts", expect=0)
        lab.fabric("--facts", "facts", "plan", "--out", "facts.plan", expect=0)
        plans.append((lab.path / "facts.plan").read_bytes())
        assert plans[0] == plans[1], "parallelism changes the plan"
        assert plans[0] == plans[2], "saved facts change the plan"


def no_guard_is_left(lab, node):
    left = lab.ssh(node, "ls /var/lib/fabric/guard; ls /etc/systemd/system /etc/systemd/system/timers.target.wants")
    assert "fabric-guard" not in left.stdout and not left.stdout.split("/etc")[0].strip(), left.stdout


# A busy machine needs its time to confirm; a node that is cut off never does.
def hasty(document):
    return document.replace("{reboot_timeout: 8s}", "{reboot_timeout: 40s, confirm_timeout: 12s}")


def cut_off_live():
    """A change that cuts its own network is taken back by the node itself, and the run says so."""
    document = RING % (3, 3)
    with Lab(document=document) as lab:
        lab.apply()
        (lab.path / "fabric.yaml").write_text(hasty(document).replace("mtu: 9000", "mtu: 4200"))
        lab.fabric("lab", "fault", "pve1", "cut-off", expect=0)
        said = " ".join(lab.apply(expect=11).stdout.split())
        assert "rolled back by the node itself" in said, said
        mtu = lab.ssh("pve1", "cat /sys/class/net/*/mtu; cat /etc/systemd/network/*").stdout
        assert "9000" in mtu and "4200" not in mtu, mtu
        no_guard_is_left(lab, "pve1")
        lab.fabric("lab", "fault", "pve1", "none", expect=0)
        (lab.path / "fabric.yaml").write_text(document.replace("mtu: 9000", "mtu: 4200"))
        lab.apply()
        lab.plan_is_empty()
        no_guard_is_left(lab, "pve1")


def cut_off_across_a_reboot():
    """What cuts the node off only after its reboot is taken back after it, and the ring is cut no further."""
    document = RING % (3, 3)
    with Lab(document=hasty(document)) as lab:
        lab.fabric("lab", "fault", "pve1", "cut-off", expect=0)
        said = " ".join(lab.apply(expect=11).stdout.split())
        assert "rolled back by the node itself" in said, said
        lab.monitor_is_clean(reboots=1)
        no_guard_is_left(lab, "pve1")
        lab.fabric("lab", "fault", "pve1", "none", expect=0)
        (lab.path / "fabric.yaml").write_text(document)
        lab.apply()
        lab.plan_is_empty()


TWO = """\
apiVersion: fabric/v1
name: pair
nodes:
  n[1-2]: {%sadapters: {cx5: {model: connectx-5-vpi}}}
networks:
"""
STORAGE = """\
  storage:
    mode: ethernet
    mtu: 9000
    ipv4: {subnet: 10.30.0.0/24}
    cables: [[n1/1, n2/1]]
"""
BACKUP = STORAGE.replace("storage", "backup").replace("10.30", "10.31").replace("/1", "/2").replace("cables", "ipv6: {subnet: fd31::/64}\n    cables")


def removal():
    """What the document does not ask for any more goes from the nodes: an attribute, a network, a whole node."""
    with Lab(document=TWO % "" + STORAGE + BACKUP) as lab:
        lab.apply()

        def found(node):
            return lab.ssh(node, "ls /etc/systemd/network /etc/sysctl.d; ip -o addr show; cat /proc/sys/net/ipv4/conf/all/arp_ignore").stdout

        assert "10.31.0.1/" in found("n1") and "fd31::1/" in found("n1"), found("n1")
        (lab.path / "fabric.yaml").write_text(TWO % "" + STORAGE + BACKUP.replace("ipv6: {subnet: fd31::/64}", ""))
        lab.apply()
        lab.plan_is_empty()
        assert "10.31.0.1/" in found("n1") and "fd31::1/" not in found("n1"), found("n1")
        (lab.path / "fabric.yaml").write_text(TWO % "" + STORAGE)
        done = lab.fabric("--lab", "plan", "--out", "removal.plan", expect=0)
        assert "2 to remove" in done.stdout, done.stdout
        lab.fabric("--lab", "apply", "removal.plan", expect=0)
        lab.plan_is_empty()
        assert "10.31.0.1/" not in found("n1") and "fabric-cx5.2" not in found("n1"), found("n1")
        assert "10.30.0.1/" in found("n1"), found("n1")
        (lab.path / "fabric.yaml").write_text(TWO % "state: absent, " + "  {}\n")
        lab.apply()
        lab.plan_is_empty()
        assert "10.30.0.1/" not in found("n1") and "fabric" not in found("n1"), found("n1")


def forgotten_options():
    """Options of a bond and MTUs that the document no longer says go back to the kernel's own, by both back ends, beside one that changes."""
    start = """\
apiVersion: fabric/v1
name: pair
rollout: {reboot_timeout: 8s}
nodes:
  n1: {network_backend: networkd, packages: [ifenslave], adapters: {cx5: {model: connectx-5-en}}}
  n2: {network_backend: ifupdown, packages: [ifenslave], adapters: {cx5: {model: connectx-5-en}}}
networks:
  direct:
    mode: lag
    mtu: 9000
    ipv4: {subnet: 10.30.0.0/24}
    lag: {bond: bond0, policy: %s}
    cables: [[n1/1, n2/1], [n1/2, n2/2]]
"""
    lab_yaml = "hosts: {n2: {backend: ifupdown}}\n"

    def options(lab, *files):
        said = "; ".join(f"cat /sys/class/net/{file}" for file in files)
        return [lab.ssh(node, said).stdout.split("\n")[:len(files)] for node in ("n1", "n2")]

    def becomes(lab, document):
        (lab.path / "fabric.yaml").write_text(document)
        lab.apply()
        lab.plan_is_empty()

    with Lab(document=start % "active-backup, miimon: 100, updelay: 200, downdelay: 400, primary: cx5/2", lab_yaml=lab_yaml) as lab:
        lab.apply()
        files = [f"bond0/bonding/{name}" for name in ("miimon", "updelay", "downdelay", "primary")]
        for node in options(lab, *files):
            assert node == ["100", "200", "400", "enp1s0f1np1"], node
        becomes(lab, start % "active-backup, miimon: 50, downdelay: 400")
        for node in options(lab, *files):
            assert node == ["50", "0", "400", ""], node
        becomes(lab, (start % "active-backup, miimon: 50, updelay: 100").replace("    mtu: 9000\n", ""))
        for node in options(lab, *files, "bond0/mtu", "enp1s0f0np0/mtu", "enp1s0f1np1/mtu"):
            assert node == ["50", "100", "0", "", "1500", "1500", "1500"], node
        after_a_boot(lab)
        after_a_boot(lab, "n2")
    with Lab(document=start % "802.3ad, lacp_rate: fast, hash_policy: layer3+4, min_links: 1", lab_yaml=lab_yaml) as lab:
        lab.apply()
        files = [f"bond0/bonding/{name}" for name in ("xmit_hash_policy", "min_links", "lacp_rate")]
        for node in options(lab, *files):
            assert node == ["layer3+4 1", "1", "fast 1"], node
        becomes(lab, start % "802.3ad, lacp_rate: fast")
        for node in options(lab, *files):
            assert node == ["layer2 0", "0", "fast 1"], node
        becomes(lab, start % "802.3ad")
        for node in options(lab, *files):
            assert node == ["layer2 0", "0", "slow 0"], node
    ports = TWO.replace("5-vpi", "5-en") % ""
    with Lab(document=ports + STORAGE + BACKUP, lab_yaml=lab_yaml) as lab:
        lab.apply()
        becomes(lab, ports + STORAGE + BACKUP.replace("    mtu: 9000\n", ""))
        for node in options(lab, "enp1s0f0np0/mtu", "enp1s0f1np1/mtu"):
            assert node == ["9000", "1500"], node


def ignored_options():
    """What the bonding driver ignores or rounds is a warning, and an apply converges all the same."""
    document = """\
apiVersion: fabric/v1
name: pair
rollout: {reboot_timeout: 8s}
nodes:
  n1: {network_backend: networkd, packages: [ifenslave], adapters: {cx5: {model: connectx-5-en}}}
  n2: {network_backend: ifupdown, packages: [ifenslave], adapters: {cx5: {model: connectx-5-en}}}
networks:
  direct:
    mode: lag
    ipv4: {subnet: 10.30.0.0/24}
    lag: {policy: %s}
    cables: [[n1/1, n2/1], [n1/2, n2/2]]
"""
    rounded = "active-backup, miimon: 100, updelay: 150, downdelay: 50, lacp_rate: fast, hash_policy: layer3+4, min_links: 1"
    with Lab(document=document % rounded, lab_yaml="hosts: {n2: {backend: ifupdown}}\n") as lab:
        for policy, warnings in ((rounded, 5), ("balance-xor, miimon: 60, updelay: 150, primary: cx5/1, ad_select: count", 3)):
            (lab.path / "fabric.yaml").write_text(document % policy)
            done = lab.apply()
            assert done.stderr.count("lag-option-ignored") == warnings, done.stderr
            after_a_boot(lab)
            after_a_boot(lab, "n2")


def primary_of_nameless_ports():
    """A primary slave on cards that come as InfiniBand: networkd knows it before its interface has a name; one plan, one boot each."""
    document = """\
apiVersion: fabric/v1
name: pair
rollout: {reboot_timeout: 8s}
nodes:
  n[1-2]: {adapters: {cx5: {model: connectx-5-vpi}}}
networks:
  direct:
    mode: lag
    ipv4: {subnet: 10.30.0.0/24}
    lag: {policy: active-backup, primary: %s}
    cables: [[n1/1, n2/1], [n1/2, n2/2]]
"""
    with Lab(document=document % "cx5/2") as lab:
        lab.apply()
        lab.monitor_is_clean(reboots=2)
        lab.plan_is_empty()
        for node in ("n1", "n2"):
            assert "Primary Slave: enp1s0f1np1" in proc_bond(lab, node), proc_bond(lab, node)
        (lab.path / "fabric.yaml").write_text(document % "cx5/1")
        lab.apply()
        after_a_boot(lab)
        assert "Primary Slave: enp1s0f0np0" in proc_bond(lab, "n1"), proc_bond(lab, "n1")


def staged():
    """What the next boot will have is set and nobody boots; whoever boots the nodes finds them done."""
    with Lab() as lab:
        said = lab.fabric("--lab", "apply", "--stage", "--auto-approve", expect=0)
        assert "staged: it comes into force with the next boot of pve[1-3]" in said.stderr, said.stderr
        lab.monitor_is_clean(reboots=0)
        again = lab.fabric("--lab", "apply", "--stage", "--auto-approve", expect=0)
        assert "0 to change" in again.stdout, again.stdout
        lab.fabric("--lab", "plan", "--detailed-exitcode", expect=2)
        for node in ("pve1", "pve2", "pve3"):
            lab.reboot(node)
        lab.plan_is_empty()
        lab.fabric("--lab", "verify", expect=0)


def reboot_command():
    """Who may reboot the nodes is somebody else: a command of this machine, given the node's name."""
    with Lab(document=(RING % (3, 3)).replace("{reboot_timeout: 8s}", "{reboot_timeout: 8s, reboot: {command: [./power-cycle, now]}}")) as lab:
        script = lab.path / "power-cycle"
        script.write_text(f"""#!/bin/sh
echo "$@" >>cycled
{root}/tests/golden/bin/at "$2" 'systemctl reboot' 2>/dev/null
exit 255  # whatever it says: the node's boot_id decides
""")
        script.chmod(0o755)
        lab.apply()
        lab.monitor_is_clean(reboots=3)
        lab.plan_is_empty()
        assert sorted(set((lab.path / "cycled").read_text().splitlines())) == ["now pve1", "now pve2", "now pve3"]
        script.unlink()
        lab.ssh("pve2", "mstconfig -d 0000:01:00.0 -y set HOST_CHAINING_MODE=0")
        lab.reboot("pve2")
        done = lab.apply(expect=10)
        assert "./power-cycle: can't be run on this machine: No such file or directory" in done.stdout + done.stderr, done.stdout + done.stderr


def software():
    """A host that can fetch no package says so and stops; without that wish, packages, modules and parameters are there to stay."""
    document = """\
apiVersion: fabric/v1
name: software
rollout: {reboot_timeout: 8s}
nodes:
  pve[1-2]:
    packages: [perftest, opensm]
    modules: {bonding: {}, mlx5_core: {prof_sel: 3, debug_mask: 1}}
    tuning: [40g]
    adapters: {cx5: {model: connectx-5-vpi}}
  pve3: {packages: [perftest], modules: {bonding: {}}, adapters: {cx5: {model: connectx-5-vpi}}}
"""
    with Lab(document=document, lab_yaml="hosts: {pve3: {archive: offline}}\n") as lab:
        done = lab.apply(expect=1)
        assert "Unable to fetch" in done.stdout, done.stdout
        assert "bonding" not in lab.ssh("pve3", "lsmod").stdout, "pve3 went on without its package"
        (lab.path / "fabric.yaml").write_text(document.replace("pve3: {packages: [perftest], ", "pve3: {"))
        lab.apply()
        lab.monitor_is_clean(reboots=2)
        lab.plan_is_empty()
        lab.reboot("pve1")
        lab.plan_is_empty()
        assert lab.ssh("pve1", "cat /sys/module/mlx5_core/parameters/prof_sel").stdout == "3\n"


def example(name, *changes):
    """The document of an example as it stands, but for pairs of what is there and what replaces it."""
    text = (root / "examples" / name / "fabric.yaml").read_text()
    for old, new in changes:
        assert old in text, f"{name} does not say {old!r} any more"
        text = text.replace(old, new)
    return text


def converges_and_stays(lab, node):
    lab.apply()
    lab.plan_is_empty()
    lab.fabric("--lab", "verify", expect=0)
    lab.reboot(node)
    lab.plan_is_empty()
    lab.fabric("--lab", "verify", expect=0)


def ifenslave_is_wanted(lab, *nodes):
    done = lab.fabric("--lab", "plan", expect=3)
    assert "package-missing" in done.stderr and "ifenslave" in done.stderr, done.stderr
    for node in nodes:
        assert lab.ssh(node, "apt-get -y install ifenslave").returncode == 0


def proc_bond(lab, node):
    return lab.ssh(node, "cat /proc/net/bonding/bond0").stdout


def roce_lag():
    """The example with its three policies through a switch: one RDMA device each, and what then goes wrong is named."""
    # A switch of its kind nobody configures yet.
    document = example("roce-lag", ("    platform: mlnx-os\n", "    platform: mlnx-os\n    state: observe\n"))
    with Lab(document=document) as lab:
        converges_and_stays(lab, "s5")
        for node in ("s1", "s3", "s5"):
            assert lab.ssh(node, "ls /sys/class/infiniband").stdout == "mlx5_bond_0\n", node
        assert "Number of ports: 2" in proc_bond(lab, "s5")
        # Into a port of the switch that belongs to no channel.
        lab.fabric("lab", "recable", "s5/cx4/1", "leaf1/1/30", expect=0)
        lab.fabric("lab", "recable", "s5/cx4/2", "leaf1/1/31", expect=0)
        lab.verify_says("bond-not-aggregated", "partner MAC", "s5")
        # Both ends at the switch: the port of the host is left without a cable.
        lab.fabric("lab", "recable", "leaf1/1/2", "leaf1/1/40", expect=0)
        lab.verify_says("bond-not-aggregated", "slave enp1s0f1np1 is down")


def pair_of_bonds():
    """The example of a ConnectX-3 pair as it stands, by ifupdown: bonded, through a reboot, and a slave whose cable is cut is named."""
    # Debian 12's mstflint; newer ones don't know the card.
    lab_yaml = 'hosts: {"machine-[1-2]": {backend: ifupdown, tool_version: "4.21"}}\n'
    with Lab(document=example("cx3-pair-bond"), lab_yaml=lab_yaml) as lab:
        converges_and_stays(lab, "machine-2")
        lab.fabric("lab", "recable", "machine-1/2", "machine-2/1", expect=0)
        lab.verify_says("eth40b", "eth40a")


def lacp_pair():
    """LACP from host to host on ifupdown: it aggregates; with a slave's cable cut, and against nothing, verify says so."""
    document = """\
apiVersion: fabric/v1
name: pair
rollout: {reboot_timeout: 8s}
nodes:
  n[1-2]: {network_backend: ifupdown, adapters: {cx5: {model: connectx-5-en}}}
networks:
  direct:
    mode: lag
    mtu: 9000
    ipv4: {subnet: 10.30.0.0/24}
    lag: {bond: bond0, policy: 802.3ad, lacp_rate: fast}
    cables: [[n1/1, n2/1], [n1/2, n2/2]]
"""
    with Lab(document=document) as lab:
        ifenslave_is_wanted(lab, "n1", "n2")
        converges_and_stays(lab, "n1")
        lab.fabric("lab", "recable", "n1/1", "n2/2", expect=0)
        lab.verify_says("bond-not-aggregated", "slave enp1s0f1np1 is down")


BOND_WITH_VLAN = """\
apiVersion: fabric/v1
name: pair
rollout: {reboot_timeout: 40s, confirm_timeout: 12s}
nodes:
  n[1-2]: {network_backend: %s, adapters: {cx5: {model: connectx-5-en}}}
networks:
  direct:
    mode: lag
    mtu: 9000
    ipv4: {subnet: 10.30.0.0/24}
    vlans: {backup: {id: 100, ipv4: {subnet: 10.100.0.0/24}}}
    lag: {bond: bond0, policy: 802.3ad, lacp_rate: fast}
    cables: [[n1/1, n2/1], [n1/2, n2/2]]
"""


def bond_taken_back(backend):
    document = BOND_WITH_VLAN % backend
    with Lab(document=document) as lab:
        if backend == "ifupdown":
            ifenslave_is_wanted(lab, "n1", "n2")
        lab.apply()
        lab.plan_is_empty()
        lab.fabric("lab", "fault", "n1", "cut-off", expect=0)
        (lab.path / "fabric.yaml").write_text(document.replace("policy: 802.3ad, lacp_rate: fast", "policy: active-backup"))
        said = " ".join(lab.apply(expect=11).stdout.split())
        assert "rolled back by the node itself" in said, said
        addresses = lab.ssh("n1", "ip -o -4 addr show").stdout
        assert "10.30.0.1/24" in addresses and "10.100.0.1/24" in addresses, f"{backend}: {addresses}"
        assert "802.3ad" in proc_bond(lab, "n1") and proc_bond(lab, "n1").count("Slave Interface") == 2, f"{backend}: {proc_bond(lab, 'n1')}"
        no_guard_is_left(lab, "n1")
        lab.fabric("lab", "fault", "n1", "none", expect=0)
        (lab.path / "fabric.yaml").write_text(document)
        lab.apply()
        lab.plan_is_empty()


def bond_taken_back_ifupdown():
    """A bond that is taken back comes with its ports and with the VLAN on it: Debian's ifupdown."""
    bond_taken_back("ifupdown")


def bond_taken_back_ifcfg():
    """A bond that is taken back comes with its ports and with the VLAN on it: RHEL's network scripts."""
    bond_taken_back("ifcfg")


def bond_taken_back_networkd():
    """A bond that is taken back comes with its ports and with the VLAN on it: systemd-networkd."""
    bond_taken_back("networkd")


def vlan_of_a_port_that_changes():
    """A port is reconfigured with a VLAN on it, both ways: Debian's ifdown takes the VLAN down with it, and it comes back."""
    document = """\
apiVersion: fabric/v1
name: pair
rollout: {reboot_timeout: 8s}
nodes:
  n[1-2]: {network_backend: ifupdown, adapters: {cx5: {model: connectx-5-en}}}
networks:
  direct:
    mode: ethernet
    mtu: %s
    ipv4: {subnet: 10.30.0.0/24}
    vlans: {backup: {id: 100, ipv4: {subnet: 10.100.0.0/24}}}
    cables: [[n1/1, n2/1]]
"""
    with Lab(document=document % 9000) as lab:
        lab.apply()
        for mtu in (4200, 9000):
            (lab.path / "fabric.yaml").write_text(document % mtu)
            lab.apply()
            lab.plan_is_empty()
            addresses = lab.ssh("n1", "ip -o -4 addr show").stdout
            assert "10.30.0.1/24" in addresses and "10.100.0.1/24" in addresses, addresses


def vlan_dropped_with_a_new_bond():
    """One plan drops the VLAN and makes the bond below it anew: what is gone is not brought up again."""
    for backend in ("ifupdown", "ifcfg"):
        document = BOND_WITH_VLAN % backend
        with Lab(document=document) as lab:
            if backend == "ifupdown":
                ifenslave_is_wanted(lab, "n1", "n2")
            lab.apply()
            dropped = "".join(line for line in document.replace("policy: 802.3ad, lacp_rate: fast", "policy: active-backup").splitlines(keepends=True)
                              if "vlans:" not in line)
            assert dropped != document
            (lab.path / "fabric.yaml").write_text(dropped)
            lab.apply()
            lab.plan_is_empty()
            addresses = lab.ssh("n1", "ip -o -4 addr show").stdout
            assert "10.30.0.1/24" in addresses and "10.100.0.1/24" not in addresses, f"{backend}: {addresses}"


BURN = """\
apiVersion: fabric/v1
name: burn
rollout: {reboot_timeout: 8s}
nodes:
  pve[1-2]:
    adapters:
      cx5:
        model: connectx-5-vpi
        firmware: {version: "16.35.4030", psid: MT_0000000008, image: images/fw.bin}
"""


def firmware_image(lab, version="16.35.4030", psid="MT_0000000008"):
    (lab.path / "images").mkdir(exist_ok=True)
    (lab.path / "images/fw.bin").write_text(f"fabric lab firmware image\nversion {version}\npsid {psid}\n")


def flash_of(lab, node):
    said = lab.ssh(node, "mstflint -d 0000:01:00.0 q").stdout
    return [line.split(":")[1].strip() for line in said.splitlines() if line.startswith("FW Version")]


def firmware_burn():
    """Flash and settings are saved, the image is burned, the node boots it; then nothing is left, and back again says so."""
    with Lab(document=BURN) as lab:
        done = lab.fabric("--lab", "plan", expect=3)
        assert "firmware-image-missing" in done.stderr and "fabric.yaml:9:" in done.stderr, done.stderr
        firmware_image(lab)
        lab.apply()
        lab.monitor_is_clean(reboots=2)
        lab.plan_is_empty()
        for node in ("pve1", "pve2"):
            assert flash_of(lab, node) == ["16.35.4030"], flash_of(lab, node)
            kept = lab.ssh(node, "cd /var/lib/fabric/firmware && ls && cat backup-*.bin && grep -c LINK_TYPE_P1 *.settings")
            assert "upload" not in kept.stdout and "burning" not in kept.stdout, kept.stdout
            assert "version 16.35.2000" in kept.stdout and kept.stdout.endswith("1\n"), kept.stdout
        document = lab.path / "fabric.yaml"
        document.write_text(document.read_text().replace("16.35.4030", "16.35.1012"))
        firmware_image(lab, "16.35.1012")
        done = lab.fabric("--lab", "plan", expect=0)
        assert "firmware-downgrade" in done.stdout + done.stderr, done.stdout + done.stderr
        lab.apply()
        assert flash_of(lab, "pve1") == ["16.35.1012"]
        lab.plan_is_empty()


def firmware_of_another_card():
    """Another PSID of the card is refused when planning, of the image before anything is burned; a changed file is stale."""
    with Lab(document=BURN) as lab:
        firmware_image(lab, psid="DEL0000000004")
        document = lab.path / "fabric.yaml"
        right = document.read_text()
        document.write_text(right.replace("MT_0000000008", "DEL0000000004"))
        done = lab.fabric("--lab", "plan", expect=3)
        assert "firmware-psid-mismatch" in done.stderr and "has MT_0000000008" in " ".join(done.stderr.split()), done.stderr
        document.write_text(right)
        done = lab.apply(expect=10)
        said = " ".join((done.stdout + done.stderr).split())
        assert "expected PSID MT_0000000008 of the image, found DEL0000000004" in said, said
        firmware_image(lab, version="16.35.3006")
        said = " ".join(lab.apply(expect=10).stdout.split())
        assert "expected version 16.35.4030 of the image, found 16.35.3006" in said, said
        lab.fabric("--lab", "plan", "--out", "burn.plan", expect=0)
        firmware_image(lab)
        done = lab.fabric("--lab", "apply", "burn.plan", expect=7)
        assert "images/fw.bin has changed since the plan was made" in " ".join(done.stderr.split()), done.stderr
        assert flash_of(lab, "pve1") == flash_of(lab, "pve2") == ["16.35.2000"]
        lab.monitor_is_clean(reboots=0)


def firmware_lost_reply():
    """The reply of a burn is lost: what is in flash decides, and a burn that never ran is not begun again by itself."""
    with Lab(document=BURN) as lab:
        firmware_image(lab)
        lab.fabric("--lab", "plan", "--out", "burn.plan", expect=0)
        plan = json.loads((lab.path / "burn.plan").read_text())
        # All but the burns, so that the next change of each node is its burn.
        for action in plan["actions"]:
            if action["kind"] == "firmware.backup":
                assert lab.ssh(action["node"], shlex.join(action["commands"][0])).returncode == 0
            for copy in action.get("copies", []):
                text = (lab.path / copy["source"]).read_text()
                assert lab.ssh(action["node"], f"printf %s {shlex.quote(text)} >{copy['path']}").returncode == 0
        lab.fabric("lab", "fault", "pve1", "lost-reply", "--on", "mstflint", expect=0)
        lab.fabric("lab", "fault", "pve2", "lost-command", "--on", "mstflint", expect=0)
        done = lab.fabric("--lab", "apply", "burn.plan", expect=10)
        assert flash_of(lab, "pve1") == ["16.35.4030"] and flash_of(lab, "pve2") == ["16.35.2000"], done.stdout
        lab.apply()
        assert flash_of(lab, "pve2") == ["16.35.4030"]
        lab.plan_is_empty()


def ib_pair():
    """Native InfiniBand with a master and its standby: there to stay, and one that somebody stops is named and started."""
    document = """\
apiVersion: fabric/v1
name: pair
rollout: {reboot_timeout: 8s}
nodes:
  n[1-2]: {packages: [opensm, infiniband-diags], adapters: {cx5: {model: connectx-5-vpi}}}
networks:
  direct:
    mode: infiniband
    mtu: 4096
    cables: [[n1/1, n2/1]]
    subnet_managers:
      - {node: n1, priority: 10}
      - {node: n2, priority: 5}
"""
    with Lab(document=document) as lab:
        lab.apply()
        lab.monitor_is_clean(reboots=0)
        lab.plan_is_empty()
        lab.fabric("--lab", "verify", expect=0)
        done = lab.fabric("--lab", "--json", "verify", "--level", "wire", expect=0)
        assert '"state":"ok"' in done.stdout and "cable-" not in done.stdout, done.stdout
        said = lab.ssh("n2", "sminfo").stdout
        assert "sm lid 1 " in said and "priority 10 state 3 SMINFO_MASTER" in said, said
        lab.reboot("n1")
        lab.plan_is_empty()
        lab.ssh("n1", "systemctl stop fabric-opensm-direct.cx5.1")
        assert "priority 5 state 3 SMINFO_MASTER" in lab.ssh("n1", "sminfo").stdout
        said = lab.fabric("--lab", "verify", expect=0).stdout
        assert re.search(r"  master    n2/cx5/1 of network direct since \w+ \d+ [\d:]{8} ", said) and "  none      n1/cx5/1" in said, said
        done = lab.fabric("--lab", "plan", "--detailed-exitcode", expect=2)
        assert "0 to add, 1 to change, 0 to remove" in done.stdout, done.stdout
        lab.apply()
        lab.plan_is_empty()
        assert "priority 10 state 3" in lab.ssh("n2", "sminfo").stdout
        log = lab.ssh("n2", "cat /var/log/opensm.fabric-direct.cx5.1.log").stdout
        assert [line.split("-> ")[1] for line in log.splitlines()][-3:] == [f"Entering {state} state" for state in ("STANDBY", "MASTER", "STANDBY")], log


def manager_moves():
    """A manager goes to another node: that one manages first, then the old one stops; nobody calls the old one a stranger."""
    document = """\
apiVersion: fabric/v1
name: pair
nodes:
  n[1-2]: {packages: [opensm, infiniband-diags], adapters: {cx5: {model: connectx-5-vpi}}}
networks:
  ib: {mode: infiniband, cables: [[n1/1, n2/1]], subnet_managers: [{node: n1, priority: 5}]}
"""
    with Lab(document=document) as lab:
        lab.apply()
        for old, new, priority in (("n1", "n2", 5), ("n2", "n1", 4), ("n1", "n2", 9)):
            (lab.path / "fabric.yaml").write_text(document.replace("n1, priority: 5", f"{new}, priority: {priority}"))
            said = lab.fabric("--lab", "plan", "--out", "move.plan", expect=0).stdout
            assert "sm-stray" not in said and "1 subnet manager move" in said, said
            actions = json.loads((lab.path / "move.plan").read_text())["actions"]
            of_kind = {action["kind"]: action for action in actions}
            assert of_kind["subnet_manager.start"]["id"] in of_kind["subnet_manager.stop"]["needs"], of_kind
            assert of_kind["subnet_manager.stop"]["id"] in of_kind["subnet_manager.remove"]["needs"], of_kind
            lab.apply()
            lab.plan_is_empty()
            assert f"priority {priority} state 3 SMINFO_MASTER" in lab.ssh(old, "sminfo").stdout
            left = lab.ssh(old, "systemctl list-units --all --plain 'fabric-opensm-*'; ls /etc/opensm /etc/systemd/system").stdout
            assert "fabric-opensm" not in left, left


def manager_waited_for():
    """A manager that does not come back from its boot: the other one, now the only one, is not touched."""
    document = """\
apiVersion: fabric/v1
name: pair
rollout: {reboot_timeout: 8s, confirm_timeout: 20s}
nodes:
  n[1-2]: {packages: [opensm, infiniband-diags], adapters: {cx5: {model: connectx-5-vpi}}}
networks:
  ib: {mode: infiniband, cables: [[n1/1, n2/1]], subnet_managers: [{node: n1, priority: 5}, {node: n2, priority: 9}]}
"""
    with Lab(document=document) as lab:
        lab.apply()
        (lab.path / "fabric.yaml").write_text(document.replace("{cx5: {", "{cx5: {firmware: {params: {NUM_OF_VFS: 12}}, "))
        said = lab.fabric("--lab", "plan", "--out", "boots.plan", expect=0).stdout
        assert "1 subnet manager move" in said, said
        booted = lab.ssh("n2", "cat /proc/sys/kernel/random/boot_id").stdout
        # It would not start again: what makes it is gone.
        lab.ssh("n1", "rm /etc/udev/rules.d/95-fabric-opensm-*")
        done = lab.fabric("--lab", "apply", "boots.plan")
        assert done.returncode == 10 and "OpenSM ib.cx5.1 (absent) does not answer, as it did" in " ".join(done.stdout.split()), done.stdout
        assert "SMINFO_MASTER" in lab.ssh("n1", "sminfo").stdout
        assert lab.ssh("n2", "cat /proc/sys/kernel/random/boot_id").stdout == booted


def esx_classic():
    """The example as far as its Linux host goes: manager and partitions with the GUIDs of hosts that nobody reads."""
    document = example("esx-classic", ("    platform: esx-classic\n", "    platform: esx-classic\n    state: observe\n"))
    with Lab(document=document) as lab:
        lab.apply()
        lab.plan_is_empty()
        said = lab.ssh("storage1", "cat /etc/opensm/fabric-*.partitions; sminfo").stdout
        for text in ("0x0002c903000e0b73=full", "0x0002c903000e0b77=full", "priority 10 state 3 SMINFO_MASTER"):
            assert text in said, f"{text!r} is not in:\n{said}"
        # The cables of the two that nobody plays say nothing, and that is not ok.
        done = lab.fabric("--lab", "verify", expect=0)
        assert "Cables  2 no-data, 1 ok" in done.stdout and "ok        storage1/hca/1 - ib-switch/3" in done.stdout, done.stdout


def examples_rehearsed():
    """Each example prints its one screen; what no provider does yet is said on it, and the exit code says so too."""
    def screen(name, exit_code, *texts):
        with Lab(document=example(name)) as lab:
            done = lab.fabric("--lab", "rehearse", "--seeds", "2", expect=exit_code)
            assert len(done.stdout.splitlines()) <= 24 and max(map(len, done.stdout.splitlines())) <= 80, done.stdout
            for text in ("2 seeds of bad luck", "converged, whatever struck", *texts):
                assert text in done.stdout, f"{name}: {text!r} is not in:\n{done.stdout}"

    screen("ring", 0, "never cut by the plan itself")
    screen("cx3-pair-infiniband", 0)
    screen("roce-lag", 3, "platform mlnx-os (fabric.yaml:20) has no provider yet")
    screen("esx-classic", 3, "platform esx-classic (fabric.yaml:9) has no provider yet")
    with Lab(document=example("vsphere8-sriov")) as lab:
        done = lab.fabric("--lab", "rehearse", expect=3)
        assert "Nothing to rehearse" in done.stdout and "Set aside: platform esxi (fabric.yaml:9)" in done.stdout, done.stdout


def ipoib_pair():
    """The example of a ConnectX-3 pair as it stands: its ports become InfiniBand, IP runs in connected mode, the standby takes over."""
    lab_yaml = 'hosts: {"machine-[1-2]": {tool_version: "4.21"}}\n'
    with Lab(document=example("cx3-pair-infiniband"), lab_yaml=lab_yaml) as lab:
        converges_and_stays(lab, "machine-1")
        assert "priority 10 state 3 SMINFO_MASTER" in lab.ssh("machine-2", "sminfo").stdout
        assert lab.ssh("machine-1", "ping -c 1 -M do -s 65492 10.30.0.2").returncode == 0
        lab.ssh("machine-1", "systemctl stop 'fabric-opensm-*'")
        assert "priority 5 state 3 SMINFO_MASTER" in lab.ssh("machine-1", "sminfo").stdout
        assert lab.ssh("machine-1", "ping -c 1 -M do -s 65492 10.30.0.2").returncode == 0
        assert "Cables  1 ok" in lab.fabric("--lab", "verify", "--level", "link", expect=0).stdout
        for ports, said in (
                (("machine-1/cx3/1", "machine-2/cx3/2"), "is mis-wired: machine-1/cx3/1 is cabled to machine-2/cx3/2"),
                (("machine-1/cx3/2", "machine-2/cx3/2"), "is missing: no link at machine-1/cx3/1")):
            lab.fabric("lab", "recable", *ports, expect=0)
            done = lab.fabric("--lab", "verify", "--level", "link", expect=13)
            assert said in " ".join(done.stdout.split()), done.stdout


def types_by_the_driver():
    """Tools of today print nothing of a ConnectX-3: its ports become Ethernet, and InfiniBand, by the driver's own parameter."""
    def array(node):
        return lab.ssh(node, "cat /etc/modprobe.d/fabric-port-types.conf").stdout.split("port_type_array=")[1].strip()

    infiniband = example("cx3-pair-infiniband", ("nodes:", "rollout: {reboot_timeout: 8s}\nnodes:"),
                         ("connectx-3\n", "connectx-3\n        names: {1: ib40a}\n"))
    ethernet = infiniband[:infiniband.index("networks:")].replace("ib40a", "eth40a") + (
        "networks:\n  direct: {mode: ethernet, mtu: 9000, cables: [[machine-1/1, machine-2/1]], ipv4: {subnet: 10.30.0.0/24}}\n")
    with Lab(document=ethernet, lab_yaml='hosts: {"machine-[1-2]": {tool_version: "4.33"}}\n') as lab:
        assert lab.ssh("machine-1", "mstconfig -d 01:00.0 q").stdout.strip() == ""
        converges_and_stays(lab, "machine-1")
        assert array("machine-2") == "2,2", array("machine-2")
        assert lab.ssh("machine-1", "ping -c 1 -M do -s 8972 10.30.0.2").returncode == 0
        (lab.path / "fabric.yaml").write_text(infiniband)
        assert "Reboots  machine-[1-2] for cx3 LINK_TYPE_P1" in lab.fabric("--lab", "plan", expect=0).stdout
        converges_and_stays(lab, "machine-1")
        assert array("machine-2") == "1,2", array("machine-2")
        assert "eth40a" not in lab.ssh("machine-2", "ip -br link; cat /etc/udev/rules.d/*").stdout
        assert "10.30.0.2/24" in lab.ssh("machine-2", "ip -br address show dev ib40a").stdout
        assert lab.ssh("machine-1", "ping -c 1 -M do -s 65492 10.30.0.2").returncode == 0
        # What somebody switches until the next boot is switched back, by a boot.
        lab.ssh("machine-2", "systemctl stop 'fabric-opensm-*'; echo eth >/sys/bus/pci/devices/0000:01:00.0/mlx4_port1")
        assert "Reboots  machine-2 for cx3 LINK_TYPE_P1" in lab.fabric("--lab", "plan", expect=0).stdout
        converges_and_stays(lab, "machine-2")
        # A line of somebody else's is named by its place.
        lab.ssh("machine-1", "echo 'options mlx4_core port_type_array=2,2' >/etc/modprobe.d/zz-mine.conf")
        done = lab.fabric("--lab", "plan", expect=3)
        assert "/etc/modprobe.d/zz-mine.conf:1 sets port_type_array of mlx4_core to 2,2" in " ".join((done.stdout + done.stderr).split()), done.stderr


def infiniband_cables():
    """Two leaves, four hosts: all cables are proven by one node's ibnetdiscover; swapped, pulled and foreign ones are named."""
    document = """\
apiVersion: fabric/v1
name: leaves
rollout: {reboot_timeout: 8s}
nodes:
  c[1-4]: {packages: [opensm, infiniband-diags], adapters: {hca: {model: connectx-6, ports: 1}}}
  leaf[1-2]: {platform: unmanaged}
networks:
  compute:
    mode: infiniband
    cables:
      - ["c[1-2]/1", "leaf1/[1-2]"]
      - ["c[3-4]/1", "leaf2/[1-2]"]
      - ["leaf1/[35-36]", "leaf2/[35-36]"]
    subnet_managers: [{node: c1, priority: 10}]
"""
    with Lab(document=document) as lab:
        lab.apply()
        done = lab.fabric("--lab", "verify", expect=0)
        assert "Cables  6 ok" in done.stdout, done.stdout
        lab.fabric("lab", "recable", "c2/hca/1", "leaf2/1", expect=0)
        lab.fabric("lab", "recable", "c3/hca/1", "leaf1/2", expect=0)
        lab.fabric("lab", "recable", "leaf1/20", "leaf2/20", expect=0)
        lab.fabric("lab", "recable", "leaf1/36", "leaf2/9", expect=0)
        done = lab.fabric("--lab", "verify", "--level", "wire", expect=13)
        said = " ".join(done.stdout.split())
        for text in ("cable c2/hca/1 - leaf1/2 is mis-wired: c2/hca/1 is cabled to leaf2/1; leaf1/2 is cabled to c3/hca/1",
                     "cable c3/hca/1 - leaf2/1 is mis-wired", "cable leaf1/36 - leaf2/36 is mis-wired: leaf1/36 is cabled to leaf2/9",
                     "cable leaf1/20 - leaf2/20 is not in the document", "3 errors, 1 warning"):
            assert text in said, f"{text!r} is not in:\n{done.stdout}"


def two_operators():
    """Two folders, one lab: who comes second is told who is there, writes nothing, and finds it converged later."""
    with Lab() as lab, tempfile.TemporaryDirectory() as elsewhere:
        other = pathlib.Path(elsewhere)
        (other / ".fabric").mkdir()
        (other / ".fabric/lab").symlink_to(lab.path / ".fabric/lab")
        shutil.copy(lab.path / "fabric.yaml", other)
        first = subprocess.Popen([binary, "--lab", "apply", "--auto-approve"], cwd=lab.path, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        deadline = time.monotonic() + 60
        while lab.ssh("pve2", "cat /var/lib/fabric/lock").returncode != 0:
            assert first.poll() is None and time.monotonic() < deadline, "the first never locked"
            time.sleep(0.1)
        run = lab.ssh("pve2", "cat /var/lib/fabric/lock").stdout.split()[1]
        second = subprocess.run([binary, "--lab", "apply", "--auto-approve"], cwd=other, stdin=subprocess.DEVNULL, capture_output=True, text=True)
        assert second.returncode == 6 and run in second.stderr and "locked by" in second.stderr, (second.returncode, second.stderr)
        shown = lab.fabric("--lab", "unlock", expect=6).stdout
        assert f"(run {run})" in shown and "is live and stays" in shown, shown
        assert first.wait(timeout=120) == 0
        lab.fabric("--lab", "unlock", expect=0)
        assert "lock\n" not in lab.ssh("pve2", "ls /var/lib/fabric").stdout
        lab.plan_is_empty()


def begun(lab, process):
    """Waits until an apply has written down its plan and begun with it; the folder of the run."""
    deadline = time.monotonic() + 60
    while True:
        for journal in (lab.path / ".fabric/runs").glob("*/journal.jsonl"):
            if "action_started" in journal.read_text() and "run_ended" not in journal.read_text():
                return journal.parent
        assert process.poll() is None and time.monotonic() < deadline, "no run began"
        time.sleep(0.05)


def health_gate():
    """A link that does not come back after its node was disturbed stops the waves behind it; mended, the rest is done."""
    with Lab(nodes=4) as lab:
        lab.apply()
        document = lab.path / "fabric.yaml"
        document.write_text(hasty(document.read_text()).replace("mtu: 9000", "mtu: 8000"))
        said = lab.fabric("--lab", "plan", expect=0).stdout
        assert "health.check" in said, said
        runs = set((lab.path / ".fabric/runs").iterdir())
        running = subprocess.Popen([binary, "--lab", "apply", "--auto-approve"], cwd=lab.path, stdin=subprocess.DEVNULL, text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        deadline = time.monotonic() + 60
        while set((lab.path / ".fabric/runs").iterdir()) == runs:
            assert running.poll() is None and time.monotonic() < deadline, "no run began"
            time.sleep(0.05)
        # Of the cable pve1/1 - pve2/2 one end goes elsewhere: pve1's port sees nobody any more.
        lab.fabric("lab", "recable", "pve2/cx5/2", "pve3/cx5/2", expect=0)
        said = " ".join(running.communicate(timeout=120)[0].split())
        assert running.returncode == 10, (running.returncode, said)
        assert "no carrier at cx5.1 (false), which had one before" in said, said
        assert "9 actions on pve[2-4]" in said, said
        mtu = lab.ssh("pve2", "cat /sys/class/net/enp*/mtu").stdout
        assert "8000" not in mtu, mtu
        lab.fabric("lab", "recable", "pve1/cx5/1", "pve2/cx5/2", expect=0)
        lab.fabric("lab", "recable", "pve2/cx5/1", "pve3/cx5/2", expect=0)
        done = lab.apply()
        # By now there is a history of such actions.
        assert "Time" in done.stdout and "earlier run" in done.stdout, done.stdout
        lab.plan_is_empty()


def two_at_one_place():
    """A second apply in the same folder is told which process is at work, before it asks any node."""
    with Lab() as lab:
        first = subprocess.Popen([binary, "--lab", "apply", "--auto-approve"], cwd=lab.path, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        begun(lab, first)
        second = lab.apply(expect=6)
        assert f"process {first.pid}" in second.stderr, second.stderr
        assert first.wait(timeout=120) == 0
        lab.plan_is_empty()


def lock_lost():
    """The lock of a node is somebody else's when its turn comes: nothing is written there, and the run says whose."""
    with Lab() as lab:
        first = subprocess.Popen([binary, "--lab", "apply", "--auto-approve"], cwd=lab.path, stdin=subprocess.DEVNULL, text=True,
                                 stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        begun(lab, first)
        now = int(lab.ssh("pve3", "date +%s").stdout)
        foreign = f"run theirs\nwho anna@ops2\nplace elsewhere\nprocess 1.1\ntaken {now}\nexpires {now + 3600}\n"
        lab.ssh("pve3", f"printf '{foreign}' > /var/lib/fabric/lock")
        said = " ".join(first.communicate(timeout=120)[0].split())
        assert first.returncode == 10 and "locked by anna@ops2 (run theirs)" in said, (first.returncode, said)
        monitor = lab.status()["monitor"]
        assert monitor["reboots"] == 2, monitor
        # It is not ours to take away.
        assert "run theirs" in lab.ssh("pve3", "cat /var/lib/fabric/lock").stdout
        lab.fabric("--lab", "apply", "--auto-approve", expect=6)
        lab.fabric("--lab", "unlock", expect=6)
        # Expired it is anybody's.
        lab.ssh("pve3", f"printf '{foreign}' | sed 's/expires .*/expires {now - 1}/' > /var/lib/fabric/lock")
        said = lab.fabric("--lab", "unlock", "--limit", "pve3", expect=0).stdout
        assert "pve3: unlocked; locked by anna@ops2 (run theirs)" in said, said
        assert lab.ssh("pve3", "cat /var/lib/fabric/lock").returncode != 0
        lab.apply()
        lab.plan_is_empty()


def resumed_with_another_document():
    """Who changes the document after a run was cut short is told so by --resume, and a plain apply takes what it says now."""
    with Lab() as lab:
        first = subprocess.Popen([binary, "--lab", "apply", "--auto-approve"], cwd=lab.path, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        run = begun(lab, first).name
        first.kill()
        first.wait()
        document = lab.path / "fabric.yaml"
        document.write_text(document.read_text().replace("mtu: 9000", "mtu: 8000"))
        said = lab.fabric("--lab", "apply", "--resume", run, expect=7).stderr
        assert "fabric.yaml" in said and "changed" in said, said
        deadline = time.monotonic() + 60
        while any(node["power"] != "up" for node in lab.status()["nodes"].values()):
            assert time.monotonic() < deadline, "a node does not come back"
            time.sleep(0.2)
        lab.apply()
        lab.plan_is_empty()
        lab.monitor_is_clean(reboots=3)


def interrupted_twice():
    """The first Ctrl-C waits for what is in flight, the second leaves at once and says what it leaves behind."""
    with Lab() as lab:
        running = subprocess.Popen([binary, "--lab", "apply", "--auto-approve"], cwd=lab.path, stdin=subprocess.DEVNULL, text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        deadline = time.monotonic() + 60
        while lab.status()["nodes"]["pve1"]["power"] == "up":
            assert time.monotonic() < deadline and running.poll() is None, "pve1 is not rebooted"
        running.send_signal(signal.SIGINT)
        time.sleep(0.3)
        running.send_signal(signal.SIGINT)
        left = time.monotonic()
        _, said = running.communicate(timeout=60)
        assert running.returncode == 130, (running.returncode, said)
        assert time.monotonic() - left < 5, "it did not leave at once"
        for text in ("left at once: what was in flight may or may not have happened", "locks on the nodes", "rollback timers"):
            assert text in said, (text, said)
        while any(node["power"] != "up" for node in lab.status()["nodes"].values()):
            assert time.monotonic() < deadline, "a node does not come back"
            time.sleep(0.2)
        lab.apply()
        lab.plan_is_empty()
        lab.monitor_is_clean(reboots=3)


def secrets():
    """A password is in nothing that is printed, written, sent to a node's shell or seen in a list of processes."""
    canary = "c4nary-Wj8-not-to-be-seen"
    environment = {**os.environ, "RING_PASSWORD": canary}
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder)
        (path / "fabric.yaml").write_text(RING % (2, 2) + HOOKS.replace("hooks.log", folder + "/hooks.log"))
        said = []

        def fabric(*arguments, expect=0):
            with tempfile.TemporaryFile("w+") as out:
                running = subprocess.Popen([binary, *arguments], cwd=path, stdin=subprocess.DEVNULL, stdout=out, stderr=out, env=environment)
                while running.poll() is None:
                    for line in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
                        try:
                            assert canary.encode() not in line.read_bytes(), line
                        except OSError:
                            pass  # it has ended
                    time.sleep(0.05)
                out.seek(0)
                said.append(out.read())
            assert running.returncode == expect, (arguments, running.returncode, said[-1])

        fabric("lab", "up", "--password-env", "RING_PASSWORD")
        try:
            info = json.loads((path / ".fabric/lab/lab.json").read_text())
            keys = {line.split()[0]: " ".join(line.split()[1:3]) for line in (path / ".fabric/lab/known_hosts").read_text().splitlines()}
            nodes = "".join(
                f"""  {node}:
    address: {address}
    adapters: {{cx5: {{model: connectx-5-vpi}}}}
    ssh: {{user: root, port: {info["port"]}, password: {{env: RING_PASSWORD}}, host_key: "{keys[f"[{address}]:{info['port']}"]}"}}
""" for node, address in info["addresses"].items())
            whole = (path / "fabric.yaml").read_text()
            before, after = whole.split("  pve[1-2]: {adapters: {cx5: {model: connectx-5-vpi}}}\n")
            (path / "fabric.yaml").write_text(before + nodes + after)
            fabric("-vv", "plan", "--out", "ring.plan")
            fabric("-vv", "--json", "discover", "--save", "facts")
            fabric("-vv", "apply", "--auto-approve")
            fabric("-vv", "--json", "plan", "--detailed-exitcode")
            fabric("-vv", "verify")
            fabric("history")
            run = next((path / ".fabric/runs").iterdir()).name
            for form in ("human", "json", "commands"):
                fabric("show", run, "--format", form)
            environment["RING_PASSWORD"] = canary + "-wrong"
            fabric("-vv", "plan", expect=4)
            assert "password" in said[-1], said[-1]
            address = info["addresses"]["pve1"]
            found = subprocess.run(
                ["ssh", "-F", "none", "-p", str(info["port"]), "-i", info["identity_file"], "-o", "IdentitiesOnly=yes", "-o",
                 f"UserKnownHostsFile={info['known_hosts_file']}", f"root@{address}", f"grep -r {canary[:6]} /etc /var /root /tmp /run"],
                capture_output=True, text=True)
            assert found.returncode == 1 and not found.stdout, (found.returncode, found.stdout, found.stderr)
        finally:
            fabric("lab", "down")
        assert not any(canary in text for text in said), next(text for text in said if canary in text)
        files = [each for each in path.rglob("*") if each.is_file()]
        assert len(files) > 8, files
        for each in files:
            assert canary.encode() not in each.read_bytes(), each


def killed():
    """A run that is killed leaves its locks; the next from this machine takes them over at once and goes on with its plan."""
    with Lab() as lab:
        first = subprocess.Popen([binary, "--lab", "apply", "--auto-approve"], cwd=lab.path, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        deadline = time.monotonic() + 60
        while lab.ssh("pve3", "cat /var/lib/fabric/lock").returncode != 0:
            assert first.poll() is None and time.monotonic() < deadline, "the first never locked"
            time.sleep(0.1)
        first.kill()
        first.wait()
        assert lab.ssh("pve3", "cat /var/lib/fabric/lock").returncode == 0
        cut = lab.fabric("history", expect=0).stdout
        # Killed before its first action, or after it.
        assert "cut short" in cut or "never began" in cut, cut
        run = cut.split()[2 if cut.startswith("never") else 1]
        lab.fabric("--lab", "apply", "--resume", run, expect=0)
        assert "applied" in lab.fabric("history", expect=0).stdout
        lab.fabric("show", run, expect=0)
        lab.plan_is_empty()
        assert lab.ssh("pve3", "cat /var/lib/fabric/lock").returncode != 0


def left_armed():
    """A run that is killed while a rollback timer is armed: unlock shows it, the next apply disarms it and goes on."""
    with Lab() as lab:
        armed = "ls /var/lib/fabric/guard/*/armed"
        first = subprocess.Popen([binary, "--lab", "apply", "--auto-approve"], cwd=lab.path, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        deadline = time.monotonic() + 120
        while lab.ssh("pve2", armed).returncode != 0:
            assert first.poll() is None and time.monotonic() < deadline, "no timer was armed"
            time.sleep(0.1)
        first.kill()
        first.wait()
        while lab.status()["nodes"]["pve2"]["power"] != "up":
            assert time.monotonic() < deadline, "pve2 does not come back"
            time.sleep(0.2)
        shown = lab.fabric("--lab", "unlock", "--limit", "pve2", expect=0).stdout
        assert "a rollback timer is armed (action" in shown, shown
        done = lab.apply()
        assert "pve2: the rollback timer that a run left" in done.stderr, done.stderr
        assert lab.ssh("pve2", armed).returncode != 0
        lab.monitor_is_clean(reboots=3)
        lab.plan_is_empty()


def signed():
    """A plan that a trusted key has signed is applied, also from the folder of its run; any other is not."""
    with Lab() as lab:
        keys = root / "tests/golden/apply/signed"
        shutil.copy(keys / "trusted-keys.pem", lab.path)
        lab.fabric("--lab", "plan", "--out", "ring.plan", "--sign", str(keys / "rfc8032.key"), expect=0)
        lab.fabric("--lab", "apply", "--require-signature", "--trusted-keys", str(keys / "other.pem"), "ring.plan", expect=5)
        assert lab.status()["monitor"]["reboots"] == 0
        lab.fabric("--lab", "apply", "--require-signature", "ring.plan", expect=0)
        lab.monitor_is_clean(reboots=3)
        run = next(path.name for path in (lab.path / ".fabric/runs").iterdir())
        lab.fabric("--lab", "apply", "--require-signature", "--resume", run, expect=0)
        (lab.path / ".fabric/runs" / run / "plan.json.sig").unlink()
        lab.fabric("--lab", "apply", "--require-signature", "--resume", run, expect=5)


def policy():
    """A policy that allows a plan lets it through, of a document and of a plan file."""
    with Lab() as lab:
        done = lab.fabric("--lab", "apply", "--auto-approve", "--policy", "echo asked about $1", expect=0)
        assert "asked about .fabric/policy-" in done.stderr, done.stderr
        lab.monitor_is_clean(reboots=3)


def on_error():
    """A node whose tool lies: the rest of its wave and no more, nothing more at all, or whatever does not need it."""
    document = (RING % (4, 4)).replace("mode: chain", "mode: ethernet").replace("10.30.0.0/24", "10.30.0.0/24, per: port").replace("rollout: {", "rollout: {max_unavailable: 2, ")
    for choice, booted in (("stop", 0), ("stop-wave", 1), ("continue", 3)):
        with Lab(nodes=4, document=document) as lab:
            lab.fabric("lab", "fault", "pve1", "lying-exit", "--on", " set ", expect=0)
            lab.fabric("--lab", "--parallelism", "1", "apply", "--auto-approve", "--on-error", choice, expect=10 if booted else 1)
            reboots = lab.status()["monitor"]["reboots"]
            assert reboots == booted, (choice, reboots)


HOOKS = """\
hooks:
  before_disruption: echo "$1 $FABRIC_HOOK" >>hooks.log; test ! -e refuse-$1 || { echo "pod db-0 can't be evicted" >&2; exit 1; }
  after_disruption: echo "$1 $FABRIC_HOOK $FABRIC_OUTCOME" >>hooks.log; test ! -e refuse-$1
  timeout: 20s
"""


def hooks():
    """Around each disruption: drained before, released on every way out, by the next run if need be; never twice, never too early."""
    record = "/var/lib/fabric/drained"

    def log(lab):
        path = lab.path / "hooks.log"
        said = path.read_text().splitlines() if path.exists() else []
        path.unlink(missing_ok=True)
        return said

    with Lab(document=RING % (3, 3) + HOOKS) as lab:
        # The first node can't be drained: it is left alone, and what may have begun there is ended.
        (lab.path / "refuse-pve1").touch()
        done = lab.apply(expect=10)
        assert "pod db-0 can't be evicted" in done.stdout, done.stdout
        assert log(lab) == ["pve1 before", "pve1 after failed"]
        assert lab.status()["monitor"]["reboots"] == 0
        # Its release has failed too: that is still owed, and said.
        said = lab.fabric("--lab", "plan", "--limit", "pve1", expect=0).stdout
        assert "drain/hooks" in said and lab.ssh("pve1", f"ls {record}").returncode == 0, said
        (lab.path / "refuse-pve1").unlink()
        lab.apply()
        assert log(lab) == [f"pve{i} {what}" for i in (1, 2, 3) for what in ("before", "after succeeded")]
        lab.monitor_is_clean(reboots=3)
        lab.plan_is_empty()
        assert all(lab.ssh(f"pve{i}", f"ls {record}").returncode for i in (1, 2, 3))

    # A node that does not come back is released with that word, and the others are not begun.
    with Lab(document=RING % (3, 3) + HOOKS) as lab:
        lab.fabric("lab", "fault", "pve1", "no-boot", expect=0)
        lab.apply(expect=12)
        assert log(lab) == ["pve1 before", "pve1 after lost"]
        lab.fabric("lab", "fault", "pve1", "none", expect=0)

    # Killed while a node is down: the next run releases it, though it has nothing else to do there by then.
    with Lab(document=RING % (3, 3) + HOOKS) as lab:
        running = subprocess.Popen([binary, "--lab", "apply", "--auto-approve"], cwd=lab.path, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        until = time.monotonic() + 60
        while lab.status()["nodes"]["pve1"]["power"] == "up":
            assert time.monotonic() < until and running.poll() is None, "pve1 is not rebooted"
        running.kill()
        running.wait()
        while lab.status()["nodes"]["pve1"]["power"] != "up":
            assert time.monotonic() < until, "pve1 does not come back"
        assert log(lab) == ["pve1 before"]
        said = lab.fabric("--lab", "plan", expect=0).stdout
        assert "after_disruption is owed" in said, said
        lab.apply()
        assert log(lab)[0] == "pve1 after unknown"
        lab.monitor_is_clean(reboots=3)
        lab.plan_is_empty()

    # Interrupted while a node is down: what is in flight ends, and so does what was begun.
    with Lab(document=RING % (3, 3) + HOOKS) as lab:
        running = subprocess.Popen([binary, "--lab", "apply", "--auto-approve"], cwd=lab.path, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        until = time.monotonic() + 60
        while lab.status()["nodes"]["pve1"]["power"] == "up":
            assert time.monotonic() < until and running.poll() is None, "pve1 is not rebooted"
        running.send_signal(signal.SIGINT)
        assert running.wait(60) == 8, running.returncode
        assert log(lab) == ["pve1 before", "pve1 after succeeded"]
        lab.monitor_is_clean(reboots=1)


def cables_by_hand():
    """Cables that are not there: asked for by both their ends, waited for, and connected while apply waits; or nobody comes."""
    with Lab(lab_yaml="unplugged: [pve1/1, pve2/1]\n") as lab:
        plan = lab.fabric("--lab", "plan", "--wait-for-cables", "20m", "--out", "by-hand.plan", expect=0).stdout
        for text in ("connect pve1/cx5/1 to pve2/cx5/2 (waits 20 min)", "connect pve2/cx5/1 to pve3/cx5/2"):
            assert text in plan, plan
        done = lab.fabric("--lab", "apply", "--auto-approve", "--wait-for-cables", "1s", expect=10)
        assert "nobody has done it within 1" in done.stdout + done.stderr, done.stdout + done.stderr
        assert "connect pve1/cx5/1 to pve2/cx5/2" in done.stdout, done.stdout
        lab.fabric("--lab", "apply", "--stage", "--wait-for-cables", "1s", expect=3)
        lab.apply(expect=13)
        # All else is done; a plan file waits as it says.
        lab.fabric("--lab", "plan", "--wait-for-cables", "2m", "--out", "by-hand.plan", expect=0)
        running = subprocess.Popen([binary, "--json", "--lab", "apply", "--auto-approve", "by-hand.plan"], cwd=lab.path, text=True,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        asked = set()
        events = []
        for line in running.stdout:
            events.append(json.loads(line))
            if events[-1]["type"] == "by_hand":
                asked.add(events[-1]["by_hand"])
                assert events[-1]["wait_ms"] == 120_000, events[-1]
            if len(asked) == 2:
                asked.clear()
                lab.fabric("lab", "recable", "pve1/1", "pve2/2", expect=0)
                lab.fabric("lab", "recable", "pve2/1", "pve3/2", expect=0)
        said = running.stderr.read()
        assert running.wait(timeout=60) == 0, (said, events[-3:])
        assert any(event["type"] == "apply_complete" and event["state"] == "done" and event["kind"] == "manual" for event in events)
        lab.plan_is_empty()
        lab.fabric("--lab", "plan", "--wait-for-cables", "1m", "--detailed-exitcode", expect=0)
        lab.fabric("--lab", "verify", expect=0)


IFCFG = """\
apiVersion: fabric/v1
name: pair
rollout: {reboot_timeout: 8s}
nodes:
  n[1-2]: {network_backend: ifcfg, %sadapters: {cx5: {model: connectx-5-en}}}
networks:
"""


def after_a_boot(lab, node="n1"):
    """What the files alone make of it."""
    lab.plan_is_empty()
    lab.fabric("--lab", "verify", expect=0)
    lab.reboot(node)
    lab.plan_is_empty()
    lab.fabric("--lab", "verify", expect=0)


def ifcfg_ports():
    """RHEL's network scripts: one port, both ports, another MTU, a VLAN, and the removal of each, through reboots."""
    def address(node):
        return lab.ssh(node, "ip -o -4 addr show; cat /sys/class/net/enp1s0f0np0/mtu").stdout

    def files(node):
        return lab.ssh(node, "cd /etc/sysconfig/network-scripts; ls; cat ifcfg-*").stdout

    with Lab(document=IFCFG % "" + STORAGE + BACKUP) as lab:
        (lab.path / "fabric.yaml").write_text(IFCFG % "" + STORAGE)
        lab.apply()
        assert "10.30.0.1/24" in address("n1") and "managed by fabric" in files("n1"), address("n1") + files("n1")
        after_a_boot(lab)
        (lab.path / "fabric.yaml").write_text(IFCFG % "" + STORAGE + BACKUP)
        lab.apply()
        assert "10.31.0.1/24" in address("n1"), address("n1")
        after_a_boot(lab)
        smaller = (STORAGE + BACKUP).replace("9000", "4000")
        (lab.path / "fabric.yaml").write_text(IFCFG % "" + smaller)
        lab.apply()
        assert "4000" in address("n1") and "MTU=4000" in files("n1"), address("n1")
        after_a_boot(lab)
        tagged = STORAGE.replace("    cables", "    vlans: {backup: {id: 100, ipv4: {subnet: 10.100.0.0/24}}}\n    cables")
        (lab.path / "fabric.yaml").write_text(IFCFG % "" + tagged)
        lab.apply()
        assert "10.31.0.1/" not in address("n1") and "10.100.0.1/24" in address("n1"), address("n1")
        assert "VLAN_ID=100" in files("n1"), files("n1")
        after_a_boot(lab)
        (lab.path / "fabric.yaml").write_text(IFCFG % "state: absent, " + "  {}\n")
        lab.apply()
        lab.plan_is_empty()
        assert "10.30.0.1" not in address("n1") and "10.100" not in address("n1"), address("n1")
        assert "managed by fabric" not in files("n1") and "ifcfg-eno1" in files("n1"), files("n1")


def ifcfg_bond():
    """RHEL's network scripts: a bond of two ports with a VLAN on it, another option, and its removal."""
    document = IFCFG % "" + """\
  direct:
    mode: lag
    mtu: 9000
    ipv4: {subnet: 10.30.0.0/24}
    vlans: {backup: {id: 100, ipv4: {subnet: 10.100.0.0/24}}}
    lag: {bond: bond0, policy: 802.3ad, lacp_rate: fast}
    cables: [[n1/1, n2/1], [n1/2, n2/2]]
"""
    with Lab(document=document) as lab:
        lab.apply()
        assert "Number of ports: 2" in proc_bond(lab, "n1") and "LACP rate: fast" in proc_bond(lab, "n1"), proc_bond(lab, "n1")
        assert "10.100.0.1/24" in lab.ssh("n1", "ip -o addr show dev bond0.100").stdout
        after_a_boot(lab)
        (lab.path / "fabric.yaml").write_text(document.replace("lacp_rate: fast", "lacp_rate: slow"))
        lab.apply()
        assert "LACP rate: slow" in proc_bond(lab, "n1"), proc_bond(lab, "n1")
        after_a_boot(lab)
        (lab.path / "fabric.yaml").write_text(IFCFG % "state: absent, " + "  {}\n")
        lab.apply()
        lab.plan_is_empty()
        left = lab.ssh("n1", "ip -o link show; ls /etc/sysconfig/network-scripts").stdout
        assert "bond0" not in left and "enp1s0f0np0" in left, left


def ifcfg_adopted():
    """RHEL's network scripts: what somebody else wrote is named, taken over with `adopt`, and given back in the end."""
    foreign = "DEVICE=enp1s0f0np0\nONBOOT=yes\nBOOTPROTO=none\nIPADDR=10.99.0.1\nPREFIX=24\n"
    with Lab(document=IFCFG % "" + STORAGE) as lab:
        lab.ssh("n1", f"printf '{foreign}' >/etc/sysconfig/network-scripts/ifcfg-enp1s0f0np0 && ifup enp1s0f0np0")
        done = lab.fabric("--lab", "plan", expect=3)
        assert "foreign-configuration" in done.stderr and "ifcfg-enp1s0f0np0" in done.stderr, done.stderr
        (lab.path / "fabric.yaml").write_text(IFCFG % "adopt: true, " + STORAGE)
        lab.apply()
        said = lab.ssh("n1", "ip -o addr show dev enp1s0f0np0").stdout
        assert "10.30.0.1/24" in said and "10.99" not in said, said
        after_a_boot(lab)
        (lab.path / "fabric.yaml").write_text(IFCFG % "adopt: true, " + "  {}\n")
        lab.apply()
        said = lab.ssh("n1", "cat /etc/sysconfig/network-scripts/ifcfg-enp1s0f0np0; ip -o addr show dev enp1s0f0np0; ls -A /var/lib/fabric/adopted").stdout
        assert said.startswith(foreign) and "10.99.0.1/24" in said and "10.30" not in said, said
        after_a_boot(lab)


FOREIGN = {
    "ifcfg": ("/etc/sysconfig/network-scripts/ifcfg-enp1s0f0np0", "DEVICE=enp1s0f0np0\nONBOOT=yes\nBOOTPROTO=none\nIPADDR=10.99.0.1\nPREFIX=24\n"),
    "ifupdown": ("/etc/network/interfaces.d/theirs", "auto enp1s0f0np0\niface enp1s0f0np0 inet static\n    address 10.99.0.1/24\n"),
    "networkd": ("/etc/systemd/network/05-theirs.network", "[Match]\nName=enp1s0f0np0\n[Network]\nAddress=10.99.0.1/24\n"),
}


def given_back_and_taken_again(backend, last):
    path, foreign = FOREIGN[backend]
    document = (IFCFG % "adopt: true, ").replace("network_backend: ifcfg", f"network_backend: {backend}")

    def found(lab):
        return lab.ssh("n1", f"cat {path}; ip -o addr show dev enp1s0f0np0; ls -A /var/lib/fabric/adopted").stdout

    with Lab(document=document + STORAGE) as lab:
        lab.ssh("n1", f"printf '{foreign}' >{path}")
        lab.apply()
        before = found(lab)
        assert "10.30.0.1/24" in before and "10.99.0.1/24 " not in before and "cx5.1" in before, before
        # The last of its commands is lost, when all has been given back.
        lab.fabric("lab", "fault", "n1", "lost-command", "--on", last, expect=0)
        (lab.path / "fabric.yaml").write_text(hasty(document) + "  {}\n")
        said = " ".join(lab.apply(expect=11).stdout.split())
        assert "rolled back by the node itself" in said, said
        assert found(lab) == before, f"{backend}: {before}\n{found(lab)}"
        lab.fabric("lab", "fault", "n1", "none", expect=0)
        no_guard_is_left(lab, "n1")
        (lab.path / "fabric.yaml").write_text(document + STORAGE)
        lab.plan_is_empty()
        (lab.path / "fabric.yaml").write_text(document + "  {}\n")
        lab.apply()
        said = found(lab)
        assert said.startswith(foreign) and "10.99.0.1/24" in said and "10.30" not in said, f"{backend}: {said}"
        lab.plan_is_empty()


def given_back_and_taken_again_ifcfg():
    """A removal that is taken back takes over again what it had given back: RHEL's network scripts, at our own path."""
    given_back_and_taken_again("ifcfg", "ifup")


def given_back_and_taken_again_ifupdown():
    """A removal that is taken back takes over again what it had given back: a stanza of ifupdown that was commented out."""
    given_back_and_taken_again("ifupdown", "exec ifup")


def given_back_and_taken_again_networkd():
    """A removal that is taken back takes over again what it had given back: a whole file of networkd."""
    given_back_and_taken_again("networkd", "networkctl reconfigure")


def given_back_and_broken():
    """What is given back and does not come up is no removal that was done: it is said, and ours stays."""
    path, foreign = FOREIGN["ifupdown"]
    document = (IFCFG % "adopt: true, ").replace("network_backend: ifcfg", "network_backend: ifupdown")
    with Lab(document=document + STORAGE) as lab:
        lab.ssh("n1", f"printf '{foreign}    pre-up false\n' >{path}")
        lab.apply()
        (lab.path / "fabric.yaml").write_text(document + "  {}\n")
        said = " ".join(lab.apply(expect=11).stdout.split())
        assert "its script: exit 1" in said and "rolled back by the node itself" in said, said
        assert "10.30.0.1/24" in lab.ssh("n1", "ip -o addr show dev enp1s0f0np0").stdout
        (lab.path / "fabric.yaml").write_text(document + STORAGE)
        lab.plan_is_empty()


def rehearsed():
    """Drift of a live node is in its copy; the rehearsal changes nothing, and a seed is told again word by word."""
    with Lab() as lab:
        lab.apply()
        lab.ssh("pve2", "mstconfig -d 0000:01:00.0 -y set HOST_CHAINING_MODE=0; ip link set dev enp1s0f0np0 mtu 1500")
        before = lab.fabric("--lab", "plan", expect=0).stdout
        done = lab.fabric("--lab", "rehearse", "--seeds", "2", expect=0)
        for text in ("copies of 3 nodes, 2 seeds", "never cut by the plan itself", "nothing was left out", "it converged, whatever struck"):
            assert text in done.stdout, f"{text!r} is not in:\n{done.stdout}"
        assert len(done.stdout.splitlines()) <= 24 and max(map(len, done.stdout.splitlines())) <= 80, done.stdout
        story = lab.fabric("--lab", "rehearse", "--seed", "2", expect=0).stdout
        assert story == lab.fabric("--lab", "rehearse", "--seed", "2", expect=0).stdout
        assert lab.fabric("--lab", "plan", expect=0).stdout == before
        lab.monitor_is_clean(reboots=3)


def unknown_host_key():
    """A host key that is not known makes the node unreachable and says how to accept it."""
    with Lab() as lab:
        known_hosts = lab.path / ".fabric/lab/known_hosts"
        lines = known_hosts.read_text().splitlines(keepends=True)
        known_hosts.write_text("".join(lines[1:]))
        done = lab.fabric("--lab", "plan", expect=4)
        assert "host key" in done.stderr and "ssh-key" in done.stdout + done.stderr, done.stderr


scenarios = {name: value for name, value in list(globals().items())
             if callable(value) and getattr(value, "__doc__", None) and not isinstance(value, type) and value.__module__ == "__main__"
             and not value.__code__.co_argcount}
wanted = sys.argv[3:] or sorted(scenarios)
failed = 0
# They wait for reboots most of the time and take little of the processor: side by side even on a small machine.
with concurrent.futures.ThreadPoolExecutor(max_workers=12) as pool:
    started = {pool.submit(scenarios[name]): name for name in wanted}
    for future in concurrent.futures.as_completed(started):
        name = started[future]
        try:
            future.result()
            print(f"ok      {name}", flush=True)
        except Exception as failure:  # pylint: disable=broad-except
            failed += 1
            print(f"FAILED  {name}: {failure}", flush=True)
print(f"{len(wanted) - failed} passed, {failed} failed")
sys.exit(failed != 0)
