# SPDX-License-Identifier: Apache-2.0
"""Switches with NVUE: Cumulus Linux and NVOS, hosts and switches in one plan."""
import json
import signal
import subprocess

from documents import RAILS, example, rollout
from lab import Lab, binary, until

ONE_SWITCH = """\
apiVersion: fabric/v1
name: one-switch
nodes:
  s[1-2]: {network_backend: networkd, adapters: {cx5: {model: connectx-5-en}}}
  leaf1: {platform: cumulus}
networks:
  storage:
    mode: lag
    mtu: 9000
    ipv4: {subnet: 10.30.0.0/24}
    lag: {bond: bond0, policy: 802.3ad}
    cables: [["s[1-2]/1", "leaf1/swp[1,3]"], ["s[1-2]/2", "leaf1/[2,4]"]]
"""
SHARED = """\
apiVersion: fabric/v1
name: shared
nodes:
  s[1-2]: {network_backend: networkd, adapters: {cx5: {model: connectx-5-en}}}
  leaf[1-2]: {platform: cumulus, mlag: {by: evpn}}
networks:
  storage:
    mode: lag
    mtu: 9000
    ipv4: {subnet: 10.30.0.0/24}
    lag: {bond: bond0, policy: 802.3ad}
    cables: [["s[1-2]/1", "leaf1/swp[1-2]"], ["s[1-2]/2", "leaf2/swp[3-4]"]]
"""
ROUTED = """\
apiVersion: fabric/v1
name: routed
profiles: {rails: {adapters: {"rail[0-1]": {model: connectx-7-en, ports: 1, pci: "0000:0[1-2]:00.0"}}}}
nodes:
  s1: {profiles: [rails], network_backend: networkd}
  s2: {profiles: [rails], network_backend: ifupdown}
  s3: {profiles: [rails], network_backend: netplan}
  s4: {profiles: [rails], network_backend: networkmanager}
  leaf1: {platform: cumulus}
networks:
  rail0: {mode: ethernet, mtu: 9000, ipv4: {per: cable, subnet: 10.50.0.0/24}, cables: [["s[1-4]/rail0/1", "leaf1/[1-4]"]]}
  rail1:
    mode: ethernet
    mtu: 9000
    ipv4: {per: cable, subnet: 10.51.0.0/24, addresses: {"s[1-4]/rail1/1": "10.51.0.[1,3,5,7]", "leaf1/[5-8]": "10.51.0.[0,2,4,6]"}}
    cables: [["s[1-4]/rail1/1", "leaf1/[5-8]"]]
"""
SUBNET = """\
apiVersion: fabric/v1
name: subnet
nodes:
  s[1-3]: {network_backend: networkd, packages: [opensm], adapters: {cx6: {model: connectx-6-vpi}}}
  ibsw1: {platform: nvos, os: {release: nvos-25.02}}
networks:
  ib:
    mode: infiniband
    mtu: 2048
    subnet_managers: [{node: %s, priority: 5}]
    ipoib: {ipv4: {subnet: 10.40.0.0/24}}
    cables: [["s[1-3]/1", "ibsw1/sw[1-3]p1"]]
"""


def applied(lab, switch):
    return lab.ssh(switch, "nv config show -r applied -o commands").stdout


