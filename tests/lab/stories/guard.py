# SPDX-License-Identifier: Apache-2.0
"""The rollback timer: a node rolls back by itself what cuts it off."""
from documents import hasty
from lab import RING, Lab
from steps import no_guard_is_left


def cut_off_live():
    """A change that cuts its own network is rolled back by the node itself, and the run says so."""
    document = RING % (3, 3)
    with Lab(document=document) as lab:
        lab.apply()
        (lab.path / "fabric.yaml").write_text(hasty(document).replace("mtu: 9000", "mtu: 4200"))
        lab.fabric("lab", "fault", "pve1", "cut-off", expect=0)
        said = " ".join(lab.apply(expect=11).stdout.split())
        assert "rolled back by the node itself" in said, said
        mtu = lab.ssh("pve1", "cat /sys/class/net/*/mtu; cat /etc/systemd/network/*").stdout
        assert "9000" in mtu and "4200" not in mtu, mtu
        no_guard_is_left(lab, "pve1")
        lab.fabric("lab", "fault", "pve1", "none", expect=0)
        (lab.path / "fabric.yaml").write_text(document.replace("mtu: 9000", "mtu: 4200"))
        lab.apply()
        lab.plan_is_empty()
        no_guard_is_left(lab, "pve1")


def cut_off_across_a_reboot():
    """What cuts the node off only after its reboot is rolled back after it, and the ring is cut no further."""
    document = RING % (3, 3)
    with Lab(document=hasty(document)) as lab:
        lab.fabric("lab", "fault", "pve1", "cut-off", expect=0)
        said = " ".join(lab.apply(expect=11).stdout.split())
        assert "rolled back by the node itself" in said, said
        lab.monitor_is_clean(reboots=1)
        no_guard_is_left(lab, "pve1")
        lab.fabric("lab", "fault", "pve1", "none", expect=0)
        (lab.path / "fabric.yaml").write_text(document)
        lab.apply()
        lab.plan_is_empty()
