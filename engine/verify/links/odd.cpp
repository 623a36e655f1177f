// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <set>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/model/node_set_text.hpp"
#include "engine/verify/cables/speed_text.hpp"
#include "engine/verify/links/links.hpp"

namespace fabric::verify {

namespace {

using Nodes = std::set<NodeName>;
using Values = std::map<std::string, Nodes>;   // nodes by value
using Things = std::map<std::string, Values>;  // by property: "cx5/1: FEC"

// "storage, cx5 and cx6": its profiles and the models of its cards.
std::string kind_of(const NodeSpec& node) {
  std::vector<std::string> words;
  for (const auto& profile : node.profiles)
    words.push_back(profile.value);
  for (const AdapterSpec& adapter : *node.adapters)
    words.push_back(adapter.name + "=" + adapter.model.value);
  return join(words, " ");
}

// Keeps what is not known out of the comparison.
class Compared {
 public:
  Compared(Things& things, NodeName node) : things_{things}, node_{std::move(node)} {}

  void add(const std::string& thing, const std::string& value) {
    if (!value.empty()) things_[thing][value].insert(node_);
  }
  template <class Number>
  void number(const std::string& thing, const std::optional<Number>& value) {
    if (value) add(thing, fmt::format("{}", *value));
  }

 private:
  Things& things_;
  NodeName node_;
};

void compare_link(Compared& compared, const LinkReport& link) {
  const std::string port = link.port.adapter + "/" + link.port.port + ": ";
  const platform::LinkReading& reading = link.reading;
  if (reading.speed_mbps) compared.add(port + "speed", speed_text(*reading.speed_mbps));
  if (!reading.speed_mbps) compared.add(port + "speed", reading.card_speed);
  if (reading.capable_mbps) compared.add(port + "fastest mode", speed_text(*reading.capable_mbps));
  if (reading.auto_negotiation)
    compared.add(port + "auto-negotiation", *reading.auto_negotiation ? "on" : "off");
  compared.add(port + "FEC", reading.fec.active);
  if (reading.module) {
    const std::string_view vendor = reading.module->vendor;
    compared.add(
        port + "module",
        std::string{trim(fmt::format("{} {}", vendor, reading.module->part_number))});
  }
  const std::string card = link.port.adapter + ": ";
  compared.number(card + "PCIe generation", reading.pcie.generation);
  compared.number(card + "PCIe lanes", reading.pcie.width);
  compared.number(card + "NUMA node", reading.pcie.numa_node);
  compared.number(card + "PCIe read request", reading.pcie.read_request);
  if (!reading.pcie.iommu_domain.empty())
    compared.add(card + "IOMMU domain", reading.pcie.iommu_domain);
  compared.add(card + "firmware", link.firmware);
  compared.add(card + "PSID", link.psid);
}

// The value that more than half of the nodes have.
const Values::value_type* usual(const Values& values) {
  std::size_t all = 0;
  const Values::value_type* most = nullptr;
  for (const auto& each : values) {
    all += each.second.size();
    if (most == nullptr || each.second.size() > most->second.size()) most = &each;
  }
  return most != nullptr && 2 * most->second.size() > all ? most : nullptr;
}

std::string set_text(const Nodes& nodes) {
  return fold(std::vector<NodeName>{nodes.begin(), nodes.end()});
}

void add_finding(
    const FabricSpec& spec, const std::string& thing, const Values& values, Findings& findings) {
  if (values.size() < 2) return;
  const Values::value_type* most = usual(values);
  std::vector<std::string> others;
  const Nodes* odd = nullptr;
  for (const auto& each : values) {
    if (&each == most) continue;
    others.push_back(fmt::format("{} at {}", each.first, set_text(each.second)));
    if (odd == nullptr) odd = &each.second;
  }
  std::string message = fmt::format("{} is {}", thing, join(others, ", "));
  message += most != nullptr ? fmt::format(", and {} at {}", most->first, set_text(most->second))
                             : std::string{": no value is that of most nodes of this kind"};
  findings.add(
      {Severity::warning,
       "node-odd",
       place_of_node(spec, *odd->begin()),
       std::move(message),
       "make the nodes alike, or give them profiles of their own",
       {}});
}

}  // namespace

void add_odd_findings(
    const FabricSpec& spec,
    const discovery::Snapshot& snapshot,
    const std::vector<LinkReport>& links,
    Findings& findings) {
  std::map<std::string, Things> kinds;
  for (const auto& [name, node] : spec.nodes) {
    const auto seen = snapshot.nodes.find(name);
    if (seen == snapshot.nodes.end() || !seen->second.facts.reachable()) continue;
    Compared compared{kinds[kind_of(node)], name};
    const platform::Identity& identity = seen->second.identity;
    if (!identity.os_id.empty())
      compared.add("operating system", identity.os_id + " " + identity.os_version);
    compared.add("kernel", identity.kernel);
    for (const LinkReport& link : links) {
      if (link.port.node == name && !link.port.adapter.empty() && link.why_unknown.empty())
        compare_link(compared, link);
    }
  }
  for (const auto& [kind, things] : kinds) {
    for (const auto& [thing, values] : things)
      add_finding(spec, thing, values, findings);
  }
}

}  // namespace fabric::verify