def roce_lag_cumulus():
    """The example as it stands: switches and hosts in one plan, LACP over an MLAG pair; all of it is there after everything has booted."""
    with Lab(document=example("roce-lag-cumulus")) as lab:
        # sudo takes the variables of the session away, and its way is known all the same.
        said = lab.fabric("--lab", "plan", expect=0)
        assert "session" not in said.stdout + said.stderr, said.stdout + said.stderr
        done = lab.fabric("--lab", "rehearse", "--seeds", "2", expect=0)
        assert "nothing was left out" in done.stdout, done.stdout
        lab.apply()
        lab.plan_is_empty()
        lab.fabric("--lab", "verify", expect=0)
        leaf1, leaf2 = applied(lab, "leaf1"), applied(lab, "leaf2")
        for line in ("nv set interface bond5 bond mode static", "nv set interface bond9 bond member swp9", "nv set interface bond9 bond mlag id 9",
                     "nv set bridge domain br_default vlan 100", "nv set interface swp1 bridge domain br_default"):
            assert line in leaf1, f"{line!r} is not in:\n{leaf1}"
        for line in ("nv set interface bond10 bond mlag id 10", "nv set interface peerlink bond member swp50"):
            assert line in leaf2, f"{line!r} is not in:\n{leaf2}"
        assert "bond5" not in leaf2, leaf2
        # One partner at both switches.
        bond = lab.ssh("s5", "cat /proc/net/bonding/bond0").stdout
        assert "Number of ports: 2" in bond, bond
        for node in ("leaf1", "leaf2", "s1", "s3", "s5", "s6"):
            lab.reboot(node)
        lab.plan_is_empty()
        lab.fabric("--lab", "verify", expect=0)
        # Cables are seen from the end of the switch too.
        lab.fabric("lab", "recable", "s5/cx5/1", "leaf1/20", expect=0)
        lab.verify_says("leaf1/20")


def nvue_bonds_shared_by_evpn():
    """Two leaves without a link between them share the bonds of two hosts by EVPN multihoming: one id and address for each bond at both, one partner at the host, never both leaves at once; all of it is there after everything has booted, and one that a person renumbers is put right."""
    with Lab(document=SHARED) as lab:
        lab.fabric("--lab", "plan", "--out", "shared.plan", expect=0)
        plan = json.loads((lab.path / "shared.plan").read_text())
        wave_of = {node: wave["number"] for wave in plan["waves"] for node in wave["nodes"]}
        assert wave_of["leaf1"] != wave_of["leaf2"], plan["waves"]
        lab.apply()
        lab.plan_is_empty()
        lab.fabric("--lab", "verify", expect=0)

        def segments(leaf):
            lines = [line for line in applied(lab, leaf).splitlines() if "multihoming" in line]
            assert "nv set evpn multihoming enable on" in lines and "mlag" not in applied(lab, leaf), applied(lab, leaf)
            return sorted(line.split(" segment ")[1] for line in lines if " segment " in line)
        assert segments("leaf1") == segments("leaf2") and "local-id 2" in segments("leaf1"), (segments("leaf1"), segments("leaf2"))
        for node in ("s1", "leaf1", "leaf2"):
            lab.reboot(node)
        bond = lab.ssh("s1", "cat /proc/net/bonding/bond0").stdout
        assert "Number of ports: 2" in bond, bond
        lab.plan_is_empty()
        lab.fabric("--lab", "verify", expect=0)
        lab.ssh("leaf2", "nv set interface bond4 evpn multihoming segment local-id 9; nv config apply -y")
        said = lab.fabric("--lab", "plan", expect=0).stdout
        assert "segment  9 -> 2" in said, said
        lab.apply()
        lab.plan_is_empty()


def nvue_rails_at_one_leaf():
    """Two rails at one leaf are a VLAN each there, which the hosts know nothing of; a port in a VLAN of somebody else's is found by its pings and put right; all of it is there after everything has booted."""
    with Lab(document=RAILS % "cumulus") as lab:
        lab.ssh("leaf1", "nv set bridge domain br_default vlan 40; nv set interface swp1 bridge domain br_default access 40; nv config apply -y")
        said = lab.fabric("--lab", "plan", expect=0).stdout
        assert "access_vlan  40 -> 10" in said and "untagged-vlans-differ" not in said, said
        lab.apply()
        lab.plan_is_empty()
        lab.fabric("--lab", "verify", expect=0)
        domain = " bridge domain br_default "
        for line in ("swp1" + domain + "access 10", "swp2" + domain + "access 10", "swp3" + domain + "untagged 20"):
            assert "nv set interface " + line in applied(lab, "leaf1"), applied(lab, "leaf1")
        for node in ("s1", "leaf1"):
            lab.reboot(node)
        lab.plan_is_empty()
        lab.ssh("leaf1", "nv set interface swp2 bridge domain br_default access 20; nv config apply -y")
        lab.verify_says("s1/cx6/1 -> s2/cx6/1")
        lab.verify_says("switch-vlan-differs", "leaf1/interface/2")
        lab.apply()
        # All pings pass in the wrong VLAN.
        lab.ssh("leaf1", "nv set bridge domain br_default vlan 11; nv set interface swp1 bridge domain br_default access 11;"
                         " nv set interface swp2 bridge domain br_default access 11; nv config apply -y")
        lab.verify_says("switch-vlan-differs", "leaf1/interface/1")
        lab.apply()
        lab.plan_is_empty()
        lab.fabric("--lab", "verify", expect=0)


