# SPDX-License-Identifier: Apache-2.0
"""ESX 3.5 and 4 by their service console: bundles in their order, link types, uplinks, options; one boot in maintenance mode."""
import json

from lab import Lab
from stories.esxi import killed_while_it_boots

DOCUMENT = """\
apiVersion: fabric/v1
name: esx-pair
hooks: {timeout: 5m}
nodes:
  esx[1-2]:
    platform: esx-classic
    os: {release: "%s"}
    software: {bundles: [%s]}
    modules: {ib_srp: {max_srp_targets: 4}}
    adapters: {hca: {model: connectx-ib-ddr-vpi, node_guid: "0x0002c903000e0b[72,76]"}}
  storage1:
    packages: [opensm, infiniband-diags]
    adapters: {hca: {model: connectx-ib-ddr-vpi}}
  ibsw: {platform: unmanaged}
networks:
  fabric:
    mode: infiniband
    mtu: 4096
    cables: [["esx[1-2]/hca/1", "ibsw/[1-2]"], ["storage1/hca/1", "ibsw/3"]]
    subnet_managers: [{node: storage1}]
    partitions:
      default: {pkey: "0x7fff", ipoib: true, mtu: 4096, members: {ALL: full}}
      vmotion: {pkey: "0x8010", ipoib: true, members: {"esx[1-2]": full}}
    vlans: {vmotion: {id: 16, partition: vmotion, tagging: vst}}
    ipoib: {mtu: 4052, uplinks: 6, ports: [storage1/hca/1], ipv4: {subnet: 26.4.6.0/24}}
"""
GUESTS = """\
  guests: {mode: ethernet, ports: ["esx[1-2]/hca/2"], mtu: 9000}
"""
BUNDLES = (("mlx4_en", "mlx4_en", ""), ("ib_basic", "ib_basic", "mlx4_en"), ("ib_ulp", "ib_ipoib ib_srp", "ib_basic"))


def bulletin(driver, release, modules, needs):
    return f"id {driver}-{release}\nsummary {driver}: driver of the vendor\nmodules {modules}\nneeds {needs}\n"


def lab_yaml(release="1.4.1", ending="zip", old="1.3"):
    """New bundles in the home of root; on the first host those of an old release are installed, with options of somebody else."""
    new = {f"/root/{driver}.{ending}": bulletin(driver, release, modules, needs) for driver, modules, needs in BUNDLES}
    there = {f"/etc/vmware/esxupdate/{driver}-{old}": bulletin(driver, old, modules, needs) for driver, modules, needs in BUNDLES}
    there["/etc/vmware/esx.conf"] = "".join(
        [f'/system/uuid = "4a1c0b7e-0d5a-11df-9d41-0c42a18c51a8"\n']
        + [f'/vmkernel/module/{module}.o/enabled = "true"\n' for module in ("mlx4_en", "ib_basic", "ib_ipoib", "ib_srp")]
        + ['/vmkernel/module/mlx4_en.o/options = "log_num_qp=18 port_types=17,1,1,17,2,2"\n'])
    card = {"hca": {"pci": "0000:0d:00.0"}}
    return json.dumps({"hosts": {"esx1": {"adapters": card, "files": {**new, **there}}, "esx2": {"adapters": card, "files": new}}})


def options(lab, node, module):
    return lab.ssh(node, f"esxcfg-module -g {module}").stdout.split("'")[1]


def reboot(lab, *nodes):
    before = lab.boots(*nodes)
    for node in nodes:
        lab.ssh(node, "reboot")
    assert lab.boots(*nodes) == [count + 1 for count in before], "they do not go down"
    for node in nodes:
        lab.wait_until_up(node)


