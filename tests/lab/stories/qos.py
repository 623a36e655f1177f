# SPDX-License-Identifier: Apache-2.0
"""Lossless RoCE at hosts and switches: set, kept over boots, taken away, compared at both ends."""
from documents import HOOKS
from lab import Lab

ONE_PORT = """\
apiVersion: fabric/v1
name: lossless
nodes:
  s1: {adapters: {cx5: {model: connectx-5-en}}}
  s2: {software: {stack: mlnx_ofed}, adapters: {cx5: {model: connectx-5-en}}}
networks:
  data:
    mode: ethernet
    ipv4: {subnet: 10.30.0.0/24}
    qos: {lossless: [3], dscp: {roce: 26, cnp: 48}}
    cables: [[s1/1, s2/1]]
"""
SWITCHES = """\
apiVersion: fabric/v1
name: lossless
nodes:
  s[1-4]: {network_backend: networkd, packages: [perftest], adapters: {cx5: {model: connectx-5-en}}}
  t[1-4]: {network_backend: networkd, adapters: {cx5: {model: connectx-5-en}}}
  leaf1: {platform: cumulus}
  leaf2: {platform: mlnx-os}
networks:
  left:
    mode: ethernet
    ipv4: {subnet: 10.30.0.0/24, per: port}
    qos: {}
    cables: [["s[1-4]/1", "leaf1/swp[1-4]"], ["s[1-4]/2", "leaf1/swp[5-8]"]]
  right:
    mode: ethernet
    ipv4: {subnet: 10.31.0.0/24, per: port}
    qos: {}
    cables: [["t[1-4]/1", "leaf2/1/[1-4]"], ["t[1-4]/2", "leaf2/1/[5-8]"]]
"""
ALLOWED = ("--allow-no-rollback", "leaf2")


def interface(lab, node, port="1"):
    for name in lab.ssh(node, "ls /sys/class/net").stdout.split():
        if lab.ssh(node, f"cat /sys/class/net/{name}/phys_port_name").stdout.strip() == f"p{int(port) - 1}":
            return name
    raise AssertionError(f"{node} has no port {port}")


def qos_of_hosts():
    """Two hosts, one with the vendor's drivers: all parts are in force now and after a boot, a change by somebody is found, and all of it goes with the key."""
    with Lab(document=ONE_PORT) as lab:
        said = lab.fabric("--lab", "plan", expect=0).stdout
        assert "[], file absent -> [3]" in said and "pcp, file absent -> dscp" in said and "0 reboots" in said, said
        lab.apply()
        names = {node: interface(lab, node) for node in ("s1", "s2")}
        for _ in range(2):
            lab.plan_is_empty()
            assert "3:on" in lab.ssh("s1", f"dcb pfc show dev {names['s1']}").stdout
            assert "dscp-prio AF31:3 CS6:6" in lab.ssh("s1", f"dcb app show dev {names['s1']}").stdout
            shown = lab.ssh("s2", f"mlnx_qos -i {names['s2']}").stdout
            assert "Priority trust state: dscp" in shown and "enabled     0   0   0   1   0" in shown, shown
            assert lab.ssh("s2", f"cat /sys/class/net/{names['s2']}/ecn/roce_np/enable/3").stdout == "1\n"
            for node in names:
                assert lab.ssh(node, "cat /sys/kernel/config/rdma_cm/*/ports/1/default_roce_tos").stdout == "106\n"
            lab.reboot("s1")
            lab.reboot("s2")
        # Each part by itself.
        lab.ssh("s2", f"echo 0 >/sys/class/net/{names['s2']}/ecn/roce_rp/enable/3; mlnx_qos -i {names['s2']} --pfc 0,0,0,0,0,0,0,0")
        lab.ssh("s1", f"dcb app flush dev {names['s1']} dscp-prio")
        said = " ".join(lab.fabric("--lab", "verify", expect=13).stdout.split())
        for text in ("s1/cx5/1 is not lossless as the document says: trust is pcp instead of dscp (s2/cx5/1 at the other end: dscp)",
                     "PFC is none instead of 3", "ECN is off in part, at priority 3 instead of on"):
            assert text in said, f"{text!r} is not in:\n{said}"
        lab.apply()
        lab.plan_is_empty()
        lab.fabric("--lab", "verify", expect=0)
        (lab.path / "fabric.yaml").write_text(ONE_PORT.replace("    qos: {lossless: [3], dscp: {roce: 26, cnp: 48}}\n", ""))
        lab.apply()
        lab.plan_is_empty()
        assert "3:off" in lab.ssh("s1", f"dcb pfc show dev {names['s1']}").stdout
        assert "trust state: pcp" in lab.ssh("s2", f"mlnx_qos -i {names['s2']}").stdout
        assert "qos" not in lab.ssh("s1", "find /etc/fabric /etc/systemd/system /etc/udev/rules.d").stdout


