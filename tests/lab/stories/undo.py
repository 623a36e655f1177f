# SPDX-License-Identifier: Apache-2.0
"""A run is undone: what was there before it is there again, and applied like any plan."""
import difflib
import json
import re
import subprocess
import tempfile

from documents import RAILS, STORAGE, TWO
from examples import OPTIONS
from lab import Lab, binary, root
from steps import begun, runs

# What a boot counts, and which way the session of the moment comes in.
VOLATILE = {"identity", "session", "pending-boot", "esxi-uptime", "nvue-revision"}
# And the revisions of NVUE, which keeps the place of what was unset.
COUNTED = re.compile(r'^(/proc/sys/kernel/random/boot_id:|Uptime:| *"rev-id":| *"(?:bridge|interface|mlag)": \{\}).*\n?', re.M)
# LACP of a whole switch, which its channels of a later run may need, too.
LEFT_ON = re.compile(r"^   lacp\n", re.M)


def seen(lab):
    """All that each node tells, probe by probe: files, settings, what runs."""
    with tempfile.TemporaryDirectory() as folder:
        lab.fabric("--lab", "discover", "--save", folder, expect=0)
        found = {}
        for path in sorted(lab.path.joinpath(folder).glob("*.json")):
            facts = json.loads(path.read_text())
            for probe, told in facts["probes"].items():
                if probe not in VOLATILE:
                    found[facts["node"], probe] = LEFT_ON.sub("", COUNTED.sub("", told["standard_output"]))
        return found


def undo(lab, run, *options, rehearse=False):
    """Plans it, and applies the plan; what the plan says."""
    said = lab.fabric("--lab", "undo", run, "--out", "undo.plan", expect=0).stdout
    if rehearse:
        lab.fabric("--lab", "rehearse", "undo.plan", "--seeds", "2", expect=0)
    lab.fabric("--lab", "apply", "undo.plan", *options, expect=0)
    return said


def last_run(lab):
    return max(runs(lab)).name


# A port that was down stays up without an address, where no boot comes between; it tells of its neighbour then.
UP = {"ip-addr", "link-state", "network-backends", "lldp"}
# A card that shows itself as an Ethernet card does so until its settings are reset: no former value is known.
OF_CLASS = {"esxi-nics", "esxi-pci", "esxi-virtual-functions", "link-state"}
# How the switch ends its virtualization, no source shows: its manager stays.
OF_VIRTUALIZATION = {f"onyx-{what}" for what in
                     ("infiniband", "running", "saved", "sm", "sm-priority", "sm-routing", "sm-running", "sm-virt")}
# A driver that was loaded for a bond stays until the next boot, and so does the qdisc that it gave its ports.
OF_DRIVERS = {"modules", "link-details"}
# Bundles of ESX stay, with their modules; they are named.
OF_BUNDLES = {f"esx-{what}" for what in
              ("bulletins", "ibstat", "module-options", "modules", "modules-running", "nics", "packages", "pending")}
# A package that goes leaves what came with it, its configuration and what it has logged.
OF_PACKAGES = {"packages", "opensm", "opensm-files", "file-digests-opensm"}


def is_as_before(lab, before, said, but=()):
    now = seen(lab)
    differs = [line for key in sorted(before.keys() | now.keys()) if before.get(key) != now.get(key) and key[1] not in but
               for line in [str(key), *difflib.unified_diff(*(told.get(key, "").splitlines() for told in (before, now)), lineterm="", n=0)]]
    assert not differs, "\n".join(differs) + f"\n{said}"


def comes_back(lab, *options, but=(), left=False):
    before = seen(lab)
    lab.fabric("--lab", "apply", "--auto-approve", *options, expect=0)
    assert seen(lab) != before, "the run changed nothing that is seen"
    run = last_run(lab)
    said = undo(lab, run, *options)
    is_as_before(lab, before, said, but)
    lab.fabric("--lab", "undo", run, "--detailed-exitcode", expect=2 if left else 0)
    assert f"undoes {run}" in lab.fabric("history", expect=0).stdout
    # An undo is a run like any other: undone, all is as the document says.
    undo(lab, last_run(lab), *options)
    lab.plan_is_empty()
    return said


def example(name):
    folder = root / "examples" / name
    lab_yaml = folder / "lab.yaml"
    return Lab(document=(folder / "fabric.yaml").read_text(), lab_yaml=lab_yaml.read_text() if lab_yaml.exists() else None)


