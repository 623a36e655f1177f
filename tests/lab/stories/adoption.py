# SPDX-License-Identifier: Apache-2.0
"""What somebody else configured: taken over, given back, and taken again."""
import contextlib
import json
import subprocess

from documents import BACKUP, BOND_WITH_VLAN, IFCFG, STORAGE, hasty
from lab import PATIENCE, Lab, binary, until
from steps import after_a_boot, no_guard_is_left


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
    "netplan": ("/etc/netplan/60-theirs.yaml", "network:\n  version: 2\n  ethernets:\n    enp1s0f0np0:\n      addresses: [10.99.0.1/24]\n"),
    "networkmanager": ("/etc/NetworkManager/system-connections/theirs.nmconnection", "[connection]\nid=theirs\ntype=ethernet\n"
                       "interface-name=enp1s0f0np0\n[ipv4]\naddress1=10.99.0.1/24\nmethod=manual\n"),
}


def given_back_and_taken_again(backend, last):
    path, foreign = FOREIGN[backend]
    document = (IFCFG % "adopt: true, ").replace("network_backend: ifcfg", f"network_backend: {backend}")

    def found(lab):
        return lab.ssh("n1", f"cat {path}; ip -o addr show dev enp1s0f0np0; ls -A /var/lib/fabric/adopted").stdout

    with Lab(document=document + STORAGE) as lab:
        lab.ssh("n1", f"umask 077; printf '{foreign}' >{path}")
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
    """A removal that is rolled back takes over again what it had given back: RHEL's network scripts, at our own path."""
    given_back_and_taken_again("ifcfg", "ifup")


def given_back_and_taken_again_ifupdown():
    """A removal that is rolled back takes over again what it had given back: a stanza of ifupdown that was commented out."""
    given_back_and_taken_again("ifupdown", "exec ifup")


def given_back_and_taken_again_networkd():
    """A removal that is rolled back takes over again what it had given back: a whole file of networkd."""
    given_back_and_taken_again("networkd", "networkctl reconfigure")


def given_back_and_broken():
    """What is given back and does not come up is no removal that was done: it is said, and ours stays."""
    path, foreign = FOREIGN["ifupdown"]
    document = (IFCFG % "adopt: {drop: [interfaces pre-up]}, ").replace("network_backend: ifcfg", "network_backend: ifupdown")
    with Lab(document=document + STORAGE) as lab:
        lab.ssh("n1", f"printf '{foreign}    pre-up false\n' >{path}")
        lab.apply()
        (lab.path / "fabric.yaml").write_text(document + "  {}\n")
        said = " ".join(lab.apply(expect=11).stdout.split())
        assert "its script: exit 1" in said and "rolled back by the node itself" in said, said
        assert "10.30.0.1/24" in lab.ssh("n1", "ip -o addr show dev enp1s0f0np0").stdout
        (lab.path / "fabric.yaml").write_text(document + STORAGE)
        lab.plan_is_empty()


SHARED = """\
# by hand
auto enp1s0f0np0
iface enp1s0f0np0 inet static
    address 10.99.0.1/24

auto eno1
iface eno1 inet dhcp
"""
# What was the third line is the second stanza now: a plan that goes by numbers takes the wrong one away.
SWAPPED = """\
# by hand
auto eno1
iface eno1 inet dhcp

auto enp1s0f0np0
iface enp1s0f0np0 inet static
    address 10.99.0.1/24
"""
EDITS = {
    "edited": "echo '# by somebody else' >>%s",
    "removed": "rm %s",
    "linked": "mv %s /root/elsewhere && ln -s /root/elsewhere %s",
    "truncated": ": >%s",
}


def adopting(backend):
    return (IFCFG % "adopt: true, ").replace("network_backend: ifcfg", f"network_backend: {backend}")


def put(lab, path, text):
    done = lab.ssh("n1", f"printf '{text}' >{path} && cat {path}")
    assert done.stdout == text, done


def planned(lab):
    lab.fabric("--lab", "plan", "--out", "made.plan", expect=0)
    plan = json.loads((lab.path / "made.plan").read_text())
    return [file for action in plan["actions"] if action["node"] == "n1" for file in action.get("file_preconditions", []) if file["digest"]]


def looked_at(lab, path):
    """All that a run could have changed of the network's configuration on the node."""
    return lab.ssh("n1", f"ls -lA {path} /etc/network/interfaces.d /etc/systemd/network /etc/sysconfig/network-scripts; cat {path} /root/elsewhere;"
                         " ls -RA /var/lib/fabric/adopted").stdout


