#!/usr/bin/env python3
"""The real program against the real lab over real SSH: what a user would do, and what then goes wrong.

usage: scenarios.py FABRIC_BINARY SOURCE_ROOT [SCENARIO...]

Each scenario has a lab of its own in a temporary folder; they run side by side.
"""
import concurrent.futures
import json
import pathlib
import subprocess
import sys
import tempfile
import time

binary, root = sys.argv[1], pathlib.Path(sys.argv[2])
RING = """\
apiVersion: fabric/v1
name: ring
rollout: {reboot_timeout: 8s}
nodes:
  pve[1-%d]: {adapters: {cx5: {model: connectx-5-vpi}}}
networks:
  storage:
    mode: chain
    mtu: 9000
    ipv4: {subnet: 10.30.0.0/24}
    cables: [{ring: ["pve[1-%d]"]}]
"""


class Lab:
    """A lab in a folder, and fabric in that folder."""

    def __init__(self, nodes=3, lab_yaml=None, document=None):
        self.folder = tempfile.TemporaryDirectory()
        self.path = pathlib.Path(self.folder.name)
        (self.path / "fabric.yaml").write_text(document or RING % (nodes, nodes))
        if lab_yaml:
            (self.path / "lab.yaml").write_text(lab_yaml)

    def __enter__(self):
        self.fabric("lab", "up", expect=0)
        return self

    def __exit__(self, failure, *_):
        self.fabric("lab", "down", expect=0)
        left = {path.name for path in (self.path / ".fabric/lab").glob("*")} - {"lab.log", "lock"}
        self.folder.cleanup()
        assert failure or not left, f"lab down left {left}"

    def fabric(self, *arguments, expect=None):
        done = subprocess.run([binary, *arguments], cwd=self.path, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=300)
        if expect is not None:
            assert done.returncode == expect, (
                f"fabric {' '.join(arguments)}: exit {done.returncode}, expected {expect}\n{done.stdout}\n{done.stderr}")
        return done

    def apply(self, expect=0):
        return self.fabric("--lab", "apply", "--auto-approve", expect=expect)

    def plan_is_empty(self):
        self.fabric("--lab", "plan", "--detailed-exitcode", expect=0)

    def verify_says(self, *texts):
        done = self.fabric("--lab", "verify", expect=13)
        for text in texts:
            assert text in done.stdout, f"verify does not say {text!r}:\n{done.stdout}"

    def status(self):
        lines = self.fabric("--json", "lab", "status", expect=0).stdout.splitlines()
        return next(event for event in map(json.loads, lines) if "monitor" in event)

    def monitor_is_clean(self, reboots):
        monitor = self.status()["monitor"]
        assert monitor["reboots"] == reboots, monitor
        assert monitor["most_down_at_once"] <= 1 and not monitor["neighbours_down_together"], monitor
        assert not monitor["violations"], monitor

    def ssh(self, node, command):
        info = json.loads((self.path / ".fabric/lab/lab.json").read_text())
        return subprocess.run(
            ["ssh", "-F", "none", "-p", str(info["port"]), "-i", info["identity_file"], "-o", "IdentitiesOnly=yes",
             "-o", f"UserKnownHostsFile={info['known_hosts_file']}", "-o", "StrictHostKeyChecking=yes",
             f"root@{info['addresses'][node]}", command], capture_output=True, text=True, timeout=60)

    def reboot(self, node, first=":"):
        """Runs a command on the node, reboots it behind our back, and waits until it is up again."""
        self.ssh(node, f"{first}; systemctl reboot")
        deadline = time.monotonic() + 30
        while self.status()["nodes"][node]["power"] != "up":
            assert time.monotonic() < deadline, f"{node} does not come back"
            time.sleep(0.2)


def converges():
    """Factory settings to a ring; a second plan and a second apply find nothing; a reboot changes nothing."""
    with Lab() as lab:
        lab.fabric("--lab", "plan", "--out", "ring.plan", expect=0)
        lab.fabric("--lab", "apply", "ring.plan", expect=0)
        lab.monitor_is_clean(reboots=3)
        lab.plan_is_empty()
        lab.apply()
        lab.monitor_is_clean(reboots=3)
        lab.reboot("pve2")
        lab.plan_is_empty()
        lab.fabric("--lab", "verify", expect=0)


