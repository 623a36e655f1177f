// SPDX-License-Identifier: Apache-2.0
#include "engine/model/document/shown_values.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>

#include "engine/base/text.hpp"
#include "engine/model/rules/rules.hpp"
#include "engine/yaml/parse.hpp"

namespace fabric {

namespace {

// Values have the place of their network or card: rules judge what has a place in the document.
void put(Sourced<std::uint32_t>& into, const yaml::Node* value, SourceRange place) {
  if (value == nullptr || !value->is_scalar()) return;
  const std::uint64_t number = parse_unsigned(value->text, 10).value_or(UINT32_MAX);
  into = {static_cast<std::uint32_t>(std::min<std::uint64_t>(number, UINT32_MAX)), place};
}

void put(Sourced<std::string>& into, const yaml::Node* value, SourceRange place) {
  if (value != nullptr && value->is_scalar()) into = {value->text, place};
}

void put(std::optional<Sourced<std::uint32_t>>& into, const yaml::Node* value, SourceRange place) {
  if (value != nullptr) put(into.emplace(), value, place);
}

void put_bond(LagSpec& bond, const yaml::Node* lag, SourceRange place) {
  if (lag == nullptr) return;
  put(bond.miimon, lag->find("miimon"), place);
  put(bond.updelay, lag->find("updelay"), place);
  put(bond.downdelay, lag->find("downdelay"), place);
  put(bond.min_links, lag->find("min_links"), place);
  put(bond.lacp_rate, lag->find("lacp_rate"), place);
  put(bond.hash_policy, lag->find("hash_policy"), place);
  put(bond.ad_select, lag->find("ad_select"), place);
  put(bond.primary, lag->find("primary"), place);
}

void put_network(NetworkSpec& network, const yaml::Node& said) {
  put(network.mtu, said.find("mtu"), network.range);
  if (network.lag) put_bond(*network.lag, said.find("lag"), network.range);
  const yaml::Node* ipoib = said.find("ipoib");
  if (ipoib == nullptr) return;
  if (!network.ipoib) network.ipoib.emplace().range = network.range;
  put(network.ipoib->mtu, ipoib->find("mtu"), network.range);
  put(network.ipoib->mode, ipoib->find("mode"), network.range);
  if (network.ipoib->bond) put_bond(*network.ipoib->bond, ipoib->find("bond"), network.range);
}

void put_node(NodeSpec& node, const yaml::Node& said) {
  const yaml::Node* adapters = said.find("adapters");
  for (AdapterSpec& adapter : node.adapters.edit()) {
    const yaml::Node* card = adapters == nullptr ? nullptr : adapters->find(adapter.name);
    const yaml::Node* sriov = card == nullptr ? nullptr : card->find("sriov");
    Sourced<std::uint32_t> vfs;
    put(vfs, sriov == nullptr ? nullptr : sriov->find("vfs"), adapter.range);
    if (sriov != nullptr) adapter.sriov = SriovSpec{vfs.value, false, adapter.range};
  }
}

bool are_taken(FabricSpec spec, std::span<const std::string> shown) {
  std::set<std::string> paths;
  for (const std::string& text : shown) {
    // Of two values of one key the second one would hide the first one.
    if (!paths.insert(text.substr(0, text.rfind(": "))).second) return false;
    SourceMap sources;
    Diagnostics unread;
    const yaml::Node said = yaml::parse(sources, sources.add("", text), unread);
    if (const yaml::Node* networks = said.find("networks"))
      for (auto& [name, network] : spec.networks)
        if (const yaml::Node* found = networks->find(name)) put_network(network, *found);
    if (const yaml::Node* nodes = said.find("nodes"))
      for (auto& [name, node] : spec.nodes)
        if (const yaml::Node* found = nodes->find(name.str())) put_node(node, *found);
  }
  Diagnostics found;
  check_rules(spec, found);
  return !found.has_errors();
}

void collect(
    const FabricSpec& spec, std::span<const std::string> shown, std::set<std::string>& refused) {
  if (shown.empty() || are_taken(spec, shown)) return;
  if (shown.size() == 1) {
    refused.insert(shown.front());
    return;
  }
  collect(spec, shown.first(shown.size() / 2), refused);
  collect(spec, shown.subspan(shown.size() / 2), refused);
}

}  // namespace

std::set<std::string> refused_values(
    const FabricSpec& spec, const std::vector<std::string>& shown) {
  const std::set<std::string> once{shown.begin(), shown.end()};
  const std::vector<std::string> each{once.begin(), once.end()};
  std::set<std::string> refused;
  collect(spec, each, refused);
  return refused;
}

}  // namespace fabric
