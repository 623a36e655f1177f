#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A control machine that gives little: machine.py FABRIC SOURCE [sanitized]

Closed standard descriptors, few files, processes, little memory, no room in files, no umask, no /proc or one that hides the
others: each ends with a clear exit code and a message, no crash, no hang, and nothing is written where it does not belong.
"""
import itertools
import json
import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "lab"))
from lab import Lab  # noqa: E402  (reads the same arguments)

fabric = os.path.abspath(sys.argv[1])
sanitized = len(sys.argv) > 3
# Each exit code that a refusal of the machine may end in; never a signal, never 255, which is a bug of ours.
CLEAR = {0, 1, 2, 3, 4, 6, 9, 10, 12, 13}
failed = []


def run(lab, arguments, limits=(), wrap=(), shell="", seconds=600, umask=-1):
    def prepare():
        for kind, most in limits:
            resource.setrlimit(kind, (most, most))
    command = [*wrap, fabric, *arguments]
    if shell:
        command = ["sh", "-c", f'exec "$@" {shell}', "sh", *command]
    return subprocess.run(command, cwd=lab.path, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          timeout=seconds, preexec_fn=prepare, umask=umask)


def expect(what, done, codes=CLEAR, said=True):
    if done.returncode not in codes:
        failed.append(f"{what}: exit {done.returncode}: {(done.stdout + done.stderr)[-600:].decode(errors='replace')}")
    elif said and done.returncode != 0 and not done.stdout + done.stderr:
        failed.append(f"{what}: exit {done.returncode} without a word")


def is_json(path, lines=False):
    text = path.read_text()
    for part in text.splitlines() if lines else [text]:
        json.loads(part)
    return text


def closed_descriptors(lab):
    for number in range(1, 4):
        for closed in itertools.combinations((0, 1, 2), number):
            shell = " ".join("<&-" if each == 0 else f"{each}>&-" for each in closed)
            name = f"closed {closed}"
            out = lab.path / "closed.json"
            out.unlink(missing_ok=True)
            expect(f"{name}: plan", run(lab, ["--facts", "facts", "plan", "--out", "closed.json"], shell=shell), said=False)
            expect(f"{name}: validate", run(lab, ["validate"], shell=shell), said=False)
            try:
                is_json(out)
            except (OSError, ValueError) as error:
                failed.append(f"{name}: the plan file is spoilt: {error}")
            facts = lab.path / f"facts-{number}"
            expect(f"{name}: discover", run(lab, ["--lab", "discover", "--save", facts.name], shell=shell), said=False)
            for path in facts.glob("*.json"):
                is_json(path)
    document = (lab.path / "fabric.yaml").read_text()
    before = set(lab.path.glob(".fabric/runs/*"))
    expect("closed (0, 1, 2): apply", run(lab, ["--lab", "apply", "--auto-approve"], shell="<&- >&- 2>&-"), said=False)
    made = set(lab.path.glob(".fabric/runs/*")) - before
    assert len(made) == 1, f"the apply left {made}"
    for run_folder in made:
        is_json(run_folder / "plan.json")
        assert '"done"' in is_json(run_folder / "journal.jsonl", lines=True), "the apply did nothing"
    assert (lab.path / "fabric.yaml").read_text() == document
    done = run(lab, ["validate"], shell=">&-")
    if done.returncode == 0 and b"could not be written" not in done.stderr and done.stdout:
        failed.append("a result that nobody can see is no success")


def few_of_everything(lab):
    def loads(limit):
        """Whether there is enough to load the program at all; what comes before main() is not ours."""
        return run(lab, ["version"], [limit]).returncode == 0

    work = [["validate"], ["--facts", "facts", "plan", "--out", "few.json"], ["--lab", "discover"],
            ["--lab", "apply", "--auto-approve"], ["--lab", "verify"]]
    for most in (3, 4, 5, 6, 8, 10, 12, 16, 24):
        if not loads((resource.RLIMIT_NOFILE, most)):
            continue
        for arguments in work:
            expect(f"{most} files: {arguments}", run(lab, arguments, [(resource.RLIMIT_NOFILE, most)]))
    for most in (0, 1, 100, 4096):
        for arguments in work:
            if arguments[0] == "validate":
                continue
            done = run(lab, arguments, [(resource.RLIMIT_FSIZE, most)])
            expect(f"files of {most} bytes: {arguments}", done)
        few = lab.path / "few.json"
        if few.exists():
            is_json(few)
            few.unlink()
        assert not list(lab.path.glob("few.json*")), "half a plan file is left"
    # By megabytes: the first sizes do not even load the program. A sanitizer needs terabytes of addresses.
    for most in () if sanitized else range(16, 200, 12):
        if not loads((resource.RLIMIT_AS, most << 20)):
            continue
        for arguments in work[:3] + work[4:]:
            expect(f"{most} MiB: {arguments}", run(lab, arguments, [(resource.RLIMIT_AS, most << 20)]))
    if sanitized:
        print("SKIPPED: little memory: a sanitizer needs terabytes of addresses")


def no_threads(lab):
    if os.geteuid() != 0:
        print("SKIPPED: few processes: needs root, to become somebody with no other process")
        return
    nobody = ["setpriv", "--reuid", "54321", "--regid", "54321", "--clear-groups"]
    subprocess.run(["chmod", "-R", "a+rwX", lab.path], check=True)
    for most in (1, 2, 3, 4):
        for arguments in (["validate"], ["--lab", "discover"]):
            # The limit counts for the user that setpriv becomes.
            done = run(lab, arguments, [(resource.RLIMIT_NPROC, most)], wrap=nobody)
            if b"Permission denied" in done.stderr and done.returncode in (126, 127):
                print("SKIPPED: few processes: the program can't be run by others")
                return
            expect(f"{most} processes: {arguments}", done)
            if arguments[0] == "validate" and done.returncode != 0:
                failed.append(f"{most} processes: validate needs a thread: {done.stderr.decode()}")


def open_umask(lab):
    os.chmod(lab.path, 0o755)
    run(lab, ["--lab", "plan", "--out", "open.json"], umask=0)
    run(lab, ["--lab", "discover", "--save", "open-facts"], umask=0)
    run(lab, ["--lab", "apply", "--auto-approve"], umask=0)
    for path in [lab.path / "open.json", *lab.path.glob("open-facts/*"), *lab.path.glob(".fabric/**/*")]:
        private = any(parent.stat().st_mode & 0o077 == 0 for parent in path.parents if lab.path in parent.parents)
        if not private and not path.is_dir() and path.stat().st_mode & 0o022:
            failed.append(f"umask 0: {path.relative_to(lab.path)} can be written by everybody: {path.stat().st_mode:o}")


def other_proc(lab):
    ways = {
        "hidepid=2": "mount -o remount,hidepid=2 /proc",
        "no /proc": "mount -t tmpfs tmpfs /proc",
    }
    for name, way in ways.items():
        wrap = ["unshare", "-m", "sh", "-c", f'{way} || exit 77; exec "$@"', "sh"]
        probe = subprocess.run([*wrap, "true"], capture_output=True)
        if probe.returncode != 0:
            print(f"SKIPPED: {name}: {probe.stderr.decode().strip() or 'not allowed here'}")
            continue
        for arguments in (["validate"], ["--facts", "facts", "plan"], ["--lab", "discover"], ["--lab", "plan"],
                          ["--lab", "apply", "--auto-approve"], ["history"], ["lab", "status"], ["--lab", "unlock"]):
            expect(f"{name}: {arguments}", run(lab, arguments, wrap=wrap))


def main():
    begin = time.monotonic()
    with Lab(nodes=2) as lab:
        lab.fabric("--lab", "discover", "--save", "facts", expect=0)
        for test in (closed_descriptors, few_of_everything, open_umask, other_proc, no_threads):
            started = time.monotonic()
            test(lab)
            print(f"{test.__name__}: {time.monotonic() - started:.1f} s", flush=True)
        lab.apply()
        lab.plan_is_empty()
    print("\n".join(failed), file=sys.stderr)
    print(f"{time.monotonic() - begin:.0f} s")
    sys.exit(1 if failed else 0)


main()
