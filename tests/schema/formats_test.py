#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every verb with every format that any verb has: formats_test.py FABRIC_SERVED SOURCE_ROOT

Verbs, their formats and their flags are read from --help. A format that a verb has is written, whatever flag stands beside it, or
refused with those that this mode has; another one is refused with those of the verb. Nothing crashes.
"""
import os
import pathlib
import re
import shutil
import sys
import tempfile

root = pathlib.Path(sys.argv[2]).resolve()
sys.path.insert(0, str(root / "tests/support"))
from served import Served  # noqa: E402  pylint: disable=wrong-import-position

environment = {**os.environ, "NO_COLOR": "1", "ASAN_OPTIONS": "detect_leaks=0:detect_odr_violation=0:malloc_context_size=1"}
served = Served(sys.argv[1], environment)
RUN = "20260101T000000Z-0000"
# What a verb is given besides: each is a document of another kind, or a wrong one.
WRONG = "elsewhere/wrong.yaml"
INPUTS = {
    "validate": [["."], [WRONG]],
    "plan": [["."], [WRONG]],
    "verify": [["--level", "link", "."], ["--level", "link", WRONG]],
    "show": [["plan.json"], [RUN]],
    "undo": [[RUN]],
    "graph": [["."], [WRONG], ["--plan", "plan.json"], ["--down", "pve1"], ["--cut", "pve1/1", "pve2/2"]],
}
# It did what it was told, or found something.
JUDGED = {0, 2, 4, 13}
failed, runs = [], 0


def run(*arguments):
    global runs  # pylint: disable=global-statement
    runs += 1
    done = served.run(arguments, work, environment)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def formats_in(text):
    found = re.search(r"--format FORMAT:\{([^}]*)\}", re.sub(r"\s+", " ", text))
    return [name.strip() for name in found[1].split(",")] if found else []


def check(verb, given, flags, name, formats, as_events):
    words = ["--facts", "facts", *(["--json"] if as_events else []), verb, *given, *flags, "--format", name]
    code, out, said = run(*words)
    said += out if as_events else ""
    what = f"fabric {' '.join(words)}"
    if code < 0 or code > 127:
        failed.append(f"{what}: crashes: {code}: {said[-300:]}")
    elif name not in formats:
        if code != 3 or not all(each in said for each in formats):
            failed.append(f"{what}: exit {code}, expected 3 and the list of {formats}: {said[-300:]}")
    elif code == 3 and "--format" in said:
        # Of this mode. A drawing and the cost of an outage exclude each other.
        if "writes" not in said and "excludes" not in said:
            failed.append(f"{what}: refused without the formats of this mode: {said[-300:]}")
    elif code not in JUDGED and not (code == 3 and WRONG in given):
        failed.append(f"{what}: exit {code}: {said[-300:]}")
    # A plan without changes has no commands, a report without findings no annotations.
    elif not out and code != 3 and name not in ("commands", "github"):
        failed.append(f"{what}: exit {code} and nothing is written: {said[-300:]}")


with tempfile.TemporaryDirectory() as temporary:
    work = pathlib.Path(temporary)
    shutil.copy(root / "tests/golden/facts/drift-bad/fabric.yaml", work)
    shutil.copytree(root / "tests/golden/facts/drift-bad/facts", work / "facts")
    (work / "elsewhere").mkdir()
    (work / WRONG).write_text("apiVersion: fabric/v1\nname: x\nnodes: {n1: {adapters: {a: {model: connectx-99}}}}\n")
    code, _, said = run("--facts", "facts", "plan", "--out", "plan.json")
    assert code == 0, said
    (work / ".fabric/runs" / RUN).mkdir(parents=True)
    shutil.copy(work / "plan.json", work / ".fabric/runs" / RUN)
    helped = {verb: run(verb, "--help")[1] for verb in re.findall(r"^  ([a-z-]+) ", run("--help")[1].split("Subcommands:")[1], re.M)}
    with_format = {verb: formats_in(text) for verb, text in helped.items() if formats_in(text)}
    assert set(with_format) == set(INPUTS), f"--format is an option of {sorted(with_format)}: give each of them an input here"
    names = sorted({name for formats in with_format.values() for name in formats})
    assert len(names) > 12, with_format
    for verb, formats in with_format.items():
        own = helped[verb].split("Example:")[0]
        flags = re.findall(r"^  (--[a-z-]+)  ", own, re.M)
        # What a verb has not is refused before anything is looked at, whatever stands beside it.
        for name in set(names) - set(formats):
            check(verb, INPUTS[verb][0], [], name, formats, False)
        for given in INPUTS[verb]:
            for flag in [[], *([flag] for flag in flags)]:
                for name in formats:
                    check(verb, given, flag, name, formats, False)
                    if given is INPUTS[verb][0]:
                        check(verb, given, flag, name, formats, True)
print("\n".join(failed) or f"{len(with_format)} verbs, {len(names)} formats, {runs} runs")
sys.exit(bool(failed))
