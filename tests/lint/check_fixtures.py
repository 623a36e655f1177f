#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fails when a rule of stage plan or verify has no fixtures: tests/unit/report/rule_fixtures_test.cpp does it for the others.

Such a rule needs what nodes told, so its fixtures are golden cases below tests/golden/facts: `<slug>-bad` and
`<slug>-bad-<which>` show the finding, as many `<slug>-ok` and `<slug>-ok-<which>` do not. What only pings can tell is a
case tests/golden/lab/<slug>, whose first `verify` does not say it and whose last does. What neither can show
stands in fixture_exceptions.txt, with the test that shows it instead.

usage: check_fixtures.py ROOT
"""
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1]).resolve()
here = pathlib.Path(__file__).resolve().parent
labs = root / "tests" / "golden" / "lab"
suite = root / "tests" / "golden" / "facts"
NEEDS_FACTS = ("plan", "verify")
problems = []


def rules_of_stages():
    """The slugs of each stage, by the generated docs/rules.md."""
    stages, stage = {}, None
    for line in (root / "docs" / "rules.md").read_text().splitlines():
        if line.startswith("## "):
            found = re.fullmatch(r"## Stage (\w+)", line)
            stage = found.group(1) if found else None
        elif stage and (found := re.fullmatch(r"### ([a-z0-9-]+)", line)):
            stages.setdefault(stage, set()).add(found.group(1))
    return stages


def exceptions():
    excused = set()
    for line in (here / "fixture_exceptions.txt").read_text().splitlines():
        if not line or line.startswith("#"):
            continue
        slug, path, name, reason = (field.strip() for field in line.split("|"))
        shown_by = root / path
        if not shown_by.exists() or name not in shown_by.read_text():
            problems.append(f"the exception {slug} names a test that is not there: {path}: {name}")
        if not reason:
            problems.append(f"the exception {slug} has no reason")
        excused.add(slug)
    return excused


def cases_of(slug, kind):
    return [path for path in suite.iterdir() if re.fullmatch(rf"{slug}-{kind}(-.+)?", path.name)]


def judge_cases(slug):
    """True if there are both kinds; what they say is judged too."""
    complete = True
    for kind in ("bad", "ok"):
        cases = cases_of(slug, kind)
        complete = complete and bool(cases)
        for case in cases:
            expected = case / "expected"
            # A finding in the text, a rule or the reason of the exit code in JSON.
            said = expected.exists() and re.search(rf'\[{slug}\]|"{slug}"', expected.read_text())
            if not expected.exists():
                problems.append(f"{case.relative_to(root)} has no file `expected`")
            elif bool(said) != (kind == "bad"):
                problems.append(f"{case.relative_to(root)}: {slug} is {'said' if said else 'not said'}")
    return complete


def judge_lab_case(slug):
    """True if there is one; before and after the fault are judged."""
    case = labs / slug
    if not case.exists():
        return False
    said = [f"[{slug}]" in command for command in re.split(r"(?m)^\$ ", (case / "expected").read_text())
            if command.startswith("fabric --lab verify")]
    if len(said) < 2 or said[0] or not said[-1]:
        problems.append(f"{case.relative_to(root)}: {slug} is not said by the last verify alone")
    return True


stages = rules_of_stages()
excused = exceptions()
every = set().union(*stages.values())
needed = set().union(*(stages.get(stage, set()) for stage in NEEDS_FACTS))
if not all(stages.get(stage) for stage in NEEDS_FACTS):
    sys.exit("docs/rules.md has no rules of the stages plan and verify")

for slug in sorted(needed):
    complete = judge_lab_case(slug) or judge_cases(slug)
    if complete and slug in excused:
        problems.append(f"{slug} has fixtures and needs no exception")
    elif not complete and slug not in excused:
        problems.append(f"{slug} has no pair {slug}-bad, {slug}-ok in {suite.relative_to(root)}")
for slug in sorted(excused - needed):
    problems.append(f"the exception {slug} is no rule of stage plan or verify")
for case in sorted(path.name for path in suite.iterdir() if path.is_dir()):
    slug = re.sub(r"-(bad|ok)(-.+)?$", "", case)
    if slug == case or slug not in every:
        problems.append(f"{suite.relative_to(root)}/{case} belongs to no rule")
    elif slug not in needed:
        judge_cases(slug)
for slug in sorted(every):
    bad, ok = len(cases_of(slug, "bad")), len(cases_of(slug, "ok"))
    if bad != ok:
        problems.append(f"{slug} has {bad} cases `bad` and {ok} cases `ok`: they are to be as many")

for problem in problems:
    print(problem)
print(f"{len(needed)} rules of plan and verify: {len(excused)} of them excused, {len(problems)} problems")
sys.exit(1 if problems else 0)
