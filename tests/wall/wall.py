#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What each verb starts, writes and connects to on this machine: wall.py FABRIC SOURCE_ROOT [--show]

Every verb runs under strace. What it executes, opens for writing, makes, renames, removes and connects to is compared with
verbs.json, in both directions: an act that is not listed fails, and so does a listed one that no run shows.
"""
import collections
import fnmatch
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from labs import ends_with_this_process  # noqa: E402  pylint: disable=wrong-import-position

FABRIC, ROOT = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve()
show = "--show" in sys.argv[3:]
DOCUMENT = """\
apiVersion: fabric/v1
name: pair
nodes:
  n[1-2]: {adapters: {cx5: {model: connectx-5-vpi}}, hooks: {before_disruption: "true", after_disruption: "true"}}
  leaf1: {platform: mlnx-os}
networks:
  storage:
    mode: ethernet
    mtu: 9000
    ipv4: {subnet: 10.30.0.0/24}
    cables: [[n1/1, n2/1]]
"""
UNTRUSTED = """\
defaults: {ssh: {password: {command: [sh, -c, "touch started"]}}}
"""
CALLS = ("execve,execveat,open,openat,openat2,creat,truncate,rename,renameat,renameat2,unlink,unlinkat,rmdir,mkdir,mkdirat,"
         "link,linkat,symlink,symlinkat,mknod,mknodat,chmod,fchmodat,chown,lchown,fchownat,connect,sendto,sendmsg")
LINE = re.compile(r"^(?:\[pid +\d+\] |\d+ +)?(\w+)\((.*)\) += (-?\d+|\?)(.*)$")
AT = re.compile(r'(?:AT_FDCWD(?:<([^>]*)>)?|\d+<([^>]*)>), "((?:[^"\\]|\\.)*)"')
PLAIN = re.compile(r'"((?:[^"\\]|\\.)*)"')
WRITES = re.compile(r"O_WRONLY|O_RDWR|O_CREAT|O_TRUNC|O_APPEND")
acts = collections.defaultdict(set)
run_at_all = set()
failed = []


class Folder:
    def __init__(self, scratch):
        self.work, self.home = scratch / "work", scratch / "home"
        for path in (self.work, self.home):
            path.mkdir()
        self.environment = {"PATH": os.environ["PATH"], "HOME": str(self.home), "USER": "operator", "ASAN_OPTIONS": "detect_leaks=0",
                            "TERM": "dumb"}
        (self.work / "fabric.yaml").write_text(DOCUMENT)

    def named(self, path, beside=None):
        """The path as the list names it: beneath the work folder, beneath HOME, or absolute."""
        path = os.path.normpath(os.path.join(beside or self.work, path))
        for folder, name in ((self.work, "."), (self.home, "~")):
            if path == str(folder) or path.startswith(f"{folder}/"):
                path = name + path[len(str(folder)):]
        path = re.sub(r"\d{8}T\d{6}Z-[0-9a-f]+", "RUN", path)
        return re.sub(r"^/proc/(\d+|self)/", "/proc/PID/", path)

    def act(self, call, arguments, rest):
        """(kind, what) of one traced call, several, or none."""
        if call in ("execve", "execveat"):
            return [("executes", self.named(PLAIN.search(arguments)[1]))]
        if call in ("connect", "sendto", "sendmsg"):
            local = re.search(r'sa_family=AF_UNIX, sun_path="([^"]*)"', arguments)
            remote = re.search(r'inet_(?:addr|pton)\((?:AF_INET6, )?"([^"]*)"', arguments)
            if local:
                return [("connects", self.named(local[1]))]
            if remote:
                return [("connects", remote[1])]
            return [("connects", "netlink")] if "AF_NETLINK" in arguments else []
        if call in ("open", "openat", "openat2") and not WRITES.search(arguments):
            return []
        places = [(match[1] or match[2], match[3]) for match in AT.finditer(arguments)]
        places = places or [(None, text) for text in PLAIN.findall(arguments)]
        if call in ("symlink", "symlinkat"):
            places = places[-1:]
        return [("writes", self.named(path, beside)) for beside, path in places if path]

    def traced(self, trace, *arguments):
        return ["strace", "-f", "-qq", "-y", "-s", "4096", "-e", "signal=none", "-e", "trace=" + CALLS, "-o", trace, FABRIC, *arguments]

    def run(self, verb, *arguments, code=0, source=None):
        trace = self.work.parent / "trace"
        done = subprocess.run(self.traced(trace, *arguments), cwd=self.work, env=self.environment, capture_output=True, text=True, timeout=600,
                              **({"input": source} if source else {"stdin": subprocess.DEVNULL}))
        if done.returncode != code:
            failed.append(f"{' '.join(arguments)}: exit {done.returncode}, expected {code}: {done.stdout[-600:]}{done.stderr[-600:]}")
        self.read(verb, trace)
        return done.stdout

    def read(self, verb, trace):
        run_at_all.add(verb)
        begun, first = {}, True
        for line in trace.read_text(errors="replace").splitlines():
            # A call that another thread interrupts stands on two lines.
            pid = line.split(" ", 1)[0]
            if line.endswith("<unfinished ...>"):
                begun[pid] = line[:-len("<unfinished ...>")].rstrip()
                continue
            resumed = re.match(r"\d+ +<\.\.\. \w+ resumed>(.*)", line)
            if resumed:
                line = begun.pop(pid, "") + resumed[1]
            match = LINE.match(line)
            if not match or (match[3].startswith("-") and "EINPROGRESS" not in match[4]):
                continue
            if first:
                first = False
                continue
            for act in self.act(match[1], match[2], match[4]):
                acts[verb].add(act)

    def lab(self):
        """The lab that goes on in the background until it is ended, under strace all the while."""
        trace = self.work.parent / "lab"
        ends_with_this_process(self.work)
        running = subprocess.Popen(self.traced(trace, "lab", "up"), cwd=self.work, env=self.environment, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        deadline = time.monotonic() + 300
        while subprocess.run([FABRIC, "lab", "status"], cwd=self.work, env=self.environment, stdin=subprocess.DEVNULL, capture_output=True).returncode:
            assert running.poll() is None and time.monotonic() < deadline, "the lab does not come up"
            time.sleep(0.1)
        return running, trace


def run_all(folder):
    run = folder.run
    run("init", "init", "new")
    run("validate", "validate")
    run("validate", "validate", "--format", "sarif")
    document = folder.work / "fabric.yaml"
    canonical = document.read_text()
    document.write_text(canonical + "#the end\n")
    run("fmt", "fmt", "--check", code=2)
    run("fmt", "fmt", "--diff")
    run("fmt", "fmt")
    document.write_text(canonical)
    run("schema", "schema")
    run("version", "version")
    for what in ("bash", "zsh", "fish", "man", "nodes", "rules"):
        run("completion", "completion", what)
    run("explain", "explain", "--all")
    run("explain", "explain", "n1", ".")
    run("graph", "graph")
    run("graph", "graph", "--format", "svg")
    (folder.work / "cables.topo").write_text("MQM8700 leaf1\n  P1 -> HCA_1 n1 P1\n")
    run("import", "import", "cables.topo")
    for name in ("ansible", "ceph", "hosts", "mpi", "nccl", "netbox", "prometheus", "ptm", "ucx"):
        run("export", "export", name)
    run("parse", "parse", "bond", source="x", code=3)
    lab, trace = folder.lab()
    try:
        run("lab status", "lab", "status")
        run("discover", "--lab", "discover", "--save", "facts")
        run("discover", "--lab", "discover")
        run("plan", "--lab", "plan", "--out", "plan.json")
        run("plan", "--facts", "facts", "plan", "--format", "junit")
        run("plan", "--facts", "facts", "plan", "--format", "html")
        # What nobody trusts outside of the document starts nothing either.
        whole = (folder.work / "fabric.yaml").read_text()
        (folder.work / "fabric.yaml").write_text(whole + UNTRUSTED)
        run("validate", "validate")
        for verb in ("plan", "discover", "verify", "unlock"):
            run(verb, verb, code=5)
        run("plan", "--facts", "facts", "plan")
        run("graph", "graph")
        (folder.work / "fabric.yaml").write_text(whole)
        run("show", "show", "plan.json")
        run("graph", "graph", "--plan", "plan.json")
        run("rehearse", "--facts", "facts", "rehearse", "--seeds", "2")
        run("apply", "--lab", "apply", "plan.json")
        run("plan", "--lab", "plan", "--detailed-exitcode")
        run("verify", "--lab", "verify")
        history = run("history", "history")
        last = re.search(r"\d{8}T\d{6}Z-[0-9a-f]+", history)[0]
        run("show", "show", last)
        run("undo", "--lab", "undo", last, "--out", "undo.json")
        run("support-bundle", "support-bundle")
        run("support-bundle", "--lab", "support-bundle", "--discover")
        run("unlock", "--lab", "unlock")
        run("lab fault", "lab", "fault", "n1", "clock-jump")
        run("lab recable", "lab", "recable", "n1/1", "n2/1")
    finally:
        run("lab down", "lab", "down")
        lab.wait(300)
        folder.read("lab up", trace)


def listed(verb):
    return {(kind, what) for kind in ("executes", "writes", "connects") for what in LIST[verb].get(kind, {})}


def compare():
    for verb in sorted(set(acts) | set(LIST)):
        if verb not in LIST:
            failed.append(f"{verb}: has no list in verbs.json")
            continue
        allowed = listed(verb)
        for kind, what in sorted(acts[verb]):
            if not any(kind == each and fnmatch.fnmatchcase(what, pattern) for each, pattern in allowed):
                failed.append(f"{verb} {kind} {what}, and verbs.json does not list it")
        for kind, pattern in sorted(allowed):
            if not any(kind == each and fnmatch.fnmatchcase(what, pattern) for each, what in acts[verb]):
                failed.append(f"{verb}: verbs.json lists that it {kind} {pattern}, and no run shows it")
    helped = subprocess.run([FABRIC, "--help"], capture_output=True, text=True).stdout
    for verb in re.findall(r"^  ([a-z-]+) ", helped[helped.index("Subcommands:"):], re.M):
        if not any(each == verb or each.startswith(f"{verb} ") for each in run_at_all):
            failed.append(f"{verb}: is run by no line of wall.py")


if not shutil.which("strace"):
    print("strace is not here")
    sys.exit(77)
LIST = json.loads((ROOT / "tests/wall/verbs.json").read_text())
with tempfile.TemporaryDirectory() as scratch:
    try:
        run_all(Folder(pathlib.Path(scratch)))
    except BaseException:
        print("\n".join(failed))
        raise
if show:
    for verb in acts:
        print(verb)
        for kind, what in sorted(acts[verb]):
            print("   ", kind, what)
compare()
print("\n".join(failed) or f"{len(run_at_all)} verbs, {sum(map(len, acts.values()))} acts")
sys.exit(bool(failed))
