# SPDX-License-Identifier: Apache-2.0
"""InfiniBand on software HCAs: real OpenSM, partitions, IPoIB and its children."""
import re
import subprocess

from machines import binary, ssh, until
from networks import NOTHING
from observed import mtu, no_guard_is_left
from repository import Repository


def infiniband(members="ALL: full"):
    return f"""\
  ib:
    mode: infiniband
    mtu: 4096
    cables: [[n1/1, n2/1]]
    subnet_managers: [{{node: n1, priority: 10}}, {{node: n2, priority: 5}}]
    partitions: {{storage: {{pkey: 0x0010, ipoib: true, members: {{{members}}}}}}}
    ipoib: {{mode: datagram, mtu: 4092, ipv4: {{subnet: 10.30.0.0/24}}}}
    vlans: {{backup: {{id: 16, partition: storage, ipv4: {{subnet: 10.40.0.0/24}}}}}}
"""


# Its name follows the place of the card, as udev's rules of rdma-core have it.
HCA = "ibp0s16f0"


def master_as_seen_from(node, device=HCA):
    """The port GUID of the master, "" if nobody answers."""
    words = ssh(node, f"sminfo -C {device} -P 1 -t 500", check=False).replace(",", " ").split()
    return words[words.index("guid") + 1] if "SMINFO_MASTER" in words and "guid" in words else ""


def own_guid(node, device=HCA):
    groups = ssh(node, f"cat /sys/class/infiniband/{device}/ports/1/gids/0").strip().split(":")
    return hex(int("".join(groups[4:]), 16))


def ib_pair():
    """Two software HCAs back to back: real opensm on both by our units, partitions pushed, IPoIB and a child, through a reboot; a master that dies."""
    with Repository(infiniband("n1: full, n2: full"), rollout="confirm_timeout: 150s, reboot_timeout: 400s, max_unavailable: 4") as repository:
        repository.converges()
        for node in ("n1", "n2"):
            assert mtu(node, "ibp0s16f0") == 4092, mtu(node, "ibp0s16f0")
            keys = ssh(node, f"cat /sys/class/infiniband/{HCA}/ports/1/pkeys/*").split()
            assert "0x8010" in keys and "0xffff" in keys, keys
        assert master_as_seen_from("n2") == own_guid("n1")
        said = ssh("n1", "ping -q -c 3 -i 0.3 -W 2 -M do -s 4064 10.30.0.2; ping -q -c 3 -i 0.3 -W 2 10.40.0.2")
        assert said.count(" 0% packet loss") == 2, said
        repository.survives_a_reboot()
        until(120, "n1 manages again", lambda: master_as_seen_from("n2") == own_guid("n1"))
        assert " 0% packet loss" in ssh("n1", "ping -q -c 3 -i 0.3 -W 2 -M do -s 4064 10.30.0.2")
        # The master dies for good: the other one takes over, and the plan says what is missing.
        ssh("n1", "systemctl stop fabric-opensm-ib.cx5.1.service")
        until(120, "n2 manages", lambda: master_as_seen_from("n1") == own_guid("n2"))
        said = " ".join(repository.fabric("verify", expect=0).split())
        assert re.search(r"master n2/cx5/1 of network ib since \S+", said), said
        print(said[said.find("Managers"):], flush=True)
        said = repository.fabric("plan", "--detailed-exitcode", expect=2)
        assert "first: n1 (subnet_manager.start)" in said, said
        repository.converges()
        assert master_as_seen_from("n2") == own_guid("n1")
        # What somebody does to a file by hand is found, whether or not OpenSM has read it yet.
        ssh("n2", "echo 'storage=0x0010, ipoib 0x1=full;' >>/etc/opensm/fabric-ib.cx5.1.partitions")
        said = " ".join(repository.fabric("plan", "--detailed-exitcode", expect=2).split())
        assert "OpenSM ignores" in said, said
        repository.converges()
        # And all of it away again.
        repository.write(NOTHING)
        repository.converges()
        for node in ("n1", "n2"):
            left = ssh(node, "ls /etc/opensm /etc/systemd/system /etc/udev/rules.d | grep fabric; pgrep -x opensm", check=False)
            assert not left.strip(), left


def ib_two_subnets():
    """Two subnets between the same hosts: two instances on each host, which begin at once with every boot, each master of another one."""
    parts = [(1, "left", "n1: 10, n2: 5"), (2, "right", "n1: 5, n2: 10")]
    text = ""
    for port, name, priorities in parts:
        managers = ", ".join("{node: %s, priority: %s}" % tuple(each.split(": ")) for each in priorities.split(", "))
        text += f"""\
  {name}:
    mode: infiniband
    mtu: 2048
    cables: [[n1/{port}, n2/{port}]]
    subnet_managers: [{managers}]
    ipoib: {{ipv4: {{subnet: 10.3{port}.0.0/24}}}}
"""

    def stands():
        until(180, "both manage", lambda: [master_as_seen_from("n1", f"ibp0s16f{port - 1}") for port, *_ in parts]
              == [own_guid("n1", "ibp0s16f0"), own_guid("n2", "ibp0s16f1")])
        said = ssh("n1", "ping -q -c 3 -i 0.3 -W 2 -M do -s 2016 10.31.0.2; ping -q -c 3 -i 0.3 -W 2 -M do -s 2016 10.32.0.2", check=False)
        assert said.count(" 0% packet loss") == 2, said
        for node in ("n1", "n2"):
            assert len(ssh(node, "pgrep -x opensm").split()) == 2
            for port, name, _ in parts:
                assert "guid2lid" in ssh(node, f"ls /var/cache/opensm/fabric-{name}.cx5.{port}"), node
            # Where two share a folder, one of them dies at the other's rename.
            said = ssh(node, "journalctl -b -u 'fabric-opensm-*' | grep -i -e 'core.dump' -e 'signal=' -e 'status=1[0-9]'", check=False)
            assert not said.strip(), said

    with Repository(text, rollout="confirm_timeout: 150s, reboot_timeout: 400s, max_unavailable: 4") as repository:
        repository.converges()
        stands()
        repository.survives_a_reboot()
        stands()
        said = " ".join(repository.fabric("verify", expect=0).split())
        assert "master n1/cx5/1 of network left" in said and "master n2/cx5/2 of network right" in said, said
        print(said[said.find("Managers"):], flush=True)


