# SPDX-License-Identifier: Apache-2.0
"""Switches with MLNX-OS and Onyx, at their prompt: hosts and their switch in one plan."""
import json

from documents import RAILS, example
from examples import boot, converged
from lab import Lab, until
from steps import has_lines, proc_bond, shown

# Nothing there rolls a change back by itself, so somebody has to allow each switch.
ALLOWED = ("--allow-no-rollback", "leaf1")
ONE_SWITCH = """\
apiVersion: fabric/v1
name: one-switch
nodes:
  s[1-2]: {network_backend: networkd, adapters: {cx5: {model: connectx-5-en}}}
  leaf1: {platform: mlnx-os, os: {release: onyx-3, minimum: "3.8.2000"}}
networks:
  storage:
    mode: lag
    mtu: 9000
    ipv4: {subnet: 10.30.0.0/24}
    lag: {bond: bond0, policy: 802.3ad, port_channel: lacp, hash_policy: layer3+4}
    cables: [["s1/[1-2]", "leaf1/1/[1-2]"], ["s2/[1-2]", "leaf1/1/[3-4]"]]
"""


def configured(lab, *lines, switch="leaf1"):
    """Somebody types lines in configuration mode."""
    return lab.at_prompt(switch, "enable", "configure terminal", *lines, "exit", "exit")


def apply(lab, *arguments, expect=0):
    return lab.fabric("--lab", "apply", "--auto-approve", *ALLOWED, *arguments, expect=expect)


def everything_boots(lab, *hosts, switches=("leaf1",)):
    boot(lab, {**{switch: "mlnx-os" for switch in switches}, **{host: "linux" for host in hosts}})


def roce_lag_onyx():
    """The example as it stands, in its three modes: the switch is set up at its prompt and its configuration saved, LACP comes up, and all of it is there after everything has booted."""
    def look_at_plan(plan):
        assert "leaf1" in plan and "configuration.save" in plan, plan

    with converged("roce-lag", look_at_plan) as lab:
        # What runs is what was saved: the switch has booted.
        has_lines(shown(lab, "show running-config"), "lacp", "interface port-channel 5", "interface ethernet 1/6 channel-group 5 mode on",
                  "interface ethernet 1/10 channel-group 9 mode active", "interface ethernet 1/11 channel-group 11 mode active")
        # A host with active-backup needs nothing of the switch.
        assert "1/1 channel-group" not in shown(lab, "show running-config")
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


def onyx_rails_at_one_leaf():
    """Two rails at one leaf are a VLAN each there, one of them beside a tag; a port that somebody moves to another VLAN is put right; all of it is there after everything has booted."""
    with Lab(document=RAILS % "mlnx-os") as lab:
        apply(lab)
        lab.plan_is_empty()
        lab.fabric("--lab", "verify", expect=0)
        ethernet = "interface ethernet "
        has_lines(shown(lab, "show configuration"), "vlan 10", "vlan 20", "vlan 30", ethernet + "1/1 switchport access vlan 10",
                  ethernet + "1/3 switchport mode hybrid", ethernet + "1/3 switchport access vlan 20",
                  ethernet + "1/3 switchport hybrid allowed-vlan add 30")
        everything_boots(lab, "s1")
        lab.plan_is_empty()
        configured(lab, ethernet + "1/4 switchport access vlan 10")
        lab.verify_says("s1/cx6/2 -> s2/cx6/2")
        said = lab.fabric("--lab", "plan", expect=0).stdout
        assert "access_vlan  10, file 20 -> 20" in said and "untagged-vlans-differ" not in said, said
        apply(lab)
        lab.plan_is_empty()
        lab.fabric("--lab", "verify", expect=0)


def onyx_needs_permission():
    """Nothing at the switch rolls a change back by itself: the plan shows that, and apply wants to be allowed it: by its option, by a document behind which a person stands with a yes; never by the document alone."""
    granted = example("roce-lag") + "rollout: {allow_no_rollback: leaf1, allow_mgmt_path: leaf1}\n"
    with Lab(document=granted) as lab:
        planned = lab.fabric("--lab", "plan", "--out", "plan.json", expect=0)
        assert "no-rollback-timer" in planned.stdout and "--allow-no-rollback leaf1" in planned.stdout, planned.stdout
        needed = json.loads((lab.path / "plan.json").read_text())["permissions"]
        assert {"name": "allow_no_rollback", "nodes": ["leaf1"], "granted": ["leaf1"]} in needed, needed
        for words in (("--auto-approve",), ("plan.json",)):
            refused = " ".join(lab.fabric("--lab", "apply", *words, expect=3).stderr.split())
            assert "leaf1" in refused and "a grant of the document is valid in a plan file that --require-signature accepts" in refused, refused
        lab.by_hand("--lab", "apply", answer="no", expect=8)
        lab.fabric("--lab", "plan", "--detailed-exitcode", expect=2)
        lab.by_hand("--lab", "apply", answer="yes")
        lab.plan_is_empty()


