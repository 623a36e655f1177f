#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The kernel's half of a ring's source rules: hosts as network namespaces, their cards and cables played by this script.

usage: source_rules.py [HOSTS...]        (root; nothing outside of its own namespaces is touched)

Each host gets two ports in one subnet, the kernel parameters that fabric sets for such ports, and the very commands
that fabric's files have: once without the tables by source, once with them. Then every cable and every node is taken
away in turn. With them every two hosts that are left have exactly one of their four pairs of addresses, the one of the
arc that is whole; without them at least one two hosts have none.

A card does what E-chain-dmac says, and gives what is for many to both of its ports (E-chain-broadcast is open on that).
"""
import itertools
import os
import select
import socket
import struct
import subprocess
import sys
import threading
import time

if os.environ.get("SOURCE_RULES_INSIDE") != "1":
    inside = dict(os.environ, SOURCE_RULES_INSIDE="1")
    os.execvpe("unshare", ["unshare", "--net", "--mount", "--", sys.executable, __file__, *sys.argv[1:]], inside)

SETTINGS = {"arp_ignore": 1, "arp_announce": 2, "rp_filter": 2, "ignore_routes_with_linkdown": 1}
SENT_BY_US = 4  # PACKET_OUTGOING


def run(*words):
    done = subprocess.run(words, capture_output=True, text=True)
    assert done.returncode == 0, (words, done.stderr)
    return done.stdout


def address(host, port):
    return f"10.30.0.{2 * host + port}"


def echo_request(number):
    head = struct.pack("!BBHHH", 8, 0, 0, os.getpid() & 0xffff, number)
    words = sum(struct.unpack("!4H", head))
    words = (words >> 16) + (words & 0xffff)
    return head[:2] + struct.pack("!H", ~words & 0xffff) + head[4:]


def ping(pairs, patience=3.0):
    """Which of ["SOURCE>TARGET"] answer, each bound to its source; three questions each, for the first may wait for ARP."""
    found, waiting = set(), {}
    for number, pair in enumerate(pairs):
        made = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP)
        made.bind((pair.split(">")[0], 0))
        waiting[made] = (number, pair)
    asked, end = 0.0, time.monotonic() + patience
    while time.monotonic() < end and len(found) < len(pairs):
        if time.monotonic() - asked > patience / 3:
            asked = time.monotonic()
            for made, (number, pair) in waiting.items():
                try:
                    made.sendto(echo_request(number), (pair.split(">")[1], 0))
                except OSError:
                    pass  # no route
        for ready in select.select(list(waiting), [], [], 0.1)[0]:
            try:
                packet, sender = ready.recvfrom(2048)
            except OSError:
                continue  # nobody answered ARP
            number, pair = waiting[ready]
            kind, _, _, who, which = struct.unpack("!BBHHH", packet[20:28])
            if kind == 0 and who == os.getpid() & 0xffff and which == number and sender[0] == pair.split(">")[1]:
                found.add(pair)
    return found


class Ring:
    def __init__(self, hosts):
        self.hosts, self.cut, self.away, self.sockets, self.own = hosts, set(), set(), {}, {}
        for host in range(hosts):
            run("ip", "netns", "add", f"h{host}")
            self.own[host] = {}
            for port in (1, 2):
                card = f"c{host}p{port}"
                run("ip", "link", "add", card, "type", "veth", "peer", "name", f"p{port}", "netns", f"h{host}")
                run("sysctl", "-qw", f"net.ipv6.conf.{card}.disable_ipv6=1")
                run("ip", "link", "set", card, "up")
                self.sockets[host, port] = made = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))
                made.bind((card, 0))
            self.inside(host, "ip", "link", "set", "lo", "up")
            for key, value in SETTINGS.items():
                self.inside(host, "sysctl", "-qw", f"net.ipv4.conf.all.{key}={value}")
            self.inside(host, "sysctl", "-qw", "net.ipv6.conf.all.disable_ipv6=1")
            for port in (1, 2):
                self.inside(host, "ip", "link", "set", f"p{port}", "up")
                self.inside(host, "ip", "address", "add", f"{address(host, port)}/24", "dev", f"p{port}")
                mac = self.inside(host, "cat", f"/sys/class/net/p{port}/address").strip()
                self.own[host][bytes.fromhex(mac.replace(":", ""))] = port
        threading.Thread(target=self.relay, daemon=True).start()

    @staticmethod
    def inside(host, *words):
        return run("ip", "netns", "exec", f"h{host}", *words)

    def add_rules(self):
        for host, port in itertools.product(range(self.hosts), (1, 2)):
            own, table = address(host, port), str(4500 + port)
            self.inside(host, "ip", "route", "replace", "10.30.0.0/24", "dev", f"p{port}", "table", table, "src", own)
            self.inside(host, "ip", "rule", "add", "from", own, "lookup", table, "priority", table)

    def far_end(self, host, port):
        """None: the frame ends there. Cable i joins port 1 of host i to port 2 of the next."""
        other = (host + (1 if port == 1 else -1)) % self.hosts
        cable = host if port == 1 else other
        lost = cable in self.cut or host in self.away or other in self.away
        return None if lost else (other, 3 - port)

    def to_host(self, host, port, frame):
        try:
            self.sockets[host, port].send(frame)
        except OSError:
            pass  # its interface is down

    def carry(self, host, port, frame):
        place = self.far_end(host, port)
        while place is not None:
            here, arrived = place
            if frame[6:12] in self.own[here]:
                return
            mine = self.own[here].get(frame[:6])
            if mine is not None:
                return self.to_host(here, mine, frame)
            if frame[0] & 1:
                for each in (1, 2):
                    self.to_host(here, each, frame)
            place = self.far_end(here, 3 - arrived)

    def relay(self):
        by_socket = {made: place for place, made in self.sockets.items()}
        while True:
            for ready in select.select(list(by_socket), [], [])[0]:
                try:
                    frame, sender = ready.recvfrom(65536)
                except OSError:
                    continue
                if sender[2] != SENT_BY_US:
                    self.carry(*by_socket[ready], frame)

    def show_carriers(self):
        for host, port in self.sockets:
            state = "down" if self.far_end(host, port) is None else "up"
            run("ip", "link", "set", f"c{host}p{port}", state)
        for host in range(self.hosts):
            self.inside(host, "ip", "neighbour", "flush", "all")

    def left(self):
        """Of every two hosts that are there: the pairs of ports whose addresses reach each other."""
        there = [host for host in range(self.hosts) if host not in self.away]
        asked = {one: {} for one in there}
        found = {pair: [] for pair in itertools.combinations(there, 2)}
        for (one, other), a, b in itertools.product(found, (1, 2), (1, 2)):
            asked[one][f"{address(one, a)}>{address(other, b)}"] = ((one, other), f"{a}{b}")
        running = {
            one: subprocess.Popen(
                ["ip", "netns", "exec", f"h{one}", sys.executable, __file__, "--ping", *pairs], stdout=subprocess.PIPE, text=True)
            for one, pairs in asked.items() if pairs}
        for one, process in running.items():
            for answered in process.communicate()[0].split():
                pair, ports = asked[one][answered]
                found[pair].append(ports)
        for pairs in found.values():
            pairs.sort()
        return found

    def first_arc_is_whole(self, one, other):
        cables = all(cable not in self.cut for cable in range(one, other))
        return cables and all(host not in self.away for host in range(one + 1, other))

    def faults(self):
        for index in range(self.hosts):
            yield f"cable {index}", {index}, set()
        for index in range(self.hosts):
            yield f"node {index}", set(), {index}

    def judge(self, with_rules):
        self.cut, self.away = set(), set()
        self.show_carriers()
        healthy = self.left()
        assert all(len(pairs) == 4 for pairs in healthy.values()), healthy
        for what, self.cut, self.away in self.faults():
            self.show_carriers()
            found = self.left()
            print(f"{self.hosts} hosts, {'source rules' if with_rules else 'plain'}, without {what}: {found}", flush=True)
            if not with_rules:
                assert any(not pairs for pairs in found.values()), found
                continue
            for (one, other), pairs in found.items():
                expected = ["12"] if self.first_arc_is_whole(one, other) else ["21"]
                assert pairs == expected, (what, one, other, pairs, expected)

    def remove(self):
        for host in range(self.hosts):
            run("ip", "netns", "delete", f"h{host}")


if __name__ == "__main__" and sys.argv[1:2] == ["--ping"]:
    print("\n".join(ping(sys.argv[2:])))
elif __name__ == "__main__":
    run("mount", "-t", "tmpfs", "tmpfs", "/run")
    for count in [int(word) for word in sys.argv[1:]] or [3, 4, 5, 6]:
        ring = Ring(count)
        ring.judge(with_rules=False)
        ring.add_rules()
        ring.judge(with_rules=True)
        ring.remove()
    print("each two hosts keep the pair of the arc that is whole")
