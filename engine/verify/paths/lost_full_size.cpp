// SPDX-License-Identifier: Apache-2.0
// Full-size frames that get lost where small ones pass.
#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/model/resource_keys.hpp"
#include "engine/verify/paths/endpoints.hpp"
#include "engine/verify/paths/lost_paths.hpp"

namespace fabric::verify {

namespace {

// The firmware that drops larger chained frames, and the largest it passes (E-chain-mtu-limit).
constexpr std::string_view kBuggyFirmware = "16.22.1002";
constexpr std::uint32_t kBuggyFirmwareMtu = 8150;

struct LostPath {
  const PathReport* report = nullptr;
  std::set<NodeName> involved;  // the ends and everything between
};

LostPath lost_path(const PathReport& report, const Topology& topology) {
  const PortRef& from = report.path.from;
  const PortRef& to = report.path.to;
  LostPath lost{&report, {from.node, to.node}};
  const Route route = topology.route(from, to);
  lost.involved.insert(route.transit.begin(), route.transit.end());
  return lost;
}

std::string ends_and_more(const LossInputs& inputs, const std::vector<const PathReport*>& reports) {
  const Path& first = reports.front()->path;
  std::string text = fmt::format(
      "{} and {}",
      end_text(inputs.spec, first, first.from),
      end_text(inputs.spec, first, first.to));
  if (reports.size() > 1) text += fmt::format(" (and on {} more paths)", reports.size() - 1);
  return text;
}

// The place of the MTU in the document, or of the network that gives none.
SourceRange place_of_mtu(const FabricSpec& spec, const std::string& name) {
  const auto network = spec.networks.find(name);
  if (network == spec.networks.end()) return {};
  const bool ipoib = network->second.mode.value == Mode::infiniband && network->second.ipoib;
  const SourceRange mtu = ipoib ? network->second.ipoib->mtu.range : network->second.mtu.range;
  return is_known(mtu) ? mtu : network->second.range;
}

bool has_buggy_firmware(const LossInputs& inputs, const NodeName& name, std::uint32_t mtu) {
  const auto node = inputs.spec.nodes.find(name);
  if (mtu <= kBuggyFirmwareMtu || node == inputs.spec.nodes.end()) return false;
  return std::any_of(
      node->second.adapters->begin(),
      node->second.adapters->end(),
      [&](const AdapterSpec& adapter) {
        return inputs.evidence.firmware(name, adapter.name) == kBuggyFirmware;
      });
}

Diagnostic firmware_finding(
    const LossInputs& inputs, const NodeName& node, const std::vector<const PathReport*>& lost) {
  const Path& path = lost.front()->path;
  return {
      Severity::error,
      "mtu-lost",
      place_of_mtu(inputs.spec, path.network),
      fmt::format(
          "frames of {} bytes are lost between {}, but small ones pass: {} runs firmware {}, which "
          "chains at most {} bytes",
          path.mtu,
          ends_and_more(inputs, lost),
          node.str(),
          kBuggyFirmware,
          kBuggyFirmwareMtu),
      fmt::format(
          "set mtu 8000 in network {}, or update the firmware of {}", path.network, node.str()),
      {},
      node};
}

// Adds an interface with a smaller MTU than the path needs: "n2/cx5/1 (ens1) has MTU 1500"
void add_small(
    std::vector<std::string>& small,
    const std::string& what,
    const std::string& interface,
    std::int64_t mtu,
    const Path& path) {
  if (mtu >= path.mtu) return;
  const std::string text = what.empty() ? fmt::format("{} has MTU {}", interface, mtu)
                                        : fmt::format("{} ({}) has MTU {}", what, interface, mtu);
  if (std::find(small.begin(), small.end(), text) == small.end()) small.push_back(text);
}

// The bond or VLAN interface above the ports of an end, as its provider read it.
void add_upper(
    std::vector<std::string>& small,
    const LossInputs& inputs,
    const Path& path,
    const Endpoint& end,
    const std::vector<ResourceAddress>& resources) {
  for (const ResourceAddress& resource : resources) {
    const Reading* reading = inputs.evidence.running(resource, "mtu");
    const Value* value = reading == nullptr ? nullptr : reading->value();
    const std::int64_t* mtu = value == nullptr ? nullptr : value->as_integer();
    if (mtu == nullptr) continue;
    const bool is_bond = resource.kind == kinds::kBond;
    const std::string interface = is_bond ? resource.name.str() : end.device;
    add_small(small, "", fmt::format("{} of {}", interface, end.node().str()), *mtu, path);
  }
}

void add_ends(
    std::vector<std::string>& small, const LossInputs& inputs, Ends& ends, const Path& path) {
  const NetworkSpec* network = network_without_chain(inputs.spec, path);
  const LagSpec* lag = network == nullptr ? nullptr : lag_of(*network);
  for (const PortRef* port : {&path.from, &path.to}) {
    const Endpoint* known =
        network == nullptr ? nullptr : ends.find(path.network, path.vlan, *port);
    const Endpoint end = known == nullptr ? Endpoint{{*port}, {}, {}, 0} : *known;
    std::vector<ResourceAddress> upper;
    if (!path.vlan.empty()) {
      const std::string name = path.network + "." + path.vlan;
      const std::string parent =
          lag != nullptr ? lag->bond.value : fmt::format("{}.{}", port->adapter, port->port);
      upper.push_back({port->node, "vlan", name});
      upper.push_back({port->node, "vlan", name + "." + parent});
    }
    if (lag != nullptr) upper.push_back({port->node, "bond", lag->bond.value});
    add_upper(small, inputs, path, end, upper);
    for (const PortRef& each : end.ports) {
      const discovery::PortEvidence evidence = inputs.evidence.port(each);
      if (evidence.device && evidence.device->mtu)
        add_small(small, each.str(), evidence.device->name, *evidence.device->mtu, path);
    }
  }
}

// An end whose own interface is smaller than the network's MTU needs no further search. "" = none.
std::string small_interfaces(const LossInputs& inputs, Ends& ends, const Path& path) {
  std::vector<std::string> small;
  add_ends(small, inputs, ends, path);
  return join(small, ", ");
}

Diagnostic plain_finding(
    const LossInputs& inputs, const std::vector<const PathReport*>& lost, const std::string& why) {
  const PathReport& first = *lost.front();
  return {
      Severity::error,
      "mtu-lost",
      place_of_mtu(inputs.spec, first.path.network),
      fmt::format(
          "frames of {} bytes are lost between {}, but small ones pass{}{}",
          first.path.mtu,
          ends_and_more(inputs, lost),
          why.empty() ? "" : ": ",
          why),
      "run `fabric plan` to see whether every interface has the declared MTU",
      {}};
}

}  // namespace

void add_lost_full_size(const LossInputs& inputs, Findings& findings) {
  std::map<NodeName, std::vector<const PathReport*>> by_firmware;
  std::map<std::pair<NodeName, NodeName>, std::vector<const PathReport*>> by_pair;
  for (const PathReport& report : inputs.paths) {
    if (report.full != Passage::lost) continue;
    const LostPath lost = lost_path(report, inputs.topology);
    bool known = false;
    // Only a card that chains drops frames that are not for its own host.
    const bool chain = network_without_chain(inputs.spec, report.path) == nullptr;
    for (const NodeName& node : lost.involved) {
      if (!chain || !has_buggy_firmware(inputs, node, report.path.mtu)) continue;
      by_firmware[node].push_back(&report);
      known = true;
    }
    if (!known) by_pair[std::minmax(report.path.from.node, report.path.to.node)].push_back(&report);
  }
  for (const auto& [node, reports] : by_firmware) {
    const Findings::Number number = findings.add(firmware_finding(inputs, node, reports));
    for (const PathReport* report : reports) {
      findings.also_about(number, report->path.from.node.str());
      findings.also_about(number, report->path.to.node.str());
    }
  }
  Ends ends{inputs.spec, inputs.evidence};
  std::map<std::string, Findings::Number> by_interface;
  for (const auto& [pair, reports] : by_pair) {
    const PathReport& first = *reports.front();
    const std::string small = small_interfaces(inputs, ends, first.path);
    const auto cause = small.empty() ? std::nullopt : finding_of(by_interface, small);
    const Findings::Number number =
        findings.add(plain_finding(inputs, reports, small.empty() ? first.detail : small), cause);
    if (!small.empty()) by_interface.emplace(small, number);
  }
}

}  // namespace fabric::verify
