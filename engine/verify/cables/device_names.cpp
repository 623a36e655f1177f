// SPDX-License-Identifier: Apache-2.0
#include "engine/verify/cables/device_names.hpp"

#include <utility>
#include <vector>

#include <fmt/format.h>

#include "engine/base/text.hpp"

namespace fabric::verify {

namespace {

// "ibp11s0f0" of 0000:0b:00.0, by the naming scheme of systemd: decimal, and without the function
// where the card has but one.
std::vector<std::string> slot_names(const PciAddress& pci) {
  std::vector<std::string> names;
  const std::string domain = pci.domain() == 0 ? "" : fmt::format("P{}", pci.domain());
  const std::string slot = to_lower(fmt::format("ib{}p{}s{}", domain, pci.bus(), pci.device()));
  names.push_back(fmt::format("{}f{}", slot, pci.function()));
  if (pci.function() == 0) names.push_back(slot);
  return names;
}

}  // namespace

std::set<std::string> device_names(const AdapterSpec& adapter, std::uint32_t number) {
  std::set<std::string> names;
  const auto name = adapter.names.find(number);
  if (name != adapter.names.end()) names.insert(to_lower(name->second.value));
  if (const auto pci = PciAddress::parse(adapter.selector.pci.value)) {
    const std::uint32_t function = pci->function() + number - 1;
    for (std::string& slot : slot_names(pci->with_function(function)))
      names.insert(std::move(slot));
  }
  return names;
}

}  // namespace fabric::verify
