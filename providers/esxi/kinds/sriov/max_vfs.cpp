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

std::string list_moved(const std::string& list, const Ports& now, const Ports& then) {
  if (list.empty()) return list;
  const std::vector<std::string_view> entries = split(std::string_view{list}, ',');
  std::vector<std::string> moved;
  std::size_t told = 0;  // without the entries at the end that were not written
  for (const PciAddress& port : then) {
    const auto place =
        static_cast<std::size_t>(std::find(now.begin(), now.end(), port) - now.begin());
    const bool written = place < now.size() && place < entries.size();
    moved.emplace_back(written ? entries[place] : "0");
    if (written) told = moved.size();
  }
  if (entries.size() <= now.size()) moved.resize(told);
  for (std::size_t place = now.size(); place < entries.size(); ++place)
    moved.emplace_back(entries[place]);
  return join(moved, ",");
}

}  // namespace fabric::providers::esxi