# Somebody has given one of the ports a speed of its own, and saved that.
OTHER_SPEED = """\
hosts:
  leaf1:
    files:
      initial: |
        lldp
        interface ethernet 1/2 speed 10G force
"""


def onyx_refuses_with_status_0():
    """A line that the switch refuses ends with status 0 as every other: the action fails with the switch's words and says what it has done before, and nothing of it is saved. No host may send larger frames yet, so the last channel waits."""
    with Lab(document=ONE_SWITCH, lab_yaml=OTHER_SPEED) as lab:
        before = shown(lab, "show configuration")
        done = apply(lab, expect=10)
        said = " ".join((done.stdout + done.stderr).split())
        assert "% Speed of Eth1/2 does not match the port-channel" in said, said
        assert "done in part" in said, said
        # Half of it runs, and nothing is saved.
        has_lines(shown(lab, "show running-config"), "interface ethernet 1/1 channel-group 1 mode active")
        assert shown(lab, "show configuration") == before
        # Somebody mends that; the rest is done and all of it saved.
        configured(lab, "no interface ethernet 1/2 speed")
        apply(lab)
        has_lines(shown(lab, "show configuration"), "interface ethernet 1/2 channel-group 1 mode active", "interface ethernet 1/4 channel-group 3 mode active")
        lab.plan_is_empty()
        lab.fabric("--lab", "verify", expect=0)


OTHER_CHANNELS = """\
hosts:
  leaf1:
    files:
      initial: |
        lldp
        lacp
        interface port-channel 20
        interface ethernet 1/20 channel-group 20 mode active
        interface port-channel 21
        interface port-channel 21 description fabric:another
        interface ethernet 1/21 channel-group 21 mode active
"""


def onyx_channel_goes():
    """A port channel that fabric made has its mark and goes with the cables of its host; one that a person made, or another document, stays."""
    without_s2 = ONE_SWITCH.replace("s[1-2]: {", "s1: {").replace(', ["s2/[1-2]", "leaf1/1/[3-4]"]', "")
    with Lab(document=ONE_SWITCH, lab_yaml=OTHER_CHANNELS) as lab:
        apply(lab)
        has_lines(shown(lab, "show running-config"), "interface port-channel 1 description fabric:one-switch", "interface port-channel 3 description fabric:one-switch")
        (lab.path / "fabric.yaml").write_text(without_s2)
        said = lab.fabric("--lab", "plan", expect=0).stdout
        assert "1 to remove" in said and "bond/bond1/3" in said, said
        apply(lab)
        for command in ("show running-config", "show configuration"):
            left = shown(lab, command)
            assert "port-channel 3" not in left and "channel-group 3" not in left, left
            has_lines(left, "interface port-channel 1 description fabric:one-switch", "interface ethernet 1/2 channel-group 1 mode active")
        has_lines(shown(lab, "show running-config"), "interface port-channel 20", "interface ethernet 1/20 channel-group 20 mode active",
                  "interface ethernet 1/21 channel-group 21 mode active")
        lab.plan_is_empty()
        # A port that was in the channel is a plain one now.
        plain = without_s2.replace("networks:", "  s2: {network_backend: networkd, adapters: {cx5: {model: connectx-5-en}}}\nnetworks:") + (
            '  plain: {mode: ethernet, ipv4: {subnet: 10.31.0.0/24}, cables: [["s2/1", "leaf1/1/3"]]}\n')
        (lab.path / "fabric.yaml").write_text(plain)
        apply(lab)
        lab.plan_is_empty()
        # Released as a whole.
        (lab.path / "fabric.yaml").write_text(plain.replace("leaf1: {", "leaf1: {state: absent, ").replace("s[1-2]: {", "s[1-2]: {state: absent, "))
        lab.fabric("--lab", "apply", "--auto-approve", *ALLOWED)
        assert "fabric:one-switch" not in shown(lab, "show running-config"), shown(lab, "show running-config")


