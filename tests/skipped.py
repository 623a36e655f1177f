#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Lists what was skipped and why: usage: skipped.py JUNIT_XML... (of ctest --output-junit)."""
import sys
import xml.etree.ElementTree as tree

counts = {"passed": 0, "failed": 0, "skipped": 0}
reasons = []
for path in sys.argv[1:]:
    for case in tree.parse(path).iter("testcase"):
        skipped = case.find("skipped")
        if case.get("status") == "fail" or case.find("failure") is not None:
            counts["failed"] += 1
        elif skipped is None:
            counts["passed"] += 1
        else:
            counts["skipped"] += 1
            lines = [line.strip() for line in (case.findtext("system-out") or "").splitlines() if line.strip()]
            told = [line.removeprefix("skipped: ") for line in lines if line.startswith("skipped: ")]
            reasons.append(f"skipped: {case.get('name')}: {(told or lines[-1:] or [skipped.get('message')])[-1]}")
print("\n".join(sorted(reasons)) or "skipped: nothing")
print("on demand only: tests/vm/run.sh (virtual machines), ctest -C fleet (containers that reboot), ctest -C browser (pages in Chromium), ctest -C long (mutants, killed runs): CONTRIBUTING.md")
print(f"{counts['passed']} passed, {counts['failed']} failed, {counts['skipped']} skipped")
