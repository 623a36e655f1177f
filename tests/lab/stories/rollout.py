# SPDX-License-Identifier: Apache-2.0
"""How far a run goes, and who reboots the nodes."""
import subprocess

from documents import given_up_soon, rollout
from lab import PATIENCE, RING, Lab, binary, root, until


def node_never_returns():
    """A node that stays down: its neighbours are skipped by name, the ring is cut no further, exit 12."""
    with Lab(document=given_up_soon(RING % (4, 4))) as lab:
        lab.fabric("lab", "fault", "pve2", "no-boot", expect=0)
        done = lab.apply(expect=12)
        assert "pve2 did not come back" in done.stdout, done.stdout
        assert "skipped" in done.stderr and "pve[3-4]" in done.stderr, done.stderr
        lab.monitor_is_clean(reboots=2)
        down = [name for name, node in lab.status()["nodes"].items() if node["power"] != "up"]
        assert down == ["pve2"], down


def staged():
    """What the next boot will have is set and nobody boots; whoever boots the nodes finds them done."""
    with Lab() as lab:
        said = lab.fabric("--lab", "apply", "--stage", "--auto-approve", expect=0)
        assert "staged: the changes take effect at the next boot of pve[1-3]" in said.stderr, said.stderr
        lab.monitor_is_clean(reboots=0)
        again = lab.fabric("--lab", "apply", "--stage", "--auto-approve", expect=0)
        assert "0 to change" in again.stdout, again.stdout
        lab.fabric("--lab", "plan", "--detailed-exitcode", expect=2)
        for node in ("pve1", "pve2", "pve3"):
            lab.reboot(node)
        lab.plan_is_empty()
        lab.fabric("--lab", "verify", expect=0)


def reboot_command():
    """Who may reboot the nodes is somebody else: a command of this machine, given the node's name."""
    with Lab(document=rollout(RING % (3, 3), "reboot: {command: [./power-cycle, now]}")) as lab:
        script = lab.path / "power-cycle"
        script.write_text(f"""#!/bin/sh
echo "$@" >>cycled
{root}/tests/golden/bin/at "$2" 'systemctl reboot' 2>/dev/null
exit 255  # whatever it says: the node's boot_id decides
""")
        script.chmod(0o755)
        lab.apply()
        lab.monitor_is_clean(reboots=3)
        lab.plan_is_empty()
        assert sorted(set((lab.path / "cycled").read_text().splitlines())) == ["now pve1", "now pve2", "now pve3"]
        script.unlink()
        lab.ssh("pve2", "mstconfig -d 0000:01:00.0 -y set HOST_CHAINING_MODE=0")
        lab.reboot("pve2")
        done = lab.apply(expect=10)
        assert "./power-cycle: can't be run on this machine: No such file or directory" in done.stdout + done.stderr, done.stdout + done.stderr


def paths_asked():
    """Two reboots at a time in a running ring of four cut the others off: that is agreed to by an answer or by a plan file, and by nothing else."""
    with Lab(nodes=4) as lab:
        lab.apply()
        lab.monitor_is_clean(reboots=4)
        document = lab.path / "fabric.yaml"
        document.write_text(rollout(document.read_text().replace("{model: connectx-5-vpi}", "{model: connectx-5-vpi, firmware: {params: {SW_RECOVERY_ON_ERRORS: 1}}}"),
                                    "max_unavailable: 2, paths_lost: ask"))
        done = lab.fabric("--lab", "apply", "--auto-approve", expect=5)
        assert "rollout.paths_lost is `ask`" in " ".join(done.stderr.split()), done.stderr
        assert "1 of 1 pairs of other hosts lose each other: pve2 and pve4" in " ".join(done.stdout.split()), done.stdout
        lab.monitor_is_clean(reboots=4)
        lab.fabric("--lab", "plan", "--out", "agreed.plan", expect=0)
        lab.fabric("--lab", "apply", "agreed.plan", expect=0)
        monitor = lab.status()["monitor"]
        assert monitor["reboots"] == 8 and monitor["most_down_at_once"] == 2 and not monitor["neighbours_down_together"], monitor
        done = lab.fabric("--lab", "verify", "--level", "failover")
        assert done.returncode != 0 and "unplug a cable by hand" in " ".join(done.stdout.split()), done.stdout


def health_gate():
    """A link that does not come back after its node was disturbed stops the waves behind it; mended, the rest is done."""
    with Lab(nodes=4) as lab:
        lab.apply()
        document = lab.path / "fabric.yaml"
        changed = document.read_text().replace("mtu: 9000", "mtu: 8000")
        # Nothing is disturbed before the cable is in another port; and the link that never comes back is not waited for so long.
        document.write_text(rollout(changed, "confirm_timeout: 30s") + "hooks: {before_disruption: touch held; while test ! -e go; do sleep 0.1; done}\n")
        said = lab.fabric("--lab", "plan", expect=0).stdout
        assert "health.check" in said, said
        running = subprocess.Popen([binary, "--lab", "apply", "--auto-approve"], cwd=lab.path, stdin=subprocess.DEVNULL, text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        until("no hook was run", (lab.path / "held").exists, running)
        # Of the cable pve1/1 - pve2/2 one end goes elsewhere: pve1's port sees nobody any more.
        lab.fabric("lab", "recable", "pve2/cx5/2", "pve3/cx5/2", expect=0)
        (lab.path / "go").touch()
        said = " ".join(running.communicate(timeout=PATIENCE)[0].split())
        assert running.returncode == 10, (running.returncode, said)
        assert "no carrier at cx5.1 (false), which had one before" in said, said
        assert "12 actions on pve[2-4]" in said, said
        mtu = lab.ssh("pve2", "cat /sys/class/net/enp*/mtu").stdout
        assert "8000" not in mtu, mtu
        lab.fabric("lab", "recable", "pve1/cx5/1", "pve2/cx5/2", expect=0)
        lab.fabric("lab", "recable", "pve2/cx5/1", "pve3/cx5/2", expect=0)
        document.write_text(changed)
        done = lab.apply()
        # By now there is a history of such actions.
        assert "Time" in done.stdout and "earlier run" in done.stdout, done.stdout
        lab.plan_is_empty()


def on_error():
    """A node whose tool lies: the rest of its wave and no more, nothing more at all, or whatever does not need it."""
    document = rollout((RING % (4, 4)).replace("mode: chain", "mode: ethernet").replace("10.30.0.0/24", "10.30.0.0/24, per: port"), "max_unavailable: 2")
    for choice, booted in (("stop", 0), ("stop-wave", 1), ("continue", 3)):
        with Lab(nodes=4, document=document) as lab:
            lab.fabric("lab", "fault", "pve1", "lying-exit", "--on", "-y set ", expect=0)
            lab.fabric("--lab", "--parallelism", "1", "apply", "--auto-approve", "--on-error", choice, expect=10 if booted else 1)
            reboots = lab.status()["monitor"]["reboots"]
            assert reboots == booted, (choice, reboots)
