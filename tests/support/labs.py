#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Labs end with the test that began them, however it ends: also one that is killed, by its deadline or by whoever waited for it.

A lab is a process of its own that outlives `fabric lab up`. So somebody watches the test: this file as a program, which nobody's
death takes along, and which is told the folders on standard input. When that ends, so did the test; what is still there of the
folders, it ends and removes.
"""
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

# So long after the end of the test a lab may still come up that was begun before.
STARTS_WITHIN = 20
_lock, _told = threading.Lock(), None


def ends_with_this_process(folder):
    """To be said of a temporary folder before a lab is started there."""
    global _told  # pylint: disable=global-statement
    with _lock:
        if _told is None:
            reads, _told = os.pipe()
            # By a fork more, it is nobody's child: not among those that are killed with their parent.
            subprocess.run(["setsid", "--fork", sys.executable, __file__], stdin=reads, stdout=subprocess.DEVNULL,
                           stderr=subprocess.DEVNULL, check=True)
            os.close(reads)
        os.write(_told, f"{pathlib.Path(folder).resolve()}\n".encode())


def end_lab(folder):
    try:
        process = json.loads((folder / ".fabric/lab/lab.json").read_text())["pid"]
        # The number may be somebody else's by now.
        if b"\0lab\0" in pathlib.Path(f"/proc/{process}/cmdline").read_bytes():
            os.kill(process, signal.SIGTERM)
    except (OSError, ValueError, KeyError):
        pass  # there is none, or it has ended


def main():
    # Whoever ends the test may send this to all that it finds.
    for ignored in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(ignored, signal.SIG_IGN)
    temporary = pathlib.Path(tempfile.gettempdir()).resolve()
    told = {pathlib.Path(line) for line in sys.stdin.read().splitlines()}
    until = time.monotonic() + STARTS_WITHIN
    while (left := [folder for folder in told if folder.exists() and temporary in folder.parents]) and time.monotonic() < until:
        for folder in left:
            end_lab(folder)
        time.sleep(0.5)
    for folder in left:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
