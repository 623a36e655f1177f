// SPDX-License-Identifier: Apache-2.0
#include <set>

#include "engine/lab/lab.hpp"
#include "providers/linux/lab/linux_machine.hpp"
#include "providers/linux/lab/services/subnet_manager.hpp"

#include "tests/unit/lab/pair_lab.hpp"

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
  explicit SubnetLab(LabSpec spec = {}) : RingLab{subnet_document(), std::move(spec)} {
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

constexpr const char* kStore =
    "Default=0x7fff, ipoib : ALL=full;\nstore=0x10, ipoib, mtu=5 : ALL=full;\n";

TEST_CASE("a child of IPoIB joins the group of its P_Key, not its parent's", "[lab]") {
  SubnetLab lab;
  const std::string net = "/sys/class/net/";
  const std::string parent = net + "ibp1s0f0";
  lab.exec(2, "systemctl stop opensm");
  lab.manage(1, 3, kStore);
  CHECK(lab.exec(1, "echo 0x8010 > " + parent + "/create_child").exit_status == 0);
  CHECK(lab.exec(1, "echo 0x8010 > " + parent + "/create_child").exit_status != 0);
  CHECK(lab.exec(1, "echo 0x8000 > " + parent + "/create_child").exit_status != 0);
  CHECK(lab.exec(1, "echo 0x8011 > " + net + "ibp1s0f0.8010/create_child").exit_status != 0);
  CHECK(lab.exec(2, "ip link add link ibp1s0f0 name c type ipoib pkey 0x8010").exit_status == 0);
  CHECK(lab.exec(2, "ip link add link eno1 name d type ipoib pkey 0x8010").exit_status == 2);
  lab.exec(1, "ip addr add 10.7.0.1/24 dev ibp1s0f0.8010; ip link set ibp1s0f0.8010 up");
  lab.exec(2, "ip addr add 10.7.0.2/24 dev c; ip link set c up");
  // The parents are down.
  CHECK(lab.out(2, "cat " + net + "c/carrier " + net + "c/mtu") == "1\n4092\n");
  CHECK(lab.exec(1, "ping -c 1 -W 1 -M do -s 4064 10.7.0.2").exit_status == 0);
  // Only one that create_child made has files of its own, and none has its card's.
  CHECK(
      lab.out(1, "cd " + net + "ibp1s0f0.8010; cat pkey parent mode") ==
      "0x8010\nibp1s0f0\ndatagram\n");
  CHECK(lab.exec(2, "cat " + net + "c/pkey").exit_status == 1);
  CHECK(lab.exec(1, "test -e " + net + "ibp1s0f0.8010/device").exit_status == 1);
  CHECK(
      lab.out(2, "ip -j -d link show c")
          .find(R"("info_kind":"ipoib","info_data":{"key":"0x8010","mode":"datagram")") !=
      std::string::npos);
  CHECK(lab.out(2, "ip -o link show c").find(": c@ibp1s0f0: <") != std::string::npos);
  // Another partition is another network.
  lab.exec(
      1,
      "ip link add link ibp1s0f0 name e type ipoib pkey 0x8011; ip addr flush dev ibp1s0f0.8010");
  lab.exec(1, "ip addr add 10.7.0.1/24 dev e; ip link set e up");
  CHECK(lab.out(1, "cat " + net + "e/carrier") == "0\n");
  lab.exec(1, "ip link delete e; ip link set ibp1s0f0 up; ip addr add 10.7.0.1/24 dev ibp1s0f0");
  CHECK(lab.exec(1, "ping -c 1 -W 1 10.7.0.2").exit_status == 1);
  // A port that has lost the key.
  lab.manage(
      1,
      3,
      "Default=0x7fff, ipoib : ALL=full;\nstore=0x10, ipoib : " +
          lab.out(1, "ibstat -p | head -n 1").substr(0, 18) + "=full;\n");
  CHECK(
      lab.out(1, "cat " + net + "ibp1s0f0.8010/carrier " + net + "ibp1s0f0.8010/mtu") ==
      "1\n2044\n");
  CHECK(lab.out(2, "cat " + net + "c/carrier") == "0\n");
  lab.exec(1, "ip link set ibp1s0f0 down");
  CHECK(lab.out(1, "cat " + net + "ibp1s0f0.8010/operstate") == "down\n");
  CHECK(lab.exec(1, "echo 0x8010 > " + parent + "/delete_child").exit_status == 0);
  CHECK(lab.exec(2, "echo 0x8010 > " + parent + "/delete_child").exit_status != 0);
  CHECK(lab.out(1, "ls " + net).find("8010") == std::string::npos);
}

TEST_CASE("the back ends make children of IPoIB as their tools do", "[lab]") {
  const auto both = [](SubnetLab& lab, const std::string& path, const std::string& text) {
    for (int host = 1; host <= 2; ++host) {
      std::string own = text;
      for (std::size_t at = own.find('%'); at != std::string::npos; at = own.find('%'))
        own.replace(at, 1, std::to_string(host));
      lab.exec(host, "cat > " + path + "; chmod 600 " + path, own);
    }
  };
  const std::string backend = GENERATE("networkd", "ifupdown", "networkmanager", "ifcfg");
  CAPTURE(backend);
  SubnetLab lab{with_backend(backend)};
  lab.exec(2, "systemctl stop opensm");
  lab.manage(1, 3, kStore);
  const std::string name = "ibp1s0f0.8010";
  const std::string folder = "/etc/systemd/network/10-";
  if (backend == "networkd") {
    both(
        lab,
        folder + "c.netdev",
        "[NetDev]\nName=" + name + "\nKind=ipoib\nMACAddress=none\n[IPoIB]\nPartitionKey=0x8010\n");
    both(lab, folder + "p.network", "[Match]\nName=ibp1s0f0\n[Network]\nIPoIB=" + name + "\n");
    both(lab, folder + "c.network", "[Match]\nName=" + name + "\n[Network]\nAddress=10.7.0.%/24\n");
  } else if (backend == "ifupdown") {
    both(
        lab,
        "/etc/network/interfaces.d/c",
        "auto " + name + "\niface " + name + " inet static\n address 10.7.0.%/24\n");
  } else if (backend == "networkmanager") {
    both(
        lab,
        "/etc/NetworkManager/system-connections/c.nmconnection",
        "[connection]\nid=c\nuuid=0ef05eb6-0015-4550-afed-c7240450fca%\ntype=infiniband\n"
        "[infiniband]\np-key=16\nparent=ibp1s0f0\ntransport-mode=datagram\n"
        "[ipv4]\naddress1=10.7.0.%/24\nmethod=manual\n");
  } else {
    both(
        lab,
        "/etc/sysconfig/network-scripts/ifcfg-" + name,
        "DEVICE=" + name +
            "\nTYPE=InfiniBand\nONBOOT=yes\nPKEY=yes\nPKEY_ID=0x0010\nPHYSDEV=ibp1s0f0\n"
            "IPADDR=10.7.0.%\nPREFIX=24\n");
  }
  for (int host = 1; host <= 2; ++host)
    lab.reboot(host);
  CHECK(lab.exec(2, "ping -c 1 -W 1 -M do -s 4064 10.7.0.1").exit_status == 0);
  const bool by_netlink = backend == "networkd";
  CHECK((lab.exec(1, "test -e /sys/class/net/" + name + "/pkey").exit_status != 0) == by_netlink);
  if (backend == "ifupdown" || backend == "ifcfg") {
    lab.exec(1, "ifdown " + name);
    CHECK(lab.exec(1, "ip link show " + name).exit_status == 1);
  }
  if (backend == "networkmanager") {
    lab.exec(1, "nmcli connection down c");
    CHECK(lab.exec(1, "ip link show " + name).exit_status == 1);
  }
  if (!by_netlink) return;
  // With an address that networkd makes up it never joins.
  lab.exec(1, "sed -i /MACAddress/d " + folder + "c.netdev; ip link delete " + name);
  lab.exec(1, "systemctl restart systemd-networkd");
  CHECK(lab.out(1, "cat /sys/class/net/" + name + "/carrier") == "0\n");
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
