# SPDX-License-Identifier: Apache-2.0
"""Drift: what plan --refresh-only tells, and by whom it was."""
import json

from lab import Lab


def drift(lab, expect=2):
    done = lab.fabric("--lab", "plan", "--refresh-only", "--detailed-exitcode", "--format", "json", expect=expect)
    told = json.loads(done.stdout)
    return {(each["address"], each["attribute"]): each for each in told["differences"]}, told["summary"]


def interface_of(lab, node, mtu):
    return next(line.split(":")[1].strip() for line in lab.ssh(node, "ip -o link").stdout.splitlines() if f" mtu {mtu} " in line)


def told_apart():
    """Changed by hand, in the document, in both, or set and not in force: each is told with what shows it, and without a run here it is unknown."""
    with Lab() as lab:
        lab.apply()
        assert drift(lab, expect=0) == ({}, {"both": 0, "fabric": 0, "outside": 0, "unknown": 0, "waits_for_boot": 0})
        # Somebody changes what runs on one node, and what the next boot of another has.
        name = interface_of(lab, "pve2", 9000)
        assert lab.ssh("pve2", f"ip link set {name} mtu 1500").returncode == 0
        assert lab.ssh("pve3", "mstconfig -d 0000:01:00.0 -y set HOST_CHAINING_MODE=0 SRIOV_EN=1").returncode == 0
        found, summary = drift(lab)
        by_hand = [each for each in found.values() if each["node"] == "pve2"]
        assert len(by_hand) == 1 and by_hand[0]["origin"] == "outside" and by_hand[0]["attribute"] == "mtu", found
        assert by_hand[0]["evidence"].startswith("run ") and by_hand[0]["files"], by_hand
        chaining = found["pve3/settings/cx5", "HOST_CHAINING_MODE"]
        assert chaining["origin"] == "outside" and chaining["waits_for_boot"] and chaining["pending"] == 0, chaining
        left = found["pve3/settings/cx5", "SRIOV_EN"]
        assert not left["declared"] and left["waits_for_boot"] and left["origin"] == "unknown", left
        assert summary["outside"] == 2 and summary["waits_for_boot"] == 2, summary
        # The document changes too: who set 1500 was not the document, and 9000 was fabric.
        document = lab.path / "fabric.yaml"
        whole = document.read_text()
        document.write_text(whole.replace("mtu: 9000", "mtu: 4200"))
        found, summary = drift(lab)
        mtus = {each["node"]: each["origin"] for each in found.values() if each["attribute"] == "mtu" and each["node"] != "pve2"}
        assert set(mtus.values()) == {"fabric"}, found
        document.write_text(whole)
        # A machine that remembers no run tells nothing that the node does not show.
        runs = lab.path / ".fabric/runs"
        runs.rename(lab.path / "elsewhere")
        found, summary = drift(lab)
        assert summary["unknown"] == 2 and summary["outside"] == 0, summary
        said = lab.fabric("--lab", "plan", "--refresh-only", expect=0).stdout
        assert "Origin unknown" in said and "The next boot changes this" in said, said
        (lab.path / "elsewhere").rename(runs)
        lab.apply()
        drift_left, _ = drift(lab, expect=0)
        assert all(not each["declared"] for each in drift_left.values()), drift_left


def staged_waits():
    """What a staged plan has written waits for the boot, and is as fabric left it."""
    with Lab() as lab:
        lab.fabric("--lab", "apply", "--auto-approve", "--stage", expect=0)
        found, summary = drift(lab)
        settings = [each for (address, _), each in found.items() if "/settings/" in address]
        assert settings and all(each["origin"] == "fabric" and each["waits_for_boot"] for each in settings), settings
        assert summary["outside"] == 0, summary
