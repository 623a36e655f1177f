# SPDX-License-Identifier: Apache-2.0
"""Who listens, seen from outside: one SYN to the sshd port of each host every 100 ms, and whether it is answered.

The SYN comes from a raw socket, so that this machine's kernel takes the answer back with a RST: no connection is made,
sshd never hears of it, and 200 questions a second cost next to nothing. Needs root (CAP_NET_RAW).
"""
import select
import socket
import struct
import threading
import time

PERIOD = 0.1
SYN, SYN_ACK = 0x02, 0x12


def checksum(data):
    total = sum(struct.unpack(f"!{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


class Monitor(threading.Thread):
    """`most_down`: hosts that did not listen at one time; `outages`: of each host, how often it ceased to listen."""

    def __init__(self, hosts, source, port=22):
        """`hosts`: name to address; `source`: the address of this end."""
        super().__init__(daemon=True)
        self.hosts, self.source, self.port = hosts, source, port
        self.names = {address: name for name, address in hosts.items()}
        self.down, self.most_down, self.down_together = set(), 0, set()
        self.outages = {name: 0 for name in hosts}
        self.asked, self.longest_gap = 0, 0.0  # looks, and the longest time between two of them in seconds
        self.ends = threading.Event()
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_TCP)
        self.socket.setblocking(False)

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.ends.set()
        self.join()
        self.socket.close()
        assert self.asked > 0, "the monitor never asked"

    def run(self):
        begun = last = time.monotonic()
        while not self.ends.is_set():
            tick, now = self.asked, time.monotonic()
            self.longest_gap, last = max(self.longest_gap, now - last), now
            self.ask(tick)
            listening = self.listen(tick, begun + (tick + 1) * PERIOD)
            self.take(set(self.hosts) - listening)
            self.asked += 1
            begun = max(begun, time.monotonic() - self.asked * PERIOD)  # what was missed is not made up for

    def ask(self, tick):
        for address in self.hosts.values():
            # Below the ports that the kernel gives away, which real connections use.
            header = struct.pack("!HHIIBBHHH", 20000 + tick % 10000, self.port, tick, 0, 5 << 4, SYN, 1024, 0, 0)
            pseudo = socket.inet_aton(self.source) + socket.inet_aton(address) + struct.pack("!BBH", 0, 6, len(header))
            header = header[:16] + struct.pack("!H", checksum(pseudo + header)) + header[18:]
            try:
                self.socket.sendto(header, (address, 0))
            except OSError:
                pass  # nobody there: no answer either

    def listen(self, tick, until):
        """Answers are read until then, and what has arrived by then in any case: a late monitor is no dead host."""
        listening = set()
        while True:
            left = until - time.monotonic()
            ready, _, _ = select.select([self.socket], [], [], max(left, 0))
            if not ready:
                return listening
            try:
                packet, (address, _) = self.socket.recvfrom(256)
            except OSError:
                continue  # an ICMP error of an earlier question
            offset = (packet[0] & 0x0F) * 4
            source_port, _, _, acknowledged, _, flags = struct.unpack("!HHIIBB", packet[offset:offset + 14])
            if source_port == self.port and flags & SYN_ACK == SYN_ACK and acknowledged == tick + 1 and address in self.names:
                listening.add(self.names[address])

    def take(self, down):
        for name in down - self.down:
            self.outages[name] += 1
        self.down = down
        if len(down) > self.most_down:
            self.most_down, self.down_together = len(down), set(down)
