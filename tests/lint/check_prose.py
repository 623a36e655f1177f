#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""No code decides by the words of our own messages.

usage: check_prose.py ROOT

What a program finds out is a value with a type, and words are made of it for people; whoever rewords a message must not
change what the program does. So nothing called why, reason, message, detail or help is searched, cut or compared with a
text. Parsers read what others wrote, and are left out by their folders; what else reads foreign words, or only avoids
to say a name twice, stands in prose_exceptions.txt with its reason.
"""
import pathlib
import re
import subprocess
import sys

root = pathlib.Path(sys.argv[1]).resolve()
WORD = r"\b\w*(?:why|reason|message|detail|help)_?(?:\(\))?"
READS = re.compile(rf"{WORD}(?:\.|->)(?:starts_with|ends_with|find|rfind|substr|compare|contains)\(|{WORD} [!=]= (?:\"|k[A-Z])")
FOREIGN = re.compile(r"providers/(?:\w+/)?(?:parsers|lab)/|engine/(?:lab|labserver|description/foreign)/")

exceptions = {}
for line in (root / "tests/lint/prose_exceptions.txt").read_text().splitlines():
    if line and not line.startswith("#"):
        path, reason = line.split(" ", 1)
        exceptions[path] = reason
listed = subprocess.run(["git", "-C", root, "ls-files", "-co", "--exclude-standard", "engine", "providers", "plans"], check=True,
                        capture_output=True, text=True).stdout.splitlines()
problems, unused = [], set(exceptions)
for path in sorted(set(listed)):
    if not path.endswith((".cpp", ".hpp")) or FOREIGN.match(path) or not (root / path).exists():
        continue
    for number, line in enumerate((root / path).read_text().splitlines(), 1):
        if not READS.search(line.split("//", 1)[0]):
            continue
        unused.discard(path)
        if path not in exceptions:
            problems.append(f"{path}:{number}: decides by words of ours: {line.strip()}")
problems += [f"prose_exceptions.txt: {path} needs no exception" for path in sorted(unused)]
print("\n".join(problems + [f"{len(problems)} places decide by words, {len(exceptions)} exceptions"]))
sys.exit(1 if problems else 0)
