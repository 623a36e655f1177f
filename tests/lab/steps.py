# SPDX-License-Identifier: Apache-2.0
"""What several stories do with a lab, or want to see there."""
import re

from lab import until


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


def runs(lab):
    """The folders of those that have written anything."""
    return {journal.parent for journal in (lab.path / ".fabric/runs").glob("*/journal.jsonl")}


def said(path, text, running):
    """Waits until a process has written that to its file."""
    until(f"{text!r} is not said", lambda: path.exists() and text in path.read_text(errors="replace"), running)


def begun(lab, process, before=None):
    """Waits until an apply has written down its plan and begun with it; the folder of the run."""
    before = {run for run in runs(lab) if "run_ended" in (run / "journal.jsonl").read_text()} if before is None else before
    found = []

    def one_is_there():
        found[:] = [run for run in runs(lab) - before if "action_started" in (run / "journal.jsonl").read_text()]
        return found

    until("no run began", one_is_there, process)
    return found[0]


def shown(lab, line, switch="leaf1"):
    """What a line prints in enable mode, without pages, escape sequences and prompts."""
    text = lab.at_prompt(switch, "enable", "no cli session paging enable", line, "exit")
    text = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b=|\r", "", text)
    return text.split(line + "\n", 1)[1].rsplit("\n", 1)[0]


def has_lines(text, *lines):
    for line in lines:
        assert re.search(rf"^\s*{re.escape(line)}\s*$", text, re.M), f"{line!r} is not in:\n{text}"
