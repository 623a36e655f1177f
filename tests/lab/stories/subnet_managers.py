# SPDX-License-Identifier: Apache-2.0
"""Subnet managers of InfiniBand networks: master and standby, moved, waited for, with partitions."""
import json
import re

from documents import example
from lab import Lab


PAIR = """\
apiVersion: fabric/v1
name: pair
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


def ib_pair():
    """Native InfiniBand with a master and its standby: there to stay, and one that somebody stops is named and started."""
    with Lab(document=PAIR) as lab:
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
        assert "Verify: no error, 1 warning" in said and "no manager runs on n1/cx5/1" in " ".join(said.split()), said
        assert re.search(r"  master    n2/cx5/1 of network direct since \w+ \d+ [\d:]{8} ", said) and "  none      n1/cx5/1" in said, said
        done = lab.fabric("--lab", "plan", "--detailed-exitcode", expect=2)
        assert "0 to add, 1 to change, 0 to remove" in done.stdout, done.stdout
        lab.apply()
        lab.plan_is_empty()
        assert "priority 10 state 3" in lab.ssh("n2", "sminfo").stdout
        log = lab.ssh("n2", "cat /var/log/opensm.fabric-direct.cx5.1.log").stdout
        assert [line.split("-> ")[1] for line in log.splitlines()][-3:] == [f"Entering {state} state" for state in ("STANDBY", "MASTER", "STANDBY")], log


def managers_fail_over():
    """The master is stopped under its node's lock and starts again, and a master without a standby is left alone."""
    with Lab(document=PAIR) as lab:
        lab.apply()
        said = " ".join(lab.fabric("--lab", "verify", "--level", "failover", expect=0).stdout.split())
        assert re.search(r"passed the subnet manager of n1/cx5/1: 0x\w{12,16} was master after \d+ s", said), said
        log = lab.ssh("n2", "cat /var/log/opensm.fabric-direct.cx5.1.log").stdout
        assert [line.split("-> ")[1] for line in log.splitlines()][-2:] == ["Entering MASTER state", "Entering STANDBY state"], log
        lab.plan_is_empty()
        assert lab.ssh("n1", "ls /var/lib/fabric/lock 2>/dev/null").stdout == ""
        lab.ssh("n2", "systemctl stop fabric-opensm-direct.cx5.1")
        said = " ".join(lab.fabric("--lab", "verify", "--level", "failover", expect=4).stdout.split())
        assert "untested the subnet manager of n1/cx5/1: no other manager of network direct is standby" in said, said
        assert lab.ssh("n1", "systemctl is-active fabric-opensm-direct.cx5.1").stdout == "active\n"


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
        assert done.returncode == 10 and "OpenSM ib.cx5.1 (absent) no longer answers" in " ".join(done.stdout.split()), done.stdout
        assert "SMINFO_MASTER" in lab.ssh("n1", "sminfo").stdout
        assert lab.ssh("n2", "cat /proc/sys/kernel/random/boot_id").stdout == booted


def esx_classic():
    """The example as far as its Linux host goes: manager and partitions with the GUIDs of hosts that are only observed."""
    document = example("esx-classic", ("    platform: esx-classic\n", "    platform: esx-classic\n    state: observe\n"))
    with Lab(document=document) as lab:
        # What differs on hosts that are only observed is told, and is no change.
        lab.apply()
        assert "Plan: 0 to add, 0 to change, 0 to remove, 8 withheld." in lab.fabric("--lab", "plan", expect=0).stdout
        said = lab.ssh("storage1", "cat /etc/opensm/fabric-*.partitions; sminfo").stdout
        for text in ("0x0002c903000e0b73=full", "0x0002c903000e0b77=full", "priority 10 state 3 SMINFO_MASTER"):
            assert text in said, f"{text!r} is not in:\n{said}"
        # The subnet tells the cables of hosts that tell nothing of theirs.
        done = lab.fabric("--lab", "verify", expect=0)
        assert "Cables  3 ok" in done.stdout and "ok        esx2/hca/1 - ib-switch/2" in done.stdout, done.stdout


