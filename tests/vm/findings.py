# SPDX-License-Identifier: Apache-2.0
"""What verify finds of what was done by hand."""
from machines import PAIRS, control, ssh, until
from networks import TWO_PORTS, network
from repository import Repository


def findings():
    """verify names what somebody did by hand: the MTU of one hop, another name, a port that is closed, two cables that are swapped."""
    def said_of(rule, *texts):
        said = " ".join(repository.fabric("verify", expect=13).split())
        for text in (rule, *texts):
            assert text in said, f"{text!r} is not in: {said}"
        print(said[said.find(rule):][:300])

    with Repository(TWO_PORTS, adapter=", names: {2: stor1}") as repository:
        repository.converges()
        repository.fabric("verify", expect=0)
        ssh("n2", "ip link set dev enp0s16f0 mtu 1500")
        said_of("mtu-lost", "n2/cx5/1 (enp0s16f0) has MTU 1500")
        ssh("n2", "ip link set dev enp0s16f0 mtu 9000")
        ssh("n1", "ip link set dev stor1 down; ip link set dev stor1 name mine0; ip link set dev mine0 up")
        said_of("interface-renamed", "n1", "mine0", "stor1")
        ssh("n1", "ip link set dev mine0 down; ip link set dev mine0 name stor1; ip link set dev stor1 up")
        control("pull", "n1.0")
        said_of("cable-missing", "n1/cx5/1 - n2/cx5/1")
        control("plug", "n1.0")
        # What is plugged crosswise: the document says so, and the cables are straight.
        crossed = "".join(network(name, number, 1).replace(f"{other}/1", f"{other}/2") if number == 30
                          else network(name, number, 2).replace(f"{other}/2", f"{other}/1")
                          for name, number in (("storage-a", 30), ("storage-b", 31)) for _, other in PAIRS[:1])
        repository.write(crossed)
        until(120, "lldpd has its neighbours", lambda: ssh("n1", "lldpcli -f keyvalue show neighbors").count("chassis.name=n2") == 2)
        said_of("cable-mis-wired", "n1/cx5/1", "n2/cx5/2")
        repository.write(TWO_PORTS)
        repository.survives_a_reboot()
