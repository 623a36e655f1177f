# SPDX-License-Identifier: Apache-2.0
"""A fabric that ibsim holds and OpenSM manages, and programs attached to one of its hosts."""
import os
import pathlib
import resource
import shutil
import subprocess
import sys
import time

SWITCH_GUIDS, HOST_GUIDS = 0x0002c90200000000, 0x0002c90300000000
PRELOAD = [pathlib.Path(p) for p in ("/usr/lib/x86_64-linux-gnu/umad2sim/libumad2sim.so", "/usr/lib64/umad2sim/libumad2sim.so",
                                     "/usr/lib/aarch64-linux-gnu/umad2sim/libumad2sim.so")]


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(77)


def need_programs():
    """In a network namespace of its own: the simulator's sockets are abstract, so everybody else's would be ours."""
    for program, package in (("ibsim", "ibsim-utils"), ("opensm", "opensm"), ("ibnetdiscover", "infiniband-diags"), ("unshare", "util-linux")):
        if not shutil.which(program, path=os.environ["PATH"] + ":/usr/sbin:/sbin"):
            skip(f"{program} is missing (package {package})")
    if not any(path.exists() for path in PRELOAD):
        skip("libumad2sim.so is missing (package ibsim-utils)")
    if "FABRIC_IB_NAMESPACE" not in os.environ:
        root = [] if os.geteuid() == 0 else ["--map-root-user", "--user"]
        if subprocess.run(["unshare", *root, "--net", "true"], check=False, stderr=subprocess.DEVNULL).returncode:
            skip("no network namespace can be made here")
        os.environ["FABRIC_IB_NAMESPACE"] = "1"
        os.environ["PATH"] += ":/usr/sbin:/sbin"
        os.execvp("unshare", ["unshare", *root, "--net", "--", sys.executable, *sys.argv])


# Faults of the libraries between us and the simulator, and none of ours: libumad2sim copies more than it has, libibnetdisc
# does not free the ports of a subnet.
HERE = pathlib.Path(__file__).parent
SANITIZER = {"ASAN_OPTIONS": f"suppressions={HERE / 'asan.suppressions'}", "LSAN_OPTIONS": f"suppressions={HERE / 'lsan.suppressions'}:print_suppressions=0"}


def preloaded(program):
    """What a program has to have preloaded to be attached: the simulator, and before it the runtime of the sanitizer that it was built with."""
    linked = subprocess.run(["ldd", shutil.which(program) or program], capture_output=True, text=True, check=False).stdout
    runtime = [line.split()[2] for line in linked.splitlines() if line.strip().startswith("libasan")]
    return ":".join([*runtime, str(next(path for path in PRELOAD if path.exists()))])


def netlist(cables, switches, hosts, ports, speed, guids=None):
    """In ibnetdiscover's own format. `cables`: {(node, port): (node, port)}, both ways. `guids`: of switches whose GUID is given."""
    guid = {name: SWITCH_GUIDS + 0x10 * i for i, name in enumerate(switches, 1)} | (guids or {})
    guid |= {name: HOST_GUIDS + 0x10 * i for i, name in enumerate(hosts, 1)}

    def identity(name):
        return f"{'S' if name in switches else 'H'}-{guid[name]:016x}"

    def description(name):
        return name if name in switches else f"{name} HCA-1"

    lines = []
    for name in [*hosts, *switches]:
        is_switch = name in switches
        lines.append(f"\nvendid=0x2c9\ndevid=0x{0xcf08 if is_switch else 0x1017:x}\nsysimgguid=0x{guid[name]:x}")
        if is_switch:
            lines.append(f'switchguid=0x{guid[name]:x}({guid[name]:x})\nSwitch\t{ports} "{identity(name)}"\t\t# "{description(name)}" base port 0 lid 0 lmc 0')
        else:
            lines.append(f'caguid=0x{guid[name]:x}\nCa\t1 "{identity(name)}"\t\t# "{description(name)}"')
        for port in range(1, (ports if is_switch else 1) + 1):
            if (name, port) not in cables:
                continue
            peer, peer_port = cables[name, port]
            lines.append(f'[{port}]\t"{identity(peer)}"[{peer_port}]\t\t# "{description(peer)}" lid 0 {speed}')
    return "\n".join(lines) + "\n"


