# SPDX-License-Identifier: Apache-2.0
"""A document in a folder, and fabric run there."""
import pathlib
import subprocess
import tempfile

from machines import PORT0, STACKS, binary, control, host_key, reboot, run


class Repository:
    """A document in a folder, and fabric in that folder."""

    def __init__(self, networks, nodes=tuple(STACKS), adapter="", node_keys="",
                 rollout="confirm_timeout: 60s, reboot_timeout: 400s, max_unavailable: 4"):
        control("load", "clean")
        self.folder = tempfile.TemporaryDirectory()
        self.path = pathlib.Path(self.folder.name)
        self.nodes, self.adapter, self.node_keys, self.rollout = nodes, adapter, node_keys, rollout
        self.write(networks)

    def write(self, networks):
        lines = ["apiVersion: fabric/v1", "name: vm", f"rollout: {{{self.rollout}}}", "nodes:"]
        for node in self.nodes:
            number = int(node[1:])
            lines += [f"  {node}:", "    address: 127.0.0.1",
                      f"    ssh: {{user: root, port: {PORT0 + number}, identity_file: {run.parent}/id_lab, host_key: \"{host_key(node)}\"}}",
                      f"    adapters: {{cx5: {{model: connectx-5-vpi{self.adapter}}}}}"] + [f"    {self.node_keys}"] * bool(self.node_keys)
        (self.path / "fabric.yaml").write_text("\n".join(lines) + "\nnetworks:\n" + networks)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.folder.cleanup()

    def fabric(self, *arguments, expect):
        done = subprocess.run([binary, "--timeout", "120s", *arguments], cwd=self.path, stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, timeout=1800)
        assert done.returncode == expect, (
            f"fabric {' '.join(arguments)}: exit {done.returncode}, expected {expect}\n{done.stdout}\n{done.stderr}")
        return done.stdout + done.stderr

    def converges(self):
        self.fabric("apply", "--auto-approve", expect=0)
        self.fabric("plan", "--detailed-exitcode", expect=0)

    def survives_a_reboot(self):
        reboot(*self.nodes)
        self.fabric("plan", "--detailed-exitcode", expect=0)
