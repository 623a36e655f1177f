# SPDX-License-Identifier: Apache-2.0
"""Switches with Onyx by JSON over HTTPS: the same plans as at the prompt, and certificates and logins that are not as they should be."""
import json
import pathlib
import re
import tempfile

from documents import example, rollout
from lab import Lab
from stories.onyx import ONE_SWITCH, SUBNET, apply, everything_boots, has_lines, shown

BY_HTTPS = ("    ssh: {user: admin}\n", "    ssh: {user: admin}\n    https: {}\n")
# The example with one of its networks.
STATIC = ONE_SWITCH.replace("leaf1: {platform: mlnx-os,", "leaf1: {platform: mlnx-os, https: {},").replace(
    "policy: 802.3ad, port_channel: lacp", "policy: balance-xor, port_channel: static")


def roce_lag_over_https():
    """The example in its three modes, its switch asked and set up over HTTPS: the same lines run and are saved as at the prompt, nobody types anything, and all of it is there after everything has booted."""
    with Lab(document=example("roce-lag", BY_HTTPS)) as lab:
        by_https = lab.fabric("--lab", "plan", "--allow-no-rollback", "leaf1", expect=0).stdout
        apply(lab, "--log", "apply.log")
        log = (lab.path / "apply.log").read_text()
        assert "session to https://admin@127." in log and "session to admin@" not in log, log
        lab.plan_is_empty()
        lab.fabric("--lab", "verify", expect=0)
        # Nobody has been at its prompt yet, where the first is asked whether to use the wizard.
        lab.at_prompt("leaf1", "no", "exit")
        lines = ("lacp", "interface port-channel 5", "interface ethernet 1/6 channel-group 5 mode on",
                 "interface ethernet 1/10 channel-group 9 mode active", "interface ethernet 1/11 channel-group 11 mode active")
        has_lines(shown(lab, "show running-config"), *lines)
        has_lines(shown(lab, "show configuration"), *lines)
        for node in ("s1", "s3", "s5"):
            assert lab.ssh(node, "ls /sys/class/infiniband").stdout == "mlx5_bond_0\n", node
        everything_boots(lab, "s1", "s3", "s5", "s6")
        lab.plan_is_empty()
        lab.fabric("--lab", "verify", expect=0)
        lab.fabric("lab", "recable", "s5/cx4/1", "leaf1/1/30", expect=0)
        lab.fabric("lab", "recable", "s5/cx4/2", "leaf1/1/31", expect=0)
        lab.verify_says("bond-not-aggregated", "partner MAC", "s5")
    # Whoever agrees to a plan need not know by which way it is done.
    with Lab(document=example("roce-lag")) as lab:
        at_prompt = lab.fabric("--lab", "plan", "--allow-no-rollback", "leaf1", expect=0).stdout
    assert changes_of(by_https) == changes_of(at_prompt), (by_https, at_prompt)


def changes_of(plan):
    """Without the places in the document, one of which is a line longer."""
    return re.sub(r" *fabric.yaml:\d+", "", plan)


def onyx_refuses_over_https():
    """A line that the switch refuses over HTTPS is answered with status ERROR: the action fails with the switch's words, and nothing of it is saved."""
    lie = "hosts:\n  leaf1:\n    files:\n      initial: |\n        lldp\n        interface ethernet 1/2 speed 10G force\n"
    with Lab(document=STATIC, lab_yaml=lie) as lab:
        before = shown(lab, "show configuration")
        done = apply(lab, expect=10)
        said = " ".join((done.stdout + done.stderr).split())
        assert "% Speed of Eth1/2 does not match the port-channel" in said, said
        assert shown(lab, "show configuration") == before


def https_lies():
    """A switch whose login is refused, whose answers are garbage or never end is one node that is not reached, and the hosts behind it are."""
    for lie, words in (("login-refused", "login: Invalid username or password"), ("garbage", "its answer is no JSON"), ("endless", "exceeds")):
        with Lab(document=STATIC, lab_yaml=f"hosts: {{leaf1: {{https: {lie}}}}}\n") as lab:
            lab.fabric("--lab", "discover", "--save", "facts", expect=4)
            why = json.loads((lab.path / "facts/leaf1.json").read_text())["failure"]
            assert words in str(why), (lie, why)
            assert not json.loads((lab.path / "facts/s1.json").read_text()).get("failure"), lie


