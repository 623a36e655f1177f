#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fails when a file names a type of this project that none of its includes declares, or one of the standard names below.

The everyday builds put the files of a layer into one (unity), where whatever was included before hides
the fault; the fuzzers' build, which only CI makes, and a reader who includes the header first meet it.
"""
import functools
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1]).resolve()
INCLUDE = re.compile(r'^#include "([^"]+)"', re.M)
NOT_CODE = re.compile(r'R"(\w*)\(.*?\)\1"|//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|^#[^\n]*', re.S | re.M)
DECLARED = re.compile(
    r"\b(?:struct|class|enum class|enum|union)\s+([A-Z]\w*)|\busing\s+([A-Z]\w*)\s*=|\bconcept\s+([A-Z]\w*)"
    r"|\b(?:typename|class)\s+(?:\.\.\.\s*)?([A-Z]\w*)|\busing\s+[\w:]+::([A-Z]\w*)\s*;")
# A namespace of a library, as `CLI::Range`, says whose name it is.
NAME = re.compile(r"(?<!CLI::)(?<!YAML::)\b[A-Z][a-z]\w*")

SYSTEM = re.compile(r"^#include <([^>]+)>", re.M)
# Names that compilers find by chance, through other headers of their own library.
STANDARD = {
    "algorithm": r"std::(?:sort|find_if|any_of|all_of|none_of|count_if|min_element|max_element|unique|remove_if)\(",
    "array": r"std::array\b", "bit": r"std::(?:bit_cast|popcount|countr_zero|countl_zero)\b",
    "functional": r"std::(?:function|hash)<", "iomanip": r"std::set(?:w|fill|precision)\b",
    "limits": r"std::numeric_limits\b", "numeric": r"std::(?:accumulate|iota|gcd)\(", "sstream": r"std::[io]?stringstream\b",
    "utility": r"std::(?:exchange|as_const|in_range)\b",
}

texts, declared, system = {}, {}, {}
for folder in ("engine", "providers", "plans", "tests"):
    for path in sorted((root / folder).rglob("*.[hc]pp")):
        name = path.relative_to(root).as_posix()
        whole = path.read_text()
        code = NOT_CODE.sub(" ", whole)
        texts[name] = (code, INCLUDE.findall(whole))
        system[name] = set(SYSTEM.findall(whole))
        declared[name] = {each for found in DECLARED.findall(code) for each in found if each}

everywhere = set().union(*(names for name, names in declared.items() if name.endswith(".hpp")))


def resolve(name, include):
    for candidate in (include, (pathlib.PurePosixPath(name).parent / include).as_posix()):
        if candidate in texts:
            return candidate
    return None


@functools.cache
def includes(name):
    return [each for each in (resolve(name, include) for include in texts[name][1]) if each]


def reachable(name):
    seen, todo = {name}, [name]
    while todo:
        for each in includes(todo.pop()):
            if each not in seen:
                seen.add(each)
                todo.append(each)
    return set().union(*(declared[each] for each in seen)), set().union(*(system[each] for each in seen))


errors = []
for name, (code, _) in texts.items():
    known, headers = reachable(name)
    for header, pattern in STANDARD.items():
        used = re.search(pattern, code)
        if used and header not in headers:
            errors.append(f"{name}: names {used.group().rstrip('(<')} and does not include <{header}>")
    for used in sorted(set(NAME.findall(code)) & everywhere - known):
        homes = sorted(each for each in declared if each.endswith(".hpp") and used in declared[each])
        errors.append(f"{name}: names {used} and includes nothing that declares it ({', '.join(homes[:3])})")

print("\n".join(errors))
if not errors:
    print(f"{len(texts)} files include what they name")
sys.exit(bool(errors))
