#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""One file of several tests: join_tests.py OUTPUT SOURCE...

What a test file declares is its own, so that many of them use the same names. Each gets a namespace around all that it has, in
its named namespace where there is one; see FabricUnity.cmake, which says what files can be joined. Places in messages stay those
of the sources.
"""
import pathlib
import re
import sys

NAMED = re.compile(r"^namespace [a-z_:]+ \{$", re.MULTILINE)
INCLUDE = re.compile(r"^#include .*$", re.MULTILINE)


def wrapped(path, number):
    text = pathlib.Path(path).read_text()
    named = NAMED.search(text)
    begin = named.end() if named else [include.end() for include in INCLUDE.finditer(text)][-1]
    end = text.rindex("\n}  // namespace ") if named else len(text)
    line, last = text.count("\n", 0, begin) + 1, text.count("\n", 0, end) + 2
    return (f'#line 1 "{path}"\n{text[:begin]}\nnamespace file_{number} {{\n#line {line} "{path}"\n'
            f'{text[begin:end]}\n}}\n#line {last} "{path}"{text[end:]}')


output = pathlib.Path(sys.argv[1])
output.write_text("\n".join(wrapped(path, number) for number, path in enumerate(sys.argv[2:], 1)))
