// SPDX-License-Identifier: Apache-2.0
#include "providers/esxi/kinds/sriov/max_vfs.hpp"

#include <algorithm>

#include "engine/base/text.hpp"

namespace fabric::providers::esxi {

Ports driver_ports(const std::vector<EsxCard>& cards, const std::set<PciAddress>& gone) {
  Ports ports;
  for (const EsxCard& card : cards) {
    if (gone.contains(card.card.address) || card.module.starts_with("nmlx4")) continue;
    for (const AdapterPort& port : card.card.ports)
      ports.push_back(port.function);
  }
  return ports;
}

std::optional<std::size_t> place_of(const Ports& ports, const AdapterPort& port) {
  const auto found = std::find(ports.begin(), ports.end(), port.function);
  if (found == ports.end()) return std::nullopt;
  return static_cast<std::size_t>(found - ports.begin());
}

std::optional<std::int64_t> entry_of(const std::string& list, std::size_t place) {
  const std::vector<std::string_view> entries = split(std::string_view{list}, ',');
  if (place >= entries.size() || trim(entries[place]).empty()) return 0;
  return parse_integer(trim(entries[place]));
}

std::string list_without(const std::string& list, const Ports& now, const Ports& then) {
  if (list.empty()) return list;
  const std::vector<std::string_view> entries = split(std::string_view{list}, ',');
  std::vector<std::string> kept;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const bool stays = i >= now.size() || std::find(then.begin(), then.end(), now[i]) != then.end();
    if (stays) kept.emplace_back(entries[i]);
  }
  return join(kept, ",");
}

}  // namespace fabric::providers::esxi
