# SPDX-License-Identifier: Apache-2.0
"""What several stories do with a lab, or want to see there."""
import time


def no_guard_is_left(lab, node):
    left = lab.ssh(node, "ls /var/lib/fabric/guard; ls /etc/systemd/system /etc/systemd/system/timers.target.wants")
    assert "fabric-guard" not in left.stdout and not left.stdout.split("/etc")[0].strip(), left.stdout


def converges_and_stays(lab, node):
    lab.apply()
    lab.plan_is_empty()
    lab.fabric("--lab", "verify", expect=0)
    lab.reboot(node)
    lab.plan_is_empty()
    lab.fabric("--lab", "verify", expect=0)


def after_a_boot(lab, node="n1"):
    """What the files alone make of it."""
    lab.plan_is_empty()
    lab.fabric("--lab", "verify", expect=0)
    lab.reboot(node)
    lab.plan_is_empty()
    lab.fabric("--lab", "verify", expect=0)


def ifenslave_is_wanted(lab, *nodes):
    done = lab.fabric("--lab", "plan", expect=3)
    assert "package-missing" in done.stderr and "ifenslave" in done.stderr, done.stderr
    for node in nodes:
        assert lab.ssh(node, "apt-get -y install ifenslave").returncode == 0


def proc_bond(lab, node):
    return lab.ssh(node, "cat /proc/net/bonding/bond0").stdout


def begun(lab, process):
    """Waits until an apply has written down its plan and begun with it; the folder of the run."""
    deadline = time.monotonic() + 60
    while True:
        for journal in (lab.path / ".fabric/runs").glob("*/journal.jsonl"):
            if "action_started" in journal.read_text() and "run_ended" not in journal.read_text():
                return journal.parent
        assert process.poll() is None and time.monotonic() < deadline, "no run began"
        time.sleep(0.05)