def nvue_routed_rails():
    """Each cable of a rail is a subnet of its own, and the leaf routes between them: every host reaches the others by that rail, also after everything has booted; an address that somebody changed is put right, and a port that was in a bridge leaves it."""
    with Lab(document=ROUTED) as lab:
        lab.ssh("leaf1", "nv set interface swp1 bridge domain br_default; nv config apply -y")
        lab.apply()
        lab.plan_is_empty()
        lab.fabric("--lab", "verify", expect=0)
        config = applied(lab, "leaf1")
        assert "nv set interface swp1 ip address 10.50.0.1/31" in config and "swp1 bridge" not in config, config
        assert "nv set interface swp8 ip address 10.51.0.6/31" in config, config
        for node in ("s1", "s2", "s3", "s4", "leaf1"):
            lab.reboot(node)
        lab.plan_is_empty()
        lab.fabric("--lab", "verify", expect=0)
        rules = lab.ssh("s1", "ip rule show; ip route show").stdout
        assert "from 10.50.0.0 lookup 4501" in rules and "10.50.0.0/24 via 10.50.0.1" in rules, rules
        lab.ssh("leaf1", "nv unset interface swp2 ip address 10.50.0.3/31; nv set interface swp2 ip address 10.50.9.3/31; nv config apply -y")
        lab.verify_says("s2/rail0/1")
        lab.apply()
        lab.plan_is_empty()
        lab.fabric("--lab", "verify", expect=0)


def nvue_rails_bridged_again():
    """A rail of subnets per cable becomes one subnet again, or leaves the document: the addresses that have fabric's mark go from the switch; a person's are left, and named where they are in the way."""
    document = ROUTED.replace("s[1-4]", "s[1-2]").replace("leaf1/[1-4]", "leaf1/[1-2]").replace("leaf1/[5-8]", "leaf1/[5-6]").replace(
        "[1,3,5,7]", "[1,3]").replace("[0,2,4,6]", "[0,2]").replace("""
  s3: {profiles: [rails], network_backend: netplan}
  s4: {profiles: [rails], network_backend: networkmanager}""", "")
    with Lab(document=document) as lab:
        lab.ssh("leaf1", "nv set interface swp2 description 'to s2'; nv set interface swp9 ip address 10.60.0.0/31; nv config apply -y; nv config save")
        lab.apply()
        lab.plan_is_empty()
        assert "nv set interface swp1 description fabric:routed" in applied(lab, "leaf1"), applied(lab, "leaf1")
        (lab.path / "fabric.yaml").write_text(document.replace("{per: cable, subnet: 10.50.0.0/24}", "{subnet: 10.50.0.0/24}"))
        said = lab.fabric("--lab", "plan")
        assert "unset the address" in said.stdout + said.stderr and "leaf1/interface/2" in said.stdout + said.stderr, said.stdout + said.stderr
        lab.ssh("leaf1", "nv unset interface swp2 ip; nv config apply -y; nv config save")
        lab.apply()
        lab.plan_is_empty()
        lab.fabric("--lab", "verify", expect=0)
        left = applied(lab, "leaf1")
        assert "swp1 ip address 1" not in left and "swp1 description" not in left and "swp1 bridge domain" in left, left
        for line in ("swp2 description", "swp5 ip address 10.51.0.0/31", "swp9 ip address 10.60.0.0/31"):
            assert "nv set interface " + line in left, left
        # Both rails go.
        (lab.path / "fabric.yaml").write_text(document.split("networks:")[0])
        lab.apply()
        lab.plan_is_empty()
        assert "10.51" not in applied(lab, "leaf1") and "fabric:" not in applied(lab, "leaf1"), applied(lab, "leaf1")
        assert "10.60.0.0/31" in applied(lab, "leaf1"), applied(lab, "leaf1")


