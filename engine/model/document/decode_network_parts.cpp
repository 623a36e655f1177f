// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "engine/base/text.hpp"
#include "engine/model/document/decode_parts.hpp"
#include "engine/model/document/read.hpp"

namespace fabric {

namespace {

constexpr std::uint32_t kUsualMiimon = 100;  // milliseconds

// The policies in the order of the kernel's numbers.
constexpr std::array<std::string_view, 7> kBondingModes{
    "balance-rr",
    "active-backup",
    "balance-xor",
    "broadcast",
    "802.3ad",
    "balance-tlb",
    "balance-alb"};

// Any text that is neither name nor number stays as written, for the rule to judge.
Sourced<std::string> read_policy(const Layers& lag) {
  Sourced<std::string> policy = read_text(lag, "policy");
  const auto number = parse_unsigned(policy.value, 10);
  if (number && *number < kBondingModes.size()) policy.value = kBondingModes[*number];
  return policy;
}

}  // namespace

std::optional<LagSpec> decode_ipoib_bond(const Layers& ipoib) {
  const Layers bond = ipoib.section("bond");
  if (bond.empty()) return std::nullopt;
  LagSpec spec;
  spec.range = bond.all().back().node->range;
  spec.bond = read_text(bond, "name");
  spec.policy = {std::string{kBondingModes[1]}, spec.range};
  spec.miimon = {kUsualMiimon, spec.range};
  spec.primary = read_text(bond, "primary");
  return spec;
}

std::optional<LagSpec> decode_lag(const Layers& network, const Sourced<Mode>& mode) {
  const Layers lag = network.section("lag");
  if (lag.empty() && mode.value != Mode::lag) return std::nullopt;
  LagSpec spec;
  spec.range = lag.empty() ? mode.range : lag.all().back().node->range;
  spec.bond = read_text(lag, "bond", "bond0");
  spec.policy = read_policy(lag);
  spec.miimon = read_number(lag, "miimon", kUsualMiimon);
  spec.updelay = find_number(lag, "updelay");
  spec.downdelay = find_number(lag, "downdelay");
  spec.min_links = find_number(lag, "min_links");
  spec.lacp_rate = read_text(lag, "lacp_rate");
  spec.hash_policy = read_text(lag, "hash_policy");
  spec.primary = read_text(lag, "primary");
  spec.ad_select = read_text(lag, "ad_select");
  spec.roce = find_flag(lag, "roce");
  spec.port_channel = read_text(lag, "port_channel");
  spec.made_by = read_text(lag, "made_by");
  return spec;
}

std::optional<QosSpec> decode_qos(const Layers& network) {
  constexpr std::uint32_t kUsualPriority = 3;
  constexpr std::uint32_t kUsualRoce = 26;
  constexpr std::uint32_t kUsualCnp = 48;
  const Layers qos = network.section("qos");
  if (qos.empty()) return std::nullopt;
  QosSpec spec;
  spec.range = qos.all().back().node->range;
  spec.trust = read_text(qos, "trust", "dscp");
  spec.lossless = read_numbers(qos, "lossless");
  if (spec.lossless.empty()) spec.lossless.push_back({kUsualPriority, {}});
  std::sort(spec.lossless.begin(), spec.lossless.end(), [](const auto& a, const auto& b) {
    return a.value < b.value;
  });
  const auto same =
      std::unique(spec.lossless.begin(), spec.lossless.end(), [](const auto& a, const auto& b) {
        return a.value == b.value;
      });
  spec.lossless.erase(same, spec.lossless.end());
  const Layers dscp = qos.section("dscp");
  spec.roce_dscp = read_number(dscp, "roce", kUsualRoce);
  spec.cnp_dscp = read_number(dscp, "cnp", kUsualCnp);
  spec.ecn = read_flag(qos, "ecn", true);
  return spec;
}

}  // namespace fabric
