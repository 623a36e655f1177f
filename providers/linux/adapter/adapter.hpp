// SPDX-License-Identifier: Apache-2.0
// Provider "adapter": that the card of the document is there, and what it is. Changes nothing.
#pragma once

#include "engine/model/resource_keys.hpp"
#include "engine/provider/provider.hpp"

namespace fabric::providers {

// Observes, beside what is desired, the identity of the card as running values: pci, device_id,
// ports, firmware, psid, serial, part_number. Diagnostics: adapter-missing, adapter-ambiguous,
// firmware-too-old.
class AdapterProvider final : public Provider {
 public:
  std::string_view kind() const override { return kinds::kAdapter; }
  std::vector<Probe> probes() const override;
  std::vector<Observation> observe(
      std::span<const Resource> wanted,
      const NodeFacts& facts,
      Diagnostics& diagnostics) const override;
  std::map<std::string, std::string, std::less<>> port_guids(
      const Resource& resource, const NodeFacts& facts) const override;
  Disruption disruption(
      const NodeFacts& facts, const Resource& resource, std::string_view attribute) const override;
  Result<Work> work(const Change& change, const WorkContext& context) const override;
};

}  // namespace fabric::providers
