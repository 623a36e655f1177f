#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the commands of pages, those of a page in order and in one folder.

usage: console.py FABRIC SOURCE_DIR LEAST PAGE...

LEAST is how many commands there are at least in all.

In a block ```console, a line "$ COMMAND" is run by a shell and has to succeed. The lines below it have to stand in what it
printed, in that order.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from labs import ends_with_this_process  # noqa: E402  pylint: disable=wrong-import-position

fabric, root = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2])
LEAST = int(sys.argv[3])
failures, run_at_all = [], 0


def commands_of(page):
    """Of each its line, its text and the lines that it has to print."""
    commands = []
    for block in re.finditer(r"^```console\n(.*?)^```$", page, re.MULTILINE | re.DOTALL):
        first = page.count("\n", 0, block.start()) + 2
        for number, line in enumerate(block.group(1).splitlines()):
            if line.startswith("$ "):
                commands.append((first + number, line[2:], []))
            else:
                commands[-1][2].append(line)
    return commands


def run_page(name, commands):
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "PATH": f"{fabric.parent}:{os.environ.get('PATH', '')}", "NO_COLOR": "1", "HOME": folder}

        def run(command):
            return subprocess.run(["sh", "-c", command], cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=600)

        if any("fabric lab up" in command for _, command, _ in commands):
            ends_with_this_process(folder)
        try:
            for line, command, expected in commands:
                done = run(command)
                said = done.stdout.splitlines()
                rest = iter(said)
                missing = [text for text in expected if text not in rest]
                if done.returncode or missing:
                    failures.append(f"{name}:{line}: {command}: exit {done.returncode}, missing {missing}\n" + "\n".join(said))
        finally:
            if (pathlib.Path(folder) / ".fabric/lab/lab.json").exists():
                run("fabric lab down")


for name in sys.argv[4:]:
    commands = commands_of((root / name).read_text())
    run_at_all += len(commands)
    run_page(name, commands)
if run_at_all < LEAST:
    failures.append(f"{run_at_all} commands, expected at least {LEAST}")
print(f"{run_at_all} commands")
sys.exit("\n".join(failures) if failures else 0)
