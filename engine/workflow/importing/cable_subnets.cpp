// SPDX-License-Identifier: Apache-2.0
#include "engine/workflow/importing/cable_subnets.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "engine/model/address.hpp"

namespace fabric::workflow {

namespace {

using description::End;
using Ports = std::vector<const providers::SeenPort*>;

constexpr std::uint32_t kShortestPair = 30;
constexpr std::uint32_t kUsualPair = 31;

// The smallest subnet that has them all as addresses of hosts, or, `cut_up`, as any.
std::optional<Subnet> around(const std::set<IpAddress>& addresses, bool cut_up) {
  for (std::uint32_t length = kShortestPair; length > 0 && !addresses.empty(); --length) {
    const auto subnet = Subnet::of_address(fmt::format("{}/{}", addresses.begin()->str(), length));
    if (!subnet) return std::nullopt;
    const bool all = std::all_of(addresses.begin(), addresses.end(), [&](const IpAddress& each) {
      return subnet->contains(each) && (cut_up || !subnet->is_reserved(each));
    });
    if (all) return *subnet;
  }
  return std::nullopt;
}

void add_loopbacks(const Ports& ports, description::Network& network) {
  std::set<IpAddress> addresses;
  for (const providers::SeenPort* port : ports) {
    const auto address = IpAddress::parse(port->loopback.substr(0, port->loopback.find('/')));
    if (!port->loopback.empty() && address) addresses.insert(*address);
  }
  const std::optional<Subnet> subnet = around(addresses, false);
  if (!subnet) return;
  network.loopback = subnet->str();
  network.transit =
      std::all_of(ports.begin(), ports.end(), [](const auto* port) { return port->transit; });
}

}  // namespace

std::string pair_subnet(const std::string& address) {
  const Result<Subnet> subnet = Subnet::of_address(address);
  const bool is_pair =
      !address.empty() && subnet && address.find(':') == std::string::npos &&
      (subnet->prefix_length() == kShortestPair || subnet->prefix_length() == kUsualPair);
  return is_pair ? subnet->str() : "";
}

bool has_cable_subnets(const Ports& ports) {
  std::set<std::string> subnets;
  for (const providers::SeenPort* port : ports) {
    const std::string subnet = pair_subnet(port->address);
    if (subnet.empty() || port->mode != "ethernet") return false;
    subnets.insert(subnet);
  }
  return subnets.size() > 1;
}

void add_cable_subnets(const Ports& ports, description::Network& network) {
  std::map<std::string, std::vector<End>> by_subnet;
  std::set<IpAddress> addresses;
  std::uint32_t prefix = kUsualPair;
  for (const providers::SeenPort* port : ports) {
    const std::string subnet = pair_subnet(port->address);
    by_subnet[subnet].push_back(port->end);
    prefix = Subnet::parse(subnet)->prefix_length();
    const std::string address = port->address.substr(0, port->address.find('/'));
    network.ipv4.of.emplace(port->end, address);
    if (const auto parsed = IpAddress::parse(address)) addresses.insert(*parsed);
  }
  for (const auto& [subnet, ends] : by_subnet) {
    const auto is_left = [&network](const End& end) {
      return std::find(network.ports.begin(), network.ports.end(), end) != network.ports.end();
    };
    if (ends.size() != 2 || !is_left(ends[0]) || !is_left(ends[1])) continue;
    network.cables.push_back({ends[0], ends[1]});
    std::erase(network.ports, ends[0]);
    std::erase(network.ports, ends[1]);
  }
  const std::optional<Subnet> all = around(addresses, true);
  network.ipv4.subnet = all ? all->str() : "";
  network.ipv4.per_cable = true;
  if (prefix != kUsualPair) network.ipv4.prefix = prefix;
  add_loopbacks(ports, network);
}

}  // namespace fabric::workflow