def certificates_of_switches():
    """A certificate that nobody pinned is refused with the line that accepts it; with that line it is accepted, also when it has expired; one that changed is refused like a changed host key. No password is written anywhere."""
    with Lab(document=STATIC, lab_yaml="hosts: {leaf1: {https: expired}}\n") as lab, tempfile.TemporaryDirectory() as outside:
        info = json.loads((lab.path / ".fabric/lab/lab.json").read_text())
        web, address = info["web"]["leaf1"], info["addresses"]["leaf1"]
        password = pathlib.Path(info["web_password_file"]).read_text()
        assert pathlib.Path(info["web_password_file"]).stat().st_mode & 0o777 == 0o600
        credentials = pathlib.Path(outside) / "credentials.yaml"
        credentials.write_text(f"leaf1: {{password: {password}}}\n")
        credentials.chmod(0o600)
        document = lab.path / "fabric.yaml"

        def discover(https, expect):
            document.write_text(
                "apiVersion: fabric/v1\nname: one\nnodes:\n"
                f"  leaf1: {{platform: mlnx-os, address: {address}, ssh: {{user: admin}}, https: {{port: {web['port']}{https}}}}}\n")
            done = lab.fabric("-vv", "--credentials", str(credentials), "discover", "--save", "facts", expect=expect)
            assert password not in done.stdout + done.stderr
            facts = (lab.path / "facts/leaf1.json").read_text()
            assert password not in facts
            return json.loads(facts)

        why = str(discover("", 4)["failure"])
        accepts = f"https: {{certificate: \"{web['certificate']}\"}}"
        assert "is pinned nowhere" in why and accepts in why.replace("\\", ""), why
        pinned = f", certificate: \"{web['certificate']}\""
        assert discover(pinned, 0)["identity"]["host_key"] == web["certificate"]
        changed = web["certificate"][:-1] + ("0" if web["certificate"][-1] != "0" else "1")
        why = str(discover(f", certificate: \"{changed}\"", 4)["failure"])
        assert "is not the one that https.certificate pins" in why and "somebody stands in between" in why, why
        credentials.write_text(f"leaf1: {{password: {password}-wrong}}\n")
        assert "Invalid username or password" in str(discover(pinned, 4)["failure"])
        document.write_text(STATIC)


def switch_counts_for_the_hosts_behind_it():
    """A port of the switch that changes counts for the host behind it, and a restart of its subnet manager for all of them: in the waves, and in what the plan says of the traffic."""
    def planned(lab):
        lab.fabric("--lab", "plan", "--allow-no-rollback", "leaf1", "--out", "made.plan", expect=0)
        plan = json.loads((lab.path / "made.plan").read_text())
        return plan["impact"].get("behind_switches", []), [wave["nodes"] for wave in plan["waves"]], plan["waves"][0]["why"]

    document = rollout(STATIC, "max_unavailable: 3").replace(
        "  leaf1:", "  s3: {adapters: {cx5: {model: connectx-5-en}}}\n  leaf1:").replace(
        "networks:\n", "networks:\n  apart: {mode: ethernet, cables: [[s3/1, leaf1/1/9]]}\n")
    with Lab(document=document) as lab:
        behind, waves, why = planned(lab)
        assert behind == ["s1", "s2"] and waves[0] == ["leaf1"], (behind, waves, why)
    subnet = SUBNET.replace("subnet_manager: {virtualization: true}", "subnet_manager: {virtualization: false}")
    with Lab(document=rollout(subnet, "max_unavailable: 2")) as lab:
        apply(lab)
        lab.plan_is_empty()
        document = lab.path / "fabric.yaml"
        document.write_text(document.read_text().replace("virtualization: false", "virtualization: true"))
        behind, waves, why = planned(lab)
        assert behind == ["s1", "s2", "s3"] and waves[0] == ["leaf1"], (behind, waves, why)
        said = " ".join(lab.fabric("--lab", "plan", "--allow-no-rollback", "leaf1", expect=0).stdout.split())
        assert "interrupts s[1-3] by their switches" in said, said
