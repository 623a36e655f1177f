#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a built program has to withstand a mistake of memory with: binary.py FABRIC [debug|sanitized]

Read from the program itself by readelf and nm. A debug build has no fortified calls, for they need an optimiser; a build
with a sanitizer watches the stack itself, and stands at one place, for half of each start would be relocations.
"""
import re
import subprocess
import sys

binary, build = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else "release"
missing = []


def read(*command):
    return subprocess.run([*command, binary], capture_output=True, text=True, check=True,
                          env={"LC_ALL": "C", "PATH": "/usr/bin:/bin"}).stdout


def need(what, has):
    print(f"{'has' if has else 'LACKS'} {what}")
    if not has:
        missing.append(what)


header, segments, dynamic = read("readelf", "-hW"), read("readelf", "-lW"), read("readelf", "-dW")
symbols = read("nm", "-D")
x86 = "X86-64" in header
if build != "sanitized":
    need("a position of its own (PIE)", re.search(r"Type:\s+DYN", header) and re.search(r"FLAGS_1.*\bPIE\b", dynamic))
need("relocations that become read-only (RELRO)", "GNU_RELRO" in segments)
need("all symbols bound at the start (BIND_NOW)", "BIND_NOW" in dynamic or re.search(r"FLAGS_1.*\bNOW\b", dynamic))
need("a stack without code", re.search(r"GNU_STACK.*\bRW\b(?!E)", segments))
need("checks of the standard library", "__glibcxx_assert_fail" in symbols or "__glibcxx_assert_fail" in read("nm", "-C")
     or "__replacement_assert" in read("nm", "-C"))
if build != "sanitized":
    need("a stack protector", "__stack_chk_fail" in symbols)
if build == "release":
    if x86:
        notes = read("readelf", "-nW")
        code = subprocess.run(["objdump", "-d", "--no-show-raw-insn", binary], capture_output=True, text=True).stdout
        need("targets of indirect jumps (-fcf-protection)", "IBT" in notes or code.count("endbr64") > 1000)
        # The prologue of a function with a large frame touches each of its pages.
        need("probes of a growing stack (-fstack-clash-protection)", re.search(r"or[ql]\s+\$0x0,(0x[0-9a-f]+)?\(%rsp", code))
    need("fortified calls", re.search(r"__(mem|str|read|snprintf|vsnprintf|fdelt|poll|readlinkat|realpath)\w*_chk", symbols))
sys.exit(1 if missing else 0)