def ifupdown_with_names():
    """The other back end: interfaces are named by us, because a link-type change renames them."""
    document = (RING % (3, 3)).replace("model: connectx-5-vpi}", "model: connectx-5-vpi, names: {1: fab1, 2: fab2}}")
    with Lab(document=document, lab_yaml='hosts: {"pve[1-3]": {backend: ifupdown}}\n') as lab:
        lab.apply()
        lab.monitor_is_clean(reboots=3)
        lab.plan_is_empty()
        lab.fabric("--lab", "verify", expect=0)


def cables():
    """A cut cable, a swapped pair and a card that does not chain are each named."""
    with Lab(nodes=4) as lab:
        lab.apply()
        lab.fabric("lab", "recable", "pve1/cx5/1", "pve3/cx5/2", expect=0)
        lab.fabric("lab", "recable", "pve3/cx5/1", "pve2/cx5/2", expect=0)
        lab.fabric("lab", "recable", "pve2/cx5/1", "pve4/cx5/2", expect=0)
        lab.verify_says("cable-mis-wired", "pve1/cx5/1 is cabled to pve3/cx5/2")
        lab.fabric("lab", "recable", "pve1/cx5/1", "pve2/cx5/2", expect=0)
        lab.fabric("lab", "recable", "pve2/cx5/1", "pve3/cx5/2", expect=0)
        lab.verify_says("cable-missing", "pve3/cx5/1 - pve4/cx5/2")
        lab.fabric("lab", "recable", "pve3/cx5/1", "pve4/cx5/2", expect=0)
        lab.fabric("--lab", "verify", expect=0)
        lab.reboot("pve3", "mstconfig -d 0000:01:00.0 -y set HOST_CHAINING_MODE=0")
        lab.verify_says("transit-lost", "in transit through pve3")
        done = lab.fabric("--lab", "plan", "--detailed-exitcode", expect=2)
        assert "HOST_CHAINING_MODE" in done.stdout and "pve3" in done.stdout, done.stdout


def old_firmware():
    """9000 on firmware 16.22.1002 is refused at plan time; with the rule obeyed it converges."""
    lab_yaml = 'hosts: {pve2: {adapters: {cx5: {firmware: "16.22.1002"}}}}\n'
    with Lab(lab_yaml=lab_yaml) as lab:
        done = lab.fabric("--lab", "plan", expect=3)
        assert "chain-mtu-firmware" in done.stderr and "pve2" in done.stderr, done.stderr
        document = lab.path / "fabric.yaml"
        document.write_text(document.read_text().replace("mtu: 9000", "mtu: 8000"))
        lab.apply()
        lab.fabric("--lab", "verify", expect=0)


def lost_reply():
    """The effect happened, the reply was lost: apply reads back and goes on."""
    with Lab() as lab:
        lab.fabric("--lab", "plan", "--out", "ring.plan", expect=0)
        for node in ("pve1", "pve2", "pve3"):
            lab.fabric("lab", "fault", node, "lost-reply", expect=0)
        lab.fabric("--lab", "apply", "ring.plan", expect=0)
        lab.monitor_is_clean(reboots=3)
        lab.plan_is_empty()


def node_never_returns():
    """A node that stays down: its neighbours are skipped by name, the ring is cut no further, exit 12."""
    with Lab(nodes=4) as lab:
        lab.fabric("lab", "fault", "pve2", "no-boot", expect=0)
        done = lab.apply(expect=12)
        assert "pve2 did not come back" in done.stdout, done.stdout
        assert "skipped" in done.stderr and "pve3" in done.stderr, done.stderr
        lab.monitor_is_clean(reboots=2)
        down = [name for name, node in lab.status()["nodes"].items() if node["power"] != "up"]
        assert down == ["pve2"], down


def lying_tool():
    """mstconfig says Done and does nothing: exit 0 is no evidence."""
    with Lab() as lab:
        lab.fabric("--lab", "plan", "--out", "ring.plan", expect=0)
        lab.fabric("lab", "fault", "pve1", "lying-exit", expect=0)
        done = lab.fabric("--lab", "apply", "ring.plan")
        if done.returncode != 0:
            assert done.returncode in (1, 10), done.stdout + done.stderr
            assert "expected" in done.stdout + done.stderr, done.stdout + done.stderr
        lab.fabric("lab", "fault", "pve1", "none", expect=0)
        lab.apply()
        lab.plan_is_empty()


