#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What `graph --any` says of hosts that forward for each other, against the kernel: hosts as network namespaces with the addresses,
routes, rules and kernel parameters of fabric's own files, cables as bridges that lose their carrier.

usage: transit_failures.py FABRIC_BINARY SOURCE_FOLDER [SHAPE...]       (root; nothing outside of its own namespaces is touched)

A shape is ring3 to ring8 or mesh3 to mesh8; without one all of them, which takes about an hour. Each cable, card and host is taken
out alone, and every two of the cables and hosts: each host that is left pings the loopback of each other one, and as many pairs are
lost as fabric says.
"""
import ctypes
import itertools
import json
import os
import re
import select
import socket
import struct
import subprocess
import sys
import time

if os.environ.get("TRANSIT_FAILURES_INSIDE") != "1":
    inside = dict(os.environ, TRANSIT_FAILURES_INSIDE="1")
    os.execvpe("unshare", ["unshare", "--net", "--mount", "--", sys.executable, __file__, *sys.argv[1:]], inside)

sys.path.insert(0, os.path.join(sys.argv[2], "tests/lab"))
from lab import Lab  # noqa: E402

ENTER = ctypes.CDLL(None, use_errno=True).setns


def run(*words):
    done = subprocess.run(words, capture_output=True, text=True)
    assert done.returncode == 0, (words, done.stderr)


def document(shape):
    kind, count = shape[:-1], int(shape[-1])
    cards = 1 if kind == "ring" else count // 2
    adapters = ", ".join(f'c{card}: {{model: connectx-7-en, pci: "0000:0{card}:00.0"}}' for card in range(1, cards + 1))
    return f"""\
apiVersion: fabric/v1
name: shape
nodes:
  h[1-{count}]: {{network_backend: ifupdown, adapters: {{{adapters}}}}}
networks:
  shape:
    mode: ethernet
    mtu: 9000
    ipv4: {{per: cable, subnet: 10.40.0.0/24}}
    loopback: {{subnet: 10.41.0.0/24}}
    transit: static
    cables: [{{{kind}: ["h[1-{count}]"]}}]
