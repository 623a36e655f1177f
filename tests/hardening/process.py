#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What others get of the memory of a process that runs: process.py FABRIC debug|sanitized|release

It writes no core dump, however much its user allows. A build for use is not to be looked into by another process of its user: what
/proc has of it belongs to root. A debugger and a sanitizer need to, so that other builds are left open.
"""
import os
import pathlib
import re
import resource
import signal
import subprocess
import sys
import tempfile

binary, build = os.path.abspath(sys.argv[1]), sys.argv[2]
somebody = 54321 if os.geteuid() == 0 else os.geteuid()


def allow_dumps():
    _, most = resource.getrlimit(resource.RLIMIT_CORE)
    most = resource.RLIM_INFINITY if os.geteuid() == 0 else most
    resource.setrlimit(resource.RLIMIT_CORE, (most, most))
    if os.geteuid() == 0:
        os.setgroups([])
        os.setgid(somebody)
        os.setuid(somebody)


with tempfile.TemporaryDirectory() as temporary:
    folder = pathlib.Path(temporary)
    folder.chmod(0o777)
    os.mkfifo(folder / "pipe")
    (folder / "pipe").chmod(0o666)
    try:
        process = subprocess.Popen([binary, "validate", "pipe"], cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL, preexec_fn=allow_dumps, env=os.environ | {"ASAN_OPTIONS": "detect_leaks=0"})
    except PermissionError:
        print("SKIPPED: the program can't be run by others")
        sys.exit(77)
    # Open for writing when the program reads it: its beginning is over.
    with open(folder / "pipe", "wb"):
        about = pathlib.Path("/proc", str(process.pid))
        limit = re.search(r"^Max core file size +(\S+) +(\S+)", (about / "limits").read_text(), re.M)
        owner = (about / "environ").stat().st_uid
        process.send_signal(signal.SIGSEGV)
        process.wait(60)
    left = sorted(path.name for path in folder.iterdir())
failed = []
if limit.groups() != ("0", "0"):
    failed.append(f"a core dump of {limit.groups()} bytes is allowed")
if left != ["pipe"]:
    failed.append(f"a crash leaves {left}")
if owner != (0 if build == "release" else somebody):
    failed.append(f"/proc says that the environment of a process of user {somebody} belongs to {owner} in a {build} build")
print("\n".join(failed) or f"no core dump; user {owner} may look at a process of user {somebody}")
sys.exit(bool(failed))
