// SPDX-License-Identifier: Apache-2.0
// Link types that the driver mlx4_core gives cards that no firmware tool can set: cards of the 2010
// generation, and ConnectX-3 with tools from 4.26 on. `port_type_array` of modprobe.d has one
// number for each port, 1 InfiniBand, 2 Ethernet, and is for all cards of the host alike
// (E-mlx4-port-types).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/diagnostic.hpp"
#include "engine/provider/change.hpp"
#include "engine/provider/observation.hpp"
#include "engine/provider/provider.hpp"
#include "providers/linux/kinds/adapter/inventory.hpp"
#include "providers/linux/kinds/module/module_files.hpp"
#include "providers/linux/kinds/settings/told_settings.hpp"

namespace fabric::providers {

// True with the feature driver_link_type, or for a card of mlx4_core unknown to the tool.
bool is_set_by_driver(const Resource& resource, const Card& card, const CardSettings& settings);

// True for "LINK_TYPE_P1", ..., the only parameters that the driver sets.
bool is_link_type(std::string_view parameter);

// The type of a port after the next boot, 1 InfiniBand or 2 Ethernet, whichever file or tool sets
// it. Nullopt if it is not known, for example where only part of the node was read.
std::optional<std::int64_t> link_type_at_next_boot(
    const NodeFacts& facts, const std::vector<Card>& cards, const Card& card, std::uint32_t port);

class DriverPortTypes {
 public:
  // `cards`: all of the node, with this card among them. All arguments must outlive this.
  DriverPortTypes(const Card& card, const std::vector<Card>& cards, const ModuleFiles& files);

  // Running is the type that the kernel shows; next boot is the type in modprobe.d, or where it has
  // none, the running type, which is the default of the card's firmware. Spelled as `desired` if it
  // is the same type.
  LayeredReading observe(const std::string& parameter, const Value& desired) const;
  // Reports foreign-configuration if another file gives a port another type than the document.
  void report(const Resource& resource, Diagnostics& diagnostics) const;
  // Fails for a type for which the driver has no number, and where the array would change another
  // card.
  Result<Work> work(const Change& change) const;

 private:
  void report_rdma_types(const Resource& resource, Diagnostics& diagnostics) const;
  // The number of each port's type, from the first port: 0 = the firmware's default.
  Result<std::vector<std::int64_t>> wanted_types(const Resource& resource) const;

  const Card& card_;
  const std::vector<Card>& cards_;
  const ModuleFiles& files_;
  std::vector<ModuleOption> options_;  // port_type_array, in the order in which they count
};

}  // namespace fabric::providers
