#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The job array of examples/scale on a real Slurm of two nodes: what both discover over SSH plans the same as one machine's discovery.

usage: job_array.py FABRIC_BINARY SOURCE_ROOT
"""
import pathlib
import re
import shutil
import sys

import slurm

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lab"))
from lab import Lab, binary, root  # noqa: E402  it reads the arguments of this script

EXAMPLE = root / "examples/scale"


def documented():
    """The two commands of the README, without `sbatch` and what it prints."""
    text = (EXAMPLE / "README.md").read_text()
    array = re.search(r"^    job=\$\(sbatch --parsable (\S+)\)\n    sbatch (.*)$", text, re.M)
    assert array, "the README does not say how to submit the array and the plan"
    return array[1], array[2]


def submitted(cluster, lab):
    """The array over two shards and what depends on it."""
    array, dependent = documented()
    job = cluster.submit(lab.path, "--array=1-2", array, FABRIC_OPTIONS="--lab")
    return job, cluster.submit(lab.path, *dependent.replace("$job", job).split())


def said(lab, job):
    return "\n".join(f"{path.name}: {path.read_text()}" for path in sorted(lab.path.glob(f"*.{job}*.out")))


def story(cluster, lab):
    lab.fabric("--lab", "discover", "--save", "whole", expect=0)
    lab.fabric("--facts", "whole", "plan", "--out", "whole.json", expect=0)
    whole = (lab.path / "whole.json").read_bytes()
    assert b"HOST_CHAINING_MODE" in whole, "a plan that has nothing to do proves nothing"
    hosts = {path.name for path in (lab.path / "whole").iterdir()}
    shutil.rmtree(lab.path / "whole")  # nobody plans from these
    for file in ("discover.sbatch", "plan.sbatch"):
        shutil.copy(EXAMPLE / file, lab.path)

    discovery, planning = submitted(cluster, lab)
    ended = cluster.ended(discovery)
    assert [(state, code) for state, code, _ in ended] == [("COMPLETED", "0:0")] * 2, f"{ended}\n{said(lab, discovery)}"
    # One of them is enough where the first task has ended before the second began.
    nodes = {node for _, _, node in ended}
    assert nodes and nodes <= set(slurm.NODES), ended
    print("the tasks ran on", *sorted(nodes))
    ended = cluster.ended(planning)
    assert ended[0][:2] == ("COMPLETED", "0:0"), f"{ended}\n{said(lab, planning)}"
    facts = {path.name for path in (lab.path / f"facts.{discovery}").iterdir()}
    assert facts == hosts, facts
    assert "read 4 of 4 nodes" in said(lab, f"{discovery}_1") and "read 3 of 3 nodes" in said(lab, f"{discovery}_2"), said(lab, discovery)
    assert (lab.path / "plan.json").read_bytes() == whole, "the plans differ"

    # A host that one task does not reach: there is no plan, and none from the facts of before.
    (lab.path / "plan.json").unlink()
    lab.fabric("lab", "fault", "pve2", "refused", expect=0)
    discovery, planning = submitted(cluster, lab)
    ended = [(state, code) for state, code, _ in cluster.ended(discovery)]
    assert ended == [("COMPLETED", "0:0"), ("FAILED", "4:0")], f"{ended}\n{said(lab, discovery)}"
    assert "pve2" in said(lab, f"{discovery}_2"), said(lab, discovery)
    ended = cluster.ended(planning)
    assert ended[0][0] == "CANCELLED" and not (lab.path / "plan.json").exists(), f"{ended}\n{said(lab, planning)}"

    # Tasks that are left out are no smaller array: their shards would be read by nobody.
    left_out = cluster.ended(cluster.submit(lab.path, "--array=2", "discover.sbatch", FABRIC_OPTIONS="--lab"))
    assert left_out[0][:2] == ("FAILED", "3:0"), left_out


def main():
    slurm.need_programs()
    with Lab(nodes=7) as lab:
        # The scripts call `fabric`, whatever the program is called here.
        commands = lab.path / "commands"
        commands.mkdir()
        (commands / "fabric").symlink_to(binary)
        cluster = slurm.Cluster(lab.path / "slurm")
        cluster.environment["PATH"] = f"{commands}:{slurm.PATH}"
        with cluster:
            story(cluster, lab)
    print("two nodes of a Slurm cluster discovered, and the plan is that of one machine")


if __name__ == "__main__":
    main()
