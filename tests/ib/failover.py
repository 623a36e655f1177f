#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Two real OpenSM with the files that the provider writes, back to back: who is master by the document's priorities, a master that
dies, one that `verify --level failover` stops, and since when each is what it is. Read by the parsers that `verify` uses. (One that comes back is shown by the virtual
machines, tests/vm: on ibsim the hand-over is lost between the two OpenSM in a third of all runs, for good.)

usage: failover.py FABRIC_BINARY MANAGER_FILES
"""
import json
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

import simulator

BINARY, RENDER = (str(pathlib.Path(path).resolve()) for path in sys.argv[1:3])
HOSTS = ["h1", "h2"]
# OpenSM's own 40 seconds until a standby gives its master up are too long for a test.
FAST = "sminfo_polling_timeout 300\npolling_retry_number 2\n"
DOCUMENT = """apiVersion: fabric/v1
name: failover
nodes:
  h1: {packages: [opensm, infiniband-diags], adapters: {hca: {model: connectx-3, node_guid: "0x0002c90300000010"}}}
  h2: {packages: [opensm, infiniband-diags], adapters: {hca: {model: connectx-3, node_guid: "0x0002c90300000020"}}}
networks:
  ib:
    mode: infiniband
    mtu: 4096
    cables: [[h1/1, h2/1]]
    subnet_managers: [{node: h1, priority: 10}, {node: h2, priority: 5}]
    partitions: {storage: {pkey: 0x8010, ipoib: true, mtu: 4096, members: {h1: full, h2: limited}}}