def unreachable():
    """One node refuses connections: the plan is shown without it, exit 4, and nothing is cut."""
    with Lab() as lab:
        lab.fabric("lab", "fault", "pve3", "refused", expect=0)
        done = lab.fabric("--lab", "plan", expect=4)
        assert "pve3" in done.stdout and "not reached" in done.stdout, done.stdout
        lab.fabric("lab", "fault", "pve3", "none", expect=0)
        lab.apply()


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


def no_guard_is_left(lab, node):
    left = lab.ssh(node, "ls /var/lib/fabric/guard; ls /etc/systemd/system /etc/systemd/system/timers.target.wants")
    assert "fabric-guard" not in left.stdout and not left.stdout.split("/etc")[0].strip(), left.stdout


# A busy machine needs its time to confirm; a node that is cut off never does.
def hasty(document):
    return document.replace("{reboot_timeout: 8s}", "{reboot_timeout: 40s, confirm_timeout: 12s}")


def cut_off_live():
    """A change that cuts its own network is taken back by the node itself, and the run says so."""
    document = RING % (3, 3)
    with Lab(document=document) as lab:
        lab.apply()
        (lab.path / "fabric.yaml").write_text(hasty(document).replace("mtu: 9000", "mtu: 4200"))
        lab.fabric("lab", "fault", "pve1", "cut-off", expect=0)
        said = lab.apply(expect=11).stdout
        assert "rolled back by the node itself" in said, said
        mtu = lab.ssh("pve1", "cat /sys/class/net/*/mtu; cat /etc/systemd/network/*").stdout
        assert "9000" in mtu and "4200" not in mtu, mtu
        no_guard_is_left(lab, "pve1")
        lab.fabric("lab", "fault", "pve1", "none", expect=0)
        (lab.path / "fabric.yaml").write_text(document.replace("mtu: 9000", "mtu: 4200"))
        lab.apply()
        lab.plan_is_empty()
        no_guard_is_left(lab, "pve1")


def cut_off_across_a_reboot():
    """What cuts the node off only after its reboot is taken back after it, and the ring is cut no further."""
    document = RING % (3, 3)
    with Lab(document=hasty(document)) as lab:
        lab.fabric("lab", "fault", "pve1", "cut-off", expect=0)
        said = lab.apply(expect=11).stdout
        assert "rolled back by the node itself" in said, said
        lab.monitor_is_clean(reboots=1)
        no_guard_is_left(lab, "pve1")
        lab.fabric("lab", "fault", "pve1", "none", expect=0)
        (lab.path / "fabric.yaml").write_text(document)
        lab.apply()
        lab.plan_is_empty()


def unknown_host_key():
    """A host key that is not known makes the node unreachable and says how to accept it."""
    with Lab() as lab:
        known_hosts = lab.path / ".fabric/lab/known_hosts"
        lines = known_hosts.read_text().splitlines(keepends=True)
        known_hosts.write_text("".join(lines[1:]))
        done = lab.fabric("--lab", "plan", expect=4)
        assert "host key" in done.stderr and "ssh-key" in done.stdout + done.stderr, done.stderr


scenarios = {name: value for name, value in list(globals().items())
             if callable(value) and getattr(value, "__doc__", None) and name not in ("Lab",) and value.__module__ == "__main__"}
wanted = sys.argv[3:] or sorted(scenarios)
failed = 0
# They wait for reboots most of the time and take little of the processor: side by side even on a small machine.
with concurrent.futures.ThreadPoolExecutor(max_workers=6) as pool:
    started = {pool.submit(scenarios[name]): name for name in wanted}
    for future in concurrent.futures.as_completed(started):
        name = started[future]
        try:
            future.result()
            print(f"ok      {name}", flush=True)
        except Exception as failure:  # pylint: disable=broad-except
            failed += 1
            print(f"FAILED  {name}: {failure}", flush=True)
print(f"{len(wanted) - failed} passed, {failed} failed")
sys.exit(failed != 0)
