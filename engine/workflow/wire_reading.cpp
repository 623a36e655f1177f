// SPDX-License-Identifier: Apache-2.0
#include "engine/workflow/wire_reading.hpp"

#include <algorithm>
#include <set>

#include "engine/base/text.hpp"
#include "engine/model/resource_keys.hpp"
#include "engine/provider/node_platforms.hpp"
#include "engine/verify/cables/wire_vantage.hpp"
#include "engine/workflow/discovering.hpp"
#include "providers/infiniband/parsers/ib_messages.hpp"
#include "providers/infiniband/parsers/ibnetdiscover.hpp"

namespace fabric::workflow {

namespace {

// Adds the tool's complaints about missing answers; other standard error does not matter.
void add_warnings(ObservedTopology& topology, const std::string& errors) {
  for (const std::string_view line : split_lines(errors)) {
    if (providers::is_diagnostic(line)) topology.notes.push_back({1, std::string{line}});
  }
}

verify::WireView view_of(const platform::SubnetLook& look) {
  verify::WireView view{look.from, {}, look.why_not, {}};
  if (!look.why_not.empty()) return view;
  Result<ObservedTopology> topology = providers::parse_ibnetdiscover(look.text);
  if (!topology) {
    view.why_not = topology.error().message;
    return view;
  }
  add_warnings(*topology, look.errors);
  view.topology = std::move(*topology);
  return view;
}

void ask_nodes(
    Listener& listener,
    const Desired& desired,
    const std::set<NodeName>& may_be_asked,
    remote::StepRunner& runner,
    verify::WireEvidence& wire) {
  std::set<NodeName> asked;
  while (true) {
    std::map<NodeName, remote::Step> steps;
    const std::size_t known = asked.size();
    for (const NodeName& node : verify::next_vantages(desired.spec, wire, may_be_asked, asked)) {
      const platform::PathTests* tests =
          platform::platform_of(node, desired.spec, desired.registry).path_tests();
      if (tests != nullptr) {
        steps.emplace(node, tests->look_at_subnets());
        continue;
      }
      asked.insert(node);
    }
    if (steps.empty() && asked.size() == known) return;
    for (const auto& [node, result] :
         run_on_nodes(listener, steps, runner, "reading the subnet from")) {
      asked.insert(node);
      if (result.outcome != remote::Outcome::succeeded) {
        wire.views.push_back({node.str(), {}, result.error.message, {}});
        continue;
      }
      platform::SubnetLooks answer = platform::platform_of(node, desired.spec, desired.registry)
                                         .path_tests()
                                         ->subnet_looks(node, result);
      for (const platform::SubnetLook& look : answer.looks)
        wire.views.push_back(view_of(look));
      wire.views.back().dark = std::move(answer.dark);
    }
  }
}

using Reached = std::map<NodeName, const NodeFacts*>;

std::map<PortRef, Guid> known_port_guids(const Desired& desired, const Reached& reached) {
  std::map<PortRef, Guid> known;
  for (const auto& [port, text] : all_port_guids(desired.resources, reached, desired.registry)) {
    const std::vector<std::string_view> parts = split(port, '/');
    const Result<Guid> guid = Guid::parse(text);
    if (parts.size() != 3 || !guid) continue;
    if (const Result<NodeName> node = NodeName::parse(parts[0]))
      known.emplace(PortRef{*node, std::string{parts[1]}, std::string{parts[2]}}, *guid);
  }
  return known;
}

}  // namespace

bool has_infiniband(const FabricSpec& spec) {
  return std::ranges::any_of(
      spec.networks, [](const auto& each) { return each.second.mode.value == Mode::infiniband; });
}

verify::WireEvidence read_wire(
    Listener& listener,
    const Desired& desired,
    const discovery::Snapshot* snapshot,
    const std::vector<WireWay>& ways,
    remote::StepRunner* runner) {
  verify::WireEvidence wire;
  if (!has_infiniband(desired.spec)) return wire;
  std::set<NodeName> may_be_asked{desired.nodes.begin(), desired.nodes.end()};
  if (snapshot != nullptr) {
    Reached reached;
    may_be_asked.clear();
    for (const auto& [name, node] : snapshot->nodes) {
      if (!node.facts.reachable()) continue;
      reached.emplace(name, &node.facts);
      may_be_asked.insert(name);
    }
    wire.port_guids = known_port_guids(desired, reached);
  }
  for (const WireWay& way : ways) {
    wire.views.insert(wire.views.end(), way.views.begin(), way.views.end());
    if (way.ask_nodes && runner != nullptr)
      ask_nodes(listener, desired, may_be_asked, *runner, wire);
  }
  return wire;
}

namespace {

// The id of the look among a node's facts.
constexpr const char* kLook = "subnet-look";

Reached reached_of(const std::vector<NodeFacts>& facts) {
  Reached reached;
  for (const NodeFacts& node : facts)
    if (node.reachable()) reached.emplace(node.node, &node);
  return reached;
}

// Ports of hosts that resources name and whose GUIDs neither their nodes nor the document have.
std::set<PortRef> unshown_peers(const Desired& desired, const std::map<PortRef, Guid>& shown) {
  std::set<PortRef> unshown;
  for (const Resource& resource : desired.resources) {
    const auto peers = resource.binding.find(keys::kPeers);
    if (peers == resource.binding.end() || peers->second.as_list() == nullptr) continue;
    const auto declared = resource.binding.find(keys::kDeclaredGuids);
    for (const Value& peer : *peers->second.as_list()) {
      const std::string text = to_text(peer);
      const std::vector<std::string_view> parts = split(text, '/');
      const Result<NodeName> node = NodeName::parse(parts.front());
      if (parts.size() != 3 || !node) continue;
      if (declared != resource.binding.end() && declared->second.find(text) != nullptr) continue;
      const PortRef port{*node, std::string{parts[1]}, std::string{parts[2]}};
      if (!shown.contains(port)) unshown.insert(port);
    }
  }
  return unshown;
}

}  // namespace

void look_for_peers(
    Listener& listener,
    const Desired& desired,
    std::vector<NodeFacts>& facts,
    remote::StepRunner& runner) {
  if (!desired.limit.empty()) return;
  const Reached reached = reached_of(facts);
  const verify::WireEvidence none{{}, known_port_guids(desired, reached)};
  if (unshown_peers(desired, none.port_guids).empty()) return;
  std::set<NodeName> may_be_asked;
  for (const auto& [node, each] : reached)
    may_be_asked.insert(node);
  std::map<NodeName, remote::Step> steps;
  for (const NodeName& node : verify::next_vantages(desired.spec, none, may_be_asked, {})) {
    const platform::PathTests* tests =
        platform::platform_of(node, desired.spec, desired.registry).path_tests();
    if (tests != nullptr) steps.emplace(node, tests->look_at_subnets());
  }
  if (steps.empty()) return;
  auto answers = run_on_nodes(listener, steps, runner, "reading the subnet from");
  for (NodeFacts& node : facts) {
    const auto answer = answers.find(node.node);
    if (answer == answers.end() || answer->second.outcome != remote::Outcome::succeeded) continue;
    remote::CommandOutput& output = answer->second.output;
    node.probes[kLook] = {
        {},
        output.exit_status,
        std::move(output.standard_output),
        std::move(output.standard_error)};
    listener.node_looked(node);
  }
}

PortGuids guids_in_subnets(const Desired& desired, const std::vector<NodeFacts>& facts) {
  verify::WireEvidence wire;
  for (const NodeFacts& node : facts) {
    const auto look = node.probes.find(kLook);
    const platform::PathTests* tests =
        look == node.probes.end()
            ? nullptr
            : platform::platform_of(node.node, desired.spec, desired.registry).path_tests();
    if (tests == nullptr) continue;
    remote::StepResult result;
    result.output = {
        look->second.exit_status, look->second.standard_output, look->second.standard_error};
    for (const platform::SubnetLook& each : tests->subnet_looks(node.node, result).looks)
      wire.views.push_back(view_of(each));
  }
  PortGuids guids;
  if (wire.views.empty()) return guids;
  wire.port_guids = known_port_guids(desired, reached_of(facts));
  const std::set<PortRef> unshown = unshown_peers(desired, wire.port_guids);
  for (const auto& [port, guid] : verify::guids_in_subnets(desired.spec, wire, unshown))
    guids.emplace(port.str(), guid.str());
  return guids;
}

}  // namespace fabric::workflow
