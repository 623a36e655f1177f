#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What `validate` says of documents with one mistake each, as a table: see mistakes.txt.

usage: run.py [--update] [--served PROGRAM | --plan] FABRIC_BINARY [NAME...]

Each document of mistakes.txt is judged by `validate`: one of the rules that are expected has to be among those that it
names, and the table `expected` (mistake, exit code, rules, first message) has to be what it was.
--update (or FABRIC_ACCEPT=1) rewrites `expected` and counts as skipped.
--plan: each document that `validate` passes is planned in a lab of its own. Such a plan has no error but those of
`plan:RULE` and of the base, which only nodes can tell.
"""
import argparse
import concurrent.futures
import difflib
import functools
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

    def is_told_later(self):
        return all(each == "right" or each.startswith("plan:") for each in self.expected)

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
        as_expected = not found if mistake.is_told_later() else bool(set(mistake.expected) & set(rules))
        row = " | ".join((mistake.name, str(code), " ".join(rules or mistake.expected), found[0][1] if found else "-"))
        expected = " ".join(mistake.expected)
        return row, [] if as_expected else [f"{mistake.name}: expected {expected}, found {' '.join(rules) or 'nothing'}"]


def planned(binary, document):
    """The rules that a plan of the document in its lab names, those of errors, and "unknown" if it has unknown values."""
    environment = {**os.environ, "NO_COLOR": "1", "LC_ALL": "C.UTF-8"}
    with tempfile.TemporaryDirectory() as work:
        run = functools.partial(subprocess.run, cwd=work, env=environment, capture_output=True, text=True, check=False)
        (pathlib.Path(work) / "fabric.yaml").write_text(document)
        up = run([binary, "lab", "up"])
        done = run([binary, "--lab", "plan", "--format", "json", "fabric.yaml"])
        down = run([binary, "lab", "down"])
    for each, expected in ((up, [0]), (done, [0, 3]), (down, [0])):
        if each.returncode not in expected:
            raise SystemExit(f"{each.args} ends with {each.returncode}: {each.stderr}\n{document}")
    answer = json.loads(done.stdout)
    said = {each["rule"]: each["severity"] == "error" for each in answer["diagnostics"]}
    unknown = {"unknown"} if answer.get("summary", {}).get("unknown") else set()
    return said.keys() | unknown, {rule for rule, is_error in said.items() if is_error}


def plan(binary, mistakes):
    """What is wrong with the plans of documents, and how many were planned. An error of the base is no matter of the mistake."""
    bases = sorted({each.base for each in mistakes})
    with concurrent.futures.ThreadPoolExecutor() as pool:
        of_bases = dict(zip(bases, pool.map(
            lambda base: planned(binary, (HERE / "bases" / f"{base}.yaml").read_text())[1], bases)))
        of_mistakes = list(pool.map(lambda each: planned(binary, each.document()), mistakes))
    wrong = []
    for mistake, (said, errors) in zip(mistakes, of_mistakes):
        expected = {each.removeprefix("plan:") for each in mistake.expected if each.startswith("plan:")}
        wrong += [f"{mistake.name}: plan says {rule}" for rule in sorted(errors - expected - of_bases[mistake.base])]
        wrong += [f"{mistake.name}: plan does not say {rule}" for rule in sorted(expected - said)]
    return wrong


def main():
    parser = argparse.ArgumentParser(usage="run.py [--update] [--served PROGRAM | --plan] FABRIC_BINARY [NAME...]")
    parser.add_argument("--update", action="store_true", default=os.environ.get("FABRIC_ACCEPT") == "1")
    parser.add_argument("--served", type=pathlib.Path)
    parser.add_argument("--plan", action="store_true")
    parser.add_argument("binary", type=pathlib.Path)
    parser.add_argument("names", nargs="*")
    arguments = parser.parse_args()
    mistakes = [each for each in read_mistakes() if not arguments.names or each.name in arguments.names]
    if arguments.plan:
        passed = {row.split(" | ")[0] for row in (HERE / "expected").read_text().splitlines() if " | 3 | " not in row}
        mistakes = [each for each in mistakes if each.name in passed]
        wrong = plan(str(arguments.binary.resolve()), mistakes)
        print(*wrong, f"{len(mistakes)} documents planned", sep="\n")
        return int(bool(wrong))
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
