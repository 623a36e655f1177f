#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The two ports of each machine's card joined as host chaining does: frames for others go on to the next node.

usage: chain.py RUN_FOLDER N [VM.PORT-VM.PORT...]

Between QEMU and the cables, datagrams over unix sockets as those are: what a port sends goes out by its cable; what
comes in goes to the port that has the address, to both ports and onwards if it is for many, and else onwards alone. A
frame of one's own that came round is dropped, so no frame circles. Addresses are those of up.sh.

That both ports get what is for many is taken from the lab and written nowhere: if a card gave it to the port alone that
it came in by, `arp_ignore=1` (which RoCE needs, for its frames must carry the address of the right port) would leave
the far port of every neighbour without an answer.
"""
import os
import select
import socket
import sys

run, count, cables = sys.argv[1], int(sys.argv[2]), sys.argv[3:]


def bound(path):
    if os.path.exists(path):
        os.unlink(path)
    made = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    made.bind(path)
    made.setblocking(False)
    return made


def send(via, frame, path):
    try:
        via.sendto(frame, path)
    except OSError:
        pass  # a full queue, or a machine that is not there: the frame is lost, as on a wire


peers = {}
for cable in cables:
    one, other = cable.split("-")
    peers[one], peers[other] = other, one
ports = [(vm, port) for vm in range(1, count + 1) for port in (0, 1)]
own = {vm: {bytes((0x52, 0x54, 0, 0xfa, vm, port)): port for port in (0, 1)} for vm in range(1, count + 1)}
from_host = {bound(f"{run}/n{vm}/card{port}"): (vm, port) for vm, port in ports}
from_wire = {bound(f"{run}/n{vm}/wire{port}"): (vm, port) for vm, port in ports}
out = {place: made for made, place in from_wire.items()}
up = {place: made for made, place in from_host.items()}


def onto_wire(place, frame):
    peer = peers.get("n%d.%d" % place)
    if peer:
        send(out[place], frame, f"{run}/{peer.split('.')[0]}/wire{peer.split('.')[1]}")


def to_host(place, frame):
    send(up[place], frame, "%s/n%d/port%d" % (run, *place))


while True:
    for ready in select.select([*from_host, *from_wire], [], [])[0]:
        try:
            frame = ready.recv(65536)
        except BlockingIOError:
            continue
        if ready in from_host:
            onto_wire(from_host[ready], frame)
            continue
        vm, port = from_wire[ready]
        if frame[6:12] in own[vm]:
            continue
        mine = own[vm].get(frame[:6])
        if mine is not None:
            to_host((vm, mine), frame)
            continue
        if frame[0] & 1:
            to_host((vm, port), frame)
            if frame[:3] == b"\x01\x80\xc2":
                continue  # link-local (LLDP, LACP): for the port of that cable alone
            to_host((vm, 1 - port), frame)
        onto_wire((vm, 1 - port), frame)
