# SPDX-License-Identifier: Apache-2.0
"""Hosts that forward for each other, in rings and meshes without a switch, and the routes of single interfaces."""
from lab import Lab


RING = """\
apiVersion: fabric/v1
name: ring
nodes:
  n[1-4]: {network_backend: %s, adapters: {cx7: {model: connectx-7-en}}}
  spare: {adapters: {cx7: {model: connectx-7-en}}}
networks:
  ring:
    mode: ethernet
    mtu: 9000
    ipv4: {per: cable, subnet: 10.40.0.0/24}
"""
TRANSIT = """\
    loopback: {subnet: 10.41.0.0/24}
    transit: static
"""
CABLES = """\
    cables: [{ring: ["n[1-4]"]}]
"""
NODES = ("n1", "n2", "n3", "n4")
WAYS = ("networkd", "ifupdown", "ifupdown2")


def ring_of(backend):
    hosts = "hosts: {%s}\n" % ", ".join("%s: {backend: %s}" % (node, backend) for node in NODES)
    document = RING % ("networkd" if backend == "networkd" else "ifupdown") + TRANSIT + CABLES
    return Lab(document=document, lab_yaml=hosts)


def all_reach_all(lab):
    for here in range(1, 5):
        for there in range(1, 5):
            done = lab.ssh(f"n{here}", f"ping -c 1 -W 1 -M do -s 8972 -I 10.41.0.{here} 10.41.0.{there}")
            assert done.returncode == 0, f"n{here} does not reach n{there}: {done.stdout}{done.stderr}"


def unplug(lab, port):
    """Leaves both ends of a cable without one: the spare host's ports take them in turn."""
    lab.fabric("lab", "recable", port, "spare/cx7/1", expect=0)
    lab.fabric("lab", "recable", "spare/cx7/1", "spare/cx7/2", expect=0)


def a_ring_routes():
    """From nothing to loopbacks that all reach each other, also after a boot of all and with any cable out, by each back end."""
    for backend in WAYS:
        with ring_of(backend) as lab:
            lab.apply()
            lab.plan_is_empty()
            lab.fabric("--lab", "verify", expect=0)
            all_reach_all(lab)
            for node in NODES:
                lab.reboot(node)
            lab.plan_is_empty()
            lab.fabric("--lab", "verify", expect=0)
            for node, following in zip(NODES, NODES[1:] + NODES[:1]):
                unplug(lab, f"{node}/cx7/1")
                all_reach_all(lab)
                lab.verify_says("cable-missing", f"{node}/cx7/1")
                lab.fabric("lab", "recable", f"{node}/cx7/1", f"{following}/cx7/2", expect=0)
            lab.fabric("--lab", "verify", expect=0)


def a_broken_ring_is_told():
    """A ring that is cut twice, or hosts that do not forward, are told; the cut is the cause."""
    with ring_of("networkd") as lab:
        lab.apply()
        for node in ("n2", "n4"):
            lab.ssh(node, "for i in /proc/sys/net/ipv4/conf/*/forwarding; do echo 0 >$i; done")
        done = lab.fabric("--lab", "verify", expect=13)
        assert "no answer between n1 and n3" in done.stdout, done.stdout
        done = lab.fabric("--lab", "plan", "--detailed-exitcode", expect=2)
        assert "n[2,4] (2 nodes)" in done.stdout and "forwarding  0, file 1 -> 1" in done.stdout, done.stdout
        lab.apply()
        lab.fabric("--lab", "verify", expect=0)
        unplug(lab, "n1/cx7/1")
        unplug(lab, "n3/cx7/1")
        lab.verify_says("cable-missing", "n1/cx7/1", "n3/cx7/1")
        lost = lab.ssh("n1", "ping -c 1 -W 1 -I 10.41.0.1 10.41.0.2")
        assert lost.returncode != 0, lost.stdout


