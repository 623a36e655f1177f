#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the program decides does not hang on the words of its messages.

usage: reworded.py FABRIC ROOT [BUILD_PRESET]

Copies the tree, turns round each word of each message that a provider or a parser of theirs makes, builds it, and lets both
programs plan and verify every golden case that has saved facts: exit codes, changes, actions, what is withheld and why,
and the findings by rule, severity and subject are the same. A long test: it builds the program anew.
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

fabric, root = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
preset = sys.argv[3] if len(sys.argv) > 3 else "try"
# What a text that people read is given to. The literals within the parentheses or braces that follow are its words.
MAKES_MESSAGE = re.compile(r"Reading::unknown\(|\.(?:warning|error|info|with_help|with_note)\(|report_finding(?:_at)?\(|Error\{\s*ErrorCode::\w+,"
                           r"|(?:not_made|impossible|add)\(|return \"")
LITERAL = re.compile(r'"((?:[^"\\\n]|\\.)*)"')


def end_of(text, begin):
    """Behind the bracket that closes the one before `begin`; literals are skipped."""
    depth, at = 1, begin
    while at < len(text) and depth:
        if text[at] == '"':
            at = LITERAL.match(text, at).end() if LITERAL.match(text, at) else at + 1
            continue
        depth += (text[at] in "({") - (text[at] in ")}")
        at += 1
    return at


def turned(literal):
    words = literal.group(1)
    # A slug, a key, a word of a tool: no message. What has an escape or a path is left alone.
    if " " not in words.strip() or "\\" in words or "/" in words:
        return literal.group(0)
    parts = re.split(r"(\{[^}]*\})", words)
    return '"' + "".join(p if p.startswith("{") else re.sub(r"[A-Za-z]+", lambda w: w.group(0)[::-1], p) for p in parts) + '"'


def reword(text):
    out, at, count = "", 0, 0
    for found in MAKES_MESSAGE.finditer(text):
        if found.start() < at:
            continue
        begin = found.start() + len("return ") if found.group(0).startswith("return") else found.end()
        end = text.index(";", begin) if found.group(0).startswith("return") else end_of(text, begin)
        changed = LITERAL.sub(turned, text[begin:end])
        count += changed != text[begin:end]
        out, at = out + text[at:begin] + changed, end
    return out + text[at:], count


def without_words(value):
    """A plan, a change, a finding, without what is only said of it."""
    words = {"message", "help", "text", "title", "unknown", "failure", "release", "reason", "irreversible", "detail", "digest",
             "facts_digest", "example", "by_hand", "related", "@message", "@timestamp", "observed", "next_round"}
    if isinstance(value, dict):
        return {k: without_words(v) for k, v in value.items() if k not in words}
    return [without_words(v) for v in value] if isinstance(value, list) else value


def decisions(program, case):
    told = []
    with tempfile.TemporaryDirectory() as work:
        subprocess.run(["cp", "-rL", f"{case}/.", work], check=True)
        for verb in (["plan", "--out", "p.plan"], ["verify", "--level", "link", "--format", "json"]):
            run = subprocess.run([program, "--chdir", work, "--facts", "facts", "--no-input", *verb], capture_output=True, text=True,
                                 env={**os.environ, "NO_COLOR": "1"}, check=False)
            told.append(run.returncode)
            made = pathlib.Path(work, "p.plan")
            if verb[0] == "plan" and made.exists():
                told.append(without_words(json.loads(made.read_text())))
            if verb[0] == "verify" and run.stdout.startswith("{"):
                told.append([without_words(json.loads(line)) for line in run.stdout.splitlines() if line.startswith("{")]
                            if "\n{" in run.stdout.strip() else without_words(json.loads(run.stdout)))
    return told


with tempfile.TemporaryDirectory() as temporary:
    tree = pathlib.Path(temporary, "reworded")
    listed = subprocess.run(["git", "-C", root, "ls-files", "-z"], check=True, capture_output=True).stdout
    tree.mkdir()
    subprocess.run(["tar", "-C", str(root), "--null", "-T", "-", "-cf", f"{temporary}/t.tar"], input=listed, check=True)
    subprocess.run(["tar", "-C", str(tree), "-xf", f"{temporary}/t.tar"], check=True)
    total = 0
    for path in sorted((tree / "providers").rglob("*.cpp")):
        text, count = reword(path.read_text())
        total += count
        path.write_text(text)
    print(f"{total} messages of the providers have their words turned round", flush=True)
    subprocess.run(["cmake", "--preset", preset], cwd=tree, check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["cmake", "--build", f"build/{preset}", "--target", "fabric"], cwd=tree, check=True, stdout=subprocess.DEVNULL)
    other = tree / f"build/{preset}/engine/cli/fabric"
    cases = sorted(p.parent for suite in ("plan", "verify", "facts") for p in (root / "tests/golden" / suite).glob("*/fabric.yaml")
                   if (p.parent / "facts").exists())
    different = 0
    for case in cases:
        one, two = decisions(fabric, case), decisions(other, case)
        if one != two:
            different += 1
            print(f"{case.relative_to(root)}: decides otherwise")
print(f"{len(cases)} cases, {different} decided otherwise by other words")
sys.exit(1 if different else 0)
