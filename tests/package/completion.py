#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Completion and manual pages as shells and man read them: completion.py FABRIC

The scripts are loaded by the shells that are here, and asked as a person would press the tab key, also in a folder of a stranger
whose names are commands. Every verb and option of --help is in the manual pages, which groff reads without a warning.
"""
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

fabric = pathlib.Path(sys.argv[1]).resolve()
failures, shells = [], []


def say(*arguments, **keywords):
    return subprocess.run(arguments, capture_output=True, text=True, timeout=60, **keywords)


def fabric_says(*arguments):
    done = say(fabric, "-q", *arguments)
    if done.returncode != 0:
        sys.exit(f"fabric {' '.join(arguments)}: exit {done.returncode}: {done.stderr}")
    return done.stdout


# As typed, and what has to be offered.
CASES = [
    ("fabric ver", {"verify", "version"}, {"plan"}),
    ("fabric --json val", {"validate"}, set()),
    ("fabric --chdir . gr", {"graph"}, set()),
    ("fabric --timeout 5s --lab pl", {"plan"}, set()),
    ("fabric verify --lev", {"--level"}, set()),
    ("fabric verify --level od", {"odd"}, {"wire"}),
    ("fabric verify --format work", {"work-order", "work-order-html"}, set()),
    ("fabric plan --jso", {"--json"}, set()),
    ("fabric export sl", {"slurm", "slurm-yaml"}, set()),
    ("fabric explain lag-pol", {"lag-policy-missing"}, set()),
    ("fabric plan --limit pv", {"pve1", "pve2"}, set()),
    ("fabric lab st", {"status"}, set()),
    ("fabric validate fab", {"fabric.yaml"}, set()),
]
DOCUMENT = "apiVersion: fabric/v1\nname: x\nnodes: {'pve[1-2]': {adapters: {cx5: {model: connectx-5-vpi}}}}\n"


# What a folder of a stranger may call its files and runs.
RUN = "20261120T101227Z-3f9c"
HOSTILE = ["$(touch PWNED)", "`touch PWNED`", "$(touch${IFS}PWNED)", f"{RUN}$(touch PWNED)", f"{RUN};touch PWNED", "x;touch PWNED;",
           "'$(touch PWNED)'", '"$(touch PWNED)"', "${x:-$(touch PWNED)}", "$((a[$(touch PWNED)]))", "<(touch PWNED)", "a[$(touch PWNED)]",
           "*(e:'touch PWNED':)", "\\$(touch PWNED)", "|touch PWNED", "&touch PWNED", "x\ntouch PWNED", "*", "~", "!!", "-x"]
ASKED = ["apply --resume ", "support-bundle ", "show ", "show 2", "plan --limit ", "explain ", "validate ", "validate $(touch PWNED)", "export --out "]


def bash(folder, line):
    words = line.split(" ")
    array = " ".join(shlex.quote(word) for word in words)
    return say("bash", "-c", f"""source ./bash
COMP_WORDS=({array}); COMP_CWORD={len(words) - 1}; _fabric; printf '%s\\n' "${{COMPREPLY[@]}}" """, cwd=folder, env=environment)


def fish(folder, line):
    done = say("fish", "--no-config", "-c", "source ./fish; complete -C $argv[1]", line, cwd=folder, env=environment)
    done.stdout = re.sub(r"\t.*", "", done.stdout)
    return done


def check_shell(name, ask, folder):
    if not shutil.which(name):
        return
    shells.append(name)
    for line, wanted, unwanted in CASES:
        done = ask(folder, line)
        offered = set(done.stdout.split())
        if done.stderr or not wanted <= offered or unwanted & offered:
            failures.append(f"{name}: {line!r} offers {sorted(offered)[:12]} {done.stderr[:300]}")


def check_hostile(name, ask, scratch):
    """Names are offered or not, and never evaluated; the program is that of PATH, be there another one in the folder."""
    if not shutil.which(name):
        return
    folder = scratch / f"hostile-{name}"
    runs = folder / ".fabric/runs"
    runs.mkdir(parents=True)
    shutil.copy(scratch / name, folder)
    (folder / "fabric.yaml").write_text(DOCUMENT)
    for each in [RUN, *HOSTILE]:
        (runs / each).mkdir()
        (runs / each / "keep").touch()
        (folder / each).touch()
    (folder / RUN).unlink()
    ours, theirs = folder / "fabric", scratch / "theirs"
    theirs.mkdir(exist_ok=True)
    ours.write_text(f"#!/bin/sh\ntouch {folder}/PWNED\n")
    # One that says hostile words itself: what is offered is put on a command line as it is.
    (theirs / "fabric").write_text("#!/bin/sh\ncat <<'end'\n" + "\n".join([RUN, *HOSTILE]) + "\nend\n")
    for program in (ours, theirs / "fabric"):
        program.chmod(0o755)
    path = environment["PATH"]
    for first in (path, f"{theirs}:{path}"):
        environment["PATH"] = first
        for line in ["./fabric apply --resume ", *(f"fabric {asked}" for asked in ASKED)]:
            done = ask(folder, line)
            offered = done.stdout.splitlines()
            if (folder / "PWNED").exists():
                failures.append(f"{name}: {line!r} starts what a name says")
                (folder / "PWNED").unlink()
            if "--resume" in line and offered != ([RUN] if first == path else [RUN, "x"]):
                failures.append(f"{name}: {line!r} offers {offered} {done.stderr[:300]}")
    environment["PATH"] = path


with tempfile.TemporaryDirectory() as temporary:
    folder = pathlib.Path(temporary)
    environment = {"PATH": f"{fabric.parent}:{os.environ['PATH']}", "HOME": temporary, "TERM": "dumb", "ASAN_OPTIONS": "detect_leaks=0"}
    (folder / "fabric.yaml").write_text(DOCUMENT)
    for name in ("bash", "zsh", "fish"):
        (folder / name).write_text(fabric_says("completion", name))
    check_shell("bash", bash, folder)
    check_shell("fish", fish, folder)
    check_hostile("bash", bash, folder)
    check_hostile("fish", fish, folder)
    if shutil.which("zsh"):
        shells.append("zsh")
        # The key itself needs a terminal: its syntax, and that the function loads.
        done = say("zsh", "-f", "-c", "zsh -n ./zsh && autoload -Uz compinit && compinit -u -D && source ./zsh && whence -w _fabric", cwd=folder,
                   env=environment)
        if "_fabric: function" not in done.stdout or done.stderr:
            failures.append(f"zsh: {done.stdout} {done.stderr}")
    verbs = re.findall(r"^  ([a-z]+) ", fabric_says("--help").split("Subcommands:")[1], re.M)
    for verb in [None, *verbs]:
        page = fabric_says("completion", "man", *([verb] if verb else []))
        plain = page.replace("\\-", "-")
        for option in re.findall(r"(--[a-z-]+)", fabric_says(*([verb] if verb else []), "--help").split("Example")[0]):
            if option not in plain and option != "--help":
                failures.append(f"man page of {verb or 'fabric'}: {option} is missing")
        if shutil.which("groff"):
            done = say("groff", "-man", "-ww", "-Tutf8", "-z", input=page)
            if done.stderr or done.returncode:
                failures.append(f"man page of {verb or 'fabric'}: {done.stderr[:300]}")
    if len(verbs) < 15:
        failures.append("--help lists too few verbs")
print("\n".join(failures) or f"{len(CASES)} completions in {', '.join(shells)}; {len(verbs) + 1} manual pages")
sys.exit(bool(failures))
