# SPDX-License-Identifier: Apache-2.0
"""Who is alive, and whose a node is: seen by another user, and by the node itself."""
import os
import pathlib
import shutil
import subprocess
import tempfile

from lab import PATIENCE, RING, Lab, binary, until
from steps import begun

NOBODY = 65534
WAITS = """\
hooks:
  before_disruption: touch held; while test ! -e go; do sleep 0.1; done
  after_disruption: "true"
"""


class Held:
    """An apply that has its locks and waits in a hook until it may go."""

    def __init__(self, lab):
        self.lab = lab
        self.process = subprocess.Popen([binary, "--lab", "apply", "--auto-approve"], cwd=lab.path, stdin=subprocess.DEVNULL, text=True,
                                        stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        until("no hook was run", (lab.path / "held").exists, self.process)

    def end(self):
        (self.lab.path / "go").touch()
        said = self.process.communicate(timeout=PATIENCE)[0]
        return self.process.returncode, " ".join(said.split())


def hidden_processes():
    """With /proc mounted as bastions mount it, or not at all, a living run of another user is alive: no unlock, no second run."""
    if os.geteuid() != 0 or not shutil.which("unshare") or not shutil.which("setpriv"):
        print("skipped hidden_processes: it needs root, unshare and setpriv")
        return
    with Lab(document=RING % (2, 2) + WAITS) as lab, tempfile.TemporaryDirectory() as elsewhere:
        other = pathlib.Path(elsewhere) / "other"
        lab.share(other)
        shutil.copy(lab.path / "fabric.yaml", other)
        # The other user may log in as well.
        for top in (lab.path, pathlib.Path(elsewhere)):
            for path in [top, *top.rglob("*")]:
                os.chown(path, NOBODY, NOBODY, follow_symlinks=False)
        held = Held(lab)

        def as_nobody(mount, *arguments):
            words = ["unshare", "-m", "sh", "-c", mount + ' && exec setpriv --reuid=65534 --regid=65534 --clear-groups "$@"', "sh", binary, "--lab", *arguments]
            environment = {**os.environ, "ASAN_OPTIONS": "detect_leaks=0"}
            return subprocess.run(words, cwd=other, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE)

        # LeakSanitizer wants a whole /proc, and all sanitizers read their options there.
        no_proc = "mount -t tmpfs none /proc && mkdir /proc/self && printf 'ASAN_OPTIONS=detect_leaks=0\\0' >/proc/self/environ"
        for mount in ("true", "mount -t proc -o hidepid=2 proc /proc", no_proc):
            done = as_nobody(mount, "unlock")
            assert done.returncode == 6 and "is live and stays" in done.stdout, (mount, done.returncode, done.stdout, done.stderr)
            done = as_nobody(mount, "apply", "--auto-approve")
            assert done.returncode == 6 and "locked by" in done.stderr, (mount, done.returncode, done.stdout, done.stderr)
            for node in ("pve1", "pve2"):
                assert lab.ssh(node, "cat /var/lib/fabric/lock").returncode == 0, (mount, node)
        code, said = held.end()
        assert code == 0, (code, said)
        lab.plan_is_empty()


def fenced():
    """The lock of a node goes while its run is at work elsewhere: the node itself refuses what comes, and the run says so."""
    with Lab() as lab:
        lab.hold("pve1")
        first = subprocess.Popen([binary, "--lab", "apply", "--auto-approve"], cwd=lab.path, stdin=subprocess.DEVNULL, text=True,
                                 stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        begun(lab, first)
        assert lab.ssh("pve3", "rm /var/lib/fabric/lock").returncode == 0
        lab.let_go("pve1")
        said = " ".join(first.communicate(timeout=PATIENCE)[0].split())
        assert first.returncode == 10 and "lease lost" in said, (first.returncode, said)
        assert lab.status()["monitor"]["reboots"] == 2, said
        lab.fabric("--lab", "unlock", expect=0)
        lab.apply()
        lab.plan_is_empty()


def clock_set():
    """Neither a day forward nor a day back makes a lease end, or last for ever."""
    with Lab(document=RING % (2, 2) + WAITS) as lab:
        held = Held(lab)
        for node in ("pve1", "pve2"):
            lab.fabric("lab", "fault", node, "clock-jump", expect=0)
            assert lab.ssh(node, "touch /tmp/meets-the-fault").returncode == 0
        assert "is live and stays" in lab.fabric("--lab", "unlock", expect=6).stdout
        code, said = held.end()
        assert code == 0, (code, said)
        lab.fabric("--lab", "unlock", expect=0)
        lab.plan_is_empty()
