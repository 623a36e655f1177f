# SPDX-License-Identifier: Apache-2.0
"""NVIDIA's own mstconfig, of one release of Debian, on cards that are not there."""
import os
import pathlib
import re
import shutil
import subprocess

import cards

HERE = pathlib.Path(__file__).resolve().parent
DEVICE = "/dev/fwctl/fwctl0"


class Skipped(Exception):
    """Its text says what is missing here."""


class Tool:
    def __init__(self, suite, folder):
        """Unpacks it into the folder if it is not there yet."""
        done = subprocess.run([HERE / "unpack.sh", suite, folder], capture_output=True, text=True, check=False)
        if done.returncode == 77:
            raise Skipped(done.stdout.strip())
        assert done.returncode == 0, done.stdout + done.stderr
        compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
        if compiler is None:
            raise Skipped("skipped: no C compiler here")
        self.suite, self.root = suite, pathlib.Path(folder, "root").resolve()
        subprocess.run([compiler, "-O1", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-o", self.root / "card.so", HERE / "card.c", "-ldl"],
                       check=True)
        (self.root / "cards").mkdir(exist_ok=True)
        self.database = cards.Database(self.root / "usr/share/mstflint/mlxconfig_dbs/mlxconfig_host.db")
        self.version = re.search(r"mstflint (\d+\.\d+)", self.run(None, "mstconfig", "-v").stdout)[1]

    def path_of(self, card):
        return self.root / "cards" / card

    def run(self, card, program, *arguments):
        """The loader of the root loads the card before the program; a user without rights gets a name space of its own."""
        root = ["unshare", "--map-root-user", "chroot", self.root] if os.getuid() else ["chroot", self.root]
        return subprocess.run(
            [*root, "/lib64/ld-linux-x86-64.so.2", "--preload", "/card.so", "--argv0", program, f"/usr/bin/{program}", *arguments],
            env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "FABRIC_CARD": f"/cards/{card}", "FABRIC_CARD_LOG": f"/cards/{card}.log"},
            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60, check=False)

    def as_sent(self, card, argv, address):
        """A command line as a plan has it. The card is asked by its PCI address there, and here by the name of the door; that of the
        answer is put back."""
        done = self.run(card, *(DEVICE if word == address else word for word in argv))
        done.stdout = done.stdout.replace(f"{DEVICE:<20}", f"{address:<20}").replace(DEVICE, address)
        return done
