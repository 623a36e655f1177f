# SPDX-License-Identifier: Apache-2.0
"""What one command costs: seconds, CPU and memory, its children included."""
import os
import pathlib
import resource
import subprocess
import time

TICKS = os.sysconf("SC_CLK_TCK")


def busy_seconds():
    """Of all processors together since the machine booted."""
    user, nice, system, _, _, interrupts, soft = map(int, pathlib.Path("/proc/stat").read_text().split()[1:8])
    return (user + nice + system + interrupts + soft) / TICKS


def others(seconds=0.3):
    """Which share of the processors is at work while nothing of ours is: 1.0 is one processor."""
    before, since = busy_seconds(), time.monotonic()
    time.sleep(seconds)
    return round((busy_seconds() - before) / (time.monotonic() - since), 2)


def family(process):
    """The process and all below it."""
    found, look_at = [], [str(process)]
    while look_at:
        each = look_at.pop()
        found.append(each)
        try:
            for thread in pathlib.Path("/proc", each, "task").iterdir():
                look_at += (thread / "children").read_text().split()
        except OSError:
            pass  # it has ended
    return found


def megabytes_of(processes):
    """Pages that several share count once."""
    total = 0
    for process in processes:
        try:
            text = pathlib.Path("/proc", process, "smaps_rollup").read_text()
            total += next(int(line.split()[1]) for line in text.splitlines() if line.startswith("Pss:"))
        except (OSError, StopIteration):
            pass  # it has ended
    return total / 1024


def run(command, folder, environment, out, err, sampled=False):
    """Exit status, wall and CPU seconds and megabytes. With `sampled`, the memory is that of all processes together, looked at
    twenty times a second, and the seconds are those of a disturbed run; without, it is the peak of the largest of them."""
    # The kernel counts the memory of whoever starts a program as the program's, until it has more.
    floor = round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, 1)
    with open(out, "wb") as out_file, open(err, "wb") as err_file:
        begun = time.monotonic()
        process = subprocess.Popen(command, cwd=folder, env={**os.environ, **environment}, stdin=subprocess.DEVNULL,
                                   stdout=out_file, stderr=err_file)
        most = 0.0
        while sampled and not os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT):
            most = max(most, megabytes_of(family(process.pid)))
            time.sleep(0.05)
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.monotonic() - begun
    process.returncode = os.waitstatus_to_exitcode(status)
    return {"status": process.returncode, "wall": round(wall, 3), "cpu": round(usage.ru_utime + usage.ru_stime, 3),
            "megabytes": round(most if sampled else usage.ru_maxrss / 1024, 1), "floor": 0 if sampled else floor}