def esx_classic_applied():
    """Old bundles go, the last first, and the new ones come in their order; types, uplinks and options beside what others have set; one boot each; nothing is left to do, also after a boot."""
    document = (DOCUMENT + GUESTS) % ("vSphere 4.0", "mlx4_en.zip, ib_basic.zip, ib_ulp.zip")
    with Lab(document=document, lab_yaml=lab_yaml()) as lab:
        said = " ".join(lab.fabric("--lab", "plan", expect=0).stdout.split())
        for text in ("bundles.install, module.options, reboot, hook.after", "maintenance.enter", "set there by hand: MTU 4052, VLANs", "hand: MTU 9000", "no-node-lock"):
            assert text in said, f"{text!r} is not in:\n{said}"
        done = " ".join(lab.apply().stderr.split())
        for text in ("remove ib_ulp-1.3, remove ib_basic-1.3, remove mlx4_en-1.3, install mlx4_en.zip (its signature is not checked), install ib_basic.zip, install ib_ulp.zip",
                     "set port_types of mlx4_en to 13,1,1,13,2,2 for hca"):
            assert text in done, f"{text!r} is not in:\n{done}"
        lab.monitor_is_clean(reboots=2)
        lab.plan_is_empty()
        # What others have set stays.
        assert options(lab, "esx1", "mlx4_en") == "log_num_qp=18 port_types=17,1,1,17,2,2,13,1,1,13,2,2", options(lab, "esx1", "mlx4_en")
        assert options(lab, "esx2", "mlx4_en") == "port_types=13,1,1,13,2,2", options(lab, "esx2", "mlx4_en")
        assert options(lab, "esx1", "ib_ipoib") == "ipoib_uplink_num=6" and options(lab, "esx1", "ib_srp") == "max_srp_targets=4"
        found = json.loads(lab.fabric("--lab", "discover", expect=0).stdout)["nodes"]["esx1"]
        assert found["identity"]["os_version"] == "4.0.0", found["identity"]
        assert found["resources"]["settings/hca"] == {"LINK_TYPE_P1": {"running": 1, "next_boot": 1}, "LINK_TYPE_P2": {"running": 2, "next_boot": 2}}, found["resources"]
        nics = [(nic["name"], nic["driver"]) for nic in found["inventory"]["nics"]]
        assert ("vmnic13.p2", "mlx4_en") in nics and sum(driver == "ib_ipoib" for _, driver in nics) == 6, nics
        assert {row["id"] for row in found["inventory"]["bulletins"]} == {"mlx4_en-1.4.1", "ib_basic-1.4.1", "ib_ulp-1.4.1"}, found["inventory"]
        said = lab.ssh("storage1", "cat /etc/opensm/fabric-*.partitions").stdout
        assert "vmotion=0x0010" in said and "0x0002c903000e0b73=full" in said, said
        reboot(lab, "esx1", "esx2")
        lab.plan_is_empty()
        # A card that comes up as something else is seen, and so is what somebody changes.
        lab.ssh("esx2", "esxcfg-module -s 'port_types=13,1,1,13,2,1 debug=1' mlx4_en")
        said = lab.fabric("--lab", "plan", expect=0).stdout
        assert "LINK_TYPE_P2" in said and "esx1" not in said.replace("esx[1-2]", ""), said
        lab.apply()
        assert options(lab, "esx2", "mlx4_en") == "debug=1 port_types=13,1,1,13,2,2", options(lab, "esx2", "mlx4_en")
        lab.plan_is_empty()


def esx_classic_vi3():
    """VI 3.5: packages in place of bundles, a list of uplinks, NetQueue with the kernel's own switch; a virtual machine that nobody moves keeps the host up."""
    document = DOCUMENT.replace("max_srp_targets: 4}}", 'max_srp_targets: 4}, ib_ipoib: {NetQueue: "1"}}') % ("VI 3.5", "mlx4_en.rpm, ib_basic.rpm, ib_ulp.rpm")
    with Lab(document=document, lab_yaml=lab_yaml(ending="rpm")) as lab:
        lab.ssh("esx1", "mkdir -p /vmfs/volumes/storage/db-7; touch /vmfs/volumes/storage/db-7/db-7.vmx")
        (lab.path / "fabric.yaml").write_text(document.replace("timeout: 5m", "timeout: 2s"))
        done = lab.apply(expect=10)
        assert "running virtual machines: db-7.vmx" in " ".join(done.stdout.split()), done.stdout
        lab.ssh("esx1", "touch /vmfs/volumes/storage/db-7/off")
        (lab.path / "fabric.yaml").write_text(document)
        lab.apply()
        lab.plan_is_empty()
        assert options(lab, "esx1", "ib_ipoib") == "NetQueue=1 UplinkNum=6", options(lab, "esx1", "ib_ipoib")
        assert lab.ssh("esx1", "esxcfg-advcfg -j netNetqueueEnabled").stdout == "netNetqueueEnabled = TRUE\n"
        assert sorted(lab.ssh("esx1", "rpm -qa").stdout.split()) == ["ib_basic-1.4.1", "ib_ulp-1.4.1", "mlx4_en-1.4.1"]
        reboot(lab, "esx1", "esx2")
        lab.plan_is_empty()


def esx_classic_killed():
    """A run that dies while the first host boots: nothing is done twice there, the host leaves its maintenance mode, and the other one follows."""
    document = (DOCUMENT + GUESTS) % ("vSphere 4.0", "mlx4_en.zip, ib_basic.zip, ib_ulp.zip")
    with Lab(document=document, lab_yaml=lab_yaml()) as lab:
        killed_while_it_boots(lab)
        said = " ".join(lab.fabric("--lab", "plan", expect=0).stdout.split())
        assert "drain/maintenance" in said and "1 reboot in" in said, said
        lab.apply()
        lab.monitor_is_clean(reboots=2)
        lab.plan_is_empty()
        assert options(lab, "esx1", "mlx4_en") == "log_num_qp=18 port_types=17,1,1,17,2,2,13,1,1,13,2,2", options(lab, "esx1", "mlx4_en")
