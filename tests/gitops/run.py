#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""examples/gitops against the lab, as a pipeline would run it: run.py FABRIC SOURCE_ROOT

A repository with a document: a commit that is refused, a change on a branch, its comment, the merge, the signed plan, its
apply, and drift after a change by hand. Then the pipelines, units and the CronJob are read: each script is called by
both pipelines, and nothing of a pull request runs beside a token or a key.
"""
import configparser
import os
import pathlib
import re
import shutil
import subprocess
import sys

try:
    import yaml
except ImportError:
    print("python3-yaml is not here")
    sys.exit(77)

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lab"))
from lab import Lab, binary, root  # noqa: E402  it reads the arguments of this script

EXAMPLE = root / "examples/gitops"


def run(lab, *command, expect=0, **variables):
    environment = {"PATH": f"{pathlib.Path(binary).resolve().parent}:{os.environ['PATH']}", "HOME": str(lab.path), "NO_COLOR": "1",
                   "FABRIC_OPTIONS": "--lab", "GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@localhost", "GIT_COMMITTER_NAME": "a",
                   "GIT_COMMITTER_EMAIL": "a@localhost", "ASAN_OPTIONS": "detect_leaks=0", **variables}
    done = subprocess.run(command, cwd=lab.path, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300)
    assert done.returncode == expect, f"{' '.join(command)}: exit {done.returncode}, expected {expect}\n{done.stdout}\n{done.stderr}"
    return done


def story():
    with Lab(nodes=3) as lab:
        outside = lab.path.parent / (lab.path.name + "-keys")
        outside.mkdir(mode=0o700)
        try:
            in_repository(lab, outside)
        finally:
            shutil.rmtree(outside)


def in_repository(lab, outside):
    shutil.copytree(EXAMPLE / "ci", lab.path / "ci")
    run(lab, "openssl", "genpkey", "-algorithm", "ed25519", "-out", f"{outside}/signing-key.pem")
    run(lab, "openssl", "pkey", "-in", f"{outside}/signing-key.pem", "-pubout", "-out", f"{outside}/trusted-keys.pem")
    (outside / "signing-key.pem").chmod(0o600)
    (outside / "trusted-keys.pem").chmod(0o600)
    keys = {"FABRIC_SIGNING_KEY": f"{outside}/signing-key.pem", "FABRIC_TRUSTED_KEYS": f"{outside}/trusted-keys.pem"}
    (lab.path / ".gitignore").write_text(".fabric/\ncomment.md\nfabric.plan*\n*.prom\n")
    run(lab, "git", "init", "-q", "-b", "main")
    shutil.copy(EXAMPLE / "pre-commit", lab.path / ".git/hooks/pre-commit")
    run(lab, "git", "add", "-A")
    run(lab, "git", "commit", "-qm", "A ring")

    # The first plan takes the ring from factory settings to what the document says.
    run(lab, "ci/plan.sh", **keys)
    run(lab, "ci/apply.sh", **keys)
    lab.monitor_is_clean(reboots=3)
    run(lab, "ci/drift.sh", FABRIC_METRICS="drift.prom")
    assert "fabric_drift 0\n" in (lab.path / "drift.prom").read_text()

    # A change on a branch; one that is wrong is not even committed.
    document = lab.path / "fabric.yaml"
    whole = document.read_text()
    run(lab, "git", "checkout", "-qb", "smaller-frames")
    document.write_text(whole.replace("mtu: 9000", "mtu: 90000"))
    refused = run(lab, "git", "commit", "-qam", "Larger frames", expect=1)
    assert "mtu" in refused.stderr, refused.stderr
    document.write_text(whole.replace("mtu: 9000", "mtu: 4200"))
    run(lab, "git", "commit", "-qam", "Smaller frames")
    run(lab, "ci/comment.sh")
    comment = (lab.path / "comment.md").read_text()
    assert len(comment) < 65_536 and "4200" in comment and "<details>" in comment, comment[:2000]
    assert lab.status()["monitor"]["reboots"] == 3

    # The merge, and the plan that is applied. Another plan, or one that nobody signed, is not.
    run(lab, "git", "checkout", "-q", "main")
    run(lab, "git", "merge", "-q", "smaller-frames")
    run(lab, "ci/plan.sh", **keys)
    signature = (lab.path / "fabric.plan.sig").read_bytes()
    plan = (lab.path / "fabric.plan").read_bytes()
    (lab.path / "fabric.plan").write_bytes(plan.replace(b"4200", b"4201"))
    run(lab, "ci/apply.sh", expect=5, **keys)
    (lab.path / "fabric.plan").write_bytes(plan)
    (lab.path / "fabric.plan.sig").unlink()
    run(lab, "ci/apply.sh", expect=5, **keys)
    (lab.path / "fabric.plan.sig").write_bytes(signature)
    run(lab, "ci/apply.sh", **keys)
    run(lab, "ci/drift.sh")
    # Without changes there is no plan, and nothing is applied.
    run(lab, "ci/plan.sh", **keys)
    assert not (lab.path / "fabric.plan").exists()
    assert "nothing to apply" in run(lab, "ci/apply.sh", **keys).stdout

    # Somebody changes a node by hand.
    name = next(line.split(":")[1].strip() for line in lab.ssh("pve2", "ip -o link").stdout.splitlines() if " mtu 4200 " in line)
    assert lab.ssh("pve2", f"ip link set {name} mtu 1500").returncode == 0
    drift = run(lab, "ci/drift.sh", expect=2, FABRIC_METRICS="drift.prom")
    assert "pve2" in drift.stdout and "1500" in drift.stdout and "pve1" not in drift.stdout.split("pve2")[0], drift.stdout
    assert "fabric_drift 1\n" in (lab.path / "drift.prom").read_text()
    # What was not read is neither.
    assert lab.ssh("pve2", f"ip link set {name} mtu 4200").returncode == 0
    run(lab, "ci/drift.sh")
    run(lab, "fabric", "lab", "fault", "pve3", "refused")
    run(lab, "ci/drift.sh", expect=4, FABRIC_METRICS="drift.prom")
    assert "fabric_drift NaN\n" in (lab.path / "drift.prom").read_text()


def pipelines():
    github = yaml.safe_load((EXAMPLE / "github.yaml").read_text())
    gitlab = yaml.safe_load((EXAMPLE / "gitlab-ci.yaml").read_text())
    scripts = {f"ci/{path.name}" for path in (EXAMPLE / "ci").iterdir()}
    for text in ((EXAMPLE / name).read_text() for name in ("github.yaml", "gitlab-ci.yaml")):
        called = set(re.findall(r"ci/[a-z]+\.sh", text))
        assert called == scripts, f"called {sorted(called)}, there are {sorted(scripts)}"
    triggers = github[True]  # YAML 1.1 takes `on` for true
    assert "pull_request_target" not in triggers and github["permissions"] == {"contents": "read"}
    for name, job in github["jobs"].items():
        steps = str(job["steps"])
        hosted = job["runs-on"] == "ubuntu-24.04"
        # What may write checks nothing out; what reaches nodes waits for a person or the protected branch.
        assert "write" not in str(job.get("permissions")) or ("checkout" not in steps and hosted), name
        assert hosted or "environment" in job, name
        for uses in re.findall(r"'uses': '([^']*)'", steps):
            assert re.search(r"@[0-9a-f]{40}$", uses), f"{name}: {uses} is not pinned"
    assert "head.repo.full_name == github.repository" in github["jobs"]["plan"]["if"]
    assert gitlab["comment"]["variables"]["GIT_STRATEGY"] == "none"
    for name in ("sign", "apply", "drift"):
        assert all("CI_COMMIT_REF_PROTECTED" in rule["if"] for rule in gitlab[name]["rules"]), name
    job = yaml.safe_load((EXAMPLE / "kubernetes/drift.yaml").read_text())["spec"]["jobTemplate"]["spec"]["template"]["spec"]
    assert job["automountServiceAccountToken"] is False and job["securityContext"]["runAsNonRoot"] is True
    assert job["containers"][0]["command"][1:] == ["--no-input", "plan", "--refresh-only", "--detailed-exitcode"]
    hooks = yaml.safe_load((EXAMPLE / "pre-commit-config.yaml").read_text())["repos"][0]["hooks"]
    assert hooks[0]["entry"] in (EXAMPLE / "pre-commit").read_text()
    for unit in ("service", "timer"):
        parsed = configparser.ConfigParser()
        parsed.read(EXAMPLE / f"systemd/fabric-drift.{unit}")
        assert parsed.sections() == ["Unit", unit.capitalize(), "Install"], parsed.sections()
        if unit == "service":
            assert parsed["Service"]["ExecStart"].endswith("/ci/drift.sh")


pipelines()
story()
print("a change was reviewed, signed and applied; drift was found")
