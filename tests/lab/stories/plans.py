"""Plan files: always the same bytes, stale, signed, judged by a policy."""
import shutil

from lab import Lab, root


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
    with Lab() as lab:
        keys = root / "tests/golden/apply/signed"
        shutil.copy(keys / "trusted-keys.pem", lab.path)
        lab.fabric("--lab", "plan", "--out", "ring.plan", "--sign", str(keys / "rfc8032.key"), expect=0)
        lab.fabric("--lab", "apply", "--require-signature", "--trusted-keys", str(keys / "other.pem"), "ring.plan", expect=5)
        assert lab.status()["monitor"]["reboots"] == 0
        lab.fabric("--lab", "apply", "--require-signature", "ring.plan", expect=0)
        lab.monitor_is_clean(reboots=3)
        run = next(path.name for path in (lab.path / ".fabric/runs").iterdir())
        lab.fabric("--lab", "apply", "--require-signature", "--resume", run, expect=0)
        (lab.path / ".fabric/runs" / run / "plan.json.sig").unlink()
        lab.fabric("--lab", "apply", "--require-signature", "--resume", run, expect=5)


def policy():
    """A policy that allows a plan lets it through, of a document and of a plan file."""
    with Lab() as lab:
        done = lab.fabric("--lab", "apply", "--auto-approve", "--policy", "echo asked about $1", expect=0)
        assert "asked about .fabric/policy-" in done.stderr, done.stderr
        lab.monitor_is_clean(reboots=3)
