#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The hooks of examples/hooks against stand-ins for scontrol, squeue, kubectl, ceph, esxcli, govc and the tools of Proxmox VE.

usage: run.py SOURCE_ROOT

The stand-ins keep their state in files, print what the real ones print as far as the hooks read it, and refuse what
they do not know (exit 64), so that a hook that calls something else fails here.
"""
import os
import pathlib
import subprocess
import sys
import tempfile

HOOKS = pathlib.Path(sys.argv[1]).resolve() / "examples/hooks"

SCONTROL = r"""
case "$*" in
  "show node n1"*)
    state=IDLE; [ -e drained ] && state=IDLE+DRAIN
    line="NodeName=n1 Arch=x86_64 CoresPerSocket=8 NodeAddr=n1 State=$state ThreadsPerCore=2 BootTime=2026-11-20T10:00:00"
    [ -e drained ] && line="$line Reason=$(cat drained) [root@2026-11-22T10:00:00]"
    case "$*" in *--oneliner*) echo "$line" ;; *) echo "$line" | sed 's/ Reason/\n   Reason/' ;; esac ;;
  "update nodename=n1 state=drain reason="*) shift 3; printf %s "${*#reason=}" >drained ;;
  "update nodename=n1 state=resume")
    [ -e drained ] || { echo "slurm_update error: Invalid node state specified" >&2; exit 1; }
    rm drained ;;
  *) echo "scontrol: $*" >&2; exit 64 ;;
esac
"""
# One look more, one job fewer.
SQUEUE = r"""
[ "$*" = "--noheader --nodelist=n1 --format=%i" ] || exit 64
cat jobs 2>/dev/null || exit 0
sed -i 1d jobs
"""
KUBECTL = r"""
case "$*" in
  "get node n1 -o jsonpath={.spec.unschedulable}") [ ! -e cordoned ] || printf true ;;
  'get node n1 -o jsonpath={.metadata.annotations.fabric\.drained}') [ ! -e annotated ] || printf true ;;
  "annotate --overwrite node n1 fabric.drained=true") touch annotated; echo "node/n1 annotated" ;;
  "annotate node n1 fabric.drained-") rm annotated; echo "node/n1 annotated" ;;
  "drain n1 --ignore-daemonsets --delete-emptydir-data --timeout 9m")
    touch cordoned; echo "node/n1 cordoned"
    if [ -e budget ]; then
      echo "error when evicting pods/\"db-0\" -n \"a\": Cannot evict pod as it would violate the pod's disruption budget." >&2
      echo "error: unable to drain node \"n1\" due to error: drain did not complete within 9m0s" >&2; exit 1
    fi
    echo "node/n1 drained" ;;
  "uncordon n1") rm cordoned; echo "node/n1 uncordoned" ;;
  *) echo "kubectl: $*" >&2; exit 64 ;;
esac
"""
CEPH = r"""
case "$*" in
  "pg stat")
    if [ -s degraded ]; then
      echo "129 pgs: 3 active+undersized+degraded, 126 active+clean; 1.2 TiB data, 3.5 TiB used, 10 TiB / 13 TiB avail; 12/399 objects degraded (3.008%)"
      sed -i 1d degraded
    else
      echo "129 pgs: 1 active+clean+scrubbing, 128 active+clean; 1.2 TiB data, 3.5 TiB used, 10 TiB / 13 TiB avail; 2.0 KiB/s rd, 1 op/s"
    fi ;;
  "osd dump --format json")
    flags=; [ -e noout ] && flags='"n1":["noout"]'
    echo '{"epoch":7,"crush_node_flags":{'"$flags"'},"device_class_flags":{}}' ;;
  "osd set-group noout n1") touch noout ;;
  "osd unset-group noout n1") rm -f noout ;;
  *) echo "ceph: $*" >&2; exit 64 ;;
esac
"""
# A guest stands in a file of its node: "qm 101". HA moves one of its guests with each look at it.
PVE = r"""
node=$1; shift
touch "guests.$node"
case "$*" in
  "pvecm status")
    printf 'Quorum information\n------------------\nNodes:            3\nQuorate:          Yes\n\nVotequorum information\n----------------------\n'
    printf 'Expected votes:   3\nHighest expected: 3\nTotal votes:      %s\nQuorum:           2  \nFlags:            Quorate \n' "$(cat votes)" ;;
  "pvecm nodes")
    printf '\nMembership information\n----------------------\n    Nodeid      Votes Name\n'
    printf '         1          1 n1 (local)\n         2          1 n2\n         3          1 n3\n' ;;
  "qm list")
    printf '      VMID NAME                 STATUS     MEM(MB)    BOOTDISK(GB) PID       \n'
    printf '       900 template             stopped    512                2.00 0         \n'
    sed -n 's/^qm \(.*\)/       \1 guest                running    2048              32.00 4711      /p' "guests.$node" ;;
  "pct list")
    [ -s "guests.$node" ] || exit 0
    printf 'VMID       Status     Lock         Name                \n'
    sed -n 's/^ct \(.*\)/\1        running                 box                 /p' "guests.$node" ;;
  "ha-manager status")
    echo "quorum OK"; echo "master n2 (active, Mon Nov 23 10:00:00 2026)"
    while read -r number; do echo "service vm:$number (n1, started)"; done <ha
    if [ -e maintenance ] && [ -s ha ]; then sed -i "/^qm $(head -n 1 ha)\$/d" "guests.$node"; fi ;;
  "ha-manager crm-command node-maintenance enable n1") touch maintenance ;;
  "ha-manager crm-command node-maintenance disable n1") rm maintenance ;;
  "qm migrate "*" n"[123]" --online" | "pct migrate "*" n"[123]" --restart")
    [ "$1" = qm ] && kind=qm || kind=ct
    grep -qx "$kind $3" "guests.$node" || { echo "no such guest here" >&2; exit 2; }
    [ ! -e stuck ] || { echo "can't migrate: local disk" >&2; exit 255; }
    sed -i "/^$kind $3\$/d" "guests.$node"; echo "$kind $3" >>"guests.$4"; echo "migration finished" ;;
  *) echo "pve: $*" >&2; exit 64 ;;
