# SPDX-License-Identifier: Apache-2.0
"""Cables: what is wrong with them is named, and what is to be done by hand is waited for."""
import csv
import io
import json
import subprocess

from lab import Lab, binary

LEAVES = """\
apiVersion: fabric/v1
name: leaves
nodes:
  c[1-4]: {packages: [opensm, infiniband-diags], adapters: {hca: {model: connectx-6, ports: 1}}}
  leaf[1-2]: {platform: unmanaged}
networks:
  compute:
    mode: infiniband
    cables:
      - ["c[1-2]/1", "leaf1/[1-2]"]
      - ["c[3-4]/1", "leaf2/[1-2]"]
      - ["leaf1/[35-36]", "leaf2/[35-36]"]
    subnet_managers: [{node: c1, priority: 10}]
"""


def cables():
    """A cut cable, a swapped pair and a card that does not chain are each named."""
    with Lab(nodes=4) as lab:
        lab.apply()
        lab.fabric("lab", "recable", "pve1/cx5/1", "pve3/cx5/2", expect=0)
        lab.fabric("lab", "recable", "pve3/cx5/1", "pve2/cx5/2", expect=0)
        lab.fabric("lab", "recable", "pve2/cx5/1", "pve4/cx5/2", expect=0)
        lab.verify_says("cable-mis-wired", "pve1/cx5/1 is cabled to pve3/cx5/2")
        lab.fabric("lab", "recable", "pve1/cx5/1", "pve2/cx5/2", expect=0)
        lab.fabric("lab", "recable", "pve2/cx5/1", "pve3/cx5/2", expect=0)
        lab.verify_says("cable-missing", "pve3/cx5/1 - pve4/cx5/2")
        lab.fabric("lab", "recable", "pve3/cx5/1", "pve4/cx5/2", expect=0)
        lab.fabric("--lab", "verify", expect=0)
        lab.reboot("pve3", "mstconfig -d 0000:01:00.0 -y set HOST_CHAINING_MODE=0")
        lab.verify_says("transit-lost", "in transit through pve3")
        done = lab.fabric("--lab", "plan", "--detailed-exitcode", expect=2)
        assert "HOST_CHAINING_MODE" in done.stdout and "pve3" in done.stdout, done.stdout


def infiniband_cables():
    """Two leaves, four hosts: all cables are proven by one node's ibnetdiscover; swapped, pulled and foreign ones are named."""
    with Lab(document=LEAVES) as lab:
        lab.apply()
        done = lab.fabric("--lab", "verify", expect=0)
        assert "Cables  6 ok" in done.stdout, done.stdout
        lab.fabric("lab", "recable", "c2/hca/1", "leaf2/1", expect=0)
        lab.fabric("lab", "recable", "c3/hca/1", "leaf1/2", expect=0)
        lab.fabric("lab", "recable", "leaf1/20", "leaf2/20", expect=0)
        lab.fabric("lab", "recable", "leaf1/36", "leaf2/9", expect=0)
        done = lab.fabric("--lab", "verify", "--level", "wire", expect=13)
        said = " ".join(done.stdout.split())
        for text in ("cable c2/hca/1 - leaf1/2 is mis-wired: c2/hca/1 is cabled to leaf2/1; leaf1/2 is cabled to c3/hca/1",
                     "cable c3/hca/1 - leaf2/1 is mis-wired", "cable leaf1/36 - leaf2/36 is mis-wired: leaf1/36 is cabled to leaf2/9",
                     "cable leaf1/20 - leaf2/20 is not in the document", "3 errors, 1 warning"):
            assert text in said, f"{text!r} is not in:\n{done.stdout}"


def lldp_in_firmware():
    """Two cards whose firmware takes LLDP: the cable between them is not proven, and the cause is named; the other cables are heard."""
    with Lab(nodes=4) as lab:
        lab.apply()
        for node in ("pve1", "pve2"):
            lab.reboot(node, "mstconfig -d 0000:01:00.0 -y set LLDP_NB_RX_MODE_P1=2 LLDP_NB_RX_MODE_P2=2")
        done = lab.fabric("--lab", "verify", "--level", "link", expect=4)
        said = " ".join(done.stdout.split())
        for text in ("Cables 1 no-data, 3 ok", "the firmware of pve1/cx5/1 takes its LLDP frames",
                     "the firmware of pve1/cx5 takes the LLDP frames of port 1", "and 1 more: pve2/cx5",
                     "firmware: {params: {LLDP_NB_RX_MODE_P1: 0}}"):
            assert text in said, f"{text!r} is not in:\n{done.stdout}"


def chaining_without_buffers():
    """A card that drops the chained frames of one priority is named; the others are not."""
    with Lab(nodes=4) as lab:
        lab.apply()
        lab.reboot("pve3", "mstconfig -d 0000:01:00.0 -y set HOST_CHAINING_DESCRIPTORS[3]=0")
        done = lab.fabric("--lab", "verify", "--level", "link", expect=0)
        said = " ".join(done.stdout.split())
        assert "warning[chain-buffers-zero]: pve3/cx5 has no buffers for frames of other hosts with priority 3, and drops them" in said, said
        assert said.count("chain-buffers-zero") == 1, said