def qos_of_switches():
    """Hosts at a Cumulus and at an Onyx switch: one apply, all boot, nothing is left to do; one port of sixteen that trusts otherwise is named, and so is a switch."""
    with Lab(document=SWITCHES) as lab:
        lab.fabric("--lab", "apply", "--auto-approve", *ALLOWED, expect=0)
        lab.fabric("--lab", "plan", "--detailed-exitcode", expect=0)
        assert "nv set qos roce mode lossless" in lab.ssh("leaf1", "nv config show -r applied -o commands").stdout
        assert "RoCE mode : lossless" in lab.at_prompt("leaf2", "enable", "show roce", "exit")
        said = lab.fabric("--lab", "verify", expect=0).stdout
        assert "lossless as the document says at 18 of 18 ports and switches" in said, said
        for node in ("leaf1", "s1", "s2", "s3", "s4", "t1", "t2", "t3", "t4"):
            lab.reboot(node)
        lab.at_prompt("leaf2", "enable", "reload noconfirm")
        lab.wait_until_up("leaf2")
        lab.fabric("--lab", "plan", "--detailed-exitcode", expect=0)
        lab.fabric("--lab", "verify", expect=0)
        name = interface(lab, "t3", "2")
        lab.ssh("t3", f"dcb app flush dev {name} dscp-prio")
        said = " ".join(lab.fabric("--lab", "verify", expect=13).stdout.split())
        assert "at 17 of 18 ports and switches t3/cx5/2" in said, said
        assert "error[qos-differs]: t3/cx5/2 is not lossless as the document says: trust is pcp instead of dscp (leaf2 at the other end: dscp)" in said, said
        assert said.count("qos-differs") == 1, said
        said = lab.fabric("--lab", "plan", expect=0).stdout
        assert "t3\n  ~  qos/cx5.2\n" in said and "wave 1: t3 (qos.set, health.check)" in said, said
        lab.ssh("leaf1", "nv set qos roce mode lossy; nv config apply -y; nv config save")
        said = " ".join(lab.fabric("--lab", "verify", expect=13).stdout.split())
        assert "leaf1 is not lossless as the document says: mode is lossy instead of lossless" in said, said
        lab.fabric("--lab", "apply", "--auto-approve", *ALLOWED, expect=0)
        lab.fabric("--lab", "plan", "--detailed-exitcode", expect=0)
        lab.fabric("--lab", "verify", expect=0)
        # Who asks for nothing is told once that it is lossy, and nothing fails.
        (lab.path / "fabric.yaml").write_text(SWITCHES.replace("    qos: {}\n", "", 1))
        said = lab.fabric("--lab", "verify", "--level", "rdma").stdout
        assert said.count("info[roce-lossy]") == 1 and "network left has RDMA" in " ".join(said.split()), said


FOUR = """\
apiVersion: fabric/v1
name: lossless
nodes:
  s[1-4]: {adapters: {cx5: {model: connectx-5-en}}}
  leaf1: {platform: unmanaged}
networks:
  data:
    mode: ethernet
    ipv4: {subnet: 10.30.0.0/24}
%s    cables: [["s[1-4]/1", "leaf1/[1-4]"]]
"""


def qos_in_waves():
    """Lossless RoCE is seen by traffic: one host a wave, drained before and released after, also where it goes again."""
    with Lab(document=FOUR % "" + HOOKS) as lab:
        lab.apply()
        for qos in ("    qos: {}\n", ""):
            (lab.path / "hooks.log").unlink(missing_ok=True)
            (lab.path / "fabric.yaml").write_text(FOUR % qos + HOOKS)
            said = " ".join(lab.fabric("--lab", "plan", expect=0).stdout.split())
            assert "waves 1-4: s[1-4], 1 node a wave" in said and "touches no traffic" not in said and "0 link flaps" in said, said
            lab.apply()
            lab.plan_is_empty()
            hooks = (lab.path / "hooks.log").read_text().splitlines()
            assert hooks == [line for host in "1234" for line in (f"s{host} before", f"s{host} after succeeded")], hooks


def qos_goes_at_switches():
    """Where files of ours make hosts lossless no more, their switches are not either, and come first; a switch that a person made lossless stays."""
    with Lab(document=SWITCHES) as lab:
        lab.fabric("--lab", "apply", "--auto-approve", *ALLOWED, expect=0)
        (lab.path / "fabric.yaml").write_text(SWITCHES.replace("    qos: {}\n", "", 1))
        lab.fabric("--lab", "apply", "--auto-approve", *ALLOWED, expect=0)
        assert "qos roce" not in lab.ssh("leaf1", "nv config show -r startup -o commands").stdout
        assert "RoCE mode : lossless" in lab.at_prompt("leaf2", "enable", "show roce", "exit")
        lab.fabric("--lab", "plan", "--detailed-exitcode", expect=0)
        (lab.path / "fabric.yaml").write_text(SWITCHES.replace("    qos: {}\n", ""))
        said = " ".join(lab.fabric("--lab", "plan", expect=0).stdout.split())
        assert "leaf2 - qos/roce" in said and "wave 1: leaf2 (onyx.configure" in said and "waves 2-5: t[1-4]" in said, said
        lab.fabric("--lab", "apply", "--auto-approve", *ALLOWED, expect=0)
        assert "lossless" not in lab.at_prompt("leaf2", "enable", "show roce", "show configuration", "exit")
        lab.fabric("--lab", "plan", "--detailed-exitcode", expect=0)
        lab.ssh("leaf1", "nv set qos roce mode lossless; nv config apply -y; nv config save")
        lab.fabric("--lab", "plan", "--detailed-exitcode", expect=0)
