#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Managed switches with cabled ports, of each platform in each mode: cabled_switches.py FABRIC_SERVED

Nobody answers (an empty folder of facts). Whatever a document asks of a switch is planned, or refused in words that name it:
the program never aborts.
"""
import os
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from served import Served  # noqa: E402  pylint: disable=wrong-import-position

fabric = Served(os.path.abspath(sys.argv[1]), os.environ)
HOSTS = "  n[1-2]: {adapters: {hca: {model: connectx-5-vpi}}}\n"
NETWORKS = {
    "ethernet": "    mode: ethernet\n    ipv4: {subnet: 10.30.0.0/24}\n    cables: [[n1/hca/1, sw1/%s], [n2/hca/1, sw1/%s]]\n",
    "lag": "    mode: lag\n    lag: {policy: 802.3ad}\n    ipv4: {subnet: 10.30.0.0/24}\n"
           "    cables: [[n1/hca/1, sw1/%s], [n1/hca/2, sw1/%s]]\n",
    "infiniband": "    mode: infiniband\n    subnet_managers: [{node: sw1}]\n    cables: [[n1/hca/1, sw1/%s], [n2/hca/1, sw1/%s]]\n",
    "chain": "    mode: chain\n    ipv4: {subnet: 10.30.0.0/24}\n    cables: [[n1/hca/1, sw1/%s], [n2/hca/1, sw1/%s]]\n",
}
PORTS = {"mlnx-os": ("1", "1/2"), "cumulus": ("swp1", "swp2"), "nvos": ("sw1p1", "sw1p2"), "unmanaged": ("1", "2")}
# What no switch of the platform can do is refused when the document is read, where the switch is to be changed.
REFUSED = {("ethernet", "nvos"), ("lag", "nvos"), ("infiniband", "cumulus")}
# What a rule is against besides: no switch is part of a chain, and one that nobody manages runs no subnet manager.
INVALID = {("chain", platform) for platform in PORTS} | {("infiniband", "unmanaged")}
failed = []


def run(folder, *arguments):
    done = fabric.run(arguments, folder, os.environ)
    return done.returncode, (done.stdout + done.stderr).decode()


def judge(folder, mode, platform, more):
    what = f"{mode} at {platform}{' with ' + more.strip() if more else ''}"
    (folder / "fabric.yaml").write_text(
        f"apiVersion: fabric/v1\nname: case\nnodes:\n{HOSTS}  sw1: {{platform: {platform}{more}}}\n"
        f"networks:\n  net:\n{NETWORKS[mode] % PORTS[platform]}")
    code, said = run(folder, "validate", "fabric.yaml")
    refused = (mode, platform) in REFUSED and not more
    if code != (3 if (mode, platform) in INVALID or refused else 0):
        failed.append(f"{what}: validate ends with {code}: {said[-600:]}")
    if code == 3 and "sw1" not in said:
        failed.append(f"{what}: a refusal does not name the switch: {said[-600:]}")
    planned, said = run(folder, "plan", "--facts", "facts", "fabric.yaml")
    # Nobody was reached (4), or the document is refused (3).
    if planned != (3 if code == 3 else 4):
        failed.append(f"{what}: plan ends with {planned}: {said[-600:]}")
    if refused and f"`mode: {mode}`" not in said:
        failed.append(f"{what}: a refusal does not say what is refused: {said[-600:]}")
    for bug in ("fabric: bug", "Assertion"):
        if bug in said:
            failed.append(f"{what}: {said[-600:]}")


def main():
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        (folder / "facts").mkdir()
        for mode in NETWORKS:
            for platform in PORTS:
                for more in ("", ", state: observe", ", state: absent"):
                    if platform != "unmanaged" or not more:
                        judge(folder, mode, platform, more)
    print("\n".join(failed), file=sys.stderr)
    sys.exit(1 if failed else 0)


main()