def transit_goes():
    """What the document does not ask for any more leaves no route, no rule, no forwarding and no file."""
    for backend in WAYS:
        with ring_of(backend) as lab:
            lab.apply()

            def found():
                return lab.ssh("n1", "ip -4 route; ip -4 rule; ip -4 route show table 4001; ip -o -4 addr show; "
                                     "cat /proc/sys/net/ipv4/conf/*/forwarding; ls /etc/sysctl.d").stdout

            there = found()
            for text in ("10.41.0.3", "lookup 4001", "10.41.0.1/32", "90-fabric-forwarding-cx7.1.conf"):
                assert text in there, (backend, text, there)
            text = (lab.path / "fabric.yaml").read_text()
            (lab.path / "fabric.yaml").write_text(text.replace(TRANSIT, ""))
            lab.apply()
            lab.plan_is_empty()
            left = found()
            for text in ("10.41.", "lookup 400", "fabric-forwarding", "\n1\n"):
                assert text not in left, (backend, text, left)
            assert "10.40.0." in left, left
            lab.reboot("n1")
            lab.plan_is_empty()


def other_back_ends_are_refused():
    """Where a back end has no rule for what comes in, the plan says so, and which have."""
    hosts = "hosts: {%s}\n" % ", ".join("%s: {backend: ifcfg}" % node for node in NODES)
    with Lab(document=(RING % "ifcfg").replace("network_backend: ifcfg, ", "") + TRANSIT + CABLES, lab_yaml=hosts) as lab:
        done = lab.fabric("--lab", "plan", expect=3)
        said = " ".join((done.stdout + done.stderr).split())
        assert "transit-backend-unsupported" in said and "networkd, ifupdown or ifupdown2" in said, said


PAIR = """\
apiVersion: fabric/v1
name: pair
nodes:
  n[1-2]: {network_backend: %s, adapters: {cx5: {model: connectx-5-en}}}
networks:
  storage:
    mode: ethernet
    mtu: 9000
    ipv4: {subnet: 10.30.0.0/24, gateway: 10.30.0.254, routes: [{to: 10.50.0.0/16, via: 10.30.0.253}]}
    cables: [[n1/1, n2/1]]
"""


def routes_come_and_go():
    """Routes and a gateway are in force after apply and after a boot, change, and go, by each back end."""
    for backend, is_there in (("networkd", "networkd"), ("ifupdown", "ifupdown"), ("ifupdown", "ifupdown2"), ("ifcfg", "ifcfg")):
        with Lab(document=PAIR % backend, lab_yaml="hosts: {n1: {backend: %s}, n2: {backend: %s}}\n" % (is_there, is_there)) as lab:

            def routes():
                return lab.ssh("n1", "ip route").stdout

            done = lab.fabric("--lab", "rehearse", "--seeds", "1", expect=0)
            assert "a second apply completed it in 0" not in done.stdout, done.stdout
            lab.apply()
            lab.plan_is_empty()
            assert "10.50.0.0/16 via 10.30.0.253" in routes() and "default via 10.30.0.254" in routes(), (backend, routes())
            lab.reboot("n1")
            lab.plan_is_empty()
            (lab.path / "fabric.yaml").write_text((PAIR % backend).replace("10.50.0.0/16, via: 10.30.0.253", "10.51.0.0/16, via: 10.30.0.252"))
            lab.fabric("--lab", "apply", "--auto-approve", "--allow-mgmt-path", expect=0)
            lab.plan_is_empty()
            assert "10.51.0.0/16 via 10.30.0.252" in routes() and "10.50.0.0" not in routes(), (backend, routes())
            (lab.path / "fabric.yaml").write_text((PAIR % backend).replace(", gateway: 10.30.0.254, routes: [{to: 10.50.0.0/16, via: 10.30.0.253}]", ""))
            lab.fabric("--lab", "apply", "--auto-approve", "--allow-mgmt-path", expect=0)
            lab.plan_is_empty()
            assert "via" not in routes(), (backend, routes())


def the_default_route_is_the_way_back():
    """What would change the default route by which the session's client is reached wants to be allowed."""
    hosts = "hosts: {n1: {backend: ifupdown, client: 198.51.100.7}, n2: {backend: ifupdown, client: 198.51.100.7}}\n"
    with Lab(document=PAIR % "ifupdown", lab_yaml=hosts) as lab:
        # There is no way back yet that anybody could follow.
        lab.fabric("--lab", "apply", "--auto-approve", "--allow-mgmt-path", expect=0)
        (lab.path / "fabric.yaml").write_text((PAIR % "ifupdown").replace("gateway: 10.30.0.254, ", ""))
        done = lab.fabric("--lab", "apply", "--auto-approve", expect=3)
        assert "touches the path of the SSH session to n1, n2; nothing was changed" in " ".join(done.stderr.split()), done.stderr
        assert "default via 10.30.0.254" in lab.ssh("n1", "ip route").stdout
