#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Derives situations that the lab does not make from the lab's facts, by editing what probes said.

usage: variants.py [SITUATION...]

Run it after renew.py; the goldens of tests/golden/facts that link to these files have to be accepted anew.
"""
import hashlib
import json
import pathlib
import re
import sys

here = pathlib.Path(__file__).resolve().parent


class Facts:
    """What one node told."""

    def __init__(self, base, node):
        self.data = json.loads((here / base / f"{node}.json").read_text())

    def __getitem__(self, probe):
        return self.data["probes"][probe]["standard_output"]

    def __setitem__(self, probe, text):
        # A probe that the node was not asked because it had no card gets the shape of the others.
        known = {"command": "", "exit_status": 0, "standard_error": "", "standard_output": ""}
        self.data["probes"].setdefault(probe, known)["standard_output"] = text

    def edit(self, probe, pattern, replacement):
        changed, count = re.subn(pattern, replacement, self[probe], flags=re.MULTILINE)
        if count == 0:
            sys.exit(f"nothing in {probe} of {self.data['node']} fits {pattern}")
        self[probe] = changed

    def drop_lines(self, probe, pattern):
        self.edit(probe, rf"^.*{pattern}.*\n", "")


def lines(*text):
    return "".join(f"{line}\n" for line in text)


def file_lines(path, *content):
    return lines(*(f"{path}:{line}" for line in content))


def narrow_slot(facts):
    facts.edit("pci", r"(current_link_width):16$", r"\1:4")


def old_kernel(facts):
    facts.edit("identity", r"(osrelease):.*$", r"\1:4.4.0-142-generic")


def filtered(facts):
    """A runtime of containers has set the policy of what is forwarded."""
    of = {"family": "ip", "table": "filter"}
    facts["forward-rules"] = json.dumps({"nftables": [
        {"chain": {**of, "name": "FORWARD", "type": "filter", "hook": "forward", "prio": 0, "policy": "drop"}},
        {"chain": {**of, "name": "DOCKER-USER"}},
        {"rule": {**of, "chain": "FORWARD", "expr": [{"jump": {"target": "DOCKER-USER"}}]}},
        {"rule": {**of, "chain": "DOCKER-USER", "expr": [{"return": None}]}}]})


def forwarding(facts):
    """Somebody has switched forwarding on, as a runtime of containers does."""
    facts.edit("sysctl", r"^(/proc/sys/net/ipv4/(?:conf/all/forwarding|ip_forward)):0$", r"\1:1")


def no_card(facts):
    facts["pci"] = "\n"
    facts.edit("mlxconfig", r"(?s)^== card .*", "")
    facts.edit("link-state", r"(?s)^netdev ibp.*", "")
    links = json.loads(facts["ip-addr"].splitlines()[0])
    facts["ip-addr"] = json.dumps([link for link in links if "parentdev" not in link]) + "\n"


def ifupdown(facts):
    """Debian's own configuration, which names every interface, instead of networkd."""
    facts["network-backends"] = lines("file /etc/network/interfaces", "unit networking active", "tool ifup")
    facts["network-files"] = file_lines(
        "/etc/network/interfaces", "source /etc/network/interfaces.d/*", "auto eno1", "iface eno1 inet static",
        "  address 192.0.2.11/24")


def no_backend(facts):
    """Nothing that configures a network at boot, as in a container or a machine that boots by PXE."""
    facts["network-backends"] = lines(
        *(f"unit {unit} inactive" for unit in ("NetworkManager", "systemd-networkd", "networking", "network")))


def no_opensm(facts):
    managed(facts)
    facts.drop_lines("opensm", r"tool opensm|unit |own ")


def foreign_file(facts, *further):
    path, content = "/etc/systemd/network/50-storage.network", ("[Match]", "Name=enp1s0f0np0", "", "[Network]", "Address=10.99.0.1/24", *further)
    facts["network-files"] += file_lines(path, *content)
    facts["file-digests"] = lines(f"{hashlib.sha256(lines(*content).encode()).hexdigest()} {path}")


