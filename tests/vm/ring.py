# SPDX-License-Identifier: Apache-2.0
"""Both ports of each node in one subnet: where no card forwards, and in a ring whose cards do."""
from backends import cell
from machines import STACKS, ssh
from observed import addresses
from repository import Repository

ONE_SUBNET = """\
  storage:
    mode: chain
    mtu: 8000
    ipv4: {subnet: 10.30.0.0/24}
    cables: [{ring: [%s]}]
""" % ", ".join(STACKS)


def two_ports_of_one_subnet():
    """A ring: both ports of each node in one subnet, with what the kernel needs for that; firmware settings and a reboot."""
    with Repository(ONE_SUBNET, rollout="confirm_timeout: 60s, reboot_timeout: 400s") as repository:
        # No card forwards here and the cables run in pairs: verify must say so, all else must hold.
        said = repository.fabric("apply", "--auto-approve", expect=13)
        assert "checked again: nothing is left to do" in said, said
        for number, node in enumerate(STACKS):
            for port in (0, 1):
                assert addresses(node, f"enp0s16f{port}") == [f"10.30.0.{2 * number + port + 1}/24"]
            assert ssh(node, "cat /proc/sys/net/ipv4/conf/all/arp_ignore /proc/sys/net/ipv4/conf/all/rp_filter").split() == ["1", "2"]
        repository.survives_a_reboot()
        cell("two-port")


def ring_of_three():
    """Three nodes in a ring whose cards forward: every address of every node answers full frames from every other, also after a reboot."""
    with Repository(ONE_SUBNET) as repository:
        repository.converges()
        for _ in range(2):
            said = repository.fabric("verify", "--level", "path", expect=0)
            assert "the fabric is what the document says" in said, said
            for node in STACKS:
                for other in STACKS:
                    for port in (0, 1):
                        target = addresses(other, f"enp0s16f{port}")[0].split("/")[0]
                        if other != node:
                            assert ", 0% packet loss" in ssh(node, f"ping -q -c 2 -i 0.3 -W 2 -M do -s 7972 {target}", check=False), (node, target)
            repository.survives_a_reboot()
        print(said)