esac
"""
ESXCLI = r"""
[ "$1" = n1 ] || exit 64; shift
case "$*" in
  "system maintenanceMode get") [ -e maintenance ] && echo Enabled || echo Disabled ;;
  "system maintenanceMode set --enable true --timeout 540") [ -e lies ] || touch maintenance ;;
  "system maintenanceMode set --enable false --timeout 540")
    [ -e maintenance ] || { echo "Maintenance mode is already disabled."; exit 1; }
    rm maintenance ;;
  *) echo "esxcli: $*" >&2; exit 64 ;;
esac
"""
GOVC = r"""
path=/dc/host/cluster/n1.example.net
case "$*" in
  "find / -type h -name n1.example.net") echo "$path"; [ ! -e twice ] || echo "/dc2/host/n1.example.net" ;;
  "find / -type h -name n1") ;;
  "object.collect -s $path runtime.inMaintenanceMode") [ -e maintenance ] && echo true || echo false ;;
  "host.maintenance.enter -timeout 540 $path")
    [ ! -e held ] || { echo "govc: Operation timed out." >&2; exit 1; }
    touch maintenance; echo "[27-11-26 03:00:00] $path entering maintenance mode... OK" ;;
  "host.maintenance.exit -timeout 540 $path")
    [ -e maintenance ] || { echo "govc: The operation is not allowed in the current state." >&2; exit 1; }
    rm maintenance ;;
  *) echo "govc: $*" >&2; exit 64 ;;
