# SPDX-License-Identifier: Apache-2.0
"""Hooks around a disruption."""
import signal
import subprocess

from documents import HOOKS, given_up_soon
from lab import PATIENCE, RING, Lab, binary
from steps import said


def hooks():
    """Around each disruption: drained before, released on every way out, by the next run if need be; never twice, never too early."""
    record = "/var/lib/fabric/drained"

    def log(lab):
        path = lab.path / "hooks.log"
        lines = path.read_text().splitlines() if path.exists() else []
        path.unlink(missing_ok=True)
        return lines

    with Lab(document=RING % (3, 3) + HOOKS) as lab:
        # The first node can't be drained: it is as it was, and what may have begun there is ended.
        (lab.path / "refuse-pve1").touch()
        as_found = "ls -R /etc; cat /etc/sysctl.d/*; mstconfig -d 0000:01:00.0 -e q"
        before = lab.ssh("pve1", as_found).stdout
        done = lab.apply(expect=1)
        assert lab.ssh("pve1", as_found).stdout == before and "HOST_CHAINING_MODE" in before, before
        assert "pod db-0 can't be evicted" in done.stdout, done.stdout
        assert log(lab) == ["pve1 before", "pve1 after failed"]
        assert lab.status()["monitor"]["reboots"] == 0
        # Its release has failed too: that is still owed, and said.
        plan = lab.fabric("--lab", "plan", "--limit", "pve1", expect=0).stdout
        assert "drain/hooks" in plan and lab.ssh("pve1", f"ls {record}").returncode == 0, plan
        (lab.path / "refuse-pve1").unlink()
        lab.apply()
        assert log(lab) == [f"pve{i} {what}" for i in (1, 2, 3) for what in ("before", "after succeeded")]
        lab.monitor_is_clean(reboots=3)
        lab.plan_is_empty()
        assert all(lab.ssh(f"pve{i}", f"ls {record}").returncode for i in (1, 2, 3))

    # A node that does not come back is released with that word, and the others are not begun.
    with Lab(document=given_up_soon(RING % (3, 3)) + HOOKS) as lab:
        lab.fabric("lab", "fault", "pve1", "no-boot", expect=0)
        lab.apply(expect=12)
        assert log(lab) == ["pve1 before", "pve1 after lost"]
        lab.fabric("lab", "fault", "pve1", "none", expect=0)

    # Killed while a node is down: the next run releases it, though it has nothing else to do there by then.
    with Lab(document=RING % (3, 3) + HOOKS) as lab:
        lab.hold("pve1")
        running = subprocess.Popen([binary, "--lab", "apply", "--auto-approve"], cwd=lab.path, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        lab.wait_until_down("pve1", running)
        running.kill()
        running.wait()
        lab.let_go("pve1")
        lab.wait_until_up("pve1")
        assert log(lab) == ["pve1 before"]
        plan = lab.fabric("--lab", "plan", expect=0).stdout
        assert "after_disruption (an interrupted run did not run it)" in " ".join(plan.split()), plan
        lab.apply()
        assert log(lab)[0] == "pve1 after unknown"
        lab.monitor_is_clean(reboots=3)
        lab.plan_is_empty()

    # Interrupted while a node is down: what is in flight ends, and so does what was begun.
    with Lab(document=RING % (3, 3) + HOOKS) as lab, (lab.path / "said").open("w") as stream:
        lab.hold("pve1")
        running = subprocess.Popen([binary, "--lab", "apply", "--auto-approve"], cwd=lab.path, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.DEVNULL, stderr=stream)
        lab.wait_until_down("pve1", running)
        running.send_signal(signal.SIGINT)
        said(lab.path / "said", "interrupted: finishing the actions in flight", running)
        lab.let_go("pve1")
        assert running.wait(PATIENCE) == 8, running.returncode
        assert log(lab) == ["pve1 before", "pve1 after succeeded"]
        lab.monitor_is_clean(reboots=1)


LEAVES = """\
apiVersion: fabric/v1
name: leaves
nodes:
  s[1-4]: {network_backend: networkd, adapters: {cx5: {model: connectx-5-en}}}
  leaf[1-2]: {platform: cumulus}
rollout: {max_unavailable: 4}
networks:
  left: {mode: ethernet, mtu: %d, ipv4: {subnet: 10.30.0.0/24}, cables: [["s[1-3]/1", "leaf1/swp[1-3]"]]}
  right: {mode: ethernet, mtu: %d, ipv4: {subnet: 10.31.0.0/24}, cables: [["s[2-4]/2", "leaf2/swp[2-4]"]]}
"""
TOLD = """\
hooks:
  before_disruption: echo "$1 $FABRIC_HOOK $FABRIC_INTERRUPTS" >>hooks.log; test ! -e refuse-$1
  after_disruption: echo "$1 $FABRIC_HOOK $FABRIC_OUTCOME" >>hooks.log
"""


def hosts_behind_switches():
    """Hosts that a change of their switch interrupts are drained before it and released after it; one that can't be drained keeps its switch as it is. A switch's own hook knows their names."""
    def log(lab):
        path = lab.path / "hooks.log"
        lines = path.read_text().splitlines()
        path.unlink()
        return lines

    with Lab(document=LEAVES % (1500, 1500)) as lab:
        lab.apply()
        lab.ssh("leaf1", "nv set interface swp1 link state down; nv config apply -y; nv config save")
        (lab.path / "fabric.yaml").write_text(LEAVES % (1500, 1500) + TOLD)
        (lab.path / "refuse-s1").touch()
        lab.apply(expect=10)
        assert "down" in lab.ssh("leaf1", "nv config show -r applied -o commands").stdout
        lines = log(lab)
        assert "s1 before " in lines and "s1 after failed" in lines, lines
        (lab.path / "refuse-s1").unlink()
        lab.apply()
        lines = log(lab)
        switch = lines.index("leaf1 before s1")
        assert lines.index("s1 before ") >= 0 and lines.index("s1 after succeeded") > switch, lines
        assert not any(line.startswith(("s4", "leaf2")) for line in lines), lines
        lab.plan_is_empty()
        # Hosts alone have hooks. Leaves that share a host are never in one wave.
        for leaf, port in (("leaf1", "swp2"), ("leaf2", "swp2"), ("leaf2", "swp4")):
            lab.ssh(leaf, f"nv set interface {port} link state down; nv config apply -y; nv config save")
        (lab.path / "fabric.yaml").write_text(LEAVES % (1500, 1500) + TOLD + "  hosts_only: true\n")
        lab.apply()
        lines = log(lab)
        assert sorted(lines) == ["s2 after succeeded"] * 2 + ["s2 before "] * 2 + ["s4 after succeeded", "s4 before "], lines
        assert all(lines.index(f"{host} before ") < lines.index(f"{host} after succeeded") for host in ("s2", "s4")), lines
        lab.plan_is_empty()
        # --limit says what is changed, and not who is drained. A host that can't be drained keeps its switch as it is here too.
        lab.ssh("leaf1", "nv set interface swp1-2 link state down; nv config apply -y; nv config save")
        (lab.path / "fabric.yaml").write_text(LEAVES % (1500, 1500) + TOLD)
        limited = ["--lab", "apply", "--auto-approve", "--limit", "leaf1"]
        shown = " ".join(lab.fabric("--lab", "plan", "--limit", "leaf1", expect=0).stdout.split())
        assert "s[1-2]" in shown and "s3 " not in shown, shown
        (lab.path / "refuse-s2").touch()
        lab.fabric(*limited, expect=10)
        assert "down" in lab.ssh("leaf1", "nv config show -r applied -o commands").stdout
        log(lab)
        (lab.path / "refuse-s2").unlink()
        lab.fabric("--lab", "plan", "--limit", "leaf1", "--out", "limited.plan", expect=0)
        lab.fabric("--lab", "rehearse", "limited.plan", "--seeds", "2", expect=0)
        lab.fabric("--lab", "apply", "limited.plan", expect=0)
        lines = log(lab)
        switch = lines.index("leaf1 before s1 s2")
        for host in ("s1", "s2"):
            assert lines.index(f"{host} before ") < lines.index("leaf1 after succeeded") and lines.index(f"{host} after succeeded") > switch, lines
        assert not any(line.startswith(("s3", "s4", "leaf2")) for line in lines), lines
        lab.plan_is_empty()
        # One that is not reached counts as down: nothing is left there to drain.
        lab.fabric("lab", "fault", "s2", "refused", expect=0)
        lab.ssh("leaf1", "nv set interface swp1 link state down; nv config apply -y; nv config save")
        lab.fabric(*limited, expect=0)
        assert sorted(log(lab)) == ["leaf1 after succeeded", "leaf1 before s1", "s1 after succeeded", "s1 before "]
        assert all(lab.ssh(f"s{i}", "ls /var/lib/fabric/drained").returncode for i in (1, 4))