def undone_ring():
    """A ring is undone: card settings, files and a boot of each host; the lines of the document that ask for it again are named."""
    with example("ring") as lab:
        said = comes_back(lab)
        assert "undo-document" in said and "fabric.yaml:" in said, said


def undone_bonds_and_switch():
    """Bonds and the port channels of their switch are undone, and the switch saves it."""
    with example("roce-lag") as lab:
        comes_back(lab, *OPTIONS["roce-lag"])


def undone_managers():
    """Subnet managers, their packages and IPoIB are undone."""
    with example("cx3-pair-infiniband") as lab:
        comes_back(lab, but=UP | OF_PACKAGES)


def undone_esxi():
    """ESXi hosts are undone, in their maintenance mode; what nothing brings back is named and stays."""
    with example("vsphere8-sriov") as lab:
        assert "undo-stays" in comes_back(lab, but=OF_CLASS | OF_VIRTUALIZATION, left=True)


def of_example(name):
    def undone():
        """An example is applied, undone, and applied again."""
        with example(name) as lab:
            stays = name in STAYS
            said = comes_back(lab, *OPTIONS.get(name, []), but=UP | OF_PACKAGES | OF_DRIVERS | OF_BUNDLES, left=stays)
            assert ("undo-stays" in said) == stays, said
    return undone


# Of what they do, something can't be brought back.
STAYS = {"esx-classic"}
# Those that no story above is about.
for folder in sorted((root / "examples").iterdir()):
    if (folder / "fabric.yaml").exists() and folder.name not in {"ring", "roce-lag", "cx3-pair-infiniband", "vsphere8-sriov"}:
        globals()["undone_" + folder.name.replace("-", "_")] = of_example(folder.name)


def undone_but_for_somebody_else():
    """What somebody has changed since is named and left; the rest is undone."""
    with Lab(document=(TWO % "sysctl: {vm.swappiness: 10}, " + STORAGE).replace("vpi", "en")) as lab:
        before = seen(lab)
        lab.apply()
        run = last_run(lab)
        lab.ssh("n1", "sysctl -w vm.swappiness=33")
        said = " ".join(undo(lab, run, rehearse=True).split())
        assert "vm.swappiness (running) was changed since the run: it is 33" in said, said
        assert "33" in lab.ssh("n1", "sysctl -n vm.swappiness").stdout
        now = seen(lab)
        left = {key for key in before if before[key] != now.get(key)}
        assert all(node == "n1" or probe in UP for node, probe in left), left


def undone_where_layers_differed():
    """Of an undo of an undo: a layer that can't be as it was, because its other one is, is named, and the rest is done; and the log of an undo says what it sends."""
    with Lab(document=RAILS % "cumulus") as lab:
        lab.apply()
        file = "/etc/systemd/network/10-fabric-cx6.1.network"
        assert "MTU" in lab.ssh("s1", "cat /etc/systemd/network/*cx6.1*").stdout
        lab.ssh("s1", f"rm {file}")
        lab.ssh("s2", "ip addr del 10.30.0.2/24 dev enp1s0f0np0")
        before = seen(lab)
        undo(lab, last_run(lab))
        second = last_run(lab)
        said = " ".join(undo(lab, second).split())
        assert "undo-stays" in said and "mtu (persistent) becomes" in said and "(running) becomes" in said, said
        lab.fabric("--lab", "undo", second, "--detailed-exitcode", expect=0)
        differs = {key for key, told in seen(lab).items() if told != before.get(key) and key[1] not in UP}
        assert all(node in ("s1", "s2") for node, probe in differs), differs
        lab.plan_is_empty()


def undone_after_a_kill():
    """A run that was killed is undone as far as it came, and the document is applied again."""
    with Lab(document=TWO % "sysctl: {vm.swappiness: 10}, " + STORAGE) as lab:
        before = seen(lab)
        with subprocess.Popen([binary, "--lab", "apply", "--auto-approve"], cwd=lab.path, stdin=subprocess.DEVNULL,
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as first:
            run = begun(lab, first)
            first.kill()
        lab.wait_until_all_are_up()
        is_as_before(lab, before, undo(lab, run.name))
        lab.apply()
        lab.plan_is_empty()