def foreign_resolver(facts):
    """A file of somebody else with a statement for which the document has no key."""
    foreign_file(facts, "DNS=10.99.0.254")


def no_machine_id(facts):
    facts.drop_lines("identity", r"machine-id:")


def read_only_link_type(facts):
    """Firmware that does not let the host choose: mstconfig marks the row."""
    facts.edit("mlxconfig", r"^        (LINK_TYPE_P1 )", r"RO      \1")


def by_source(facts):
    """A fabric that has asked for routes and rules: each port answers from its own table."""
    number = int(facts.data["node"][3:])
    ports = [("enp1s0f0np0", f"10.30.0.{2 * number - 1}", 4501), ("enp1s0f1np1", f"10.30.0.{2 * number}", 4502)]

    def route(device, address):
        return {"dst": "10.30.0.0/24", "dev": device, "scope": "link", "prefsrc": address, "flags": []}

    facts["ip-route"] = lines(json.dumps([{**route(device, address), "protocol": "kernel"} for device, address, _ in ports]), "[]")
    rules = [{"priority": table, "src": address, "table": str(table)} for _, address, table in ports]
    tables = [json.dumps([{"table": table, "routes": [route(device, address)]}]) for device, address, table in ports]
    facts["ip-transit"] = lines(json.dumps([{"priority": 0, "src": "all", "table": "local"}, *rules,
                                            {"priority": 32766, "src": "all", "table": "main"}]), *tables)


def held_link(facts):
    """A card that keeps the link of port 1 while its host boots."""
    facts.edit("mlxconfig", r"^ ( *KEEP_LINK_UP_ON_BOOT_P1 +\S+ +)False\(0\)( +)False\(0\)", r"*\1True(1) \2True(1) ")


def kept_before(facts):
    """A card that fabric has set, with the values of before beside it."""
    record = {
        "attributes": ["HOST_CHAINING_MODE", "LINK_TYPE_P1", "LINK_TYPE_P2"],
        "before": {"HOST_CHAINING_MODE": 0, "LINK_TYPE_P1": 1, "LINK_TYPE_P2": 1},
        "binding": {"adapter": "cx5", "device_ids": [4119], "family": "connectx-5", "model": "connectx-5-vpi", "ports": 2}}
    facts["settings-records"] += file_lines(
        "/var/lib/fabric/settings/0000:01:00.0.before",
        "# managed by fabric: pve1/settings/cx5",
        "# resource: " + json.dumps(record, separators=(",", ":")))


def pending_boot(facts):
    """A host that has got another kernel and files of its network since it booted."""
    booted = 1764200000
    facts["pending-boot"] = lines(
        f"btime {booted}", "running 6.1.0-26-amd64", f"file {booted - 90} /etc/network/interfaces",
        f"file {booted + 40} /etc/netplan/50-cloud-init.yaml", f"file {booted + 7200} /etc/netplan/60-site.yaml",
        f"file {booted + 7200} /etc/systemd/network/10-fabric-cx5.1.network",
        "ours /etc/systemd/network/10-fabric-cx5.1.network", f"kernel {booted - 90} 6.1.0-26-amd64",
        f"kernel {booted + 7200} 6.1.0-28-amd64", f"kernel {booted + 7200} 5.10.0-9-amd64",
        "asked /run/reboot-required", "package linux-image-6.1.0-28-amd64")


