#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""usage: into_machines.py SUITE RUN_FOLDER

Puts the real mstconfig of that release of Debian into each virtual machine of the folder (tests/vm/up.sh made it), in place of the
one in pretence, with a ConnectX-5 as the factory has it. Each boot of the machine is a boot of the card.
"""
import os
import pathlib
import shlex
import subprocess
import sys
import tarfile
import tempfile

import cards
from tool import Skipped, Tool

PARAMETERS = {"LINK_TYPE_P1": 1, "LINK_TYPE_P2": 1, "SRIOV_EN": 0, "NUM_OF_VFS": 0, "HOST_CHAINING_MODE": 0, "KEEP_ETH_LINK_UP_P1": 1,
              "KEEP_ETH_LINK_UP_P2": 1, "ADVANCED_PCI_SETTINGS": 0, "LLDP_NB_RX_MODE_P1": 0, "LLDP_NB_RX_MODE_P2": 0}
# All that the program opens: without Python and the tables of other programs it is a quarter.
NEEDED = ("usr/bin/mstconfig", "usr/lib/x86_64-linux-gnu", "usr/lib64", "usr/share/mstflint/mlxconfig_dbs")
HOME = "usr/lib/vmlab/tool"
# The card is asked by its PCI address; the door has another name.
COMMAND = f"""\
#!/bin/sh
for word; do
  shift
  case $word in 0000:00:10.? | 00:10.?) word=/dev/fwctl/fwctl0 ;; esac
  set -- "$@" "$word"
done
FABRIC_CARD=/card exec chroot /{HOME} /lib64/ld-linux-x86-64.so.2 --preload /card.so --argv0 mstconfig /usr/bin/mstconfig "$@"
"""
BOOT = f"[Service]\nExecStartPost=sed -i -E 's/^(item( [^ ]+){{4}}) [^ ]+ ([^ ]+)$/\\1 \\3 \\3/' /{HOME}/card\n"


def add(archive, name, text, mode):
    with tempfile.NamedTemporaryFile("w") as file:
        file.write(text)
        file.flush()
        os.chmod(file.name, mode)
        archive.add(file.name, name)


def pack(tool, archive):
    card = cards.Card(tool.database, "ConnectX5", 2, "MCX556A-ECA_Ax", "ConnectX-5 VPI adapter card that is not there")
    for name, value in PARAMETERS.items():
        card.add(name, value, value, value)
    card.complete()
    card.can("nv_global_pci_cap.max_vfs_per_pf", 127)
    add(archive, f"{HOME}/card", card.text(), 0o644)
    add(archive, "usr/bin/mstconfig", COMMAND, 0o755)
    add(archive, "etc/systemd/system/vmlab-card.service.d/real.conf", BOOT, 0o644)
    for name in ("card.so", "lib", "lib64", *NEEDED):
        archive.add(tool.root / name, f"{HOME}/{name}", filter=lambda each: None if "python" in each.name else each)


def main():
    suite, run = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()
    try:
        tool = Tool(suite, pathlib.Path(os.environ.get("REAL_TOOLS_DIR", "/tmp/real-tools"), suite))
    except Skipped as why:
        sys.exit(str(why))
    with tempfile.TemporaryFile() as packed:
        with tarfile.open(fileobj=packed, mode="w:gz", compresslevel=1) as archive:
            pack(tool, archive)
        machines = sorted(path.name for path in run.glob("n[0-9]") if path.is_dir())
        for machine in machines:
            packed.seek(0)
            ask = shlex.join(["mstconfig", "-d", "0000:00:10.0", "-e", "q", "HOST_CHAINING_MODE"])
            done = subprocess.run(["ssh", "-F", run / "ssh_config", machine, f"tar -xzf - -C / --keep-directory-symlink --no-same-owner && sync && {ask}"],
                                  stdin=packed, capture_output=True, text=True, timeout=600, check=False)
            assert done.returncode == 0 and "DISABLED(0)" in done.stdout, f"{machine}: {done.stdout}{done.stderr}"
    print(f"mstconfig {tool.version} is in {' '.join(machines)}")


if __name__ == "__main__":
    main()
