# SPDX-License-Identifier: Apache-2.0
"""ESXi hosts: read over SSH, shown as their admins look at them, changed inside of maintenance mode."""
import json
import re
import subprocess

from examples import converged
from lab import Lab, binary, until
from steps import has_lines, shown

DOCUMENT = """\
apiVersion: fabric/v1
name: esxi-pair
nodes:
  esx[1-2]:
    platform: esxi
    %s
    os: {release: esxi-8, minimum: "8.0.3"}
    software: {mft: "4.26.0-92"}
    modules: {nmlx5_core: {pfctx: "8"}}
    adapters: {cx5: {model: connectx-5-vpi, sriov: {vfs: 4}, firmware: {params: {NUM_OF_VFS: 8}}}}
"""
LAB = """\
hosts:
  esx1:
    files:
      /etc/vmware/esx.conf: |
        /system/uuid = "5f8c1d2e-7a30-4b6c-9d41-0c42a18c51a8"
        /vmkernel/module/nmlx5_core.so/options = "pfctx=0x08 max_vfs=4,4"
    adapters:
      cx5: {settings: {LINK_TYPE_P1: "2", LINK_TYPE_P2: "2", SRIOV_EN: "1", NUM_OF_VFS: "8"}}
  esx2:
    adapters:
      cx5: {settings: {LINK_TYPE_P1: "2", LINK_TYPE_P2: "2"}}
"""


def rewrite(lab, document):
    (lab.path / "fabric.yaml").write_text(document)


def esxi_discovered():
    """What the document asks for and what an admin looks for, of two hosts of which one is as the document wants it."""
    with Lab(document=DOCUMENT % "state: observe", lab_yaml=LAB) as lab:
        found = json.loads(lab.fabric("--lab", "discover", expect=0).stdout)["nodes"]
        one, two = found["esx1"], found["esx2"]
        assert one["identity"]["machine_id"] == "5f8c1d2e-7a30-4b6c-9d41-0c42a18c51a8", one["identity"]
        assert one["identity"]["os_version"] == "8.0.3" and "boot_id" not in one["identity"], one["identity"]
        assert one["resources"]["sriov/cx5"]["vfs"]["running"] == 4, one["resources"]
        assert one["resources"]["settings/cx5"]["NUM_OF_VFS"] == {"running": 8, "next_boot": 8}, one["resources"]
        assert two["resources"]["sriov/cx5"]["vfs"]["running"] == 0, two["resources"]
        listed = one["inventory"]
        assert listed["host"]["maintenance_mode"] is False and listed["host"]["managed_by"] == "none", listed["host"]
        assert listed["host"]["uptime_seconds"] >= 0 and listed["host"]["version"] == "8.0.3", listed["host"]
        assert [card["firmware"] for card in listed["cards"]] == ["16.35.2000"], listed["cards"]
        assert [nic["name"] for nic in listed["nics"]] == ["vmnic0", "vmnic2", "vmnic3"], listed["nics"]
        assert listed["modules"]["nmlx5_core"]["options"] == "pfctx=0x08 max_vfs=4,4", listed["modules"]
        assert len(listed["virtual_functions"]["vmnic3"]) == 4, listed["virtual_functions"]
        assert {vib["name"] for vib in listed["vibs"]} == {"nmlx5-core", "nmlx5-rdma", "mft", "nmst"}, listed["vibs"]
        assert listed["vswitches"][0]["uplinks"] == ["vmnic0"], listed["vswitches"]
        done = lab.fabric("--lab", "plan", "--refresh-only", expect=0)
        assert "pfctx" in done.stdout and "esx2" in done.stdout, done.stdout
        for words, answer in (("network nic lists", "Error: Unknown command or namespace network nic lists"),
                              ("network sriovnic vf list -n vmnic0", "There is no SRIOV Nic with name vmnic0")):
            said = lab.ssh("esx1", "esxcli " + words)
            assert said.returncode == 1 and said.stdout.startswith(answer), said
        said = lab.ssh("esx1", "systemctl status")
        assert said.returncode == 127 and "not found" in said.stderr, said


