# SPDX-License-Identifier: Apache-2.0
"""Plays scenarios side by side, each with a lab of its own, and says how each went."""
import concurrent.futures
import os
import sys
import time


def play(scenarios):
    """`scenarios`: callables by name, those that take longest first. Ends the program, with 1 if one failed; FABRIC_STORIES names a
    file for the names of those that passed."""
    took, failed = {}, 0

    def timed(name):
        began = time.monotonic()
        try:
            scenarios[name]()
        finally:
            took[name] = time.monotonic() - began

    # They wait for reboots most of the time; more of them than this would make the deadlines of each other.
    with concurrent.futures.ThreadPoolExecutor(max_workers=2 * (os.cpu_count() or 1)) as pool:
        started = {pool.submit(timed, name): name for name in scenarios}
        for future in concurrent.futures.as_completed(started):
            name = started[future]
            try:
                future.result()
                print(f"ok      {name} ({took[name]:.0f} s)", flush=True)
                note(name)
            except Exception as failure:  # pylint: disable=broad-except
                failed += 1
                print(f"FAILED  {name} ({took[name]:.0f} s): {failure}", flush=True)
    print(f"{len(scenarios) - failed} passed, {failed} failed")
    sys.exit(failed != 0)


def note(name):
    if path := os.environ.get("FABRIC_STORIES"):
        with open(path, "a", encoding="utf-8") as stories:
            stories.write(name + "\n")
