#!/usr/bin/env python3
"""Every rule that a document alone can break has a case that passes and one that fails.

usage: check_fixtures.py FABRIC_BINARY SOURCE_ROOT

tests/golden/validate/<slug>-ok must give no finding of <slug>; <slug>-bad* must give at least one, with
a line, a column and help or a message that says what to do.
"""
import json
import pathlib
import subprocess
import sys

binary, root = sys.argv[1], pathlib.Path(sys.argv[2])
rules = json.loads(subprocess.run([binary, "--json", "explain", "--all"], capture_output=True, text=True, check=True).stdout)
suite = root / "tests/golden/validate"
errors = []


def findings(case):
    done = subprocess.run([binary, "validate", str(case / "fabric.yaml"), "--format", "json"],
                          capture_output=True, text=True)
    if done.returncode not in (0, 3):
        errors.append(f"{case.name}: exit {done.returncode}: {done.stderr.strip()}")
        return []
    return json.loads(done.stdout)["diagnostics"]


for rule in rules["rules"]:
    slug = rule["slug"]
    for key in ("reason", "evidence", "fix"):
        if not rule.get(key):
            errors.append(f"{slug}: explain has no {key}")
    if rule["judged"] != "document":
        continue
    good, bad = suite / f"{slug}-ok", sorted(suite.glob(f"{slug}-bad*"))
    if not good.is_dir():
        errors.append(f"{slug}: no case {good.name}")
    elif any(found["rule"] == slug for found in findings(good)):
        errors.append(f"{good.name}: has the finding it must not have")
    if not bad:
        errors.append(f"{slug}: no case {slug}-bad")
    for case in bad:
        mine = [found for found in findings(case) if found["rule"] == slug]
        if not mine:
            errors.append(f"{case.name}: no finding {slug}")
        elif not all(found["line"] > 0 and found["column"] > 0 for found in mine):
            errors.append(f"{case.name}: a finding has no place")
print("\n".join(errors) or f"{len(rules['rules'])} rules, each with its cases")
sys.exit(bool(errors))
