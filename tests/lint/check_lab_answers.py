#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Each answer of a simulated machine follows a fact: check_lab_answers.py ROOT [--write]

Looks at the machines that came after the Linux host. A function that prints a line (a string literal with a line end)
cites the id of its evidence, in itself or in the comment above it. tests/lint/lab_answers_exceptions.txt has those that
do not yet, and may only shrink: one that is not needed any more is a fault, and so is a list that is longer than the
number in its first line, which nobody raises.
"""
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1]).resolve()
FOLDERS = sorted(path.relative_to(root).as_posix() for path in root.glob("providers/*/lab") if path.parent.name != "linux")
EXCEPTIONS = root / "tests/lint/lab_answers_exceptions.txt"
CITED = re.compile(r"\bE-[a-z][a-z0-9]*(?:-[a-z0-9]+)*")
LITERAL = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
NAME = re.compile(r"([\w~]+(?:::[\w~]+)*)\s*(?:\(|\{|=|;|$)")
CLASS = re.compile(r"^\s*(?:class|struct)\s+\w+")


def blocks(lines, indent):
    """(first line of the comment above, first line, line after the last) of each definition that is indented so."""
    at, margin = 0, " " * indent
    while at < len(lines):
        line = lines[at]
        if not line.startswith(margin) or line[indent:indent + 1] in ("", " ", "}", "#", "/") or line[indent:].startswith(
                ("namespace", "using", "public:", "private:", "protected:")):
            at += 1
            continue
        begin = at
        while at < len(lines) and not (lines[at].startswith(margin + "}") or lines[at].rstrip().endswith(";") and lines[at].startswith(margin)
                                       and not lines[at].startswith(margin + " ") and "{" not in lines[at]):
            if lines[at].startswith(margin) and lines[at].rstrip().endswith(("}", "};")) and "{" in lines[at] and at == begin:
                break
            at += 1
        at += 1
        above = begin
        while above > 0 and lines[above - 1].startswith(margin + "//"):
            above -= 1
        yield above, begin, min(at, len(lines))


def prints(lines):
    return any("\\n" in text and len(re.findall(r"[A-Za-z]", text.replace("\\n", ""))) > 1 for line in lines
               if not line.lstrip().startswith("//") for text in LITERAL.findall(line))


def uncited():
    for folder in FOLDERS:
        for path in sorted((root / folder).glob("*.cpp")):
            lines = path.read_text().splitlines()
            found = []
            for above, begin, end in blocks(lines, 0):
                if CLASS.match(lines[begin]):
                    inner = lines[begin + 1:end - 1]
                    found += [(a + begin + 1, b + begin + 1, e + begin + 1) for a, b, e in blocks(inner, 2)]
                else:
                    found.append((above, begin, end))
            for above, begin, end in found:
                # What only tests see is no answer.
                if not prints(lines[begin:end]) or "::state_text()" in lines[begin]:
                    continue
                answers.append(path)
                if any(CITED.search(line) for line in lines[above:end]):
                    continue
                name = NAME.search(lines[begin])
                name = next((match for match in NAME.findall(lines[begin]) if match not in ("const", "constexpr")), "?") if name else "?"
                yield f"{path.relative_to(root)} {name}", f"{path.relative_to(root)}:{begin + 1}"


answers, problems = [], []
found = dict(uncited())
if "--write" in sys.argv[2:]:
    EXCEPTIONS.write_text(
        f"# at most {len(found)}: functions of simulated machines that print what no evidence is cited for. This list may only shrink.\n"
        + "".join(f"{name}\n" for name in sorted(found)))
head, *rest = EXCEPTIONS.read_text().splitlines()
most, allowed = int(re.match(r"# at most (\d+):", head)[1]), set(rest)
if len(answers) < 50:
    problems.append(f"{len(answers)} answers found, which are not all")
if len(rest) > most:
    problems.append(f"tests/lint/lab_answers_exceptions.txt: {len(rest)} exceptions, and there may be {most}")
if len(rest) < most:
    problems.append(f"tests/lint/lab_answers_exceptions.txt: say `at most {len(rest)}` now")
problems += [f"{place}: {name.split()[1]} prints something and cites no evidence (an id of docs/evidence.md)"
             for name, place in found.items() if name not in allowed]
problems += [f"tests/lint/lab_answers_exceptions.txt: {name} is not needed any more" for name in rest if name not in found]
print("\n".join(problems) if problems else f"{len(answers)} answers, {len(rest)} without evidence")
sys.exit(1 if problems else 0)
