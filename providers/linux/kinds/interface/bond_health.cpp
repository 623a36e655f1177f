// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/kinds/interface/bond_health.hpp"

#include <utility>

#include <fmt/format.h>

#include "engine/provider/bond_faults.hpp"

namespace fabric::providers {

namespace {

constexpr std::string_view kNobody = "00:00:00:00:00:00";
// Bits of an LACP port state.
constexpr std::int64_t kDefaulted = 64;
constexpr std::int64_t kExpired = 128;

void add(std::vector<BondAilment>& ailments, std::string_view fault, std::string text) {
  ailments.push_back({fault, std::move(text)});
}

void judge_slave(
    const BondingSlave& slave, const ProcBonding& bond, std::vector<BondAilment>& ailments) {
  // Without an active aggregator, the one of the first slave counts.
  const std::optional<std::int64_t> active =
      bond.aggregator ? std::optional{bond.aggregator->id} : bond.slaves.front().aggregator;
  if (slave.aggregator && active && *slave.aggregator != *active) {
    add(ailments,
        bond_faults::kAggregation,
        fmt::format(
            "slave {} is in aggregator {} and not in {}: they are not one link",
            slave.name,
            *slave.aggregator,
            *active));
  }
  if (slave.actor_churn == "churned" || slave.partner_churn == "churned")
    add(ailments,
        bond_faults::kAggregation,
        fmt::format("LACP on slave {} did not become stable (churned)", slave.name));
  if (slave.actor_state && (*slave.actor_state & (kDefaulted | kExpired)) != 0) {
    add(ailments,
        bond_faults::kAggregation,
        fmt::format(
            "slave {} works with assumed values of its partner (LACP state {})",
            slave.name,
            *slave.actor_state));
  }
}

void judge_aggregation(const ProcBonding& bond, std::vector<BondAilment>& ailments) {
  if (bond.no_active_aggregator)
    add(ailments, bond_faults::kPartner, "LACP has no active aggregator");
  if (!bond.aggregator) return;
  if (bond.aggregator->partner_address == kNobody) {
    add(ailments,
        bond_faults::kPartner,
        "LACP is up but nothing is aggregated: no partner answers (partner MAC address "
        "00:00:00:00:00:00)");
  }
  const auto slaves = static_cast<std::int64_t>(bond.slaves.size());
  if (bond.aggregator->ports != slaves) {
    add(ailments,
        bond_faults::kAggregation,
        fmt::format("the active aggregator has {} of {} slaves", bond.aggregator->ports, slaves));
  }
}

}  // namespace

std::vector<BondAilment> bond_ailments(const ProcBonding& bond) {
  std::vector<BondAilment> ailments;
  if (!bond.mii_status.empty() && bond.mii_status != "up")
    add(ailments, bond_faults::kLink, fmt::format("the bond is {}", bond.mii_status));
  if (bond.slaves.empty()) add(ailments, bond_faults::kSetting, "it has no slaves");
  for (const BondingSlave& slave : bond.slaves) {
    if (!slave.mii_status.empty() && slave.mii_status != "up")
      add(ailments,
          bond_faults::kLink,
          fmt::format("slave {} is {}", slave.name, slave.mii_status));
  }
  if (bond.mode == "802.3ad") {
    judge_aggregation(bond, ailments);
    for (const BondingSlave& slave : bond.slaves)
      judge_slave(slave, bond, ailments);
  }
  if (bond.miimon == 0)
    add(ailments, bond_faults::kSetting, "miimon is 0: a failed link is never noticed");
  return ailments;
}

}  // namespace fabric::providers
