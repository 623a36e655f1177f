# SPDX-License-Identifier: Apache-2.0
"""What --log and -vv tell."""
import re

from lab import Lab

TIME = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"
STEP = re.compile(rf"^{TIME} (pve\d): ([^:]+): (.*): exit (\d+), \d+ bytes of output, \d+ of errors, \d+ ms$")
OTHER = re.compile(rf"^{TIME} (pve\d|run [0-9A-Za-z-]+|fabric): .*\S.*$")


def logged():
    """The log of an apply has one line for each command of the plan, each write and each boot; -vv shows the same on standard error alone."""
    with Lab(3) as lab:
        lab.fabric("--lab", "plan", "--out", "ring.plan", expect=0)
        plain = lab.fabric("--lab", "plan", expect=0)
        shown = lab.fabric("--lab", "-vv", "plan", expect=0)
        verbose = lab.fabric("--lab", "-v", "plan", expect=0)
        assert shown.stdout == verbose.stdout and plain.stdout, shown.stdout
        lines = [line for line in shown.stderr.splitlines() if STEP.match(line)]
        assert [STEP.match(line).group(1, 2) for line in sorted(lines, key=lambda line: line.split()[1])] == [
            (f"pve{number}", "discovering") for number in (1, 2, 3)], shown.stderr
        assert not any(STEP.match(line) for line in plain.stderr.splitlines() + verbose.stderr.splitlines())

        commands = lab.fabric("show", "ring.plan", "--format", "commands", expect=0).stdout
        lab.fabric("--lab", "--log", "fabric.log", "apply", "ring.plan", expect=0)
        path = lab.path / "fabric.log"
        assert path.stat().st_mode & 0o777 == 0o600, oct(path.stat().st_mode)
        text = path.read_text()
        for line in text.splitlines():
            assert STEP.match(line) or OTHER.match(line), line
        steps = [STEP.match(line) for line in text.splitlines() if STEP.match(line)]
        for number in (1, 2, 3):
            node = f"pve{number}"
            sets = [step for step in steps if step.group(1) == node and step.group(3).startswith("mstconfig ")]
            assert len(sets) == sum(1 for line in commands.splitlines() if "mstconfig" in line and " set " in line) / 3, (commands, text)
            assert sum(step.group(1) == node and "systemctl reboot" in step.group(3) for step in steps) == 1, text
            assert f"{node}: session to root@" in text, text
        phases = {step.group(2) for step in steps}
        assert {"discovering", "locking", "unlocking", "checking that the plan is fresh"} <= phases, phases