def bonded(facts, partner="24:8a:07:4d:90:00", ports=2, second_aggregator=1, second_state="up"):
    """Both ports in an LACP bond."""
    slaves = ("enp1s0f0np0", "enp1s0f1np1")
    link = "/sys/class/net/"
    details = [f"{link}bond0/{name}" for name in (
        "mtu:9000", "type:1", "bonding/mode:802.3ad 4", f"bonding/slaves:{' '.join(slaves)}",
        "bonding/miimon:100", "bonding/xmit_hash_policy:layer3+4 1", "bonding/lacp_rate:slow 0")]
    for slave in slaves:
        details += [f"{link}{slave}/mtu:9000", f"{link}{slave}/master:bond0"]
    status = [
        "Ethernet Channel Bonding Driver: v6.1.0-26-amd64", "",
        "Bonding Mode: IEEE 802.3ad Dynamic link aggregation",
        "Transmit Hash Policy: layer3+4 (1)", "MII Status: up", "MII Polling Interval (ms): 100", "",
        "802.3ad info", "LACP active: on", "LACP rate: slow", "Active Aggregator Info:", "\tAggregator ID: 1",
        f"\tNumber of ports: {ports}", f"\tPartner Mac Address: {partner}"]
    for slave, aggregator, state in zip(slaves, (1, second_aggregator), ("up", second_state)):
        status += ["", f"Slave Interface: {slave}", f"MII Status: {state}", f"Aggregator ID: {aggregator}"]
    facts["link-details"] = lines(*details) + file_lines("/proc/net/bonding/bond0", *status)
    facts["ip-route"] = "[]\n[]\n"
    links = json.loads(facts["ip-addr"].splitlines()[0])
    address = {"family": "inet", "local": "10.30.0.1", "prefixlen": 24, "scope": "global"}
    for one in links:
        if one["ifname"] in slaves:
            one["addr_info"] = []
    links.append({"ifname": "bond0", "mtu": 9000, "flags": ["UP", "LOWER_UP"], "addr_info": [address]})
    facts["ip-addr"] = json.dumps(links) + "\n"


def roce_lag(facts):
    """The driver made one RDMA device of both ports: the second has none of its own."""
    bonded(facts)
    facts.drop_lines("pci", r"/0000:01:00\.1/infiniband/")
    facts["pci"] = facts["pci"].replace("/infiniband/rocep1s0f0/", "/infiniband/mlx5_bond_0/")


def not_aggregated(facts):
    """The other end speaks no LACP, and the second port has no link."""
    bonded(facts, partner="00:00:00:00:00:00", ports=1, second_aggregator=2, second_state="down")


def silent_lldp(facts):
    """lldpd runs and has heard nobody."""
    facts["lldp"] = '{"lldp":[{"interface":[]}]}\n'


def no_lldp(facts):
    """As on a node without lldpd: the probe fails."""
    facts.data["probes"]["lldp"].update(
        exit_status=127, standard_output="", standard_error="lldpcli is not installed\n")


def no_lacp(facts):
    """The switch has the two ports in no channel group, and nobody speaks LLDP."""
    bonded(facts, partner="00:00:00:00:00:00", ports=1, second_aggregator=2)
    no_lldp(facts)


def unplugged(facts):
    """The card's ports are up and have no link."""
    facts.edit("link-state", r"^operstate up\ncarrier 1\nspeed 100000$", "operstate down\ncarrier 0\nspeed -1")
    facts["lldp"] = '{"lldp":[{"interface":[]}]}\n'


def slow(facts):
    facts.edit("link-state", r"^speed 100000$", "speed 25000")


def unfinished(facts):
    """An installation that was cut short, an old wish in another's file, and a module that is forbidden."""
    facts["packages"] = facts["packages"].replace("ii \tmstflint", "iF \tmstflint")
    facts["module-files"] += file_lines(
        "/etc/modprobe.d/site.conf", "# by hand", "options mlx5-core prof_sel=1", "blacklist nvme_rdma")


def old_ofed(facts):
    """MLNX_OFED of before RoCE LAG, and its firmware tools."""
    facts["driver-stack"] += lines(
        "ofed MLNX_OFED_LINUX-3.4-2.0.0.0:", "driver mlx5_core /lib/modules/6.1.0-26-amd64/updates/dkms/mlx5_core.ko",
        "mst mst, mft 4.26.1-3, built on Nov 27 2023, 15:24:39. Git SHA Hash: N/A")