GONE = """\
apiVersion: fabric/v1
name: gone
nodes:
  m1: {packages: [opensm, infiniband-diags], adapters: {hca: {model: connectx-5, ports: 1}}}
  m2: {packages: [opensm, infiniband-diags], adapters: {hca: {model: connectx-5, ports: 1}}}
  m3: {packages: [infiniband-diags], adapters: {hca: {model: connectx-5, ports: 1}}}
  sw: {platform: unmanaged}
networks:
  ib:
    mode: infiniband
    cables: [["m[1-3]/1", "sw/[1-3]"]]
    subnet_managers: [{node: m1, priority: 10}, {node: m2, priority: 4}]
"""
OFED = """\
apiVersion: fabric/v1
name: pair
nodes:
  n1:
    software: {stack: mlnx_ofed}
    packages: [opensm, infiniband-diags]
    adapters: {cx5: {model: connectx-5-vpi}}
  n2: {packages: [infiniband-diags], adapters: {cx5: {model: connectx-5-vpi}}}
networks:
  direct:
    mode: infiniband
    mtu: 4096
    cables: [[n1/1, n2/1]]
    subnet_manager: {virtualization: true}
    subnet_managers: [{node: n1, priority: 10}]
"""


def manager_beside_opensmd():
    """MLNX_OFED's own service is stopped and stays away after a boot; its OpenSM has virtualization support."""
    with Lab(document=OFED) as lab:
        lab.ssh("n1", "apt-get -qq update && apt-get -qy install opensm")
        lab.ssh("n1", "systemctl start opensmd")
        assert lab.ssh("n1", "systemctl is-active opensmd").stdout == "active\n"
        # What was armed before the card was InfiniBand runs on its port.
        lab.apply()
        for _ in range(2):
            assert lab.ssh("n1", "systemctl is-active opensmd").stdout == "inactive\n"
            assert "priority 10 state 3 SMINFO_MASTER" in lab.ssh("n2", "sminfo").stdout
            assert "virt_enabled 2" in lab.ssh("n1", "cat /etc/opensm/fabric-direct.cx5.1.conf").stdout
            lab.plan_is_empty()
            lab.fabric("--lab", "verify", expect=0)
            lab.reboot("n1")
        (lab.path / "fabric.yaml").write_text(OFED.replace("    subnet_manager: {virtualization: true}\n", "").replace(
            "subnet_managers: [{node: n1, priority: 10}]", "subnet_manager: {external: true}"))
        # Nobody manages the subnet after that, and the verify at the end says so.
        lab.fabric("--lab", "apply", "--auto-approve", expect=13)
        assert "fabric" not in lab.ssh("n1", "find /etc/systemd/system /etc/opensm").stdout


TENANTS = """\
apiVersion: fabric/v1
name: pair
nodes:
  n1: {ADOPT, packages: [opensm, infiniband-diags], adapters: {cx5: {model: connectx-5-vpi}}}
  n2: {packages: [infiniband-diags], adapters: {cx5: {model: connectx-5-vpi}}}
networks:
  ib:
    mode: infiniband
    cables: [[n1/1, n2/1]]
    subnet_managers: [{node: n1, priority: 10}]
"""
SAID = """\
    subnet_manager: {routing_engine: updn, subnet_prefix: "0xfe80000000000001", options: {lmc: 1, qos: true}}
    partitions:
      Default: {pkey: "0x7fff", ipoib: true, members: {ALL: limited, SELF: full}}
      red: {pkey: "0x7ffe", ipoib: true, mtu: 4096, members: {n1: full, n2: full}}
"""