PAIR = """\
apiVersion: fabric/v1
name: esxi-two
hooks: {timeout: 5m}
nodes:
  esx[1-2]:
    platform: esxi
    modules: {nmlx5_core: {pfctx: "0x08", pfcrx: "0x08"}}
    adapters: {cx7: {model: connectx-7, ports: 1, pci: "0000:01:00.0", sriov: {vfs: 15}}}
  ibsw: {platform: mlnx-os, state: observe}
networks:
  ndr:
    mode: infiniband
    cables: [["esx[1-2]/1", "ibsw/1/[1-2]"]]
    subnet_managers: [{node: ibsw, priority: 15}]
    subnet_manager: {virtualization: true}
"""
# The switch is as the document wants it: it is only observed.
SWITCH = """\
hosts:
  ibsw:
    files:
      initial: |
        ib sm
        ib sm sm-priority 15
        ib sm virt enable
"""
# Another card of the driver with virtual functions of its own, and an option that nobody asks fabric for.
CARDS = """\
  esx1:
    files:
      /etc/vmware/esx.conf: |
        /system/uuid = "5f8c1d2e-7a30-4b6c-9d41-0c42a18c51a8"
        /vmkernel/module/nmlx5_core.so/options = "supported_num_ports=8 max_vfs=0,4 trust_state=2"
"""
OTHERS = SWITCH + CARDS


def options(lab, node):
    said = lab.ssh(node, "esxcfg-module -g nmlx5_core").stdout
    return said[said.index("'") + 1:said.rindex("'")]


def mode(lab, node):
    return lab.ssh(node, "esxcli system maintenanceMode get").stdout.strip()


