# SPDX-License-Identifier: Apache-2.0
"""What the document does not ask for any more."""
from documents import BACKUP, STORAGE, TWO
from lab import Lab
from stories.adoption import given_back_and_taken_again


def removal():
    """What the document does not ask for any more goes from the nodes: an attribute, a network, a whole node."""
    with Lab(document=TWO % "" + STORAGE + BACKUP) as lab:
        lab.apply()

        def found(node):
            return lab.ssh(node, "ls /etc/systemd/network /etc/sysctl.d; ip -o addr show; cat /proc/sys/net/ipv4/conf/all/arp_ignore").stdout

        assert "10.31.0.1/" in found("n1") and "fd31::1/" in found("n1"), found("n1")
        (lab.path / "fabric.yaml").write_text(TWO % "" + STORAGE + BACKUP.replace("ipv6: {subnet: fd31::/64}", ""))
        lab.apply()
        lab.plan_is_empty()
        assert "10.31.0.1/" in found("n1") and "fd31::1/" not in found("n1"), found("n1")
        (lab.path / "fabric.yaml").write_text(TWO % "" + STORAGE)
        done = lab.fabric("--lab", "plan", "--out", "removal.plan", expect=0)
        assert "2 to remove" in done.stdout, done.stdout
        lab.fabric("--lab", "apply", "removal.plan", expect=0)
        lab.plan_is_empty()
        assert "10.31.0.1/" not in found("n1") and "fabric-cx5.2" not in found("n1"), found("n1")
        assert "10.30.0.1/" in found("n1"), found("n1")
        (lab.path / "fabric.yaml").write_text(TWO % "state: absent, " + "  {}\n")
        lab.apply()
        lab.plan_is_empty()
        assert "10.30.0.1/" not in found("n1") and "fabric" not in found("n1"), found("n1")


def removed_with_a_boot():
    """A network, a name and a sysctl that go while the node reboots for something else are gone after it."""
    names = "names: {1: %s}, "
    two = TWO.replace("model:", names % "fab0, 2: fab1" + "model:") % "sysctl: {vm.swappiness: 10}, "
    with Lab(document=two + STORAGE + BACKUP) as lab:
        lab.apply()
        assert "fab1" in lab.ssh("n1", "ip -o addr show; cat /etc/sysctl.d/*").stdout
        (lab.path / "fabric.yaml").write_text(TWO.replace("model:", names % "fab7" + "model:") % "" + STORAGE)
        lab.apply()
        lab.plan_is_empty()
        lab.monitor_is_clean(reboots=4)
        found = lab.ssh("n1", "ip -o addr show; ls /etc/systemd/network /etc/sysctl.d").stdout
        assert "fab7" in found and "10.30.0.1/" in found, found
        assert "10.31.0.1/" not in found and "fabric-cx5.2" not in found and "sysctl.d/90" not in found, found


def given_back_and_taken_again_netplan():
    """A removal that is rolled back takes over again what it had given back: a whole file of netplan."""
    given_back_and_taken_again("netplan", "netplan apply")


def given_back_and_taken_again_networkmanager():
    """A removal that is rolled back takes over again what it had given back: a profile of NetworkManager."""
    given_back_and_taken_again("networkmanager", "connection reload")


MODES = {
    "chain": (3, "{mode: chain, mtu: 9000, ipv4: {subnet: 10.30.0.0/24}, ", '{ring: ["n[1-3]"]}'),
    "ethernet": (2, "{mode: ethernet, mtu: 9000, ipv4: {subnet: 10.30.0.0/24}, ", "[n1/1, n2/1]"),
    "lag": (2, "{mode: lag, lag: {bond: bond0, policy: balance-xor, roce: false}, ipv4: {subnet: 10.30.0.0/24}, ", "[n1/1, n2/1], [n1/2, n2/2]"),
    "infiniband": (2, "{mode: infiniband, subnet_managers: [{node: n1, priority: 10}], ipoib: {mode: datagram, ipv4: {subnet: 10.30.0.0/24}}, ", "[n1/1, n2/1]"),
}


def released_whole():
    """All nodes of a fabric are released, of each mode: apply and verify end with 0, and no cable of them is judged."""
    for mode, (nodes, network, cables) in MODES.items():
        def document(defaults):
            return f"apiVersion: fabric/v1\nname: released\n{defaults}nodes:\n  n[1-{nodes}]: {{adapters: {{cx5: {{model: connectx-5-vpi}}}}}}\n" \
                   f"networks:\n  net: {network}cables: [{cables}]}}\n"

        with Lab(document=document("")) as lab:
            lab.apply()
            (lab.path / "fabric.yaml").write_text(document("defaults: {state: absent}\n"))
            lab.apply()
            lab.plan_is_empty()
            said = lab.fabric("--lab", "verify", expect=0).stdout
            assert "released (state: absent)" in said and "ok  " not in said, f"{mode}: {said}"