SUBNET = """\
apiVersion: fabric/v1
name: subnet
nodes:
  s[1-3]: {packages: [infiniband-diags], adapters: {cx6: {model: connectx-6-vpi}}}
  leaf1: {platform: mlnx-os, os: {release: mlnx-os-3, minimum: "3.10.2000"}}
networks:
  ib:
    mode: infiniband
    mtu: 2048
    cables: [["s[1-3]/1", "leaf1/1/[1-3]"]]
    subnet_managers: [{node: leaf1, priority: 9}]
    subnet_manager: {virtualization: true}
    partitions: {storage: {pkey: 0x8012, ipoib: true, members: {"s[1-2]": full}}}
    ipoib: {ipv4: {subnet: 10.40.0.0/24}}
"""


def onyx_subnet_manager():
    """The manager of the switch is started with virtual functions and partitions, hosts come up behind it, and it is there again after a boot; one that was asked for and does not run is named."""
    with Lab(document=SUBNET) as lab:
        apply(lab)
        lab.plan_is_empty()
        lab.fabric("--lab", "verify", expect=0)
        has_lines(shown(lab, "show configuration"), "ib sm", "ib sm sm-priority 9", "ib sm virt enable", "ib partition storage pkey 0x0012 force")
        assert "priority 9 state 3 SMINFO_MASTER" in lab.ssh("s1", "sminfo").stdout, lab.ssh("s1", "sminfo").stdout
        assert "0x8012" in lab.ssh("s2", "cat /sys/class/infiniband/*/ports/1/pkeys/*").stdout
        assert "0x8012" not in lab.ssh("s3", "cat /sys/class/infiniband/*/ports/1/pkeys/*").stdout
        everything_boots(lab, "s1", "s2", "s3")
        # Its prompt is there before its manager is.
        until("the manager does not come back", lambda: shown(lab, "show ib sm").startswith("enable"))
        lab.plan_is_empty()
        lab.fabric("--lab", "verify", expect=0)
        # Somebody stops it, and nobody saves that: it is started again. Members by hand go.
        configured(lab, "no ib sm", "ib partition storage member ALL type limited force")
        said = lab.fabric("--lab", "plan", "--detailed-exitcode", expect=2).stdout
        assert "manages" in said and "partitions" in said, said
        apply(lab)
        lab.plan_is_empty()
        assert "GUID='ALL' member='limited'" not in shown(lab, "show ib partition")


PAIR = """\
apiVersion: fabric/v1
name: pair
nodes:
  s[1-4]: {network_backend: networkd, adapters: {cx5: {model: connectx-5-en}}}
  s5: {network_backend: networkd, adapters: {cx5: {model: connectx-5-en}}}
  leaf1: {platform: mlnx-os, mlag: {domain: rack7, peer: leaf2, ipl: ["1/31", "1/32"], vip: 192.0.2.82/24}}
  leaf2: {platform: mlnx-os, mlag: {domain: rack7, peer: leaf1, ipl: ["1/31", "1/32"], vip: 192.0.2.82/24}}
networks:
  storage:
    mode: lag
    mtu: 9000
    ipv4: {subnet: 10.30.0.0/24}
    lag: {bond: bond0, policy: 802.3ad, port_channel: lacp}
    vlans: {backup: {id: 100, ipv4: {subnet: 10.31.0.0/24}}}
    cables: [["s[1-4]/cx5/1", "leaf1/1/[1-4]"], ["s[1-4]/cx5/2", "leaf2/1/[1-4]"]]
  single:
    mode: lag
    mtu: 9000
    ipv4: {subnet: 10.32.0.0/24}
    lag: {bond: bond0, policy: active-backup}
    vlans: {backup: {id: 200, ipv4: {subnet: 10.33.0.0/24}}}
    cables: [["s5/cx5/1", "leaf1/1/7"], ["s5/cx5/2", "leaf1/1/8"]]
"""


def onyx_pair():
    """Four bonds over a pair of switches with a VLAN: one number and one partner at both, tags carried where the document has them, all of it after a boot; a cable in a wrong port is seen from the switch too."""
    with Lab(document=PAIR) as lab:
        allowed = ("--allow-no-rollback", "leaf[1-2]")
        lab.fabric("--lab", "apply", "--auto-approve", *allowed, expect=0)
        lab.plan_is_empty()
        lab.fabric("--lab", "verify", expect=0)
        for switch, address in (("leaf1", "192.168.255.253"), ("leaf2", "192.168.255.254")):
            has_lines(shown(lab, "show configuration", switch), "protocol mlag", "no mlag shutdown", "interface port-channel 31 ipl 1",
                      f"interface vlan 4000 ip address {address} 255.255.255.252", "interface ethernet 1/2 mlag-channel-group 2 mode active",
                      "interface mlag-port-channel 1 no shutdown", "interface mlag-port-channel 1 switchport hybrid allowed-vlan add 100")
        has_lines(shown(lab, "show configuration"), "vlan 200", "interface ethernet 1/7 switchport hybrid allowed-vlan add 200")
        for host in ("s1", "s2", "s3", "s4"):
            assert "Number of ports: 2" in proc_bond(lab, host), proc_bond(lab, host)
        everything_boots(lab, "s1", "s2", "s3", "s4", "s5", switches=("leaf1", "leaf2"))
        lab.plan_is_empty()
        lab.fabric("--lab", "verify", expect=0)
        lab.fabric("lab", "recable", "s1/cx5/1", "leaf1/1/20", expect=0)
        lab.verify_says("leaf1/1/20")


