# SPDX-License-Identifier: Apache-2.0
"""From factory settings to what the document says, and then there is nothing left to do."""
from lab import RING, Lab
from steps import after_a_boot, converges_and_stays


def converges():
    """Factory settings to a ring; a second plan and a second apply find nothing; a reboot changes nothing."""
    with Lab() as lab:
        lab.fabric("--lab", "plan", "--out", "ring.plan", expect=0)
        lab.fabric("--lab", "apply", "ring.plan", expect=0)
        lab.monitor_is_clean(reboots=3)
        lab.plan_is_empty()
        lab.apply()
        lab.monitor_is_clean(reboots=3)
        lab.reboot("pve2")
        lab.plan_is_empty()
        lab.fabric("--lab", "verify", expect=0)


def ifupdown_with_names():
    """The other back end: interfaces are named by us, because a link-type change renames them."""
    document = (RING % (3, 3)).replace("model: connectx-5-vpi}", "model: connectx-5-vpi, names: {1: fab1, 2: fab2}}")
    with Lab(document=document, lab_yaml='hosts: {"pve[1-3]": {backend: ifupdown}}\n') as lab:
        lab.apply()
        lab.monitor_is_clean(reboots=3)
        lab.plan_is_empty()
        lab.fabric("--lab", "verify", expect=0)


def virtual_functions():
    """Firmware first, then the functions of both ports, at every boot; another number without one; and away again."""
    def document(sriov):
        return (RING % (3, 3)).replace("mode: chain", "mode: ethernet").replace(
            "model: connectx-5-vpi", "model: connectx-5-vpi" + sriov).replace(
            "cables: [{ring: [\"pve[1-3]\"]}]", "cables: [[pve1/1, pve2/1]]")

    def found(node):
        return lab.ssh(node, "cat /sys/bus/pci/devices/0000:01:00.*/sriov_numvfs").stdout.split()

    with Lab(document=document(", sriov: {vfs: 8}")) as lab:
        lab.apply()
        lab.monitor_is_clean(reboots=3)
        lab.plan_is_empty()
        assert found("pve3") == ["8", "8"], found("pve3")
        lab.reboot("pve3")
        lab.plan_is_empty()
        # The firmware keeps nine: one in reserve.
        (lab.path / "fabric.yaml").write_text(document(", firmware: {params: {NUM_OF_VFS: 9}}, sriov: {vfs: 4}"))
        lab.apply()
        assert found("pve3") == ["4", "4"], found("pve3")
        lab.plan_is_empty()
        (lab.path / "fabric.yaml").write_text(document(""))
        lab.apply()
        assert found("pve3") == ["0", "0"], found("pve3")
        lab.plan_is_empty()


def software():
    """A host that can fetch no package says so and stops; without that wish, packages, modules and parameters are there to stay."""
    document = """\
apiVersion: fabric/v1
name: software
nodes:
  pve[1-2]:
    packages: [perftest, opensm]
    modules: {bonding: {}, mlx5_core: {prof_sel: 3, debug_mask: 1}}
    tuning: [40g]
    adapters: {cx5: {model: connectx-5-vpi}}
  pve3: {packages: [perftest], modules: {bonding: {}}, adapters: {cx5: {model: connectx-5-vpi}}}
"""
    with Lab(document=document, lab_yaml="hosts: {pve1: {archive: unsubscribed}, pve3: {archive: offline}}\n") as lab:
        done = lab.apply(expect=1)
        assert "Unable to fetch" in done.stdout, done.stdout
        assert "bonding" not in lab.ssh("pve3", "lsmod").stdout, "pve3 went on without its package"
        (lab.path / "fabric.yaml").write_text(document.replace("pve3: {packages: [perftest], ", "pve3: {"))
        lab.apply()
        lab.monitor_is_clean(reboots=2)
        lab.plan_is_empty()
        lab.reboot("pve1")
        lab.plan_is_empty()
        assert lab.ssh("pve1", "cat /sys/module/mlx5_core/parameters/prof_sel").stdout == "3\n"


RAILS = """\
apiVersion: fabric/v1
name: gpu-roce
profiles:
  gpu:
    network_backend: %s
    adapters:
      rail[1-4]: {model: connectx-7-en, ports: 1, pci: "0000:[01,41-43]:00.0"}
      store: {model: connectx-6-dx}
nodes:
  gpu[01-08]: {profiles: [gpu]}
  leaf1: {platform: unmanaged, mlag: {peer: leaf2}}
  leaf2: {platform: unmanaged, mlag: {peer: leaf1}}
networks:
  rail1: {mode: ethernet, mtu: 9000, ipv4: {subnet: 10.21.0.0/24}, cables: [["gpu[01-08]/rail1/1", "leaf1/[1-8]"]]}
  rail2: {mode: ethernet, mtu: 9000, ipv4: {subnet: 10.22.0.0/24}, cables: [["gpu[01-08]/rail2/1", "leaf1/[11-18]"]]}
  rail3: {mode: ethernet, mtu: 9000, ipv4: {subnet: 10.23.0.0/24}, cables: [["gpu[01-08]/rail3/1", "leaf2/[1-8]"]]}
  rail4: {mode: ethernet, mtu: 9000, ipv4: {subnet: 10.24.0.0/24}, cables: [["gpu[01-08]/rail4/1", "leaf2/[11-18]"]]}
  storage:
    mode: lag
    mtu: 9000
    ipv4: {subnet: 10.40.0.0/24}
    lag: {bond: bond0, policy: 802.3ad, lacp_rate: fast, hash_policy: layer3+4}
    cables: [["gpu[01-08]/store/1", "leaf1/[21-28]"], ["gpu[01-08]/store/2", "leaf2/[21-28]"]]
"""


def rails(backend):
    with Lab(document=RAILS % backend) as lab:
        lab.apply()
        lab.plan_is_empty()
        said = lab.fabric("--lab", "verify", expect=0).stdout
        assert "280 of 280" in said, said
        after_a_boot(lab, "gpu03")


def rails_on_netplan():
    """Eight nodes with four rails and a bond to two leaves, on netplan: all paths work, also after a boot."""
    rails("netplan")


def rails_on_networkmanager():
    """Eight nodes with four rails and a bond to two leaves, on NetworkManager."""
    rails("networkmanager")


def ring_on_netplan():
    """A chained ring with its tables by source, on netplan, from cards that come as InfiniBand."""
    with Lab(document=RING % (3, 3), lab_yaml='hosts: {"pve[1-3]": {backend: netplan}}\n') as lab:
        converges_and_stays(lab, "pve2")
        assert "4501" in lab.ssh("pve2", "ip rule show").stdout


def ring_on_networkmanager():
    """A chained ring with its tables by source, on NetworkManager, from cards that come as InfiniBand."""
    with Lab(document=RING % (3, 3), lab_yaml='hosts: {"pve[1-3]": {backend: networkmanager}}\n') as lab:
        converges_and_stays(lab, "pve2")
        assert "4501" in lab.ssh("pve2", "ip rule show").stdout
