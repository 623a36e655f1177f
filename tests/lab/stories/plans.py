# SPDX-License-Identifier: Apache-2.0
"""Plan files: always the same bytes, stale, signed, judged by a policy, as trees of files; and what command comes next."""
import json
import os
import pathlib
import pty
import select
import shutil
import subprocess
import tempfile

from documents import BOND_WITH_VLAN, HOOKS, STORAGE, TWO
from lab import Lab, RING, binary, root


def stale_plan():
    """Reality moved between plan and apply: exit 7 names field, expected and found; nothing is written."""
    with Lab() as lab:
        lab.fabric("--lab", "plan", "--out", "ring.plan", expect=0)
        lab.reboot("pve2", "mstconfig -d 0000:01:00.0 -y set HOST_CHAINING_MODE=1 LINK_TYPE_P1=2 LINK_TYPE_P2=2")
        lab.ssh("pve2", "mstconfig -d 0000:01:00.0 -y set LINK_TYPE_P2=1")
        done = lab.fabric("--lab", "apply", "ring.plan", expect=7)
        assert "pve2" in done.stderr and "expected" in done.stderr and "found" in done.stderr, done.stderr
        lab.monitor_is_clean(reboots=1)


def same_bytes():
    """plan gives the same bytes at any parallelism, from live nodes and from saved facts."""
    with Lab(nodes=6) as lab:
        plans = []
        for name, arguments in (("1", ("--lab", "--parallelism", "1")), ("64", ("--lab", "--parallelism", "64"))):
            lab.fabric(*arguments, "plan", "--out", f"{name}.plan", expect=0)
            plans.append((lab.path / f"{name}.plan").read_bytes())
        lab.fabric("--lab", "discover", "--save", "facts", expect=0)
        lab.fabric("--facts", "facts", "plan", "--out", "facts.plan", expect=0)
        plans.append((lab.path / "facts.plan").read_bytes())
        assert plans[0] == plans[1], "parallelism changes the plan"
        assert plans[0] == plans[2], "saved facts change the plan"


def signed():
    """A plan that a trusted key has signed is applied, also from the folder of its run; any other is not."""
    with Lab() as lab, tempfile.TemporaryDirectory() as outside:
        keys = pathlib.Path(outside)
        for name in ("trusted-keys.pem", "other.pem", "rfc8032.key"):
            shutil.copy(root / "tests/golden/apply/signed" / name, keys)
            (keys / name).chmod(0o600)
        shutil.copy(keys / "trusted-keys.pem", lab.path)
        lab.fabric("--lab", "plan", "--out", "ring.plan", "--sign", str(keys / "rfc8032.key"), expect=0)

        def apply(trusted, *arguments, expect):
            return lab.fabric("--lab", "apply", "--require-signature", "--trusted-keys", str(trusted), *arguments, expect=expect)

        apply(keys / "other.pem", "ring.plan", expect=5)
        said = apply("trusted-keys.pem", "ring.plan", expect=5).stderr
        assert "in the working tree of the document" in said, said
        assert lab.status()["monitor"]["reboots"] == 0
        apply(keys / "trusted-keys.pem", "ring.plan", expect=0)
        lab.monitor_is_clean(reboots=3)
        run = next(path.name for path in (lab.path / ".fabric/runs").iterdir())
        apply(keys / "trusted-keys.pem", "--resume", run, expect=0)
        (lab.path / ".fabric/runs" / run / "plan.json.sig").unlink()
        apply(keys / "trusted-keys.pem", "--resume", run, expect=5)


def applied_once():
    """A plan file that was done in part goes on; one that was done wholly is refused, by what the nodes say, without --again."""
    with Lab(document=RING % (3, 3) + HOOKS) as lab:
        lab.fabric("--lab", "plan", "--out", "ring.plan", expect=0)
        (lab.path / "refuse-pve2").touch()
        lab.fabric("--lab", "apply", "ring.plan", expect=10)
        assert lab.ssh("pve1", "cat /var/lib/fabric/applied").stdout.count("sha256:") == 1
        assert lab.ssh("pve2", "cat /var/lib/fabric/applied").returncode != 0
        (lab.path / "refuse-pve2").unlink()
        lab.fabric("--lab", "apply", "ring.plan", expect=0)
        lab.monitor_is_clean(reboots=3)
        # A machine that remembers nothing, as that of a pipeline.
        shutil.rmtree(lab.path / ".fabric/runs")
        done = lab.fabric("--lab", "apply", "ring.plan", expect=7)
        assert "this plan was applied already" in done.stderr and "pve[1-3]" in done.stderr and "--again" in done.stderr, done.stderr
        lab.fabric("--lab", "apply", "--again", "ring.plan", expect=0)
        lab.monitor_is_clean(reboots=3)
        assert lab.ssh("pve3", "cat /var/lib/fabric/applied").stdout.count("sha256:") == 1
        # A document is planned anew each time.
        lab.apply()


def policy():
    """A policy that allows a plan lets it through, of a document and of a plan file."""
    with Lab() as lab:
        done = lab.fabric("--lab", "apply", "--auto-approve", "--policy", "echo asked about $1", expect=0)
        assert "asked about .fabric/policy-" in done.stderr, done.stderr
        lab.monitor_is_clean(reboots=3)


