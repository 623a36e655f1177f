# SPDX-License-Identifier: Apache-2.0
"""Pairs of ConnectX-3: Ethernet and InfiniBand, with the tools that know the card and with those that do not."""
from documents import example
from lab import Lab, root
from steps import converges_and_stays


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


def ipoib_on_ifupdown2():
    """ifupdown2 makes the MTU of IPoIB 1500 where the file names none: it is what mode and group carry all the same, also after a boot."""
    def carries(mtu):
        return lab.ssh("machine-1", f"ping -c 1 -M do -s {mtu - 28} 10.30.0.2").returncode == 0

    said = ("      mode: connected          # ConnectX-3 still has it; ConnectX-4 and later do not\n      mtu: 65520\n", "")
    with Lab(document=example("cx3-pair-infiniband", said, ("    adapters:", "    network_backend: ifupdown\n    adapters:"),
                              ("model: connectx-3\n", "model: connectx-3\n        names: {1: ib40a}\n")),
             lab_yaml='hosts: {"machine-[1-2]": {tool_version: "4.21", backend: ifupdown2}}\n') as lab:
        converges_and_stays(lab, "machine-1")
        assert carries(4092) and not carries(4096)


def types_by_the_driver():
    """Tools of today print nothing of a ConnectX-3: its ports become Ethernet, and InfiniBand, by the driver's own parameter."""
    def array(node):
        return lab.ssh(node, "cat /etc/modprobe.d/fabric-port-types.conf").stdout.split("port_type_array=")[1].strip()

    infiniband = example("cx3-pair-infiniband", ("connectx-3\n", "connectx-3\n        names: {1: ib40a}\n"))
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
