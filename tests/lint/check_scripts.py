#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fails when a shell program stands in C++, or when a script is not sound.

usage: check_scripts.py ROOT DASH SHELLCHECK

A program for a shell of more than three lines is a file NAME.sh in a folder `sh` beside the code that uses it, where dash
and ShellCheck read it. It gets what it is about as arguments. Literals of C++ are looked at whatever their delimiter is,
and adjacent ones as the one that the compiler makes of them. Folders that still have such literals stand in
script_exceptions.txt, which may only shrink.
"""
import pathlib
import re
import subprocess
import sys

MOST_LINES = 3
TOKEN = re.compile(
    r'(?P<comment>//[^\n]*|/\*.*?\*/)|R"(?P<mark>[^\s()\\]{0,16})\((?P<raw>.*?)\)(?P=mark)"'
    r"""|"(?P<text>(?:[^"\\\n]|\\.)*)"|'(?:[^'\\\n]|\\.)+'""", re.S)
# What a line of shell has and a line of prose, JSON or a configuration has not.
SHELL = re.compile(
    r"""^\s*(?:if|while|until|elif)\ .*;\ *(?:then|do)\b|^\s*(?:then|fi|done|esac|else|do)\s*(?:$|[;|<>&])|;\ *(?:then|do|fi|done)\b
    |^\s*for\ \w+\ in\b|^\s*case\ .*\ in\b|;;\s*$|\$\(|(?:\|\||&&)\s*(?:exit|return|continue|break|echo|rm|\{|\[)
    |^\s*\w+\(\)\ *\{|\$[0-9@\#?!*]|\$\{\w+[\#%:]|"\$\w+|[12]?>\ *(?:/dev/null|&[12])|^\s*\[\ .*\ \]
    |^\s*(?:set\ -|shift\b|exit\ [0-9$]|export\ \w+|trap\ '|exec\ |unset\ |read\ -r|cd\ [/"$]|echo\ ["$])""", re.X | re.M)
ESCAPES = {"n": "\n", "t": "\t"}
# The rule must find the ones and leave the others.
PROGRAMS = ['R"sh(if true; then\n  a\n  b\nfi)sh"', 'R"(a=1\nb=2\nc=3\necho "$a")"', r'"cd / || exit 1\n" "a\n"' + "\n" + r'"b\n" // why' + "\n" + r'"c\n"',
            r'"for f in *; do\n  one\n  two\ndone\n"', 'R"x(a\nb\nc\nd $(e))x"', r'"mv a b\nmv c d\nmv e f\nmv g h 2>/dev/null\n"']
OTHERS = ['R"sh(if true; then\n  a\nfi)sh"', r'"[Unit]\nDescription=x\n\n[Service]\nType=oneshot\nExecStart=/bin/sh {}\n"',
          r'"one", "for f in *; do\n", "two\n", "done\n"', 'R"({"a": [\n1,\n2,\n3\n]})"', r'"in any case\nof a file\nthat is done\nor else\n"']


def literals(text):
    """Each literal with its place; what the compiler joins is one."""
    found, end = [], None
    for match in TOKEN.finditer(text):
        if match["raw"] is None and match["text"] is None:
            continue
        content = match["raw"] if match["raw"] is not None else re.sub(
            r"\\(.)", lambda escape: ESCAPES.get(escape[1], escape[1]), match["text"], flags=re.S)
        if end is not None and not re.sub(r"//[^\n]*|/\*.*?\*/", "", text[end:match.start()], flags=re.S).strip():
            found[-1][1] += content
        else:
            found.append([match.start(), content])
        end = match.end()
    return found


def is_program(content):
    return sum(bool(line.strip()) for line in content.split("\n")) > MOST_LINES and bool(SHELL.search(content))


for source in PROGRAMS:
    assert any(is_program(content) for _, content in literals(source)), source
for source in OTHERS:
    assert not any(is_program(content) for _, content in literals(source)), source

def code_of(root):
    return {path: path.read_text() for top in ("engine", "providers", "plans") for path in sorted((root / top).rglob("*.[ch]pp"))}


def exceptions(root):
    """The folders that are left out."""
    lines = (root / "tests/lint/script_exceptions.txt").read_text().splitlines()
    return [line.split()[0] for line in lines if line and not line.startswith("#")]


def programs(root, code):
    """(path, line number, what shows that it is shell) of each program for a shell in C++."""
    for path, text in code.items():
        for start, content in literals(text):
            if is_program(content):
                yield path.relative_to(root).as_posix(), text.count("\n", 0, start) + 1, SHELL.search(content)[0].strip()


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    dash, shellcheck = sys.argv[2:4]
    errors = []

    needed, code = dict.fromkeys(exceptions(root), False), code_of(root)
    for where, number, sign in programs(root, code):
        folder = next((folder for folder in needed if where.startswith(folder)), None)
        if folder:
            needed[folder] = True
        else:
            errors.append(f"{where}:{number}: a program for a shell ({sign!r}): it belongs into a file of the folder `sh` beside it")
    for folder, is_needed in needed.items():
        if not is_needed:
            errors.append(f"script_exceptions.txt: {folder} needs no exception any more; take the line out")

    scripts = [path for top in ("engine", "providers", "plans") for path in sorted((root / top).rglob("sh/*.sh"))]
    used = set(re.findall(r"\bsh::(\w+)", "\n".join(code.values()))) | {
        name for path in scripts for name in re.findall(r"^\. (\w+)\.sh$", path.read_text(), re.M)}
    for path in scripts:
        if path.stem not in used:
            errors.append(f"{path.relative_to(root).as_posix()}: nothing uses it")
        said = subprocess.run([dash, "-n", path], capture_output=True, text=True).stderr
        errors += [line.replace(f"{root}/", "") for line in said.splitlines()]
    # SC1007: `a= b=` empties variables. SC2015: of `a && b || c`, c is what is done unless both hold.
    folders = ":".join(sorted({path.parent.as_posix() for path in scripts}))
    said = subprocess.run([shellcheck, "-s", "dash", "-x", "-P", folders, "-e", "SC1007,SC2015", "-f", "gcc", *scripts],
                          capture_output=True, text=True)
    errors += [line.replace(f"{root}/", "") for line in (said.stdout + said.stderr).splitlines()]
    if not scripts:
        errors.append("no script was found")
    print("\n".join(errors) if errors else f"{len(scripts)} scripts are sound, and no other program for a shell stands in C++")
    sys.exit(bool(errors))


if __name__ == "__main__":
    main()
