// SPDX-License-Identifier: Apache-2.0
// Lossless RoCE: marks, priorities, and the networks that can have it.
#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/base/text.hpp"
#include "engine/model/rules/context.hpp"

namespace fabric::rules {

namespace {

constexpr RuleInfo kQosRules[] = {
    {"qos-conflict",
     Severity::error,
     RuleStage::document,
     "A port sorts frames in one way, and so does a whole switch: two networks that share it "
     "can't have a different `qos`.",
     "E-qos-host: mlnx_qos and dcb(8); E-qos-switch: NVUE `qos roce`, Onyx `roce`",
     "Give both networks the same `qos`, or remove it from one."},
    {"qos-dscp-equal",
     Severity::error,
     RuleStage::document,
     "Congestion notification packets (CNP) share a DSCP with the congested traffic, so they wait "
     "behind it and reach the sender too late.",
     "E-qos-cnp: NVIDIA, RoCE configuration guides; NVUE, show qos roce",
     "Give `dscp.cnp` a DSCP of another priority; 48 is usual."},
    {"qos-priority-unreached",
     Severity::error,
     RuleStage::document,
     "Flow control is set at priorities to which the DSCP of RoCE does not map, so RoCE "
     "itself can be dropped. By default eight DSCPs are one priority.",
     "E-qos-dscp-map: Mellanox/mlnx-tools, mlnx_qos; NVUE, show qos roce",
     "Put the priority of `dscp.roce` under `lossless`, or choose a DSCP of a priority there."},
    {"qos-pcp-untagged",
     Severity::warning,
     RuleStage::document,
     "Only frames with a VLAN tag have a priority of their own. Those without one are of priority "
     "0, which is not lossless.",
     "E-qos-pcp: IEEE 802.1Q, 6.9.3; NVIDIA, RoCE configuration guides",
     "Use `trust: dscp`, or run RoCE over the network's `vlans`."},
    {"qos-switch-priority",
     Severity::error,
     RuleStage::document,
     "The lossless mode of Cumulus and Onyx switches has flow control at priority 3 and at no "
     "other, so hosts with another priority would send into queues that drop.",
     "E-qos-switch: Cumulus Linux and Onyx, RoCE",
     "Write `lossless: [3]`, or leave the switches unmanaged and set them by hand."},
    {"qos-partial",
     Severity::warning,
     RuleStage::document,
     "A switch is lossless as a whole. A network without `qos` at the same switch shares its "
     "buffers and has no flow control at its hosts, so its frames can be dropped, and they delay "
     "the frames of the others.",
     "E-qos-switch: NVUE `qos roce`, Onyx `roce`",
     "Give all networks of the switch the same `qos`."},
};

bool is_same(const QosSpec& a, const QosSpec& b) {
  const auto equal = [](const auto& one, const auto& other) {
    return one.value == other.value;
  };
  return equal(a.trust, b.trust) && equal(a.roce_dscp, b.roce_dscp) &&
         equal(a.cnp_dscp, b.cnp_dscp) && equal(a.ecn, b.ecn) &&
         std::equal(
             a.lossless.begin(), a.lossless.end(), b.lossless.begin(), b.lossless.end(), equal);
}

void report_conflict(
    std::string_view shared,
    const NetworkSpec& first,
    const NetworkSpec& second,
    Diagnostics& diagnostics) {
  diagnostics
      .error(
          "qos-conflict",
          second.qos->range,
          fmt::format(
              "networks {} and {} ask for a different `qos` of {}",
              first.name,
              second.name,
              shared))
      .about(second.name)
      .with_note(first.qos->range, "the other `qos`")
      .with_help("give both networks the same `qos`, or remove one of the two");
}

// Each pair of networks once, at the first thing that they share.
class Conflicts {
 public:
  explicit Conflicts(Diagnostics& diagnostics) : diagnostics_{diagnostics} {}

  void add(const std::string& shared, const NetworkSpec& network) {
    if (!network.qos) return;
    std::vector<const NetworkSpec*>& there = users_[shared];
    for (const NetworkSpec* other : there) {
      if (other == &network || is_same(*other->qos, *network.qos)) continue;
      if (told_.insert({other->name, network.name}).second)
        report_conflict(shared, *other, network, diagnostics_);
    }
    if (std::find(there.begin(), there.end(), &network) == there.end()) there.push_back(&network);
  }

