# SPDX-License-Identifier: Apache-2.0
"""RDMA over a bond on software RoCE, whose ports lose their carrier from outside."""
import csv
import re
import socket
import subprocess
import threading
import time

from machines import STACKS, run, ssh, until
from networks import TWO_PORTS, bonded
from repository import Repository


class Carrier:
    """A port that is closed has no carrier at its other end. Cards do that; QEMU's do not, so it is done from outside."""

    def __init__(self, *nodes):
        self.ends = dict(zip(nodes, reversed(nodes)))
        self.closed, self.watchers, self.monitors = {}, [], {}

    def __enter__(self):
        for node in self.ends:
            self.monitors[node] = socket.socket(socket.AF_UNIX)
            self.monitors[node].connect(str(run / node / "hmp"))
        for node in self.ends:
            watcher = subprocess.Popen(["ssh", "-F", run / "ssh_config", "-o", "ConnectTimeout=60", node, "ip -o monitor link"],
                                       stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
            self.watchers.append(watcher)
            threading.Thread(target=self.follow, args=(node, watcher.stdout), daemon=True).start()
        time.sleep(5)  # they have to be watching
        return self

    def follow(self, node, lines):
        for line in lines:
            port = re.match(r"\d+: enp0s16f([01])(?:@\S+)?: <([A-Z_,-]*)>", line)
            if not port:
                continue
            place, closed = port.group(1), "UP" not in port.group(2).split(",")
            if self.closed.get((node, place), False) != closed:
                self.closed[(node, place)] = closed
                self.monitors[self.ends[node]].sendall(f"set_link nic{place} {'off' if closed else 'on'}\n".encode())

    def __exit__(self, *_):
        for watcher in self.watchers:
            watcher.terminate()
            watcher.wait()
        for monitor in self.monitors.values():
            monitor.close()


def rdma_over_the_bond():
    """RDMA over a bond on software RoCE: verify sends real RDMA, lives through each closed port, and names what does not answer."""
    with Repository(bonded("active-backup", ", primary: cx5/1", vlan=False)) as repository:
        repository.converges()
        for node in STACKS:
            ssh(node, "modprobe rdma_rxe && rdma link add mlx5_bond_0 type rxe netdev bond0")
            until(60, f"the RDMA device of {node} is active", lambda: "ACTIVE" in ssh(node, "rdma link show mlx5_bond_0/1"))
        said = repository.fabric("verify", "--level", "rdma", expect=0)
        assert "ib_send_bw" in said and "the fabric is what the document says" in said, said
        print(said)
        with Carrier("n1", "n2"):
            for left in (2, 1, 0):  # without KVM the turn of a carrier alone takes a second or two
                try:
                    print(repository.fabric("verify", "--level", "failover", expect=0))
                    break
                except AssertionError:
                    if not left:
                        raise
        # Where the other end keeps its carrier, active-backup does not notice: as the warning about two hosts says.
        said = " ".join(repository.fabric("verify", "--level", "failover", expect=13).split())
        assert "failover-failed" in said and "n1/cx5/1" in said, said
        ssh("n2", "rdma link delete mlx5_bond_0")
        said = " ".join(repository.fabric("verify", "--level", "rdma", expect=13).split())
        assert "flow-failed" in said and "n2" in said, said
        repository.survives_a_reboot()


def throughput():
    """iperf3 between both ends of each cable; what is below the link's rate is told, and each run is a row of the CSV."""
    with Repository(TWO_PORTS) as repository:
        repository.converges()
        # The ports are no RDMA devices, and that is said as well.
        said = " ".join(repository.fabric("verify", "--level", "perf", "--csv", "rates.csv", expect=13).split())
        assert said.count("error[") == said.count("has no RDMA device"), said
        with open(repository.path / "rates.csv", encoding="utf-8") as text:
            rows = [row for row in csv.DictReader(text) if row["tool"] == "iperf3"]
        assert len(rows) == 2 * (len(STACKS) // 2), (rows, said)
        for row in rows:
            assert float(row["gbps"]) > 0.01 and row["limit_gbps"] == "1.00", row
        print(said[said.find("iperf3"):][:600], flush=True)