def new_ofed(facts):
    """MLNX_OFED that knows RoCE LAG."""
    facts["driver-stack"] += lines(
        "ofed MLNX_OFED_LINUX-5.8-5.1.1.2:", "driver mlx5_core /lib/modules/6.1.0-26-amd64/updates/dkms/mlx5_core.ko")


PVE1 = "0x0c42a103005e3000"


def managed(facts, guid=PVE1, state="ACTIVE", unit="fabric-opensm-ib.cx5.1.service"):
    """OpenSM is installed, and the first port hears a master (of pve1 itself, which `unit` runs, if nothing else is said)."""
    answer = f"sminfo: sm lid 1 sm guid {guid}, activity count 295 priority 10 state 3 SMINFO_MASTER"
    facts["opensm"] = lines("tool opensm", "tool sminfo", f"port ibp1s0f0 1 {state}") + (
        lines(f"master ibp1s0f0 1 {answer}", f"own ibp1s0f0 1 {answer}") if guid else "") + (
        lines(f"unit {unit} active running") if guid == PVE1 else "")
    facts["opensm-files"] = "\n"


def asked_opensm(facts):
    """What `opensm -c` lists of a distribution's OpenSM, which has no virtualization support."""
    managed(facts)
    facts["opensm"] += lines("option sm_priority 0")


def listed_opensm(facts):
    """All of what `opensm -c` lists, or as good as."""
    managed(facts)
    facts["opensm"] += lines(*(f"option {each}" for each in (
        "guid 0x0000000000000000", "subnet_prefix 0xfe80000000000000", "lmc 0", "max_op_vls 5", "partition_config_file /etc/opensm/partitions.conf",
        "part_enforce both", "routing_engine (null)", "root_guid_file (null)", "sm_priority 0", "sweep_interval 10", "qos FALSE",
        "prefix_routes /etc/opensm/prefix-routes.conf")))


def virtualizing_opensm(facts):
    """OpenSM of MLNX_OFED or DOCA."""
    asked_opensm(facts)
    facts["opensm"] += lines("option virt_enabled 0")


def foreign_master(facts):
    managed(facts, guid="0x900a84030040e2a0")


def stray_manager(facts):
    """Debian started opensm on pve2, where the document wants none."""
    managed(facts, guid="0x0c42a103000761a0")
    facts["opensm"] = facts["opensm"].replace("priority 10", "priority 0")
    facts.drop_lines("opensm", "own ibp")


ROUTED = "log ib.cx5.1 Nov 20 08:01:1{0} 173235 [8E3B76C0] 0x0{1} -> {2}"
FTREE_ERROR = "osm_ftree_fabric_count_leaf_switches: ERR AB2B: the tree has no ranks"
MASTER = ROUTED.format(0, 0, "Entering MASTER state").replace(" 0x00 ", " 0x80 ")
TABLES = "osm_ucast_mgr_process: {} tables configured on all switches"


def routed(facts):
    """OpenSM routed by ftree, as it was told."""
    managed(facts)
    facts["opensm"] += lines(MASTER, ROUTED.format(1, 1, FTREE_ERROR), ROUTED.format(2, 2, TABLES.format("minhop")),
                             ROUTED.format(3, 2, TABLES.format("ftree")))


def fell_back(facts):
    """OpenSM was told ftree, and could not."""
    managed(facts)
    facts["opensm"] += lines(ROUTED.format(1, 1, FTREE_ERROR), ROUTED.format(2, 2, TABLES.format("minhop")))


def distribution_opensm(facts):
    """Somebody wrote what the distribution's OpenSM reads."""
    managed(facts, unit=f"opensm@{PVE1}.service")
    facts["opensm-files"] = file_lines("/etc/opensm/partitions.conf", "Default=0x7fff, ipoib : ALL=full ;")


def no_master(facts):
    managed(facts, guid=None, state="INIT")


