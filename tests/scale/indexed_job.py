#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The Kubernetes Job of examples/scale, read and run without Kubernetes.

usage: indexed_job.py SOURCE_ROOT                    its fields agree, and copies in which they differ are told
       indexed_job.py FABRIC_BINARY SOURCE_ROOT      its command, run for each index against the lab, plans as one discovery does
"""
import copy
import os
import pathlib
import re
import subprocess
import sys

try:
    import yaml
except ImportError:
    print("skipped: python3-yaml is missing")
    sys.exit(77)

FILE = pathlib.Path(sys.argv[-1]).resolve() / "examples/scale/discover-job.yaml"


def container(job):
    return job["spec"]["template"]["spec"]["containers"][0]


def volume(job, name):
    return next(each for each in job["spec"]["template"]["spec"]["volumes"] if each["name"] == name)


def problems(job):
    """What of the Job does not fit the rest of it."""
    spec, pod, main = job["spec"], job["spec"]["template"]["spec"], container(job)
    script = main["command"][-1]
    shard = re.search(r'--shard "\$\(\(JOB_COMPLETION_INDEX \+ 1\)\)/(\d+)"', script)
    mounts = {mount["mountPath"]: mount for mount in main["volumeMounts"]}
    volumes = {volume["name"]: volume for volume in pod["volumes"]}
    environment = {variable["name"]: variable.get("value") for variable in main["env"]}

    def kind_at(path):
        return set(volumes[mounts[path]["name"]]) - {"name"} if path in mounts else None

    held = {
        "it is a Job": (job["apiVersion"], job["kind"]) == ("batch/v1", "Job"),
        "its Pods have an index": spec.get("completionMode") == "Indexed",
        "the shard is the index and one": shard is not None,
        "there are as many Pods as shards": shard is not None and spec.get("completions") == int(shard[1]),
        "all of them run at once": spec.get("parallelism") == spec.get("completions"),
        # The API takes no limit for each index without this.
        "a Pod that failed ends no other": spec.get("backoffLimitPerIndex") == 0 and pod.get("restartPolicy") == "Never",
        "the document is a ConfigMap": kind_at(main.get("workingDir")) == {"configMap"},
        "the keys are a Secret, in the home": kind_at(environment["HOME"] + "/.ssh") == {"secret"},
        "the facts of a run have a folder": '--save "$FACTS"' in script and environment["FACTS"] == "/facts/$(JOB)",
        "the facts go to a shared volume": kind_at("/facts") == {"persistentVolumeClaim"},
        "all that is mounted is a volume": {mount["name"] for mount in mounts.values()} == set(volumes),
        "nothing but the facts is written": all(mount.get("readOnly") for path, mount in mounts.items() if path != "/facts"),
    }
    return [what for what, so in held.items() if not so]


def fields():
    documents = list(yaml.safe_load_all(FILE.read_text()))
    assert len(documents) == 1, f"{len(documents)} documents"
    assert not problems(documents[0]), f"{FILE.name}: not so: {problems(documents[0])}"

    def changed(change):
        job = copy.deepcopy(documents[0])
        change(job)
        return problems(job)

    def shards(job, number):
        command = container(job)["command"]
        command[-1] = re.sub(r"\)\)/\d+", f"))/{number}", command[-1])

    for what, change in (("there are as many Pods as shards", lambda job: job["spec"].update(completions=7)),
                         ("there are as many Pods as shards", lambda job: shards(job, 9)),
                         ("its Pods have an index", lambda job: job["spec"].pop("completionMode")),
                         ("it is a Job", lambda job: job.update(kind="CronJob")),
                         ("the facts go to a shared volume", lambda job: volume(job, "facts").update(emptyDir={}))):
        assert what in changed(change), f"a Job that differs in this passes: {what}"


def commands():
    """Each Pod's command in the folder of a lab: what the kubelet sets is set here, paths of the Pod are those of the lab."""
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lab"))
    from lab import Lab, binary  # pylint: disable=import-outside-toplevel  it reads the arguments of this script

    job = yaml.safe_load(FILE.read_text())
    number = job["spec"]["completions"]
    with Lab(nodes=number + 1) as lab:
        (lab.path / "commands").mkdir()
        (lab.path / "commands/fabric").symlink_to(binary)
        environment = {**os.environ, "PATH": f"{lab.path}/commands:{os.environ['PATH']}", "FABRIC_OPTIONS": "--lab",
                       "FACTS": str(lab.path / "union")}
        pods = [subprocess.Popen(container(job)["command"], cwd=lab.path, env={**environment, "JOB_COMPLETION_INDEX": str(index)},
                                 stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
                for index in range(number)]
        for index, pod in enumerate(pods):
            said, _ = pod.communicate(timeout=300)
            assert pod.returncode == 0, f"index {index}: exit {pod.returncode}\n{said}"
        lab.fabric("--lab", "discover", "--save", "whole", expect=0)
        for facts in ("whole", "union"):
            lab.fabric("--facts", facts, "plan", "--out", f"{facts}.json", expect=0)
        whole, union = ((lab.path / f"{facts}.json").read_bytes() for facts in ("whole", "union"))
        assert b"HOST_CHAINING_MODE" in whole, "a plan that has nothing to do proves nothing"
        assert whole == union, "the plans differ"
        print(f"{number} Pods discovered, and the plan is that of one machine")


fields()
if len(sys.argv) > 2:
    commands()