def edited_after_the_plan():
    """Somebody swaps two stanzas between plan and apply: exit 7, nothing is written, and the next plan takes over the right one."""
    path = "/etc/network/interfaces.d/theirs"
    with Lab(document=adopting("ifupdown") + STORAGE) as lab:
        put(lab, path, SHARED)
        files = planned(lab)
        assert [file["path"] for file in files] == [path] and files[0]["digest"].startswith("sha256:"), files
        put(lab, path, SWAPPED)
        before = looked_at(lab, path)
        done = lab.fabric("--lab", "apply", "made.plan", expect=7)
        said = " ".join((done.stdout + done.stderr).split())
        assert f"n1: {path}: it was edited since the plan was made; plan again" in said and "a0001" not in said, said
        assert looked_at(lab, path) == before, f"{before}\n{looked_at(lab, path)}"
        lab.apply()
        found = lab.ssh("n1", f"cat {path}").stdout
        mark = "#adopted by fabric cx5.1# "
        assert found == SWAPPED.replace("iface enp1s0f0np0", mark + "iface enp1s0f0np0").replace("    address", mark + "    address"), found
        lab.plan_is_empty()
        after_a_boot(lab)


def every_file_edited_after_the_plan():
    """Whatever somebody does to a file that a plan takes over, of each back end: exit 7, and nothing is written."""
    for backend, (path, foreign) in FOREIGN.items():
        with Lab(document=adopting(backend) + STORAGE) as lab:
            for how, script in EDITS.items():
                lab.ssh("n1", f"rm -f {path} /root/elsewhere")
                put(lab, path, foreign)
                assert [file["path"] for file in planned(lab)] == [path], backend
                lab.ssh("n1", script.replace("%s", path))
                before = looked_at(lab, path)
                done = lab.fabric("--lab", "apply", "made.plan", expect=7)
                said = " ".join((done.stdout + done.stderr).split())
                assert f"n1: {path}: it was " in said and "plan again" in said and "a0001" not in said, f"{backend}, {how}: {said}"
                assert looked_at(lab, path) == before, f"{backend}, {how}: {before}\n{looked_at(lab, path)}"


def our_file_edited_after_the_plan():
    """A file of ours counts by what it says: another value is stale, a line that says nothing is written over, and a link is never followed."""
    ours = "/etc/network/interfaces.d/fabric-cx5-1"
    with Lab(document=adopting("ifupdown") + STORAGE) as lab:
        lab.apply()
        (lab.path / "fabric.yaml").write_text(adopting("ifupdown") + STORAGE.replace("9000", "4200"))
        assert planned(lab) == []
        lab.ssh("n1", f"sed -i 's/mtu 9000/mtu 3000/' {ours}")
        before = looked_at(lab, ours)
        lab.fabric("--lab", "apply", "made.plan", expect=7)
        assert looked_at(lab, ours) == before
        lab.ssh("n1", f"sed -i 's/mtu 3000/mtu 9000/' {ours} && echo '# by hand' >>{ours} && mv {ours} /root/elsewhere && ln -s /root/elsewhere {ours}")
        elsewhere = lab.ssh("n1", "cat /root/elsewhere").stdout
        assert "# by hand" in elsewhere, elsewhere
        lab.fabric("--lab", "apply", "made.plan", expect=0)
        found = lab.ssh("n1", f"[ ! -L {ours} ] && cat {ours}").stdout
        assert "mtu 4200" in found and "# by hand" not in found, found
        assert lab.ssh("n1", "cat /root/elsewhere").stdout == elsewhere
        lab.plan_is_empty()