def manager_adopted():
    """An OpenSM of somebody's, with tenants: each thing that would go is named; what the document says of it stays."""
    with Lab(document=TENANTS.replace("ADOPT", "adopt: true")) as lab:
        lab.ssh("n1", "apt-get -qq update && apt-get -qy install opensm infiniband-diags")
        lab.ssh("n2", "apt-get -qq update && apt-get -qy install infiniband-diags")
        guids = {node: "0x" + lab.ssh(node, "cat /sys/class/infiniband/*/ports/1/gids/0").stdout.split()[0].replace(":", "")[16:] for node in ("n1", "n2")}
        options = (f"guid {guids['n1']}\nsm_priority 15\nlmc 1\nrouting_engine updn\nqos TRUE\nsubnet_prefix 0xfe80000000000001\nsweep_interval 10\n"
                   "sm_key 0x77\npartition_config_file /etc/opensm/tenants\nmade_up 7\n")
        tenants = (f"Default=0x7fff, ipoib : ALL=limited, SELF=full;\nred=0x7ffe, ipoib, mtu=5 : {guids['n1']}=full, {guids['n2']}=full;\n"
                   "blue=0x7ffd, rate=7 : ALL=full;\n")
        lab.ssh("n1", f"printf '{options}' >/etc/opensm/opensm.conf; printf '{tenants}' >/etc/opensm/tenants; systemctl restart opensm")
        done = lab.fabric("--lab", "plan", expect=3)
        said = " ".join((done.stdout + done.stderr).split())
        for each in ("opensm.conf:3 `lmc 1`: to keep it, write into the document: `subnet_manager: {options: {lmc: 1}}`", "opensm.conf:4 `routing_engine updn`",
                     "opensm.conf:5 `qos TRUE`", "opensm.conf:6 `subnet_prefix 0xfe80000000000001`", "opensm.conf:8 `sm_key`",
                     "opensm.conf:10 `made_up 7`", "tenants:1 `Default ALL=limited`", "tenants:3 `blue rate=7`",
                     'tenants:2 `red 0x7ffe`: to keep it, write into the document: `partitions: {red: {pkey: "0x7ffe", ipoib: true, mtu: 4096, members: '
                     '{n1/cx5/1: full, n2/cx5/1: full}}}`'):
            assert each in said, f"{each}: {said}"
        for each in ("sweep_interval", "sm_priority 15`: the doc", "0x77"):
            assert each not in said, f"{each}: {said}"
        assert "subnet_manager/ib.cx5.1" in done.stdout, done.stdout
        lab.fabric("--lab", "apply", "--auto-approve", expect=3)
        assert "fabric" not in lab.ssh("n1", "ls /etc/opensm").stdout
        drop = 'adopt: {drop: ["opensm sm_key", "opensm made_up", "partitions blue"]}'
        (lab.path / "fabric.yaml").write_text(TENANTS.replace("ADOPT", drop) + SAID)
        lab.fabric("--lab", "plan", "--out", "adopt.plan", expect=0)
        # What is new since then was never shown.
        lab.ssh("n1", "echo 'use_ucast_cache TRUE' >>/etc/opensm/opensm.conf")
        lab.fabric("--lab", "apply", "--auto-approve", "adopt.plan", expect=7)
        lab.ssh("n1", "sed -i '$d' /etc/opensm/opensm.conf")
        lab.apply()
        ours = lab.ssh("n1", "cat /etc/opensm/fabric-ib.cx5.1.conf /etc/opensm/fabric-ib.cx5.1.partitions").stdout
        for each in ("lmc 1\n", "qos TRUE\n", "routing_engine updn\n", "subnet_prefix 0xfe80000000000001\n", "sm_priority 10\n",
                     f"red=0x7ffe, ipoib, mtu=5 : {guids['n1']}=full, {guids['n2']}=full;\n", "ALL=limited, SELF=full;\n"):
            assert each in ours, f"{each}: {ours}"
        lab.plan_is_empty()
        # An option that the document gives up goes; one that somebody adds to our file is a difference.
        (lab.path / "fabric.yaml").write_text(TENANTS.replace("ADOPT", drop) + SAID.replace("lmc: 1, ", ""))
        lab.apply()
        assert "lmc" not in lab.ssh("n1", "cat /etc/opensm/fabric-ib.cx5.1.conf").stdout.split("guid 0x")[1]
        lab.plan_is_empty()
        lab.ssh("n1", "echo 'lmc 2' >>/etc/opensm/fabric-ib.cx5.1.conf")
        lab.fabric("--lab", "plan", "--detailed-exitcode", expect=2)