def cables_by_hand():
    """Cables that are not there: asked for by both their ends, waited for, and connected while apply waits; or nobody comes."""
    with Lab(lab_yaml="unplugged: [pve1/1, pve2/1]\n") as lab:
        plan = lab.fabric("--lab", "plan", "--wait-for-cables", "20m", "--out", "by-hand.plan", expect=0).stdout
        for text in ("connect pve1/cx5/1 to pve2/cx5/2 (waits 20 min)", "connect pve2/cx5/1 to pve3/cx5/2"):
            assert text in plan, plan
        done = lab.fabric("--lab", "apply", "--auto-approve", "--wait-for-cables", "1s", expect=10)
        assert "no person has done it within 1" in done.stdout + done.stderr, done.stdout + done.stderr
        assert "connect pve1/cx5/1 to pve2/cx5/2" in done.stdout, done.stdout
        lab.fabric("--lab", "apply", "--stage", "--wait-for-cables", "1s", expect=3)
        lab.apply(expect=13)
        # All else is done; a plan file waits as it says.
        lab.fabric("--lab", "plan", "--wait-for-cables", "2m", "--out", "by-hand.plan", expect=0)
        running = subprocess.Popen([binary, "--json", "--lab", "apply", "--auto-approve", "by-hand.plan"], cwd=lab.path, text=True,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        asked = set()
        events = []
        for line in running.stdout:
            events.append(json.loads(line))
            if events[-1]["type"] == "by_hand":
                asked.add(events[-1]["by_hand"])
                assert events[-1]["wait_ms"] == 120_000, events[-1]
            if len(asked) == 2:
                asked.clear()
                lab.fabric("lab", "recable", "pve1/1", "pve2/2", expect=0)
                lab.fabric("lab", "recable", "pve2/1", "pve3/2", expect=0)
        said = running.stderr.read()
        assert running.wait(timeout=60) == 0, (said, events[-3:])
        assert any(event["type"] == "apply_complete" and event["state"] == "done" and event["kind"] == "manual" for event in events)
        lab.plan_is_empty()
        lab.fabric("--lab", "plan", "--wait-for-cables", "1m", "--detailed-exitcode", expect=0)
        lab.fabric("--lab", "verify", expect=0)


def do_work_orders(lab, *level):
    """Does what the list says, as somebody at the racks would: all plugs of a group out, then in. Returns the moves."""
    done = lab.fabric("--lab", "verify", *level, "--format", "work-order", expect=13)
    orders = list(csv.DictReader(io.StringIO(done.stdout)))
    moves = 0
    for order in orders:
        to, other = (f"{order[place + '_node']}/{order[place + '_port']}" for place in ("to", "other"))
        assert order["task"] in ("move", "connect"), order
        moves += order["task"] == "move"
        # A plug takes the other end of its cable along; what is in the port it goes to is pulled by its own order.
        lab.fabric("lab", "recable", to, other, expect=0)
    return moves, orders


def work_orders():
    """What the list says repairs the wiring, by a ring's LLDP and by what a subnet shows, with the fewest moves; numbers stay the same."""
    with Lab(nodes=4) as lab:
        lab.apply()
        # Port 1 of each one node further than it should be.
        for one, other in ((1, 3), (2, 4), (3, 1), (4, 2)):
            lab.fabric("lab", "recable", f"pve{one}/cx5/1", f"pve{other}/cx5/2", expect=0)
        first = lab.fabric("--lab", "verify", "--level", "link", "--format", "work-order", expect=13).stdout
        moves, orders = do_work_orders(lab, "--level", "link")
        assert moves == 4 and len(orders) == 4, orders
        assert {order["number"] for order in orders} == {line.split(",")[0] for line in first.splitlines()[1:]}, "numbers differ between runs"
        assert {order["known_by"] for order in orders} <= {"MAC", "LLDP"}, orders
        lab.fabric("--lab", "verify", "--level", "link", expect=0)
        again = lab.fabric("--lab", "verify", "--level", "link", "--format", "work-order", expect=0)
        assert len(again.stdout.splitlines()) == 1, again.stdout
    with Lab(document=LEAVES) as lab:
        lab.apply()
        for one, other in (("c1/hca/1", "leaf1/2"), ("c2/hca/1", "leaf2/1"), ("c3/hca/1", "leaf1/1")):
            lab.fabric("lab", "recable", one, other, expect=0)
        moves, orders = do_work_orders(lab, "--level", "wire")
        assert moves == 3 and len(orders) == 3, orders
        assert {order["known_by"] for order in orders} == {"subnet"} and len({order["together"] for order in orders}) == 1, orders
        lab.fabric("--lab", "verify", "--level", "wire", expect=0)


def fec_at_switches():
    """The FEC that a switch has at its port is compared with that of the host's end."""
    document = """\
apiVersion: fabric/v1
name: fec
nodes:
  h[1-4]: {adapters: {cx6: {model: connectx-6-dx}}}
  leaf1: {platform: cumulus}
  leaf2: {platform: mlnx-os}
networks:
  st: {mode: ethernet, ipv4: {subnet: 10.30.0.0/24}, cables: [["h[1-2]/1", "leaf1/swp[1-2]"]]}
  vm: {mode: ethernet, ipv4: {subnet: 10.31.0.0/24}, cables: [["h[3-4]/1", "leaf2/1/[1-2]"]]}
"""
    with Lab(document=document, lab_yaml="plugs: [{port: leaf1/swp2, fec: BaseR}, {port: leaf2/1/2, fec: BaseR}]\n") as lab:
        lab.fabric("--lab", "apply", "--auto-approve", "--allow-no-rollback", "leaf2", expect=0)
        done = lab.fabric("--lab", "verify", "--level", "link", expect=0)
        said = " ".join(done.stdout.split())
        for host, switch, fec in ((2, "leaf1/2", "baser"), (4, "leaf2/1/2", "fc-fec")):
            assert f"h{host}/cx6/1 has RS, {switch} has {fec}" in said, said
        assert said.count("fec-differs") == 2, said