def ib_modes():
    """Datagram and connected mode by the back end's own files, through a reboot; and an MTU that the kernel takes with exit 0 and ignores is not reached."""
    def text(ipoib, managers="    subnet_managers: [{node: n1, priority: 10}]\n"):
        return f"""\
  ib:
    mode: infiniband
    mtu: 2048
    cables: [[n1/1, n2/1]]
{managers}    partitions: {{storage: {{pkey: 0x0010, ipoib: true, members: {{ALL: full}}}}}}
    ipoib: {{{ipoib}, ipv4: {{subnet: 10.30.0.0/24}}}}
    vlans: {{backup: {{id: 16, partition: storage, ipv4: {{subnet: 10.40.0.0/24}}}}}}
"""

    def stands(mode, size):
        for node in ("n1", "n2"):
            assert ssh(node, f"cat /sys/class/net/{HCA}/mode").strip() == mode
            assert mtu(node, HCA) == size, (node, mtu(node, HCA))
        said = ssh("n1", f"ping -q -c 3 -i 0.3 -W 2 -M do -s {size - 28} 10.30.0.2; ping -q -c 3 -i 0.3 -W 2 10.40.0.2", check=False)
        assert said.count(" 0% packet loss") == 2, said

    with Repository(text("mode: datagram, mtu: 2044"), nodes=("n1", "n2"),
                    rollout="confirm_timeout: 150s, reboot_timeout: 400s, max_unavailable: 4") as repository:
        # A card that still has connected mode.
        for node in ("n1", "n2"):
            ssh(node, "echo 0x1011 >/usr/lib/vmlab/device; sed -i 's/ConnectX5 /ConnectIB /; s/MCX556A-ECA_Ax/MCB194A-FCA_A1/' $(command -v mstconfig)")
        document = repository.path / "fabric.yaml"

        def write(networks):
            repository.write(networks)
            document.write_text(document.read_text().replace("connectx-5-vpi", "connect-ib"))

        write(text("mode: datagram, mtu: 2044"))
        repository.converges()
        stands("datagram", 2044)
        write(text("mode: connected, mtu: 65520"))
        repository.converges()
        stands("connected", 65520)
        repository.survives_a_reboot()
        until(180, "n1 manages again", lambda: master_as_seen_from("n2") == own_guid("n1"))
        stands("connected", 65520)
        write(text("mode: datagram, mtu: 2044"))
        repository.converges()
        stands("datagram", 2044)
        # Another manager, whose groups are of 2048 bytes; the kernel says yes to what does not fit them.
        write(NOTHING)
        repository.converges()
        ssh("n2", "mkdir -p /var/cache/opensm; systemctl reset-failed; systemd-run --unit=somebody opensm -p 12")
        until(120, "somebody manages", lambda: master_as_seen_from("n1") == own_guid("n2"))
        write(text("mode: datagram, mtu: 4092", "    subnet_manager: {external: true}\n").replace("mtu: 2048", "mtu: 4096"))
        done = subprocess.run([binary, "--timeout", "120s", "apply", "--auto-approve"], cwd=repository.path, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=1800)
        said = " ".join((done.stdout + done.stderr).split())
        print(f"exit {done.returncode}", said[said.find("Apply:") - 600:][:1500], flush=True)
        assert done.returncode in (10, 11) and re.search(r"expected 4092, found 2044", said), said
        for node in ("n1", "n2"):
            no_guard_is_left(node)


def ib_foreign_master():
    """A master that the document does not know stops the apply before anything is written."""
    with Repository(infiniband(), nodes=("n1", "n2")) as repository:
        ssh("n2", "mkdir -p /var/cache/opensm; systemctl reset-failed; systemd-run --unit=somebody opensm -p 12")
        until(120, "somebody manages", lambda: master_as_seen_from("n1") == own_guid("n2"))
        repository.write(infiniband().replace("[{node: n1, priority: 10}, {node: n2, priority: 5}]", "[{node: n1, priority: 10}]"))
        said = " ".join(repository.fabric("apply", "--auto-approve", expect=3).split())
        assert "sm-foreign-master" in said and own_guid("n2")[2:] in said, said
        assert not ssh("n1", "ls /etc/opensm | grep fabric", check=False).strip()