def manager_of_another_unit():
    """An OpenSM under a unit that fabric does not stop: named by plan, though all may be dropped, and by verify; nothing is done."""
    with Lab(document=TENANTS.replace("ADOPT", "adopt: {drop: all}")) as lab:
        for node in ("n1", "n2"):
            lab.ssh(node, "apt-get -qq update && apt-get -qy install opensm infiniband-diags && systemctl disable --now opensm")
        lab.ssh("n1", "printf '[Service]\nExecStart=/usr/sbin/opensm -p 7\n[Install]\nWantedBy=multi-user.target\n' >/etc/systemd/system/my-sm.service;"
                      " systemctl daemon-reload; systemctl start my-sm")
        said = " ".join(lab.apply(expect=3).stderr.split())
        assert "foreign-configuration" in said and "/1 with priority 7 by a unit of another name" in said, said
        said = " ".join(lab.fabric("--lab", "verify", expect=13).stdout.split())
        assert "error[stray-manager]: the master on n1/cx5/1 is not the manager that the document places there" in said, said
        lab.ssh("n1", "systemctl stop my-sm")
        lab.apply()


CHILDREN = """\
apiVersion: fabric/v1
name: children
nodes:
  n1: {network_backend: ifupdown, ADAPTER}
  n2: {network_backend: networkmanager, ADAPTER}
  n3: {network_backend: ifcfg, ADAPTER}
  n4: {network_backend: networkd, ADAPTER}
  sw: {platform: unmanaged, model: QM8790}
networks:
  ib:
    mode: infiniband
    cables: [["n[1-4]/1", "sw/[1-4]"]]
    subnet_managers: [{node: n1, priority: 10}]
    partitions: {storage: {pkey: 0x0010, ipoib: true, members: {ALL: full}}}
    ipoib: {ipv4: {subnet: 10.30.0.0/24}}
"""


def partition_children():
    """P_Key children by every back end that can make them: in their partition, over a boot, and away again with the document; also on ports without IPoIB of their own."""
    document = CHILDREN.replace("ADAPTER", "adapters: {hca: {model: connectx-6-vpi, ports: 1}}")
    vlans = "    vlans: {backup: {partition: storage, ipv4: {subnet: 10.40.0.0/24}}}\n"
    nodes = [f"n{number}" for number in range(1, 5)]
    with Lab(document=document + vlans) as lab:
        def has_children():
            lab.apply()
            lab.plan_is_empty()
            lab.fabric("--lab", "verify", expect=0)
            for boots in (False, True):
                for node in nodes if boots else ():
                    lab.reboot(node)
                for number, node in enumerate(nodes, 1):
                    said = lab.ssh(node, f"cat /sys/class/net/ibp1s0.8010/mtu; ip -o link; ping -c 1 -W 1 -M do -s 2016 10.40.0.{number % 4 + 1}").stdout
                    assert said.startswith("2044\n") and "ibp1s0.8010@ibp1s0: <" in said and " 0% packet loss" in said, (node, said)
                lab.plan_is_empty()

        has_children()
        (lab.path / "fabric.yaml").write_text(document)
        lab.apply()
        lab.plan_is_empty()
        for node in nodes:
            said = lab.ssh(node, "ls /sys/class/net; grep -rl 8010 /etc/systemd /etc/network /etc/NetworkManager /etc/sysconfig").stdout
            assert "8010" not in said and "ibp1s0\n" in said, (node, said)
        (lab.path / "fabric.yaml").write_text(document.replace("    ipoib: {ipv4: {subnet: 10.30.0.0/24}}\n", vlans))
        has_children()
        for node in nodes:
            assert "10.30." not in lab.ssh(node, "ip -o addr; cat /etc/network/interfaces.d/*").stdout, node


GUARD = "/etc/systemd/system/opensm.service.d/fabric.conf"


