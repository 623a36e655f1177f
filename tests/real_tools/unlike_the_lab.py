# SPDX-License-Identifier: Apache-2.0
"""What the tool says of cards that the lab has none of; each function is a check of one release."""
import cards

DEVICE = "/dev/fwctl/fwctl0"
PARAMETERS = {"LINK_TYPE_P1": 1, "LINK_TYPE_P2": 1, "SRIOV_EN": 0, "NUM_OF_VFS": 0, "HOST_CHAINING_MODE": 0}


def made(tool, **changes):
    card = cards.Card(tool.database, "ConnectX5", 2, "MCX556A-ECA_Ax", "a card for this test")
    for name, value in PARAMETERS.items():
        card.add(name, value, value, value)
    card.complete()
    card.can("nv_global_pci_cap.max_vfs_per_pf", 127)
    for name, value in changes.items():
        setattr(card, name, value)
    tool.path_of("unlike").write_text(card.text())

    def run(*arguments, expect=0):
        done = tool.run("unlike", "mstconfig", "-d", DEVICE, *arguments)
        assert done.returncode == expect, f"{arguments}: {done.returncode}\n{done.stdout}{done.stderr}"
        return done.stdout
    return run


def next_boot(tool, name):
    return cards.values(tool.database, tool.path_of("unlike").read_text())(name)[2]


def says_that_a_power_cycle_is_needed(tool, _):
    """engine/platform/host_platform.hpp looks for these words."""
    assert "Please reboot machine to load" in made(tool)("-y", "set", "SRIOV_EN=1")
    assert "Please power cycle machine" in made(tool, loads_by_reboot=False)("-y", "set", "SRIOV_EN=1")


def says_what_is_read_only(tool, parsed):
    run = made(tool, access={"nv_vpi_link_type": "r"})
    rows = parsed(run("-e", "q"))["parameters"]
    assert rows["LINK_TYPE_P1"]["read_only"] and not rows["SRIOV_EN"]["read_only"], rows
    assert "-E- The Device doesn't support LINK_TYPE_P1 parameter" in run("-y", "set", "LINK_TYPE_P1=2", expect=3)


def says_what_it_could_not_read(tool, parsed):
    """The table is right, and an error follows."""
    run = made(tool, access={"nv_vpi_link_type": "Rw"})
    text = run("-e", "q", expect=3)
    assert "-E- Failed to query some of the TLVs" in text and "nv_vpi_link_type" in text, text
    rows = parsed(text)["parameters"]
    assert "SRIOV_EN" in rows and "LINK_TYPE_P1" not in rows, rows


def says_that_a_write_failed(tool, _):
    """It writes group by group, in no order that could be relied on: what it wrote before stays."""
    run = made(tool, access={"nv_host_chaining_conf": "rW"})
    text = run("-y", "set", "SRIOV_EN=1", "HOST_CHAINING_MODE=1", "LINK_TYPE_P1=2", expect=3)
    assert "Applying... Failed!" in text and "-E- Failed to set nv_host_chaining_conf settings" in text, text
    assert next_boot(tool, "HOST_CHAINING_MODE") == 0


def says_nothing_of_one_group_that_is_reset(tool, _):
    """By hand: a group goes back to the factory's values, and the others stay."""
    run = made(tool)
    run("-y", "set", "SRIOV_EN=1", "LINK_TYPE_P1=2", "LINK_TYPE_P2=2")
    assert "Done!" in run("-y", "reset", "nv_global_pci_conf")
    assert [next_boot(tool, name) for name in ("SRIOV_EN", "LINK_TYPE_P1", "LINK_TYPE_P2")] == [0, 2, 2]


def says_what_brings_the_settings_back(tool, _):
    """What providers/linux/kinds/sh/firmware_backup.sh saves, and what somebody does with it."""
    run = made(tool)
    run("-y", "set", "SRIOV_EN=1", "NUM_OF_VFS=5", "LINK_TYPE_P2=2")
    run("-y", "-f", "/cards/backup", "backup")
    run("-y", "reset")
    assert next_boot(tool, "NUM_OF_VFS") == 0
    run("-y", "-f", "/cards/backup", "set_raw")
    assert [next_boot(tool, name) for name in ("SRIOV_EN", "NUM_OF_VFS", "LINK_TYPE_P1", "LINK_TYPE_P2")] == [1, 5, 1, 2]
