#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What `validate` says of documents with one mistake each, as a table: see mistakes.txt.

usage: run.py [--update] [--served PROGRAM] [--write DIR] FABRIC_BINARY [NAME...]

Each document of mistakes.txt is judged by `validate`: one of the rules that are expected has to be among those that it
names, and the table `expected` (mistake, exit code, rules, first message) has to be what it was.
--update (or FABRIC_ACCEPT=1) rewrites `expected` and counts as skipped. --write DIR only writes the documents, a folder
each, for `fabric lab up` and `plan --lab` by hand.
"""
import argparse
import difflib
import json
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))
from served import Served  # noqa: E402  pylint: disable=wrong-import-position


class Mistake:
    def __init__(self, header):
        self.name, self.base, *self.expected = header.split()
        self.hunks = []  # (lines that go, lines that come)

    def document(self):
        lines = (HERE / "bases" / f"{self.base}.yaml").read_text().splitlines()
        for gone, come in self.hunks:
            stripped = [line.strip() for line in lines]
            places = [at for at in range(len(lines)) if stripped[at:at + len(gone)] == gone]
            if len(places) != 1:
                raise SystemExit(f"{self.name}: {gone} stands {len(places)} times in bases/{self.base}.yaml")
            at = places[0]
            indentation = lines[at][:len(lines[at]) - len(lines[at].lstrip())]
            lines[at:at + len(gone)] = [indentation + line for line in come]
        return "\n".join(lines) + "\n"


def read_mistakes():
    mistakes = []
    for line in (HERE / "mistakes.txt").read_text().splitlines():
        if line.startswith("== "):
            mistakes.append(Mistake(line[3:]))
        elif line.startswith("- ") and mistakes:
            hunks = mistakes[-1].hunks
            if not hunks or hunks[-1][1]:
                hunks.append(([], []))
            hunks[-1][0].append(line[2:])
        elif line.startswith("+ "):
            mistakes[-1].hunks[-1][1].append(line[2:])
    return mistakes


class Validator:
    def __init__(self, arguments):
        self.environment = {**os.environ, "NO_COLOR": "1", "LC_ALL": "C.UTF-8", "HOME": "/nonexistent",
                            "ASAN_OPTIONS": "malloc_context_size=1:detect_leaks=0:detect_odr_violation=0"}
        self.served = Served(arguments.served.resolve(), self.environment) if arguments.served else None
        self.binary = str(arguments.binary.resolve())
        self.of_bases = {}

    def findings(self, document):
        """The exit code, and rule and message of each finding."""
        command = ["validate", "--format", "json", "fabric.yaml"]
        with tempfile.TemporaryDirectory() as work:
            (pathlib.Path(work) / "fabric.yaml").write_text(document)
            done = (self.served.run(command, work, self.environment) if self.served else
                    subprocess.run([self.binary, *command], cwd=work, env=self.environment, capture_output=True, check=False))
        found = json.loads(done.stdout)["diagnostics"]
        return done.returncode, [(each["rule"], each["message"]) for each in found]

    def judge(self, mistake):
        """The row of the table, and what is wrong with it. What is said of the base is no matter of the mistake."""
        if mistake.base not in self.of_bases:
            self.of_bases[mistake.base] = self.findings((HERE / "bases" / f"{mistake.base}.yaml").read_text())[1]
        code, found = self.findings(mistake.document())
        found = [each for each in found if each not in self.of_bases[mistake.base]]
        rules = sorted({rule for rule, _ in found})
        told_later = [each for each in mistake.expected if each == "right" or each.startswith("plan:")]
        as_expected = not found if told_later else bool(set(mistake.expected) & set(rules))
        row = " | ".join((mistake.name, str(code), " ".join(rules or told_later), found[0][1] if found else "-"))
        expected = " ".join(mistake.expected)
        return row, [] if as_expected else [f"{mistake.name}: expected {expected}, found {' '.join(rules) or 'nothing'}"]


def main():
    parser = argparse.ArgumentParser(usage="run.py [--update] [--served PROGRAM] [--write DIR] FABRIC_BINARY [NAME...]")
    parser.add_argument("--update", action="store_true", default=os.environ.get("FABRIC_ACCEPT") == "1")
    parser.add_argument("--served", type=pathlib.Path)
    parser.add_argument("--write", type=pathlib.Path)
    parser.add_argument("binary", type=pathlib.Path)
    parser.add_argument("names", nargs="*")
    arguments = parser.parse_args()
    mistakes = [each for each in read_mistakes() if not arguments.names or each.name in arguments.names]
    if arguments.write:
        for mistake in mistakes:
            (arguments.write / mistake.name).mkdir(parents=True, exist_ok=True)
            (arguments.write / mistake.name / "fabric.yaml").write_text(mistake.document())
        return 0
    validator = Validator(arguments)
    rows, wrong = [], []
    for mistake in mistakes:
        row, problems = validator.judge(mistake)
        rows.append(row)
        wrong += problems
    table = "".join(f"{row}\n" for row in rows)
    kept = HERE / "expected"
    if arguments.names:
        print(table, end="")
    elif arguments.update:
        kept.write_text(table)
    elif kept.read_text() != table:
        wrong += difflib.unified_diff(kept.read_text().splitlines(), table.splitlines(), "expected", "found", lineterm="", n=0)
    print(*wrong, sep="\n")
    print(f"{len(rows)} documents, {sum(' | 3 | ' in row for row in rows)} refused by validate, "
          f"{sum('plan:' in row for row in rows)} by what only nodes tell, {sum(' | right | ' in row for row in rows)} right")
    return 77 if arguments.update else int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
