// Full-size frames that get lost where small ones pass.
#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/model/resource_keys.hpp"
#include "engine/verify/paths/endpoints.hpp"
#include "engine/verify/paths/localise.hpp"

namespace fabric::verify {

namespace {

// Seed 000: "FW version 16.22.1002 had a few bugs related to host chaining; one of those was the
// max MTU supported was 8150."
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

Finding firmware_finding(
    const LossInputs& inputs, const NodeName& node, const std::vector<const PathReport*>& lost) {
  const std::uint32_t mtu = lost.front()->path.mtu;
  Finding finding{"mtu-lost", Severity::error, {}, {}, {}};
  finding.message = fmt::format(
      "frames of {} bytes are lost between {}, small ones pass: {} runs firmware {}, which chains "
      "at most {} bytes",
      mtu,
      ends_and_more(inputs, lost),
      node.str(),
      kBuggyFirmware,
      kBuggyFirmwareMtu);
  finding.help = fmt::format(
      "set mtu 8000 in network {}, or update the firmware of {}",
      lost.front()->path.network,
      node.str());
  const auto network = inputs.spec.networks.find(lost.front()->path.network);
  if (network != inputs.spec.networks.end()) finding.range = network->second.mtu.range;
  return finding;
}

// What is known to carry less than the path needs. "n2/cx5/1 (ens1) has MTU 1500"
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
    const std::string interface = is_bond ? resource.name : end.device;
    add_small(small, "", fmt::format("{} of {}", interface, end.node().str()), *mtu, path);
  }
}

void add_ends(
    std::vector<std::string>& small, const LossInputs& inputs, Ends& ends, const Path& path) {
  const NetworkSpec* network = joined_network(inputs.spec, path);
  for (const PortRef* port : {&path.from, &path.to}) {
    const Endpoint* known =
        network == nullptr ? nullptr : ends.find(path.network, path.vlan, *port);
    const Endpoint end = known == nullptr ? Endpoint{{*port}, {}, {}, 0} : *known;
    std::vector<ResourceAddress> upper;
    if (!path.vlan.empty()) {
      const std::string name = path.network + "." + path.vlan;
      const std::string parent = network != nullptr && network->lag
                                     ? network->lag->bond.value
                                     : fmt::format("{}.{}", port->adapter, port->port);
      upper.push_back({port->node, "vlan", name});
      upper.push_back({port->node, "vlan", name + "." + parent});
    }
    if (network != nullptr && network->lag)
      upper.push_back({port->node, "bond", network->lag->bond.value});
    add_upper(small, inputs, path, end, upper);
    for (const PortRef& each : end.ports) {
      const PortEvidence evidence = inputs.evidence.port(each);
      if (evidence.device && evidence.device->mtu)
        add_small(small, each.str(), evidence.device->name, *evidence.device->mtu, path);
    }
  }
}

// An end whose own interface is smaller than the network's MTU needs no further search.
std::string small_interfaces(const LossInputs& inputs, Ends& ends, const PathReport& report) {
  std::vector<std::string> small;
  add_ends(small, inputs, ends, report.path);
  if (!small.empty()) return ": " + join(small, ", ");
  return report.detail.empty() ? std::string{} : ": " + report.detail;
}

Finding plain_finding(
    const LossInputs& inputs, Ends& ends, const std::vector<const PathReport*>& lost) {
  Finding finding{"mtu-lost", Severity::error, {}, {}, {}};
  finding.message = fmt::format(
      "frames of {} bytes are lost between {}, small ones pass{}",
      lost.front()->path.mtu,
      ends_and_more(inputs, lost),
      small_interfaces(inputs, ends, *lost.front()));
  const auto network = inputs.spec.networks.find(lost.front()->path.network);
  if (network != inputs.spec.networks.end()) {
    const bool ipoib = network->second.mode.value == Mode::infiniband && network->second.ipoib;
    finding.range = ipoib ? network->second.ipoib->mtu.range : network->second.mtu.range;
  }
  finding.help = "run `fabric plan` to see whether every interface has the declared MTU";
  return finding;
}

}  // namespace

std::vector<Finding> lost_full_size(const LossInputs& inputs) {
  std::map<NodeName, std::vector<const PathReport*>> by_firmware;
  std::map<std::pair<NodeName, NodeName>, std::vector<const PathReport*>> by_pair;
  for (const PathReport& report : inputs.paths) {
    if (report.full != Passage::lost) continue;
    const LostPath lost = lost_path(report, inputs.topology);
    bool known = false;
    // Only who chains drops what is not its own.
    const bool chain = joined_network(inputs.spec, report.path) == nullptr;
    for (const NodeName& node : lost.involved) {
      if (!chain || !has_buggy_firmware(inputs, node, report.path.mtu)) continue;
      by_firmware[node].push_back(&report);
      known = true;
    }
    if (!known) by_pair[std::minmax(report.path.from.node, report.path.to.node)].push_back(&report);
  }
  Ends ends{inputs.spec, inputs.evidence};
  std::vector<Finding> findings;
  for (const auto& [node, reports] : by_firmware)
    findings.push_back(firmware_finding(inputs, node, reports));
  for (const auto& [pair, reports] : by_pair)
    findings.push_back(plain_finding(inputs, ends, reports));
  return findings;
}

}  // namespace fabric::verify
