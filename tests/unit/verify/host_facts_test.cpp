// SPDX-License-Identifier: Apache-2.0
// Facts of real hosts in ../shared: the neighbours that lldpd told of, and files of sysfs by their
// paths, as the script that reads a node's ports would have printed them. Where ../shared is not
// there, there is nothing to test.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/platform/link_tools/lldp_json.hpp"
#include "engine/value/json.hpp"
#include "providers/linux/machine/paths/path_tests.hpp"

#include "tests/support/catch.hpp"

namespace fabric::verify {
namespace {

struct HostDocument {
  std::string name;
  Value content;
};

std::vector<HostDocument> host_documents(const std::string& start) {
  const std::string folder = FABRIC_SOURCE_DIR "/../shared/domain/datasets/hostfacts";
  std::vector<HostDocument> all;
  if (!std::filesystem::is_directory(folder)) return all;
  for (const auto& entry : std::filesystem::directory_iterator{folder}) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(start)) continue;
    std::ifstream file{entry.path()};
    const std::string text{std::istreambuf_iterator<char>{file}, {}};
    auto content = parse_json(text, DuplicateKeys::last_wins);
    INFO(name << ": " << (content ? "" : content.error().message));
    REQUIRE(content);
    all.push_back({name, *std::move(content)});
  }
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  return all;
}

TEST_CASE("neighbours of real hosts are read", "[verify]") {
  for (const HostDocument& host : host_documents("gcm-eth")) {
    INFO(host.name);
    const Value* told = host.content.find("lldp_status");
    REQUIRE(told != nullptr);
    const auto neighbours = platform::parse_lldp_json(to_json(*told));
    REQUIRE(neighbours);
    // One cable is down, or the card that it belongs to is not there.
    const bool lacks_one = host.name.find("down") != std::string::npos ||
                           host.name.find("missing") != std::string::npos;
    REQUIRE(neighbours->size() == (lacks_one ? 1 : 2));
    std::set<std::string> interfaces;
    for (const Neighbour& neighbour : *neighbours) {
      interfaces.insert(neighbour.local_interface);
      CHECK(neighbour.protocol == "LLDP");
      CHECK(neighbour.chassis_name.starts_with("rscfee"));
      CHECK(neighbour.chassis_id_type == "mac");
      CHECK(neighbour.port_id_type == "ifname");
      CHECK_FALSE(neighbour.port_id.empty());
    }
    CHECK(interfaces.contains("enp97s0f0"));
    CHECK(interfaces.contains("enp225s0f0") == !lacks_one);
  }
}

// What the script asks of a node's /sys/class/net and /sys/class/infiniband.
std::string readings_text(const Map& files) {
  constexpr std::string_view kNet = "/net/";
  constexpr std::string_view kRdma = "/infiniband/";
  std::string text = "fabric-ports\n";
  std::set<std::string> devices;
  for (const auto& [path, content] : files) {
    const std::string lines = to_text(content);
    const std::string_view value = trim(lines);
    if (value.empty()) continue;
    const std::size_t net = path.find(kNet);
    const bool counts = path.ends_with("/carrier_changes") || path.ends_with("/carrier_down_count");
    if (net != std::string::npos && counts)
      text += fmt::format("{}:{}\n", path.substr(net + kNet.size()), value);
    const std::size_t rdma = path.find(kRdma);
    if (rdma == std::string::npos) continue;
    const std::string below = path.substr(rdma + kRdma.size());
    const std::string device = below.substr(0, below.find('/'));
    if (devices.insert(device).second)
      text += fmt::format("{}/pci:{}\n", device, path.substr(0, rdma));
    if (below.find("/ports/") != std::string::npos) text += fmt::format("{}:{}\n", below, value);
  }
  return text;
}

TEST_CASE("ports of real hosts are found in their sysfs", "[verify]") {
  for (const HostDocument& host : host_documents("gcm-learn")) {
    INFO(host.name);
    REQUIRE(host.content.as_map() != nullptr);
    const platform::PortReadings readings =
        platform::parse_port_readings(readings_text(*host.content.as_map()));
    CHECK(readings.why_not.empty());
    REQUIRE(readings.rdma.size() == 8);
    const bool is_slow = host.name.find("bad_") != std::string::npos;
    for (const platform::RdmaPort& port : readings.rdma) {
      INFO(port.str() << " at " << port.pci);
      CHECK(port.number == 1);
      CHECK(port.link_layer == "InfiniBand");
      CHECK(port.state == "ACTIVE");
      CHECK(port.gbps == (is_slow ? 100.0 : 200.0));
      const auto card = PciAddress::parse(port.pci);
      REQUIRE(card);
      // No GID was kept: the port is found by its card's function.
      CHECK(readings.rdma_of("ib0", *card, 1) == &port);
    }
    REQUIRE(readings.interfaces.size() == 8);
    for (int number = 0; number < 8; ++number) {
      const std::string device = fmt::format("ib{}", number);
      INFO(device);
      REQUIRE(readings.interfaces.contains(device));
      const Counters& counters = readings.interfaces.at(device);
      REQUIRE(counters.contains("carrier_changes"));
      CHECK(counters.at("carrier_changes") > 0);
    }
    // Its carrier comes and goes while the port itself says that it is active.
    const bool is_flapping = host.name.find("operstate_down") != std::string::npos;
    CHECK(readings.interfaces.at("ib4").at("carrier_changes") == (is_flapping ? 98U : 3U));
  }
}

}  // namespace
}  // namespace fabric::verify