def flash(facts, version="16.35.2000", psid="MT_0000000008", running=None):
    """What mstflint tells of the card; saved facts of before fabric burned firmware don't have it."""
    runs = (f"FW Version(Running):   {running}",) if running else ()
    facts["flint"] = lines(
        "== tool mstflint", "== card 0000:01:00.0", "Image type:            FS4", f"FW Version:            {version}",
        *runs, "FW Release Date:       18.4.2024", f"PSID:                  {psid}", "Security Attributes:   N/A",
        "", "== status 0")
    facts["firmware-files"] = ""


def oem_card(facts):
    """The same board as another maker sells it."""
    flash(facts, psid="DEL0000000004")


def burned(facts):
    """Burned, and not booted since."""
    flash(facts, version="16.35.4030", running="16.35.2000")


def through_the_card(facts):
    """The SSH session comes in by the card that the document is about."""
    facts["session"] = lines("client 192.0.2.1", "device enp1s0f0np0")


def routed_elsewhere(facts):
    """The node reaches the rest of the world, and whoever sits there, by its management interface."""
    facts["ip-route"] = lines(
        '[{"dst":"default","gateway":"192.0.2.254","dev":"eno1","protocol":"static","flags":[]},'
        '{"dst":"192.0.2.0/24","dev":"eno1","protocol":"kernel","scope":"link","prefsrc":"192.0.2.11","flags":[]}]', "[]")
    facts["session"] = lines("client 198.51.100.7", "route default", "route 192.0.2.0/24", "device eno1")


def many_vfs(facts):
    """Virtual functions are on, and there are more of them than a document may ask for."""
    facts.edit("mlxconfig", r"^( *NUM_OF_VFS +)0( +)0( +)0 *$", r"\g<1>0\g<2>16\g<3>16")
    facts.edit("mlxconfig", r"^( *SRIOV_EN +False\(0\) +)False\(0\)( +)False\(0\) *$", r"\1True(1)\2True(1)")
    facts.edit("pci", r"(sriov_totalvfs):0$", r"\1:16")


def no_tool(facts):
    """As Proxmox comes: nothing on it reads the settings of a card, and nothing was asked to bring that."""
    facts["mlxconfig"] = ""
    facts["packages"] = re.sub(r"(?m)^.*\tmstflint\t.*\n", "", Facts("software", "pve1")["packages"])


def held_functions(facts):
    """A virtual machine runs that holds a virtual function, and one that holds none."""
    facts.edit("esxi-virtual-functions", r"^( *0 +)false( +\S+ +)-$", r"\1true\g<2>2099011")
    facts["esxi-machines"] = lines(*(
        f"structure[{index}].VirtualMachine.{field}" for index, name, world in ((0, "db-7", 2099011), (1, "web-2", 2099022))
        for field in (f"DisplayName.string={name}", f"VMXCartelID.integer={world - 1}", f"WorldID.integer={world}")))


def uplinked(facts):
    """The port of the network is an uplink of the virtual switch."""
    facts.edit("esxi-vswitches", r"Uplinks: vmnic0", "Uplinks: vmnic0, vmnic2")


BOTH = ("pve1", "pve2")
def beside_port(facts, place):
    """A second interface behind the first port, as the kernel tells of its place."""
    at, net = "/sys/bus/pci/devices/0000:01:00.0/net/aaa0", ("type:1", "address:92:01:02:03:04:05", "mtu:1500", "dev_port:0")
    told = ("phys_switch_id:3000", f"phys_port_name:{place}") if place else ()
    facts["pci"] += lines(*(f"{at}/{each}" for each in (*net, *told)))


def representor(facts):
    beside_port(facts, "pf0vf0")


def nameless_beside(facts):
    beside_port(facts, "")


