#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fails when something of one platform stands above the platforms.

A string literal with a path, a tool or a script of Linux belongs into providers/linux/machine, into
providers/linux/kinds, into the parsers of tools' output, or into the lab's own Linux hosts and their copies
(providers/linux/copy). Comments and includes are not looked at, nor what is written for people: the
rows of the table of rules, and the help of a finding.

What a probe printed is read by the platform or the provider that asked, and by nobody above them.
"""
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1]).resolve()
LOOKED_AT = ["engine", "plans", "providers"]
# Whose business Linux is.
EXEMPT = [
    *(f"{path.parent.relative_to(root).as_posix()}/" for path in root.glob("providers/*/machine")),
    "providers/esx/",
    "providers/parsers",  # and their table
    "engine/model/statement_pattern.hpp",  # formats as a document names them
    # The machine that fabric runs on.
    "engine/files/",
    "engine/ssh/",
    "engine/ibnet/",
    "engine/labserver/",
    "engine/cli/verbs/lab.cpp",
    "engine/cli/state/process_identity.cpp",
    "engine/cli/state/signing.hpp",  # where the operator's keys stand
    "engine/cli/verbs/verbs.cpp",  # examples of the command line
]
FORBIDDEN = re.compile(
    r"systemctl|systemd-|journalctl|/(?:etc|sys|proc|run|var|usr|boot|lib|opt|s?bin)/|"
    r"\bsysctl -|\bmodprobe\b|\brmmod\b|\bip (link|addr|route|-o|-j)\b|\bmst(config|flint)\b|\bmlxconfig\b|"
    r"\bethtool\b|\bibnetdiscover -|\bsaquery -|\bping -|\bib_send_bw\b|\biperf3\b|\blldpcli\b|\bflock -|"
    r"\bapt-get\b|\bdnf\b|\bsetsid\b|\bnohup\b")
TOKEN = re.compile(
    r'//[^\n]*|/\*.*?\*/|R"(?P<mark>[^\s()\\]{0,16})\((?P<raw>.*?)\)(?P=mark)"|"(?P<text>(?:[^"\\\n]|\\.)*)"'
    r"|'(?:[^'\\\n]|\\.)'",
    re.S)

ROWS = re.compile(r"constexpr RuleInfo \w+\[\] = \{.*?\n\};", re.S)
HELP = re.compile(r"\bwith_help\(")
# Above the providers, but for the copies of a platform's machines.
ABOVE = ("engine/cli/", "engine/discovery/", "engine/execute/", "engine/rehearse/", "engine/report/", "engine/verify/",
         "engine/workflow/", "plans/")
READS = re.compile(r"\bfacts\.(?:output|parsed|parsed_or_none|probes\.(?:find|at))\b")


def blank(text, start, end):
    """Without what stands between, but for its lines."""
    return text[:start] + re.sub(r"[^\n]", " ", text[start:end]) + text[end:]


def without_rows_and_help(text):
    for match in ROWS.finditer(text):
        text = blank(text, *match.span())
    for match in HELP.finditer(text):
        end, depth = match.end(), 1
        while depth and (token := re.compile(TOKEN.pattern + r"|[()]", re.S).search(text, end)):
            depth += {"(": 1, ")": -1}.get(token[0], 0)
            end = token.end()
        text = blank(text, *(match.end(), end))
    return text


def findings(path):
    text = without_rows_and_help(path.read_text())
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


errors = []
for folder in LOOKED_AT:
    for path in sorted((root / folder).rglob("*.[ch]pp")):
        where = path.relative_to(root).as_posix()
        if any(where.startswith(prefix) for prefix in EXEMPT):
            continue
        for line, word in findings(path):
            errors.append(f"{where}:{line}: '{word}' is of one platform: it belongs into providers/linux/machine")
        if not where.startswith(ABOVE):
            continue
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if READS.search(line):
                errors.append(f"{where}:{number}: what a probe printed is read above the providers: ask the platform")
print("\n".join(errors) if errors else "nothing of a platform stands above the platforms")
sys.exit(bool(errors))
