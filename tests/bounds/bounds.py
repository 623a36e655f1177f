#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What hostile files cost: bounds.py FABRIC [--short] [--slack N] [--table] [--only TEXT]

Each format is given each pattern, repeated to 100 MB, to just below the limit of its size and to some sizes between. What
is refused for size, syntax or depth may take 64 MiB above the idle program, and so may whatever is refused of other tools'
files and of credentials; whatever else is read 40 times its size and 16 MiB; all 2 seconds. --short takes a few patterns at one size. --slack N allows N times as much, for builds that are
not optimised or are watched by a sanitizer. --table prints every measurement.
"""
import argparse
import fcntl
import os
import pathlib
import re
import socket
import subprocess
import sys
import tempfile
import threading

MIB = 1024 * 1024
REFUSED = re.compile(r"yaml-syntax|expected at most|not valid JSON|nested deeper")
# What can be known only by reading all of it: JSON is refused for what it comes to as a whole.
COUNTED = re.compile(r"(?<!up to here the file has )more values than")

PATTERNS = {
    "[": "[", "{": "{", "{a:": "{a: ", "[a,": "[a, ", "[{": "[{", "a:[": "a: [", "]": "]", "}": "}",
    "- - -": "- ", "? ? ?": "? ", "a: &": "a: &", "&a": "&a ", "*a": "*a ", "- *a": "- *a\n", "- &a b": "- &a b\n",
    "!!x": "!!x ", "- !x y": "- !x y\n", "single quotes": "'", "double quotes": '"', "quoted": "'a' ", "- 'a": "- 'a\n",
    "escapes": '"\\', "tabs": "\t", "blanks": " ", "newlines": "\n", "returns": "\r", "|": "|", "- |": "- |\n", ">": ">\n",
    "comments": "# c\n", "#": "#", ":": ":", ": ": ": ", ",": ",", "%": "%", "---": "---\n", "...": "...\n", "<<": "<<: ",
    "a": "a", "a b": "a b ", "- a": "- a\n", "- [a]": "- [a, b]\n", "zero": "\0", "no UTF-8": "\xff", "mark": "\ufeff",
    "1,": "1,", "a=b": "a=b\n", "[s]": "[s]\n", "iface": "iface a inet static\n", "a(": "a(", "0x": "0x0 ", "@": "@",
}


def repeated(text):
    piece = text.encode("latin-1") if text in ("\xff", "\0") else text.encode()
    block = piece * max(1, 65536 // len(piece))

    def write(file, size):
        while size > 0:
            file.write(block[:size])
            size -= len(block)
    return write


def numbered(line, first="", last="", rise=1):
    """Lines that differ in their number, which rises."""
    def write(file, size):
        file.write(first.encode())
        size -= len(first) + len(last)
        number, lines = 0, []
        while size > 0:
            text = line(number).encode()
            lines.append(text)
            size -= len(text)
            number += rise
            if len(lines) > 1000:
                file.write(b"".join(lines))
                lines = []
        file.write(b"".join(lines) + last.encode())
    return write


def wrapped(first, text, last):
    def write(file, size):
        file.write(first.encode())
        repeated(text)(file, max(0, size - len(first) - len(last)))
        file.write(last.encode())
    return write


def indented(file, size):
    depth = 0
    while size > 0:
        line = " " * depth + "a:\n"
        file.write(line[:size].encode())
        size -= len(line)
        depth += 1


WRITERS = {name: repeated(text) for name, text in PATTERNS.items()}
WRITERS |= {
    "deep indents": indented,
    "keys": numbered(lambda n: f"k{n}: v\n"),
    "short keys": numbered(lambda n: f"{n:x}a:\n"),
    "flow in block": numbered(lambda n: f"k{n}: [a, {{b: c}}]\n"),
    "one line": numbered(lambda n: f"k{n}: v, ", first="{", last="}\n"),
    "long key": wrapped("", "k", ": v\n"),
    "long value": wrapped("k: ", "v", "\n"),
    "long quoted": wrapped("k: \"", "v", "\"\n"),
    "long block": wrapped("k: |\n", "  v, [v]: 'v'\n", "l: 1\n"),
    "valid, then not": wrapped("", "- {a: b, c: d}\n", "- [\n"),
    "nodes": numbered(lambda n: f"  n{n}: {{address: 10.{n >> 16}.{n >> 8 & 255}.{n & 255}, adapters: {{a: {{model: connectx-5-vpi}}}}}}\n",
                      first="apiVersion: fabric/v1\nname: x\nnodes:\n"),
    "JSON list": wrapped("[0", ",0", "]"),
    "JSON strings": wrapped('["a"', ',"a string of usual length"', "]"),
    "JSON lists": wrapped("[[]", ",[]", "]"),
    "JSON maps": wrapped('[{}', ',{"a":{"b":1}}', "]"),
    "JSON keys": numbered(lambda n: f'"{n}":1,', first="{", last='"":1}'),
    "JSON, then not": wrapped("[0", ',\n  {"a name": "a value"}', ",]"),
    "JSON long string": wrapped('["', "s", '"]'),
}
# Such as the formats of other tools are made of: each is tried as each of them.
OTHERS = {
    "graph": wrapped("graph g {\n", "a,b,c", "}\n"),
    "graph, edges": numbered(lambda n: f'"a{n}":"p1" -- "b{n}":"p1";\n', first="graph g {\n"),
    "graph, devices": numbered(lambda n: f'a{n} [function="host"];\n', first="graph g {\n", last="}\n"),
    "graph, attributes": numbered(lambda n: f"k{n}=v,", first="graph g { a ["),
    "cables": numbered(lambda n: f"a{n},p1,b{n},p1\n", first="StartDevice,StartPort,EndDevice,EndPort\n", last="a\n"),
    "cables, one row": wrapped("StartDevice,StartPort,EndDevice,EndPort\n", "a,", "\n"),
    "cables, columns": numbered(lambda n: f"c{n},", first="StartDevice,"),
    "cables, sides": numbered(lambda n: f"a{n},p1,b{n},p1\n", first="side_a_device,side_a_name,side_b_device,side_b_name\n", last="a\n"),
    "cables, ends": numbered(lambda n: f"{n >> 1},A,a{n},p1\n", first="cable_id,side,device,port\n", last="x,A,,\n"),
    "systems": numbered(lambda n: f"HCA a{n}\n"),
    "systems, cables": numbered(lambda n: f"  1 -> SW s{n} 2\n", first="HCA a\n", last="x\n"),
    "links": numbered(lambda n: f"{{ CA Ports:01 NodeGUID:{n:016x} {{n}} LID:0001 PN:01 }} {{ SW Ports:01 NodeGUID:{n + 9:016x} {{n}} LID:0001 PN:01 }}\n",
                      last="x\n", rise=16),
    "links, words": wrapped("{ CA ", "a ", "{n} LID:0001 PN:01 }\n"),
    "switches": numbered(lambda n: f"SwitchName=s{n} Nodes=a{n}\n", last="x\n"),
    "switches, sets": numbered(lambda n: f"SwitchName=s{n} Nodes=a[1-100000]\n"),
    "switches, again": wrapped("SwitchName=s\n", "SwitchName=s Nodes=a[1-9000]\n", "x\n"),
    "switches, one line": wrapped("SwitchName=s Nodes=a", ",a", "\n"),
    "switches, long names": wrapped("SwitchName=s Nodes=", "a", "[1-100000]\n"),
    "switches, brackets": wrapped("SwitchName=s Nodes=a", "[1]", "\n"),
    "switches, keys": numbered(lambda n: f"k{n}=v ", first="SwitchName=s "),
    "switches, goes on": wrapped("SwitchName=s ", "\\\n", "\n"),
    "inventory": numbered(lambda n: f"h{n} ansible_host=10.0.0.1\n", first="[a]\n", last="-x-\n"),
    "inventory, sets": numbered(lambda n: "h[1:100000] ansible_port={{x}}\n", first="[a]\n"),
    "inventory, names": wrapped("[a]\n", "h[1:9000]\n", "-x-\n"),
    "inventory, variables": wrapped("[a]\nh[1:100000] ", "ansible_user={{x}} ", "\n"),
    "inventory, long name": wrapped("[a]\n", "a", "[1:100000]\n"),
    "inventory, in a tree": numbered(lambda n: f"    h{n}: {{ansible_host: 10.0.0.1}}\n", first="all:\n  hosts:\n", last="    -x-: {}\n"),
    "topology": numbered(lambda n: f"    - endpoints: [a{n}:e1, b{n}:e1]\n", first="topology:\n  links:\n", last="    - endpoints: [a]\n"),
    "topology, nodes": numbered(lambda n: f"    n{n}: {{kind: linux}}\n", first="topology:\n  nodes:\n"),
    "switches in a tree": numbered(lambda n: f"    - {{switch: s{n}, nodes: a{n}}}\n", first="- topology: t\n  tree:\n   switches:\n",
                                   last="    - {nodes: a}\n"),
    "subnet": numbered(lambda n: f"caguid=0x{n + 1:x}\nCa 1 \"H-{n + 1:016x}\" # \"h\"\n[1](1) \"S-0000000000000001\"[1] # lid 1 lmc 0 \"s\" lid 3 4xEDR\n",
                      last="caguid=0x1\n[x\n"),
    "subnet, ports": numbered(lambda n: f"CA 1 1 0x{n + 1:016x} 4x EDR - SW 2 1 0x{n + 2:016x} ( 'h' - 's' )\n", last="CA 1 x\n"),
    "subnet, links": numbered(lambda n: f'0x{n + 1:016x} "h" 1 1[  ] ==( 4X 10.0 Gbps Active/  LinkUp)==>  0x{n + 2:016x} 2 1[  ] "s" ( )\n',
                             last="0x1 ==( x )==>\n"),
    "subnet, headings": numbered(lambda n: f"CA: {n}:\n"),
    "subnet, messages": wrapped("", "ibwarn: x\n", ""),
    "node sets": numbered(lambda n: f"n{n}[1-1000]: {{password: x}}\n"),
    "node sets, one password": wrapped("a[1-100000]: {password: \"", "x", "\"}\n"),
    "node sets, long names": wrapped("", "a", "[1-100000]: {password: x}\n"),
}
SHORT = ["[", "a: &", "keys", "JSON list"]
SHORT_FORMATS = ["document", "lab.yaml", "plan", "facts", "journal", "ssh config", "known_hosts", "parse netplan",
                 "parse ibnetdiscover", "import ptm", "credentials"]


class Format:
    def __init__(self, name, limit, arguments, path, prepare=lambda folder: None, prefix=b"", refused=REFUSED, writers=WRITERS):
        self.name, self.limit, self.arguments, self.path = name, limit, arguments, path
        self.prepare, self.prefix = prepare, prefix
        self.refused, self.writers = refused, writers  # by what a refusal is told that may take 64 MiB


DOCUMENT = """apiVersion: fabric/v1
name: x
nodes:
  n1: {address: 127.0.0.1, ssh: {port: %d}, adapters: {a: {model: connectx-5-vpi}}}
