#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Switches and ESXi hosts that are not what they should be: switches.py FABRIC SOURCE_ROOT [sanitized]

Each way of answering x each platform of the schema that is reached by SSH x discover, plan and unlock. Every verb ends in time
and fails, says nothing that commands a terminal, sends no secret back, and keeps its memory. A platform that is added is tried by itself.
"""
import os
import pathlib
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor

from servers import Sshd

fabric, root = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2])
SECONDS = 10  # --timeout
MEMORY_MIB = 900
SECRET = "correct-horse-battery"
ENDLESS = "while :; do printf '%s\\n' '{}'; done"
SHELLS = {
    "no-prompt": "exec sleep 1000",
    "hangs-up": "exit 0",
    "flood": "cat /dev/zero",
    "flood-of-lines": ENDLESS.format("Port 1/1"),
    "flood-of-prompts": ENDLESS.format("switch [standalone: master] (config) #"),
    "asks-password": "printf 'Password: '; while read -r line; do printf '%s\\nPassword: ' \"$line\"; done",
    "asks-yes-no": "printf 'Continue? [y/n] '; while read -r line; do printf 'Continue? [y/n] '; done",
    "pages": "printf 'switch > '; while read -r line; do printf 'one\\ntwo\\n--More--'; done",
    "pages-without-end": ENDLESS.format("--More--"),
    "prompt-changes": "n=0; printf 'sw0 > '; while read -r line; do n=$((n+1)); printf '%s\\nsw%s (config) # ' \"$line\" \"$n\"; done",
    "prompt-in-output": "printf 'sw > '; while read -r line; do printf '%s\\nsw > sw # sw > ' \"$line\"; done",
    "escapes": "printf '\\033[2J\\033]0;owned\\007sw > '; while read -r line; do printf '\\033[31m%s\\033[2J\\r\\nsw > ' \"$line\"; done",
    "echoes": "printf 'sw > '; exec cat",
    "echoes-command": "printf '%s\\n' \"$SSH_ORIGINAL_COMMAND\"; exec cat",
    "deep-json": "head -c 200000 /dev/zero | tr '\\0' '['",
    "large-json": "printf '{\"a\": \"'; head -c 100000000 /dev/zero | tr '\\0' a; printf '\"}'",
    "slow-drip": "while :; do printf .; sleep 1; done",
    "answers-twice": "printf 'sw > '; while read -r line; do printf 'sw > sw > %%s\\n%%s\\n' \"$line\" \"$line\"; done",
}


def platforms():
    text = (root / "schemas/fabric.schema.json").read_text()
    names = re.findall(r'"([^"]+)"', re.search(r'"platform": \{[^}]*"enum": \[([^]]*)\]', text).group(1))
    assert len(names) > 5, names
    return [name for name in names if name not in ("linux", "unmanaged")]


def limits():
    if "sanitized" not in sys.argv:
        resource.setrlimit(resource.RLIMIT_DATA, (MEMORY_MIB << 20, MEMORY_MIB << 20))


def main():
    folder = pathlib.Path(tempfile.mkdtemp(prefix="fabric-switches-"))
    failed, tries, servers = [], 0, {}
    try:
        (folder / "home").mkdir()
        for name in SHELLS:  # one sshd listens on 16 ports at most
            (folder / name).mkdir()
            servers[name] = Sshd(folder / name, {name: SHELLS[name]})
        user = os.environ.get("USER", "root")
        credentials = folder / "credentials.yaml"
        environment = os.environ | {"HOME": str(folder / "home"), "SSH_AUTH_SOCK": ""}

        def attempt(platform, verb, name):
            own, sshd = folder / name, servers[name]
            (own / "fabric.yaml").write_text(
                f"apiVersion: fabric/v1\nname: hostile\nnodes:\n  {name}: {{platform: {platform}, address: 127.0.0.1, ssh: {{port: {sshd.shells[name]}, "
                f"user: {user}, identity_file: {own}/user, host_key: {sshd.host_key()}}}}}\n")
            (own / "log").unlink(missing_ok=True)
            begin = time.monotonic()
            try:
                done = subprocess.run([fabric, "--timeout", f"{SECONDS}s", "--log", own / "log", "--credentials", credentials, verb], cwd=own, env=environment,
                                      stdin=subprocess.DEVNULL, capture_output=True, timeout=150, preexec_fn=limits)
            except subprocess.TimeoutExpired:
                return f"{verb} of {platform}, {name}: does not end"
            seconds, output = time.monotonic() - begin, done.stdout + done.stderr
            # Where a platform has no lock, nobody is asked.
            ends = (0,) if verb == "unlock" and "session to" not in (own / "log").read_text() else (3, 4, 5, 6, 9, 10)
            held = (done.returncode in ends and seconds < 3 * SECONDS and len(output) < 1_000_000
                    and b"\x1b" not in output and b"\x07" not in output and SECRET.encode() not in output)
            return "" if held else f"{verb} of {platform}, {name}: exit {done.returncode} after {seconds:.0f} s: {output[-400:]!r}"

        credentials.write_text("".join(f"{name}: {{password: {SECRET}, host_key: {servers[name].host_key()}}}\n" for name in SHELLS))
        credentials.chmod(0o600)
        with ThreadPoolExecutor(len(SHELLS)) as pool:
            for platform in platforms():
                for verb in ("discover", "plan", "unlock"):
                    said = list(pool.map(lambda name: attempt(platform, verb, name), SHELLS))  # noqa: B023  pylint: disable=cell-var-from-loop
                    tries += len(said)
                    failed += filter(None, said)
    finally:
        for sshd in servers.values():
            sshd.close()
        shutil.rmtree(folder, ignore_errors=True)
    print(f"{tries} tries, {len(failed)} of them came through")
    sys.exit("\n".join(failed) if failed else 0)


main()
