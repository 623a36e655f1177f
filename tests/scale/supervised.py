#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs a program. On SIGTERM, or when the one who began this has ended, however that ended, ends it and all that it leaves.

usage: supervised.py PROGRAM [ARGUMENT...]

The processes that hold a job of Slurm outlive their slurmd, and try for many minutes to report to a slurmctld that is gone. Here
they become children of this process.
"""
import ctypes
import os
import pathlib
import signal
import subprocess
import sys

PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36
libc = ctypes.CDLL(None)


def ends_with_parent(by):
    libc.prctl(PR_SET_PDEATHSIG, int(by), 0, 0, 0)


def children():
    return [int(word) for word in pathlib.Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()]


def main():
    libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    program = subprocess.Popen(sys.argv[1:], preexec_fn=lambda: ends_with_parent(signal.SIGKILL))
    signal.signal(signal.SIGTERM, lambda *_: program.terminate())
    ends_with_parent(signal.SIGTERM)
    status = None
    while status is None:
        process, ended = os.wait()
        if process == program.pid:
            status = os.waitstatus_to_exitcode(ended)
            program.returncode = status
    # Each may leave children of its own, which the next look finds here.
    while left := children():
        for process in left:
            os.kill(process, signal.SIGKILL)
            os.waitpid(process, 0)
    sys.exit(status if status >= 0 else 128 - status)


main()
