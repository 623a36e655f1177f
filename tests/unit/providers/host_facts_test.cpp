// SPDX-License-Identifier: Apache-2.0
// Facts of real hosts in ../shared, as a health checker kept them: what `ip` printed, ifcfg files
// as mappings, the speed of links, and files of sysfs by their paths. Each part goes to the reader
// that takes it on a node. Where ../shared is not there, there is nothing to test.
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/value/json.hpp"
#include "providers/linux/kinds/adapter/inventory.hpp"
#include "providers/linux/kinds/interface/link/running_state.hpp"
#include "providers/linux/parsers/config_files.hpp"
#include "providers/parsers/ip_json.hpp"
#include "providers/parsers/proc_bonding.hpp"

#include "tests/unit/providers/fixture.hpp"

namespace fabric::providers {
namespace {

struct HostDocument {
  std::string name;
  Value content;
};

std::vector<HostDocument> host_documents() {
  const std::string folder = FABRIC_SOURCE_DIR "/../shared/domain/datasets/hostfacts";
  std::vector<HostDocument> all;
  if (!std::filesystem::is_directory(folder)) return all;
  for (const auto& entry : std::filesystem::directory_iterator{folder}) {
    const std::string path = entry.path().string();
    auto content = parse_json(remote::test::read_text(path), DuplicateKeys::last_wins);
    INFO(path << ": " << (content ? "" : content.error().message));
    REQUIRE(content);
    all.push_back({entry.path().filename().string(), *std::move(content)});
  }
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  return all;
}

bool is_of_sysfs(const HostDocument& host) {
  const Map* files = host.content.as_map();
  return files != nullptr && !files->empty() && files->begin()->first.starts_with("/sys/");
}

// Of a host that is no map of sysfs: every one of them has all parts.
Value host_part(const HostDocument& host, std::string_view key) {
  const Value* found = host.content.find(key);
  INFO(host.name << " has no " << key);
  REQUIRE(found != nullptr);
  return *found;
}

std::vector<IpLink> host_links(const HostDocument& host) {
  auto links = parse_ip_json(to_json(host_part(host, "intf_status")));
  INFO(host.name << ": " << (links ? "" : links.error().message));
  REQUIRE(links);
  return *std::move(links);
}

bool is_listed(const std::vector<IpLink>& links, const std::string& name) {
  return std::any_of(
      links.begin(), links.end(), [&name](const IpLink& link) { return link.name == name; });
}

TEST_CASE("each data set of host facts is of one of two kinds", "[providers]") {
  for (const HostDocument& host : host_documents()) {
    INFO(host.name);
    CHECK(is_of_sysfs(host) == !host.name.starts_with("gcm-eth"));
    CHECK(is_of_sysfs(host) == (host.content.find("intf_status") == nullptr));
  }
}

TEST_CASE("interfaces of real hosts are read", "[providers]") {
  for (const HostDocument& host : host_documents()) {
    if (is_of_sysfs(host)) continue;
    INFO(host.name);
    const Value printed = host_part(host, "intf_status");
    REQUIRE(printed.as_list() != nullptr);
    const std::vector<IpLink> links = host_links(host);
    REQUIRE(links.size() == printed.as_list()->size());
    for (std::size_t i = 0; i < links.size(); ++i) {
      const Value& told = (*printed.as_list())[i];
      INFO(links[i].name);
      CHECK(links[i].name == told.string_or_empty("ifname"));
      CHECK(links[i].operstate == told.string_or_empty("operstate"));
      CHECK(links[i].link_type == told.string_or_empty("link_type"));
      CHECK(links[i].admin_up);
      REQUIRE(told.find("mtu") != nullptr);
      CHECK(*told.find("mtu") == Value{links[i].mtu});
      REQUIRE(told.find("addr_info") != nullptr);
      REQUIRE(told.find("addr_info")->as_list() != nullptr);
      CHECK(links[i].addresses.size() == told.find("addr_info")->as_list()->size());
    }
  }
}

TEST_CASE("ifcfg files of real hosts are read", "[providers]") {
  for (const HostDocument& host : host_documents()) {
    if (is_of_sysfs(host)) continue;
    const std::vector<IpLink> links = host_links(host);
    const Value files = host_part(host, "intf_ifcfg");
    REQUIRE(files.as_map() != nullptr);
    CHECK(files.as_map()->size() == 2);
    for (const auto& [device, lines] : *files.as_map()) {
      INFO(host.name << ": " << device);
      // The host without the card has no file of it either.
      CHECK(lines.is_null() == !is_listed(links, device));
      if (lines.is_null()) continue;
      REQUIRE(lines.as_map() != nullptr);
      std::string text;
      for (const auto& [key, value] : *lines.as_map())
        text += fmt::format("{}={}\n", key, to_text(value));
      const auto read = parse_ifcfg(text);
      INFO((read ? "" : read.error().message));
      REQUIRE(read);
      const Value* values = read->find("values");
      REQUIRE(values != nullptr);
      REQUIRE(values->as_map() != nullptr);
      CHECK(values->as_map()->size() == lines.as_map()->size());
      CHECK(values->string_or_empty("DEVICE") == device);
      CHECK(values->string_or_empty("MASTER") == "front0");
      CHECK(values->string_or_empty("SLAVE") == "yes");
      CHECK(values->string_or_empty("MTU") == "9192");
      // Written as "".
      REQUIRE(values->find("IPV6ADDR_SECONDARIES") != nullptr);
      CHECK(values->string_or_empty("IPV6ADDR_SECONDARIES").empty());
    }
  }
}

// The files have the speeds as bare numbers of megabits, which the bonding driver prints of its
// slaves; it says nothing of one that is not there.
TEST_CASE("speeds of real links are read as the bonding driver prints them", "[providers]") {
  for (const HostDocument& host : host_documents()) {
    if (is_of_sysfs(host)) continue;
    const std::vector<IpLink> links = host_links(host);
    const Value speeds = host_part(host, "link_speed");
    REQUIRE(speeds.as_map() != nullptr);
    std::string text = "Bonding Mode: IEEE 802.3ad Dynamic link aggregation\n";
    std::vector<std::string> slaves;
    for (const auto& [device, speed] : *speeds.as_map()) {
      INFO(host.name << ": " << device);
      CHECK(to_text(speed).empty() == !is_listed(links, device));
      if (device == "front0" || to_text(speed).empty()) continue;
      slaves.push_back(device);
      text += fmt::format(
          "\nSlave Interface: {}\nMII Status: up\nSpeed: {} Mbps\n", device, to_text(speed));
    }
    INFO(host.name << ": " << text);
    const auto bond = parse_proc_bonding(text);
    REQUIRE(bond);
    REQUIRE(bond->slaves.size() == slaves.size());
    REQUIRE_FALSE(slaves.empty());
    const std::int64_t expected = host.name.find("degraded") == std::string::npos ? 200000 : 100000;
    for (std::size_t i = 0; i < slaves.size(); ++i) {
      CHECK(bond->slaves[i].name == slaves[i]);
      CHECK(bond->slaves[i].speed_mbps == expected);
    }
  }
}

// As `grep -H . FILE` prints them, which is how the probes do. The slot's own files stand below
// another path there; the number of the device is all that is missing: an HDR card of 2020.
std::string printed_files(const Map& files) {
  constexpr std::string_view kSlots = "/sys/class/pci_bus/";
  std::string text;
  for (const auto& [path, content] : files) {
    std::string shown = path;
    const std::size_t slot = path.find("/device/");
    if (path.starts_with(kSlots) && slot != std::string::npos)
      shown = "/sys/bus/pci/devices/" + path.substr(slot + std::string_view{"/device/"}.size());
    const std::string lines = to_text(content);
    for (const std::string_view line : split_lines(std::string_view{lines})) {
      if (!line.empty()) text += fmt::format("{}:{}\n", shown, line);
    }
    const std::size_t card = path.find("/infiniband/");
    if (card != std::string::npos && path.ends_with("/node_guid"))
      text += path.substr(0, card) + "/device:0x101b\n";
  }
  return text;
}

std::string sysfs_text(const Map& files, const std::string& path) {
  const auto found = files.find(path);
  return found == files.end() ? std::string{} : std::string{trim(to_text(found->second))};
}

TEST_CASE("cards of real hosts are found in their sysfs", "[providers]") {
  for (const HostDocument& host : host_documents()) {
    if (!is_of_sysfs(host)) continue;
    INFO(host.name);
    const Map& files = *host.content.as_map();
    const std::vector<Card> cards = inventory_of(test::node_facts({{"pci", printed_files(files)}}));
    REQUIRE(cards.size() == 8);
    for (const Card& card : cards) {
      INFO(card.address.str());
      const std::string folder = "/sys/bus/pci/devices/" + card.address.str();
      REQUIRE(card.ports.size() == 1);
      const AdapterPort& port = card.ports.front();
      CHECK(port.number == 1);
      CHECK(port.link_layer == LinkLayer::infiniband);
      CHECK(port.mtu == 2044);
      CHECK_FALSE(port.netdev_is_ethernet);
      // The names are those of the folders: what was read is of this card.
      CHECK(files.contains(fmt::format("{}/net/{}/mtu", folder, port.netdev)));
      const std::string device = fmt::format("{}/infiniband/{}", folder, port.rdma_device);
      CHECK(files.contains(device + "/node_guid"));
      CHECK(port.rdma_ports == 1);
      CHECK(card.firmware == sysfs_text(files, device + "/fw_ver"));
      // Their owner wrote "node_guid" over it: that is no GUID, and none is made of it.
      CHECK_FALSE(port.node_guid.has_value());
      CHECK_FALSE(port.port_guid.has_value());
      // The others tell nothing of the slots, and their owner wrote over the version too.
      const bool is_whole = host.name == "gcm-learn_good.json";
      CHECK(card.firmware == (is_whole ? "20.31.2354" : "fw_ver"));
      CHECK(card.pcie_speed == (is_whole ? "16 GT/s" : ""));
      CHECK(card.pcie_width.value_or(0) == (is_whole ? 16 : 0));
    }
  }
}

TEST_CASE("running interfaces of real hosts are found in their sysfs", "[providers]") {
  for (const HostDocument& host : host_documents()) {
    if (!is_of_sysfs(host)) continue;
    INFO(host.name);
    std::string text;
    for (const auto& [path, content] : *host.content.as_map()) {
      const std::size_t net = path.find("/net/");
      const bool is_asked =
          path.ends_with("/mtu") || path.ends_with("/mode") || path.ends_with("/type");
      if (net == std::string::npos || !is_asked) continue;
      text += fmt::format("/sys/class{}:{}\n", path.substr(net), trim(to_text(content)));
    }
    const NodeFacts facts = test::node_facts({{"link-details", text}});
    const RunningLinks& links = running_links(facts);
    for (int number = 0; number < 8; ++number) {
      const std::string device = fmt::format("ib{}", number);
      INFO(device);
      CHECK(links.exists(device));
      CHECK(links.file(device, "mtu") == "2044");
      CHECK(links.file(device, "mode") == "datagram");
      CHECK(links.file(device, "type") == "32");
      CHECK(links.master(device).empty());
    }
    CHECK_FALSE(links.exists("ib8"));
  }
}

}  // namespace
}  // namespace fabric::providers
