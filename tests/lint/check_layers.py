#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fails when a file includes something its layer does not declare.

The layer table is read from the fabric_layer() calls, so CMake stays the only description of the
architecture. Also enforces: third-party headers only in .cpp files, real time only in the clock,
threads only in the transport, and a limit on the length of a file.

A folder of one platform (providers/NAME, which has a machine) is included from that platform's own
folders and from the file that registers it, and from nowhere else. A layer of a platform may build on
one of another platform that it names, as a switch with a Linux system does.
"""
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1]).resolve()
CALL = re.compile(r"fabric_layer\((\w+)(.*?)\)", re.S)
WORDS = {"HOT", "SIMULATED", "DEPENDS", "THIRD_PARTY", "GENERATED"}
REAL_TIME = re.compile(
    r"(system_clock|steady_clock)::now|sleep_for|sleep_until|\bu?sleep\(|\brand\(|random_device")
THIRD_PARTY = re.compile(r"#include <(boost|yaml-cpp|libssh|nlohmann|infiniband|CLI|spdlog|openssl|fmt|graphviz)/")
THREADS = re.compile(r"std::(thread|jthread|async)\b")
MAY_READ_TIME = {"engine/base/clock.cpp"}
MAY_HAVE_THREADS = {"engine/ssh/runner.cpp", "engine/base/parallel.cpp"}
MAY_LINES = 800
REGISTER = re.compile(r"providers/\w+/entry\.cpp|providers/simulated/simulated_platforms\.cpp")
PLATFORMS = {path.parent.name for path in root.glob("providers/*/machine")} - {"posix"}
OF_PLATFORM = re.compile(r"providers/(\w+)/")
INCLUDES_PLATFORM = re.compile(r'#include "(providers/(\w+)/[^"]+)"')

layers, folders = {}, {}
for cmake in sorted(root.glob("**/CMakeLists.txt")):
    if "build" in cmake.relative_to(root).parts:
        continue
    for name, body in CALL.findall(cmake.read_text()):
        key, args = "HOT", {word: [] for word in WORDS}
        for word in body.split():
            if word in WORDS:
                key = word
            else:
                args[key].append(word)
        layers[name] = set(args["DEPENDS"])
        folders[cmake.parent.relative_to(root).as_posix()] = name


def closure(name):
    seen, todo = {name}, [name]
    while todo:
        for dependency in layers[todo.pop()]:
            if dependency not in seen:
                seen.add(dependency)
                todo.append(dependency)
    return seen


def owner(folder):
    while folder and folder != ".":
        if folder in folders:
            return folders[folder]
        folder = pathlib.PurePosixPath(folder).parent.as_posix()
    return None


def platform_of(where):
    match = OF_PLATFORM.match(where)
    return match[1] if match and match[1] in PLATFORMS else None


errors = []
needed = set()  # exceptions that still have a reason
scripts = {path.stem: path for top in ("engine", "providers", "plans") for path in (root / top).rglob("sh/*.sh")}
for folder, layer in sorted(folders.items()):
    allowed = closure(layer)
    for path in sorted((root / folder).rglob("*.[hc]pp")):
        if owner(path.parent.relative_to(root).as_posix()) != layer:
            continue
        text = path.read_text()
        where = path.relative_to(root).as_posix()
        for number, line in enumerate(text.splitlines(), 1):
            if match := re.match(r'#include "([^"]+)/[^/"]+"', line):
                target = owner(match[1])
                if target is None:
                    errors.append(f"{where}:{number}: {match[1]}/ belongs to no layer")
                elif target not in allowed:
                    errors.append(f"{where}:{number}: layer '{layer}' must not include layer '{target}'")
            if match := INCLUDES_PLATFORM.match(line):
                theirs = platform_of(match[1])
                # The kinds of all platforms are one layer, which names none.
                builds_on_it = platform_of(where) and target in layers[layer] and target != layer
                if theirs and not REGISTER.match(where) and theirs != platform_of(where) and not builds_on_it:
                    errors.append(f"{where}:{number}: {match[1]} is of one platform: only its own folders include it, "
                                  "and the file that registers it")
            if path.suffix == ".hpp" and THIRD_PARTY.match(line):
                errors.append(f"{where}:{number}: third-party header in a header")
            if REAL_TIME.search(line):
                needed.add(where)
                if where not in MAY_READ_TIME:
                    errors.append(f"{where}:{number}: use the injected Clock or Random")
            if THREADS.search(line):
                needed.add(where)
            if THREADS.search(line) and where not in MAY_HAVE_THREADS:
                errors.append(f"{where}:{number}: threads belong to the transport")
        # The tag of the licence is none of the file's own lines.
        if (count := text.count("\n") - text.startswith("// SPDX-License-Identifier: ")) > MAY_LINES:
            errors.append(f"{where}: {count} lines; split it (limit {MAY_LINES})")
    for path in scripts.values():
        if owner(path.parent.relative_to(root).as_posix()) != layer:
            continue
        for name in re.findall(r"^\. (\w+)\.sh$", path.read_text(), re.M):
            target = owner(scripts[name].parent.relative_to(root).as_posix()) if name in scripts else None
            if target not in allowed:
                errors.append(f"{path.relative_to(root).as_posix()}: layer '{layer}' must not include {name}.sh of layer '{target}'")
for where in sorted((MAY_READ_TIME | MAY_HAVE_THREADS) - needed):
    errors.append(f"{where}: needs no exception any more; take it out of check_layers.py")
print("\n".join(errors))
sys.exit(bool(errors))