def edited_while_it_runs():
    """Somebody edits a file after the run has begun: the action fails, and nothing of the file is lost."""
    path = "/etc/network/interfaces.d/theirs"
    hook = "hooks:\n  before_disruption: touch began && while ! test -e go; do sleep 0.1; done\n"
    with Lab(document=adopting("ifupdown") + STORAGE + hook) as lab:
        put(lab, path, SHARED)
        planned(lab)
        run = subprocess.Popen([binary, "--lab", "apply", "made.plan"], cwd=lab.path, stdin=subprocess.DEVNULL, text=True,
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        until("no hook was run", (lab.path / "began").exists, run)
        put(lab, path, SWAPPED)
        (lab.path / "go").touch()
        said = " ".join(run.communicate(timeout=PATIENCE)[0].split())
        assert run.returncode == 10, f"exit {run.returncode}: {said}"
        assert f"n1: {path}: somebody" in said and "plan again" in said, said
        assert lab.ssh("n1", f"cat {path}").stdout == SWAPPED
        lab.apply()
        found = lab.ssh("n1", f"cat {path}").stdout
        assert "\niface eno1 inet dhcp" in found and "# iface enp1s0f0np0" in found, found
        lab.plan_is_empty()


PROXMOX = """\
auto lo
iface lo inet loopback

auto eno1
iface eno1 inet dhcp

iface enp1s0f0np0 inet manual

iface enp1s0f1np1 inet manual

auto bond0
iface bond0 inet manual
	bond-slaves enp1s0f0np0 enp1s0f1np1
	bond-miimon 100
	bond-mode 802.3ad
	bond-xmit-hash-policy layer3+4
	bond-min-links 1
	mtu 9000
#storage and guests

auto bond0.100
iface bond0.100 inet static
	address 10.100.0.%d/24
	mtu 9000

auto vmbr0
iface vmbr0 inet static
	address 10.30.0.%d/24
	bridge-ports bond0
	bridge-stp off
	bridge-fd 0
	bridge-vlan-aware yes
	bridge-vids 2-4094

source /etc/network/interfaces.d/*
"""


def proxmox_adopted():
    """A Proxmox host with bond0, a VLAN and vmbr0 on it in /etc/network/interfaces: imported, adopted, one option changed, nothing else touched."""
    path = "/etc/network/interfaces"
    document = BOND_WITH_VLAN % "ifupdown"
    with Lab(document=document, lab_yaml='hosts: {"n[1-2]": {backend: ifupdown2}}\n') as lab:
        # The cards as they are to be, and then everything by hand.
        lab.apply()
        text = (lab.path / "fabric.yaml").read_text()
        (lab.path / "fabric.yaml").write_text(text[:text.index("networks:")] + "networks: {}\n")
        lab.apply()
        for number, node in ((1, "n1"), (2, "n2")):
            done = lab.ssh_with(node, f"cat >{path}; ifreload -a; ip -o link show; ip -o -4 addr show", PROXMOX % (number, number))
            assert "vmbr0" in done.stdout and f"10.30.0.{number}/24" in done.stdout, done
        assert lab.ssh("n1", "ping -c 1 -W 1 10.30.0.2").returncode == 0
        lab.reboot("n1")
        lab.reboot("n2")
        assert lab.ssh("n1", "ping -c 1 -W 1 10.30.0.2").returncode == 0
        assert lab.ssh("n1", "ping -c 1 -W 1 10.100.0.2").returncode == 0
        (lab.path / "new").mkdir()
        lab.fabric("--lab", "import", "n[1-2]", "--out", "new/imported.yaml", expect=0)
        imported = (lab.path / "new/imported.yaml").read_text()
        for said in ("state: observe, adopt: true", "bond: bond0, policy: 802.3ad", "min_links: 1", "id: 100"):
            assert said in imported, imported
        assert "10.30.0.0/24" not in imported, imported
        lab.fabric("--lab", "plan", "new/imported.yaml", expect=0)
        adopting = imported.replace("state: observe, ", "")
        (lab.path / "fabric.yaml").write_text(adopting)
        before = lab.ssh("n1", "ip -o addr show; ip -o link show").stdout
        lab.apply()
        lab.plan_is_empty()
        assert lab.ssh("n1", "ip -o addr show; ip -o link show").stdout == before, "something that runs was changed"
        taken = lab.ssh("n1", f"cat {path}").stdout
        (lab.path / "fabric.yaml").write_text(adopting.replace("min_links: 1", "min_links: 2"))
        lab.apply()
        assert lab.ssh("n1", "cat /sys/class/net/bond0/bonding/min_links").stdout == "2\n"
        assert lab.ssh("n1", f"cat {path}").stdout == taken
        kept = [line for line in taken.splitlines() if not line.startswith("#adopted by")]
        for line in ("auto vmbr0", "\tbridge-ports bond0", "iface eno1 inet dhcp", "\tbridge-vids 2-4094"):
            assert line in kept, taken
        assert not [line for line in kept if "bond-mode" in line], taken
        # A boot makes the same of the files, with the bridge on top.
        lab.reboot("n1")
        lab.plan_is_empty()
        assert lab.ssh("n1", "ping -c 1 -W 1 10.30.0.2").returncode == 0
        assert "vmbr0" in lab.ssh("n1", "ip -o link show dev bond0").stdout


BOND_BY_HAND = """\
# by hand
source /etc/network/interfaces.d/*

auto eno1
iface eno1 inet dhcp

auto enp1s0f0np0
iface enp1s0f0np0 inet manual
    mtu 9000

iface enp1s0f1np1 inet manual

auto bond0
iface bond0 inet static
    address 10.30.0.%d/24
    mtu 9000
    bond-slaves enp1s0f0np0 enp1s0f1np1
    bond-mode 802.3ad
    bond-miimon 100
    bond-lacp-rate fast
    bond-xmit-hash-policy layer2

auto bond0.100
iface bond0.100 inet static
    address 10.100.0.%d/24
"""


def bond_of_ifupdown_adopted():
    """A bond with its ports and VLAN that somebody wrote into /etc/network/interfaces: imported, adopted, changed, and given back."""
    path = "/etc/network/interfaces"
    with Lab(document=BOND_WITH_VLAN % "ifupdown, packages: [ifenslave]") as lab:
        # The cards and the package as the document wants them, then everything by hand.
        lab.apply()
        text = (lab.path / "fabric.yaml").read_text()
        (lab.path / "fabric.yaml").write_text(text[:text.index("networks:")] + "networks: {}\n")
        lab.apply()
        before = {}
        for number, node in ((1, "n1"), (2, "n2")):
            lab.ssh_with(node, f"cat >{path}; ifup bond0 bond0.100", BOND_BY_HAND % (number, number))
            before[node] = lab.ssh(node, f"cat {path}").stdout
        (lab.path / "new").mkdir()
        lab.fabric("--lab", "import", "n[1-2]", "--out", "new/imported.yaml", expect=0)
        imported = (lab.path / "new/imported.yaml").read_text()
        assert "state: observe, adopt: true" in imported and "bond: bond0, policy: 802.3ad" in imported and "id: 100" in imported, imported
        adopting = imported.replace("state: observe, ", "")
        (lab.path / "fabric.yaml").write_text(adopting)
        lab.apply()
        lab.plan_is_empty()
        after = lab.ssh("n1", f"cat {path}").stdout
        kept = [line for line in after.splitlines() if not line.startswith("#adopted by")]
        assert "auto eno1" in kept and "iface eno1 inet dhcp" in kept and not [line for line in kept if "bond-mode" in line], after
        (lab.path / "fabric.yaml").write_text(adopting.replace("lacp_rate: fast", "lacp_rate: slow"))
        lab.apply()
        said = lab.ssh("n1", "cat /sys/class/net/bond0/bonding/lacp_rate; ip -o -4 addr show").stdout
        assert said.startswith("slow") and "10.30.0.1/24" in said and "10.100.0.1/24" in said, said
        (lab.path / "fabric.yaml").write_text(adopting[:adopting.index("networks:")] + "networks: {}\n")
        lab.apply()
        assert lab.ssh("n1", f"cat {path}").stdout == before["n1"]


def live_state(backend):
    """An address and a VLAN that somebody made by hand: named, nothing is changed; with `adopt` the address goes, and the VLAN stays."""
    # ifupdown2 takes the files of ifupdown.
    written = backend.removesuffix("2")
    document = (IFCFG % "").replace("network_backend: ifcfg", f"network_backend: {written}")

    def running(lab):
        return lab.ssh("n1", "ip -o addr show; ip -o link show; ls -A /etc/systemd/network /etc/network/interfaces.d /etc/sysconfig/network-scripts /etc/netplan /etc/NetworkManager/*").stdout

    with Lab(document=document + STORAGE, lab_yaml=f'hosts: {{"n[1-2]": {{backend: {backend}}}}}\n') as lab:
        lab.ssh("n1", "ip link set enp1s0f0np0 up; ip addr add 10.99.0.1/24 dev enp1s0f0np0; ip link add link enp1s0f0np0 name theirs type vlan id 70")
        before = running(lab)
        assert "10.99.0.1/24" in before and "theirs" in before, before
        said = " ".join(lab.apply(expect=3).stderr.split())
        assert "enp1s0f0np0 carries the VLAN 70, theirs; enp1s0f0np0 has the address 10.99.0.1/24" in said, said
        assert running(lab) == before, f"{before}\n{running(lab)}"
        (lab.path / "fabric.yaml").write_text(document.replace("network_backend:", "adopt: true, network_backend:") + STORAGE)
        lab.apply()
        after = running(lab)
        assert "10.30.0.1/24" in after and "10.99.0.1/24" not in after and "theirs" in after, after
        lab.plan_is_empty()


def live_state_on_every_back_end():
    """What somebody runs by hand is asked about, whatever configures the network."""
    for backend in ("networkd", "ifupdown", "ifupdown2", "ifcfg", "netplan", "networkmanager"):
        live_state(backend)


BOND = """\
apiVersion: fabric/v1
name: pair
nodes:
  n1: {network_backend: %s, adopt: %s, adapters: {cx5: {model: connectx-5-en}}}
  n2: {network_backend: %s, adapters: {cx5: {model: connectx-5-en}}}
networks:
"""
PLAIN = """\
  direct:
    mode: lag
    mtu: 9000
    lag: {bond: bond0, policy: 802.3ad, roce: false}
    cables: [[n1/1, n2/1], [n1/2, n2/2]]
"""
PORTS = ("enp1s0f0np0", "enp1s0f1np1")
INTERFACES = """\
auto bond0
iface bond0 inet static
    address 10.99.0.1/24
    mtu 9000
    bond-slaves enp1s0f0np0 enp1s0f1np1
    bond-mode 802.3ad
    bond-miimon 100
    bond-lacp-rate 1
    bond-xmit-hash-policy layer3+4
    bond-min-links 2
    post-up true
    up ip rule add from 10.99.0.1 lookup 7 priority 7
"""
# By back end: the files of a bond that somebody made, and patterns for all that the document does not say of it.
RUNNING = {
    **{each: (
        {"/etc/network/interfaces.d/theirs": INTERFACES},
        ("address", "bond-lacp-rate", "bond-xmit-hash-policy", "bond-min-links", "post-up", "up")) for each in ("ifupdown", "ifupdown2")},
    "networkd": (
        {"/etc/systemd/network/05-theirs.netdev": "[NetDev]\nName=bond0\nKind=bond\n[Bond]\nMode=802.3ad\nMIIMonitorSec=100ms\nLACPTransmitRate=fast\n"
                                                  "TransmitHashPolicy=layer3+4\nMinLinks=2\nAdSelect=bandwidth\n",
         "/etc/systemd/network/05-theirs.network": "[Match]\nName=bond0\n[Link]\nMTUBytes=9000\n[Network]\nAddress=10.99.0.1/24\nDNS=10.99.0.254\n"
                                                   "[RoutingPolicyRule]\nFrom=10.99.0.1\nTable=7\nPriority=7\n",
         **{f"/etc/systemd/network/05-{port}.network": f"[Match]\nName={port}\n[Network]\nBond=bond0\n" for port in PORTS}},
        ("Network.Address", "Network.DNS", "Bond.LACPTransmitRate", "Bond.TransmitHashPolicy", "Bond.MinLinks", "Bond.AdSelect", "RoutingPolicyRule.From")),
    "networkmanager": (
        {"/etc/NetworkManager/system-connections/theirs.nmconnection":
            "[connection]\nid=theirs\ntype=bond\ninterface-name=bond0\n[ethernet]\nmtu=9000\n[bond]\nmode=802.3ad\nmiimon=100\nlacp_rate=fast\n"
            "xmit_hash_policy=layer3+4\nmin_links=2\n[ipv4]\nmethod=manual\naddress1=10.99.0.1/24\ndns=10.99.0.254;\n[ipv6]\nmethod=disabled\n"
            "[ethtool]\nfeature-gro=false\n[of-a-later-release]\nsetting=1\n",
         **{f"/etc/NetworkManager/system-connections/{port}.nmconnection":
            f"[connection]\nid={port}\ntype=ethernet\ninterface-name={port}\nmaster=bond0\nslave-type=bond\n" for port in PORTS}},
        ("ipv4.address1", "ipv4.dns", "bond.lacp_rate", "bond.xmit_hash_policy", "bond.min_links", "ethtool.feature-gro", "of-a-later-release.setting")),
    "ifcfg": (
        {"/etc/sysconfig/network-scripts/ifcfg-bond0":
            "DEVICE=bond0\nTYPE=Bond\nONBOOT=yes\nBOOTPROTO=none\nMTU=9000\nBONDING_MASTER=yes\n"
            "BONDING_OPTS=\"mode=802.3ad miimon=100 lacp_rate=fast xmit_hash_policy=layer3+4 min_links=2\"\nIPADDR=10.99.0.1\nPREFIX=24\nDNS1=10.99.0.254\n",
         **{f"/etc/sysconfig/network-scripts/ifcfg-{port}": f"DEVICE={port}\nONBOOT=yes\nBOOTPROTO=none\nMASTER=bond0\nSLAVE=yes\n" for port in PORTS}},
        ("IPADDR", "DNS1", "BONDING_OPTS.lacp_rate", "BONDING_OPTS.xmit_hash_policy", "BONDING_OPTS.min_links")),
    "netplan": (
        {"/etc/netplan/60-theirs.yaml":
            "network:\n  version: 2\n  ethernets:\n    enp1s0f0np0: {}\n    enp1s0f1np1: {}\n  bonds:\n    bond0:\n      mtu: 9000\n"
            "      interfaces: [enp1s0f0np0, enp1s0f1np1]\n      addresses: [10.99.0.1/24]\n      nameservers: {addresses: [10.99.0.254]}\n"
            "      parameters: {mode: 802.3ad, mii-monitor-interval: 100, lacp-rate: fast, transmit-hash-policy: layer3+4, min-links: 2}\n"},
        ("addresses", "nameservers.addresses", "parameters.lacp-rate", "parameters.transmit-hash-policy", "parameters.min-links")),
}


# The same bond, as far as documents have keys for it.
SAID = """\
  direct:
    mode: lag
    mtu: 9000
    lag: {bond: bond0, policy: 802.3ad, roce: false, lacp_rate: fast, hash_policy: layer3+4, min_links: 2%s}
    ipv4: {subnet: 10.99.0.0/24}
    cables: [[n1/1, n2/1], [n1/2, n2/2]]
"""


def runs(lab):
    return lab.ssh("n1", "cd /sys/class/net/bond0; cat mtu bonding/mode bonding/xmit_hash_policy bonding/lacp_rate bonding/min_links bonding/ad_select;"
                         " ip -o -4 addr show dev bond0; ip rule show | grep 10.99").stdout


@contextlib.contextmanager
# A bond that somebody made runs on n1, by files of this back end alone. No story by itself: it has no docstring.
def running_bond(backend):
    written = backend.removesuffix("2") + (", packages: [ifenslave]" if backend == "ifupdown" else "")

    def document(adopt, networks=PLAIN):
        return BOND % (written, adopt, written) + networks

    with Lab(document=document("false"), lab_yaml=f'hosts: {{"n[1-2]": {{backend: {backend}}}}}\n') as lab:
        lab.apply()
        lab.ssh("n1", "rm -f /etc/systemd/network/10-fabric-* /etc/network/interfaces.d/fabric-* /etc/NetworkManager/system-connections/fabric-*"
                      " /etc/netplan/*fabric* /etc/sysconfig/network-scripts/*-bond0 /etc/sysconfig/network-scripts/*-enp1s0f?np?")
        for path, text in RUNNING[backend][0].items():
            lab.ssh_with("n1", f"umask 077; cat >{path}", text)
        lab.reboot("n1")
        yield lab, document


def taken_over_whole(backend):
    lost = RUNNING[backend][1]
    with running_bond(backend) as (lab, document):
        before = runs(lab)
        assert "10.99.0.1/24" in before and "layer3+4" in before and "fast" in before, before
        (lab.path / "fabric.yaml").write_text(document("true"))
        done = lab.fabric("--lab", "plan", "--out", "made.plan", expect=3)
        said = " ".join(done.stderr.split())
        assert "adopt-would-lose" in said and not (lab.path / "made.plan").exists(), said
        for key in lost:
            assert f"`{key} " in said, f"{backend}: {key}: {said}"
        assert "Adopts" in done.stdout and "goes:" in done.stdout, done.stdout
        lab.apply(expect=3)
        assert runs(lab) == before, f"{backend}: {before}\n{runs(lab)}"
        # What runs afterwards is what the next boot makes.
        (lab.path / "fabric.yaml").write_text(document("{drop: all}"))
        lab.apply()
        lab.plan_is_empty()
        after = runs(lab)
        assert "10.99" not in after and "layer3+4" not in after and "802.3ad" in after, f"{backend}: {after}"
        after_a_boot(lab)
        assert runs(lab) == after, f"{backend}: {after}\n{runs(lab)}"


def adopted_as_it_runs():
    """A bond of each back end whose document says all that it can: nothing of it is changed by the adoption, and a boot makes the same."""
    for backend in RUNNING:
        with running_bond(backend) as (lab, document):
            before = runs(lab)
            index = lab.ssh("n1", "cat /sys/class/net/bond0/ifindex").stdout
            said = document("{drop: [interfaces *up, networkd RoutingPolicyRule.*, \"* *DNS*\", \"* *dns*\", \"netplan nameservers.*\", keyfile ethtool.*, keyfile of-a-later-release.*]}",
                            SAID % (", ad_select: bandwidth" if backend == "networkd" else ""))
            (lab.path / "fabric.yaml").write_text(said)
            lab.apply()
            lab.plan_is_empty()
            after = runs(lab)
            # What may go has gone at once.
            assert after == "".join(line + "\n" for line in before.splitlines() if "lookup 7" not in line), f"{backend}: {before}\n{after}"
            assert lab.ssh("n1", "cat /sys/class/net/bond0/ifindex").stdout == index, f"{backend}: the bond was made anew"
            after_a_boot(lab)
            assert runs(lab) == after, f"{backend}: {after}\n{runs(lab)}"


def live_rule():
    """A rule and a table by hand, without any file: named, then let go, and gone at once; one that comes after the plan makes it stale."""
    made = "ip route add 10.98.0.0/16 via 10.30.0.2 dev enp1s0f0np0 table 7; ip rule add from 10.30.0.1 lookup 7 priority 90"
    document = (IFCFG % "").replace("network_backend: ifcfg", "adopt: %s, network_backend: networkd") + STORAGE

    def rules(lab):
        return lab.ssh("n1", "ip rule show | grep -v 'lookup [mdl]'; ip route show table 7").stdout

    with Lab(document=document % "false") as lab:
        lab.apply()
        # Without fabric's file it runs on as somebody might have made it.
        lab.ssh("n1", "rm /etc/systemd/network/10-fabric-*; " + made)
        before = rules(lab)
        assert "lookup 7" in before and "10.98.0.0/16" in before, before
        (lab.path / "fabric.yaml").write_text(document % "true")
        said = " ".join(lab.apply(expect=3).stderr.split())
        for line in ("running `rule from 10.30.0.1 lookup 7 priority 90`", "running `route 10.98.0.0/16 via 10.30.0.2 table 7`"):
            assert line in said and "adopt-would-lose" in said, said
        assert rules(lab) == before, rules(lab)
        (lab.path / "fabric.yaml").write_text(document % "{drop: [running rule, running route]}")
        lab.fabric("--lab", "plan", "--out", "made.plan", expect=0)
        lab.ssh("n1", "ip rule add from 10.30.0.1 lookup 8 priority 91")
        assert "rules" in lab.fabric("--lab", "apply", "made.plan", expect=7).stderr
        lab.ssh("n1", "ip rule del priority 91")
        lab.fabric("--lab", "apply", "made.plan", expect=0)
        assert rules(lab) == "", rules(lab)
        after_a_boot(lab)


def taken_over_whole_ifupdown():
    """The same of ifupdown with ifenslave."""
    taken_over_whole("ifupdown")


def taken_over_whole_ifupdown2():
    """A bond of ifupdown2 is taken over: what the document does not say is named with its line, then may go, and goes now as at the next boot."""
    taken_over_whole("ifupdown2")


def taken_over_whole_networkd():
    """The same of systemd-networkd."""
    taken_over_whole("networkd")


def taken_over_whole_networkmanager():
    """The same of NetworkManager."""
    taken_over_whole("networkmanager")


def taken_over_whole_ifcfg():
    """The same of RHEL's network scripts."""
    taken_over_whole("ifcfg")


def taken_over_whole_netplan():
    """The same of netplan."""
    taken_over_whole("netplan")


def files_of_a_former_name():
    """A port gets another name: what others said in a .link file and by the name before is named, then taken over, and comes back in the end."""
    folder = "/etc/systemd/network/"
    theirs = {"10-rail.link": "[Match]\nOriginalName=enp1s0f0np0\n[Link]\nName=rail0\nMTUBytes=9000\nRxBufferSize=4096\n",
              "05-p.network": "[Match]\nName=enp1s0f0np0\n[Network]\nAddress=10.30.0.1/24\n",
              "05-p.network.d/more.conf": "[Network]\nDNS=10.30.0.254\n",
              "90-lo.network": "[Match]\nName=lo\n[Network]\nBindCarrier=enp1s0f0np0\n"}
    document = (IFCFG % "").replace("network_backend: ifcfg", "adopt: %s, network_backend: networkd").replace("connectx-5-en", "connectx-5-en, names: {1: eth40a}")
    with Lab(document=document % "true" + STORAGE) as lab:
        lab.ssh("n1", f"mkdir {folder}05-p.network.d")
        for name, text in theirs.items():
            lab.ssh_with("n1", f"cat >{folder}{name}", text)
        said = " ".join(lab.apply(expect=3).stderr.split())
        for each in ("10-rail.link:6 `Link.RxBufferSize 4096`", "more.conf:2 `Network.DNS 10.30.0.254`"):
            assert each in said, f"{each}: {said}"
        assert "10-rail.link:5" not in said and "05-p.network:4" not in said, said
        assert "90-lo.network:4 `BindCarrier=enp1s0f0np0` is about enp1s0f0np0, which the next boot calls eth40a" in said, said
        lab.ssh("n1", f"sed -i s/=enp1s0f0np0/=eth40a/ {folder}90-lo.network")
        (lab.path / "fabric.yaml").write_text(document % "{drop: [networkd Link.RxBufferSize, networkd Network.DNS]}" + STORAGE)
        lab.apply()
        found = lab.ssh("n1", f"ls {folder}; ip -o -4 addr show dev eth40a").stdout
        assert "rail" not in found and "05-p.network\n" not in found and "10.30.0.1/24" in found, found
        after_a_boot(lab)
        # The name goes out of `names`, and a line of others is about it still.
        (lab.path / "fabric.yaml").write_text((document % "{drop: all}").replace(", names: {1: eth40a}", "") + STORAGE)
        said = " ".join(lab.apply(expect=3).stderr.split())
        assert "90-lo.network:4 `BindCarrier=eth40a` is about eth40a, a name that the port loses with `names`" in said, said


REFUSED = """\
apiVersion: fabric/v1
name: refused
nodes:
  "n[1-2]": {network_backend: networkmanager, adopt: true, adapters: {hca: {model: connectx-6-vpi, ports: 1}, nic: {model: connectx-4-lx, ports: 1}}}
  leaf: {platform: cumulus}
  sw: {platform: unmanaged, model: QM8790}
networks:
  eth: {mode: ethernet, ipv4: {subnet: 10.30.0.0/24}, cables: [["n[1-2]/nic/1", "leaf/swp[1-2]"]]}
  ib:
    mode: infiniband
    cables: [["n[1-2]/hca/1", "sw/[1-2]"]]
    subnet_managers: [{node: n2}]
    ipoib: {ipv4: {subnet: 10.40.0.0/24}}
"""


def values_that_validate_refuses():
    """A person's values that no document may have are not shown as YAML: an MTU above the switch's, a mode that the card lacks; others are."""
    with Lab(document=REFUSED) as lab:
        names = lab.ssh("n1", "ls /sys/class/net").stdout.split()
        ib, eth = (next(name for name in names if name.startswith(start)) for start in ("ib", "enp"))
        folder = "/etc/NetworkManager/system-connections"
        profile = "[connection]\nid={1}\ntype={0}\ninterface-name={1}\n[ipv4]\nmethod=disabled\n[{0}]\nmtu={2}\n"
        lab.ssh_with("n1", f"cat >{folder}/eth.nmconnection; chmod 600 {folder}/*", profile.format("ethernet", eth, 9300))
        lab.ssh_with("n1", f"cat >{folder}/ib.nmconnection; chmod 600 {folder}/*", profile.format("infiniband", ib, 2040) + "transport-mode=connected\n")
        said = " ".join(lab.fabric("--lab", "plan", expect=3).stderr.split())
        assert "`ethernet.mtu 9300`: the document can't have this value; to drop it: `keyfile ethernet.mtu`" in said, said
        assert "-mode connected`: the document can't have this value" in said and "mode: connected" not in said, said
        assert "`infiniband.mtu 2040`: to keep it, write into the document: `networks: {ib: {ipoib: {mtu: 2040}}}`" in said, said
        (lab.path / "fabric.yaml").write_text(REFUSED.replace("ipoib: {", "ipoib: {mtu: 2040, "))
        assert "infiniband.mtu" not in lab.fabric("--lab", "plan", expect=3).stderr


def names_are_exchanged(backend):
    """Two ports exchange their names: what others say by a name is about the port that has it, and is taken over once."""
    path = "/etc/systemd/network/05-%s.network" if backend == "networkd" else "/etc/network/interfaces.d/%s"
    text = "[Match]\nName={0}\n[Network]\nAddress={1}\n" if backend == "networkd" else "auto {0}\niface {0} inet static\n    address {1}\n"
    ports = {"enp1s0f0np0": "10.30.0.1/24", "enp1s0f1np1": "10.31.0.1/24"}
    document = (IFCFG % "adopt: true, ").replace("network_backend: ifcfg", f"network_backend: {backend}")
    document = document.replace("connectx-5-en", "connectx-5-en, names: {1: %s, 2: %s}" % tuple(reversed(ports)))
    with Lab(document=document + STORAGE + BACKUP) as lab:
        for name, address in ports.items():
            lab.ssh_with("n1", f"cat >{path % name}", text.format(name, address))
        lab.apply()
        for name, address in zip(reversed(ports), ports.values()):
            assert address in lab.ssh("n1", f"ip -o -4 addr show dev {name}").stdout, address
            assert "10.3" not in lab.ssh("n1", f"grep -v '^#' {path % name} || true").stdout
        lab.plan_is_empty()
        after_a_boot(lab)


def names_are_exchanged_networkd():
    """Two ports exchange their names, with files of networkd."""
    names_are_exchanged("networkd")


def names_are_exchanged_ifupdown():
    """The same with ifupdown."""
    names_are_exchanged("ifupdown")


def drop_in_of_netplan():
    """A drop-in of what netplan makes for networkd is named with its line, taken over, and given back."""
    path, foreign = FOREIGN["netplan"]
    drop_in = "/etc/systemd/network/10-netplan-enp1s0f0np0.network.d/more.conf"
    document = adopting("netplan").replace("adopt: true", "adopt: %s")
    with Lab(document=document % "true" + STORAGE) as lab:
        put(lab, path, foreign)
        lab.ssh("n1", f"mkdir -p {drop_in.rsplit('/', 1)[0]}")
        put(lab, drop_in, "[Network]\nAddress=10.99.7.4/24\n")
        lab.ssh("n1", "netplan apply")
        said = " ".join(lab.apply(expect=3).stderr.split())
        assert "more.conf:2 `Network.Address 10.99.7.4/24`" in said, said
        (lab.path / "fabric.yaml").write_text(document % "{drop: all}" + STORAGE)
        lab.apply()
        assert "10.99" not in lab.ssh("n1", f"cat {drop_in}; ip -o addr show").stdout
        after_a_boot(lab)
        (lab.path / "fabric.yaml").write_text(document % "{drop: all}" + "  {}\n")
        lab.apply()
        assert lab.ssh("n1", f"cat {drop_in}").stdout == "[Network]\nAddress=10.99.7.4/24\n"
        assert "10.99.7.4/24" in lab.ssh("n1", "ip -o addr show").stdout


def wired_connection():
    """A profile that NetworkManager makes by itself is nobody's, and one that a person put there is named."""
    path = "/run/NetworkManager/system-connections/Wired connection 1.nmconnection"
    profile = "[connection]\nid=Wired connection 1\ntype=ethernet\nautoconnect-priority=%d\ninterface-name=enp1s0f0np0\n\n[ipv4]\nmethod=auto\n"
    document = (IFCFG % "").replace("network_backend: ifcfg", "adopt: true, network_backend: networkmanager")
    with Lab(document=document + STORAGE) as lab:
        lab.ssh_with("n1", f"umask 077; mkdir -p {path.rsplit('/', 1)[0]}; cat >'{path}'", profile % 0)
        assert "foreign-configuration" in lab.apply(expect=3).stderr
        lab.ssh_with("n1", f"cat >'{path}'", profile % -999 + "\n[.nmmeta]\nnm-generated=true\n")
        lab.apply()
        lab.plan_is_empty()


def live_state_after_the_plan():
    """An address that somebody gives to the interface between plan and apply: exit 7 on every back end, and nothing is done to it."""
    for backend in ("networkd", "ifupdown", "ifupdown2", "ifcfg", "netplan", "networkmanager"):
        written = backend.removesuffix("2")
        document = (IFCFG % "").replace("network_backend: ifcfg", f"adopt: {{drop: all}}, network_backend: {written}") + STORAGE
        with Lab(document=document, lab_yaml=f'hosts: {{"n[1-2]": {{backend: {backend}}}}}\n') as lab:
            lab.fabric("--lab", "plan", "--out", "made.plan", expect=0)
            lab.ssh("n1", "ip link set enp1s0f0np0 up; ip addr add 10.99.0.1/24 dev enp1s0f0np0")
            said = lab.fabric("--lab", "apply", "made.plan", "--auto-approve", expect=7).stderr
            assert "10.99.0.1" in said, f"{backend}: {said}"
            assert "10.99.0.1/24" in lab.ssh("n1", "ip -o addr show").stdout