def clone(facts):
    """A card that was burned with the identity of pve1's."""
    guid = r"node_guid:([0-9a-f:]+)"
    for own, first in zip(re.findall(guid, facts["pci"]), re.findall(guid, Facts("converged", "pve1")["pci"])):
        facts["pci"] = facts["pci"].replace(f"node_guid:{own}", f"node_guid:{first}")


SITUATIONS = {
    "representor": ("converged", ("pve1",), representor),
    "nameless-beside": ("converged", ("pve1",), nameless_beside),
    "clone": ("converged", ("pve2",), clone),
    "narrow-slot": ("factory", ("pve1",), narrow_slot),
    "old-kernel": ("factory", ("pve1",), old_kernel),
    "filtered": ("converged", ("pve1",), filtered),
    "forwarding": ("factory", ("pve1", "pve2", "pve3"), forwarding),
    "no-card": ("factory", ("pve1",), no_card),
    "ifupdown": ("factory", ("pve1",), ifupdown),
    "no-ifenslave": ("converged", ("pve1",), ifupdown),
    "no-backend": ("factory", ("pve1",), no_backend),
    "no-tool": ("factory", ("pve1",), no_tool),
    "no-opensm": ("factory", ("pve1",), no_opensm),
    "foreign-file": ("converged", ("pve1",), foreign_file),
    "foreign-resolver": ("converged", ("pve1",), foreign_resolver),
    "no-machine-id": ("factory", ("pve1",), no_machine_id),
    "read-only-setting": ("factory", ("pve1",), read_only_link_type),
    "pending-boot": ("converged", ("pve1",), pending_boot),
    "held-link": ("converged", BOTH, held_link),
    "kept-before": ("converged", ("pve1",), kept_before),
    "by-source": ("converged", ("pve1", "pve2", "pve3", "pve4"), by_source),
    "unfinished": ("software", ("pve1",), unfinished),
    "old-ofed": ("software", ("pve1",), old_ofed),
    "bonded": ("converged", ("pve1",), bonded),
    "roce-lag": ("converged", ("pve1",), roce_lag),
    "not-aggregated": ("converged", ("pve1",), not_aggregated),
    "no-lacp": ("converged", BOTH, no_lacp),
    "no-lldp": ("converged", BOTH, no_lldp),
    "silent-lldp": ("converged", BOTH, silent_lldp),
    "unplugged": ("converged", BOTH, unplugged),
    "new-ofed": ("software", BOTH, new_ofed),
    "distribution-opensm": ("factory", ("pve1",), distribution_opensm),
    "managed": ("factory", BOTH, managed),
    "asked-opensm": ("factory", ("pve1",), asked_opensm),
    "listed-opensm": ("factory", ("pve1",), listed_opensm),
    "virtualizing-opensm": ("factory", ("pve1",), virtualizing_opensm),
    "foreign-master": ("factory", ("pve1",), foreign_master),
    "stray-manager": ("factory", ("pve1",), stray_manager),
    "routed": ("factory", ("pve1",), routed),
    "fell-back": ("factory", ("pve1",), fell_back),
    "no-master": ("factory", ("pve1",), no_master),
    "slow": ("converged", BOTH, slow),
    "through-the-card": ("converged", BOTH, through_the_card),
    "routed-elsewhere": ("converged", BOTH, routed_elsewhere),
    "flash": ("factory", ("pve1",), flash),
    "oem-card": ("factory", ("pve1",), oem_card),
    "burned": ("factory", ("pve1",), burned),
    "many-vfs": ("factory", ("pve1",), many_vfs),
    "held-functions": ("esxi", ("esx1",), held_functions),
    "uplinked": ("esxi", ("esx1",), uplinked),
}
for situation in sys.argv[1:] or SITUATIONS:
    base, nodes, change = SITUATIONS[situation]
    for node in nodes:
        facts = Facts(base, node)
        change(facts)
        target = here / situation / f"{node}.json"
        target.parent.mkdir(exist_ok=True)
        target.write_text(json.dumps(facts.data, indent=2, sort_keys=True, ensure_ascii=False) + "\n")
