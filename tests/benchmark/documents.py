#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Documents of any size, as a user would write them: hosts with an address and a card in one Ethernet network.

usage: documents.py NODES [written|short|set]   (to standard output)
"""
import ipaddress
import sys

HEAD = """\
apiVersion: fabric/v1
name: benchmark
defaults: {ssh: {user: root}}
nodes:
"""
NETWORK = """\
networks:
  storage:
    mode: ethernet
    mtu: 9000
    ipv4: {subnet: 10.64.0.0/10}
    ports:
"""
MANAGEMENT = ipaddress.ip_address("10.0.1.0")


def written(count):
    """Every node and every port on lines of its own."""
    nodes = "".join(f"  c{i:05}:\n    address: {MANAGEMENT + i}\n    adapters:\n      hca: {{model: connectx-5, ports: 1}}\n"
                    for i in range(1, count + 1))
    return HEAD + nodes + NETWORK + "".join(f"      - c{i:05}/hca/1\n" for i in range(1, count + 1))


def short(count):
    """Every node on a line of its own and all else said once: the most nodes that the limit of a document's bytes lets in."""
    head = HEAD.replace("user: root}", "user: root}, adapters: {hca: {model: connectx-5, ports: 1}}")
    nodes = "".join(f"  c{i:06}: {{address: {MANAGEMENT + i}}}\n" for i in range(1, count + 1))
    return head + nodes + NETWORK + f'      - "c[{1:06}-{count:06}]/hca/1"\n'


def node_set(count):
    """The same fabric in one node set; its addresses are the names, as with DNS."""
    names = f"c[{1:05}-{count:05}]"
    return (HEAD + f'  "{names}":\n    adapters:\n      hca: {{model: connectx-5, ports: 1}}\n'
            + NETWORK + f'      - "{names}/hca/1"\n')


FORMS = {"written": written, "short": short, "set": node_set}

if __name__ == "__main__":
    form = sys.argv[2] if len(sys.argv) > 2 else "written"
    sys.stdout.write(FORMS[form](int(sys.argv[1])))