"""


def listen():
    """A port where somebody begins to speak SSH and hangs up."""
    server = socket.create_server(("127.0.0.1", 0))

    def serve():
        while True:
            try:
                client, _ = server.accept()
            except OSError:
                return
            with client:
                try:
                    client.sendall(b"SSH-2.0-short\r\n")
                except OSError:
                    pass
    threading.Thread(target=serve, daemon=True).start()
    return server.getsockname()[1]


def document(port):
    def prepare(folder):
        (folder / "fabric.yaml").write_text(DOCUMENT % port)
    return prepare


def lab_lock(folder):
    lab = folder / ".fabric/lab"
    lab.mkdir(parents=True)
    lock = open(lab / "lock", "w")
    fcntl.flock(lock, fcntl.LOCK_EX)
    return lock


def listed(fabric, verb, words):
    kinds = re.findall(r"^\s+([a-z-]+) \(", subprocess.run(
        [fabric, verb, "--help"], capture_output=True, text=True).stdout.replace(words, ""), re.M)
    assert len(kinds) > 5, (verb, kinds)
    return kinds


def formats(fabric, port):
    kinds = listed(fabric, "parse", "format of the text:")
    large = {"ibnetdiscover", "iblinkinfo", "opensm-log"}
    yield Format("document", 8 * MIB, ["validate", "f.yaml"], "f.yaml")
    yield Format("directory", 8 * MIB, ["validate", "d", "--format", "json"], "d/f.yaml",
                 lambda folder: (folder / "d").mkdir())
    yield Format("document, by a pipe", 8 * MIB, ["validate", "/dev/stdin"], None)
    yield Format("lab.yaml", 8 * MIB, ["lab", "up"], "lab.yaml", document(port), b"bogus: 1\n")
    yield Format("plan", 256 * MIB, ["show", "plan.json"], "plan.json")
    yield Format("facts", 32 * MIB, ["--facts", "facts", "plan"], "facts/n1.json",
                 lambda folder: (document(port)(folder), (folder / "facts").mkdir()))
    yield Format("journal", 256 * MIB, ["history"], ".fabric/runs/20260101T000000Z-0000/journal.jsonl",
                 lambda folder: (folder / ".fabric/runs/20260101T000000Z-0000").mkdir(parents=True))
    yield Format("lab.json", 8 * MIB, ["lab", "status"], ".fabric/lab/lab.json", lab_lock)
    yield Format("ssh config", MIB, ["discover"], "home/.ssh/config", document(port))
    yield Format("known_hosts", 32 * MIB, ["discover"], "home/.ssh/known_hosts", document(port))
    for kind in kinds:
        yield Format(f"parse {kind}", 16 * MIB if kind in large else MIB, ["parse", kind, "input"], "input")
    yield Format("parse netplan, by a pipe", MIB, ["parse", "netplan"], None)
    anything = re.compile("")
    for kind in listed(fabric, "import", "format of the files; left out, it is recognised:"):
        limit = 16 * MIB if kind in large | {"lst"} else 8 * MIB
        yield Format(f"import {kind}", limit, ["import", "--from", kind, "input.txt", "--out", "out.yaml"], "input.txt",
                     refused=anything, writers=WRITERS | OTHERS)
    yield Format("credentials", MIB, ["--credentials", "home/credentials", "discover", "doc"], "home/credentials",
                 lambda folder: ((folder / "doc").mkdir(), document(port)(folder / "doc")), refused=anything, writers=WRITERS | OTHERS)


def run(fabric, arguments, folder, source=None):
    """Exit code, seconds, KiB at most, and what was said in the end."""
    with open(folder / "said", "wb") as said, open(source or os.devnull, "rb") as given:
        environment = os.environ | {"HOME": str(folder / "home"), "NO_COLOR": "1"}
        if source:
            feeder = subprocess.Popen(["cat"], stdin=given, stdout=subprocess.PIPE)
            given = feeder.stdout
        child = subprocess.Popen([fabric, "--timeout", "5s", *arguments], cwd=folder, stdin=given, stdout=said,
                                 stderr=said, env=environment)
        if source:
            feeder.stdout.close()
        killer = threading.Timer(600, child.kill)
        killer.start()
        _, status, usage = os.wait4(child.pid, 0)
        # Of the processor: others may be at work on the machine. What waits for ever is killed above.
        seconds = usage.ru_utime + usage.ru_stime
        killer.cancel()
        child.returncode = os.waitstatus_to_exitcode(status)
        if source:
            feeder.kill()
            feeder.wait()
    with open(folder / "said", "rb") as said:
        said.seek(max(0, os.path.getsize(folder / "said") - 4096))
        return child.returncode, seconds, usage.ru_maxrss, " ".join(said.read().decode(errors="replace").split())


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("fabric")
    parser.add_argument("--short", action="store_true")
    parser.add_argument("--slack", type=float, default=1)
    parser.add_argument("--table", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("--pattern", default="")
    options = parser.parse_args()
    fabric = os.path.abspath(options.fabric)
    port = listen()
    failed, measured = [], 0
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        idle = run(fabric, ["version"], scratch)[2]
        for number, form in enumerate(formats(fabric, port)):
            if options.only not in form.name or options.short and form.name not in SHORT_FORMATS:
                continue
            folder = scratch / str(number)
            (folder / "home/.ssh").mkdir(parents=True)
            held = form.prepare(folder)
            path = folder / (form.path or "input")
            path.parent.mkdir(parents=True, exist_ok=True)
            sizes = [min(form.limit, MIB) // 2] if options.short else sorted({100 * MIB, form.limit - 4096, MIB - 4096,
                                                                            min(form.limit, 8 * MIB) - 4096})
            worst = (0, 0, "", 0)
            for pattern in SHORT if options.short else form.writers:
                if options.pattern not in pattern:
                    continue
                for size in sizes:
                    with open(path, "wb") as file:
                        file.write(form.prefix)
                        form.writers[pattern](file, size)
                    path.chmod(0o600)
                    code, seconds, memory, said = run(fabric, form.arguments, folder, None if form.path else path)
                    measured += 1
                    above = max(0, memory - idle) / 1024
                    allowed = 64 if form.refused.search(said) and not COUNTED.search(said) and code not in (0, 4) else max(40 * size / MIB, 0) + 16
                    if options.table:
                        print(f"{form.name:26} {pattern:18} {size / MIB:7.1f} MiB  exit {code:4}  {seconds:6.2f} s "
                              f"{above:7.1f} MiB of {allowed:.0f}", flush=True)
                    worst = max(worst, (above / allowed, above, pattern, size))
                    where = f"{form.name}, '{pattern}', {size / MIB:.1f} MiB: "
                    if code < 0 or code == 255:
                        failed.append(f"{where}exit {code}: {said[-300:]}")
                    if above > allowed * options.slack:
                        failed.append(f"{where}{above:.0f} MiB above the idle program, {allowed:.0f} allowed; exit {code}: "
                                      f"{said[-200:]!r}")
                    if seconds > 2 * options.slack:
                        failed.append(f"{where}{seconds:.1f} s; exit {code}: {said[-200:]!r}")
            print(f"{form.name}: at most {worst[1]:.1f} MiB, by '{worst[2]}' of {worst[3] / MIB:.1f} MiB", flush=True)
            path.unlink()
            del held
    print(f"{measured} files, idle {idle / 1024:.1f} MiB")
    print("\n".join(failed), file=sys.stderr)
    sys.exit(1 if failed or not measured else 0)


main()
