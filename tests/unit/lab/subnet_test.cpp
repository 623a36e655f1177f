// SPDX-License-Identifier: Apache-2.0
#include <set>

#include "engine/lab/lab.hpp"
#include "providers/linux/lab/linux_machine.hpp"
#include "providers/linux/lab/services/subnet_manager.hpp"

#include "tests/unit/lab/ring_lab.hpp"

namespace fabric::lab {
namespace {

FabricSpec subnet_document() {
  return load_text(
      "apiVersion: fabric/v1\nname: pair\n"
      "nodes:\n  pve[1-3]: {adapters: {cx5: {model: connectx-5-vpi, ports: 2}}}\n"
      "networks:\n  direct:\n    mode: infiniband\n    cables: [[pve1/1, pve2/1], [pve2/2, "
      "pve3/1]]\n"
      "    subnet_manager: {external: true}\n");
}

struct SubnetLab : RingLab {
  SubnetLab() : RingLab{subnet_document(), LabSpec{}} {
    for (int host = 1; host <= 3; ++host)
      CHECK(exec(host, "apt-get -qq update && apt-get -qy install opensm").exit_status == 0);
  }

  // By a unit of somebody's own on the first port of the host, the package's service held back.
  void manage(int host, int priority, const std::string& partitions = "") {
    exec(host, "mkdir -p /etc/systemd/system/opensm.service.d");
    exec(
        host,
        "cat > /etc/systemd/system/opensm.service.d/no.conf",
        "[Unit]\nConditionPathExists=!/etc\n");
    exec(
        host,
        "cat > /etc/sm.conf",
        fmt::format(
            "guid {}sm_priority {}\npartition_config_file /etc/sm.parts\n",
            out(host, "ibstat -p | head -n 1"),
            priority));
    if (!partitions.empty()) exec(host, "cat > /etc/sm.parts", partitions);
    exec(
        host,
        "cat > /etc/systemd/system/sm.service",
        "[Unit]\nDescription=ours\n[Service]\nType=simple\nExecStartPre=/bin/mkdir -p /run/sm\n"
        "ExecStartPre=/bin/cp /etc/sm.conf /run/sm/\nExecStart=/usr/sbin/opensm --config "
        "/etc/sm.conf\nRestart=always\n");
    exec(
        host,
        "cat > /etc/udev/rules.d/95-sm.rules",
        "SUBSYSTEM==\"infiniband_mad\", KERNEL==\"umad*\", TAG+=\"systemd\", "
        "ENV{SYSTEMD_WANTS}+=\"sm.service\"\n");
    CHECK(exec(host, "systemctl stop 'opensm*.service'; systemctl restart sm").exit_status == 0);
  }
  std::string port(int host, const std::string& file) {
    return out(host, "cat /sys/class/infiniband/ibp1s0f0/ports/1/" + file);
  }
};

TEST_CASE(
    "OpenSM of a distribution lists its options, and has no virtualization support", "[lab]") {
  SubnetLab lab;
  CHECK(
      lab.out(1, "opensm -c /dev/stdout | grep -e '^sm_priority ' -e '^virt_enabled '") ==
      "sm_priority 0\n");
  lab.exec(1, "opensm --create-config /tmp/all.conf");
  CHECK(lab.out(1, "grep '^sm_priority ' /tmp/all.conf") == "sm_priority 0\n");
}

TEST_CASE("the package manages every InfiniBand port, with the lowest priority", "[lab]") {
  SubnetLab lab;
  CHECK(lab.out(1, "systemctl is-active opensm") == "active\n");
  CHECK(lab.out(1, "systemctl list-units --plain --no-legend 'opensm@*' | wc -l") == "2\n");
  CHECK(lab.port(1, "state") == "4: ACTIVE\n");
  CHECK(lab.out(1, "sminfo").find(" priority 0 state 3 SMINFO_MASTER") != std::string::npos);
  CHECK(lab.exec(1, "systemctl stop opensm").exit_status == 0);
  CHECK(lab.exec(1, "systemctl is-active 'opensm@*'").exit_status == 3);
  CHECK(lab.exec(2, "systemctl stop opensm").exit_status == 0);
  CHECK(lab.port(1, "state") == "2: INIT\n");
  CHECK(lab.port(1, "lid") == "0xffff\n");
  CHECK(lab.port(1, "sm_lid") == "0x0\n");
  CHECK(lab.exec(1, "sminfo").exit_status == 255);
}

TEST_CASE("the highest priority manages, then the lower GUID; the others stand by", "[lab]") {
  SubnetLab lab;
  lab.manage(1, 5);
  lab.manage(2, 10);
  CHECK(lab.port(1, "sm_lid") == lab.port(2, "lid"));
  CHECK(lab.out(1, "sminfo") == lab.out(2, "sminfo"));
  const std::string own = lab.out(1, "sminfo $(cat /sys/class/infiniband/ibp1s0f0/ports/1/lid)");
  CHECK(own.find("priority 5 state 2 SMINFO_STANDBY") != std::string::npos);
  lab.exec(2, "systemctl stop sm");
  CHECK(lab.out(2, "sminfo").find("priority 5 state 3 SMINFO_MASTER") != std::string::npos);
  lab.manage(2, 5);
  const bool first = lab.out(1, "ibstat -p | head -n 1") < lab.out(2, "ibstat -p | head -n 1");
  CHECK(lab.port(2, "sm_lid") == lab.port(first ? 1 : 2, "lid"));
}

TEST_CASE("a unit that udev wants runs again after a boot, the guarded package does not", "[lab]") {
  SubnetLab lab;
  lab.manage(1, 5);
  CHECK(lab.out(1, "systemctl is-active sm opensm") == "active\ninactive\n");
  lab.reboot(1);
  CHECK(lab.out(1, "systemctl is-active sm opensm") == "active\ninactive\n");
  CHECK(lab.lab.read_file(pve(1), "/run/sm/sm.conf"));
  CHECK(
      lab.out(1, "systemctl list-units --all --plain --no-legend --no-pager 'sm*'") ==
      "sm.service loaded active running ours\n");
}

TEST_CASE("a manager whose port is taken waits for it", "[lab]") {
  SubnetLab lab;
  lab.manage(1, 5);
  lab.exec(1, "systemctl stop sm; rm -r /etc/systemd/system/opensm.service.d");
  lab.exec(1, "systemctl start opensm; systemctl start sm");
  CHECK(lab.out(1, "systemctl is-active sm") == "activating\n");
  lab.exec(1, "systemctl stop opensm");
  CHECK(lab.out(1, "systemctl is-active sm") == "active\n");
}

TEST_CASE("options are those that were read at the start", "[lab]") {
  SubnetLab lab;
  lab.manage(1, 5);
  const std::string before = lab.lab.digest(pve(1));
  lab.out(1, "sminfo; ibstat; systemctl list-units --all; rdma link");
  CHECK(lab.lab.digest(pve(1)) == before);
  lab.exec(1, "sed -i 's/sm_priority 5/sm_priority 7/' /etc/sm.conf");
  CHECK(lab.out(1, "sminfo").find("priority 5") != std::string::npos);
  lab.exec(1, "systemctl start sm");
  CHECK(lab.out(1, "sminfo").find("priority 5") != std::string::npos);
  lab.exec(1, "systemctl restart sm");
  CHECK(lab.out(1, "sminfo").find("priority 7") != std::string::npos);
}

TEST_CASE("of two statements about a port the later one counts", "[lab]") {
  const auto keys = [](const std::string& members) {
    return partition_keys(partition_rules("a=0x11 : " + members + ";\n"), 0x21, 0x11);
  };
  CHECK(keys("ALL=limited, 0x21=full") == std::vector<std::uint16_t>{0x7fff, 0x8011});
  CHECK(keys("0x21=full, ALL=limited") == std::vector<std::uint16_t>{0x7fff, 0x0011});
}

TEST_CASE("P_Keys follow the master's partitions; one mistake drops all of them", "[lab]") {
  SubnetLab lab;
  const std::string guid = lab.out(2, "ibstat -p | head -n 1").substr(0, 18);
  lab.manage(
      1,
      15,
      "Default=0x7fff, ipoib : ALL=limited, SELF=full;\n"
      "# the rest\nstore=0x8010, ipoib, mtu=5 : " +
          guid + "=full,\n SELF=limi;\n");
  CHECK(lab.port(1, "pkeys/0") == "0xffff\n");
  CHECK(lab.port(1, "pkeys/1") == "0x0010\n");
  CHECK(lab.port(2, "pkeys/0") == "0x7fff\n");
  CHECK(lab.port(2, "pkeys/1") == "0x8010\n");
  lab.manage(1, 15, "store=0x10 : ALL=full;\n");
  CHECK(lab.port(1, "pkeys/0") == "0xffff\n");
  CHECK(lab.port(2, "pkeys/0") == "0x7fff\n");
  CHECK(lab.port(2, "pkeys/1") == "0x8010\n");
  lab.manage(1, 15, "store=0x10 : ALL=full;\nDefault=0x7fff, ipoib ALL=limited;\n");
  CHECK(lab.port(2, "pkeys/0") == "0xffff\n");
  CHECK(lab.port(2, "pkeys/1") == "0x0000\n");
}

TEST_CASE("subnets end at a host: a card passes nothing on", "[lab]") {
  SubnetLab lab;
  for (int host = 1; host <= 3; ++host)
    lab.exec(host, "systemctl stop opensm");
  lab.manage(1, 3);
  CHECK(lab.port(2, "state") == "4: ACTIVE\n");
  CHECK(lab.port(3, "state") == "2: INIT\n");
}

TEST_CASE("IPoIB has a carrier and an MTU by the master's group", "[lab]") {
  SubnetLab lab;
  const std::string at = "/sys/class/net/ibp1s0f0/";
  for (int host = 1; host <= 2; ++host) {
    lab.exec(host, "systemctl stop opensm; ip link set ibp1s0f0 up");
    lab.exec(host, fmt::format("ip addr add 10.30.0.{}/24 dev ibp1s0f0", host));
  }
  CHECK(lab.out(1, "cat " + at + "carrier") == "0\n");
  CHECK(lab.exec(1, "ping -c 1 -W 1 10.30.0.2").exit_status == 1);
  lab.manage(1, 3, "Default=0x7fff, ipoib : ALL=full;\n");
  CHECK(lab.out(2, "cat " + at + "carrier") == "1\n");
  CHECK(lab.exec(1, "ping -c 1 -W 1 -M do -s 2016 10.30.0.2").exit_status == 0);
  CHECK(lab.exec(1, "ping -c 1 -W 1 -M do -s 2017 10.30.0.2").exit_status == 1);
  CHECK(lab.exec(1, "ip link set ibp1s0f0 mtu 4092").exit_status == 0);
  CHECK(lab.out(1, "cat " + at + "mtu") == "2044\n");
  CHECK(lab.exec(1, "ip link set ibp1s0f0 mtu 4093").exit_status == 2);
  lab.manage(1, 3, "Default=0x7fff, ipoib, mtu=5 : ALL=full;\n");
  CHECK(lab.out(1, "cat " + at + "mtu") == "4092\n");
  CHECK(lab.exec(1, "ping -c 1 -W 1 -M do -s 4064 10.30.0.2").exit_status == 0);
  // Enhanced IPoIB of mlx5.
  CHECK(lab.exec(1, "echo connected > " + at + "mode").exit_status != 0);
  CHECK(lab.out(1, "cat " + at + "mode") == "datagram\n");
  lab.manage(1, 3, "Default=0x7fff : ALL=full;\n");
  CHECK(lab.out(1, "cat " + at + "carrier") == "0\n");
}

TEST_CASE("without infiniband-diags there is no sminfo, without opensm no manager", "[lab]") {
  SubnetLab lab;
  lab.manage(1, 3);
  CHECK(lab.exec(1, "dpkg -r infiniband-diags; sminfo").exit_status == 127);
  lab.exec(2, "dpkg -r opensm");
  CHECK(lab.exec(2, "opensm --version").exit_status == 127);
  CHECK(lab.exec(2, "systemctl start opensm").exit_status == 5);
}

TEST_CASE(
    "ibnetdiscover lists both ends of a cable, and a port without one finds nothing", "[lab]") {
  SubnetLab lab;
  const std::string text = lab.out(1, "ibnetdiscover -C ibp1s0f0 -P 1");
  CHECK(text.find("# Initiated from node ") != std::string::npos);
  CHECK(text.find("\t\t# \"pve1 ibp1s0f0\"\n[1](") != std::string::npos);
  CHECK(text.find("\t\t# \"pve2 ibp1s0f0\"\n[1](") != std::string::npos);
  CHECK(text.find(" 4xEDR\n") != std::string::npos);
  CHECK(text.find("pve3") == std::string::npos);
  CHECK(lab.exec(1, "ibnetdiscover -C ibp1s0f1 -P 1").exit_status == 255);
}

TEST_CASE("two cards never have one GUID, whatever was drawn", "[lab]") {
  std::set<std::uint64_t> taken;
  std::vector<std::uint64_t> told;
  for (int host = 0; host < 3; ++host) {
    MachineProfile profile;
    profile.name = "pve1";
    LinuxMachine machine{std::move(profile), 1};
    Random same{7};
    machine.state.cards.push_back(make_card(*find_hardware("connectx-3"), 2, 0, same));
    tell_cards_apart(machine, taken);
    const Card& card = machine.state.cards.front();
    told.push_back(card.base_guid);
    CHECK(card.ports.at(1).guid == card.base_guid + 2);
  }
  CHECK(taken.size() == 3);
  CHECK(told.at(1) == told.at(0) + 0x10);
  CHECK(told.at(2) == told.at(0) + 0x20);
}

}  // namespace
}  // namespace fabric::lab
