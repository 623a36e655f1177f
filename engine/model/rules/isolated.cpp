// SPDX-License-Identifier: Apache-2.0
// `isolated`: what the document itself joins.
#include <algorithm>
#include <iterator>
#include <set>

#include <fmt/format.h>

#include "engine/model/node_set_text.hpp"
#include "engine/model/rules/context.hpp"
#include "engine/model/rules/facts.hpp"
#include "engine/model/topology/isolation.hpp"

namespace fabric::rules {

namespace {

constexpr RuleInfo kIsolatedRules[] = {
    {"isolated-joined",
     Severity::error,
     RuleStage::document,
     "Two sides that must not reach each other do. Ports at one switch hear each other without a "
     "tag; a VLAN or a partition joins only its members, and two limited members of a partition do "
     "not talk; a subnet manager is a full member of the default partition, and every port is a "
     "member of it; a host that forwards joins all networks that it is in.",
     "E-ib-pkey: InfiniBand Architecture 1.3, 10.9; E-opensm-partitions: OpenSM, "
     "doc/partition-config.txt; E-transit-forwarding",
     "Remove the connection, or the pair from `isolated`."},
    {"isolated-overlap",
     Severity::error,
     RuleStage::document,
     "A node on both sides of a pair reaches both sides.",
     "E-grammar: docs/document.md",
     "Let each node be on one side."},
    {"isolated-forwards",
     Severity::warning,
     RuleStage::plan,
     "A host forwards though the document does not say so, and two sides that must not reach each "
     "other do so through this host: programs for containers and virtual machines switch "
     "forwarding on.",
     "E-transit-forwarding",
     "Write `sysctl: {net.ipv4.ip_forward: 0}` at the host, or take the host out of one of the "
     "networks."},
};

void check_pair(const Isolation& isolation, const IsolatedPair& pair, Diagnostics& diagnostics) {
  std::vector<NodeName> both;
  std::set_intersection(
      pair.a.nodes.begin(),
      pair.a.nodes.end(),
      pair.b.nodes.begin(),
      pair.b.nodes.end(),
      std::back_inserter(both));
  if (!both.empty()) {
    diagnostics
        .error(
            "isolated-overlap",
            pair.b.range,
            fmt::format("{} is in {} and in {}", fold(both), pair.a.text, pair.b.text))
        .with_note(pair.a.range, "the other side");
    return;
  }
  const std::optional<Meeting> meeting = isolation.meeting(pair);
  if (!meeting) return;
  Diagnostic& found = diagnostics.error(
      "isolated-joined",
      pair.a.range,
      fmt::format(
          "{} and {} must not reach each other, but they do: {}",
          pair.a.text,
          pair.b.text,
          meeting->way));
  if (is_known(meeting->range)) found.with_note(meeting->range, "this joins them");
  found.with_help("remove the connection, or the pair from `isolated`");
}

}  // namespace

void check_isolated_now(
    const FabricSpec& spec, const std::vector<HostFacts>& hosts, Diagnostics& diagnostics) {
  std::set<NodeName> forwarding;
  for (const HostFacts& host : hosts) {
    if (host.forwards.value_or(false)) forwarding.insert(host.node);
  }
  if (spec.isolated.empty() || forwarding.empty()) return;
  const Isolation declared{spec};
  const Isolation now{spec, forwarding};
  for (const IsolatedPair& pair : spec.isolated) {
    // A way by the document alone has its own finding.
    if (declared.meeting(pair)) continue;
    const std::optional<Meeting> meeting = now.meeting(pair);
    if (!meeting) continue;
    diagnostics
        .warning(
            "isolated-forwards",
            pair.a.range,
            fmt::format(
                "{} and {} must not reach each other, and a host that forwards joins them now: {}",
                pair.a.text,
                pair.b.text,
                meeting->way))
        .with_help("write `sysctl: {net.ipv4.ip_forward: 0}` at that host");
  }
}

RuleRows isolated_rules() {
  return kIsolatedRules;
}

void check_isolated(const Context& context, Diagnostics& diagnostics) {
  if (context.spec().isolated.empty()) return;
  const Isolation isolation{context.spec()};
  for (const IsolatedPair& pair : context.spec().isolated)
    check_pair(isolation, pair, diagnostics);
}

}  // namespace fabric::rules