def nvue_bond_goes():
    """A bond that fabric made has its mark and goes with the cables of its host, and comes back where that can't be confirmed; one that a person made, or another document, stays."""
    without_s2 = ONE_SWITCH.replace("s[1-2]: {", "s1: {").replace('"s[1-2]/1", "leaf1/swp[1,3]"', '"s1/1", "leaf1/swp1"').replace(
        '"s[1-2]/2", "leaf1/[2,4]"', '"s1/2", "leaf1/2"')
    with Lab(document=ONE_SWITCH) as lab:
        lab.ssh("leaf1", "nv set interface bond20 bond member swp20; nv set interface bond21 bond member swp21; "
                         "nv set interface bond21 description fabric:another; nv config apply -y; nv config save")
        lab.apply()
        for line in ("nv set interface bond1 description fabric:one-switch", "nv set interface bond3 description fabric:one-switch"):
            assert line in applied(lab, "leaf1"), applied(lab, "leaf1")
        (lab.path / "fabric.yaml").write_text(without_s2)
        said = lab.fabric("--lab", "plan", expect=0).stdout
        assert "1 to remove" in said and "bond/bond3" in said, said
        lab.apply()
        left = applied(lab, "leaf1")
        assert "bond3" not in left and "bond1 bond member swp2" in left and "bond20 bond member swp20" in left and "bond21 bond member swp21" in left, left
        lab.plan_is_empty()


