#!/usr/bin/env python3
"""Runs golden cases: a folder per case, compared with its file `expected`.

usage: run.py FABRIC_BINARY SUITE_DIR

A case is a folder with `fabric.yaml` and, where it is not the suite's own verb, `cmd`: one command
line per line, run one after the other in a copy of the folder. `expected` holds exit code, standard
output and standard error of each. FABRIC_ACCEPT=1 rewrites it and makes the run count as skipped.
Everything must be deterministic; only the path of the temporary copy is normalised.
"""
import difflib
import os
import pathlib
import shlex
import shutil
import subprocess
import sys
import tempfile

binary, suite = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
accept = os.environ.get("FABRIC_ACCEPT") == "1"
environment = {**os.environ, "NO_COLOR": "1", "COLUMNS": "100", "LC_ALL": "C.UTF-8", "HOME": "/nonexistent"}


def run_case(case):
    commands = [f"{suite.name} fabric.yaml"]
    if (case / "cmd").exists():
        commands = (case / "cmd").read_text().splitlines()
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder) / "case"
        shutil.copytree(case, work)
        (work / "expected").unlink(missing_ok=True)
        text = ""
        for command in commands:
            done = subprocess.run([binary, *shlex.split(command)], cwd=work, env=environment,
                                  stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120)
            text += f"$ fabric {command}\nexit {done.returncode}\n"
            for name, stream in (("stdout", done.stdout), ("stderr", done.stderr)):
                if stream:
                    text += f"--- {name}\n{stream.rstrip(chr(10))}\n"
        return text.replace(str(work), "CASE")


failed, accepted, cases = [], 0, sorted(path for path in suite.iterdir() if path.is_dir())
if not cases:
    sys.exit(f"no cases in {suite}")
for case in cases:
    actual = run_case(case)
    expected_file = case / "expected"
    expected = expected_file.read_text() if expected_file.exists() else ""
    if actual == expected:
        continue
    if accept:
        expected_file.write_text(actual)
        accepted += 1
        continue
    failed.append(case.name)
    print(f"== {suite.name}/{case.name}")
    print("\n".join(difflib.unified_diff(expected.splitlines(), actual.splitlines(), "expected", "actual", lineterm="")))
print(f"{len(cases) - len(failed)} of {len(cases)} cases of {suite.name} as expected")
if failed:
    print(f"if the new output is right: FABRIC_ACCEPT=1 {sys.argv[0]} {binary} {suite}")
    sys.exit(1)
sys.exit(77 if accepted else 0)
