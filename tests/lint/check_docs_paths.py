#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the documents name is there: files, links, headings, tests.

usage: check_docs_paths.py ROOT

* `engine/...` in backticks, as any path below a folder of ours, is a file or folder; * and {a,b} are patterns.
* A relative link leads to a file, and its #anchor to a heading of it.
* docs/invariants.md and SECURITY.md: a text in quotes is the title of a test in tests/unit, `suite.name` a test of ctest, also
  in the last column of tests/README.md.

docs_paths_exceptions.txt lists paths that are still to come; one that is there by now fails too.
"""
import itertools
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1]).resolve()
TOP = ("engine", "plans", "providers", "schemas", "tests", "cmake", "docs", "examples", ".ci")
problems = []
excused = set()
needed = set()
for entry in (pathlib.Path(__file__).parent / "docs_paths_exceptions.txt").read_text().splitlines():
    if entry and not entry.startswith("#"):
        excused.add(entry.strip())


def pages():
    yield from (root / name for name in ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md", "tests/README.md", "docs/llms.txt"))
    yield from sorted((root / "docs").rglob("*.md"))
    yield from sorted((root / "examples").glob("*/README.md"))


def alternatives(text):
    """{a,b} as a shell expands it."""
    parts = [part[1:-1].split(",") if part.startswith("{") else [part] for part in re.split(r"(\{[^}]*\})", text)]
    return ["".join(choice) for choice in itertools.product(*parts)]


def is_there(path):
    if path in excused:
        needed.add(path)
        return True
    return any(root.glob(path.rstrip("/"))) if "*" in path else (root / path).exists()


def anchors(page):
    """As GitHub makes them of headings."""
    found = set()
    for line in page.read_text().splitlines():
        if line.startswith("#"):
            title = re.sub(r"[^\w\- ]", "", line.lstrip("#").strip().lower())
            found.add(title.replace(" ", "-"))
    return found


def outside_of_blocks(text):
    """(line number, line), without fenced blocks."""
    fenced = False
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("```"):
            fenced = not fenced
        elif not fenced:
            yield number, line


def check_paths(page, where, line):
    for quoted in re.findall(r"`([^`]+)`", line):
        path = quoted.split()[0]
        # A path by itself or with arguments, nothing with placeholders.
        if path.split("/")[0] not in TOP or "/" not in path or not re.fullmatch(r"[\w./*{},-]+", path):
            continue
        # A word in capitals stands for a name that the reader chooses.
        if any(re.search(r"(?<![A-Za-z])[A-Z]{4,}(?![a-z])", part) and not is_there(path) for part in path.split("/")):
            path = path[: re.search(r"(?<![A-Za-z])[A-Z]{4,}", path).start()].rpartition("/")[0]
        for each in alternatives(path):
            if not is_there(each):
                problems.append(f"{where}: `{each}` is not there")
    for target in re.findall(r"\]\(([^)\s]+)\)", line):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        linked = (page.parent / path).resolve() if path else page
        name = str(linked.relative_to(root)) if linked.is_relative_to(root) else target
        if not is_there(name):
            problems.append(f"{where}: the link to {target} leads nowhere")
        elif anchor and linked.exists() and anchor not in anchors(linked):
            problems.append(f"{where}: {name} has no heading for #{anchor}")


def unit_titles():
    titles = set()
    for path in (root / "tests" / "unit").rglob("*_test.cpp"):
        for body in re.findall(r"TEST_CASE\(\s*((?:\"(?:[^\"\\]|\\.)*\"\s*)+)", path.read_text()):
            titles.add("".join(re.findall(r"\"((?:[^\"\\]|\\.)*)\"", body)))
    return titles


def is_ctest(name):
    suite, _, case = name.partition(".")
    below = {"golden": f"tests/golden/{case}", "unit": f"tests/unit/{case}", "corpus": f"tests/fuzz/fuzz_{case}.cpp", "docs": f"tests/docs/{case}.py"}
    if suite in below:
        return (root / below[suite]).exists()
    listed = "".join(path.read_text() for path in (root / "tests").rglob("CMakeLists.txt"))
    return f"NAME {name}" in listed or (suite == "lint" and f"fabric_lint({case} " in listed)


checked = 0
for page in pages():
    for number, line in outside_of_blocks(page.read_text()):
        check_paths(page, f"{page.relative_to(root)}:{number}", line)
        checked += 1
titles = unit_titles()


def check_tests(place, text):
    for title in re.findall(r'"([^"]+)"', text):
        if title not in titles:
            problems.append(f"{place}: no test is called \"{title}\"")
    for name in re.findall(r"`([a-z]+\.[a-z_]+)`", text):
        if not is_ctest(name):
            problems.append(f"{place}: ctest has no {name}")


for number, line in outside_of_blocks((root / "docs" / "invariants.md").read_text()):
    if line.startswith("| I"):
        check_tests(f"docs/invariants.md:{number}", line.split("|")[3])
invariants = set(re.findall(r"^\| (I\d+) ", (root / "docs" / "invariants.md").read_text(), re.M))
for number, line in outside_of_blocks((root / "SECURITY.md").read_text()):
    check_tests(f"SECURITY.md:{number}", line)
    for name in re.findall(r"\bI\d+\b", line):
        if name not in invariants:
            problems.append(f"SECURITY.md:{number}: no invariant is {name}")
for number, line in outside_of_blocks((root / "tests/README.md").read_text()):
    check_tests(f"tests/README.md:{number}", line.rpartition(" | ")[2])
for path in sorted(excused):
    if path not in needed or (root / path).exists():
        problems.append(f"docs_paths_exceptions.txt: {path} is no exception any more")
print("\n".join(problems) if problems else f"{checked} lines of documents")
sys.exit(1 if problems else 0)