def killed_while_it_boots(lab):
    """An apply that dies while esx1 is down, which boots after that."""
    lab.hold("esx1")
    running = subprocess.Popen([binary, "--lab", "apply", "--auto-approve"], cwd=lab.path, stdin=subprocess.DEVNULL,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    lab.wait_until_down("esx1", running)
    running.kill()
    running.wait()
    lab.let_go("esx1")
    lab.wait_until_up("esx1")


def boot(lab, *hosts):
    """Puts them in maintenance mode, reboots them and takes them out of it."""
    before = lab.boots(*hosts)
    for host in hosts:
        lab.ssh(host, "esxcli system maintenanceMode set -e true -t 5; esxcli system shutdown reboot -r test -d 10")
    assert lab.boots(*hosts) == [count + 1 for count in before], "they do not go down"
    for host in hosts:
        lab.wait_until_up(host)
    for host in hosts:
        lab.ssh(host, "esxcli system maintenanceMode set -e false -t 5")


def esxi_applied():
    """Settings, options and one boot in waves, each host in maintenance mode meanwhile; what stood in an option string stays; nothing is left to do, also after a boot of all."""
    with Lab(document=PAIR, lab_yaml=OTHERS) as lab:
        plan = lab.fabric("--lab", "plan", expect=0).stdout
        for text in ("ADVANCED_PCI_SETTINGS", "FORCE_ETH_PCI_SUBCLASS", "NUM_OF_VFS", "maintenance.enter"):
            assert text in plan, f"{text} is not in:\n{plan}"
        lab.apply()
        lab.monitor_is_clean(reboots=2)
        lab.plan_is_empty()
        assert options(lab, "esx1") == "supported_num_ports=8 trust_state=2 pfcrx=0x08 pfctx=0x08 max_vfs=15,4", options(lab, "esx1")
        found = json.loads(lab.fabric("--lab", "discover", expect=0).stdout)["nodes"]
        for node in ("esx1", "esx2"):
            assert found[node]["resources"]["sriov/cx7"]["vfs"] == {"running": 15, "next_boot": 15}, found[node]
            assert mode(lab, node) == "Disabled"
        # The switch tells of its links, and nobody of what is at their other ends.
        said = " ".join(lab.fabric("--lab", "verify", expect=4).stdout.split())
        for text in ("ibsw/1/1 has a link, but nothing shows the port at its other end", "= help: give `--wire FILE`", "0 of 2 cables judged"):
            assert text in said, f"{text!r} is not in:\n{said}"
        boot(lab, "esx1", "esx2")
        lab.plan_is_empty()


def esxi_cables_by_the_switch():
    """Cables of ESXi hosts on InfiniBand, by the ports of their switch: out at either end, shut, and right where a link is enough."""
    with Lab(document=PAIR.replace("state: observe}", "state: observe, proof: carrier}"), lab_yaml=SWITCH) as lab:
        lab.fabric("--lab", "verify", "--level", "link", expect=0)
        lab.fabric("lab", "unplug", "esx1/cx7/1", expect=0)
        done = lab.fabric("--lab", "verify", "--level", "link", expect=13)
        assert "missing   esx1/cx7/1 - ibsw/1/1: no link at ibsw/1/1" in done.stdout, done.stdout
        lab.fabric("lab", "recable", "esx1/cx7/1", "ibsw/1/1", expect=0)
        lab.at_prompt("ibsw", "enable", "configure terminal", "interface ib 1/2 shutdown", "exit", "exit")
        said = " ".join(lab.fabric("--lab", "verify", "--level", "link", expect=13).stdout.split())
        for text in ("cable esx2/cx7/1 - ibsw/1/2 carries nothing: ibsw/1/2 is shut", "open it on ibsw, where fabric changes nothing"):
            assert text in said, f"{text!r} is not in:\n{said}"


def esxi_killed_in_maintenance():
    """A run that dies inside of maintenance mode: the next one leaves it, though it has nothing else to do there; what somebody else entered stays entered."""
    with Lab(document=PAIR, lab_yaml=OTHERS) as lab:
        killed_while_it_boots(lab)
        assert mode(lab, "esx1") == "Enabled"
        # Somebody works on the other one.
        lab.ssh("esx2", "esxcli system maintenanceMode set -e true -t 60")
        said = lab.fabric("--lab", "plan", expect=0).stdout
        assert "drain/maintenance" in said and "leave the maintenance mode" not in said, said
        lab.apply()
        assert (mode(lab, "esx1"), mode(lab, "esx2")) == ("Disabled", "Enabled")
        lab.monitor_is_clean(reboots=2)
        lab.plan_is_empty()


def esxi_maintenance_hangs():
    """A virtual machine that nobody moves: its name is said, the host is not booted, and no run is left half way."""
    machine = "    files: {/vmfs/volumes/datastore1/db-7/db-7.vmx: x}\n"
    with Lab(document=PAIR.replace("timeout: 5m", "timeout: 2s"), lab_yaml=SWITCH + "  esx1:\n" + machine) as lab:
        done = lab.apply(expect=10)
        assert "running virtual machines: db-7" in " ".join(done.stdout.split()), done.stdout
        lab.monitor_is_clean(reboots=0)
        assert mode(lab, "esx1") == "Disabled"
        world = lab.ssh("esx1", "esxcli --formatter=keyvalue vm process list").stdout.split("WorldID.integer=")[1].split()[0]
        lab.ssh("esx1", f"esxcli vm process kill -t soft -w {world}")
        rewrite(lab, PAIR)
        lab.apply()
        lab.monitor_is_clean(reboots=2)
        lab.plan_is_empty()


def esxi_links():
    """Names in a folder where anybody writes lead root nowhere; a link where only root writes is refused and nothing is written through it."""
    with Lab(document=PAIR, lab_yaml=OTHERS) as lab:
        for node in ("esx1", "esx2"):
            lab.ssh(node, "for name in fabric-boot fabric-pending; do ln -s /etc/aim /tmp/$name; done")
        lab.ssh("esx2", "ln -s /etc/aim /var/run/fabric-boot")
        done = lab.apply(expect=10)
        assert "current boot can't be identified" in " ".join(done.stdout.split()), done.stdout
        for node in ("esx1", "esx2"):
            assert lab.ssh(node, "cat /etc/aim").returncode != 0, node
        lab.monitor_is_clean(reboots=1)
        lab.ssh("esx2", "rm /var/run/fabric-boot /var/run/fabric-pending; ln -s /etc/aim /var/run/fabric-pending")
        plan = lab.fabric("--lab", "plan", expect=0).stdout
        assert "esxi-module-pending failed" in " ".join(plan.split()), plan
        lab.ssh("esx2", "rm /var/run/fabric-pending")
        lab.apply()
        lab.monitor_is_clean(reboots=2)
        lab.plan_is_empty()


def esxi_functions_go():
    """Virtual functions that fabric has made are noted and go with the key, also where a run dies before the boot; those of another card, which nobody has noted, stay."""
    with Lab(document=PAIR, lab_yaml=OTHERS) as lab:
        lab.apply()
        note = "esxcli --formatter=keyvalue system settings advanced list -o /UserVars/FabricFunctions"
        assert "StringValue.string=cx7@0000:01:00.0\n" in lab.ssh("esx1", note).stdout, lab.ssh("esx1", note).stdout
        rewrite(lab, PAIR.replace(", sriov: {vfs: 15}", ""))
        said = lab.fabric("--lab", "plan", expect=0).stdout
        assert "15 -> 0" in said and "SRIOV_EN" in said and "2 reboots" in said, said
        killed_while_it_boots(lab)
        lab.apply()
        lab.plan_is_empty()
        assert options(lab, "esx1").endswith("max_vfs=0,4"), options(lab, "esx1")
        for node in ("esx1", "esx2"):
            left = lab.ssh(node, f"{note} 2>&1 || true").stdout
            assert "Unable to find option" in left, left
            assert mode(lab, node) == "Disabled"
        # What a person makes then is his.
        lab.ssh("esx2", "esxcli system module parameters set -m nmlx5_core -p 'pfcrx=0x08 pfctx=0x08 max_vfs=8'; mlxconfig -y -d 0000:01:00.0 set SRIOV_EN=1")
        boot(lab, "esx2")
        lab.plan_is_empty()


RECOVERY = """\
apiVersion: fabric/v1
name: esxi-recovery
hooks: {timeout: 5m}
nodes:
  esx1:
    platform: esxi
    adapters: {cx7: {model: connectx-7, ports: 1, pci: "0000:01:00.0", firmware: {recovery_mode: true}}}
"""
# A card that the firmware tools do not see, and another one of the driver with options of its own.
UNSEEN = "hosts:\n" + CARDS + '        /device/0000:01:00.0/unseen = "true"\n'


def esxi_recovery():
    """A card that no firmware tool sees: the driver in recovery mode for one boot, as always after the next, in one plan; options of others stay. A run that dies between the two boots is gone on with at the second."""
    with Lab(document=RECOVERY, lab_yaml=UNSEEN) as lab:
        assert "mt" not in lab.ssh("esx1", "/opt/mellanox/bin/mst status").stdout.lower().replace("mst devices", "")
        plan = lab.fabric("--lab", "plan", expect=0).stdout
        assert "2 reboots in 1 wave" in plan and "reboot, recovery.leave" in " ".join(plan.split()), plan
        lab.apply()
        assert lab.status()["monitor"]["reboots"] == 2, lab.status()["monitor"]
        lab.plan_is_empty()
        assert options(lab, "esx1") == "supported_num_ports=8 max_vfs=0,4 trust_state=2 mst_recovery=0", options(lab, "esx1")
        assert "pciconf0" in lab.ssh("esx1", "/opt/mellanox/bin/mst status").stdout
        assert mode(lab, "esx1") == "Disabled"
    with Lab(document=RECOVERY, lab_yaml=UNSEEN) as lab:
        killed_while_it_boots(lab)
        plan = lab.fabric("--lab", "plan", expect=0).stdout
        assert "1 reboot in 1 wave" in plan and "recovery.leave" in plan and "recovery.enter" not in plan, plan
        lab.apply()
        assert lab.status()["monitor"]["reboots"] == 2, lab.status()["monitor"]
        lab.plan_is_empty()
        assert mode(lab, "esx1") == "Disabled"


def esxi_unloaded():
    """A driver that unloaded by itself is loaded again without a boot."""
    with Lab(document=PAIR, lab_yaml=OTHERS) as lab:
        lab.ssh("esx1", "vmkload_mod -u nmlx5_core")
        said = lab.fabric("--lab", "plan", "--limit", "esx1", expect=0).stdout
        assert "loaded" in said, said
        lab.apply()
        lab.plan_is_empty()
        lab.ssh("esx2", "vmkload_mod -u nmlx5_core")
        lab.apply()
        lab.monitor_is_clean(reboots=2)
        assert "vmnic2" in lab.ssh("esx2", "esxcli --formatter=keyvalue network nic list").stdout
        lab.plan_is_empty()


STORAGE = """\
apiVersion: fabric/v1
name: esxi-mtu
hooks: {timeout: 5m}
nodes:
  esx[1-2]: {platform: esxi, adapters: {cx6: {model: connectx-6-dx, pci: "0000:01:00.0"}}}
  leaf1: {platform: unmanaged, proof: carrier}
networks:
  storage: {mode: ethernet, mtu: 9000, vswitch: vSwitch1, cables: [["esx[1-2]/1", "leaf1/[1-2]"]]}
"""
HOST = """\
  esx{0}:
    files:
      /etc/vmware/esx.conf: |
        /system/uuid = "5f8c1d2e-7a30-4b6c-9d41-0c42a18c51a{0}"
        /net/vswitch/child[0001]/name = "{1}"
        /net/vswitch/child[0001]/mtu = "{2}"
        /net/vswitch/child[0001]/uplinks = "vmnic2"
        /net/vswitch/child[0001]/portgroups = "storage"
        /net/vswitch/child[0001]/distributed = "{3}"
        /net/vmkernelnic/child[0001]/name = "vmk1"
        /net/vmkernelnic/child[0001]/mtu = "1500"
        /net/vmkernelnic/child[0001]/portgroup = "storage"
        /net/vmkernelnic/child[0001]/ipv4address = "10.30.0.{0}"
"""


def storage(name, mtu, distributed):
    return "hosts:\n" + "".join(HOST.format(host, name, mtu, distributed) for host in (1, 2))


def esxi_vswitch():
    """The MTU of a standard switch with its uplinks and the kernel's interfaces, raised from below and lowered from above, without a boot; verify pings the whole of it from the kernel. Nothing there rolls it back, so that it needs to be allowed."""
    with Lab(document=STORAGE, lab_yaml=storage("vSwitch1", 1500, "false")) as lab:
        allowed = ("--auto-approve", "--allow-no-rollback", "esx[1-2]")
        planned = lab.fabric("--lab", "plan", expect=0)
        assert "no-rollback-timer" in planned.stdout and "--allow-no-rollback 'esx[1-2]'" in planned.stdout, planned.stdout
        refused = lab.fabric("--lab", "apply", "--auto-approve", expect=3)
        assert "--allow-no-rollback 'esx[1-2]' allows it" in " ".join(refused.stderr.split()), refused.stderr
        lab.fabric("--lab", "apply", *allowed, expect=0)
        for node in ("esx1", "esx2"):
            assert "MTU: 9000" in lab.ssh(node, "esxcli network vswitch standard list -v vSwitch1").stdout
            assert "MTU: 1500" in lab.ssh(node, "esxcli network vswitch standard list -v vSwitch0").stdout
            assert lab.ssh(node, "esxcli --formatter=keyvalue network ip interface list").stdout.count("MTU.integer=9000") == 1
            assert mode(lab, node) == "Disabled"
        lab.monitor_is_clean(reboots=0)
        lab.plan_is_empty()
        paths = json.loads(lab.fabric("--lab", "verify", "--format", "json", expect=0).stdout)["paths"]
        assert [(path["interface"], path["address"], path["full"]) for path in paths] == [
            ("vmk1", "10.30.0.2", "passed"), ("vmk1", "10.30.0.1", "passed")], paths
        # Somebody lowers it at one of them.
        lab.ssh("esx2", "esxcli network ip interface set -i vmk1 -m 1500; esxcli network vswitch standard set -v vSwitch1 -m 1500")
        lab.verify_says("mtu-lost")
        rewrite(lab, STORAGE.replace("mtu: 9000", "mtu: 4000"))
        lab.fabric("--lab", "apply", *allowed, expect=0)
        lab.plan_is_empty()
        lab.fabric("--lab", "verify", expect=0)


def esxi_distributed_switch():
    """A distributed switch is vCenter's: its MTU is compared, and nothing sets it."""
    document = STORAGE.replace("vSwitch1", "DSwitch")
    with Lab(document=document, lab_yaml=storage("DSwitch", 1500, "true")) as lab:
        plan = lab.fabric("--lab", "plan").stdout
        assert "set the MTU in vCenter" in " ".join(plan.split()), plan
        rewrite(lab, document.replace("mtu: 9000", "mtu: 1500"))
        lab.plan_is_empty()


# Virtual functions are there, and each machine that has a device of its own holds one.
HELD = """\
hosts:
  esx1:
    files:
      /etc/vmware/esx.conf: |
        /system/uuid = "5f8c1d2e-7a30-4b6c-9d41-0c42a18c51a8"
        /vmkernel/module/nmlx5_core.so/options = "max_vfs=4"
      /vmfs/volumes/datastore1/db-7/db-7.vmx: 'pciPassthru0.present = "TRUE"'
      /vmfs/volumes/datastore1/web-2/web-2.vmx: 'pciPassthru0.present = "FALSE"'
    adapters: {cx7: {settings: {ADVANCED_PCI_SETTINGS: "1", FORCE_ETH_PCI_SUBCLASS: "1", SRIOV_EN: "1", NUM_OF_VFS: "8"}}}
"""


def esxi_held_functions():
    """Virtual machines that hold a virtual function will not move: the plan names them before a wave starts, and nobody else."""
    with Lab(document=PAIR.replace("timeout: 5m", "timeout: 2s"), lab_yaml=HELD) as lab:
        plan = lab.fabric("--lab", "plan", expect=0)
        said = " ".join((plan.stdout + plan.stderr).split())
        assert "esx1: virtual machines hold virtual functions and will not move: db-7" in said, said
        assert "web-2" not in said and "esx2: virtual machines" not in said, said
        lab.fabric("--lab", "plan", "--out", "saved.plan", expect=0)
        assert "machine-holds-function" in (lab.path / "saved.plan").read_text()
        lab.apply(expect=10)
        for line in lab.ssh("esx1", "esxcli --formatter=keyvalue vm process list").stdout.splitlines():
            if "WorldID" in line:
                lab.ssh("esx1", f"esxcli vm process kill -t soft -w {line.split('=')[1]}")
        rewrite(lab, PAIR)
        plan = lab.fabric("--lab", "plan", expect=0)
        assert "machine-holds-function" not in plan.stdout + plan.stderr, plan
        lab.apply()
        lab.monitor_is_clean(reboots=2)


PASSTHROUGH = """\
apiVersion: fabric/v1
name: esxi-passthrough
hooks: {timeout: 5m}
nodes:
  esx1:
    platform: esxi
    adapters:
      a: {model: connectx-6-dx, pci: "0000:01:00.0", sriov: {passthrough: true}}
      b: {model: connectx-6-dx, pci: "0000:02:00.0", sriov: {vfs: 4}}
"""


def owners(lab):
    said = lab.ssh("esx1", "esxcli --formatter=keyvalue hardware pci pcipassthru list").stdout
    return dict(zip(re.findall("DeviceID.string=(.*)", said), re.findall("Enabled.boolean=(.*)", said)))


def esxi_passthrough():
    """A whole card for a guest, without virtual functions, beside one with them; nobody has a say in what the guest sets then. A run that dies before the boot is gone on with."""
    # Two entries of the card that goes, two of another one, two of one that the document does not name.
    given = "hosts:\n" + CARDS.replace("max_vfs=0,4", "max_vfs=1,2,0,0,3,5")
    with Lab(document=PASSTHROUGH, lab_yaml=given) as lab:
        running = subprocess.Popen([binary, "--lab", "apply", "--auto-approve"], cwd=lab.path, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        until("no card is passed through", lambda: "true" in owners(lab).values(), running)
        running.kill()
        running.wait()
        # What a guest sets of the card is its own: nothing of it is declared, so nothing is unknown.
        lab.apply()
        assert lab.status()["monitor"]["reboots"] == 1, lab.status()["monitor"]
        shown = owners(lab)
        assert [shown[f"0000:01:00.{port}"] for port in (0, 1)] == ["true", "true"] and "true" not in {shown["0000:02:00.0"], shown["0000:1c:00.0"]}, shown
        found = json.loads(lab.fabric("--lab", "discover", expect=0).stdout)["nodes"]["esx1"]
        assert found["resources"]["passthrough/a"]["passthrough"] == {"running": True, "next_boot": True}, found["resources"]
        assert found["resources"]["sriov/b"]["vfs"]["running"] == 4, found["resources"]
        assert options(lab, "esx1") == "supported_num_ports=8 trust_state=2 max_vfs=4,4,3,5", options(lab, "esx1")
        plan = lab.fabric("--lab", "plan", expect=0).stdout
        assert "unknown" not in plan and "mlxconfig" not in plan, plan
        assert mode(lab, "esx1") == "Disabled", plan


def esxi_passthrough_and_back():
    """A card with virtual functions goes to a guest, after a boot without them, and comes back, by a boot before it gets others; entries of max_vfs move with it, and each plan says that a round follows."""
    def becomes(wish, boots, rounds):
        before = lab.status()["monitor"]["reboots"]
        rewrite(lab, PASSTHROUGH.replace("sriov: {passthrough: true}", "sriov: {%s}" % wish))
        planned = " ".join(lab.fabric("--lab", "plan", expect=0).stdout.split())
        assert ("a further round follows after the boot of esx1" in planned) == rounds, planned
        lab.apply()
        assert lab.status()["monitor"]["reboots"] - before == boots, (wish, lab.status()["monitor"])
        lab.plan_is_empty()
        lab.fabric("--lab", "verify", expect=0)
        return json.loads(lab.fabric("--lab", "discover", expect=0).stdout)["nodes"]["esx1"]["resources"]

    with Lab(document=PASSTHROUGH.replace("passthrough: true", "vfs: 4"), lab_yaml="hosts:\n" + CARDS) as lab:
        becomes("vfs: 4", 1, False)
        given = becomes("passthrough: true", 2, True)
        assert given["passthrough/a"]["passthrough"]["running"] and given["sriov/b"]["vfs"]["running"] == 4, given
        assert "max_vfs=4,4" in options(lab, "esx1") and "max_vfs=4,4," not in options(lab, "esx1"), options(lab, "esx1")
        back = becomes("vfs: 2", 2, True)
        assert back["sriov/a"]["vfs"]["running"] == 2 and back["sriov/b"]["vfs"]["running"] == 4, back
        assert "max_vfs=2,2,4,4" in options(lab, "esx1"), options(lab, "esx1")
        becomes("passthrough: true", 2, True)
        kept = becomes("passthrough: false", 1, True)
        assert kept["sriov/a"]["vfs"]["running"] == 0 and kept["sriov/b"]["vfs"]["running"] == 4, kept
        assert "true" not in owners(lab).values() and "max_vfs=0,0,4,4" in options(lab, "esx1"), options(lab, "esx1")


def esxi_passthrough_of_a_vpi_card():
    """A card that a guest gets has its link type by a boot before, and none of its parameters is unknown after; a cable that nobody can see then is not judged."""
    document = """\
apiVersion: fabric/v1
name: esxi-vpi
hooks: {timeout: 5m}
nodes:
  esx[1-2]: {platform: esxi, adapters: {a: {model: connectx-5-vpi}}}
networks:
  lan: {mode: ethernet, cables: [[esx1/1, esx2/1]]}
"""
    given = document.replace("  esx[1-2]", "  esx1: {platform: esxi, adapters: {a: {model: connectx-5-vpi, sriov: {passthrough: true}}}}\n  esx2")
    with Lab(document=given) as lab:
        lab.apply()
        assert lab.status()["monitor"]["reboots"] == 3, lab.status()["monitor"]
        lab.plan_is_empty()
        said = lab.fabric("--lab", "verify", expect=4).stdout
        assert "no network device of a is known on esx1" in " ".join(said.split()), said


FOUR = """\
apiVersion: fabric/v1
name: esxi-four
hooks: {timeout: 5m}
nodes:
  esx1:
    platform: esxi
    adapters:
      a: {model: connectx-7, ports: 1, pci: "0000:01:00.0"}
      b: {model: connectx-5-vpi, pci: "0000:02:00.0"}
      c: {model: connectx-6-dx, pci: "0000:03:00.0", sriov: {vfs: 15}}
      d: {model: connectx-6-dx, pci: "0000:04:00.0"}
"""
# Each card has what somebody set of it, and virtual functions of its own; entries of max_vfs are in order of address.
FOUR_LAB = """\
hosts:
  esx1:
    files:
      /etc/vmware/esx.conf: |
        /system/uuid = "5f8c1d2e-7a30-4b6c-9d41-0c42a18c51a8"
        /vmkernel/module/nmlx5_core.so/options = "RSS=4 max_vfs=1,2,3,0,0,5,6 DRSS=4"
    adapters:
      a: {settings: {SRIOV_EN: "1", NUM_OF_VFS: "3", ADVANCED_PCI_SETTINGS: "1"}, next_boot: {NUM_OF_VFS: "4"}}
      b: {settings: {LINK_TYPE_P1: "2", LINK_TYPE_P2: "2", SRIOV_EN: "1", NUM_OF_VFS: "6"}}
      d: {settings: {SRIOV_EN: "1", NUM_OF_VFS: "9"}}
"""


def next_boot(lab, node="esx1"):
    """Of each card of the host what mlxconfig shows, by device."""
    devices = [line.split()[0] for line in lab.ssh(node, "/opt/mellanox/bin/mst status").stdout.splitlines() if line.startswith("mt")]
    return {device: lab.ssh(node, f"/opt/mellanox/bin/mlxconfig -d {device} q").stdout for device in devices}


def esxi_other_cards():
    """Of four cards one is changed: what was set of the three others, for now and for the next boot, stays, and so do their entries of max_vfs."""
    with Lab(document=FOUR, lab_yaml=FOUR_LAB) as lab:
        before = next_boot(lab)
        assert len(before) == 4, before
        lab.apply()
        lab.monitor_is_clean(reboots=1)
        assert options(lab, "esx1") == "RSS=4 DRSS=4 max_vfs=1,2,3,15,15,5,6", options(lab, "esx1")
        after = next_boot(lab)
        changed = [device for device, text in before.items() if after[device] != text]
        assert len(changed) == 1, f"{changed} of {list(before)}"
        lab.plan_is_empty()


def esxi_example():
    """The example of four hosts and their switch: a wave for each host, nobody is down beside another one, the switch starts its manager for virtual functions and saves that, verify finds nothing wrong, and nothing is left to do, also after a boot of everything."""
    hosts = [f"esx{number}" for number in range(1, 5)]

    def look_at_plan(plan):
        assert "waves 1-4: esx[1-4], 1 node a wave" in plan and "sc2-r04ibswa" in plan, plan

    with converged("vsphere8-sriov", look_at_plan) as lab:
        # One boot of the plan's, and ours.
        assert lab.boots(*hosts) == [2] * 4, lab.boots(*hosts)
        assert [mode(lab, host) for host in hosts] == ["Disabled"] * 4
        assert options(lab, "esx1") == "pfctx=0x08 pfcrx=0x08 trust_state=2 max_vfs=15", options(lab, "esx1")
        has_lines(shown(lab, "show running-config", "sc2-r04ibswa"), "ib sm", "ib sm sm-priority 15", "ib sm virt enable")


# Cards of several generations on one driver, virtual functions and storage with large frames.
BOTH = """\
apiVersion: fabric/v1
name: esxi-storage
hooks: {timeout: 5m}
nodes:
  h[1-2]:
    platform: esxi
    modules: {nmlx5_core: {RSS: "4"}, nmlx5_rdma: {pcp_force: "3"}}
    adapters:
      fast: {model: connectx-6-dx, pci: "0000:c1:00.0", sriov: {vfs: 7}}
      old: {model: connectx-5-en, pci: "0000:05:00.0", sriov: {vfs: 3}}
      third: {model: connectx-4-lx, pci: "0000:81:00.0"}
  leaf: {platform: unmanaged, proof: carrier}
networks:
  storage: {mode: ethernet, mtu: 9000, vswitch: vSwitch1, cables: [["h[1-2]/fast/1", "leaf/[1-2]"]]}
"""
# Words of others, one of them odd; the third card is somebody's, and set for the next boot.
BOTH_HOST = """\
  h{0}:
    files:
      /etc/vmware/esx.conf: |
        /system/uuid = "5f8c1d2e-7a30-4b6c-9d41-0c42a18c51b{0}"
        /vmkernel/module/nmlx5_core.so/options = "max_vfs=0,0,9,8 DRSS=16 foreign_word trust_state=2 'odd=1"
        /net/vswitch/child[0001]/name = "vSwitch1"
        /net/vswitch/child[0001]/mtu = "1500"
        /net/vswitch/child[0001]/uplinks = "vmnic2"
        /net/vswitch/child[0001]/portgroups = "storage"
        /net/vmkernelnic/child[0001]/name = "vmk1"
        /net/vmkernelnic/child[0001]/mtu = "1500"
        /net/vmkernelnic/child[0001]/portgroup = "storage"
        /net/vmkernelnic/child[0001]/ipv4address = "10.30.0.{0}"
    adapters:
      third: {{settings: {{SRIOV_EN: "1", NUM_OF_VFS: "12"}}, next_boot: {{NUM_OF_VFS: "13"}}}}
"""


def third_card(lab):
    """What mlxconfig shows of it."""
    return next(text for device, text in next_boot(lab, "h1").items() if device.startswith("mt4117"))


def esxi_functions_and_frames():
    """Virtual functions need a boot, large frames none: both come with one plan, and all that others have set stays."""
    with Lab(document=BOTH, lab_yaml="hosts:\n" + "".join(BOTH_HOST.format(host) for host in (1, 2))) as lab:
        before = third_card(lab)
        assert "13" in before, before
        lab.fabric("--lab", "apply", "--auto-approve", "--allow-no-rollback", "h[1-2]", expect=0)
        lab.monitor_is_clean(reboots=2)
        lab.plan_is_empty()
        lab.fabric("--lab", "verify", expect=0)
        for node in ("h1", "h2"):
            assert options(lab, node) == "DRSS=16 foreign_word trust_state=2 'odd=1 RSS=4 max_vfs=3,3,9,8,7,7", options(lab, node)
            assert "MTU: 9000" in lab.ssh(node, "esxcli network vswitch standard list -v vSwitch1").stdout
            assert mode(lab, node) == "Disabled"
        after = third_card(lab)
        assert [line.split()[-1] for line in after.splitlines() if "NUM_OF_VFS" in line] == ["13"], after
