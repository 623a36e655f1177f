# SPDX-License-Identifier: Apache-2.0
"""Kernel parameters that several resources of a node set, and that go from one to another."""
from documents import STORAGE, TWO
from lab import Lab

RMEM_DEFAULT = "cat /proc/sys/net/core/rmem_default"


def a_tuning_profile_changes():
    """A parameter goes from a profile to another, to the node's own `sysctl` and back; at the end it is what it was before fabric."""
    with Lab(document=TWO % "" + STORAGE) as lab:
        def wants(keys):
            (lab.path / "fabric.yaml").write_text(TWO % keys + STORAGE)
            lab.apply()
            lab.plan_is_empty()
            return [lab.ssh(node, RMEM_DEFAULT).stdout.strip() for node in ("n1", "n2")]

        before = [lab.ssh(node, RMEM_DEFAULT).stdout.strip() for node in ("n1", "n2")]
        own = "net.core.rmem_default: 8388608"
        assert wants("tuning: [40g], ") == ["4194304"] * 2
        assert wants("tuning: [mellanox-40ge], ") == ["16777216"] * 2
        assert wants("tuning: [40g], ") == ["4194304"] * 2
        assert wants("tuning: [40g], sysctl: {%s}, " % own) == ["8388608"] * 2
        assert wants("tuning: [40g], sysctl: {%s}, " % own.replace(".", "/")) == ["8388608"] * 2
        assert wants("tuning: [ipoib], ") == ["4194304"] * 2
        assert wants("sysctl: {%s}, " % own) == ["8388608"] * 2
        assert wants("") == before
        assert "fabric" not in lab.ssh("n1", "ls /etc/sysctl.d").stdout
