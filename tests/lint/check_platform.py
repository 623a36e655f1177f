#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fails when something of one platform stands above the platforms.

A string literal with a path, a tool or a folder of Linux belongs into engine/platform/linux, into
providers/linux, into the parsers of tools' output, or into the lab's own Linux hosts and their copies (engine/rehearse/linux). Comments and
includes are not looked at. tests/lint/platform_exceptions.txt has the files that may, each with its
reason; the list may only shrink: an exception that is not needed any more is a fault too.
"""
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1]).resolve()
LOOKED_AT = ["engine", "plans", "providers"]
# Whose business Linux is.
EXEMPT = [
    "engine/platform/linux/",
    "engine/platform/esx_classic/",
    "providers/esx_classic/",
    "engine/lab/esx_classic/",
    "engine/rehearse/esx_classic/",
    "engine/platform/esxi/",
    "providers/esxi/",
    "engine/lab/esxi/",
    "engine/platform/nvue/",
    "providers/nvue/",
    "engine/lab/nvue/",
    "engine/rehearse/nvue/",
    "providers/linux/",
    "providers/parsers",  # and their table
    "engine/lab/linux/",
    "engine/rehearse/esxi/",
    "engine/rehearse/linux/",
    # The machine that fabric runs on.
    "engine/files/",
    "engine/ssh/",
    "engine/ibnet/",
    "engine/labserver/",
    "engine/cli/lab/lab_daemon.cpp",
    "engine/cli/state/process_identity.cpp",
    "engine/cli/state/signing.hpp",  # where the operator's keys stand
]
FORBIDDEN = re.compile(
    r"systemctl|systemd-|journalctl|/etc/|/sys/|/proc/|/run/systemd|/var/lib/|/usr/s?bin|"
    r"\bsysctl -|\bmodprobe\b|\brmmod\b|\bip (link|addr|route|-o|-j)\b|\bmst(config|flint)\b|\bmlxconfig\b|"
    r"\bethtool\b|\bibnetdiscover -|\bsaquery -|\bping -|\bib_send_bw\b|\biperf3\b|\blldpcli\b|\bflock -|"
    r"\bapt-get\b|\bdnf\b|\bsetsid\b|\bnohup\b")
TOKEN = re.compile(
    r'//[^\n]*|/\*.*?\*/|R"(?P<mark>[^\s()\\]{0,16})\((?P<raw>.*?)\)(?P=mark)"|"(?P<text>(?:[^"\\\n]|\\.)*)"'
    r"|'(?:[^'\\\n]|\\.)'",
    re.S)


def findings(path):
    text = path.read_text()
    for match in TOKEN.finditer(text):
        literal = match["raw"] if match["raw"] is not None else match["text"]
        if literal is None:
            continue
        start = text.rfind("\n", 0, match.start()) + 1
        if text[start:match.start()].lstrip().startswith("#include"):
            continue
        if found := FORBIDDEN.search(literal):
            line = text.count("\n", 0, match.start()) + 1 + literal.count("\n", 0, found.start())
            yield line, found[0]


exceptions = {}
listed = root / "tests/lint/platform_exceptions.txt"
for number, line in enumerate(listed.read_text().splitlines(), 1):
    if not line.strip() or line.startswith("#"):
        continue
    name, _, reason = line.partition(" ")
    if not reason.strip():
        sys.exit(f"{listed.relative_to(root)}:{number}: {name} has no reason")
    exceptions[name] = number

errors, needed = [], set()
for folder in LOOKED_AT:
    for path in sorted((root / folder).rglob("*.[ch]pp")):
        where = path.relative_to(root).as_posix()
        if any(where.startswith(prefix) for prefix in EXEMPT):
            continue
        for line, word in findings(path):
            needed.add(where)
            if where not in exceptions:
                errors.append(f"{where}:{line}: '{word}' is of one platform: it belongs into engine/platform/linux")
for name, number in sorted(exceptions.items()):
    if name not in needed:
        errors.append(f"tests/lint/platform_exceptions.txt:{number}: {name} is no exception any more: take it out")
print("\n".join(errors) if errors else "nothing of a platform stands above the platforms")
sys.exit(1 if errors else 0)
