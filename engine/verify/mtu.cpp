// Full-size frames that get lost where small ones pass.
#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "engine/verify/localise.hpp"

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

std::string ends(const PathReport& report) {
  return fmt::format("{} and {}", report.path.from.str(), report.path.to.str());
}

std::string ends_and_more(const std::vector<const PathReport*>& reports) {
  std::string text = ends(*reports.front());
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
      ends_and_more(lost),
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

// An end whose own interface is smaller than the network's MTU needs no further search.
std::string small_interface(const LossInputs& inputs, const PathReport& report) {
  for (const PortRef* port : {&report.path.from, &report.path.to}) {
    const PortEvidence evidence = inputs.evidence.port(*port);
    if (!evidence.device || !evidence.device->mtu || *evidence.device->mtu >= report.path.mtu)
      continue;
    return fmt::format(
        ": {} ({}) has MTU {}", port->str(), evidence.device->name, *evidence.device->mtu);
  }
  return report.detail.empty() ? std::string{} : ": " + report.detail;
}

Finding plain_finding(const LossInputs& inputs, const std::vector<const PathReport*>& lost) {
  Finding finding{"mtu-lost", Severity::error, {}, {}, {}};
  finding.message = fmt::format(
      "frames of {} bytes are lost between {}, small ones pass{}",
      lost.front()->path.mtu,
      ends_and_more(lost),
      small_interface(inputs, *lost.front()));
  const auto network = inputs.spec.networks.find(lost.front()->path.network);
  if (network != inputs.spec.networks.end()) finding.range = network->second.mtu.range;
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
    for (const NodeName& node : lost.involved) {
      if (!has_buggy_firmware(inputs, node, report.path.mtu)) continue;
      by_firmware[node].push_back(&report);
      known = true;
    }
    if (!known) by_pair[std::minmax(report.path.from.node, report.path.to.node)].push_back(&report);
  }
  std::vector<Finding> findings;
  for (const auto& [node, reports] : by_firmware)
    findings.push_back(firmware_finding(inputs, node, reports));
  for (const auto& [pair, reports] : by_pair)
    findings.push_back(plain_finding(inputs, reports));
  return findings;
}

}  // namespace fabric::verify
