// SPDX-License-Identifier: Apache-2.0
#include "engine/model/cable_ports.hpp"

#include <algorithm>

#include "engine/base/text.hpp"

namespace fabric {

namespace {

bool carries_address(const FabricSpec& spec, const PortRef& port) {
  const auto node = spec.nodes.find(port.node);
  return !port.adapter.empty() ||
         (node != spec.nodes.end() && traits(node->second.platform.value).routes_ports);
}

}  // namespace

bool has_cable_subnet(const FabricSpec& spec, const CableSpec& cable) {
  const bool has_host = !cable.a.value.adapter.empty() || !cable.b.value.adapter.empty();
  return has_host && carries_address(spec, cable.a.value) && carries_address(spec, cable.b.value);
}

std::set<PortRef> cable_ports(const FabricSpec& spec, const std::vector<CableSpec>& cables) {
  std::set<PortRef> ports;
  for (const CableSpec& cable : cables) {
    if (has_cable_subnet(spec, cable)) ports.insert({cable.a.value, cable.b.value});
  }
  return ports;
}

std::uint32_t cable_gbps(std::string_view text) {
  struct Rate {
    std::string_view name;
    std::uint32_t gbps;
  };
  constexpr Rate kRates[] = {
      {"sdr", 10},
      {"ddr", 20},
      {"qdr", 40},
      {"fdr10", 40},
      {"fdr", 56},
      {"edr", 100},
      {"hdr100", 100},
      {"hdr", 200},
      {"ndr200", 200},
      {"ndr", 400},
      {"xdr", 800}};
  const std::string lower = to_lower(text);
  for (const Rate& rate : kRates) {
    if (rate.name == lower) return rate.gbps;
  }
  constexpr std::uint32_t kSpeeds[] = {1, 2, 5, 10, 20, 25, 40, 50, 56, 100, 200, 400, 800, 1600};
  constexpr std::string_view kUnits[] = {"", "g", "gb", "gbe", "gb/s", "gbps", "gbit", "gbit/s"};
  const std::size_t digits = std::min(lower.find_first_not_of("0123456789"), lower.size());
  const std::string_view unit = trim(std::string_view{lower}.substr(digits));
  const auto number = parse_unsigned(std::string_view{lower}.substr(0, digits), 10);
  const bool is_known_speed =
      std::find(std::begin(kUnits), std::end(kUnits), unit) != std::end(kUnits) &&
      std::find(std::begin(kSpeeds), std::end(kSpeeds), number.value_or(0)) != std::end(kSpeeds);
  return is_known_speed ? static_cast<std::uint32_t>(*number) : 0;
}

}  // namespace fabric
