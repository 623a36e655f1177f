// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/kinds/interface/live_claims.hpp"

#include <algorithm>
#include <iterator>
#include <string_view>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/platform/owned_file.hpp"
#include "providers/linux/kinds/sriov/function_rules.hpp"
#include "providers/linux/kinds/sriov/virtual_functions.hpp"
#include "providers/parsers/ip_json.hpp"

namespace fabric::providers {

namespace {

// Queueing disciplines that the kernel or sysctl net.core.default_qdisc gives to every interface.
constexpr std::string_view kByDefault[] = {
    "", "noop", "noqueue", "mq", "pfifo", "pfifo_fast", "fq", "fq_codel", "fq_pie", "sfq", "cake"};

const IpLink* link_of(const NodeFacts& facts, const std::string& device) {
  const std::vector<IpLink>* links = links_by_ip(facts);
  if (links == nullptr) return nullptr;
  const auto found = std::find_if(
      links->begin(), links->end(), [&device](const IpLink& each) { return each.name == device; });
  return found == links->end() ? nullptr : &*found;
}

bool wants(const Resource& resource, const std::string& address) {
  const auto found = resource.desired.find("addresses");
  const List* list = found == resource.desired.end() ? nullptr : found->second.value.as_list();
  return list != nullptr && std::find(list->begin(), list->end(), Value{address}) != list->end();
}

void add_addresses(const IpLink& link, const Resource& resource, std::vector<std::string>& claims) {
  for (const IpAddressEntry& entry : link.addresses) {
    if (entry.scope == "link" || entry.scope == "host" || entry.dynamic) continue;
    if (!wants(resource, entry.address))
      claims.push_back(fmt::format("{} has the address {}", link.name, entry.address));
  }
}

// Those of a rule of ours are ours.
void add_functions(
    const FoundLink& link, const NodeFacts& facts, std::vector<std::string>& claims) {
  const AdapterPort& port = *link.target.port;
  if (makes_functions(facts, port.function)) return;
  constexpr std::size_t kShown = 3;
  std::vector<std::string> uses = used_functions(port, facts);
  const std::size_t more = uses.size() > kShown ? uses.size() - kShown : 0;
  uses.resize(uses.size() - more);
  if (more > 0) uses.push_back(fmt::format("{} more of its virtual functions are used", more));
  claims.insert(claims.end(), uses.begin(), uses.end());
}

}  // namespace

bool has_file_of_ours(const Resource& resource, const FileTexts& files) {
  const std::string address = resource.address.str();
  return std::any_of(files.begin(), files.end(), [&](const auto& file) {
    const std::string_view first = std::string_view{file.second}.substr(0, file.second.find('\n'));
    return is_owned(file.second) && first.ends_with(" " + address);
  });
}

std::string live_claims(
    const Resource& resource,
    const FoundLink& link,
    const RunningLinks& links,
    const NodeFacts& facts,
    const FileTexts& files) {
  const LinkTarget& target = link.target;
  const std::string& device = link.device;
  if (target.kind != LinkKind::port || device.empty() || has_file_of_ours(resource, files))
    return {};
  const std::string master = links.master(device);
  const bool is_foreign_port = !master.empty() && master != target.bond;
  std::vector<std::string> claims;
  if (is_foreign_port)
    claims.push_back(fmt::format("{} is a port of the running {}", device, master));
  for (const std::string& name : links.above(device)) {
    const RunningLinks::Vlan* vlan = links.vlan(name);
    if (vlan != nullptr)
      claims.push_back(fmt::format("{} carries the VLAN {}, {}", device, vlan->id, name));
  }
  add_functions(link, facts, claims);
  // Filters and programs of tc stand below one of these.
  if (const std::string filters = links.file(device, "tc"); !filters.empty())
    claims.push_back(fmt::format("{} has filters of tc ({})", device, filters));
  const IpLink* told = link_of(facts, device);
  if (told == nullptr) return join(claims, "; ");
  // A port of a bond or bridge is not reached by its own address.
  if (master.empty()) add_addresses(*told, resource, claims);
  if (std::find(std::begin(kByDefault), std::end(kByDefault), told->qdisc) == std::end(kByDefault))
    claims.push_back(fmt::format("{} sends by the queueing discipline {}", device, told->qdisc));
  if (told->has_xdp) claims.push_back(fmt::format("{} runs an XDP program", device));
  return join(claims, "; ");
}

}  // namespace fabric::providers
