# SPDX-License-Identifier: Apache-2.0
"""A Slurm cluster of two nodes on this machine: the slurmctld, slurmd and munged of the distribution, in a folder of their own."""
import getpass
import os
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import time

SUPERVISED = pathlib.Path(__file__).parent / "supervised.py"
PATIENCE = 300  # of who waits for an event; no verdict depends on how soon it comes
PROGRAMS = {"munged": "munge", "slurmctld": "slurmctld", "slurmd": "slurmd", "sbatch": "slurm-client"}
PATH = os.environ["PATH"] + ":/usr/sbin:/sbin"
NODES = ("s1", "s2")
UNDER_WAY = ("PENDING", "CONFIGURING", "RUNNING", "COMPLETING", "SUSPENDED")
# The processors of this machine may be fewer than the nodes: config_overrides. Steps are told by their process group, which
# needs no control group of this machine.
CONFIGURATION = """\
ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={controller}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
CredType=cred/munge
AuthInfo=socket={folder}/munge.socket
CommunicationParameters=NoInAddrAny,NoCtldInAddrAny
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/%n.pid
ProctrackType=proctrack/pgid
TaskPlugin=task/none
MpiDefault=none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SlurmdParameters=config_overrides
SchedulerParameters=batch_sched_delay=0,sched_interval=1
{nodes}
PartitionName=all Nodes=ALL Default=YES State=UP
"""


def need_programs():
    for program, package in PROGRAMS.items():
        if not shutil.which(program, path=PATH):
            print(f"skipped: {program} is missing (package {package})")
            sys.exit(77)


def free_ports(count):
    """Nobody has them now; whoever takes one before Slurm does makes the cluster fail, with its log."""
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


class Cluster:
    """`with Cluster(folder) as slurm:` is up until the block ends; the folder is new and for it alone."""

    def __init__(self, folder):
        self.folder, self.processes = pathlib.Path(folder), {}
        (self.folder / "state").mkdir(parents=True)
        controller, *daemons = free_ports(1 + len(NODES))
        host = socket.gethostname().split(".")[0]
        nodes = "\n".join(f"NodeName={node} NodeHostname={host} NodeAddr=127.0.0.1 Port={port} CPUs=1"
                          for node, port in zip(NODES, daemons))
        (self.folder / "slurm.conf").write_text(CONFIGURATION.format(host=host, controller=controller, user=getpass.getuser(),
                                                                     folder=self.folder, nodes=nodes))
        # slurmd loads the plug-in of control groups even if nothing uses it. That of v1 starts anywhere; from 23.02 none has to.
        version = subprocess.run(["slurmd", "-V"], env={"PATH": PATH}, capture_output=True, text=True, check=True).stdout
        year, month = map(int, re.search(r"(\d+)\.(\d+)", version).groups())
        (self.folder / "cgroup.conf").write_text(f"CgroupPlugin={'disabled' if (year, month) >= (23, 2) else 'cgroup/v1'}\n")
        (self.folder / "munge.key").write_bytes(os.urandom(1024))
        (self.folder / "munge.key").chmod(0o600)
        self.environment = {**os.environ, "PATH": PATH, "SLURM_CONF": str(self.folder / "slurm.conf")}

    def __enter__(self):
        try:
            # --force: the folder is closed to other users, who have no business with it.
            own = [f"--{what}={self.folder}/munge.{end}" for what, end in (("socket", "socket"), ("key-file", "key"), ("pid-file", "pid"),
                                                                         ("seed-file", "seed"), ("log-file", "log"))]
            self.start("munged", "munged", "--foreground", "--force", *own)
            self.wait("munged answers", lambda: (self.folder / "munge.socket").exists())
            self.start("slurmctld", "slurmctld", "-D", "-c")
            for node in NODES:
                self.start(node, "slurmd", "-D", "-N", node)
            self.wait("all nodes are idle", lambda: self.states() == ["idle"] * len(NODES))
        except BaseException:
            self.end()
            raise
        return self

    def __exit__(self, *_):
        self.end()

    def start(self, name, *command):
        with open(self.folder / f"{name}.out", "wb") as log:
            self.processes[name] = subprocess.Popen([sys.executable, SUPERVISED, *command], cwd=self.folder, env=self.environment,
                                                    stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT)

    def end(self):
        """What they leave of their jobs ends with them."""
        for process in reversed(self.processes.values()):
            process.terminate()
            try:
                process.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        self.processes = {}

    def wait(self, what, is_so):
        deadline = time.monotonic() + PATIENCE
        while not is_so():
            ended = [name for name, process in self.processes.items() if process.poll() is not None]
            assert not ended and time.monotonic() < deadline, f"it never came that {what}; ended: {ended}\n{self.logs()}"
            time.sleep(0.5)

    def logs(self):
        return "\n".join(f"{path.name}:\n{path.read_text(errors='replace')[-3000:]}"
                         for path in sorted([*self.folder.glob("*.out"), self.folder / "munge.log"]) if path.exists())

    def ask(self, *command, folder=None, **variables):
        return subprocess.run(command, cwd=folder, env={**self.environment, **variables}, stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, timeout=PATIENCE, check=False)

    def states(self):
        return self.ask("sinfo", "--noheader", "--Node", "--format=%t").stdout.split()

    def submit(self, folder, *arguments, **variables):
        """From that folder, as a user would; the number of the job."""
        done = self.ask("sbatch", "--parsable", *arguments, folder=folder, **variables)
        assert done.returncode == 0, f"sbatch {' '.join(arguments)}: {done.stdout}{done.stderr}\n{self.logs()}"
        return done.stdout.strip()

    def ended(self, job):
        """Waits for the job, all tasks of it if it is an array: for each its state, its exit status and its node. One that will never
        begin is PENDING."""
        found = []

        def over():
            lines = self.ask("scontrol", "show", "job", job, "--oneliner").stdout.splitlines()
            found[:] = [dict(word.split("=", 1) for word in line.split() if "=" in word) for line in lines]
            return found and all(each["JobState"] not in UNDER_WAY or each["Reason"] == "DependencyNeverSatisfied" for each in found)

        self.wait(f"job {job} has ended", over)
        return sorted((each["JobState"], each["ExitCode"], each.get("NodeList", "")) for each in found)
