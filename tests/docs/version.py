#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`fabric version` says the version and the commit, and a build without git says "unknown".

usage: version.py FABRIC SOURCE_DIR VERSION
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

fabric, root, version = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3]
COMMIT = r"[0-9a-f]{7,40}(-dirty)?|unknown"


def run(*command, **options):
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=60, **options).stdout


def written(source, **options):
    """The commit that the build of a source folder writes down."""
    output = pathlib.Path(folder, "commit.cpp")
    run("cmake", f"-DSOURCE={source}", f"-DOUTPUT={output}", "-DHEADER=x.hpp", "-DNAMESPACE=n", "-DFUNCTION=f", "-P",
        str(root / "cmake" / "write_commit.cmake"), **options)
    return re.search(r'return "(.*)";', output.read_text()).group(1)


def git(*arguments):
    quiet = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    return run("git", "-C", str(repository), "-c", "user.name=t", "-c", "user.email=t@example.com", *arguments,
               env=quiet).strip()


told = run(fabric, "version")
assert re.fullmatch(rf"fabric {re.escape(version)} \(({COMMIT})\)\n", told), told
event = next(json.loads(line) for line in run(fabric, "--json", "version").splitlines() if '"version"' in line)
assert event["fabric"] == version and re.fullmatch(COMMIT, event["commit"]), event

with tempfile.TemporaryDirectory() as folder:
    plain = pathlib.Path(folder, "archive")
    plain.mkdir()
    assert written(plain) == "unknown", "a folder without git"

    repository = pathlib.Path(folder, "repository")
    repository.mkdir()
    git("init", "-q")
    assert written(repository) == "unknown", "a repository without a commit"
    (repository / "file").write_text("one\n")
    git("add", "file")
    git("commit", "-q", "-m", "one")
    head = git("rev-parse", "HEAD")
    assert head.startswith(written(repository)), "a clean tree"
    git("tag", "-a", "v9", "-m", "v9")
    assert head.startswith(written(repository)), "a tag takes no part"
    (repository / "file").write_text("two\n")
    assert written(repository).endswith("-dirty"), "a change that is not committed"
    below = repository / "unpacked"
    below.mkdir()
    assert written(below) == "unknown", "an archive in a repository of somebody else"
print("ok")
