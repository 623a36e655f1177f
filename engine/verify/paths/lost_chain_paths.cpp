// SPDX-License-Identifier: Apache-2.0
// Lost pings in a chain, where the cards of hosts forward.
#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "engine/model/node_set_text.hpp"
#include "engine/verify/paths/lost_paths.hpp"
#include "engine/verify/paths/paths.hpp"

namespace fabric::verify {

namespace {

// The routes of one lost path, on which its cause can be.
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

// The first finding about a broken cable that the frames or their answer would have to cross.
std::optional<Findings::Number> broken_cable_of(const Loss& loss, const Findings& findings) {
  const auto first_on = [&](const Route& route) -> std::optional<Findings::Number> {
    for (const std::size_t cable : route.cables) {
      if (const auto cause = finding_of(findings.broken_cables, cable)) return cause;
    }
    return std::nullopt;
  };
  auto cause = first_on(loss.forward);
  for (const Route& route : loss.backward) {
    if (!cause) cause = first_on(route);
  }
  return cause;
}

// A named node explains what had to cross it, there or back, and what ends at it: the kernel may
// answer by either port, and a card that does not forward passes nothing between its own two.
bool explained_by_node(const Loss& loss, const NodeName& node) {
  return loss.report->path.from.node == node || loss.report->path.to.node == node ||
         loss.forward.crosses(node) || std::ranges::any_of(loss.backward, [&](const Route& route) {
           return route.crosses(node);
         });
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

Diagnostic transit_finding(
    const LossInputs& inputs, const NodeName& node, const std::vector<const PathReport*>& lost) {
  Diagnostic finding;
  finding.rule = "transit-lost";
  finding.range = place_of_node(inputs.spec, node);
  const std::string what = fmt::format(
      "frames are lost in transit through {} ({})", node.str(), path_examples(inputs.spec, lost));
  const discovery::NodeEvidence& evidence = inputs.evidence.node(node);
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

// The lost paths of chains that no broken cable explains; the others are counted there.
std::vector<Loss> unexplained_losses(const LossInputs& inputs, Findings& findings) {
  std::vector<Loss> losses;
  for (const PathReport& report : inputs.paths) {
    if (report.small != Passage::lost || network_without_chain(inputs.spec, report.path) != nullptr)
      continue;
    Loss loss = loss_of(report, inputs.topology);
    if (const auto cable = broken_cable_of(loss, findings)) {
      findings.count(*cable, Effect::path_lost);
    } else {
      losses.push_back(std::move(loss));
    }
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

// Takes out what crosses a node that was not reached and that forwards nothing else: a host that is
// down forwards neither frames nor answers, and its neighbours can do nothing for that.
void explain_by_unreached(
    const LossInputs& inputs,
    const std::set<NodeName>& proven,
    std::vector<Loss>& losses,
    Findings& findings) {
  for (const auto& [node, cause] : findings.unreached) {
    if (proven.contains(node)) continue;
    std::vector<const PathReport*> through;
    std::size_t explained = 0;
    std::erase_if(losses, [&, &name = node](const Loss& loss) {
      if (!explained_by_node(loss, name)) return false;
      ++explained;
      if (loss.forward.crosses(name)) through.push_back(loss.report);
      return true;
    });
    if (!through.empty()) {
      findings.add(transit_finding(inputs, node, through), cause, Effect::path_lost, explained);
    } else if (explained != 0) {
      findings.count(cause, Effect::path_lost, explained);
    }
  }
}

using LostPairs = std::map<std::pair<NodeName, NodeName>, std::vector<const PathReport*>>;

// The node that most pairs have in common, the first of several, and in how many it is.
std::pair<NodeName, std::size_t> most_common_end(const LostPairs& pairs) {
  std::map<NodeName, std::size_t> partners;
  for (const auto& [pair, lost] : pairs) {
    ++partners[pair.first];
    ++partners[pair.second];
  }
  return *std::ranges::max_element(
      partners, [](const auto& a, const auto& b) { return a.second < b.second; });
}

// `what`: "no answer between pve1 and pve2".
Diagnostic lost_finding(
    const FabricSpec& spec,
    const NodeName& place,
    const std::string& what,
    const std::vector<const PathReport*>& lost) {
  std::string why;
  for (const PathReport* report : lost) {
    if (why.empty() && !report->detail.empty()) why = ": " + report->detail;
  }
  return {
      Severity::error,
      "path-lost",
      place_of_node(spec, place),
      fmt::format("{} ({}){}", what, path_examples(spec, lost), why),
      "`fabric plan` shows whether addresses and links are as declared",
      {},
      place};
}

// The finding about a node that all these lost pairs have in common.
Diagnostic lost_node(
    const FabricSpec& spec, const NodeName& node, std::size_t partners, const LostPairs& pairs) {
  std::vector<const PathReport*> all;
  for (const auto& [pair, lost] : pairs) {
    if (pair.first == node || pair.second == node) all.insert(all.end(), lost.begin(), lost.end());
  }
  return lost_finding(
      spec,
      node,
      fmt::format("no answer between {} and {} other nodes", node.str(), partners),
      all);
}

}  // namespace

bool is_expected_loss(const FabricSpec& spec, const Topology& topology, const PathReport& report) {
  const auto network = spec.networks.find(report.path.network);
  if (report.small != Passage::lost || network == spec.networks.end() ||
      network->second.mode.value != Mode::chain)
    return false;
  const std::vector<CableSpec>& cables = network->second.cables;
  const bool has_dark = std::ranges::any_of(
      cables, [&](const CableSpec& cable) { return discovery::leads_to_offline(spec, cable); });
  if (!has_dark) return false;
  const Loss loss = loss_of(report, topology);
  return !loss.forward.complete ||
         std::ranges::any_of(loss.backward, [](const Route& route) { return !route.complete; });
}

const NetworkSpec* network_without_chain(const FabricSpec& spec, const Path& path) {
  const auto found = spec.networks.find(path.network);
  const bool chain = found != spec.networks.end() && found->second.mode.value == Mode::chain;
  return found == spec.networks.end() || chain ? nullptr : &found->second;
}

std::string end_text(const FabricSpec& spec, const Path& path, const PortRef& port) {
  const NetworkSpec* network = network_without_chain(spec, path);
  const std::string vlan = path.vlan.empty() ? "" : fmt::format(" in VLAN {}", path.vlan);
  if (network != nullptr && is_loopback(*network, path)) return port.node.str() + " (loopback)";
  const LagSpec* lag = network == nullptr ? nullptr : lag_of(*network);
  if (lag == nullptr) return port.str() + vlan;
  return fmt::format("{} of {}{}", lag->bond.value, port.node.str(), vlan);
}

std::string path_examples(const FabricSpec& spec, const std::vector<const PathReport*>& reports) {
  const Path& first = reports.front()->path;
  std::string text =
      fmt::format("{} -> {}", end_text(spec, first, first.from), end_text(spec, first, first.to));
  if (reports.size() > 1) text += fmt::format(" and {} more", reports.size() - 1);
  return text;
}

void add_lost_pairs(
    const FabricSpec& spec, const std::vector<const PathReport*>& reports, Findings& findings) {
  LostPairs pairs;
  for (const PathReport* report : reports)
    pairs[std::minmax(report->path.from.node, report->path.to.node)].push_back(report);
  while (!pairs.empty()) {
    const auto [node, partners] = most_common_end(pairs);
    std::optional<Findings::Number> all;
    if (partners > 1) all = findings.add(lost_node(spec, node, partners, pairs));
    std::erase_if(pairs, [&, &name = node](const auto& each) {
      const auto& [pair, lost] = each;
      if (pair.first != name && pair.second != name) return false;
      if (all) findings.also_about(*all, (pair.first == name ? pair.second : pair.first).str());
      const std::string what =
          fmt::format("no answer between {} and {}", pair.first.str(), pair.second.str());
      findings.also_about(
          findings.add(lost_finding(spec, pair.first, what, lost), all, Effect::member),
          pair.second.str());
      return true;
    });
  }
}

void add_lost_chain_paths(const LossInputs& inputs, Findings& findings) {
  std::vector<Loss> losses = unexplained_losses(inputs, findings);
  const std::set<NodeName> proven = nodes_that_forward(inputs);
  explain_by_unreached(inputs, proven, losses, findings);
  std::set<NodeName> named;
  // The fewest nodes that explain everything: always the one that most lost paths have in common.
  for (Suspects suspects = suspects_of(losses, proven); !suspects.empty();
       suspects = suspects_of(losses, proven)) {
    const auto worst = std::ranges::max_element(
        suspects, [](const auto& a, const auto& b) { return a.second.size() < b.second.size(); });
    const NodeName node = worst->first;
    findings.add(transit_finding(inputs, node, worst->second));
    named.insert(node);
    std::erase_if(losses, [&](const Loss& loss) { return loss.forward.crosses(node); });
  }
  // Frames that arrived, but whose answer may have been lost in a node that is already named.
  std::erase_if(losses, [&](const Loss& loss) {
    return std::ranges::any_of(
        named, [&](const NodeName& node) { return explained_by_node(loss, node); });
  });
  std::vector<const PathReport*> left;
  for (const Loss& loss : losses)
    left.push_back(loss.report);
  add_lost_pairs(inputs.spec, left, findings);
}

namespace {

// How much of a path is known: 0 nothing, 1 small frames, 2 all.
int told(const PathReport& report) {
  const bool knows_full =
      report.path.mtu == 0 || report.small != Passage::passed || report.full != Passage::untested;
  if (report.small == Passage::untested) return 0;
  return knows_full ? 2 : 1;
}

}  // namespace

std::vector<const PathReport*> unjudged_paths(const std::vector<PathReport>& paths) {
  using Way = std::tuple<PortRef, PortRef, std::string>;
  std::set<Way> known;
  for (const PathReport& report : paths) {
    if (told(report) == 2) known.insert({report.path.from, report.path.to, report.path.vlan});
  }
  std::vector<const PathReport*> unjudged;
  for (const PathReport& report : paths) {
    const Way back{report.path.to, report.path.from, report.path.vlan};
    if (told(report) < 2 && !known.contains(back)) unjudged.push_back(&report);
  }
  return unjudged;
}

void add_untested_paths(const LossInputs& inputs, Findings& findings) {
  const std::vector<const PathReport*> unjudged = unjudged_paths(inputs.paths);
  // One finding per reason: thirty paths with one missing ping are one problem.
  std::map<std::string, std::vector<const PathReport*>> by_reason;
  for (const PathReport& report : inputs.paths) {
    if (told(report) == 2) continue;
    if (const auto cause = finding_of(findings.untestable, report.path.from.node)) {
      findings.count(*cause, Effect::path_untried);
    } else {
      by_reason[report.detail].push_back(&report);
    }
  }
  for (const auto& [reason, reports] : by_reason) {
    std::vector<NodeName> from;
    bool is_judged = true;  // pings from the other ends judged all paths
    for (const PathReport* report : reports) {
      from.push_back(report->path.from.node);
      is_judged = is_judged && std::ranges::find(unjudged, report) == unjudged.end();
    }
    findings.add(
        {is_judged ? Severity::warning : Severity::error,
         "path-untested",
         place_of_network(inputs.spec, reports.front()->path.network),
         fmt::format(
             "{} of {} paths could not be tested ({}): {}",
             reports.size(),
             inputs.paths.size(),
             path_examples(inputs.spec, reports),
             reason),
         fmt::format("repair this on {}, or test these paths by hand", fold(std::move(from))),
         {}});
  }
}

}  // namespace fabric::verify
