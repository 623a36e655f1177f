# SPDX-License-Identifier: Apache-2.0
"""Options of a bond, and MTUs: no longer said, ignored by the driver, of ports that have no name yet."""
from documents import BACKUP, STORAGE, TWO
from lab import Lab
from steps import after_a_boot, proc_bond


def forgotten_options():
    """Options of a bond and MTUs that the document no longer says go back to the kernel's own, by both back ends, beside one that changes."""
    start = """\
apiVersion: fabric/v1
name: pair
nodes:
  n1: {network_backend: networkd, packages: [ifenslave], adapters: {cx5: {model: connectx-5-en}}}
  n2: {network_backend: ifupdown, packages: [ifenslave], adapters: {cx5: {model: connectx-5-en}}}
networks:
  direct:
    mode: lag
    mtu: 9000
    ipv4: {subnet: 10.30.0.0/24}
    lag: {bond: bond0, policy: %s}
    cables: [[n1/1, n2/1], [n1/2, n2/2]]
"""
    lab_yaml = "hosts: {n2: {backend: ifupdown}}\n"

    def options(lab, *files):
        said = "; ".join(f"cat /sys/class/net/{file}" for file in files)
        return [lab.ssh(node, said).stdout.split("\n")[:len(files)] for node in ("n1", "n2")]

    def becomes(lab, document):
        (lab.path / "fabric.yaml").write_text(document)
        lab.apply()
        lab.plan_is_empty()

    with Lab(document=start % "active-backup, miimon: 100, updelay: 200, downdelay: 400, primary: cx5/2", lab_yaml=lab_yaml) as lab:
        lab.apply()
        files = [f"bond0/bonding/{name}" for name in ("miimon", "updelay", "downdelay", "primary")]
        for node in options(lab, *files):
            assert node == ["100", "200", "400", "enp1s0f1np1"], node
        becomes(lab, start % "active-backup, miimon: 50, downdelay: 400")
        for node in options(lab, *files):
            assert node == ["50", "0", "400", ""], node
        # n2 makes its bond anew: without a primary each end would be on a cable of its own, and nothing would pass.
        becomes(lab, (start % "active-backup, miimon: 50, updelay: 100, primary: cx5/1").replace("    mtu: 9000\n", ""))
        for node in options(lab, *files, "bond0/mtu", "enp1s0f0np0/mtu", "enp1s0f1np1/mtu"):
            assert node == ["50", "100", "0", "enp1s0f0np0", "1500", "1500", "1500"], node
        after_a_boot(lab)
        after_a_boot(lab, "n2")
    with Lab(document=start % "802.3ad, lacp_rate: fast, hash_policy: layer3+4, min_links: 1", lab_yaml=lab_yaml) as lab:
        lab.apply()
        files = [f"bond0/bonding/{name}" for name in ("xmit_hash_policy", "min_links", "lacp_rate")]
        for node in options(lab, *files):
            assert node == ["layer3+4 1", "1", "fast 1"], node
        becomes(lab, start % "802.3ad, lacp_rate: fast")
        for node in options(lab, *files):
            assert node == ["layer2 0", "0", "fast 1"], node
        becomes(lab, start % "802.3ad")
        for node in options(lab, *files):
            assert node == ["layer2 0", "0", "slow 0"], node
    ports = TWO.replace("5-vpi", "5-en") % ""
    with Lab(document=ports + STORAGE + BACKUP, lab_yaml=lab_yaml) as lab:
        lab.apply()
        becomes(lab, ports + STORAGE + BACKUP.replace("    mtu: 9000\n", ""))
        for node in options(lab, "enp1s0f0np0/mtu", "enp1s0f1np1/mtu"):
            assert node == ["9000", "1500"], node


def ignored_options():
    """What the bonding driver ignores or rounds is a warning, and an apply converges all the same."""
    document = """\
apiVersion: fabric/v1
name: pair
nodes:
  n1: {network_backend: networkd, packages: [ifenslave], adapters: {cx5: {model: connectx-5-en}}}
  n2: {network_backend: ifupdown, packages: [ifenslave], adapters: {cx5: {model: connectx-5-en}}}
networks:
  direct:
    mode: lag
    ipv4: {subnet: 10.30.0.0/24}
    lag: {policy: %s}
    cables: [[n1/1, n2/1], [n1/2, n2/2]]
"""
    rounded = "active-backup, miimon: 100, updelay: 150, downdelay: 50, lacp_rate: fast, hash_policy: layer3+4, min_links: 1"
    with Lab(document=document % rounded, lab_yaml="hosts: {n2: {backend: ifupdown}}\n") as lab:
        for policy, warnings in ((rounded, 5), ("balance-xor, miimon: 60, updelay: 150, primary: cx5/1, ad_select: count", 3)):
            (lab.path / "fabric.yaml").write_text(document % policy)
            done = lab.apply()
            assert done.stderr.count("lag-option-ignored") == warnings, done.stderr
            after_a_boot(lab)
            after_a_boot(lab, "n2")


def primary_of_nameless_ports():
    """A primary slave on cards that come as InfiniBand: networkd knows it before its interface has a name; one plan, one boot each."""
    document = """\
apiVersion: fabric/v1
name: pair
nodes:
  n[1-2]: {adapters: {cx5: {model: connectx-5-vpi}}}
networks:
  direct:
    mode: lag
    ipv4: {subnet: 10.30.0.0/24}
    lag: {policy: active-backup, primary: %s}
    cables: [[n1/1, n2/1], [n1/2, n2/2]]
"""
    with Lab(document=document % "cx5/2") as lab:
        lab.apply()
        lab.monitor_is_clean(reboots=2)
        lab.plan_is_empty()
        for node in ("n1", "n2"):
            assert "Primary Slave: enp1s0f1np1" in proc_bond(lab, node), proc_bond(lab, node)
        (lab.path / "fabric.yaml").write_text(document % "cx5/1")
        lab.apply()
        after_a_boot(lab)
        assert "Primary Slave: enp1s0f0np0" in proc_bond(lab, "n1"), proc_bond(lab, "n1")
