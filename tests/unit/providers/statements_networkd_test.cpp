// SPDX-License-Identifier: Apache-2.0
// What its rows can't show of a format: several lines, several files.
#include <fmt/format.h>

#include "providers/linux/kinds/interface/backends/backend_table.hpp"
#include "providers/linux/kinds/interface/link_statements.hpp"
#include "providers/linux/kinds/interface/statements/file_statement.hpp"

#include "tests/unit/providers/rows/networkd.hpp"

namespace fabric::providers {

namespace {

using namespace test;

TEST_CASE("every key of systemd.network(5) and systemd.netdev(5) has a class", "[providers]") {
  for (const Row& row : kNetworkdRows) {
    const std::string key = row.key;
    const std::size_t dot = key.find('.');
    const std::string section = key.substr(0, dot);
    const bool netdev = section == "NetDev" || section == "Bond" || section == "VLAN";
    const std::string head = netdev ? "[NetDev]\nName=" + name_of(row.of) +
                                          "\nKind=" + (row.of == Of::vlan ? "vlan" : "bond") + "\n"
                                    : "[Match]\nName=" + name_of(row.of) + "\n";
    const std::string content =
        head + "[" + section + "]\n" + key.substr(dot + 1) + "=" + row.value + "\n";
    INFO(content);
    const Format format{
        networkd_backend(),
        std::string{"/etc/systemd/network/05-theirs."} + (netdev ? "netdev" : "network")};
    CHECK(class_of(statements(format, row.of, content), row.key) == expected(row));
  }
}

TEST_CASE("a section of networkd that stands several times is judged as one", "[providers]") {
  const Format format{networkd_backend(), "/etc/systemd/network/05-theirs.network"};
  const std::string head = "[Match]\nName=enp1s0f0np0\n";
  const auto plain = statements(
      format, Of::port, head + "[Route]\nDestination=10.9.0.0/16\nGateway=10.30.0.254\n");
  CHECK(
      class_of(plain, "Route.Destination") ==
      "sayable: networks: {storage: {ipv4: {routes: [{to: \"10.9.0.0/16\", via: "
      "\"10.30.0.254\"}]}}}");
  CHECK(class_of(plain, "Route.Gateway") == class_of(plain, "Route.Destination"));
  const auto more = statements(
      format,
      Of::port,
      head +
          "[Route]\nDestination=10.9.0.0/16\nGateway=10.30.0.254\nTable=7\n"
          "[Address]\nAddress=10.30.0.1/24\nPeer=10.30.0.2\n");
  for (const char* key :
       {"Route.Destination", "Route.Gateway", "Route.Table", "Address.Address", "Address.Peer"})
    CHECK(class_of(more, key) == "not");
}

TEST_CASE("a drop-in of a file that goes is told with it", "[providers]") {
  bonding::Node node;
  const std::string path = "/etc/systemd/network/05-theirs.network";
  const std::string content = "[Match]\nName=enp1s0f0np0\n";
  node.files = bonding::as_files(path, content) +
               bonding::as_files(path + ".d/more.conf", "[Network]\nDNS=10.30.0.254\n");
  const NodeFacts facts = node.facts();
  const LinkTarget target =
      find_link(wanted(Of::port), inventory_of(facts), running_links(facts)).target;
  const auto read = file_statements(target, {path, 2}, network_files(facts));
  REQUIRE(read.size() == 2);
  CHECK(read[1].file == path + ".d/more.conf");
  CHECK(read[1].line == 2);
  CHECK(read[1].key == "Network.DNS");
}

// The document calls the port rail0.
Resource renamed() {
  Resource port = wanted(Of::port);
  port.binding.emplace("name", "rail0");
  return port;
}

constexpr const char* kLink = "/etc/systemd/network/10-rail.link";
constexpr const char* kOurLink = "/etc/systemd/network/10-fabric-cx5.1.link";

TEST_CASE("a .link file that fabric's puts out of force is told", "[providers]") {
  const Format format{networkd_backend(), kLink};
  constexpr Row kRows[] = {
      {Of::port, "Link.Name", "rail0", "said"},
      {Of::port, "Link.Name", "rail9", "otherwise: rail0"},
      {Of::port, "Link.NamePolicy", "path", "said"},
      {Of::port, "Link.AlternativeNamesPolicy", "path", ""},
      {Of::port, "Link.MACAddressPolicy", "persistent", "said"},
      {Of::port, "Link.MACAddressPolicy", "random", ""},
      {Of::port, "Link.MTUBytes", "9000", "said"},
      {Of::port, "Link.MTUBytes", "4200", "otherwise: 9000"},
      {Of::port, "Link.Description", "rail", "said"},
      {Of::port, "Link.SR-IOVVirtualFunctions", "4", "said"},
      {Of::port, "Link.RxBufferSize", "4096", ""},
      {Of::port, "Link.GenericReceiveOffload", "no", ""},
      {Of::port, "Link.WakeOnLan", "magic", ""},
      {Of::port, "SR-IOV.Trust", "yes", ""}};
  for (const Row& row : kRows) {
    const std::string key = row.key;
    const std::size_t dot = key.find('.');
    const auto content = [&](const char* match) {
      return fmt::format(
          "[Match]\n{}\n[{}]\n{}={}\n", match, key.substr(0, dot), key.substr(dot + 1), row.value);
    };
    // It goes with a file of its own, and stays in one of others.
    for (const char* match :
         {"OriginalName=enp1s0f0np0",
          "Path=pci-0000:01:00.0",
          "Driver=mlx5_core",
          "OriginalName=*"}) {
      INFO(content(match));
      CHECK(class_of(statements(format, renamed(), content(match)), key) == expected(row));
    }
  }
}

TEST_CASE("which files of others fabric's name of a port touches", "[providers]") {
  const auto entries = [](const std::string& files, const Resource& port) {
    bonding::Node node;
    node.files = files;
    const NodeFacts facts = node.facts();
    const FoundLink link = find_link(port, inventory_of(facts), running_links(facts));
    std::string found;
    for (const ForeignEntry& each : foreign_entries(link, networkd_backend(), network_files(facts)))
      found += each.path.substr(each.path.rfind('/') + 1) +
               (each.stays                   ? " stays"
                : each.not_adoptable.empty() ? " goes"
                                             : " refused") +
               "; ";
    return found;
  };
  const auto link = [](const std::string& name, const std::string& match) {
    return bonding::as_files("/etc/systemd/network/" + name, "[Match]\n" + match + "\n[Link]\n");
  };
  const std::string own = bonding::as_files(
      kOurLink,
      "# managed by fabric: pve1/link_name/cx5.1\n[Match]\nPath=pci-0000:01:00.0\nType=ether\n\n"
      "[Link]\nName=rail0\n");
  CHECK(
      entries(link("10-rail.link", "OriginalName=enp1s0f0np0"), renamed()) ==
      "10-rail.link goes; ");
  CHECK(
      entries(link("05-rail.link", "OriginalName=enp1s0f0np0"), renamed()) ==
      "05-rail.link goes; ");
  CHECK(entries(link("50-all.link", "Driver=mlx5_core"), renamed()) == "50-all.link stays; ");
  CHECK(entries(link("05-all.link", "Driver=mlx5_core"), renamed()) == "05-all.link refused; ");
  CHECK(entries(link("50-all.link", "Driver=ixgbe"), renamed()).empty());
  CHECK(entries(link("10-rail.link", "OriginalName=enp1s0f1np1"), renamed()).empty());
  // Where the name is written, what comes after it has no part in anything.
  CHECK(entries(own + link("10-rail.link", "OriginalName=enp1s0f0np0"), renamed()).empty());
  CHECK(
      entries(own + link("05-all.link", "Driver=mlx5_core"), renamed()) == "05-all.link refused; ");
  // Without a name of the document udev takes theirs as before.
  CHECK(entries(link("10-rail.link", "OriginalName=enp1s0f0np0"), wanted(Of::port)).empty());
  // Of several udev takes the first.
  CHECK(
      entries(
          link("50-all.link", "Driver=mlx5_core") + link("10-rail.link", "OriginalName=*"),
          renamed()) == "10-rail.link stays; ");
  const std::string of_all = bonding::as_files(
      "/etc/systemd/network/50-all.network", "[Match]\nName=en*\n[Network]\nDHCP=yes\n");
  CHECK(entries(of_all, wanted(Of::port)) == "50-all.network stays; ");
  CHECK(entries(of_all, renamed()) == "50-all.network stays; ");
  CHECK(entries(
            of_all + bonding::as_files(
                         "/etc/systemd/network/10-fabric-cx5.1.network",
                         "# managed by fabric: pve1/interface/cx5.1\n[Match]\n"),
            wanted(Of::port))
            .empty());
  // What knows the port by the name that goes.
  CHECK(
      entries(
          bonding::as_files(
              "/etc/systemd/network/50-p.network",
              "[Match]\nName=enp1s0f0np0\n[Network]\nDNS=::1\n"),
          renamed()) == "50-p.network goes; ");
}

TEST_CASE("a VLAN on the name that goes is named", "[providers]") {
  bonding::Node node;
  node.links += bonding::link("enp1s0f0np0.300", {"mtu:1500"}) +
                "/proc/net/vlan/config:enp1s0f0np0.300  | 300  | enp1s0f0np0\n";
  const NodeFacts facts = node.facts();
  const FoundLink link = find_link(renamed(), inventory_of(facts), running_links(facts));
  REQUIRE(running_links(facts).above("enp1s0f0np0").size() == 1);
  CHECK(class_of(link_statements(renamed(), link, networkd_backend(), {}, facts), "vlan") == "not");
}

TEST_CASE("the primary slave is said where the document names it", "[providers]") {
  Resource slave = wanted(Of::slave);
  slave.binding.emplace("primary", "cx5.1");
  for (const char* value : {"yes", "true", "1", "on"})
    CHECK(
        class_of(
            statements(
                {networkd_backend(), "/etc/systemd/network/05-theirs.network"},
                slave,
                fmt::format("[Match]\nName=enp1s0f0np0\n[Network]\nPrimarySlave={}\n", value)),
            "Network.PrimarySlave") == "said");
}

}  // namespace

}  // namespace fabric::providers
