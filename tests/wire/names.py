#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Judges the cables of a made-up subnet of 2,000 adapters whose nodes call themselves in every way that real ones do.

usage: names.py FABRIC_BINARY [--seconds MOST] [--keep FOLDER]

The document has no GUID, and no facts are given. Cables are swapped, moved, pulled and added on purpose: `verify` has to
name each of them, and nothing else. With --seconds, reading and judging may take so much CPU time beside `validate`; only
meaningful for an optimised build.
"""
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

SEED = 27
FACTORY = "MT4123 ConnectX6   Mellanox Technologies"


class Subnet:
    """What is plugged into what. A node is (kind, number), an end (node, port)."""

    def __init__(self):
        self.nodes, self.links = {}, {}

    def add(self, kind, called, ports, device=0x101B, image=None):
        node = (kind, len(self.nodes) + 1)
        guid = {"S": 0xAA, "H": 0xBB, "R": 0xCC}[kind] << 56 | node[1] << 8
        self.nodes[node] = dict(called=called, ports=ports, guid=guid, device=device, image=image or guid)
        return node

    def image(self, node):
        return self.nodes[node]["image"]

    def pull(self, end):
        other = self.links.pop(end, None)
        if other:
            del self.links[other]

    def join(self, one, other):
        self.pull(one)
        self.pull(other)
        self.links[one], self.links[other] = other, one

    def swap(self, one, other):
        """The plugs at `one` and `other` change places."""
        far_one, far_other = self.links[one], self.links[other]
        self.join(one, far_other)
        self.join(other, far_one)

    def peer(self, end):
        (kind, number), port = end
        node = self.nodes[(kind, number)]
        guid = f'({node["guid"] + port:x})' if kind != "S" else ""
        return f'"{kind}-{node["guid"]:016x}"[{port}]{guid}\t\t# "{node["called"]}" lid {number} 4xHDR'

    def dump(self):
        ports = {}
        for (node, port), other in self.links.items():
            ports.setdefault(node, []).append((port, other))
        parts = []
        for node, told in self.nodes.items():
            seen = sorted(ports.get(node, []))
            if not seen:
                continue  # a sweep reaches what has a link
            kind, number = node
            head = f'vendid=0x2c9\ndevid=0x{told["device"]:x}\nsysimgguid=0x{told["image"]:x}\n'
            if kind == "S":
                head += f'switchguid=0x{told["guid"]:x}({told["guid"]:x})\nSwitch\t{told["ports"]} '
            else:
                head += f'{"ca" if kind == "H" else "rt"}guid=0x{told["guid"]:x}\n{"Ca" if kind == "H" else "Rt"}\t{told["ports"]} '
            head += f'"{kind}-{told["guid"]:016x}"\t\t# "{told["called"]}"'
            if kind == "S":
                head += f" enhanced port 0 lid {number} lmc 0"
                lines = [f"[{port}]\t{self.peer(other)}" for port, other in seen]
            else:
                lines = []
                for port, other in seen:
                    far = self.nodes[other[0]]
                    lines.append(f'[{port}]({told["guid"] + port:x})\t"{other[0][0]}-{far["guid"]:016x}"[{other[1]}]\t\t'
                                 f'# lid {number} lmc 0 "{far["called"]}" lid {other[0][1]} 4xHDR')
            parts.append("\n".join([head] + lines))
        return "#\n# Topology file: made up\n#\n\n" + "\n\n".join(parts) + "\n"


class Fabric:
    def __init__(self):
        self.subnet, self.random = Subnet(), random.Random(SEED)
        self.switches, self.hosts, self.cables = [], [], []
        self.free = []     # (text of the document, end) of switch ports for hosts
        self.of_port = {}  # end of an adapter by the document's text
        self.kinds = {}    # cables by how their host is told: "named" (its devices), "cabled", "alone"
        self.uplinks = []  # (text, end), by leaf

    def leaf(self, name, called, ports, write, down, up, device=0xD2F0, model=None, own=True):
        """A switch with its aggregation node at the last port. `own`: the document has it."""
        node = self.subnet.add("S", called, ports, device)
        if ports in (41, 65):
            inside = self.subnet.add("H", "Mellanox Technologies Aggregation Node", 1, 0xCF09, self.subnet.image(node))
            self.subnet.join((node, ports), (inside, 1))
        if own:
            self.switches.append((name, model))
            self.free += [(f"{name}/{write(port)}", (node, port)) for port in range(1, down + 1)]
            self.uplinks.append([(f"{name}/{write(port)}", (node, port)) for port in range(down + 1, down + up + 1)])
        return node

    def build_switches(self):
        plain, cli = str, lambda port: f"1/{port}"
        cage, nvos = (lambda port: f"1/{(port + 1) // 2}/{2 - port % 2}"), (lambda port: f"sw{(port + 1) // 2}p{2 - port % 2}")
        for number in range(1, 61):
            name = f"leaf{number:02}"
            called = f"MF0;{name.upper() if number % 3 == 0 else name}:MQM8700/U1"
            self.leaf(name, called, 41, plain if number % 2 else cli, 24, 12)
        for number in range(1, 11):
            self.leaf(f"ndr{number}", f"MF0;NDR{number}:MQM97{'90' if number % 2 else '00'}/U1", 65,
                      cage if number % 2 else nvos, 48, 12, 0xD2F2)
        self.leaf("edge1", " edge1 ", 36, plain, 24, 12, 0xC738)
        self.leaf("edge2", "EDGE2", 36, cli, 24, 12, 0xCB20)
        # A director: four leaves of two chips, two spines; the cables between them are inside.
        chips = [self.subnet.add("S", f"MF0;Dir-A:MCS8500/L{leaf:02}/U{chip}", 40, 0xD2F0)
                 for leaf in range(1, 5) for chip in (1, 2)]
        for spine in (1, 2):
            node = self.subnet.add("S", f"MF0;Dir-A:MCS8500/S{spine:02}/U1", 40, 0xD2F0)
            for number, chip in enumerate(chips):
                self.subnet.join((chip, 20 + spine), (node, number + 1))
        self.switches.append(("dir-a", None))
        for number, chip in enumerate(chips):
            write = f"dir-a/L{number // 2 + 1}/U{number % 2 + 1}/"
            self.free += [(f"{write}{port}", (chip, port)) for port in range(1, 19)]
        # Spines, to which the leaves' further ports lead, and a router, which no document has.
        spines = []
        for number in range(1, 13):
            spines.append(self.subnet.add("S", f"MF0;spine{number:02}:MQM9700/U1", 129, 0xD2F2))
            self.switches.append((f"spine{number:02}", None))
        taken = [0] * 12
        for ports in self.uplinks:
            for number, (text, end) in enumerate(ports):
                taken[number] += 1
                self.cable(text, end, f"spine{number + 1:02}/{taken[number]}", (spines[number], taken[number]), "trunk")
        router = self.subnet.add("R", "MF0;rt1:SB7780/U1", 2, 0xCF0A)
        self.subnet.join((router, 1), (spines[0], 100))
        self.spines = spines

    def cable(self, a, end_a, b, end_b, kind):
        self.subnet.join(end_a, end_b)
        self.cables.append((a, b))
        self.of_port[a], self.of_port[b] = end_a, end_b
        self.kinds.setdefault(kind, []).append((a, b))

    def plug(self, host, adapter, end, kind, port=1):
        text, there = self.free.pop()
        self.cable(f"{host}/{adapter}/{port}", end, text, there, kind)

    def build_hosts(self):
        self.random.shuffle(self.free)
        add = self.subnet.add
        for number in range(1, 121):  # HOST mlx5_N, some with a blank behind
            host, blank = f"Luna-{number:04}", " " if number % 5 == 0 else ""
            named = number % 2 == 0
            self.hosts.append((host, {f"mlx5_{i}" if named else f"rail{i}": "ports: 1" for i in range(8)}))
            for i in range(8):
                end = (add("H", f"{host.lower() if number % 3 else host} mlx5_{i}{blank}", 1), 1)
                self.plug(host, f"mlx5_{i}" if named else f"rail{i}", end, "named" if named else "cabled")
        slots = ((11, "0b"), (14, "0e"), (170, "aa"), (213, "d5"))
        for number in range(1, 161):  # HOST ibpBsSfF, as interface, by PCI address, as the adapter's name
            host = f"sat{number:06}"
            way = number % 3
            adapters = {}
            for i, (bus, digits) in enumerate(slots):
                told = (f"ports: 1, names: {{1: ibp{bus}s0f0}}", f'ports: 1, pci: "0000:{digits}:00.0"', "ports: 1")[way]
                adapters[f"ibp{bus}s0f0" if way == 2 else f"hca{i}"] = told
            self.hosts.append((host, adapters))
            for i, (bus, _) in enumerate(slots):
                end = (add("H", f"{host.upper()} ibp{bus}s0f0", 1), 1)
                self.plug(host, f"ibp{bus}s0f0" if way == 2 else f"hca{i}", end, "named")
        for number in range(1, 41):  # HOST HCA-N with a domain; numbers are missing
            host = f"dgx{number}"
            self.hosts.append((host, {f"HCA-{i}": "ports: 1" for i in (1, 3, 6)}))
            for i in (1, 3, 6):
                self.plug(host, f"HCA-{i}", (add("H", f"{host}.example.org HCA-{i}", 1), 1), "named")
        alone = [("HOST mlx4_N", "{} mlx4_0", 60), ("with a vendor", "{} HCA-1 (Topspin HCA)", 30), ("bare", "{}", 40),
                 ("dotted", "{}.mlx5_0", 30), ("HCA-6", "{} HCA-6", 80)]
        for form, called, count in alone:
            for number in range(1, count + 1):
                host = f"{form.split()[-1].lower().replace('_', '')}{number}"
                self.hosts.append((host, {"hca": "ports: 1"}))
                shown = host.upper() if number % 2 else host
                self.plug(host, "hca", (add("H", called.format(shown), 1), 1), "alone")
        for number in range(1, 31):  # both ports of one card: one node with mlx4, two with mlx5
            host = f"dual{number}"
            self.hosts.append((host, {"cx": "ports: 2"}))
            card = add("H", f"{host} mlx4_0", 2, 0x1007)
            self.plug(host, "cx", (card, 1), "alone", 1)
            self.plug(host, "cx", (card, 2), "alone", 2)
        host = "factory1"  # the one adapter without a name is what is left
        self.hosts.append((host, {"hca": "ports: 1"}))
        self.plug(host, "hca", (add("H", FACTORY, 1), 1), "factory")

    def document(self):
        lines = ["apiVersion: fabric/v1", "name: names", "nodes:"]
        for name, _ in self.switches:
            lines.append(f"  {name}: {{platform: unmanaged}}")
        for host, adapters in self.hosts:
            told = ", ".join(f"{name}: {{model: connectx-6-vpi, {rest}}}" for name, rest in adapters.items())
            lines.append(f"  {host}: {{adapters: {{{told}}}}}")
        lines += ["networks:", "  compute:", "    mode: infiniband", "    subnet_manager: {external: true}", "    cables:"]
        lines += [f'      - ["{a}", "{b}"]' for a, b in self.cables]
        return "\n".join(lines) + "\n"

    def spoil(self):
        """By kind of finding, what has to be found: pairs of ends."""
        wrong = nothing()
        spare = {kind: self.random.sample(cables, len(cables)) for kind, cables in self.kinds.items()}

        def take(kind, host=None):
            for cable in spare[kind]:
                if host is None or cable[0].split("/")[0] == host:
                    spare[kind].remove(cable)
                    spare[kind] = [each for each in spare[kind] if each[0].split("/")[0] != cable[0].split("/")[0]] \
                        if kind not in ("trunk",) and host is None else spare[kind]
                    return cable
            raise LookupError(kind)

        for one, other in [("named", "named")] * 6 + [("cabled", "cabled")] * 4 + [("alone", "alone")] * 4 + \
                [("named", "alone")] * 3 + [("cabled", "named")] * 3 + [("trunk", "trunk")] * 4:
            a, b = take(one), take(other)
            self.subnet.swap(self.of_port[a[1]], self.of_port[b[1]])
            wrong["mis-wired"] |= {a, b}
        for _ in range(5):  # two adapters of one host, which their names tell apart
            a = next(cable for cable in spare["named"] if cable[0].startswith("Luna"))
            b = next(cable for cable in self.kinds["named"]
                     if cable[0].split("/")[0] == a[0].split("/")[0] and cable != a)
            spare["named"] = [each for each in spare["named"] if each[0].split("/")[0] != a[0].split("/")[0]]
            self.subnet.swap(self.of_port[a[1]], self.of_port[b[1]])
            wrong["mis-wired"] |= {a, b}
        for kind in ["named"] * 4 + ["alone"] * 4:  # plugged into a port that the document does not have
            a = take(kind)
            _, there = self.free.pop()
            self.subnet.join(self.of_port[a[0]], there)
            wrong["mis-wired"].add(a)
        for kind in ["named"] * 5 + ["cabled"] * 5 + ["alone"] * 5 + ["trunk"] * 5:
            a = take(kind)
            self.subnet.pull(self.of_port[a[0]])
            wrong["missing"].add(a)
        for called in ("sto1 HCA-1", "sto2 mlx5_0", "STO3", FACTORY, "MT4129 ConnectX7   Mellanox Technologies"):
            text, there = self.free.pop()
            self.subnet.join((self.subnet.add("H", called, 1), 1), there)
            wrong["unexpected"].add((text, called.strip()))
        for called in ("Quantum Mellanox Technologies", "Infiniscale-IV Mellanox Technologies"):
            text, there = self.free.pop()
            self.subnet.join((self.leaf("", called, 36, str, 0, 0, own=False), 1), there)
            wrong["unexpected"].add((text, called))
        for _ in range(2):
            (one, end), (other, far) = self.free.pop(), self.free.pop()
            self.subnet.join(end, far)
            wrong["unexpected"].add(tuple(sorted((one, other))))
        return wrong

    def forget(self, but):
        """Some adapters lose their names, as before rdma-ndd has run. Which cables nobody can judge then."""
        cables = [cable for kind in ("named", "cabled", "alone") for cable in self.kinds[kind]
                  if cable not in but and not cable[0].startswith("dual")]
        chosen = self.random.sample(cables, 80)
        for cable in chosen:
            node, _ = self.of_port[cable[0]]
            self.subnet.nodes[node]["called"] = FACTORY
        return set(chosen + self.kinds["factory"])


def nothing():
    return {state: set() for state in ("mis-wired", "missing", "unexpected", "no-data")}


def found_by(fabric, document, dump):
    process = subprocess.Popen([fabric, "-q", "verify", document, "--level", "wire", "--wire", dump, "--format", "json"],
                               stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    output = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return json.loads(output), process.returncode, usage.ru_utime + usage.ru_stime


def difference(what, expected, found):
    for each in sorted(expected - found):
        print(f"{what}: not found: {each}")
    for each in sorted(found - expected):
        print(f"{what}: invented: {each}")
    return expected != found


def judge(report, wrong, declared):
    states = {}
    for cable in report["cables"]:
        states.setdefault(cable["state"], set()).add(tuple(cable["ends"]))
    bad = False
    for state in ("mis-wired", "missing", "no-data"):
        bad |= difference(state, wrong[state], states.pop(state, set()))
    surprises = set()
    for a, b in states.pop("unexpected", set()):
        called = b.split("'")[1] if "'" in b else b
        surprises.add((a, called))
    bad |= difference("unexpected", wrong["unexpected"], surprises)
    fine = states.pop("ok", set())
    bad |= difference("ok", set(declared) - wrong["mis-wired"] - wrong["missing"] - wrong["no-data"], fine)
    for state, cables in states.items():
        bad |= difference(state, set(), cables)
    return bad


def built():
    fabric = Fabric()
    fabric.build_switches()
    fabric.build_hosts()
    return fabric


def main():
    program, arguments = sys.argv[1], sys.argv[2:]
    fabric, bad = built(), False
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(arguments[arguments.index("--keep") + 1] if "--keep" in arguments else temporary)
        document, dump = folder / "fabric.yaml", folder / "subnet.txt"
        document.write_text(fabric.document())

        def check(title, fabric, wrong, expected):
            nonlocal bad
            dump.write_text(fabric.subnet.dump())
            report, status, seconds = found_by(program, str(document), str(dump))
            bad |= judge(report, wrong, fabric.cables)
            if status != expected:
                print(f"{title}: expected exit {expected}")
                bad = True
            print(f"{title}: " + ", ".join(f"{len(cables)} {state}" for state, cables in wrong.items()) + f"; exit {status}")
            return seconds

        check("as declared", fabric, nothing(), 0)
        wrong = fabric.spoil()
        seconds = check("spoilt", fabric, wrong, 13)
        wrong["no-data"] = fabric.forget(wrong["mis-wired"] | wrong["missing"])
        check("spoilt, some without a name", fabric, wrong, 13)
        fabric = built()
        check("as declared, some without a name", fabric, {**nothing(), "no-data": fabric.forget(set())}, 4)
        if "--seconds" in arguments:
            validating = subprocess.Popen([program, "-q", "validate", str(document)], stdout=subprocess.DEVNULL)
            _, _, usage = os.wait4(validating.pid, 0)
            validating.returncode = 0
            taken = seconds - usage.ru_utime - usage.ru_stime
            print(f"read and judged in {taken:.3f} s of CPU time")
            bad |= taken > float(arguments[arguments.index("--seconds") + 1])
    adapters = sum(len(fabric.kinds[kind]) for kind in ("named", "cabled", "alone", "factory"))
    print(f"{adapters} adapters, {len(fabric.cables)} cables")
    sys.exit(bad)


if __name__ == "__main__":
    main()
