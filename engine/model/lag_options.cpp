// SPDX-License-Identifier: Apache-2.0
#include "engine/model/lag_options.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "engine/base/text.hpp"

namespace fabric {

namespace {

constexpr std::pair<std::string_view, std::string_view> kOptions[] = {
    {"lacp_rate", "802.3ad"},
    {"ad_select", "802.3ad"},
    {"min_links", "802.3ad"},
    {"hash_policy", "balance-xor, 802.3ad and balance-tlb"},
    {"primary", "active-backup, balance-tlb and balance-alb"},
};

constexpr std::array<BondPolicy, 7> kPolicies{{
    {"balance-rr", false},
    {"active-backup", true},
    {"balance-xor", true},
    {"broadcast", false},
    {"802.3ad", true},
    {"balance-tlb", false},
    {"balance-alb", false},
}};

}  // namespace

const BondPolicy* find_bond_policy(std::string_view name) {
  const auto* found = std::ranges::find_if(
      kPolicies, [&](const BondPolicy& policy) { return policy.name == name; });
  return found == kPolicies.end() ? nullptr : found;
}

std::string_view policies_with(std::string_view option) {
  for (const auto& [name, policies] : kOptions) {
    if (name == option) return policies;
  }
  return {};
}

bool policy_has(std::string_view policy, std::string_view option) {
  const std::string_view policies = policies_with(option);
  // No kernel name is part of another.
  return policies.empty() || policies.find(policy) != std::string_view::npos;
}

std::optional<std::uint32_t> delay_in_force(const LagSpec& lag, std::uint32_t delay) {
  const std::uint32_t step = lag.miimon.value;
  if (step == 0) return std::nullopt;
  return delay / step * step;
}

bool wants_roce_lag(const NetworkSpec& network) {
  if (network.mode.value != Mode::lag) return false;
  if (network.lag && network.lag->roce) return network.lag->roce->value;
  if (!network.lag || network.lag->policy.value.empty()) return true;
  const BondPolicy* policy = find_bond_policy(network.lag->policy.value);
  return policy != nullptr && policy->roce;
}

std::string_view switch_bond_mode(std::string_view policy) {
  if (policy == "802.3ad") return "lacp";
  if (policy == "balance-rr" || policy == "balance-xor" || policy == "broadcast") return "static";
  return "";
}

std::vector<std::string_view> switch_balance_words(std::string_view hash_policy) {
  constexpr std::string_view kMac = "source-destination-mac";
  constexpr std::string_view kAddress = "source-destination-ip";
  constexpr std::string_view kPort = "source-destination-port";
  if (hash_policy == "layer2") return {kMac};
  if (hash_policy == "layer2+3") return {kMac, kAddress};
  if (hash_policy == "layer3+4") return {kAddress, kPort};
  return {};
}

std::string switch_bond_name(std::string_view lowest_port) {
  constexpr std::string_view kPort = "swp";
  if (lowest_port.starts_with(kPort)) lowest_port.remove_prefix(kPort.size());
  return "bond" + std::string{lowest_port};
}

bool names_slave(const AdapterSpec& adapter, const PortRef& slave, std::string_view written) {
  const auto number = parse_unsigned(slave.port, 10);
  const auto name = adapter.names.find(static_cast<std::uint32_t>(number.value_or(0)));
  return written == slave.port || written == fmt::format("{}/{}", slave.adapter, slave.port) ||
         (name != adapter.names.end() && written == name->second.value);
}

}  // namespace fabric