esac
"""


class Stage:
    """A folder with the stand-ins' commands and state; the hook's own files go there too."""

    def __init__(self, script):
        self.script = script
        self.folder = tempfile.TemporaryDirectory()
        self.environment = {}
        self.path = pathlib.Path(self.folder.name)
        for name, text in (("scontrol", SCONTROL), ("squeue", SQUEUE), ("kubectl", KUBECTL), ("ceph", CEPH), ("esxcli", ESXCLI),
                           ("govc", GOVC), ("pve", PVE)):
            command = self.path / name
            command.write_text("#!/bin/sh\nset -eu\ncd " + str(self.path) + text)
            command.chmod(0o755)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.folder.cleanup()

    def has(self, name):
        return (self.path / name).exists()

    def put(self, name, text="x\n"):
        (self.path / name).write_text(text)

    def run(self, hook, outcome="succeeded", expect=0):
        environment = {"PATH": f"{self.path}:/usr/bin:/bin", "FABRIC_NODE": "n1", "FABRIC_HOOK": hook, "SLURM_POLL": "0",
                       "CEPH_POLL": "0", "ESXI": "esxcli %", "PVE_SSH": "pve %", "TMPDIR": str(self.path), **self.environment}
        if hook == "after":
            environment["FABRIC_OUTCOME"] = outcome
        done = subprocess.run([HOOKS / self.script, "n1"], env=environment, capture_output=True, text=True, timeout=60)
        assert done.returncode == expect, f"{self.script} {hook} {outcome}: exit {done.returncode}\n{done.stdout}{done.stderr}"
        return done.stdout + done.stderr


def slurm():
    with Stage("slurm.sh") as stage:
        stage.put("jobs", "17\n18\n")
        said = stage.run("before")
        assert "waiting for 2 jobs: 17 18" in said and "waiting for 1 jobs" in said, said
        assert stage.has("drained")
        stage.run("before")  # a run that was cut short, again
        stage.run("after", "lost")
        assert stage.has("drained")
        stage.run("after", "failed")
        assert not stage.has("drained")
        stage.put("drained", "bad DIMM")
        stage.run("before")
        stage.run("after")
        assert stage.has("drained")


def kubernetes():
    with Stage("kubernetes.sh") as stage:
        stage.put("budget")
        said = stage.run("before", expect=1)
        assert "disruption budget" in said, said
        stage.run("after", "failed")
        assert not stage.has("cordoned") and not stage.has("annotated")
        (stage.path / "budget").unlink()
        stage.run("before")
        assert stage.has("cordoned")
        stage.run("before")
        stage.run("after", "lost")
        assert stage.has("cordoned")
        stage.run("after", "unknown")
        assert not stage.has("cordoned") and not stage.has("annotated")
        stage.put("cordoned")
        stage.run("before")
        stage.run("after")
        assert stage.has("cordoned")


def proxmox_ceph():
    with Stage("proxmox-ceph.sh") as stage:
        def guests(node):
            path = stage.path / f"guests.{node}"
            return path.read_text().split("\n")[:-1] if path.exists() else []

        stage.put("votes", "3\n")
        stage.put("ha", "")
        # What is not whole is waited for by fabric, not here.
        stage.put("degraded", "1\n")
        assert "3 placement groups are not clean" in stage.run("before", expect=75)
        assert not stage.has("noout")
        stage.run("before")
        assert stage.has("noout")
        stage.put("degraded", "1\n")
        assert "3 placement groups" in stage.run("after")
        assert not stage.has("noout")
        # Without a vote to spare nobody leaves.
        stage.put("votes", "2\n")
        assert "no vote to spare" in stage.run("before", expect=75)
        stage.put("votes", "3\n")
        # Guests are moved and come back; those of HA are moved by it, one at a time here.
        stage.put("guests.n1", "qm 101\nct 102\nqm 103\nqm 104\n")
        stage.put("ha", "103\n104\n")
        said = stage.run("before", expect=75)
        assert "guests are still on n1" in said and stage.has("maintenance") and not stage.has("noout"), said
        assert guests("n2") == ["qm 101", "ct 102"], guests("n2")
        stage.put("ha", "104\n")
        assert "guests are still" not in stage.run("before")
        assert guests("n1") == [] and stage.has("noout")
        stage.run("after", "lost")
        assert stage.has("maintenance") and not stage.has("noout")
        stage.put("ha", "")
        stage.run("before")
        stage.run("after")
        assert not stage.has("maintenance") and guests("n1") == ["qm 101", "ct 102"] and guests("n2") == [], (guests("n1"), guests("n2"))
        # No longer than it may take; a guest that can't be moved is a failure and no "not yet".
        stage.environment = {"PVE_SECONDS": "0", "PVE_TARGET": "n3"}
        assert "2 guests are still on n1" in stage.run("before", expect=75)
        stage.environment = {"PVE_TARGET": "n3"}
        stage.put("stuck")
        assert "local disk" in stage.run("before", expect=1)
        (stage.path / "stuck").unlink()
        stage.run("before")
        assert guests("n3") == ["qm 101", "ct 102"]
        stage.run("after", "failed")
        assert guests("n1") == ["qm 101", "ct 102"]
        stage.put("guests.n1", "")
        stage.put("degraded", "")
        stage.put("noout")
        stage.run("before")
        stage.run("after")
        assert stage.has("noout")


def esxi():
    with Stage("esxi.sh") as stage:
        stage.put("lies")
        said = stage.run("before", expect=1)
        assert "did not enter maintenance mode" in said, said
        (stage.path / "lies").unlink()
        stage.run("before")
        assert stage.has("maintenance")
        stage.run("after", "lost")
        assert stage.has("maintenance")
        stage.run("after")
        assert not stage.has("maintenance")
        # Somebody has let it out meanwhile: nothing is left to do.
        stage.run("before")
        (stage.path / "maintenance").unlink()
        stage.run("after")
        stage.put("maintenance")
        stage.run("before")
        stage.run("after")
        assert stage.has("maintenance")


def vcenter():
    with Stage("vcenter.sh") as stage:
        assert "has no host n1: set VCENTER_HOST" in stage.run("before", expect=1)
        stage.environment = {"VCENTER_HOST": "%.example.net"}
        stage.put("twice")
        assert "several hosts" in stage.run("before", expect=1)
        (stage.path / "twice").unlink()
        # A guest that DRS can't move.
        stage.put("held")
        assert "timed out" in stage.run("before", expect=1)
        stage.run("after", "failed")
        (stage.path / "held").unlink()
        stage.run("before")
        assert stage.has("maintenance")
        stage.run("after", "lost")
        assert stage.has("maintenance")
        stage.run("after")
        assert not stage.has("maintenance")
        # Somebody has let it out meanwhile: nothing is left to do.
        stage.run("before")
        (stage.path / "maintenance").unlink()
        stage.run("after")
        stage.put("maintenance")
        stage.run("before")
        stage.run("after")
        assert stage.has("maintenance")


if __name__ == "__main__":
    for story in (slurm, kubernetes, proxmox_ceph, esxi, vcenter):
        story()
        print("ok ", story.__name__, flush=True)
    left = [script.name for script in HOOKS.glob("*.sh") if script.stem.replace("-", "_") not in globals()]
    assert not left, f"no story of {left}"
    assert all(os.access(script, os.X_OK) for script in HOOKS.glob("*.sh"))
