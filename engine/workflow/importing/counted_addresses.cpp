// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/model/address.hpp"
#include "engine/workflow/importing/seen_fabric.hpp"

namespace fabric::workflow {

namespace {

using description::Addresses;
using description::End;

// "10.30.0.1" of "10.30.0.1/24".
std::string without_length(const std::string& address) {
  return address.substr(0, address.find('/'));
}

std::optional<std::uint64_t> host_number(const std::string& node) {
  const std::size_t end = node.find_last_not_of("0123456789");
  const std::string digits = node.substr(end == std::string::npos ? 0 : end + 1);
  const std::optional<std::uint64_t> number = parse_unsigned(digits, 10);
  return number && *number != 0 ? number : std::nullopt;
}

// The fields of a port for one family of addresses.
struct Family {
  std::string providers::SeenPort::*address;
  std::string providers::SeenPort::*gateway;
  std::vector<std::pair<std::string, std::string>> providers::SeenPort::*routes;
};
constexpr Family kIpv4{
    &providers::SeenPort::address, &providers::SeenPort::gateway, &providers::SeenPort::routes};
constexpr Family kIpv6{
    &providers::SeenPort::address6, &providers::SeenPort::gateway6, &providers::SeenPort::routes6};

// The subnet that most of the addresses are in; the first by address of several.
std::optional<Subnet> subnet_of_most(
    const std::vector<const providers::SeenPort*>& ports, const Family& family) {
  std::map<Subnet, std::size_t> counts;
  for (const providers::SeenPort* port : ports) {
    const Result<Subnet> subnet = Subnet::of_address(port->*family.address);
    if (!(port->*family.address).empty() && subnet) ++counts[*subnet];
  }
  std::optional<Subnet> found;
  std::size_t most = 0;
  for (const auto& [subnet, count] : counts) {
    if (count <= most) continue;
    most = count;
    found = subnet;
  }
  return found;
}

// True if a document counts these addresses: by node, or by port where a node has `ports_each`.
bool counts_so(
    const std::map<End, std::string>& found, const Subnet& subnet, std::uint64_t ports_each) {
  std::map<std::string, std::uint64_t> next;
  for (const auto& [end, address] : found) {
    const std::optional<std::uint64_t> host = host_number(end.node);
    if (!host) return false;
    const std::uint64_t number = (*host - 1) * ports_each + ++next[end.node];
    const Result<IpAddress> counted = subnet.host(number);
    if (!counted || counted->str() != address) return false;
  }
  return true;
}

void add_routes(
    Addresses& to,
    const std::vector<const providers::SeenPort*>& ports,
    const Family& family,
    std::vector<std::string>& notes) {
  const providers::SeenPort* first = nullptr;
  for (const providers::SeenPort* port : ports) {
    if ((port->*family.address).empty()) continue;
    if (first == nullptr) first = port;
    const bool same = port->*family.gateway == first->*family.gateway &&
                      port->*family.routes == first->*family.routes;
    if (same) continue;
    notes.push_back(fmt::format(
        "CHANGE: {} and {} have different routes, but a network has one list: the routes are left "
        "out",
        first->end.node,
        port->end.node));
    return;
  }
  if (first == nullptr) return;
  to.gateway = first->*family.gateway;
  to.routes = first->*family.routes;
}

Addresses addresses_of_family(
    const std::vector<const providers::SeenPort*>& ports,
    const Family& family,
    std::vector<std::string>& notes) {
  Addresses result;
  const std::optional<Subnet> subnet = subnet_of_most(ports, family);
  if (!subnet) return result;
  result.subnet = subnet->str();
  add_routes(result, ports, family, notes);
  std::map<End, std::string> found;
  std::map<std::string, std::uint64_t> ports_of;
  for (const providers::SeenPort* port : ports) {
    const bool is_lag = port->mode == "lag";
    const End end = is_lag ? End{port->end.node, "", ""} : port->end;
    const std::string& address = port->*family.address;
    if (address.empty()) continue;
    const Result<Subnet> own = Subnet::of_address(address);
    if (!own || *own != *subnet) {
      notes.push_back(fmt::format(
          "left out: {}/{} has the address {}", port->end.node, port->end.adapter, address));
      continue;
    }
    if (found.emplace(end, without_length(address)).second) ++ports_of[end.node];
  }
  std::uint64_t most = 1;
  for (const auto& [node, count] : ports_of)
    most = std::max(most, count);
  const bool is_chain = ports.front()->mode == "chain";
  if (counts_so(found, *subnet, most)) {
    result.per_port = most > 1 && !is_chain;
    return result;
  }
  for (const auto& [end, address] : found) {
    const bool by_node = ports_of[end.node] == 1 && !is_chain;
    result.of.emplace(by_node ? End{end.node, "", ""} : end, address);
  }
  return result;
}

}  // namespace

Addresses addresses_of(
    const std::vector<const providers::SeenPort*>& ports, std::vector<std::string>& notes) {
  return addresses_of_family(ports, kIpv4, notes);
}

Addresses addresses6_of(
    const std::vector<const providers::SeenPort*>& ports, std::vector<std::string>& notes) {
  return addresses_of_family(ports, kIpv6, notes);
}

}  // namespace fabric::workflow
