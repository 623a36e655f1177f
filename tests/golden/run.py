#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs golden cases: a folder per case, compared with its file `expected`.

usage: run.py [--update] [--served PROGRAM] FABRIC_BINARY SUITE_DIR [CASE...]

A case is a folder with its input files and, where it is not just `<suite> fabric.yaml`, the file `cmd`: one
command line per line, run one after the other in a copy of the folder. A line is what follows `fabric`; a
line that begins with `! ` is for the shell, where `fabric` and the tools of bin/ are on the PATH. A case that
starts a lab has it stopped behind it, whatever happened. Files that several cases share are links, as `lint.copies`
wants them: a document of examples/ or tests/documents, facts of tests/facts, a file of the first of the cases.
`expected` holds exit code, standard output and standard error of each command.

--served: what runs the lines that are not for the shell, many times quicker than starting FABRIC_BINARY anew
(tests/support/served_program.cpp).
--update (or FABRIC_ACCEPT=1) rewrites `expected` and makes the run count as skipped, never as passed.
Everything must be deterministic: only the path of the temporary copy and the times of events are
normalised, and nobody is contacted.
"""
import argparse
import concurrent.futures
import difflib
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from labs import ends_with_this_process  # noqa: E402  pylint: disable=wrong-import-position
from served import Served  # noqa: E402  pylint: disable=wrong-import-position

parser = argparse.ArgumentParser(usage="run.py [--update] [--served PROGRAM] FABRIC_BINARY SUITE_DIR [CASE...]")
parser.add_argument("--update", action="store_true", default=os.environ.get("FABRIC_ACCEPT") == "1")
parser.add_argument("--served", type=pathlib.Path)
parser.add_argument("binary", type=pathlib.Path)
parser.add_argument("suite", type=pathlib.Path)
parser.add_argument("cases", nargs="*")
arguments = parser.parse_args()
tools = pathlib.Path(__file__).resolve().parent / "bin"
binary, suite = arguments.binary.resolve(), arguments.suite.resolve()
# A pipe has no width of its own, so COLUMNS decides: 80 is what a plan must be readable in.
environment = {**os.environ, "NO_COLOR": "1", "COLUMNS": "100" if suite.name == "validate" else "80",
               "LC_ALL": "C.UTF-8", "HOME": "/nonexistent",
               # Leaks and variables that are defined twice are looked for by the unit tests; here that is half of the
               # time of hundreds of programs.
               "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "malloc_context_size=1") + ":detect_leaks=0:detect_odr_violation=0"}
# A lab is a process of the program itself, and its cases run side by side.
served = Served(arguments.served.resolve(), environment) if arguments.served and suite.name != "lab" else None
TIMESTAMP = re.compile(r'"@timestamp":"[^"]*"')
# What commands a terminal, turns the direction of reading, or is not seen at all.
DECEPTIVE = re.compile("[\0-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]|##[a-z]*\\[")
# Of a node of the lab, which counts from when this machine was started.
LAB_CLOCK = re.compile(r"since [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \(its")


def run_command(line, work):
    path = f"{binary.parent}:{tools}:{os.environ.get('PATH', '/usr/bin:/bin')}"
    for_shell = line.startswith("! ")
    shown = line[2:] if for_shell else f"fabric {line}"
    if served and not for_shell:
        done = served.run(shlex.split(line), work, {**environment, "PATH": path})
    else:
        command = ["/bin/sh", "-c", line[2:]] if for_shell else [binary, *shlex.split(line)]
        done = subprocess.run(command, cwd=work, env={**environment, "PATH": path}, stdin=subprocess.DEVNULL,
                              capture_output=True, timeout=600)
    text = f"$ {shown}\nexit {done.returncode}\n"
    for name, stream in (("stdout", done.stdout.decode()), ("stderr", done.stderr.decode())):
        if stream:
            text += f"--- {name}\n{stream.rstrip(chr(10))}\n"
        if found := DECEPTIVE.search(stream):
            text += f"!!! {name} has the character {ascii(found.group())}, which no output may have\n"
    return text


def run_case(case):
    commands = [f"{suite.name} fabric.yaml"]
    if (case / "cmd").exists():
        commands = (case / "cmd").read_text().splitlines()
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder) / "case"
        # Links are followed: a case may write over its copy.
        shutil.copytree(case, work, ignore=shutil.ignore_patterns("expected", "cmd"))
        if any("lab up" in line for line in commands):
            ends_with_this_process(work)
        try:
            text = "".join(run_command(line, work) for line in commands)
        finally:
            if (work / ".fabric" / "lab" / "lab.json").exists():
                run_command("lab down", work)
        text = TIMESTAMP.sub('"@timestamp":"TIME"', text.replace(str(work), "CASE"))
        # Saved facts have a time of their own.
        return LAB_CLOCK.sub("since WHEN (its", text) if suite.name == "lab" else text


failed, updated = [], 0
cases = sorted(path for path in suite.iterdir() if path.is_dir() and path.name in (arguments.cases or [path.name]))
if not cases:
    sys.exit(f"no cases in {suite}")
# Cases with a lab wait for its reboots most of the time, and each has a lab of its own.
with concurrent.futures.ThreadPoolExecutor(max_workers=2 * (os.cpu_count() or 1) if suite.name == "lab" else 1) as pool:
    results = list(pool.map(run_case, cases))
for case, actual in zip(cases, results):
    expected_file = case / "expected"
    expected = expected_file.read_text() if expected_file.exists() else ""
    if actual == expected:
        continue
    if arguments.update:
        # A link leads to an earlier case, which is accepted already: this case prints something else from now on.
        expected_file.unlink(missing_ok=True)
        expected_file.write_text(actual)
        updated += 1
        continue
    failed.append(case.name)
    print(f"== {suite.name}/{case.name}")
    print("\n".join(difflib.unified_diff(expected.splitlines(), actual.splitlines(), "expected", "actual", lineterm="")))
print(f"{len(cases) - len(failed)} of {len(cases)} cases of {suite.name} as expected")
if failed:
    print(f"if the new output is right: {sys.argv[0]} --update {binary} {suite}")
    sys.exit(1)
sys.exit(77 if updated else 0)