def onyx_other_end_differs():
    """Whatever somebody types at the switch of a bond is one finding that names both ends: static in place of LACP, a smaller MTU, a port in another channel, another hash, a configuration that is not saved. What is none of the document holds the save back."""
    with Lab(document=ONE_SWITCH) as lab:
        apply(lab)
        lab.fabric("--lab", "verify", expect=0)
        for lines, says in (
                (("no interface ethernet 1/2 channel-group", "no interface ethernet 1/1 channel-group", "interface ethernet 1/1 channel-group 1 mode on",
                  "interface ethernet 1/2 channel-group 1 mode on"), "mode static, not lacp"),
                (("interface port-channel 1 mtu 1500 force",), "MTU 1500, not 9000"),
                (("no interface ethernet 1/2 channel-group", "interface ethernet 1/2 channel-group 3 mode active"), "members 1/1, not 1/1, 1/2")):
            configured(lab, *lines)
            said = " ".join(lab.fabric("--lab", "verify", expect=13).stdout.split())
            assert f"error[bond-peer-differs]: bond0 of s1 and ports 1/1, 1/2 of leaf1 do not match: {says}" in said, said
            assert said.count("bond0 of s1 and ports") == 1, said
            apply(lab)
            lab.fabric("--lab", "verify", expect=0)
        # One end of the host speaks no LACP: the switch leaves the port out.
        lab.ssh("s1", "ip link set enp1s0f1np1 down; ip link set enp1s0f1np1 nomaster; ip link set enp1s0f1np1 up")
        said = " ".join(lab.fabric("--lab", "verify", expect=13).stdout.split())
        assert "bond0 of s1 and ports 1/1, 1/2 of leaf1 do not match: port 1/2 is individual (no LACP is heard there)" in said, said
        apply(lab)
        lab.fabric("--lab", "verify", expect=0)
        # For all channels of the switch, and no frame is lost by it.
        configured(lab, "port-channel load-balance ethernet source-destination-mac", "configuration write")
        said = " ".join(lab.fabric("--lab", "verify", expect=0).stdout.split())
        assert ("warning[bond-peer-differs]: bond0 of s1 and ports 1/1, 1/2 of leaf1 do not match: the switch spreads frames by source-destination-mac, "
                "the bond by layer3+4") in said, said
        configured(lab, "port-channel load-balance ethernet source-destination-ip source-destination-port l2-protocol", "configuration write")
        said = lab.fabric("--lab", "verify", expect=0).stdout
        assert "bond-peer-differs" not in said, said
        # As it should be, and not saved.
        configured(lab, "interface port-channel 1 mtu 1500 force", "configuration write", "interface port-channel 1 mtu 9000 force")
        said = " ".join(lab.fabric("--lab", "verify", expect=0).stdout.split())
        assert "warning[bond-peer-differs]: bond0 of s1 and ports 1/1, 1/2 of leaf1 do not match: the running configuration is not saved" in said, said
        # Somebody else is at work there.
        configured(lab, "interface ethernet 1/20 mtu 9216 force")
        saved = shown(lab, "show configuration")
        refused = apply(lab, expect=3)
        said = " ".join((refused.stdout + refused.stderr).split())
        assert "save-withheld" in said and "interface ethernet 1/20 mtu 9216 force" in said, said
        assert shown(lab, "show configuration") == saved
        configured(lab, "no interface ethernet 1/20 mtu")
        apply(lab)
        lab.plan_is_empty()
        # Where there is nothing to save it is a finding alone.
        configured(lab, "interface ethernet 1/20 mtu 9216 force")
        done = lab.fabric("--lab", "plan", "--detailed-exitcode", expect=0)
        assert "switch-not-saved" in done.stdout + done.stderr, done
