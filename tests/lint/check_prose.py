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

WORD = r"\b\w*(?:why|reason|message|detail|help)_?(?:\(\))?"
READS = re.compile(rf"{WORD}(?:\.|->)(?:starts_with|ends_with|find|rfind|substr|compare|contains)\(|{WORD} [!=]= (?:\"|k[A-Z])")
FOREIGN = re.compile(r"providers/(?:\w+/)?(?:parsers|lab)/|engine/(?:lab|labserver|description/foreign)/")


def places(root):
    """(path, line number, line) of each place that decides by words."""
    listed = subprocess.run(["git", "-C", root, "ls-files", "-co", "--exclude-standard", "engine", "providers", "plans"], check=True,
                            capture_output=True, text=True).stdout.splitlines()
    for path in sorted(set(listed)):
        if not path.endswith((".cpp", ".hpp")) or FOREIGN.match(path) or not (root / path).exists():
            continue
        for number, line in enumerate((root / path).read_text().splitlines(), 1):
            if READS.search(line.split("//", 1)[0]):
                yield path, number, line.strip()


def exceptions(root):
    """The reason of each path that is left out."""
    lines = (root / "tests/lint/prose_exceptions.txt").read_text().splitlines()
    return dict(line.split(" ", 1) for line in lines if line and not line.startswith("#"))


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    excused, found = exceptions(root), list(places(root))
    problems = [f"{path}:{number}: decides by words of ours: {line}" for path, number, line in found if path not in excused]
    unused = set(excused) - {path for path, _, _ in found}
    problems += [f"prose_exceptions.txt: {path} needs no exception" for path in sorted(unused)]
    print("\n".join(problems + [f"{len(problems)} places decide by words, {len(excused)} exceptions"]))
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