"""


class Host:
    """A namespace with what the files of fabric ask for, as ifupdown and systemd-sysctl would do it."""

    def __init__(self, name, folder):
        self.name, self.devices, self.wants = name, {}, []
        run("ip", "netns", "add", name)
        for path in sorted(folder.glob("etc/network/interfaces.d/*")):
            text = path.read_text()
            device = re.search(r"^auto (\S+)$", text, re.M).group(1)
            port = re.search(r"^# managed by fabric: \S+/interface/(\S+)$", text, re.M).group(1)
            self.devices[port.replace(".", "/")] = device
            self.wants += [(device, line.strip()) for line in text.splitlines() if line.startswith("    ")]
        self.parameters = [line for path in folder.glob("etc/sysctl.d/*") for line in path.read_text().splitlines() if not line.startswith("#")]
        self.loopback = next(line.split()[1].split("/")[0] for _, line in self.wants if line.startswith("address 10.41."))

    def inside(self, *words):
        run("ip", "netns", "exec", self.name, *words)

    def configure(self):
        self.inside("ip", "link", "set", "lo", "up")
        self.inside("sysctl", "-qw", "net.ipv6.conf.all.disable_ipv6=1")
        for line in self.parameters:
            key, value = (word.strip() for word in line.split("=", 1))
            self.inside("sysctl", "-qw", f"{key}={value}" if "/" not in key else f"{key.replace('.', '|')}={value}".replace("/", ".").replace("|", "/"))
        for device in self.devices.values():
            self.inside("ip", "link", "set", device, "up")
        for device, line in self.wants:
            word, value = line.split(" ", 1)
            if word == "address":
                self.inside("ip", "address", "add", value, "dev", device)
            elif word == "mtu":
                self.inside("ip", "link", "set", device, "mtu", value)
        for device, line in self.wants:
            if line.startswith("up "):
                self.inside("sh", "-c", f"IFACE={device}; {line[3:]}")
        with open(f"/run/netns/{self.name}") as namespace:
            assert ENTER(namespace.fileno(), 0) == 0
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP)
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 20)
        self.socket.bind((self.loopback, 0))


def echo_request(number):
    head = struct.pack("!BBHHH", 8, 0, 0, os.getpid() & 0xffff, number)
    total = sum(struct.unpack("!4H", head))
    total = (total >> 16) + (total & 0xffff)
    return head[:2] + struct.pack("!H", ~total & 0xffff) + head[4:]


class Shape:
    def __init__(self, shape):
        with Lab(document=document(shape)) as lab:
            lab.fabric("--lab", "export", "overlay", "out", expect=0)
            self.told = [json.loads(lab.fabric("graph", "--any", most, "--format", "json", expect=0).stdout) for most in "12"]
            dot = lab.fabric("graph", expect=0).stdout
            self.hosts = {path.name: Host(path.name, path) for path in sorted((lab.path / "out").glob("h?"))}
        self.outside = open("/proc/self/ns/net")
        self.ends, self.cables = {}, {}  # a bridge's port by the end of a cable; the two ends by the name of a cable
        ends = re.findall(r'"([^"]+)" -- "([^"]+)" \[taillabel="([^"]+)", headlabel="([^"]+)"', dot)
        for number, (a, b, a_port, b_port) in enumerate(ends):
            run("ip", "link", "add", f"cable{number}", "mtu", "9000", "type", "bridge")
            pair = [f"{a}/{a_port}", f"{b}/{b_port}"]
            self.cables[frozenset(pair)] = pair
            for side, end in enumerate(pair):
                host, port = end.split("/", 1)
                self.ends[end] = f"e{number}.{side}"
                run("ip", "link", "add", self.ends[end], "mtu", "9000", "type", "veth", "peer", "name", self.hosts[host].devices[port], "netns", host)
                run("ip", "link", "set", self.ends[end], "master", f"cable{number}", "up")
            run("sysctl", "-qw", f"net.ipv6.conf.cable{number}.disable_ipv6=1")
            run("ip", "link", "set", f"cable{number}", "up")
        for host in self.hosts.values():
            host.configure()
            assert ENTER(self.outside.fileno(), 0) == 0
        self.dark = set()

    def dark_ends(self, thing):
        kind, name = thing
        if kind == "cable":
            return set(self.cables[name])
        return {end for pair in self.cables.values() if any(end.startswith(name + "/") for end in pair) for end in pair}

    def take_out(self, things):
        dark = set().union(*(self.dark_ends(thing) for thing in things))
        for end in dark - self.dark:
            run("ip", "link", "set", self.ends[end], "down")
        for end in self.dark - dark:
            run("ip", "link", "set", self.ends[end], "up")
        self.dark = dark

    def lost(self, things, patience=2.5):
        """Pairs of hosts that are there of which one does not get an answer; asked until all answer, or nothing came for long."""
        there = [host for name, host in self.hosts.items() if ("host", name) not in things]
        wanted = {(one.name, other.name) for one, other in itertools.permutations(there, 2)}
        numbers = {number: (one, other) for number, (one, other) in enumerate(itertools.permutations(there, 2), 1)}
        of_pair = {(one.name, other.name): number for number, (one, other) in numbers.items()}
        sockets = {host.socket: host for host in there}
        last = time.monotonic()
        while wanted and time.monotonic() - last < patience:
            for pair in wanted:
                one, other = numbers[of_pair[pair]]
                try:
                    one.socket.sendto(echo_request(of_pair[pair]), (other.loopback, 0))
                except OSError:
                    pass  # no route
            until = time.monotonic() + 0.3
            while wanted and time.monotonic() < until:
                for ready in select.select(list(sockets), [], [], 0.05)[0]:
                    packet, sender = ready.recvfrom(2048)
                    kind, _, _, who, number = struct.unpack("!BBHHH", packet[20:28])
                    if kind != 0 or who != os.getpid() & 0xffff or number not in numbers:
                        continue
                    one, other = numbers[number]
                    if one is sockets[ready] and sender[0] == other.loopback and (one.name, other.name) in wanted:
                        wanted.remove((one.name, other.name))
                        last = time.monotonic()
        return {frozenset(pair) for pair in wanted}

    def judge(self, shape):
        def key(thing):
            return ("cable", frozenset(thing["name"].split(" - "))) if thing["kind"] == "cable" else (thing["kind"], thing["name"])
        costs = [{frozenset(map(key, costly["things"])): sum(network["pairs"] for network in costly["networks"]) for costly in told["costly"]}
                 for told in self.told]
        things = [("cable", name) for name in self.cables] + [("host", name) for name in self.hosts]
        cards = sorted({end.rsplit("/", 1)[0] for end in self.ends})
        single = [{thing} for thing in things + [("card", card) for card in cards]]
        double = [set(pair) for pair in itertools.combinations(things, 2)]
        assert not self.lost(set()), self.lost(set())
        wrong, lost_at_all = [], 0
        for known, cases in zip(costs, (single, double)):
            for case in cases:
                self.take_out(case)
                lost = self.lost(case)
                lost_at_all += len(lost)
                if len(lost) != known.get(frozenset(case), 0):
                    wrong.append((case, sorted(map(sorted, lost)), known.get(frozenset(case), 0)))
                    print(f"{shape}: without {case} the kernel loses {sorted(map(sorted, lost))}, fabric says {known.get(frozenset(case), 0)} pairs", flush=True)
        assert lost_at_all or shape > "mesh3" and shape < "ring", "nothing was lost by anything"
        print(f"{shape}: {len(single)} single and {len(double)} double losses, {lost_at_all} pairs lost, {len(wrong)} disagreements", flush=True)
        return not wrong

    def remove(self):
        for host in self.hosts.values():
            host.socket.close()
            run("ip", "netns", "delete", host.name)
        for number in range(len(self.cables)):
            run("ip", "link", "delete", f"cable{number}")


run("mount", "-t", "tmpfs", "tmpfs", "/run")
run("ip", "link", "set", "lo", "up")
fine = True
for shape in sys.argv[3:] or [f"{kind}{count}" for kind in ("ring", "mesh") for count in range(3, 9)]:
    made = Shape(shape)
    fine = made.judge(shape) and fine
    made.remove()
sys.exit(0 if fine else 1)
