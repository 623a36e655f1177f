#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Files in a pull request that are not what they seem: files.py FABRIC

Links, pipes, devices and sockets in the place of documents, lab.yaml and saved facts: nothing of what lies outside is told,
nothing is waited for. What the user has typed may be a pipe.
"""
import json
import os
import pathlib
import socket
import subprocess
import sys
import tempfile

fabric = os.path.abspath(sys.argv[1])
SECRET = "hunter2secret"
DOCUMENT = "apiVersion: fabric/v1\nname: x\nnodes:\n  n1: {adapters: {a: {model: connectx-5-vpi}}}\n"
failed = []


def run(folder, *arguments, source=b"", code=3, says=""):
    what = f"{' '.join(arguments)} in {folder.name}"
    try:
        done = subprocess.run([fabric, *arguments], cwd=folder, input=source, capture_output=True, timeout=300)
    except subprocess.TimeoutExpired:
        failed.append(f"{what}: waits for ever")
        return ""
    said = (done.stdout + done.stderr).decode()
    if done.returncode != code:
        failed.append(f"{what}: exit {done.returncode}, expected {code}: {said[-500:]}")
    if SECRET in said:
        failed.append(f"{what}: tells a file outside: {said[-500:]}")
    if says not in said:
        failed.append(f"{what}: does not say {says!r}: {said[-500:]}")
    return said


def main():
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        (scratch / "outside").write_text(f"token: {SECRET}\n{SECRET}: 1\n")
        (scratch / "outside.json").write_text(f'"{SECRET}')
        (scratch / "other").mkdir()
        (scratch / "other/whole.yaml").write_text(DOCUMENT)

        def folder(name):
            path = scratch / name
            path.mkdir()
            return path

        outward = {"relative": "../outside", "absolute": str(scratch / "outside"), "chain": "next.txt", "folder": "up/outside",
                   "process": "/proc/self/environ", "standard-input": "/dev/stdin", "zero": "/dev/zero"}
        for name, target in outward.items():
            path = folder(name)
            (path / "a.yaml").symlink_to(target)
            if name == "chain":
                (path / "next.txt").symlink_to("../outside")
            if name == "folder":
                (path / "up").symlink_to("..")
            for verb in (["validate"], ["plan"], ["validate", "a.yaml"], ["explain", "n1", "."], ["graph"]):
                run(path, *verb, says="a link that leaves its directory is not followed")

        kinds = folder("kinds")
        for kind in ("pipe", "socket", "folder"):
            path = folder(f"kinds/{kind}")
            if kind == "pipe":
                os.mkfifo(path / "a.yaml")
            elif kind == "socket":
                socket.socket(socket.AF_UNIX).bind(str(path / "a.yaml"))
            else:
                (path / "a.yaml").mkdir()
            run(path, "validate", says="expected a file, found")
            run(path, "plan", "--format", "json", says="expected a file, found")
        assert kinds.is_dir()

        inside = folder("inside")
        (inside / "sub").mkdir()
        (inside / "sub/real.yaml").write_text(DOCUMENT)
        (inside / "..data").symlink_to("sub")
        (inside / "a.yaml").symlink_to("..data/real.yaml")  # as Kubernetes mounts them
        run(inside, "validate", code=0)
        run(inside, "validate", "a.yaml", code=0)
        run(scratch, "validate", "inside", code=0)
        (scratch / "way").symlink_to("inside")
        run(scratch, "validate", "way", code=0)  # the user has named it

        lab = folder("lab")
        (lab / "fabric.yaml").write_text(DOCUMENT)
        (lab / "lab.yaml").symlink_to("../outside")
        run(lab, "lab", "up", says="a link that leaves its directory is not followed")

        facts = folder("facts")
        (facts / "fabric.yaml").write_text(DOCUMENT)
        (facts / "saved").mkdir()
        (facts / "saved/n1.json").symlink_to("../../outside.json")
        run(facts, "--facts", "saved", "plan", says="a link that leaves its directory is not followed")
        (facts / "saved/n1.json").unlink()
        os.mkfifo(facts / "saved/n1.json")
        run(facts, "--facts", "saved", "plan", says="expected a file, found a pipe")

        # A plan names the files that it was made from; none of them is told before its digest is right.
        plan = facts / "plan.json"
        (facts / "saved/n1.json").unlink()
        run(facts, "--facts", "saved", "plan", "--out", "plan.json", code=4)
        changed = json.loads(plan.read_text())
        changed["inputs"][0]["path"] = str(scratch / "outside")
        plan.write_text(json.dumps(changed))
        said = run(facts, "--no-input", "apply", "plan.json", code=3)
        assert SECRET not in said

        typed = folder("typed")
        run(typed, "validate", "/dev/stdin", source=DOCUMENT.encode(), code=0)
        run(typed, "validate", "/dev/fd/0", source=DOCUMENT.encode(), code=0)
        run(typed, "validate", "/dev/stdin", source=b"a: [", says="yaml-syntax")
        run(typed, "parse", "sminfo", "/dev/zero", says="expected at most")
        # A file of a node has a limit of lines, each of which may become a value; a whole log or subnet has none.
        run(typed, "parse", "networkd", "-", source=b"[s]\n" * 50_001, says="expected at most 50000 lines, found 50001")
        run(typed, "parse", "opensm-log", "-", source=b"\n" * 50_001, code=0)
        run(typed, "validate", "/dev/zero", says="expected a file, found a device")
        os.mkfifo(typed / "pipe")
        done = subprocess.run(["bash", "-c", f'cat >pipe <<<"$1" & exec "{fabric}" validate pipe', "bash", DOCUMENT],
                              cwd=typed, capture_output=True, timeout=300)
        if done.returncode != 0:
            failed.append(f"validate pipe: exit {done.returncode}: {done.stderr}")
        done = subprocess.run(["bash", "-c", f'exec "{fabric}" validate <(cat <<<"$1")', "bash", DOCUMENT], cwd=typed,
                              capture_output=True, timeout=300)
        if done.returncode != 0:
            failed.append(f"validate <(...): exit {done.returncode}: {done.stderr}")
    print("\n".join(failed), file=sys.stderr)
    sys.exit(1 if failed else 0)


main()