def managers_of_a_renamed_network():
    """A network gets another name: its managers are started anew one after the other, and one that is dead is told."""
    with Lab(document=GONE) as lab:
        lab.apply()
        (lab.path / "fabric.yaml").write_text(GONE.replace("  ib:", "  storage:"))
        # In the order in which things happened: else equal ones are told together.
        said = lab.fabric("--lab", "-v", "apply", "--auto-approve", expect=0).stderr
        lab.plan_is_empty()
        done = re.findall(r"(m\d)  done  (stop|start) OpenSM (\w+)", said)
        assert done == [("m2", "stop", "ib"), ("m2", "start", "storage"), ("m1", "stop", "ib"), ("m1", "start", "storage")], said
        lab.ssh("m2", "systemctl stop fabric-opensm-storage.hca.1.service")
        said = " ".join(lab.fabric("--lab", "verify", expect=0).stdout.split())
        assert "no manager runs on m2/hca/1" in said and "is what the document says" not in said, said
        lab.apply()
        (lab.path / "fabric.yaml").write_text(GONE.replace("  ib:", "  storage:").replace("m1, priority: 10", "m3, priority: 10").replace(
            "m3: {packages: [", "m3: {packages: [opensm, "))
        lab.apply()
        lab.plan_is_empty()
        assert lab.ssh("m1", f"cat {GUARD}").returncode != 0 and lab.ssh("m3", f"cat {GUARD}").returncode == 0


def manager_of_a_node_that_goes():
    """The node with the master is to be released: the other one takes over, and nobody calls it a foreign manager."""
    with Lab(document=GONE) as lab:
        lab.apply()
        (lab.path / "fabric.yaml").write_text(GONE.replace("m1: {", "m1: {state: absent, ").replace("{node: m1, priority: 10}, ", "").replace(
            '"m[1-3]/1", "sw/[1-3]"', '"m[2-3]/1", "sw/[2-3]"'))
        lab.apply()
        lab.plan_is_empty()
        assert "fabric" not in lab.ssh("m1", "ls /etc/opensm /etc/systemd/system").stdout


def members_that_lose_contact():
    """Two hosts that share one partition alone lose each other when one leaves it: the plan counts the pair, and a document that refuses lost paths refuses the plan."""
    document = GONE + """\
    partitions:
      Default: {pkey: 0x7fff, ipoib: true, members: {ALL: limited, SELF: full}}
      p: {pkey: 5, members: {m2: full, m3: full}}
"""
    with Lab(document=document) as lab:
        lab.apply()
        gone = document.replace("m2: full, m3: full", "m2: full")
        (lab.path / "fabric.yaml").write_text(gone)
        shown = " ".join(lab.fabric("--lab", "plan", expect=0).stdout.split())
        # The master's own port is a full member of the default partition and reaches both.
        assert "1 of 3 pairs of hosts in network ib lose contact, for example m2 and m3" in shown, shown
        (lab.path / "fabric.yaml").write_text("rollout: {paths_lost: refuse}\n" + gone)
        refused = " ".join(lab.fabric("--lab", "plan", expect=3).stderr.split())
        assert "when the members of partitions change, m2 and m3 have no path left in network ib" in refused, refused


def members_without_a_new_start():
    """Members that join and leave are read by the managers that run: no manager moves, and the subnet is never without one. What makes a group needs a new start."""
    document = GONE + "    partitions: {p: {pkey: 5, ipoib: true, mtu: 2048, members: {m1: full, m3: full}}}\n"
    with Lab(document=document) as lab:
        lab.apply()
        logs = {node: lab.ssh(node, "cat /var/log/opensm.fabric-ib.hca.1.log").stdout for node in ("m1", "m2")}
        keys = "cat /sys/class/infiniband/*/ports/1/pkeys/*"
        assert "0x8005" in lab.ssh("m3", keys).stdout and "0x8005" not in lab.ssh("m2", keys).stdout
        (lab.path / "fabric.yaml").write_text(document.replace("m3: full}}", "m2: full}}, q: {pkey: 6, members: {m3: full}}"))
        said = lab.fabric("--lab", "plan", "--out", "members.plan", expect=0).stdout
        assert "subnet manager move" not in said and "m3 lose contact in p" in " ".join(said.split()), said
        kinds = [action["kind"] for action in json.loads((lab.path / "members.plan").read_text())["actions"]]
        assert kinds.count("subnet_manager.reload") == 2 and "subnet_manager.start" not in kinds, kinds
        lab.fabric("--lab", "apply", "members.plan", expect=0)
        assert "0x8005" in lab.ssh("m2", keys).stdout and "0x8006" in lab.ssh("m3", keys).stdout
        assert "0x8005" not in lab.ssh("m3", keys).stdout
        for node, log in logs.items():
            assert lab.ssh(node, "cat /var/log/opensm.fabric-ib.hca.1.log").stdout == log
        lab.plan_is_empty()
        (lab.path / "fabric.yaml").write_text(document.replace("mtu: 2048", "mtu: 4096"))
        said = lab.fabric("--lab", "plan", expect=0).stdout
        assert "1 subnet manager move" in said, said
        lab.apply()
        lab.plan_is_empty()