def nvue_change_rolled_back():
    """A run that is killed before it confirms: the switch itself rolls back, and the next run goes on."""
    # Long enough to look at what waits, also on a slow machine.
    with Lab(document=rollout(ONE_SWITCH, "confirm_timeout: 30s")) as lab:
        before = applied(lab, "leaf1")
        run = subprocess.Popen([binary, "--lab", "apply", "--auto-approve"], cwd=lab.path, stdin=subprocess.DEVNULL,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        until("no revision ever waited to be confirmed", lambda: " confirm " in lab.ssh("leaf1", "nv config revision").stdout, run)
        run.send_signal(signal.SIGKILL)
        run.wait()
        assert applied(lab, "leaf1") != before
        until("nothing is rolled back", lambda: applied(lab, "leaf1") == before)
        assert " confirm " not in lab.ssh("leaf1", "nv config revision").stdout
        (lab.path / "fabric.yaml").write_text(ONE_SWITCH)
        lab.apply()
        lab.plan_is_empty()
        left = lab.ssh("leaf1", "ls /var/lib/fabric/guard").stdout
        assert not left.strip(), left
        lab.fabric("--lab", "verify", expect=0)


def nvue_change_refused():
    """A change that is not in force afterwards is rolled back; what others have begun, or wait for, is left alone."""
    with Lab(document=ONE_SWITCH) as lab:
        # Somebody has begun something.
        assert "created" in lab.ssh("leaf1", "nv set interface swp30 link mtu 1600").stdout
        lab.apply()
        lab.plan_is_empty()
        assert "swp30" not in applied(lab, "leaf1")
        states = [row["state"] for row in json.loads(lab.ssh("leaf1", "nv config revision -o json").stdout).values()]
        assert "detached" in states and "pending" not in states and "confirm" not in states, states
        # The lies of the switch: silence, and what it says of what it does not know.
        for words, answer in (("show interfaces", "Error: Invalid Command: show interfaces"), ("set interface swp1 link mtu big", "Error: 'big' is not an integer"),
                              ("set interface swp1 link mtu 20000", "Error: Valid range is"), ("frobnicate", "Error: Invalid Command: frobnicate"),
                              ("set interface swp1 link", "")):
            said = lab.ssh("leaf1", "nv " + words)
            assert said.stderr.startswith(answer) and (not answer or said.returncode == 1), said
        lab.ssh("leaf1", "nv config detach")
        assert lab.ssh("leaf1", "nv config apply -y").stdout == "config apply executed with no config diff\n"
        # A host name is asked about; nobody answers.
        lab.ssh("leaf1", "nv set system hostname other")
        said = lab.ssh("leaf1", "nv config apply")
        assert said.returncode == 1 and "Are you sure? [y/N]" in said.stdout, said
        lab.ssh("leaf1", "nv config detach")
        # A revision of somebody else that waits stands in the way, and is named.
        lab.ssh("leaf1", "nv set interface bond1 link mtu 1500; nv config apply -y --confirm 3600s")
        done = lab.fabric("--lab", "apply", "--auto-approve")
        assert done.returncode != 0 and "another login" in done.stdout + done.stderr, done.stdout + done.stderr
        assert "mtu 1500" in applied(lab, "leaf1")


def nvos_subnet():
    """Hosts on an InfiniBand switch: its ports are set and saved, a host manages the subnet, and a manager at the switch is refused with the reason."""
    with Lab(document=SUBNET % "s1") as lab:
        lab.apply()
        lab.plan_is_empty()
        assert "nv set interface sw2p1 link mtu 2048" in applied(lab, "ibsw1"), applied(lab, "ibsw1")
        lab.reboot("ibsw1")
        lab.plan_is_empty()
        ports = {port["name"]: port for port in json.loads(lab.fabric("--lab", "discover", expect=0).stdout)["nodes"]["ibsw1"]["inventory"]["ports"]}
        assert ports["sw1p1"]["logical_state"] == "Active" and ports["sw9p1"]["diagnostics"] == {"1024": "Cable is unplugged"}, ports["sw9p1"]
        (lab.path / "fabric.yaml").write_text(SUBNET % "ibsw1")
        said = " ".join(lab.fabric("--lab", "plan", expect=3).stderr.split())
        assert "this release of NVOS has no subnet manager" in said and "fabric.yaml:" in said, said


def nvos_managers_on_two_hosts():
    """The example as it stands: hosts on an NVOS switch with their manager on two of them: both run, one is the master, the two are never down together, and all of it is there after everything has booted."""
    with Lab(document=example("nvos-subnet")) as lab:
        lab.fabric("--lab", "plan", "--out", "subnet.plan", expect=0)
        plan = json.loads((lab.path / "subnet.plan").read_text())
        wave_of = {node: wave["number"] for wave in plan["waves"] for node in wave["nodes"]}
        assert wave_of["s1"] != wave_of["s2"], plan["waves"]
        lab.fabric("--lab", "apply", "--auto-approve", "subnet.plan", expect=0)
        lab.plan_is_empty()
        lab.fabric("--lab", "verify", expect=0)
        for again in (False, True):
            if again:
                for node in ("ibsw1", "s1", "s2", "s3"):
                    lab.reboot(node)
                lab.plan_is_empty()
                lab.fabric("--lab", "verify", expect=0)
            assert "priority 9 state 3 SMINFO_MASTER" in lab.ssh("s3", "sminfo").stdout, lab.ssh("s3", "sminfo").stdout
            for node in ("s1", "s2"):
                keys = lab.ssh(node, "cat /sys/class/infiniband/*/ports/1/pkeys/*").stdout
                assert "0x8012" in keys, (node, keys)
            assert "0x8012" not in lab.ssh("s3", "cat /sys/class/infiniband/*/ports/1/pkeys/*").stdout
        lab.monitor_is_clean(reboots=lab.status()["monitor"]["reboots"])
        # The other takes over.
        lab.fabric("lab", "fault", "s1", "no-boot", expect=0)
        lab.ssh("s1", "systemctl reboot")
        until("nobody takes over", lambda: "priority 5" in lab.ssh("s3", "sminfo").stdout)
        assert "priority 5 state 3 SMINFO_MASTER" in lab.ssh("s3", "sminfo").stdout, lab.ssh("s3", "sminfo").stdout
