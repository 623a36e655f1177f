// SPDX-License-Identifier: Apache-2.0
// Provider "settings": the firmware parameters of a card, by mlxconfig or mstconfig. A value that
// is set is in force after the next boot. The link types of a card that no such tool knows are its
// driver's matter (driver_port_types.hpp).
#pragma once

#include "engine/model/resource_keys.hpp"
#include "engine/provider/provider.hpp"

namespace fabric::providers {

class SettingsProvider final : public Provider {
 public:
  std::string_view kind() const override { return kinds::kSettings; }
  std::vector<Probe> probes() const override;
  bool supports(const Resource& resource, std::string_view feature) const override;
  // What fabric has set and nobody asks for, with what the card had before.
  std::vector<Resource> orphans(
      std::span<const Resource> wanted, const NodeFacts& facts) const override;
  std::vector<Observation> observe(
      std::span<const Resource> wanted,
      const NodeFacts& facts,
      Diagnostics& diagnostics) const override;
  std::map<std::string, Value, std::less<>> recorded(
      const Resource& resource, const NodeFacts& facts) const override;
  std::map<std::string, LayeredReading, std::less<>> waiting(
      const Resource& resource, const NodeFacts& facts) const override;
  Disruption disruption(
      const NodeFacts& facts, const Resource& resource, std::string_view attribute) const override;
  Result<Work> work(const Change& change, const WorkContext& context) const override;
};

}  // namespace fabric::providers