def member_that_is_not_reached():
    """A member of a partition is dead: it stays where the managers have noted it, and the rest of the plan stands."""
    document = GONE + "    partitions: {p: {pkey: 5, members: {m3: full, m1: full}}}\n"
    with Lab(document=document) as lab:
        lab.apply()
        lab.fabric("lab", "fault", "m3", "refused", expect=0)
        drift = lab.fabric("--lab", "plan", "--refresh-only", "--detailed-exitcode", "--offline", "m3", expect=0)
        assert "member-guid-unknown" not in drift.stdout, drift.stdout
        (lab.path / "fabric.yaml").write_text(document.replace("m2: {", "m2: {sysctl: {vm.swappiness: 10}, "))
        done = lab.fabric("--lab", "plan", expect=4)
        said = " ".join(done.stdout.split())
        assert "vm.swappiness" in said and "member-guid-unknown" not in said and "partitions" not in said, said
        # Whom the document no longer names is not kept, and a file without notes tells of nobody.
        gone = document.replace("m3: full, ", "")
        (lab.path / "fabric.yaml").write_text(gone)
        shown = " ".join(lab.fabric("--lab", "plan", "--offline", "m3", expect=0).stdout.split())
        assert "m3 lose contact in p" in shown and "touches no traffic" not in shown, shown
        # The subnet shows it as long as its port has a link, by what its card calls itself.
        for priority, known in ((6, True), (5, False)):
            for node in ("m1", "m2"):
                lab.ssh(node, "sed -i '/^# m3/d' /etc/opensm/fabric-ib.hca.1.partitions")
            if not known:
                lab.fabric("lab", "unplug", "m3/hca/1", expect=0)
            (lab.path / "fabric.yaml").write_text(document.replace("priority: 4", f"priority: {priority}"))
            said = lab.fabric("--lab", "plan", "--offline", "m3", expect=0).stdout
            assert ("member-guid-unknown" in said) != known and ("lose contact" in said) != known, said
            saved = lab.fabric("--lab", "discover", "--offline", "m3", "--save", "facts", expect=0)
            again = lab.fabric("--facts", "facts", "plan", "--offline", "m3", expect=0).stdout
            assert said == again, (said, again, saved.stderr)
            lab.fabric("--lab", "apply", "--offline", "m3", "--auto-approve", expect=0)
            # That of m1 is as it is to be, but for the note.
            noted = lab.ssh("m2", "cat /etc/opensm/fabric-ib.hca.1.partitions").stdout
            assert ("# m3/hca/1 0x" in noted) == known, noted
        said = " ".join(lab.fabric("--lab", "plan", "--detailed-exitcode", "--offline", "m3", expect=0).stdout.split())
        assert "member-guid-unknown" in said and "without m3/hca/1, whose" in said, said
        lab.fabric("lab", "recable", "m3/hca/1", "sw/3", expect=0)
        lab.fabric("lab", "fault", "m3", "none", expect=0)
        lab.apply()
        assert "# m3/hca/1 0x" in lab.ssh("m1", "cat /etc/opensm/fabric-ib.hca.1.partitions").stdout
        lab.plan_is_empty()
        (lab.path / "fabric.yaml").write_text(document.replace("m2: {", "m2: {sysctl: {vm.swappiness: 10}, "))
        done = lab.fabric("--lab", "plan", "--limit", "m2", expect=0)
        assert "vm.swappiness" in done.stdout, done.stdout
