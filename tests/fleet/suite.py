#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""fabric against tens of hosts that really reboot: waves, a host that stays away, a controller that dies.

usage: suite.py FABRIC_BINARY RUN_FOLDER HOSTS [SCENARIO...]

The hosts n1, n2, ... run already, in the network namespace of this process (tests/fleet/run.sh starts both). None has a
real card: each shows two functions in sysfs and the mstconfig of the VM lab, so a firmware setting makes a plan reboot
it. Scenarios follow each other on the same hosts; each asks for values that none before it has asked for.
"""
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

from monitor import Monitor

binary, run, count = sys.argv[1], pathlib.Path(sys.argv[2]).resolve(), int(sys.argv[3])
HOSTS = {f"n{number}": f"198.18.0.{number}" for number in range(1, count + 1)}
CONTROLLER = "198.18.0.254"
AT_ONCE = int(os.environ.get("FLEET_AT_ONCE", "3"))
# A reboot takes 3 s, on a machine with a load of 20 a minute and a half; who stays away longer is lost.
LOST_AFTER = os.environ.get("FLEET_LOST_AFTER", "60")


def ssh(node, command, check=True):
    done = subprocess.run(["ssh", "-F", run / "ssh_config", node, command], capture_output=True, text=True, timeout=60)
    assert not check or done.returncode == 0, f"{node}: {command}: {done.returncode}\n{done.stdout}{done.stderr}"
    return done.stdout


def until(seconds, what, holds):
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, f"after {seconds} s still not: {what}"
        time.sleep(0.1)


def host_keys():
    return {name: f"{kind} {key}" for name, kind, key in (line.split()[:3] for line in (run / "known_hosts").read_text().splitlines())}


def boot_ids(nodes=tuple(HOSTS)):
    """Of those that answer."""
    asked = {node: subprocess.Popen(["ssh", "-F", run / "ssh_config", node, "cat /proc/sys/kernel/random/boot_id"],
                                    stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) for node in nodes}
    said = {node: process.communicate(timeout=60)[0].strip() for node, process in asked.items()}
    return {node: boot_id for node, boot_id in said.items() if boot_id}


def power_off(node):
    """Takes effect when the host next goes down."""
    (run / node / "off").touch()


def power_on(*nodes):
    for node in nodes:
        (run / node / "off").unlink(missing_ok=True)
    until(300, f"{', '.join(nodes)} answer", lambda: len(boot_ids(nodes)) == len(nodes))


def monitor():
    return Monitor(HOSTS, CONTROLLER)


class Repository:
    """A document for all hosts in a folder, and fabric in that folder. Each has another firmware setting and sysctl."""

    made = 0

    def __init__(self, rollout=""):
        power_on(*HOSTS)
        Repository.made += 1
        self.folder = tempfile.TemporaryDirectory(dir=run)
        self.path = pathlib.Path(self.folder.name)
        self.value = Repository.made
        lines = ["apiVersion: fabric/v1", "name: fleet",
                 f"rollout: {{max_unavailable: {AT_ONCE}, confirm_timeout: 60s, {rollout}}}",
                 "defaults:",
                 f"  ssh: {{user: root, identity_file: {run.parent}/id_fleet}}",
                 f"  sysctl: {{net.ipv4.tcp_keepalive_time: {7000 + self.value}}}",
                 f"  adapters: {{cx5: {{model: connectx-5-vpi, firmware: {{params: {{NUM_OF_VFS: {self.value}}}}}}}}}",
                 "nodes:"]
        keys = host_keys()
        lines += [f"  {node}: {{address: {address}, ssh: {{host_key: \"{keys[node]}\"}}}}" for node, address in HOSTS.items()]
        (self.path / "fabric.yaml").write_text("\n".join(lines) + "\nnetworks: {}\n")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.folder.cleanup()

    def start(self, *arguments):
        return subprocess.Popen([binary, "--timeout", "60s", *arguments], cwd=self.path, stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    def fabric(self, *arguments, expect):
        process = self.start(*arguments)
        said = process.communicate(timeout=1800)[0]
        assert process.returncode == expect, f"fabric {' '.join(arguments)}: exit {process.returncode}, expected {expect}\n{said}"
        return said

    def plan(self):
        self.fabric("plan", "--out", "plan.json", expect=0)
        return json.loads((self.path / "plan.json").read_text())

    def is_converged(self):
        """By fabric's word and by the hosts' own; nothing is left armed."""
        self.fabric("plan", "--detailed-exitcode", expect=0)
        for node in HOSTS:
            said = ssh(node, "sed -n 's/^NUM_OF_VFS=//p' /var/lib/vmlab/settings/current; sysctl -n net.ipv4.tcp_keepalive_time;"
                             " ls -A /var/lib/fabric/guard 2>/dev/null; ls /etc/systemd/system | grep fabric-guard", check=False)
            assert said.split() == [str(self.value), str(7000 + self.value)], (node, said)


def rebooted_since(before):
    now = boot_ids()
    return {node for node in HOSTS if now.get(node) != before[node]}


def looks(seen):
    return f"{seen.asked} looks, never more than {seen.longest_gap:.1f} s apart"


def wave_of(plan):
    return {node: wave["number"] for wave in plan["waves"] for node in wave["nodes"]}


def waves():
    """All hosts in waves: never more down at once than allowed, each once, and nothing left to do."""
    with Repository() as repository:
        before = boot_ids()
        plan = repository.plan()
        expected = -(-count // AT_ONCE)
        assert plan["impact"]["reboots"] == count and plan["impact"]["waves"] == expected, plan["impact"]
        begun = time.monotonic()
        with monitor() as seen:
            repository.fabric("apply", "--auto-approve", "plan.json", expect=0)
        took = time.monotonic() - begun
        assert 1 <= seen.most_down <= AT_ONCE, f"{seen.most_down} down at once: {sorted(seen.down_together)}"
        assert all(number == 1 for number in seen.outages.values()), f"outages: {seen.outages}"
        assert len(boot_ids()) == count and rebooted_since(before) == set(HOSTS)
        repository.is_converged()
        print(f"  {count} hosts in {expected} waves, {took:.0f} s, at most {seen.most_down} down at once ({looks(seen)})")


def stays_away(max_failures):
    """The power of a host of the second wave is gone while it reboots; later it is back, and a plain apply converges."""
    with Repository(f"max_failures: {max_failures}, reboot_timeout: {LOST_AFTER}s") as repository:
        before = boot_ids()
        wave = wave_of(repository.plan())
        lost = next(node for node in HOSTS if wave[node] == 2)
        power_off(lost)
        with monitor() as seen:
            said = " ".join(repository.fabric("apply", "--auto-approve", "plan.json", expect=12).split())
        assert f"{lost} did not come back" in said, said
        others = set(HOSTS) - {lost}
        due = others if max_failures else {node for node in others if wave[node] <= 2}
        assert rebooted_since(before) - {lost} == due, f"{sorted(rebooted_since(before))} rebooted, due were {sorted(due)}"
        if not max_failures:
            assert "not started" in said, said
        # A host that was lost counts as down from then on (I6).
        assert seen.most_down <= AT_ONCE, f"{seen.most_down} down at once: {sorted(seen.down_together)}"
        repository.fabric("plan", expect=4)
        power_on(lost)
        between = boot_ids()
        repository.fabric("apply", "--auto-approve", expect=0)
        assert rebooted_since(between) == others - due, "a host was rebooted again, or one was left out"
        repository.is_converged()
        print(f"  {lost} stayed away: exit 12, {len(due)} of {len(others)} others were done, at most {seen.most_down} down at once ({looks(seen)})")


def one_stays_away():
    """No failure is allowed: its wave is finished, no other begun."""
    stays_away(0)


def one_may_stay_away():
    """One failure is allowed: all others are done."""
    stays_away(1)


def controller_dies():
    """SIGKILL for fabric when some hosts are done and some are down; a plain new run converges and repeats nothing."""
    with Repository() as repository:
        before = boot_ids()
        with monitor() as seen:
            process = repository.start("apply", "--auto-approve")
            until(900, "the second wave is down", lambda: sum(seen.outages.values()) > AT_ONCE or process.poll() is not None)
            assert process.poll() is None, process.communicate()[0]
            process.send_signal(signal.SIGKILL)
            process.communicate(timeout=60)
            until(300, "all hosts listen again", lambda: not seen.down)
            power_on(*HOSTS)
            first = rebooted_since(before)
            assert AT_ONCE < len(first) < count, sorted(first)
            between = boot_ids()
            repository.fabric("apply", "--auto-approve", expect=0)
        assert seen.most_down <= AT_ONCE, f"{seen.most_down} down at once: {sorted(seen.down_together)}"
        assert rebooted_since(between) == set(HOSTS) - first, "a host was rebooted twice, or one was left out"
        assert all(number == 1 for number in seen.outages.values()), f"outages: {seen.outages}"
        repository.is_converged()
        print(f"  killed with {len(first)} of {count} rebooted; the second run rebooted the other {count - len(first)}")


# Locks (I12) have their stories in tests/lab/stories/locks.py: they need no more nodes than those.
SCENARIOS = {each.__name__: each for each in (waves, one_stays_away, one_may_stay_away, controller_dies)}


def main():
    failed = 0
    wanted = sys.argv[4:] or list(SCENARIOS)
    for name in wanted:
        begun = time.monotonic()
        try:
            SCENARIOS[name]()
            print(f"ok      {name} ({time.monotonic() - begun:.0f} s)", flush=True)
        except Exception as failure:  # pylint: disable=broad-except
            failed += 1
            print(f"FAILED  {name} ({time.monotonic() - begun:.0f} s): {type(failure).__name__}: {failure}", flush=True)
    print(f"{len(wanted) - failed} passed, {failed} failed")
    return failed != 0


sys.exit(main())
