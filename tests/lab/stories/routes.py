"""Routes and gateways of networks."""
from lab import Lab

PAIR = """\
apiVersion: fabric/v1
name: pair
rollout: {reboot_timeout: 40s, confirm_timeout: 12s}
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
            assert "a plain re-run converged in 0" not in done.stdout, done.stdout
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
    with Lab(document=PAIR % "ifupdown", lab_yaml="hosts: {n1: {backend: ifupdown}, n2: {backend: ifupdown}}\n") as lab:
        lab.apply()
        (lab.path / "fabric.yaml").write_text((PAIR % "ifupdown").replace("gateway: 10.30.0.254, ", ""))
        done = lab.fabric("--lab", "apply", "--auto-approve", expect=3)
        assert "touches the path of the SSH session to n1, n2; nothing was changed" in " ".join(done.stderr.split()), done.stderr
        assert "default via 10.30.0.254" in lab.ssh("n1", "ip route").stdout
