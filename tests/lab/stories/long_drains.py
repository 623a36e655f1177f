# SPDX-License-Identifier: Apache-2.0
"""Hooks that say "not yet", and runs that pause to be looked at."""
import json
import subprocess

from documents import rollout
from lab import PATIENCE, RING, Lab, binary, until

# A node is drained when its file says so.
DRAIN = """\
hooks:
  before_disruption: echo "$1 before" >>hooks.log; test -e ready-$1 || { echo "3 guests are still on $1"; exit 75; }
  after_disruption: echo "$1 after $FABRIC_OUTCOME" >>hooks.log
"""


def document(keys):
    return rollout(RING % (3, 3), keys) + DRAIN


def log(lab):
    path = lab.path / "hooks.log"
    said = path.read_text().splitlines() if path.exists() else []
    path.unlink(missing_ok=True)
    return said


def once(lines):
    return [line for number, line in enumerate(lines) if not number or lines[number - 1] != line]


def runs_of(lab):
    return sorted((lab.path / ".fabric/runs").iterdir())


def journal(run):
    return [json.loads(line) for line in (run / "journal.jsonl").read_text().splitlines()]


def put_off():
    """A node whose guests are still moving goes behind the others; it is asked again and done when they are gone."""
    with Lab(document=document("patience: 1h")) as lab:
        for node in ("pve2", "pve3"):
            (lab.path / f"ready-{node}").touch()
        running = subprocess.Popen([binary, "--lab", "apply", "--auto-approve"], cwd=lab.path, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        released = lab.path / "hooks.log"
        until("the others are not done meanwhile", lambda: released.exists() and "pve3 after succeeded" in released.read_text(), running)
        (lab.path / "ready-pve1").touch()
        said = running.communicate(timeout=PATIENCE)[0]
        assert running.returncode == 0, said
        assert "3 guests are still on pve1" in said, said
        happened = once(log(lab))
        assert happened[0] == "pve1 before" and happened[-2:] == ["pve1 before", "pve1 after succeeded"], happened
        assert happened.index("pve2 after succeeded") < happened.index("pve3 after succeeded") < len(happened) - 1, happened
        lab.monitor_is_clean(reboots=3)
        lab.plan_is_empty()
        assert [event for event in journal(runs_of(lab)[0]) if event["event"] == "action_put_off"]


def out_of_patience():
    """Nobody waits for ever: when rollout.patience is over the node has failed, and is released."""
    with Lab(document=document("patience: 2s, max_failures: 1")) as lab:
        for node in ("pve2", "pve3"):
            (lab.path / f"ready-{node}").touch()
        said = lab.apply(expect=10).stdout
        said = " ".join(said.split())
        assert "exit 75: 3 guests are still on pve1: rollout.patience (2.0 s) is over" in said, said
        assert once(log(lab))[-1] == "pve1 after failed"
        lab.monitor_is_clean(reboots=2)


def put_off_and_resumed():
    """A run that is interrupted while a node is put off: resumed it begins with the others and goes on counting."""
    with Lab(document=document("patience: 1h")) as lab:
        (lab.path / "ready-pve2").touch()
        running = subprocess.Popen([binary, "--lab", "apply", "--auto-approve"], cwd=lab.path, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        asked = lab.path / "hooks.log"
        until("pve3 has no turn", lambda: asked.exists() and "pve3 before" in asked.read_text(), running)
        running.kill()
        running.wait()
        first = runs_of(lab)[0]
        waited = [event["waited_ms"] for event in journal(first) if event["event"] == "action_put_off" and event["node"] == "pve1"]
        log(lab)
        for node in ("pve1", "pve3"):
            (lab.path / f"ready-{node}").touch()
        lab.fabric("--lab", "apply", "--resume", first.name, expect=0)
        happened = once(log(lab))
        # pve2 is not drained once more, for all of it was done. Nothing but the journal says that it was given back.
        assert happened.count("pve2 after succeeded") == 1, happened
        happened.remove("pve2 after succeeded")
        assert happened == ["pve1 before", "pve1 after succeeded", "pve3 before", "pve3 after succeeded"] or \
            happened == ["pve3 before", "pve3 after succeeded", "pve1 before", "pve1 after succeeded"], (happened, waited)
        lab.monitor_is_clean(reboots=3)
        lab.plan_is_empty()


def journal_is_no_proof():
    """A journal that says "done" for all: a resumed run looks at the nodes, does what is not there, and gives back who is drained."""
    with Lab(document=document("patience: 1h")) as lab:
        for node in ("pve1", "pve2", "pve3"):
            (lab.path / f"ready-{node}").touch()
        running = subprocess.Popen([binary, "--lab", "apply", "--auto-approve"], cwd=lab.path, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        asked = lab.path / "hooks.log"
        until("nobody is drained", lambda: asked.exists() and "before" in asked.read_text(), running)
        running.kill()
        running.wait()
        drained = log(lab)[-1].split()[0]
        run = runs_of(lab)[0]
        events = journal(run)
        plan = json.loads((run / "plan.json").read_text())
        forged = [{"event": kind, "id": action["id"], "node": action["node"], "state": "done", "took_ms": 1, "time": events[-1]["time"]}
                  for action in plan["actions"] for kind in ("action_started", "action_ended")]
        (run / "journal.jsonl").write_text("".join(json.dumps(event) + "\n" for event in events[:1] + forged))
        lab.fabric("--lab", "apply", "--resume", run.name, expect=0)
        happened = log(lab)
        for node in ("pve1", "pve2", "pve3"):
            assert f"{node} after succeeded" in happened, (node, happened)
        assert f"{drained} after succeeded" in happened, (drained, happened)
        lab.monitor_is_clean(reboots=3)
        lab.plan_is_empty()


def paused_after_waves():
    """--pause-after wave: exit 8 after each wave, and --resume does the next one."""
    with Lab() as lab:
        said = lab.fabric("--lab", "apply", "--auto-approve", "--pause-after", "wave", expect=8).stdout
        run = runs_of(lab)[-1].name
        assert f"fabric --lab apply --resume {run} --pause-after wave" in said and "the run paused" in said, said
        lab.monitor_is_clean(reboots=1)
        said = lab.fabric("--lab", "apply", "--resume", run, "--pause-after", "wave", expect=8).stdout
        lab.monitor_is_clean(reboots=2)
        # Without it the rest is done at once.
        lab.fabric("--lab", "apply", "--resume", runs_of(lab)[-1].name, expect=0)
        lab.monitor_is_clean(reboots=3)
        lab.plan_is_empty()


def paused_after_canaries():
    """--pause-after canary: the canary alone is done; the rest is another command. Hooks are not run twice for what is done."""
    with Lab(document=document("canary: [pve2]")) as lab:
        for node in ("pve1", "pve2", "pve3"):
            (lab.path / f"ready-{node}").touch()
        lab.fabric("--lab", "apply", "--auto-approve", "--pause-after", "canary", expect=8)
        assert log(lab) == ["pve2 before", "pve2 after succeeded"]
        lab.monitor_is_clean(reboots=1)
        lab.fabric("--lab", "apply", "--resume", runs_of(lab)[-1].name, "--pause-after", "canary", expect=0)
        assert log(lab) == [f"{node} {what}" for node in ("pve1", "pve3") for what in ("before", "after succeeded")]
        lab.plan_is_empty()
    with Lab() as lab:
        done = lab.fabric("--lab", "apply", "--auto-approve", "--pause-after", "canary", expect=3)
        assert "the document names no canaries" in done.stderr, done.stderr
        lab.monitor_is_clean(reboots=0)