"""


def parse(kind, text):
    done = subprocess.run([BINARY, "parse", kind, "-"], input=text, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def render(folder):
    """Options of each node's manager, with this test's folder instead of /etc and /var/log."""
    (folder / "fabric.yaml").write_text(DOCUMENT)
    subprocess.run([RENDER, folder / "fabric.yaml", folder / "files"], check=True)
    options = {}
    for node in HOSTS:
        there = folder / "files" / node
        options[node] = there / "fabric-ib.hca.1.conf"
        text = options[node].read_text()
        assert "sm_priority" in text and f"guid 0x0002c903000000{HOSTS.index(node) + 1}1" in text, text
        options[node].write_text(text.replace("/etc/opensm/", f"{there}/").replace("/var/log/", f"{there}/") + FAST)
    return options


class Managers:
    """Of `fabric`, whose own OpenSM is the one on h1."""

    def __init__(self, fabric, options):
        self.fabric, self.options = fabric, options
        self.logs = {"h1": fabric.folder / "osm.log", "h2": fabric.folder / "osm-h2.log"}

    def attached(self, node):
        return dict(self.fabric.attached, SIM_HOST=f"{node} HCA-1")

    def start(self, node):
        with open(self.fabric.folder / f"opensm-{node}.out", "ab") as out:
            process = subprocess.Popen(["opensm", "--config", self.options[node], "-f", self.logs[node]], cwd=self.fabric.folder, env=self.attached(node),
                                       stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT)
        self.fabric.processes.append(process)
        return process

    def is_now(self, node):
        """What the manager that the node was told of answers; "" for nobody."""
        done = subprocess.run(["sminfo", "-t", "500"], env=self.attached(node),
                              cwd=self.fabric.folder, capture_output=True, text=True, check=False)
        if done.returncode:
            return ""
        return parse("sminfo", done.stdout)["manager"]["state"]

    def entered(self, node):
        text = self.logs[node].read_text(errors="replace") if self.logs[node].exists() else ""
        whole = text[:text.rfind("\n") + 1]
        return parse("opensm-log", whole).get("state", {})

    def until(self, node, state, seconds=180):
        deadline = time.monotonic() + seconds
        while self.entered(node).get("state") != state.upper():
            assert time.monotonic() < deadline, f"{node} is not {state}: {self.entered(node)}"
            time.sleep(0.05)


def stop_by_script(managers, master, standby, simulated):
    """What `verify --level failover` runs on the master's node, with systemctl played by two files: who asks, and what was done."""
    folder = managers.fabric.folder / "shim"
    folder.mkdir()
    (folder / "systemctl").write_text(f"""#!/bin/sh
cd {folder} || exit 1
case $1 in
is-active) [ -e active ] ;;
*) touch "$1" && while [ -e "$1" ]; do sleep 0.1; done ;;
esac
""")
    (folder / "systemctl").chmod(0o755)
    (folder / "active").touch()
    environment = managers.attached("h2")
    environment["PATH"] = f"{folder}:{environment.get('PATH', '/usr/sbin:/usr/bin:/sbin:/bin')}"
    script = pathlib.Path(__file__).resolve().parents[2] / "providers/linux/machine/sh/manager_stopping.sh"
    # `$PATH` of the script comes after the shim's.
    run = subprocess.Popen(["sh", str(script), "fabric-opensm-ib.hca.1.service", managers.options["h2"], "120", "0"], env=environment,
                           cwd=managers.fabric.folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    while run.poll() is None:
        if (folder / "stop").exists():
            kill_unasked(master, standby, simulated)
            (folder / "active").unlink()
            (folder / "stop").unlink()
        if (folder / "start").exists():
            (folder / "active").touch()
            (folder / "start").unlink()
        time.sleep(0.05)
    said, complaints = run.communicate()
    lines = said.splitlines()
    assert lines and lines[-1] == "fabric-end" and lines[0].startswith("fabric-taken "), said + complaints
    assert int(lines[0].split()[2], 16) == 0x0002c90300000011, said


def at_rest(processes):
    """Whether no thread of these has anything to do: who is asleep has read all that was sent to it."""
    for process in processes:
        for thread in pathlib.Path(f"/proc/{process.pid}/task").iterdir():
            if (thread / "stat").read_text().rpartition(")")[2].split()[0] != "S":
                return False
    return True


def kill_unasked(master, standby, simulated):
    """The master dies while nobody waits for its answer. A kernel ends a question that stays unanswered; the simulator does not, and
    an OpenSM waits for the answer for ever. So the standby, which asks every 300 ms, is held until all that it asked is answered."""
    standby.send_signal(signal.SIGSTOP)
    seen = 0
    deadline = time.monotonic() + 120
    while seen < 20:
        assert time.monotonic() < deadline, "the master or the simulator is busy for two minutes"
        seen = seen + 1 if at_rest((master, simulated)) else 0
        time.sleep(0.01)
    master.kill()
    master.wait()
    standby.send_signal(signal.SIGCONT)


def moment(logged):
    """Seconds, of a moment as OpenSM logs it: without a year. The last one that was so is meant."""
    now = time.time()
    years = (time.strptime(f"{time.localtime(now).tm_year - ago} {logged}", "%Y %b %d %H:%M:%S") for ago in (0, 1))
    return next(seconds for seconds in map(time.mktime, years) if seconds < now + 3600)


def main():
    simulator.need_programs()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        options = render(folder)
        cables = {("h1", 1): ("h2", 1), ("h2", 1): ("h1", 1)}
        with simulator.Fabric(folder / "net", simulator.netlist(cables, [], HOSTS, 2, "4xFDR"), "h1 HCA-1", ("--config", options["h1"])) as fabric:
            managers = Managers(fabric, options)
            simulated, first = fabric.processes
            second = managers.start("h2")
            managers.until("h2", "standby")
            print("the higher priority is master, the other stands by", flush=True)
            assert managers.entered("h1")["state"] == "MASTER", managers.entered("h1")
            for node in HOSTS:
                keys = subprocess.run(["smpquery", "pkeys", "-D", "0", "1"], env=managers.attached(node), cwd=fabric.folder, capture_output=True,
                                      text=True, check=True).stdout
                wanted = "0x8010" if node == "h1" else "0x0010"
                assert wanted in keys.split() and "0xffff" in keys.split(), (node, keys)
            said = subprocess.run(["saquery", "MCMR"], env=managers.attached("h1"), cwd=fabric.folder, capture_output=True, text=True, check=True).stdout
            codes = simulator.group_mtus(said)
            assert codes["ff12:401b:8010::ffff:ffff"] == 5 and codes["ff12:401b:ffff::ffff:ffff"] == 5, codes
            print("the master is killed, and the standby takes over", flush=True)
            killed = int(time.time())
            fabric.processes.remove(first)
            kill_unasked(first, second, simulated)
            # Its log still says master: it is no evidence.
            assert managers.entered("h1")["state"] == "MASTER"
            managers.until("h2", "master")
            assert moment(managers.entered("h2")["since"]) >= killed, (managers.entered("h2"), time.ctime(killed))
            assert managers.is_now("h2") == "master", managers.is_now("h2")
            print("a master is stopped as verify does it, and the standby takes over", flush=True)
            options["h1"].write_text(options["h1"].read_text().replace("sm_priority 10", "sm_priority 1"))
            third = managers.start("h1")
            managers.until("h1", "standby")
            stop_by_script(managers, second, third, simulated)


main()