 private:
  Diagnostics& diagnostics_;
  std::map<std::string, std::vector<const NetworkSpec*>> users_;
  std::set<std::pair<std::string, std::string>> told_;
};

void check_conflicts(const Context& context, Diagnostics& diagnostics) {
  Conflicts conflicts{diagnostics};
  for (const auto& [port, uses] : context.ports()) {
    const NodeSpec* node = context.spec().find_node(port.node.str());
    const bool by_switch = node != nullptr && is_switch(node->platform.value) &&
                           traits(node->platform.value).is_managed;
    for (const PortUse& use : uses) {
      conflicts.add(by_switch ? "switch " + port.node.str() : "port " + port.str(), *use.network);
    }
  }
}

// The managed switches of an Ethernet network that has hosts.
std::set<NodeName> switches_of(const Context& context, const NetworkSpec& network) {
  std::set<NodeName> switches;
  bool has_hosts = false;
  for (const PortRef& port : context.members(network)) {
    const NodeSpec* node = context.node(port);
    has_hosts = has_hosts || !port.adapter.empty();
    if (node != nullptr && is_switch(node->platform.value) &&
        traits(node->platform.value).is_managed)
      switches.insert(port.node);
  }
  return has_hosts && is_ethernet(network.mode.value) ? switches : std::set<NodeName>{};
}

// Each network once, at the first switch that another one makes lossless.
void check_partial(const Context& context, Diagnostics& diagnostics) {
  std::map<NodeName, const NetworkSpec*> lossless;
  for (const auto& [name, network] : context.spec().networks) {
    if (!network.qos) continue;
    for (const NodeName& node : switches_of(context, network))
      lossless.emplace(node, &network);
  }
  for (const auto& [name, network] : context.spec().networks) {
    if (network.qos) continue;
    const std::set<NodeName> switches = switches_of(context, network);
    const auto shared = std::find_if(switches.begin(), switches.end(), [&](const NodeName& node) {
      return lossless.contains(node);
    });
    if (shared == switches.end()) continue;
    const NetworkSpec& other = *lossless.at(*shared);
    diagnostics
        .warning(
            "qos-partial",
            network.range,
            fmt::format(
                "network {} has no `qos`, and network {} makes switch {} lossless as a whole",
                name,
                other.name,
                shared->str()))
        .about(name)
        .with_note(other.qos->range, "the `qos` of the switch")
        .with_help("give it the same `qos`");
  }
}

std::vector<std::uint32_t> priorities_of(const QosSpec& qos) {
  std::vector<std::uint32_t> priorities;
  for (const Sourced<std::uint32_t>& each : qos.lossless)
    priorities.push_back(each.value);
  return priorities;
}

void check_marks(const NetworkSpec& network, Diagnostics& diagnostics) {
  const QosSpec& qos = *network.qos;
  const auto place = [&qos](SourceRange range) {
    return is_known(range) ? range : qos.range;
  };
  if (qos.roce_dscp.value == qos.cnp_dscp.value) {
    diagnostics
        .error(
            "qos-dscp-equal",
            place(is_known(qos.cnp_dscp.range) ? qos.cnp_dscp.range : qos.roce_dscp.range),
            fmt::format(
                "RoCE and its congestion packets (CNP) both have DSCP {} in network {}",
                qos.cnp_dscp.value,
                network.name))
        .with_help("48 is usual for `dscp.cnp`");
  }
  const std::uint32_t priority = priority_of_dscp(qos.roce_dscp.value);
  if (qos.trust.value != "dscp") return;
  const std::vector<std::uint32_t> others = priorities_of(qos);
  if (std::find(others.begin(), others.end(), priority) != others.end()) return;
  diagnostics
      .error(
          "qos-priority-unreached",
          place(qos.lossless.front().range),
          fmt::format(
              "DSCP {} of RoCE is priority {}, but network {} is lossless at {}",
              qos.roce_dscp.value,
              priority,
              network.name,
              fmt::join(others, ", ")))
      .with_help(fmt::format(
          "write `lossless: [{}]`, or a `dscp.roce` from {} to {}",
          priority,
          qos.lossless.front().value * 8,
          qos.lossless.front().value * 8 + 7));
}

void check_switches(const Context& context, const NetworkSpec& network, Diagnostics& diagnostics) {
  const std::uint32_t kOfSwitches = 3;
  const QosSpec& qos = *network.qos;
  const std::set<NodeName> switches = switches_of(context, network);
  const std::vector<std::uint32_t> wanted = priorities_of(qos);
  const bool fits =
      wanted == std::vector{kOfSwitches} ||
      // qos-priority-unreached
      std::find(wanted.begin(), wanted.end(), priority_of_dscp(qos.roce_dscp.value)) ==
          wanted.end();
  if (switches.empty() || fits) return;
  const SourceRange place = qos.lossless.empty() ? qos.range : qos.lossless.front().range;
  diagnostics
      .error(
          "qos-switch-priority",
          is_known(place) ? place : qos.range,
          fmt::format(
              "switch {} is lossless at priority 3 alone, and network {} has {}",
              switches.begin()->str(),
              network.name,
              fmt::join(wanted, ", ")))
      .about(*switches.begin())
      .with_help("write `lossless: [3]`, and a `dscp.roce` from 24 to 31");
}

void check_tags(const NetworkSpec& network, Diagnostics& diagnostics) {
  if (network.qos->trust.value != "pcp" || !network.vlans.empty()) return;
  diagnostics
      .warning(
          "qos-pcp-untagged",
          network.qos->trust.range,
          fmt::format("network {} trusts VLAN tags and has no `vlans`", network.name))
      .with_help("use `trust: dscp`");
}

}  // namespace

RuleRows qos_rules() {
  return kQosRules;
}

void check_qos(const Context& context, Diagnostics& diagnostics) {
  for (const auto& [name, network] : context.spec().networks) {
    if (!network.qos || network.mode.value == Mode::infiniband) continue;
    const About about{diagnostics, name};
    check_marks(network, diagnostics);
    check_switches(context, network, diagnostics);
    check_tags(network, diagnostics);
  }
  check_conflicts(context, diagnostics);
  check_partial(context, diagnostics);
}

}  // namespace fabric::rules