def group_mtus(records):
    """By MGID, the code of its MTU in what `saquery MCMR` prints: 4 is 2048 bytes, 5 is 4096."""
    codes = {}
    for record in records.split("MCMember Record dump:")[1:]:
        row = {line.split("..")[0].strip(): line.rsplit(".", 1)[-1] for line in record.splitlines() if ".." in line}
        codes[row["MGID"]] = int(row["mtu"], 16) & 0x3f
    return codes


class Fabric:
    """`with Fabric(folder, netlist, host) as fabric:` runs until the block ends. `options`: of opensm, besides."""

    def __init__(self, folder, text, host, options=()):
        self.folder, self.host, self.options, self.processes, self.told = pathlib.Path(folder), host, options, [], 0
        self.folder.mkdir()
        (self.folder / "net").write_text(text)
        self.environment = dict(os.environ, IBSIM_SOCKNAME=f"fabric-{os.getpid()}-{self.folder.name}", SIM_HOST=host,
                                OSM_TMP_DIR=str(self.folder), OSM_CACHE_DIR=str(self.folder))
        self.attached = dict(self.environment, LD_PRELOAD=preloaded("opensm"))
        # Open for reading as well, so that the simulator never meets the end of its console, at which it spins.
        os.mkfifo(self.folder / "console")
        self.console = open(self.folder / "console", "r+b", buffering=0)  # pylint: disable=consider-using-with

    def __enter__(self):
        with open(self.folder / "ibsim.log", "wb") as log:
            self.processes.append(subprocess.Popen(["ibsim", "-s", "-N", "4096", "-S", "512", "-P", "40000", "net"], cwd=self.folder,
                                                   env=self.environment, stdin=self.console, stdout=log, stderr=subprocess.STDOUT))
        socket = f"@{self.environment['IBSIM_SOCKNAME']}:out9"
        self.wait(lambda: socket in pathlib.Path("/proc/net/unix").read_text(errors="replace"), "ibsim.log", 180)
        with open(self.folder / "opensm.out", "wb") as log:
            # -d 2: log lines are written at once.
            self.processes.append(subprocess.Popen(["opensm", "-f", str(self.folder / "osm.log"), "-d", "2", *self.options], cwd=self.folder,
                                                   env=self.attached, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT))
        log = self.folder / "osm.log"
        self.wait(lambda: log.exists() and "SUBNET UP" in log.read_text(errors="replace"), "osm.log", 180)
        return self

    def __exit__(self, *_):
        for process in reversed(self.processes):
            process.terminate()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        self.console.close()

    def tell(self, *commands):
        """Commands for the simulator's console, carried out when this returns: it echoes the comment that follows them."""
        self.told += 1
        mark = f"#{self.told}."
        self.console.write("".join(f"{line}\n" for line in (*commands, mark)).encode())
        self.wait(lambda: mark in (self.folder / "ibsim.log").read_text(errors="replace"), "ibsim.log", 60)

    def wait(self, is_so, log, seconds):
        deadline = time.monotonic() + seconds
        while not is_so():
            dead = any(process.poll() is not None for process in self.processes)
            if dead or time.monotonic() > deadline:
                path = self.folder / log
                text = path.read_text(errors="replace")[-2000:] if path.exists() else ""
                self.__exit__()
                raise AssertionError(f"the simulated fabric does not come up: {text}")
            time.sleep(0.02)

    def run(self, *command):
        """A program attached at the host. Returns the process and the CPU seconds that it took, of which a busy machine changes little."""
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run(command, cwd=self.folder, env=dict(self.environment, LD_PRELOAD=preloaded(command[0]), **SANITIZER),
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=180)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return done, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
