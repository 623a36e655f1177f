#include "engine/verify/paths/localise.hpp"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "engine/verify/cables/cables.hpp"

namespace fabric::verify {

namespace {

// What one lost path could have died of.
struct Loss {
  const PathReport* report = nullptr;
  Route forward;
  // The answer leaves by the port that was asked or by the card's other one; the kernel decides.
  std::vector<Route> backward;
};

Loss loss_of(const PathReport& report, const Topology& topology) {
  const PortRef& from = report.path.from;
  const PortRef& to = report.path.to;
  Loss loss{&report, topology.route(from, to), {topology.route(to, from)}};
  if (const std::optional<PortRef> sibling = topology.sibling(to)) {
    loss.backward.push_back(topology.route(*sibling, from));
  }
  return loss;
}

bool crosses_broken_cable(const Route& route, const std::vector<CableReport>& cables) {
  return std::any_of(route.cables.begin(), route.cables.end(), [&](std::size_t cable) {
    return is_broken(cables[cable].state);
  });
}

bool explained_by_cable(const Loss& loss, const std::vector<CableReport>& cables) {
  return crosses_broken_cable(loss.forward, cables) ||
         std::any_of(loss.backward.begin(), loss.backward.end(), [&](const Route& route) {
           return crosses_broken_cable(route, cables);
         });
}

// A named node explains what had to cross it, there or back, and what ends at it: the kernel may
// answer by either port, and a card that does not forward passes nothing between its own two.
bool explained_by_node(const Loss& loss, const NodeName& node) {
  return loss.report->path.from.node == node || loss.report->path.to.node == node ||
         loss.forward.crosses(node) ||
         std::any_of(loss.backward.begin(), loss.backward.end(), [&](const Route& route) {
           return route.crosses(node);
         });
}

SourceRange place_of(const FabricSpec& spec, const NodeName& name) {
  const auto node = spec.nodes.find(name);
  return node == spec.nodes.end() ? SourceRange{} : node->second.range;
}

std::string network_adapter(
    const FabricSpec& spec, const std::string& network, const NodeName& node) {
  const auto found = spec.networks.find(network);
  if (found == spec.networks.end()) return {};
  for (const PortRef& port : found->second.member_ports()) {
    if (port.node == node) return port.adapter;
  }
  return {};
}

Finding transit_finding(
    const LossInputs& inputs, const NodeName& node, const std::vector<const PathReport*>& lost) {
  Finding finding{"transit-lost", Severity::error, {}, {}, place_of(inputs.spec, node)};
  const std::string what = fmt::format(
      "frames are lost in transit through {} ({})", node.str(), path_examples(inputs.spec, lost));
  const NodeEvidence& evidence = inputs.evidence.node(node);
  if (!evidence.reached) {
    finding.message = fmt::format(
        "{}: it could not be reached ({}), and a host that is not running does not forward",
        what,
        evidence.why_not);
    finding.help = fmt::format("bring {} back, then verify again", node.str());
    return finding;
  }
  const std::string adapter = network_adapter(inputs.spec, lost.front()->path.network, node);
  const std::string mode = inputs.evidence.setting(node, adapter, "HOST_CHAINING_MODE");
  const std::string shown =
      mode.empty() ? "" : fmt::format("; its card says HOST_CHAINING_MODE={}", mode);
  finding.message = fmt::format(
      "{}: chaining is off there, or set but not active since its last boot{}", what, shown);
  finding.help = fmt::format(
      "run `fabric plan --limit {}`; if it is empty, power-cycle {}", node.str(), node.str());
  return finding;
}

// The lost paths that no broken cable explains.
std::vector<Loss> unexplained_losses(const LossInputs& inputs) {
  std::vector<Loss> losses;
  for (const PathReport& report : inputs.paths) {
    if (report.small != Passage::lost || joined_network(inputs.spec, report.path) != nullptr)
      continue;
    Loss loss = loss_of(report, inputs.topology);
    if (!explained_by_cable(loss, inputs.cables)) losses.push_back(std::move(loss));
  }
  return losses;
}

std::set<NodeName> nodes_that_forward(const LossInputs& inputs) {
  std::set<NodeName> proven;
  for (const PathReport& report : inputs.paths) {
    if (report.small != Passage::passed) continue;
    const Route route = inputs.topology.route(report.path.from, report.path.to);
    proven.insert(route.transit.begin(), route.transit.end());
  }
  return proven;
}

using Suspects = std::map<NodeName, std::vector<const PathReport*>>;

Suspects suspects_of(const std::vector<Loss>& losses, const std::set<NodeName>& proven) {
  Suspects suspects;
  for (const Loss& loss : losses) {
    for (const NodeName& node : loss.forward.transit) {
      if (!proven.contains(node)) suspects[node].push_back(loss.report);
    }
  }
  return suspects;
}

}  // namespace

const NetworkSpec* joined_network(const FabricSpec& spec, const Path& path) {
  const auto found = spec.networks.find(path.network);
  const bool joined = found != spec.networks.end() && found->second.mode.value != Mode::chain;
  return joined ? &found->second : nullptr;
}

std::string end_text(const FabricSpec& spec, const Path& path, const PortRef& port) {
  const NetworkSpec* network = joined_network(spec, path);
  const std::string vlan = path.vlan.empty() ? "" : fmt::format(" in VLAN {}", path.vlan);
  if (network == nullptr || !network->lag) return port.str() + vlan;
  return fmt::format("{} of {}{}", network->lag->bond.value, port.node.str(), vlan);
}

std::string path_examples(const FabricSpec& spec, const std::vector<const PathReport*>& reports) {
  const Path& first = reports.front()->path;
  std::string text =
      fmt::format("{} -> {}", end_text(spec, first, first.from), end_text(spec, first, first.to));
  if (reports.size() > 1) text += fmt::format(" and {} more", reports.size() - 1);
  return text;
}

std::vector<Finding> pair_findings(
    const FabricSpec& spec, const std::vector<const PathReport*>& reports) {
  std::map<std::pair<NodeName, NodeName>, std::vector<const PathReport*>> by_pair;
  for (const PathReport* report : reports)
    by_pair[std::minmax(report->path.from.node, report->path.to.node)].push_back(report);
  std::vector<Finding> findings;
  for (const auto& [pair, lost] : by_pair) {
    std::string why;
    for (const PathReport* report : lost) {
      if (why.empty() && !report->detail.empty()) why = ": " + report->detail;
    }
    findings.push_back(
        {"path-lost",
         Severity::error,
         fmt::format(
             "no answer between {} and {} ({}){}",
             pair.first.str(),
             pair.second.str(),
             path_examples(spec, lost),
             why),
         "run `fabric plan` to see whether addresses and link settings are as declared",
         place_of(spec, pair.first)});
  }
  return findings;
}

std::vector<Finding> lost_paths(const LossInputs& inputs) {
  std::vector<Finding> findings;
  std::vector<Loss> losses = unexplained_losses(inputs);
  const std::set<NodeName> proven = nodes_that_forward(inputs);
  std::set<NodeName> named;
  const auto drop_if = [&losses](const auto& explained) {
    losses.erase(std::remove_if(losses.begin(), losses.end(), explained), losses.end());
  };
  // The fewest nodes that explain everything: always the one that most lost paths have in common.
  for (Suspects suspects = suspects_of(losses, proven); !suspects.empty();
       suspects = suspects_of(losses, proven)) {
    const auto worst =
        std::max_element(suspects.begin(), suspects.end(), [](const auto& a, const auto& b) {
          return a.second.size() < b.second.size();
        });
    const NodeName node = worst->first;
    findings.push_back(transit_finding(inputs, node, worst->second));
    named.insert(node);
    drop_if([&](const Loss& loss) { return loss.forward.crosses(node); });
  }
  // Frames that arrived, but whose answer may have died in a node that is already named.
  drop_if([&](const Loss& loss) {
    return std::any_of(named.begin(), named.end(), [&](const NodeName& node) {
      return explained_by_node(loss, node);
    });
  });
  std::vector<const PathReport*> left;
  for (const Loss& loss : losses)
    left.push_back(loss.report);
  for (Finding& finding : pair_findings(inputs.spec, left))
    findings.push_back(std::move(finding));
  return findings;
}

std::vector<Finding> untested_paths(const LossInputs& inputs) {
  // One finding per reason: thirty paths with one missing ping are one problem.
  std::map<std::string, std::vector<const PathReport*>> by_reason;
  for (const PathReport& report : inputs.paths) {
    const bool small_unknown = report.small == Passage::untested;
    const bool full_unknown =
        report.path.mtu != 0 && report.small == Passage::passed && report.full == Passage::untested;
    if (small_unknown || full_unknown) by_reason[report.detail].push_back(&report);
  }
  std::vector<Finding> findings;
  for (const auto& [reason, reports] : by_reason) {
    findings.push_back(
        {"path-untested",
         Severity::warning,
         fmt::format(
             "{} of {} paths could not be tested ({}): {}",
             reports.size(),
             inputs.paths.size(),
             path_examples(inputs.spec, reports),
             reason),
         {},
         {}});
  }
  return findings;
}

}  // namespace fabric::verify