def exported_overlays():
    """export overlay: the files of a plan as trees, one for each group of nodes that have the same; hosts that get them have nothing left to write."""
    # Cards that are Ethernet from the factory: nothing but files is wanted.
    document = ((TWO % "network_backend: networkd, sysctl: {vm.swappiness: 10}, ") + STORAGE).replace("connectx-5-vpi", "connectx-5-en")
    with Lab(document=document) as lab:
        said = lab.fabric("--lab", "export", "overlay", "trees", expect=0).stderr
        overlays = json.loads((lab.path / "trees/overlays.json").read_text())["overlays"]
        # Each file names its node, so that no two nodes have the same.
        assert {each["overlay"]: each["nodes"] for each in overlays} == {"n1": ["n1"], "n2": ["n2"]}, overlays
        assert "written to trees: 2 overlays" in said, said
        for overlay in overlays:
            for file in overlay["files"]:
                here = lab.path / "trees" / overlay["overlay"] / file["path"].lstrip("/")
                assert here.is_file(), here
                for node in overlay["nodes"]:
                    done = lab.ssh_with(node, f"mkdir -p {os.path.dirname(file['path'])} && cat >{file['path']} && chmod {file['mode']} {file['path']}", here.read_text())
                    assert done.returncode == 0, done
        for node in ("n1", "n2"):
            lab.reboot(node)
        lab.plan_is_empty()
        # A folder of somebody else's is left alone.
        done = lab.fabric("--lab", "export", "overlay", "trees", expect=3)
        assert "trees is not empty" in done.stderr, done.stderr
        done = lab.fabric("--lab", "export", "overlay", expect=3)
        assert "name the folder" in done.stderr, done.stderr


def at_terminal(lab, *arguments):
    """What a person sees, on a terminal of its own."""
    ours, theirs = pty.openpty()
    running = subprocess.Popen([binary, *arguments], cwd=lab.path, stdin=subprocess.DEVNULL, stdout=theirs, stderr=theirs,
                               env={**os.environ, "NO_COLOR": "1", "TERM": "xterm", "COLUMNS": "200"})
    os.close(theirs)
    seen = b""
    while True:
        if select.select([ours], [], [], 120)[0]:
            try:
                part = os.read(ours, 65536)
            except OSError:
                break
            if not part:
                break
            seen += part
    os.close(ours)
    running.wait(60)
    return seen.decode(errors="replace").replace("\r", "")


def next_commands():
    """A person at a terminal is told the next command; a pipe and a reader of JSON are not."""
    with Lab(document=BOND_WITH_VLAN % "networkd") as lab:
        for arguments, expected in ((("validate",), "Next: fabric plan"),
                                    (("--lab", "plan"), "Next: fabric --lab apply"),
                                    (("--lab", "apply", "--auto-approve"), "Next: fabric --lab verify --level rdma"),
                                    (("--lab", "plan"), "Next: fabric --lab verify"),
                                    (("--lab", "verify", "--level", "link"), "Next: fabric --lab verify --level path"),
                                    (("--lab", "import", "n[1-2]", "--out", "new.yml"), "Next: fabric --lab plan new.yml")):
            said = at_terminal(lab, *arguments)
            assert expected in said.splitlines(), (arguments, said)
            (lab.path / "new.yml").unlink(missing_ok=True)
            for quiet in (("-q",), ("--json",)):
                assert "Next:" not in at_terminal(lab, *quiet, *arguments), (quiet, arguments)
                (lab.path / "new.yml").unlink(missing_ok=True)
            done = lab.fabric(*arguments)
            assert "Next:" not in done.stdout + done.stderr, (arguments, done)
            (lab.path / "new.yml").unlink(missing_ok=True)
        text = (lab.path / "fabric.yaml").read_text()
        (lab.path / "fabric.yaml").write_text(text.replace("mtu: 9000", "mut: 9000"))
        said = at_terminal(lab, "validate")
        assert "Next: fabric explain unknown-key" in said.splitlines(), said


def shards_are_one_discovery():
    """The facts that three machines save, each of its part of the nodes, plan the same as those of one machine that asks all."""
    with Lab(nodes=7) as lab:
        lab.fabric("--lab", "discover", "--save", "whole", expect=0)
        parts = []
        for shard in ("1/3", "2/3", "3/3"):
            shown = lab.fabric("--lab", "discover", "--shard", shard, "--save", "parts", expect=0)
            parts.append(sorted(json.loads(shown.stdout)["nodes"]))
        assert sorted(sum(parts, [])) == [f"pve{n}" for n in range(1, 8)], f"the parts are {parts}"
        assert parts[1] == ["pve2", "pve5"], f"the second part is {parts[1]}"
        for file in ("whole", "parts"):
            lab.fabric("--facts", file, "plan", "--out", f"{file}.json", expect=0)
        whole, union = ((lab.path / f"{file}.json").read_bytes() for file in ("whole", "parts"))
        assert b"HOST_CHAINING_MODE" in whole, "a plan that has nothing to do proves nothing"
        assert whole == union, "the plans differ"
        # One part alone is no fabric: whoever is missing was not reached.
        lab.fabric("--lab", "discover", "--shard", "1/3", "--save", "one", expect=0)
        lab.fabric("--facts", "one", "plan", expect=4)
